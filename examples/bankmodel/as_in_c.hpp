// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_AS_IN_C_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_AS_IN_C_HPP

#include <bankmodel/kernel/kernel.hpp>

#include "program.hpp"

// The library computes with whole numbers of 64 bits; C with int and unsigned. Where that may
// differ, an expression is refused.
namespace command_line {

// Of `left symbol right`: comparisons, min, max and >> of unsigned values of which one may be
// below 0; sums, differences and products that may leave 32 bits, as far as threads and constants
// say (of loop variables and blocks nothing is known). `loops`: of the loop variables, those that
// are never negative. `block`: of 0 threads while it is not known.
void require_as_in_c(std::string_view symbol, const place& at, const program& left,
                     const program& right, unsigned loops, const bm::block_dim& block);

}  // namespace command_line

#endif
