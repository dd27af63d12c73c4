// SPDX-License-Identifier: MIT
// --layouts and --keep.
#include "search_options.hpp"

#include <algorithm>
#include <iterator>

#include "sequences.hpp"
#include "source.hpp"

namespace command_line {

namespace {

struct family {
  std::string_view name;
  bm::layout_families layouts;
};
constexpr family families[] = {{"padding", bm::layouts::padding},
                               {"xor_swizzle", bm::layouts::xor_swizzle},
                               {"rotation", bm::layouts::rotation},
                               {"triangular", bm::layouts::triangular},
                               {"modular", bm::layouts::modular},
                               {"linear", bm::layouts::linear},
                               {"permutations", bm::layouts::permutations},
                               {"as_declared", bm::layouts::as_declared},
                               {"all", bm::layouts::all}};

bm::layout_families family_of(const std::string& name) {
  nearest_word nearest(name);
  std::string names;
  for (const family& candidate : families) {
    if (candidate.name == name) return candidate.layouts;
    nearest.offer(candidate.name);
    names += joined(names.empty() ? "" : ", ", candidate.name);
  }
  throw input_error(joined("--layouts has no family ", name.substr(0, 40)),
                    nearest.question(joined("choose of ", names)));
}

}  // namespace

std::vector<std::string> separated(const std::vector<std::string>& lists) {
  std::vector<std::string> result;
  for (const std::string& list : lists)
    for (std::size_t begin = 0; begin <= list.size();) {
      const std::size_t end = std::min(list.find(',', begin), list.size());
      result.push_back(list.substr(begin, end - begin));
      begin = end + 1;
    }
  return result;
}

bm::search search_of(const plan_limits& limits, const std::vector<std::string>& arrays) {
  bm::search result = limits.options;
  if (!limits.layouts.empty()) result.layouts = bm::layouts::as_declared;
  for (const std::string& name : separated(limits.layouts))
    result.layouts = result.layouts | family_of(name);
  for (const std::string& name : separated(limits.keep)) {
    nearest_word nearest(name);
    for (const std::string& array : arrays) nearest.offer(array);
    if (!includes(arrays, name))
      throw input_error(
          joined("--keep names ", name.substr(0, 40), ", which is not a shared array"),
          nearest.question("name an array of the kernel"));
    if (result.keep.count == static_cast<int>(std::size(result.keep.name)))
      throw input_error(joined("--keep names more than ", result.keep.count, " arrays"),
                        "name fewer, or give --layouts as_declared");
    result.keep.name[result.keep.count++] = array_name_of(name);
  }
  return result;
}

}  // namespace command_line
