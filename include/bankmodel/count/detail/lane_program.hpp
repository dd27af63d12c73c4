// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_LANE_PROGRAM_HPP
#define BANKMODEL_COUNT_DETAIL_LANE_PROGRAM_HPP

#include <bankmodel/analysis/program.hpp>
#include <bankmodel/model/machine.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The values of a program in the active lanes of a warp.
namespace bankmodel::detail {

// Active lanes as bits, and as a list for fast loops.
struct lane_set {
  std::uint64_t mask = 0;
  int count = 0;
  unsigned char lane[max_lanes];

  BANKMODEL_FN explicit lane_set(std::uint64_t lanes = 0) { set(lanes); }
  BANKMODEL_FN void set(std::uint64_t lanes) {
    mask = 0;
    count = 0;
    for (; lanes != 0; lanes &= lanes - 1) add(trailing_zeros(lanes));
  }
  BANKMODEL_FN void add(int number) {
    mask |= std::uint64_t{1} << number;
    lane[count++] = static_cast<unsigned char>(number);
  }
};

// The lanes in [begin, end) as bits.
BANKMODEL_FN std::uint64_t lanes_between(long long begin, long long end) {
  if (begin < 0) begin = 0;
  if (end > 64) end = 64;
  return begin >= end ? 0 : ~std::uint64_t{0} >> (64 - (end - begin)) << begin;
}

// A value in each lane, or, if `lanes` is null, the same one in all. Trivial, so that an
// uninitialized array of these costs nothing in a constant expression.
struct lane_values {
  const long long* lanes;
  long long same;
  BANKMODEL_FN long long operator[](int lane) const {
    return lanes != nullptr ? lanes[lane] : same;
  }
};

// Storage for intermediate values, which all evaluations of an analysis share.
struct value_rows {
  int slow = 0;  // operations that were applied lane by lane with all checks
  long long row[max_index_depth][max_lanes];
};

// The digits that are set in any lane's value, of a negative one in its complement; negative itself
// if any value is.
BANKMODEL_FN long long digits_in(const lane_values& values, const lane_set& active) {
  if (values.lanes == nullptr) return values.same < 0 ? ~values.same | int64_min : values.same;
  const long long* const row = values.lanes;
  const unsigned char* const lane = active.lane;
  long long digits = 0;
  for (int index = 0; index < active.count; ++index)
    digits |= row[lane[index]] < 0 ? ~row[lane[index]] | int64_min : row[lane[index]];
  return digits;
}
// Sets result[lane] to apply() of both operands in each active lane; returns false if that took
// apply() itself. Operands of less than 32 bits need no check; their loop has one statement,
// because compilers count statements.
BANKMODEL_FN bool apply_in_lanes(operation op, const lane_values& left, const lane_values& right,
                                 const lane_set& active, long long* result) {
  const int by_a = left.lanes != nullptr, by_b = right.lanes != nullptr;
  const long long *const a = by_a != 0 ? left.lanes : &left.same, *const b = by_b != 0
                                                                                 ? right.lanes
                                                                                 : &right.same;
  const unsigned char* const lane = active.lane;
  const long long bits = digits_in(left, active) | digits_in(right, active);
  const bool is_small = (bits & int64_max) < 1ll << 31, divides = by_b == 0 && right.same > 0;
  const bool is_fast = op == operation::bit_xor || (is_small && op <= operation::multiply) ||
                       (is_small && bits >= 0 && divides && op <= operation::remainder);
  for (int index = 0; index < active.count && is_fast; ++index)
    result[lane[index]] =
        op == operation::add         ? a[lane[index] * by_a] + b[lane[index] * by_b]
        : op == operation::subtract  ? a[lane[index] * by_a] - b[lane[index] * by_b]
        : op == operation::multiply  ? a[lane[index] * by_a] * b[lane[index] * by_b]
        : op == operation::divide    ? a[lane[index] * by_a] / b[0]
        : op == operation::remainder ? a[lane[index] * by_a] % b[0]
                                     : a[lane[index] * by_a] ^ b[lane[index] * by_b];
  for (int index = 0; index < active.count && !is_fast; ++index)
    result[lane[index]] = apply(op, left[lane[index]], right[lane[index]]);
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

// Returns the program's value in each lane of `active`; other lanes are not evaluated. `values` has
// one entry for each variable. A value that is the same in all lanes is computed once. The result
// may point to `rows`, from row `base` on, and is valid until the next evaluation.
BANKMODEL_FN lane_values evaluate(const node* program, int size, const lane_values* values,
                                  const lane_set& active, value_rows& rows, int base) {
  lane_values stack[max_index_depth];
  stack[0] = {nullptr, 0};
  int top = -1;
  for (int index = 0; index < size; ++index) {
    const operation op = program[index].op;
    if (is_in(leaf_operations, op)) {
      top = pushed(base + top) - base;
      if (op == operation::constant)
        stack[top] = {nullptr, program[index].value};
      else
        stack[top] = values[program[index].value];
      continue;
    }
    if (is_in(skip_operations, op)) {
      stack[top] = evaluate_skip(program + index, stack[top], values, active, rows, base + top);
      index += static_cast<int>(program[index].value);
      continue;
    }
    const lane_values right = stack[top];
    if (!is_in(unary_operations, op)) --top;
    const lane_values left = stack[top];
    if (left.lanes == nullptr && right.lanes == nullptr) {
      stack[top] = {nullptr, apply(op, left.same, right.same)};
      continue;
    }
    long long* const result = rows.row[base + top];
    if (!apply_in_lanes(op, left, right, active, result)) ++rows.slow;
    stack[top] = {result, 0};
  }
  return stack[0];
}

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
