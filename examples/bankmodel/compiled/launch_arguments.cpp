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

namespace {

constexpr std::uint64_t most_int = std::numeric_limits<int>::max();
// Sizes above 8 are not portable (CUDA C++ Programming Guide, thread block clusters).
constexpr int most_blocks_of_cluster = 16;

// "32x8" as {32, 8, missing}.
std::array<int, 3> sizes_of(const std::string& option, const std::string& text, unsigned minimum,
                            int missing) {
  std::array<int, 3> result = {missing, missing, missing};
  const std::string example = joined("--", option, option == "cluster" ? " 2x1x1" : " 32x8");
  const std::uint64_t maximum = option == "block"     ? 1024
                                : option == "cluster" ? most_blocks_of_cluster
                                                      : most_int;
  std::size_t begin = 0;
  for (int& size : result) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    const std::string_view part = std::string_view(text).substr(begin, end - begin);
    const auto value = integer_bits(part, 8);
    const bool is_number =
        !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
    if (is_number && (!value || *value < minimum || *value > maximum))
      throw input_error(joined("--", option, " is ", text, ", and ", part, " is too ",
                               value && *value < minimum ? "small" : "large"),
                        joined("use ", minimum, " to ", maximum, ", as ", example));
    if (!value || *value > maximum) break;
    size = static_cast<int>(*value);
    if (end == text.size()) return result;
    begin = end + 1;
  }
  throw input_error(joined("--", option, " is ", text, ", which is not one to three numbers"),
                    joined("write ", example));
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
  for (const found_launch& candidate : launches) {
    if (candidate.linkage != kernel.linkage) continue;
    if (!has_block(asked, kernel)) {
      // One whose block is not known says the arguments and the dynamic bytes, if no other does.
      if (!candidate.block || (stated != nullptr && !stated->block)) {
        if (stated == nullptr || candidate.block) stated = &candidate;
        continue;
      }
      if (stated != nullptr && candidate.is_passed_over != stated->is_passed_over) {
        if (stated->is_passed_over) stated = &candidate;
        continue;
      }
      const bool is_of_block = stated != nullptr && candidate.block == stated->block;
      if (stated == nullptr || (is_of_block && !stated->grid && candidate.grid))
        stated = &candidate;
    } else {
      const std::array<unsigned, 3> block_sizes = {static_cast<unsigned>(block.x),
                                                   static_cast<unsigned>(block.y),
                                                   static_cast<unsigned>(block.z)};
      if (stated == nullptr || (stated->block != block_sizes && candidate.block == block_sizes))
        stated = &candidate;
    }
  }
  return stated;
}

// 0 where the host code does not say how many threads there are.
bm::block_dim known_axes_of_block(const kernel_code& kernel,
                                  const std::vector<found_launch>& launches) {
  for (const found_launch& candidate : launches)
    if (candidate.linkage == kernel.linkage)
      return {static_cast<int>(candidate.known_axes[0]), static_cast<int>(candidate.known_axes[1]),
              static_cast<int>(candidate.known_axes[2])};
  return {0, 0, 0};
}

