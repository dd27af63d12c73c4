// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_BITS_AS_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_BITS_AS_HPP

namespace command_line {

// std::bit_cast, which the library of emscripten on Debian 12 has not.
template <class To, class From>
constexpr To bits_as(const From& of) {
  return __builtin_bit_cast(To, of);
}

}  // namespace command_line

#endif
