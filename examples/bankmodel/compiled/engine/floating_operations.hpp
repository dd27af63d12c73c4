// SPDX-License-Identifier: MIT
#pragma once

#include "values.hpp"

// IEEE arithmetic on the lanes of a warp, rounded to nearest, in 32 and 64 bits. Indices are
// sometimes computed with it.
namespace compiled {

// Writes the results to `results`, in the lanes of `active`. Returns the lanes whose result is not
// known: those of 16 bits, conversions of what does not fit, and numbers near 0 if the instruction
// replaces these by 0.
std::uint64_t compute_floating(const instruction& code, const lane_values* operands,
                               std::uint64_t active, std::uint64_t* results);

}  // namespace compiled
