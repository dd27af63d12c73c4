// SPDX-License-Identifier: MIT
#include "launch_arguments.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <set>

#include "../table.hpp"
#include "argument_value.hpp"
#include "data_file.hpp"
#include "engine/prepared_kernel.hpp"
#include "kept_limits.hpp"
#include "page/argument_text.hpp"

namespace compiled {

using command_line::joined;
using command_line::refusal;

namespace {

constexpr std::uint64_t most_int = std::numeric_limits<int>::max();
// Sizes above 8 are not portable (CUDA C++ Programming Guide, thread block clusters).
constexpr int most_blocks_of_cluster = 16;

// "32x8" as {32, 8, missing}.
std::array<int, 3> sizes_of(const std::string& option, const std::string& text, unsigned least,
                            int missing) {
  std::array<int, 3> result = {missing, missing, missing};
  const std::string example = joined("--", option, option == "cluster" ? " 2x1x1" : " 32x8");
  const std::uint64_t most = option == "block"     ? 1024
                             : option == "cluster" ? most_blocks_of_cluster
                                                   : most_int;
  std::size_t begin = 0;
  for (int& each : result) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    const std::string_view part = std::string_view(text).substr(begin, end - begin);
    const auto value = integer_bits(part, 8);
    const bool is_number =
        !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
    if (is_number && (!value || *value < least || *value > most))
      throw refusal{{},
                    joined("--", option, " is ", text, ", and ", part, " is too ",
                           value && *value < least ? "small" : "large"),
                    joined("use ", least, " to ", most, ", as ", example)};
    if (!value || *value > most) break;
    each = static_cast<int>(*value);
    if (end == text.size()) return result;
    begin = end + 1;
  }
  throw refusal{{},
                joined("--", option, " is ", text, ", which is not one to three numbers"),
                joined("write ", example)};
}

std::string dimensions_text(const std::array<unsigned, 3>& size) {
  return command_line::option_text(
      {static_cast<int>(size[0]), static_cast<int>(size[1]), static_cast<int>(size[2])});
}

// An option or the code says the block, so that a launch in the file need not.
bool has_block(const question& asked, const kernel_code& kernel) {
  return !asked.block.empty() || kernel.required_block.has_value();
}

// The launch in the file whose numbers are taken where none are given; null if there is none.
const found_launch* stated_launch(const question& asked, const kernel_code& kernel,
                                  const std::vector<found_launch>& launches,
                                  const bm::block_dim& block) {
  const found_launch* stated = nullptr;
  for (const found_launch& one : launches) {
    if (one.linkage != kernel.linkage) continue;
    if (!has_block(asked, kernel)) {
      // One whose block is not known says the arguments and the dynamic bytes, if no other does.
      if (!one.block || (stated != nullptr && !stated->block)) {
        if (stated == nullptr || one.block) stated = &one;
        continue;
      }
      if (stated != nullptr && one.is_passed_over != stated->is_passed_over) {
        if (stated->is_passed_over) stated = &one;
        continue;
      }
      const bool is_of_block = stated != nullptr && one.block == stated->block;
      if (stated == nullptr || (is_of_block && !stated->grid && one.grid)) stated = &one;
    } else {
      const std::array<unsigned, 3> given = {static_cast<unsigned>(block.x),
                                             static_cast<unsigned>(block.y),
                                             static_cast<unsigned>(block.z)};
      if (stated == nullptr || (stated->block != given && one.block == given)) stated = &one;
    }
  }
  return stated;
}

// 0 where the host code does not say how many threads there are.
bm::block_dim known_axes_of_block(const kernel_code& kernel,
                                  const std::vector<found_launch>& launches) {
  for (const found_launch& one : launches)
    if (one.linkage == kernel.linkage)
      return {static_cast<int>(one.known_axes[0]), static_cast<int>(one.known_axes[1]),
              static_cast<int>(one.known_axes[2])};
  return {0, 0, 0};
}

// Why neither an option nor a launch in the file says the block.
std::string reason_without_block(const question& asked, const kernel_code& kernel,
                                 const std::vector<found_launch>& launches) {
  for (const found_launch& one : launches) {
    if (one.linkage != kernel.linkage) continue;
    const std::string& why = one.block_depends_on;
    return joined(
        "the launch at ", std::filesystem::path(one.file).filename().string(), ":", one.line,
        why.empty() ? " has a block that the host code does not say" : joined(" depends on ", why));
  }
  const std::string bounds = kernel.most_threads == 0
                                 ? ""
                                 : joined(" and it has at most ", kernel.most_threads, " threads");
  if (!is_source(asked.file)) return joined("PTX does not say it", bounds);
  return joined("no launch of ", kernel.name, " was found", bounds);
}

// "1..4096" as {1, 4096}. Error (refusal): it is none, or not one of the argument's values.
std::pair<long long, long long> range_in(const std::string& option, const std::string& text,
                                         const code_parameter& parameter) {
  constexpr std::uint64_t most_of_ranges = 1u << 30;
  const std::size_t dots = text.find("..");
  const std::string first = text.substr(0, dots), last = text.substr(dots + 2);
  const auto least = integer_bits(first, 8), most = integer_bits(last, 8);
  const bool are_digits = !first.empty() && !last.empty() && first[0] != '-' && last[0] != '-';
  if (!least || !most || !are_digits || *least > *most || *most > most_of_ranges)
    throw refusal{{},
                  joined("--arg is ", option, ", which is not a range within 0..", most_of_ranges),
                  "write --arg n=1..4096"};
  if (parameter.is_pointer || parameter.holds == value_kind::floating ||
      !argument_bits(parameter, last))
    throw refusal{
        {},
        joined("--arg is ", option, ", which is no range of ",
               parameter.type.empty() ? joined(parameter.bytes, " bytes") : parameter.type),
        "give a range of an integer, of values of its type"};
  return {static_cast<long long>(*least), static_cast<long long>(*most)};
}

// Returns the numbers of the parameters that have a value.
std::set<std::size_t> add_arguments(const question& asked, const kernel_code& kernel, launch& to) {
  std::set<std::size_t> result;
  for (const std::string& one : asked.arguments) {
    const std::size_t equals = std::min(one.find('='), one.size());
    const std::string name = one.substr(0, equals),
                      text = one.substr(std::min(equals + 1, one.size()));
    const auto number = parameter_number(kernel, name);
    const code_parameter parameter =
        number ? kernel.parameters[*number] : code_parameter{name, "", 0, 8};
    if (text.find("..") != text.npos) {
      const std::pair<long long, long long> range = range_in(one, text, parameter);
      if (to.arguments.count(name) != 0 || !to.ranges.emplace(name, range).second ||
          (number && !result.insert(*number).second))
        throw refusal{
            {}, joined("--arg ", one, " is the second value of this argument"), "give one"};
      continue;
    }
    const std::optional<std::uint64_t> bits = argument_bits(parameter, text);
    if (name.empty() || text.empty() ||
        (!bits && !integer_bits(text, 8) && !floating_bits(text, 8)))
      throw refusal{{},
                    joined("--arg is ", one, ", which is not a name with a number"),
                    "write --arg n=1024"};
    if (!bits)
      throw refusal{
          {},
          joined("--arg is ", one, ", which is no value of ",
                 parameter.type.empty() ? joined(parameter.bytes, " bytes") : parameter.type),
          has_sign(parameter) ? joined("give ", std::to_string(-1 - most_signed(parameter.bytes)),
                                       " to ", std::to_string(most_signed(parameter.bytes)))
          : parameter.bytes <= 8 ? "give a value of its type"
                                 : "give its members, as p2+8, to the PTX of the kernel"};
    if (!to.arguments.emplace(name, *bits).second || (number && !result.insert(*number).second))
      throw refusal{{}, joined("--arg ", one, " is the second value of this argument"), "give one"};
  }
  return result;
}

// "const float", of the pointer or array that --data names; empty if it is not known.
std::string element_type(const kernel_code& kernel, const std::string& name) {
  for (const code_array& one : kernel.globals)
    if (one.name == name) return one.element_type;
  const auto number = parameter_number(kernel, name);
  const std::string type = number ? kernel.parameters[*number].type : "";
  const std::size_t star = type.find_first_of("*&");
  const std::size_t end = star == type.npos || star == 0 ? 0 : type.find_last_not_of(' ', star - 1);
  return star == type.npos || type.find_first_of("*&", star + 1) != type.npos
             ? ""
             : type.substr(0, end + 1);
}

void add_data(const question& asked, const kernel_code& kernel, launch& to) {
  for (const std::string& one : asked.data) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos || equals == 0)
      throw refusal{{},
                    joined("--data is ", one, ", which is not a name with a file"),
                    "write --data indices=indices.npy"};
    const std::string name = one.substr(0, equals), file = one.substr(equals + 1);
    file_data data = data_of(file);
    require_elements(data, element_type(kernel, name), name, file);
    if (!to.data.emplace(name, launch::contents{file, std::move(data.bytes)}).second)
      throw refusal{{}, joined("--data gives ", name, " twice"), "leave one of them out"};
  }
}