// Why neither an option nor a launch in the file says the block.
std::string reason_without_block(const question& asked, const kernel_code& kernel,
                                 const std::vector<found_launch>& launches) {
  for (const found_launch& candidate : launches) {
    if (candidate.linkage != kernel.linkage) continue;
    const std::string& cause = candidate.block_depends_on;
    return joined("the launch at ", std::filesystem::path(candidate.file).filename().string(), ":",
                  candidate.line,
                  cause.empty() ? " has a block that the host code does not say"
                                : joined(" depends on ", cause));
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
  const auto minimum = integer_bits(first, 8), maximum = integer_bits(last, 8);
  const bool are_digits = !first.empty() && !last.empty() && first[0] != '-' && last[0] != '-';
  if (!minimum || !maximum || !are_digits || *minimum > *maximum || *maximum > most_of_ranges)
    throw input_error(
        joined("--arg is ", option, ", which is not a range within 0..", most_of_ranges),
        "write --arg n=1..4096");
  if (parameter.is_pointer || parameter.holds == value_kind::floating ||
      !argument_bits(parameter, last))
    throw input_error(
        joined("--arg is ", option, ", which is no range of ",
               parameter.type.empty() ? joined(parameter.bytes, " bytes") : parameter.type),
        "give a range of an integer, of values of its type");
  return {static_cast<long long>(*minimum), static_cast<long long>(*maximum)};
}

// Returns the numbers of the parameters that have a value.
std::set<std::size_t> add_arguments(const question& asked, const kernel_code& kernel,
                                    launch& options) {
  std::set<std::size_t> result;
  for (const std::string& argument : asked.arguments) {
    const std::size_t equals = std::min(argument.find('='), argument.size());
    const std::string name = argument.substr(0, equals),
                      text = argument.substr(std::min(equals + 1, argument.size()));
    const auto number = parameter_number(kernel, name);
    const code_parameter parameter =
        number ? kernel.parameters[*number] : code_parameter{name, "", 0, 8};
    if (text.find("..") != text.npos) {
      const std::pair<long long, long long> range = range_in(argument, text, parameter);
      if (options.arguments.count(name) != 0 || !options.ranges.emplace(name, range).second ||
          (number && !result.insert(*number).second))
        throw input_error(joined("--arg ", argument, " is the second value of this argument"),
                          "give one");
      continue;
    }
    const std::optional<std::uint64_t> bits = argument_bits(parameter, text);
    if (name.empty() || text.empty() ||
        (!bits && !integer_bits(text, 8) && !floating_bits(text, 8)))
      throw input_error(joined("--arg is ", argument, ", which is not a name with a number"),
                        "write --arg n=1024");
    if (!bits)
      throw input_error(
          joined("--arg is ", argument, ", which is no value of ",
                 parameter.type.empty() ? joined(parameter.bytes, " bytes") : parameter.type),
          has_sign(parameter) ? joined("give ", std::to_string(-1 - most_signed(parameter.bytes)),
                                       " to ", std::to_string(most_signed(parameter.bytes)))
          : parameter.bytes <= 8 ? "give a value of its type"
                                 : "give its members, as p2+8, to the PTX of the kernel");
    if (!options.arguments.emplace(name, *bits).second ||
        (number && !result.insert(*number).second))
      throw input_error(joined("--arg ", argument, " is the second value of this argument"),
                        "give one");
  }
  return result;
}

// "const float", of the pointer or array that --data names; empty if it is not known.
std::string element_type(const kernel_code& kernel, const std::string& name) {
  for (const code_array& array : kernel.globals)
    if (array.name == name) return array.element_type;
  const auto number = parameter_number(kernel, name);
  const std::string type = number ? kernel.parameters[*number].type : "";
  const std::size_t star = type.find_first_of("*&");
  const std::size_t end = star == type.npos || star == 0 ? 0 : type.find_last_not_of(' ', star - 1);
  return star == type.npos || type.find_first_of("*&", star + 1) != type.npos
             ? ""
             : type.substr(0, end + 1);
}

void add_data(const question& asked, const kernel_code& kernel, launch& options) {
  for (const std::string& argument : asked.data) {
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos || equals == 0)
      throw input_error(joined("--data is ", argument, ", which is not a name with a file"),
                        "write --data indices=indices.npy");
    const std::string name = argument.substr(0, equals), file = argument.substr(equals + 1);
    file_data data = data_of(file);
    require_elements(data, element_type(kernel, name), name, file);
    if (!options.data.emplace(name, launch::contents{file, std::move(data.bytes)}).second)
      throw input_error(joined("--data gives ", name, " twice"), "leave one of them out");
  }
}

// 12, or 0..12
std::optional<iterations> iterations_of(std::string_view text) {
  const std::size_t dots = std::min(text.find(".."), text.size());
  const auto minimum = integer_bits(text.substr(0, dots), 4);
  const auto maximum = dots == text.size() ? minimum : integer_bits(text.substr(dots + 2), 4);
  if (!minimum || !maximum || *minimum > *maximum || *maximum > most_int) return std::nullopt;
  return iterations{*minimum, *maximum};
}

