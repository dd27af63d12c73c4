// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_EVALUATE_HPP
#define BANKMODEL_COUNT_DETAIL_EVALUATE_HPP

#include <bankmodel/count/detail/warp.hpp>
#include <bankmodel/layout/triangular_root.hpp>

// What an index expression or a condition is worth: in one lane, or in each active lane of a warp.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void division_must_be_of_values_that_are_not_negative(long long left,
                                                                                long long right) {
  detail::fail(__func__,
               "% is divided by % in a subscript, bound or condition; int and unsigned disagree "
               "there: add a multiple of the divisor",
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

// Room for intermediate values; one serves a whole analysis.
struct value_rows {
  long long row[max_index_depth][max_lanes];
};

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
      if (b < 0 || b > 62) rule::shifts_must_be_by_0_to_62(b);
      return checked_multiply(a, 1ll << b);
    case operation::shift_right:
      if (b < 0 || b > 62) rule::shifts_must_be_by_0_to_62(b);
      return a >> b;
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

// The program's value where each variable has one value.
BANKMODEL_FN long long evaluate(const node* program, int size, const long long* values) {
  if (size == 1)
    return program->op == operation::constant ? program->value : values[program->value];
  long long stack[max_index_depth];
  stack[0] = 0;
  int top = -1;
  for (int at = 0; at < size; ++at) {
    const operation op = program[at].op;
    if (op <= operation::variable) {
      if (++top >= max_index_depth) rule::index_must_nest_at_most_32_deep();
      stack[top] = op == operation::constant ? program[at].value : values[program[at].value];
    } else if (op < operation::negate) {
      --top;
      stack[top] = apply(op, stack[top], stack[top + 1]);
    } else if (op < operation::skip_if_false) {
      stack[top] = apply(op, stack[top], 0);
    } else if ((stack[top] != 0) == (op == operation::skip_if_true)) {
      at += static_cast<int>(program[at].value);
    } else {
      --top;
    }
  }
  return stack[0];
}

// The program's value in each lane of `active`; lanes outside it are not looked at. `values` holds
// one entry for each variable. Where all lanes agree it is computed once. The result may lie in
// `rows` from row `base` on, until the next evaluation.
BANKMODEL_FN lane_values evaluate(const node* program, int size, const lane_values* values,
                                  const lane_set& active, value_rows& rows, int base = 0) {
  lane_values stack[max_index_depth];
  stack[0] = {nullptr, 0};
  int top = -1;
  for (int at = 0; at < size; ++at) {
    const operation op = program[at].op;
    if (op <= operation::variable) {
      if (base + ++top >= max_index_depth) rule::index_must_nest_at_most_32_deep();
      if (op == operation::constant)
        stack[top] = {nullptr, program[at].value};
      else
        stack[top] = values[program[at].value];
      continue;
    }

    if (op >= operation::skip_if_false) {
      const int right_size = static_cast<int>(program[at].value);
      const lane_values left = stack[top];
      const bool decided = op == operation::skip_if_true;
      if (left.each == nullptr) {
        if ((left.same != 0) == decided)
          at += right_size;
        else
          --top;
        continue;
      }
      lane_set open;
      long long* const result = rows.row[base + top];
      for (int index = 0; index < active.count; ++index) {
        const int lane = active.lane[index];
        if ((left.each[lane] != 0) == decided)
          result[lane] = left.each[lane];
        else
          open.add(lane);
      }
      if (open.count != 0) {
        const lane_values right =
            evaluate(program + at + 1, right_size, values, open, rows, base + top + 1);
        for (int index = 0; index < open.count; ++index)
          result[open.lane[index]] = right[open.lane[index]];
      }
      stack[top] = {result, 0};
      at += right_size;
      continue;
    }

    const lane_values right = stack[top];
    if (op < operation::negate) --top;
    const lane_values left = stack[top];
    if (left.each == nullptr && right.each == nullptr) {
      stack[top] = {nullptr, apply(op, left.same, right.same)};
      continue;
    }
    long long* const result = rows.row[base + top];
    for (int index = 0; index < active.count; ++index) {
      const int lane = active.lane[index];
      result[lane] = apply(op, left.each != nullptr ? left.each[lane] : left.same,
                           right.each != nullptr ? right.each[lane] : right.same);
    }
    stack[top] = {result, 0};
  }
  return stack[0];
}

}  // namespace detail
}  // namespace bankmodel

#endif
