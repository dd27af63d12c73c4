// SPDX-License-Identifier: MIT
#include "launch_arguments.hpp"

#include <array>
#include <bit>
#include <charconv>

#include "data_file.hpp"

namespace compiled {

using command_line::joined;
using command_line::refusal;

namespace {

bool reads(std::string_view text, long long& to) {
  const bool is_negative = !text.empty() && text[0] == '-';
  const std::string_view digits = text.substr(is_negative ? 1 : 0);
  const bool is_hex = digits.substr(0, 2) == "0x";
  const std::string_view number = digits.substr(is_hex ? 2 : 0);
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), value, is_hex ? 16 : 10);
  if (error != std::errc() || end != number.data() + number.size()) return false;
  to = static_cast<long long>(is_negative ? 0 - value : value);
  return true;
}

// "32x8" as {32, 8, missing}.
std::array<int, 3> sizes_of(const std::string& option, const std::string& text, int least,
                            int missing) {
  std::array<int, 3> result = {missing, missing, missing};
  std::size_t begin = 0;
  for (int& each : result) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    long long value = 0;
    if (!reads(text.substr(begin, end - begin), value) || value < least || value > 0x7fffffff)
      break;
    each = static_cast<int>(value);
    if (end == text.size()) return result;
    begin = end + 1;
  }
  throw refusal{{},
                joined("--", option, " is ", text, ", which is not one to three numbers"),
                joined("write --", option, " 32x8")};
}

std::string text_of(const std::array<unsigned, 3>& size) {
  std::string result = std::to_string(size[0]);
  if (size[1] > 1 || size[2] > 1) result += joined("x", size[1]);
  return size[2] > 1 ? joined(result, "x", size[2]) : result;
}

// The launch in the file whose numbers are taken where none are given; null if there is none.
const found_launch* stated_launch(const question& asked, const kernel_code& kernel,
                                  const std::vector<found_launch>& launches,
                                  const bm::block_dim& block) {
  const found_launch* stated = nullptr;
  for (const found_launch& one : launches) {
    if (one.linkage != kernel.linkage) continue;
    if (asked.block.empty()) {
      if (!one.block) continue;
      if (stated != nullptr && one.is_passed_over != stated->is_passed_over) {
        if (stated->is_passed_over) stated = &one;
        continue;
      }
      if (stated != nullptr && one.block != stated->block)
        throw refusal{{},
                      joined("the file launches ", kernel.name, " with blocks of ",
                             text_of(*stated->block), " (line ", stated->line, ") and of ",
                             text_of(*one.block), " threads (line ", one.line, ")"),
                      joined("choose, --block ", text_of(*stated->block))};
      if (stated == nullptr || (!stated->grid && one.grid)) stated = &one;
    } else {
      const std::array<unsigned, 3> given = {static_cast<unsigned>(block.x),
                                             static_cast<unsigned>(block.y),
                                             static_cast<unsigned>(block.z)};
      if (stated == nullptr || (stated->block != given && one.block == given)) stated = &one;
    }
  }
  return stated;
}

// n=1024, scale=0.5
std::string text_of(const code_parameter& parameter, std::uint64_t bits) {
  std::string value = std::to_string(static_cast<long long>(bits));
  if (parameter.type == "float")
    value = joined(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  else if (parameter.type == "double")
    value = joined(std::bit_cast<double>(bits));
  return joined(parameter.name, "=", value);
}

// Takes what is not given from a launch of the file, and says so in a note.
std::string add_stated(const question& asked, const kernel_code& kernel, const found_launch& stated,
                       launch& to) {
  const std::string begin =
      joined("launched as in line ", stated.line,
             stated.is_passed_over ? ", where the program does not come" : "");
  std::string taken;
  const auto take = [&](const std::string& what) { taken += (taken.empty() ? ": " : ", ") + what; };
  bool is_its_block = asked.block.empty();
  if (stated.block) {
    const auto& block = *stated.block;
    const bm::block_dim its = {static_cast<int>(block[0]), static_cast<int>(block[1]),
                               static_cast<int>(block[2])};
    if (is_its_block) to.block = its;
    is_its_block = to.block.x == its.x && to.block.y == its.y && to.block.z == its.z;
  }
  if (asked.grid.empty() && stated.grid && is_its_block) {
    to.grid = {(*stated.grid)[0], (*stated.grid)[1], (*stated.grid)[2]};
    take(joined("grid ", text_of(*stated.grid)));
  }
  if (to.dynamic_shared_bytes == 0 && stated.dynamic_shared_bytes.value_or(0) > 0) {
    to.dynamic_shared_bytes = *stated.dynamic_shared_bytes;
    take(joined(to.dynamic_shared_bytes, " dynamic bytes"));
  }
  for (std::size_t at = 0; at < stated.arguments.size() && at < kernel.parameters.size(); ++at) {
    const code_parameter& one = kernel.parameters[at];
    const std::string number = joined("p", at);
    if (!stated.arguments[at] || to.arguments.count(one.name) + to.arguments.count(number) > 0)
      continue;
    to.arguments[number] = *stated.arguments[at];
    take(text_of(one, *stated.arguments[at]));
  }
  return taken.empty() ? "" : begin + taken;
}

}  // namespace

