// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_AS_IN_C_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_AS_IN_C_HPP

#include <bankmodel/kernel/kernel.hpp>

#include "program.hpp"

// The library computes with integers of 64 bits, C with int and unsigned. If the results may
// differ, an expression is an error.
namespace command_line {

// Checks `left symbol right`. Errors are: comparisons, min, max and >> of unsigned values of
// which one may be below 0; sums, differences and products that may exceed 32 bits, as far as
// threads and constants show (loop variables and blocks are unknown). `loops`: the loop
// variables that are never negative. `block`: 0 threads while it is not known.
void require_as_in_c(std::string_view symbol, const place& at, const program& left,
                     const program& right, unsigned loops, const bm::block_dim& block);

}  // namespace command_line

#endif
