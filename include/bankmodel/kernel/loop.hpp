// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_KERNEL_LOOP_HPP
#define BANKMODEL_KERNEL_LOOP_HPP

#include <bankmodel/kernel/index.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The values that loops run over, and how an expression stores its loops and filters.
namespace bankmodel {

// The kinds of loops, and the filter of if_threads().
enum class wrapper_kind : unsigned char { range, powers, powers_up, powers_down, values, filter };

// A loop over `variable`, or a filter; its programs are slices of the expression's nodes:
//
//   range    first, last, step
//   powers   first, last, factor
//   values   first: one node, a constant, for each value
//   filter   first: the condition
struct wrapper {
  wrapper_kind kind = wrapper_kind::filter;
  bankmodel::variable variable = bankmodel::variable::loop_0;
  slice first, last, step;
};

// One loop's current iteration: its index from 0, and the loop variable's value in the lowest
// active lane.
struct loop_position {
  bankmodel::variable variable;
  long long trip, value;
};

// The values that a loop runs over; made by range(), powers() and values().
template <int Nodes>
struct loop_range {
  wrapper bounds;
  node nodes[Nodes];
};

namespace rule {
[[noreturn]] BANKMODEL_FN void step_must_not_be_zero() {
  detail::fail(__func__,
               "the step of a range() is 0, so the loop would not end; use a step of 1 or more, "
               "or -1 or less");
}
[[noreturn]] BANKMODEL_FN void factor_must_be_two_or_more(long long factor) {
  detail::fail(__func__, "the factor of powers() is %, so the loop would not end; use 2 or more",
               factor);
}
}  // namespace rule

namespace detail {

template <int A, int B, int C>
BANKMODEL_FN auto three_programs(wrapper_kind kind, const index_expression<A>& a,
                                 const index_expression<B>& b, const index_expression<C>& c) {
  loop_range<A + B + C> result{};
  result.bounds = {kind, variable::loop_0, {0, A}, {A, B}, {A + B, C}};
  copy_nodes(result.nodes, a.nodes, A);
  copy_nodes(result.nodes + A, b.nodes, B);
  copy_nodes(result.nodes + A + B, c.nodes, C);
  return result;
}

template <int Nodes>
BANKMODEL_FN bool is_constant_below(const index_expression<Nodes>& index, long long limit) {
  return Nodes == 1 && index.nodes[0].op == operation::constant && index.nodes[0].value < limit;
}

}  // namespace detail

// Returns the values of `for (v = first; v < last; v += step)`, or with a negative step of
// `for (v = first; v > last; v += step)`. Bounds and step may depend on outer loop variables
// and on the thread. Then the lanes run in lockstep, and a lane that has finished is inactive.
// Error: the step is 0 (checked in total() if it is not a constant).
// Example: 0, 8, 16, 24; and 31, 30, .. 0:
//
//   constexpr auto a = shared_array<float>("a", 32);
//   constexpr block_dim warp{32};
//   constexpr auto up = for_loop(j, range(0, 32, 8), a[j + 0 * tx]);
//   constexpr auto down = for_loop(j, range(31, -1, -1), a[j + 0 * tx]);
//   static_assert(total(nvidia::sm_90, warp, up).requests == 4);
//   static_assert(total(nvidia::sm_90, warp, down).requests == 32);
template <detail::index_or_number First, detail::index_or_number Last,
          detail::index_or_number Step = int>
BANKMODEL_FN auto range(const First& first, const Last& last, const Step& step = 1) {
  const auto step_program = detail::as_index(step);
  if (detail::is_constant_below(step_program, 1) && !detail::is_constant_below(step_program, 0))
    rule::step_must_not_be_zero();
  return detail::three_programs(wrapper_kind::range, detail::as_index(first),
                                detail::as_index(last), step_program);
}

// Returns the values of `for (v = first; v < last; v *= factor)` if first <= last, or of
// `for (v = first; v > last; v /= factor)` if first > last.
// Error: the factor is below 2; with bounds that are not both constants, the first value is
// above the last one in total(): use powers_up() or powers_down(), which fix the direction. The
// further errors of these two.
// Example: 1, 2, 4, .. 128; and 128, 64, .. 1:
//
//   constexpr auto a = shared_array<float>("a", 256);
//   constexpr block_dim warp{32};
//   constexpr auto up = for_loop(j, powers(1, 256, 2), a[j + 0 * tx]);
//   constexpr auto down = for_loop(j, powers(128, 0, 2), a[j + 0 * tx]);
//   static_assert(total(nvidia::sm_90, warp, up).requests == 8);
//   static_assert(total(nvidia::sm_90, warp, down).requests == 8);
template <detail::index_or_number First, detail::index_or_number Last,
          detail::index_or_number Factor>
BANKMODEL_FN auto powers(const First& first, const Last& last, const Factor& factor) {
  const auto factor_program = detail::as_index(factor);
  if (detail::is_constant_below(factor_program, 2))
    rule::factor_must_be_two_or_more(factor_program.nodes[0].value);
  auto kind = wrapper_kind::powers;
  if constexpr (detail::number<First> && detail::number<Last>)
    kind = detail::as_index(first).nodes[0].value > detail::as_index(last).nodes[0].value
               ? wrapper_kind::powers_down
               : wrapper_kind::powers_up;
  return detail::three_programs(kind, detail::as_index(first), detail::as_index(last),
                                factor_program);
}

// Returns the values of `for (v = first; v < last; v *= factor)`, for any bounds.
// Error: the factor is below 2; the loop is entered with a first value below 1.
// Example: 1, 2, 4 in thread 5:
//
//   constexpr auto a = shared_array<float>("a", 32);
//   constexpr auto thread_5 = if_threads(tx == 5, for_loop(j, powers_up(1, tx, 2), a[j]));
//   static_assert(total(nvidia::sm_90, block_dim{32}, thread_5).requests == 3);
template <detail::index_or_number First, detail::index_or_number Last,
          detail::index_or_number Factor>
BANKMODEL_FN auto powers_up(const First& first, const Last& last, const Factor& factor) {
  auto result = powers(first, last, factor);
  result.bounds.kind = wrapper_kind::powers_up;
  return result;
}

// Returns the values of `for (v = first; v > last; v /= factor)`, for any bounds.
// Error: the factor is below 2; `last` is below 0.
// Example: 5, 2, 1 in thread 5:
//
//   constexpr auto a = shared_array<float>("a", 32);
//   constexpr auto thread_5 = if_threads(tx == 5, for_loop(j, powers_down(tx, 0, 2), a[j]));
//   static_assert(total(nvidia::sm_90, block_dim{32}, thread_5).requests == 3);
template <detail::index_or_number First, detail::index_or_number Last,
          detail::index_or_number Factor>
BANKMODEL_FN auto powers_down(const First& first, const Last& last, const Factor& factor) {
  auto result = powers(first, last, factor);
  result.bounds.kind = wrapper_kind::powers_down;
  return result;
}

// Returns a list of values that a loop takes in this order: values(1, 3, 9).
template <detail::number... Numbers>
  requires(sizeof...(Numbers) > 0)
BANKMODEL_FN auto values(Numbers... numbers) {
  constexpr int count = static_cast<int>(sizeof...(numbers));
  return loop_range<count>{{wrapper_kind::values, variable::loop_0, {0, count}, {}, {}},
                           {detail::as_index(numbers).nodes[0]...}};
}

}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
