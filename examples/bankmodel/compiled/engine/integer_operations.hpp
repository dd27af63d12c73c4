// SPDX-License-Identifier: MIT
#pragma once

#include "values.hpp"

// Integer operations on the lanes of a warp.
namespace compiled {

// Writes the result of `code` on integers of `bits` bits to `results`, in the lanes of `active`. It
// evaluates every operation from `move` to `less_equal_unsigned`. `operands` that the operation
// does not have are not read. Returns the lanes whose result is undefined although the operands are
// known: divisions by 0.
std::uint64_t compute_integers(const instruction& code, const lane_values* operands,
                               std::uint64_t active, std::uint64_t* results);

// Of the lanes in `unknown`, in which an operand is unknown, those whose result is known all the
// same: x & 0, x | ~0, x * 0. Their results are written.
std::uint64_t compute_absorbed(const instruction& code, const lane_values* operands,
                               std::uint64_t unknown, std::uint64_t* results);

}  // namespace compiled
