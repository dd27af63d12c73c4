// SPDX-License-Identifier: MIT
// Calls that are no constant expressions, each beside the same call put right, which is one: what a
// program that must not compile says, without a compilation for each. `errors/cases/` has the few
// whose diagnostics matter.
//
//   refused("step_must_not_be_zero", [] { (void)bm::range(0, 32, 0); }, [] { return bm::range(0,
//   32, 8).step == 8; })
//
// What it returns is for run time: refused.cpp makes each wrong call again and looks at the rule
// that it breaks, since a compiler says only that a call is no constant.
#ifndef BANKMODEL_TESTS_STATIC_REFUSED_HPP
#define BANKMODEL_TESTS_STATIC_REFUSED_HPP

#include <type_traits>

template <class Call>
concept constant = requires { typename std::bool_constant<(static_cast<void>(Call{}()), true)>; };

template <class Call>
concept constant_and_true = constant<Call> && std::bool_constant<Call{}()>::value;

struct refusal {
  const char* rule = nullptr;
  void (*wrong)() = nullptr;
};

template <class Wrong, class Right>
constexpr refusal refused(const char* rule, Wrong wrong, Right) {
  static_assert(!constant<Wrong>, "the wrong call is a constant expression: nothing refuses it");
  static_assert(constant<Right>, "the right call is no constant expression: something refuses it");
  static_assert(constant_and_true<Right>, "the right call has another value");
  return {rule, wrong};
}

// The same where only a compiler refuses it: its limit of work is lower than the one at run time.
template <class Wrong, class Right>
constexpr refusal refused_by_compilers(const char* rule, Wrong wrong, Right right) {
  return {refused(rule, wrong, right).rule, nullptr};
}

// The refusals of one file, ended by one without a rule.
extern const refusal refusals_of_model[], refusals_of_machines[], refusals_of_layouts[],
    refusals_of_interop[], refusals_of_kernels[], refusals_of_totals[], refusals_of_searches[];

#endif
