// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_KERNEL_INDEX_HPP
#define BANKMODEL_KERNEL_INDEX_HPP

#include <bankmodel/analysis/program.hpp>

#include <bankmodel/core/hide_macros.hpp>

// Subscripts and conditions as they are written in the kernel: `ty + j`, `2 * tx + 1`,
// `c ^ (r % 8)`, `tx < i && ty != 0`.
//
// An expression is a value: a program in postfix order. `2 * tx + 1` is [2] [tx] [*] [1] [+],
// five nodes. Its type contains only the number of nodes, so an expression built at run time
// from text has the same type.
//
// Operators: + - * / % << >> & | ^ and min, max on subscripts; < <= > >= == != on subscripts,
// and && || ! on conditions. A number may be any integer of up to 64 bits.
// Error (when the expression is evaluated): the result of an operation overflows 64 bits; an
// operand of `/` or `%` is negative (int and unsigned would disagree) or the divisor is 0; a
// shift is by less than 0 or more than 62. `&&` and `||` short-circuit, as in C.
namespace bankmodel {

// A subscript: an integer that depends on the thread, the loops and the block.
template <int Nodes>
struct index_expression {
  node nodes[Nodes];
};

// A condition on subscripts, for if_threads().
template <int Nodes>
struct condition {
  node nodes[Nodes];
};

namespace rule {
[[noreturn]] BANKMODEL_FN void constants_must_fit_in_63_bits() {
  detail::fail(__func__, "an unsigned constant in a subscript is 2^63 or more; use a smaller one");
}
}  // namespace rule

namespace detail {

template <class T>
inline constexpr bool is_index = false;
template <int Nodes>
inline constexpr bool is_index<index_expression<Nodes>> = true;
// The number of nodes of a subscript; a number has one.
template <class T>
inline constexpr int nodes_of = 1;
template <int Nodes>
inline constexpr int nodes_of<index_expression<Nodes>> = Nodes;
template <class T>
concept index_or_number = is_index<T> || number<T>;
template <class L, class R>
concept index_operands = (is_index<L> && index_or_number<R>) || (number<L> && is_index<R>);

template <int Nodes>
BANKMODEL_FN const index_expression<Nodes>& as_index(const index_expression<Nodes>& index) {
  return index;
}
template <number T>
BANKMODEL_FN index_expression<1> as_index(T value) {
  const auto signed_value = static_cast<long long>(value);
  if (signed_value < 0 && value > T{}) rule::constants_must_fit_in_63_bits();
  return {{{operation::constant, signed_value}}};
}

BANKMODEL_FN void copy_nodes(node* target, const node* source, int count) {
  for (int k = 0; k < count; ++k) target[k] = source[k];
}

// The program `left right op`.
template <template <int> class Result, class L, class R>
BANKMODEL_FN auto joined(operation op, const L& left, const R& right) {
  constexpr int of_left = nodes_of<L>, of_right = nodes_of<R>;
  Result<of_left + of_right + 1> result{};
  copy_nodes(result.nodes, as_index(left).nodes, of_left);
  copy_nodes(result.nodes + of_left, as_index(right).nodes, of_right);
  result.nodes[of_left + of_right] = {op, 0};
  return result;
}

// The program `left skip right`: the right side is evaluated only if the left side does not
// decide.
template <int L, int R>
BANKMODEL_FN condition<L + R + 1> joined_lazily(operation skip, const condition<L>& left,
                                                const condition<R>& right) {
  condition<L + R + 1> result{};
  copy_nodes(result.nodes, left.nodes, L);
  result.nodes[L] = {skip, R};
  copy_nodes(result.nodes + L + 1, right.nodes, R);
  return result;
}

}  // namespace detail

template <class L, class R>
  requires detail::index_operands<L, R>
BANKMODEL_FN auto operator+(const L& left, const R& right) {
  return detail::joined<index_expression>(operation::add, left, right);
}
template <class L, class R>
  requires detail::index_operands<L, R>
BANKMODEL_FN auto operator-(const L& left, const R& right) {
  return detail::joined<index_expression>(operation::subtract, left, right);
}
template <class L, class R>
  requires detail::index_operands<L, R>
BANKMODEL_FN auto operator*(const L& left, const R& right) {
  return detail::joined<index_expression>(operation::multiply, left, right);
}
template <class L, class R>
  requires detail::index_operands<L, R>
BANKMODEL_FN auto operator/(const L& left, const R& right) {
  return detail::joined<index_expression>(operation::divide, left, right);
}
template <class L, class R>
  requires detail::index_operands<L, R>
BANKMODEL_FN auto operator%(const L& left, const R& right) {
  return detail::joined<index_expression>(operation::remainder, left, right);
}
template <class L, class R>
  requires detail::index_operands<L, R>
BANKMODEL_FN auto operator<<(const L& left, const R& right) {
  return detail::joined<index_expression>(operation::shift_left, left, right);
}
template <class L, class R>
  requires detail::index_operands<L, R>
BANKMODEL_FN auto operator>>(const L& left, const R& right) {
  return detail::joined<index_expression>(operation::shift_right, left, right);
}
template <class L, class R>
  requires detail::index_operands<L, R>
BANKMODEL_FN auto operator&(const L& left, const R& right) {
  return detail::joined<index_expression>(operation::bit_and, left, right);
}
template <class L, class R>
  requires detail::index_operands<L, R>
BANKMODEL_FN auto operator|(const L& left, const R& right) {
  return detail::joined<index_expression>(operation::bit_or, left, right);
}
template <class L, class R>
  requires detail::index_operands<L, R>
BANKMODEL_FN auto operator^(const L& left, const R& right) {
  return detail::joined<index_expression>(operation::bit_xor, left, right);
}

// The smaller and the larger of two values. min(tx, 7) is a subscript. Of numbers it is a number,
// so that one index function serves both the kernel and the model:
//
//   static_assert(min(12, 7) == 7 && max(12, 7) == 12);
template <class L, class R>
  requires detail::index_operands<L, R>
BANKMODEL_FN auto min(const L& left, const R& right) {
  return detail::joined<index_expression>(operation::minimum, left, right);
}
template <class L, class R>
  requires detail::index_operands<L, R>
BANKMODEL_FN auto max(const L& left, const R& right) {
  return detail::joined<index_expression>(operation::maximum, left, right);
}
template <detail::number L, detail::number R>
BANKMODEL_FN auto min(L left, R right) {
  using common = decltype(left + right);
  return static_cast<common>(right) < static_cast<common>(left) ? static_cast<common>(right)
                                                                : static_cast<common>(left);
}
template <detail::number L, detail::number R>
BANKMODEL_FN auto max(L left, R right) {
  using common = decltype(left + right);
  return static_cast<common>(left) < static_cast<common>(right) ? static_cast<common>(right)
                                                                : static_cast<common>(left);
}

template <int Nodes>
BANKMODEL_FN auto operator-(const index_expression<Nodes>& index) {
  index_expression<Nodes + 1> result{};
  detail::copy_nodes(result.nodes, index.nodes, Nodes);
  result.nodes[Nodes] = {operation::negate, 0};
  return result;
}
template <int Nodes>
BANKMODEL_FN auto operator+(const index_expression<Nodes>& index) {
  return index;
}

template <class L, class R>
  requires detail::index_operands<L, R>
BANKMODEL_FN auto operator<(const L& left, const R& right) {
  return detail::joined<condition>(operation::less, left, right);
}
template <class L, class R>
  requires detail::index_operands<L, R>
BANKMODEL_FN auto operator>(const L& left, const R& right) {
  return detail::joined<condition>(operation::less, right, left);
}
template <class L, class R>
  requires detail::index_operands<L, R>
BANKMODEL_FN auto operator<=(const L& left, const R& right) {
  return detail::joined<condition>(operation::less_equal, left, right);
}
template <class L, class R>
  requires detail::index_operands<L, R>
BANKMODEL_FN auto operator>=(const L& left, const R& right) {
  return detail::joined<condition>(operation::less_equal, right, left);
}
template <class L, class R>
  requires detail::index_operands<L, R>
BANKMODEL_FN auto operator==(const L& left, const R& right) {
  return detail::joined<condition>(operation::equal, left, right);
}
template <class L, class R>
  requires detail::index_operands<L, R>
BANKMODEL_FN auto operator!=(const L& left, const R& right) {
  return detail::joined<condition>(operation::not_equal, left, right);
}

template <int L, int R>
BANKMODEL_FN auto operator&&(const condition<L>& left, const condition<R>& right) {
  return detail::joined_lazily(operation::skip_if_false, left, right);
}
template <int L, int R>
BANKMODEL_FN auto operator||(const condition<L>& left, const condition<R>& right) {
  return detail::joined_lazily(operation::skip_if_true, left, right);
}
template <int Nodes>
BANKMODEL_FN auto operator!(const condition<Nodes>& inner) {
  condition<Nodes + 1> result{};
  detail::copy_nodes(result.nodes, inner.nodes, Nodes);
  result.nodes[Nodes] = {operation::logical_not, 0};
  return result;
}

}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
