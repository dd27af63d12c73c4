// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "code.hpp"

namespace compiled {

// Instructions of warps that a compiler can neither leave out nor do with others, so that each is
// issued. Integers are none of them: one instruction may do several, and lanes may share them; nor
// are barriers, which a block of one warp may do without.
struct instruction_counts {
  std::uint64_t floats = 0, doubles = 0;  // that add or multiply numbers of 32 and of 64 bits
  std::uint64_t special_functions = 0;    // of floats: 2^x, logarithms, sine, cosine, ..
  std::uint64_t matrices = 0;             // that multiply matrices
  // Of these: multiply-adds, each times the bits of a number of the first matrix.
  std::uint64_t matrix_bits = 0;

  bool operator==(const instruction_counts&) const = default;
  void add(const instruction_counts& other, std::uint64_t times);
};

// Returns the fewest instructions in an execution of the block: each product is fused with a sum,
// if there is one, and what lanes are chosen for is passed over.
// Example: a sum, two products and __expf() are 2 floats and 1 special function.
instruction_counts fewest_instructions(const code_block& block);

// By block of code: code_block::read_instructions, and 0 of those from which on nothing is accessed
// or waited for, since lanes may come to these together or one after another.
std::vector<std::uint64_t> counted_instructions(const kernel_code& kernel);

}  // namespace compiled
