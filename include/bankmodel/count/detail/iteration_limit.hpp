// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_ITERATION_LIMIT_HPP
#define BANKMODEL_COUNT_DETAIL_ITERATION_LIMIT_HPP

#include <bankmodel/core/arithmetic.hpp>

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

namespace detail {

// The work of counting one access: iterations that are enumerated, and steps.
struct work_account {
  long long steps = 0;  // about the steps of clang that counting took
  long long most_steps = int64_max;
  long long iterations = 0, most_iterations = 0;
  bool enumerated = false;  // true if a loop was enumerated because nothing else was possible
  // If it would be more iterations or steps, the rest is left out, and `stopped` is set.
  bool may_stop = false, stopped = false;

  // Counts steps. Error: more than `most_steps` in all, unless counting may stop.
  BANKMODEL_FN void spend(long long added) {
    steps += added;
    if (steps <= most_steps) return;
    if (!may_stop) rule::iterations_must_be_few_enough_to_count(most_steps);
    stopped = true;
  }
  // Counts iterations that are enumerated, each of which takes `steps_of_one`
  // steps or more. Returns false
  // if they are to be left out. Error: more than `most_iterations` in all or too many steps, unless
  // counting may stop.
  BANKMODEL_FN bool spend_iterations(long long trips, bool no_other_way,
                                     long long steps_of_one = 1) {
    const bool too_many = trips > most_iterations - iterations,
               too_much = trips > (most_steps - steps) / steps_of_one;
    stopped = stopped || (may_stop && (too_many || too_much));
    if (stopped) return false;
    if (too_many) rule::iterations_must_be_few_enough_to_count(most_iterations);
    if (too_much) rule::iterations_must_be_few_enough_to_count(most_steps);
    iterations += trips;
    enumerated = enumerated || no_other_way;
    return true;
  }

  // True if work is counted that no iteration is enumerated for, as iterations that cost about as
  // much: for a compiler, and in a walk with limited steps, which is the same in constant
  // expressions and at run time.
  BANKMODEL_FN bool counts_steps() const { return may_stop || __builtin_is_constant_evaluated(); }
  // Counts the positions of a triangle. Each costs about one iteration for every 40
  // residues, and if it stands for several trips of the outer loop, one for every 15.
  BANKMODEL_FN void spend_positions(long long positions, long long trips, int residues) {
    spend((trips < positions ? trips : positions) * (100 + 40 * residues));
    if (!counts_steps()) return;
    if (trips <= positions)
      (void)spend_iterations(trips * (1 + residues / 40), false);
    else
      (void)spend_iterations(positions * (1 + residues / 15), false);
  }
};

}  // namespace detail

}  // namespace bankmodel

#endif