// 12, or 0..12
std::optional<iterations> iterations_of(std::string_view text) {
  const std::size_t dots = std::min(text.find(".."), text.size());
  const auto least = integer_bits(text.substr(0, dots), 4);
  const auto most = dots == text.size() ? least : integer_bits(text.substr(dots + 2), 4);
  if (!least || !most || *least > *most || *most > most_int) return std::nullopt;
  return iterations{*least, *most};
}

void add_assumed(const question& asked, launch& to) {
  for (const std::string& one : asked.assumed) {
    const std::size_t equals = std::min(one.find('='), one.size());
    const std::string how = one.substr(std::min(equals + 1, one.size()));
    const auto line = integer_bits(one.substr(0, equals), 8);
    const bool is_branch = how == "taken" || how == "not-taken";
    const std::optional<iterations> goes_on = is_branch ? std::nullopt : iterations_of(how);
    if (!line || *line < 1 || *line > most_int || !(is_branch || goes_on))
      throw refusal{{},
                    joined("--assume is ", one,
                           ", which is not a line with taken, not-taken, or "
                           "how often a loop goes on"),
                    "write --assume 17=taken, --assume 17=4, or --assume 17=0..4"};
    if (!to.assumed.emplace(static_cast<int>(*line), assumption{how == "taken", goes_on}).second)
      throw refusal{{}, joined("--assume ", one, " is the second for this line"), "give one"};
  }
}

