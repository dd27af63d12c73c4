// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_PROGRAM_HPP
#define BANKMODEL_COUNT_DETAIL_PROGRAM_HPP

#include <bankmodel/kernel/index.hpp>
#include <bankmodel/layout/triangular_root.hpp>
#include <bankmodel/model/machine.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The value of an index expression or a condition: in one lane, or in each active lane of a warp.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void division_must_be_of_values_that_are_not_negative(long long left,
                                                                                long long right) {
  detail::fail(
      __func__,
      "% is divided by % in a subscript, bound or condition; int and unsigned give different "
      "results: add a multiple of the divisor",
      left, right);
}
[[noreturn]] BANKMODEL_FN void divisor_must_not_be_zero(long long left) {
  detail::fail(__func__, "% is divided by 0 in an active lane; put an if_threads around the access",
               left);
}
[[noreturn]] BANKMODEL_FN void shifts_must_be_by_0_to_62(long long amount) {
  detail::fail(__func__, "a shift by % in a subscript, bound or condition; use 0 to 62", amount);
}
[[noreturn]] BANKMODEL_FN void index_must_nest_at_most_32_deep() {
  detail::fail(__func__,
               "a subscript, bound or condition needs more than 32 intermediate values; write (a + "
               "b) + c instead of a + (b + c)");
}
}  // namespace rule

namespace detail {

constexpr int max_index_depth = 32;

// ---- sets of operations ----

BANKMODEL_FN unsigned set_of(operation op) { return 1u << static_cast<int>(op); }
constexpr unsigned leaf_operations = set_of(operation::constant) | set_of(operation::variable);
constexpr unsigned unary_operations = set_of(operation::negate) | set_of(operation::logical_not);
constexpr unsigned skip_operations =
    set_of(operation::skip_if_false) | set_of(operation::skip_if_true);
constexpr unsigned order_operations = set_of(operation::less) | set_of(operation::less_equal);
constexpr unsigned comparison_operations =
    order_operations | set_of(operation::equal) | set_of(operation::not_equal);
constexpr unsigned additive_operations = set_of(operation::add) | set_of(operation::subtract);

BANKMODEL_FN bool is_in(unsigned operations, operation op) {
  return (operations >> static_cast<int>(op) & 1) != 0;
}

// The change of the stack's height. A skip drops the left value, which the right one replaces.
BANKMODEL_FN int growth_of(operation op) {
  return is_in(leaf_operations, op) ? 1 : is_in(unary_operations, op) ? 0 : -1;
}
// Returns the stack's new top. Error: the stack is too deep.
BANKMODEL_FN int pushed(int top) {
  if (top + 1 >= max_index_depth) rule::index_must_nest_at_most_32_deep();
  return top + 1;
}

BANKMODEL_FN unsigned variable_bit(variable which) { return 1u << static_cast<int>(which); }

// The variables that a program reads, as bits.
BANKMODEL_FN unsigned variables_in(const node* program, int size) {
  unsigned used = 0;
  for (int at = 0; at < size; ++at)
    if (program[at].op == operation::variable) used |= 1u << program[at].value;
  return used;
}

// ---- lanes ----

// Active lanes as bits, and as a list for fast loops.
struct lane_set {
  std::uint64_t mask = 0;
  int count = 0;
  unsigned char lane[max_lanes];

