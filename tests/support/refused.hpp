// SPDX-License-Identifier: MIT
// Wrong calls, which are not constant expressions, each with the corrected call, which is one. A
// concept checks this, so that not every error needs a program that must not compile;
// `errors/cases/` has the few programs whose diagnostics matter.
//
//   refused("step_must_not_be_zero", [] { (void)bm::range(0, 32, 0); }, [] { return bm::range(0,
//   32, 8).step == 8; })
//
// A compiler does not report which rule the call breaks. So refused.cpp makes each wrong call again
// at run time and checks the rule.
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
  static_assert(!constant<Wrong>, "the wrong call is a constant expression: it breaks no rule");
  static_assert(constant<Right>, "the right call is not a constant expression: it breaks a rule");
  static_assert(constant_and_true<Right>, "the right call has another value");
  return {rule, wrong};
}

// The same for calls that are errors in constant expressions only, whose limit of work is lower.
template <class Wrong, class Right>
constexpr refusal refused_by_compilers(const char* rule, Wrong wrong, Right right) {
  return {refused(rule, wrong, right).rule, nullptr};
}

// The wrong calls of each file; the last entry has no rule.
extern const refusal refusals_of_model[], refusals_of_machines[], refusals_of_layouts[],
    refusals_of_interop[], refusals_of_kernels[], refusals_of_totals[], refusals_of_global_memory[],
    refusals_of_searches[], refusals_of_reports[];

#endif
