// SPDX-License-Identifier: MIT
#include "argument_text.hpp"

#include <array>
#include <bit>
#include <charconv>

#include "../../source.hpp"

namespace compiled {

using command_line::joined;

std::string text_of(const code_parameter& parameter, std::uint64_t bits) {
  std::array<char, 32> value = {};
  char* const first = value.data();
  char* const last = first + value.size();
  if (parameter.holds == value_kind::floating && parameter.bytes == 4)
    std::to_chars(first, last, std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  else if (parameter.holds == value_kind::floating && parameter.bytes == 8)
    std::to_chars(first, last, std::bit_cast<double>(bits));
  else
    std::to_chars(first, last, static_cast<long long>(bits));
  return joined(parameter.name, "=", first);
}

}  // namespace compiled