// "; other numbers in line 17": the other launches that the program comes to.
std::string other_launches(const found_launch& stated, const std::vector<found_launch>& launches) {
  std::set<int> lines;
  for (const found_launch& one : launches)
    if (one.linkage == stated.linkage && !one.is_passed_over && one.line != stated.line &&
        (one.block != stated.block || one.grid != stated.grid ||
         one.dynamic_shared_bytes != stated.dynamic_shared_bytes || one.cluster != stated.cluster ||
         one.arguments != stated.arguments || one.fields != stated.fields))
      lines.insert(one.line);
  std::string result;
  for (const int line : lines)
    result += joined(result.empty() ? "; other numbers in line " : ", ", line);
  return result;
}

// Takes what is not given from a launch of the file, and says so in a note.
// `given`: the numbers of the arguments that are.
std::string add_stated(const question& asked, const kernel_code& kernel, const found_launch& stated,
                       const std::set<std::size_t>& given, launch& to) {
  const bool is_elsewhere = !stated.file.empty() && stated.file != asked.file;
  const std::string begin =
      joined("launched as ", stated.line > 0 ? joined("in line ", stated.line) : "",
             !is_elsewhere     ? ""
             : stated.line > 0 ? " of " + stated.file
                               : stated.file + " says",
             stated.is_passed_over ? ", where the program does not come" : "",
             stated.later.empty() ? ""
                                  : joined(" (number ", stated.number + 1, " of ", stated.times,
                                           " launches in a loop, the one with the most work)"));
  std::string taken;
  const auto take = [&](const std::string& what) { taken += (taken.empty() ? ": " : ", ") + what; };
  const bool takes_block = stated.block && !has_block(asked, kernel);
  bool is_its_block = asked.block.empty();
  if (stated.block) {
    const auto& block = *stated.block;
    const bm::block_dim its = {static_cast<int>(block[0]), static_cast<int>(block[1]),
                               static_cast<int>(block[2])};
    if (takes_block) to.block = its;
    is_its_block = to.block.x == its.x && to.block.y == its.y && to.block.z == its.z;
  }
  if (asked.grid.empty() && stated.grid && is_its_block) {
    to.grid = {(*stated.grid)[0], (*stated.grid)[1], (*stated.grid)[2]};
    take(joined("grid ", dimensions_text(*stated.grid)));
  }
  if (stated.cluster && asked.cluster.empty() && stated.cluster != std::array{1u, 1u, 1u})
    take(joined("clusters of ", dimensions_text(*stated.cluster), " blocks"));
  if (to.dynamic_shared_bytes == 0 && stated.dynamic_shared_bytes.value_or(0) > 0) {
    to.dynamic_shared_bytes = *stated.dynamic_shared_bytes;
    take(joined(to.dynamic_shared_bytes, " dynamic bytes"));
  }
  for (std::size_t at = 0; at < stated.arguments.size() && at < kernel.parameters.size(); ++at) {
    const code_parameter& one = kernel.parameters[at];
    if (!stated.arguments[at] || given.count(at) > 0) continue;
    const std::string number = joined("p", at);
    const bool is_its_name = parameter_number(kernel, number) == at;
    to.arguments[is_its_name ? number : joined(kernel.linkage, "_param_", at)] =
        *stated.arguments[at];
    take(text_of(one, *stated.arguments[at]));
  }
  for (std::size_t at = 0; at < stated.fields.size() && at < kernel.parameters.size(); ++at)
    for (const auto& [rest, bits] : stated.fields[at]) {
      const auto number = parameter_number(kernel, kernel.parameters[at].name + rest);
      if (!number || given.count(*number) > 0) continue;
      to.arguments[kernel.parameters[*number].name] = bits;
      take(text_of(kernel.parameters[*number], bits));
    }
  if (takes_block && taken.empty()) take(joined("block ", dimensions_text(*stated.block)));
  if (takes_block && asked.grid.empty() && !stated.grid)
    taken += joined("; its grid is not known", one_block_is_assumed);
  return taken.empty() ? "" : begin + taken;
}

}  // namespace