void add_assumed(const question& asked, launch& options) {
  for (const std::string& argument : asked.assumed) {
    const std::size_t equals = std::min(argument.find('='), argument.size());
    const std::string outcome = argument.substr(std::min(equals + 1, argument.size()));
    const auto line = integer_bits(argument.substr(0, equals), 8);
    const bool is_branch = outcome == "taken" || outcome == "not-taken";
    const std::optional<iterations> goes_on = is_branch ? std::nullopt : iterations_of(outcome);
    if (!line || *line < 1 || *line > most_int || !(is_branch || goes_on))
      throw input_error(joined("--assume is ", argument,
                               ", which is not a line with taken, not-taken, or "
                               "how often a loop goes on"),
                        "write --assume 17=taken, --assume 17=4, or --assume 17=0..4");
    if (!options.assumed.emplace(static_cast<int>(*line), assumption{outcome == "taken", goes_on})
             .second)
      throw input_error(joined("--assume ", argument, " is the second for this line"), "give one");
  }
}

// "; other numbers in line 17": the other launches that the program comes to.
std::string other_launches(const found_launch& stated, const std::vector<found_launch>& launches) {
  std::set<int> lines;
  for (const found_launch& candidate : launches)
    if (candidate.linkage == stated.linkage && !candidate.is_passed_over &&
        candidate.line != stated.line &&
        (candidate.block != stated.block || candidate.grid != stated.grid ||
         candidate.dynamic_shared_bytes != stated.dynamic_shared_bytes ||
         candidate.cluster != stated.cluster || candidate.arguments != stated.arguments ||
         candidate.fields != stated.fields))
      lines.insert(candidate.line);
  std::string result;
  for (const int line : lines)
    result += joined(result.empty() ? "; other numbers in line " : ", ", line);
  return result;
}

// Takes what is not given from a launch of the file, and says so in a note.
// `given_arguments`: the numbers of the arguments that are given.
std::string add_stated(const question& asked, const kernel_code& kernel, const found_launch& stated,
                       const std::set<std::size_t>& given_arguments, launch& options) {
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
  std::string list;
  const auto take = [&](const std::string& item) { list += (list.empty() ? ": " : ", ") + item; };
  const bool takes_block = stated.block && !has_block(asked, kernel);
  bool is_its_block = asked.block.empty();
  if (stated.block) {
    const auto& block = *stated.block;
    const bm::block_dim stated_block = {static_cast<int>(block[0]), static_cast<int>(block[1]),
                                        static_cast<int>(block[2])};
    if (takes_block) options.block = stated_block;
    is_its_block = options.block.x == stated_block.x && options.block.y == stated_block.y &&
                   options.block.z == stated_block.z;
  }
  if (asked.grid.empty() && stated.grid && is_its_block) {
    options.grid = {(*stated.grid)[0], (*stated.grid)[1], (*stated.grid)[2]};
    take(joined("grid ", dimensions_text(*stated.grid)));
  }
  if (stated.cluster && asked.cluster.empty() && stated.cluster != std::array{1u, 1u, 1u})
    take(joined("clusters of ", dimensions_text(*stated.cluster), " blocks"));
  if (options.dynamic_shared_bytes == 0 && stated.dynamic_shared_bytes.value_or(0) > 0) {
    options.dynamic_shared_bytes = *stated.dynamic_shared_bytes;
    take(joined(options.dynamic_shared_bytes, " dynamic bytes"));
  }
  for (std::size_t index = 0; index < stated.arguments.size() && index < kernel.parameters.size();
       ++index) {
    const code_parameter& parameter = kernel.parameters[index];
    if (!stated.arguments[index] || given_arguments.count(index) > 0) continue;
    const std::string number = joined("p", index);
    const bool is_its_name = parameter_number(kernel, number) == index;
    options.arguments[is_its_name ? number : joined(kernel.linkage, "_param_", index)] =
        *stated.arguments[index];
    take(text_of(parameter, *stated.arguments[index]));
  }
  for (std::size_t index = 0; index < stated.fields.size() && index < kernel.parameters.size();
       ++index)
    for (const auto& [rest, bits] : stated.fields[index]) {
      const auto number = parameter_number(kernel, kernel.parameters[index].name + rest);
      if (!number || given_arguments.count(*number) > 0) continue;
      options.arguments[kernel.parameters[*number].name] = bits;
      take(text_of(kernel.parameters[*number], bits));
    }
  if (takes_block && list.empty()) take(joined("block ", dimensions_text(*stated.block)));
  if (takes_block && asked.grid.empty() && !stated.grid)
    list += joined("; its grid is not known", one_block_is_assumed);
  return list.empty() ? "" : begin + list;
}

}  // namespace