  BANKMODEL_FN lane_set() {}
  BANKMODEL_FN lane_set(const lane_set& other) { *this = other; }
  BANKMODEL_FN lane_set& operator=(const lane_set& other) {
    mask = other.mask;
    count = other.count;
    for (int index = 0; index < count; ++index) lane[index] = other.lane[index];
    return *this;
  }
  BANKMODEL_FN explicit lane_set(std::uint64_t of) {
    for (; of != 0; of &= of - 1) add(trailing_zeros(of));
  }
  BANKMODEL_FN void add(int number) {
    mask |= std::uint64_t{1} << number;
    lane[count++] = static_cast<unsigned char>(number);
  }
};

// The lanes in [from, to) as bits.
BANKMODEL_FN std::uint64_t lanes_between(long long from, long long to) {
  if (from < 0) from = 0;
  if (to > 64) to = 64;
  return from >= to ? 0 : ~std::uint64_t{0} >> (64 - (to - from)) << from;
}

// A value in each lane, or, if `each` is null, the same one in all. Trivial, so that an
// uninitialized array of these costs nothing in a constant expression.
struct lane_values {
  const long long* each;
  long long same;
  BANKMODEL_FN long long operator[](int lane) const { return each != nullptr ? each[lane] : same; }
};

// Storage for intermediate values, which all evaluations of an analysis share. Deeper programs,
// which nobody writes by hand, are evaluated lane by lane.
struct value_rows {
  static constexpr int most = 16;
  int slow = 0;  // operations that were applied lane by lane with all checks
  long long row[most][max_lanes];
};

// ---- evaluation ----

BANKMODEL_FN long long apply(operation op, long long a, long long b) {
  switch (op) {
    case operation::add: return checked_add(a, b);
    case operation::multiply: return checked_multiply(a, b);
    case operation::less: return a < b;
    case operation::bit_xor: return a ^ b;
    case operation::subtract: return checked_subtract(a, b);
    case operation::divide:
    case operation::remainder:
      if (b == 0) rule::divisor_must_not_be_zero(a);
      if (a < 0 || b < 0) rule::division_must_be_of_values_that_are_not_negative(a, b);
      return op == operation::divide ? a / b : a % b;
    case operation::shift_left:
    case operation::shift_right:
      if (b < 0 || b > 62) rule::shifts_must_be_by_0_to_62(b);
      return op == operation::shift_left ? checked_multiply(a, 1ll << b) : a >> b;
    case operation::bit_and: return a & b;
    case operation::bit_or: return a | b;
    case operation::minimum: return b < a ? b : a;
    case operation::maximum: return a < b ? b : a;
    case operation::triangular_root: return triangular_root(least_remainder(a, b), b);
    case operation::less_equal: return a <= b;
    case operation::equal: return a == b;
    case operation::not_equal: return a != b;
    case operation::negate: return checked_subtract(0, a);
    case operation::logical_not: return a == 0;
    default: return 0;
  }
}

// Returns the program's value; values[k] is the value of variable k.
BANKMODEL_FN long long evaluate(const node* program, int size, const long long* values) {
  long long stack[max_index_depth];
  stack[0] = 0;
  int top = -1;
  for (int at = 0; at < size; ++at) {
    const operation op = program[at].op;
    if (is_in(leaf_operations, op)) {
      top = pushed(top);
      stack[top] = op == operation::constant ? program[at].value : values[program[at].value];
    } else if (is_in(skip_operations, op)) {
      if ((stack[top] != 0) == (op == operation::skip_if_true))
        at += static_cast<int>(program[at].value);
      else
        --top;
    } else {
      const bool unary = is_in(unary_operations, op);
      if (!unary) --top;
      stack[top] = apply(op, stack[top], unary ? 0 : stack[top + 1]);
    }
  }
  return stack[0];
}

// The digits that are set in any lane's value, of a negative one in its complement; negative itself
// if any value is.
BANKMODEL_FN long long digits_in(const lane_values& values, const lane_set& active) {
  if (values.each == nullptr) return values.same < 0 ? ~values.same | int64_min : values.same;
  const long long* const each = values.each;
  const unsigned char* const lane = active.lane;
  long long digits = 0;
  for (int at = 0; at < active.count; ++at)
    digits |= each[lane[at]] < 0 ? ~each[lane[at]] | int64_min : each[lane[at]];
  return digits;
}
// Sets result[lane] to apply() of both operands in each active lane; returns false if that took
// apply() itself. Operands of less than 32 bits need no check; their loop has one statement,
// because compilers count statements.
BANKMODEL_FN bool apply_in_lanes(operation op, const lane_values& left, const lane_values& right,
                                 const lane_set& active, long long* result) {
  const int by_a = left.each != nullptr, by_b = right.each != nullptr;
  const long long *const a = by_a != 0 ? left.each : &left.same, *const b = by_b != 0 ? right.each
                                                                                      : &right.same;
  const unsigned char* const lane = active.lane;
  const long long bits = digits_in(left, active) | digits_in(right, active);
  const bool is_small = (bits & int64_max) < 1ll << 31, divides = by_b == 0 && right.same > 0;
  const bool is_fast = op == operation::bit_xor || (is_small && op <= operation::multiply) ||
                       (is_small && bits >= 0 && divides && op <= operation::remainder);
  for (int at = 0; at < active.count && is_fast; ++at)
    result[lane[at]] = op == operation::add         ? a[lane[at] * by_a] + b[lane[at] * by_b]
                       : op == operation::subtract  ? a[lane[at] * by_a] - b[lane[at] * by_b]
                       : op == operation::multiply  ? a[lane[at] * by_a] * b[lane[at] * by_b]
                       : op == operation::divide    ? a[lane[at] * by_a] / b[0]
                       : op == operation::remainder ? a[lane[at] * by_a] % b[0]
                                                    : a[lane[at] * by_a] ^ b[lane[at] * by_b];
  for (int at = 0; at < active.count && !is_fast; ++at)
    result[lane[at]] = apply(op, left[lane[at]], right[lane[at]]);
  return is_fast;
}

BANKMODEL_FN lane_values evaluate(const node* program, int size, const lane_values* values,
                                  const lane_set& active, value_rows& rows, int base = 0);

// Returns `left && right` or `left || right`, in row `row`. The right side is evaluated only in the
// lanes that the left one does not decide.
BANKMODEL_FN lane_values evaluate_skip(const node* skip, const lane_values& left,
                                       const lane_values* values, const lane_set& active,
                                       value_rows& rows, int row) {
  const bool decided = skip->op == operation::skip_if_true;
  lane_set open;
  long long* const result = rows.row[row];
  for (int index = 0; index < active.count; ++index) {
    const int lane = active.lane[index];
    result[lane] = left[lane];
    if ((result[lane] != 0) != decided) open.add(lane);
  }
  if (open.count == 0) return {result, 0};
  const lane_values right =
      evaluate(skip + 1, static_cast<int>(skip->value), values, open, rows, row + 1);
  for (int index = 0; index < open.count; ++index)
    result[open.lane[index]] = right[open.lane[index]];
  return {result, 0};
}

// The rows that an evaluation of a program needs: the most values on its stack. The right side of a
// skip has its own, after the left one.
BANKMODEL_FN int depth_of(const node* program, int size) {
  int depth = 0, most = 0;
  for (int at = 0; at < size; ++at) {
    const operation op = program[at].op;
    int here = is_in(leaf_operations, op) ? ++depth : depth;
    if (is_in(skip_operations, op)) {
      here += depth_of(program + at + 1, static_cast<int>(program[at].value));
      at += static_cast<int>(program[at].value);
    } else if (!is_in(leaf_operations, op) && !is_in(unary_operations, op)) {
      --depth;
    }
    if (here > most) most = here;
  }
  return most;
}

// The same as evaluate(), lane by lane, in one row.
BANKMODEL_FN lane_values evaluate_by_lanes(const node* program, int size, const lane_values* values,
                                           const lane_set& active, value_rows& rows) {
  const unsigned used = variables_in(program, size);
  for (int index = 0; index < active.count; ++index) {
    const int lane = active.lane[index];
    long long own[variables] = {};
    for (unsigned left = used; left != 0; left &= left - 1)
      own[trailing_zeros(left)] = values[trailing_zeros(left)][lane];
    rows.row[0][lane] = evaluate(program, size, own);
  }
  return {rows.row[0], 0};
}

// Returns the program's value in each lane of `active`; other lanes are not evaluated. `values` has
// one entry for each variable. A value that is the same in all lanes is computed once. The result
// may point to `rows`, from row `base` on, and is valid until the next evaluation.
BANKMODEL_FN lane_values evaluate(const node* program, int size, const lane_values* values,
                                  const lane_set& active, value_rows& rows, int base) {
  // Each row but the first is that of a node with two operands, so few nodes need few rows.
  if (base == 0 && size >= 2 * value_rows::most && depth_of(program, size) > value_rows::most)
    return evaluate_by_lanes(program, size, values, active, rows);
  lane_values stack[max_index_depth];
  stack[0] = {nullptr, 0};
  int top = -1;
  for (int at = 0; at < size; ++at) {
    const operation op = program[at].op;
    if (is_in(leaf_operations, op)) {
      top = pushed(base + top) - base;
      if (op == operation::constant)
        stack[top] = {nullptr, program[at].value};
      else
        stack[top] = values[program[at].value];
      continue;
    }
    if (is_in(skip_operations, op)) {
      stack[top] = evaluate_skip(program + at, stack[top], values, active, rows, base + top);
      at += static_cast<int>(program[at].value);
      continue;
    }
    const lane_values right = stack[top];
    if (!is_in(unary_operations, op)) --top;
    const lane_values left = stack[top];
    if (left.each == nullptr && right.each == nullptr) {
      stack[top] = {nullptr, apply(op, left.same, right.same)};
      continue;
    }
    long long* const result = rows.row[base + top];
    if (!apply_in_lanes(op, left, right, active, result)) ++rows.slow;
    stack[top] = {result, 0};
  }
  return stack[0];
}

}  // namespace detail
}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
