// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_ITERATION_LIMIT_HPP
#define BANKMODEL_COUNT_DETAIL_ITERATION_LIMIT_HPP

#include <bankmodel/core/error.hpp>

// The number of iterations and bases that counting enumerates at most.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void iterations_must_be_few_enough_to_count(long long limit) {
  detail::fail(__func__,
               "counting would enumerate more than % iterations of all warps; shorten the loops "
               "that the subscripts depend on",
               limit);
}
}  // namespace rule

// The most iterations that one total() enumerates at run time (total.hpp says which loops are
// enumerated). More is an error before the enumeration begins.
constexpr long long most_iterations = 1ll << 22;

// The same in a constant expression, as steps of the compiler, so that this rule is reported and
// not the compiler's own limit (1 048 576 in clang): some hundred iterations if each lane is
// evaluated, thousands if not.
constexpr long long most_steps_in_a_constant_expression = 800'000;

}  // namespace bankmodel

#endif