std::optional<bm::block_dim> block_of(const std::string& given) {
  if (given.empty()) return std::nullopt;
  const auto block = sizes_of("block", given, 1, 1);
  return bm::block_dim{block[0], block[1], block[2]};
}

std::optional<bm::grid_dim> grid_of(const std::string& given) {
  if (given.empty()) return std::nullopt;
  const auto grid = sizes_of("grid", given, 1, 1);
  return bm::grid_dim{grid[0], grid[1], grid[2]};
}

std::optional<std::array<int, 3>> cluster_of(const std::string& given) {
  if (given.empty()) return std::nullopt;
  const std::array<int, 3> blocks = sizes_of("cluster", given, 1, 1);
  if (blocks[0] * blocks[1] * blocks[2] > most_blocks_of_cluster)
    throw refusal{{},
                  joined("--cluster is ", given, ", more than ", most_blocks_of_cluster, " blocks"),
                  "write --cluster 2x1x1"};
  return blocks;
}

std::map<std::string, long long> numbers_of(const std::vector<std::string>& given) {
  std::map<std::string, long long> result;
  for (const std::string& one : given) {
    const std::size_t equals = std::min(one.find('='), one.size());
    const std::string number = one.substr(std::min(equals + 1, one.size()));
    const auto bits = number == "true"    ? std::optional<std::uint64_t>(1)
                      : number == "false" ? std::optional<std::uint64_t>(0)
                                          : integer_bits(number, 8);
    const auto value = static_cast<long long>(bits.value_or(0));
    if (equals == 0 || !bits || (value < 0) != (one.find('-', equals) != one.npos))
      throw refusal{{},
                    joined("--arg is ", one, ", which is not a name with an integer"),
                    "write --arg n=1024"};
    if (!result.emplace(one.substr(0, equals), value).second)
      throw refusal{{}, joined("--arg ", one, " is the second value of this name"), "give one"};
  }
  return result;
}

launch launch_of(const question& asked, const kernel_code& kernel,
                 const std::vector<found_launch>& launches, std::string* note) {
  launch result;
  result.dynamic_shared_bytes = asked.dynamic_shared_bytes;
  result.bounds = asked.bounds;
  // A limit is kept whatever the data are, and expressions are of all lanes that may come.
  result.bounds_shared_branches = limits_of(asked, kernel).conflicts.has_value() || asked.describe;
  result.most_steps = asked.most_steps;
  result.steps_at_once = asked.steps_at_once;
  result.steps_of_a_guess = asked.steps_of_a_guess;
  if (const auto block = block_of(asked.block)) result.block = *block;
  if (kernel.required_block) {
    const auto& [x, y, z] = *kernel.required_block;
    if (!asked.block.empty() && (result.block.x != x || result.block.y != y || result.block.z != z))
      throw refusal{{},
                    joined("--block is ", asked.block, ", and the code requires ", x, "x", y, "x",
                           z, " threads (.reqntid)"),
                    "leave --block out"};
    result.block = {x, y, z};
  }
  if (const auto cluster = cluster_of(asked.cluster);
      cluster && kernel.required_cluster && cluster != kernel.required_cluster) {
    const auto& [x, y, z] = *kernel.required_cluster;
    throw refusal{{},
                  joined("--cluster is ", asked.cluster, ", and the code requires ", x, "x", y, "x",
                         z, " blocks"),
                  "leave --cluster out"};
  }
  const found_launch* const stated = stated_launch(asked, kernel, launches, result.block);
  if ((stated == nullptr || !stated->block) && !has_block(asked, kernel)) {
    result.block = known_axes_of_block(kernel, launches);
    result.unknown_block = reason_without_block(asked, kernel, launches);
  }
  if (const auto grid = grid_of(asked.grid)) result.grid = *grid;
  const std::set<std::size_t> given = add_arguments(asked, kernel, result);
  add_data(asked, kernel, result);
  if (stated != nullptr) {
    std::string text = add_stated(asked, kernel, *stated, given, result);
    if (!text.empty()) text += other_launches(*stated, launches);
    if (note != nullptr) *note = text;
  }
  result.is_grid_known = !asked.grid.empty() || (stated != nullptr && stated->grid);
  if (!asked.at.empty()) {
    const auto at = sizes_of("at", asked.at, 0, 0);
    result.at = {at[0], at[1], at[2]};
  }
  if (result.at.x >= result.grid.x || result.at.y >= result.grid.y || result.at.z >= result.grid.z)
    throw refusal{{}, joined("--at ", asked.at, " is not a block of the grid"), "raise --grid"};
  add_assumed(asked, result);
  return result;
}

}  // namespace compiled
