// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "counts.hpp"

// A plan as lines to paste into the kernel.
namespace command_line {

// `__shared__ float tile[32][33];` for each array; one buffer with a reference for each array
// if their bases matter or the block has to opt in, with the calls that do that or switch
// Kepler's banks.
std::vector<std::string> declarations(const kernel_file& kernel, const bm::machine& m,
                                      const kernel_plan& plan);

// True if the arrays are best as declared.
bool changes_nothing(const bm::machine& m, const kernel_plan& plan);

// `partial[x] -> partial[x + x / 32]`, `tile[y][x] -> tile[y][x ^ y]` for each array whose
// index changes; with padding alone most do not.
std::vector<std::string> changed_indices(const kernel_plan& plan);

// "row_major", "padded", "xor_swizzle", "rotation", "triangular", "modular", "linear".
std::string family_name(const bm::layout& array_layout);

}  // namespace command_line