launch launch_of(const question& asked, const kernel_code& kernel,
                 const std::vector<found_launch>& launches, std::string* note) {
  launch result;
  result.dynamic_shared_bytes = asked.dynamic_shared_bytes;
  result.bounds = asked.bounds;
  if (!asked.block.empty()) {
    const auto block = sizes_of("block", asked.block, 1, 1);
    result.block = {block[0], block[1], block[2]};
  }
  if (kernel.required_block) {
    const auto& [x, y, z] = *kernel.required_block;
    if (!asked.block.empty() && (result.block.x != x || result.block.y != y || result.block.z != z))
      throw refusal{{},
                    joined("--block is ", asked.block, ", and the code requires ", x, "x", y, "x",
                           z, " threads (.reqntid)"),
                    "leave --block out"};
    result.block = {x, y, z};
  }
  const found_launch* const stated = stated_launch(asked, kernel, launches, result.block);
  if (stated == nullptr && asked.block.empty() && !kernel.required_block)
    throw refusal{{}, "the threads of a block are not known", "give --block 32x8"};
  if (!asked.grid.empty()) {
    const auto grid = sizes_of("grid", asked.grid, 1, 1);
    result.grid = {grid[0], grid[1], grid[2]};
  }
  for (const std::string& one : asked.arguments) {
    const std::size_t equals = one.find('=');
    long long value = 0;
    if (equals == std::string::npos || equals == 0 || !reads(one.substr(equals + 1), value))
      throw refusal{{},
                    joined("--arg is ", one, ", which is not a name with an integer"),
                    "write --arg n=1024"};
    result.arguments[one.substr(0, equals)] = static_cast<std::uint64_t>(value);
  }
  for (const std::string& one : asked.data) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos || equals == 0)
      throw refusal{{},
                    joined("--data is ", one, ", which is not a name with a file"),
                    "write --data indices=indices.npy"};
    const std::string name = one.substr(0, equals), file = one.substr(equals + 1);
    if (!result.data.emplace(name, launch::contents{file, data_of(file)}).second)
      throw refusal{{}, joined("--data gives ", name, " twice"), "leave one of them out"};
  }
  if (stated != nullptr) {
    const std::string text = add_stated(asked, kernel, *stated, result);
    if (note != nullptr) *note = text;
  }
  if (!asked.at.empty()) {
    const auto at = sizes_of("at", asked.at, 0, 0);
    result.at = {at[0], at[1], at[2]};
  }
  if (result.at.x >= result.grid.x || result.at.y >= result.grid.y || result.at.z >= result.grid.z)
    throw refusal{{}, joined("--at ", asked.at, " is not a block of the grid"), "raise --grid"};
  for (const std::string& one : asked.assumed) {
    const std::size_t equals = std::min(one.find('='), one.size());
    const std::string how = one.substr(std::min(equals + 1, one.size()));
    long long line = 0;
    if (!reads(one.substr(0, equals), line) || line < 1 || (how != "taken" && how != "not-taken"))
      throw refusal{{},
                    joined("--assume is ", one, ", which is not a line with taken or not-taken"),
                    "write --assume 17=taken"};
    result.assumed[static_cast<int>(line)] = how == "taken";
  }
  return result;
}

}  // namespace compiled
