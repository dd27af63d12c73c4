// SPDX-License-Identifier: MIT
#include "launch_arguments.hpp"

#include <array>
#include <charconv>

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

const std::string& last(const std::vector<std::string>& given) { return given.back(); }

}  // namespace

launch launch_of(const question& asked) {
  launch result;
  if (asked.block.empty())
    throw refusal{{}, "the threads of a block are not known", "give --block 32x8"};
  const auto block = sizes_of("block", last(asked.block), 1, 1);
  result.block = {block[0], block[1], block[2]};
  if (!asked.grid.empty()) {
    const auto grid = sizes_of("grid", last(asked.grid), 1, 1);
    result.grid = {grid[0], grid[1], grid[2]};
  }
  if (!asked.at.empty()) {
    const auto at = sizes_of("at", last(asked.at), 0, 0);
    result.at = {at[0], at[1], at[2]};
  }
  if (result.at.x >= result.grid.x || result.at.y >= result.grid.y || result.at.z >= result.grid.z)
    throw refusal{
        {}, joined("--at ", last(asked.at), " is not a block of the grid"), "raise --grid"};
  result.dynamic_shared_bytes = asked.dynamic_shared_bytes;
  for (const std::string& one : asked.arguments) {
    const std::size_t equals = one.find('=');
    long long value = 0;
    if (equals == std::string::npos || equals == 0 || !reads(one.substr(equals + 1), value))
      throw refusal{{},
                    joined("--arg is ", one, ", which is not a name with an integer"),
                    "write --arg n=1024"};
    result.arguments[one.substr(0, equals)] = static_cast<std::uint64_t>(value);
  }
  for (const std::string& one : asked.assumed) {
    const std::size_t equals = std::min(one.find('='), one.size());
    const std::string how = one.substr(std::min(equals + 1, one.size()));
    long long line = 0;
    if (!reads(one.substr(0, equals), line) || line < 1 || (how != "taken" && how != "skipped"))
      throw refusal{{},
                    joined("--assume is ", one, ", which is not a line with taken or skipped"),
                    "write --assume 17=taken"};
    result.assumed[static_cast<int>(line)] = how == "taken";
  }
  return result;
}

}  // namespace compiled
