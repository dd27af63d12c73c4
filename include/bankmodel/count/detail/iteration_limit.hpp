// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_ITERATION_LIMIT_HPP
#define BANKMODEL_COUNT_DETAIL_ITERATION_LIMIT_HPP

#include <bankmodel/core/error.hpp>

// The most work that counting does, in iterations, bases and steps.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void iterations_must_be_few_enough_to_count(long long limit) {
  detail::fail(__func__,
               "counting would take more than % iterations or steps; shorten the loops that the "
               "subscripts and conditions depend on",
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

// The most work of the total() of one access, whatever it is spent on, in steps of clang. At run
// time a step takes 0.1 to 0.9 nanoseconds in a program with -O2, so that this is less than a
// second. g++ and nvcc allow four times as many as clang in a constant expression.
BANKMODEL_FN long long most_work() {
#if defined(__clang__)
  return __builtin_is_constant_evaluated() ? 850'000 : 1'500'000'000;
#else
  return __builtin_is_constant_evaluated() ? 3'400'000 : 1'500'000'000;
#endif
}

}  // namespace bankmodel

#endif
