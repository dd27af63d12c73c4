// SPDX-License-Identifier: MIT
#pragma once

namespace command_line {

// The bits of a value as a value of another type of the same size: std::bit_cast, which the C++
// library of emscripten on Debian 12 lacks.
template <class To, class From>
constexpr To bits_as(const From& value) {
  return __builtin_bit_cast(To, value);
}

}  // namespace command_line