std::optional<bm::block_dim> block_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto block = sizes_of("block", text, 1, 1);
  return bm::block_dim{block[0], block[1], block[2]};
}

std::optional<bm::grid_dim> grid_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto grid = sizes_of("grid", text, 1, 1);
  return bm::grid_dim{grid[0], grid[1], grid[2]};
}

std::optional<std::array<int, 3>> cluster_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::array<int, 3> blocks = sizes_of("cluster", text, 1, 1);
  if (blocks[0] * blocks[1] * blocks[2] > most_blocks_of_cluster)
    throw input_error(
        joined("--cluster is ", text, ", more than ", most_blocks_of_cluster, " blocks"),
        "write --cluster 2x1x1");
  return blocks;
}

std::map<std::string, long long> numbers_of(const std::vector<std::string>& arguments) {
  std::map<std::string, long long> result;
  for (const std::string& argument : arguments) {
    const std::size_t equals = std::min(argument.find('='), argument.size());
    const std::string number = argument.substr(std::min(equals + 1, argument.size()));
    const auto bits = number == "true"    ? std::optional<std::uint64_t>(1)
                      : number == "false" ? std::optional<std::uint64_t>(0)
                                          : integer_bits(number, 8);
    const auto value = static_cast<long long>(bits.value_or(0));
    if (equals == 0 || !bits || (value < 0) != (argument.find('-', equals) != argument.npos))
      throw input_error(joined("--arg is ", argument, ", which is not a name with an integer"),
                        "write --arg n=1024");
    if (!result.emplace(argument.substr(0, equals), value).second)
      throw input_error(joined("--arg ", argument, " is the second value of this name"),
                        "give one");
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
      throw input_error(joined("--block is ", asked.block, ", and the code requires ", x, "x", y,
                               "x", z, " threads (.reqntid)"),
                        "leave --block out");
    result.block = {x, y, z};
  }
  if (const auto cluster = cluster_of(asked.cluster);
      cluster && kernel.required_cluster && cluster != kernel.required_cluster) {
    const auto& [x, y, z] = *kernel.required_cluster;
    throw input_error(joined("--cluster is ", asked.cluster, ", and the code requires ", x, "x", y,
                             "x", z, " blocks"),
                      "leave --cluster out");
  }
  const found_launch* const stated = stated_launch(asked, kernel, launches, result.block);
  if ((stated == nullptr || !stated->block) && !has_block(asked, kernel)) {
    result.block = known_axes_of_block(kernel, launches);
    result.unknown_block = reason_without_block(asked, kernel, launches);
  }
  if (const auto grid = grid_of(asked.grid)) result.grid = *grid;
  const std::set<std::size_t> given_arguments = add_arguments(asked, kernel, result);
  add_data(asked, kernel, result);
  if (stated != nullptr) {
    std::string text = add_stated(asked, kernel, *stated, given_arguments, result);
    if (!text.empty()) text += other_launches(*stated, launches);
    if (note != nullptr) *note = text;
  }
  result.is_grid_known = !asked.grid.empty() || (stated != nullptr && stated->grid);
  if (!asked.grid_index.empty()) {
    const auto position = sizes_of("at", asked.grid_index, 0, 0);
    result.grid_index = {position[0], position[1], position[2]};
  }
  if (result.grid_index.x >= result.grid.x || result.grid_index.y >= result.grid.y ||
      result.grid_index.z >= result.grid.z)
    throw input_error(joined("--at ", asked.grid_index, " is not a block of the grid"),
                      "raise --grid");
  add_assumed(asked, result);
  return result;
}

}  // namespace compiled
