// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "code/code.hpp"
#include "integer_bits.hpp"

namespace compiled {

// Each returns nothing if the text is no such number, or one that does not fit.

// The bits of a float (4 bytes) or a double (8).
std::optional<std::uint64_t> floating_bits(std::string_view text, int bytes);
// The bits of an argument's value. Where its kind is not known, integers are meant unless there is
// a point or an exponent.
std::optional<std::uint64_t> argument_bits(const code_parameter& parameter, std::string_view text);

// True for the types of C++ that have a sign; those of PTX do not say it.
bool has_sign(const code_parameter& parameter);
// 2147483647 for 4 bytes.
std::int64_t most_signed(int bytes);

}  // namespace compiled
