// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

// In a file of its own: the explorer's C++ library has no numbers with a point.
namespace compiled {

// The bits of an integer that fits into `bytes` bytes, signed or unsigned: "-1" and "0xff" in one
// byte are 255. Nothing if the text is no such number, or one that does not fit.
std::optional<std::uint64_t> integer_bits(std::string_view text, int bytes);

}  // namespace compiled
