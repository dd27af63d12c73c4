// SPDX-License-Identifier: MIT
#include "argument_text.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "../../bits_as.hpp"

namespace compiled {

namespace {

// With the fewest digits that are read as the same number. std::to_chars does it, except in the
// library of emscripten.
template <class Number>
std::string shortest(Number value) {
  std::array<char, 32> text = {};
  for (int digits = 1; digits <= std::numeric_limits<Number>::max_digits10; ++digits) {
    std::snprintf(text.data(), text.size(), "%.*g", digits, static_cast<double>(value));
    const double read = std::strtod(text.data(), nullptr);
    if (static_cast<Number>(read) == value) break;
  }
  return text.data();
}

}  // namespace

std::string text_of(const code_parameter& parameter, std::uint64_t bits) {
  using command_line::bits_as;
  const bool is_real = parameter.holds == value_kind::floating;
  return joined(parameter.name, "=",
                is_real && parameter.bytes == 4
                    ? shortest(bits_as<float>(static_cast<std::uint32_t>(bits)))
                : is_real && parameter.bytes == 8 ? shortest(bits_as<double>(bits))
                                                  : std::to_string(static_cast<long long>(bits)));
}

}  // namespace compiled
