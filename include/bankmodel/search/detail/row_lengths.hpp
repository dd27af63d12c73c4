// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_ROW_LENGTHS_HPP
#define BANKMODEL_SEARCH_DETAIL_ROW_LENGTHS_HPP

#include <bankmodel/search/detail/kernel_access.hpp>

// Arrays of one dimension that a kernel uses as rows: each subscript is row * length + column, with
// columns below the length. Then padding after each row is only a greater factor in the same
// subscripts (a pitch), and takes no instruction.
namespace bankmodel::detail {

// The range of a value, and of its column if it is row * length + column with any integer as row.
struct range_in_rows {
  value_range number, column;
};

BANKMODEL_FN bool is_zero(const value_range& a) { return a.lowest == 0 && a.highest == 0; }
BANKMODEL_FN value_range column_of_product(const range_in_rows& a, const range_in_rows& b,
                                           const value_range& product) {
  if (is_zero(a.column) || is_zero(b.column)) return {0, 0};
  if (b.number.known() && b.number.is_one())
    return range_of(operation::multiply, a.column, b.number);
  if (a.number.known() && a.number.is_one())
    return range_of(operation::multiply, a.number, b.column);
  return product;
}

// The range of a program's columns in rows of `length` elements, a power of two; not below the
// length if they are not proven to be. `variables`: the range of each variable.
// Example: 64 * ty + tx with tx up to 7: 0 to 7 with lengths up to 64; in rows of 128 also 64.
BANKMODEL_FN value_range columns_of(const node* program, int size, const value_range* variables,
                                    long long length) {
  range_in_rows stack[max_index_depth];
  const auto of_constant = [&](long long value) {
    const long long column = value & (length - 1);
    return range_in_rows{known_range(value, value), {column, column}};
  };
  int top = -1;
  for (int step = 0; step < size; ++step) {
    const operation op = program[step].op;
    if (is_in(leaf_operations, op)) {
      top = pushed(top);
      const long long value = program[step].value;
      const bool is_variable = op == operation::variable;
      stack[top] =
          is_variable ? range_in_rows{variables[value], variables[value]} : of_constant(value);
      continue;
    }
    const bool unary = is_in(unary_operations, op);
    if (!unary) --top;
    if (top < 0 || is_in(skip_operations, op)) return {1, 0};  // unknown
    const range_in_rows left = stack[top], right = unary ? of_constant(0) : stack[top + 1];
    const value_range result = range_of(op, left.number, right.number);
    value_range column = result;
    const bool by_constant = right.number.known() && right.number.is_one();
    if (is_in(additive_operations, op) || op == operation::negate)
      column = range_of(op, left.column, right.column);
    else if (op == operation::multiply)
      column = column_of_product(left, right, result);
    else if (op == operation::shift_left && result.known() && by_constant)
      column = column_of_product(left, of_constant(1ll << right.number.lowest), result);
    stack[top] = {result, column};
  }
  return top == 0 ? stack[0].column : value_range{1, 0};
}

// Returns the lengths, as bit b for 2^b elements, of the rows of an array; none if it has several
// dimensions, or if all columns are 0. `effort` pays for it.
BANKMODEL_FN unsigned row_lengths(const machine& m, const kernel_accesses& accesses, int array,
                                  const array_description& declared, effort_left& effort) {
  if (declared.layout.rank != 1) return 0;
  unsigned proven = 0, used = 0;
  for (int bit = 1; bit < 30 && 1ll << bit < declared.layout.extent[0]; ++bit) proven |= 1u << bit;
  for (int number = 0; number < accesses.count; ++number) {
    const kernel_access& access = accesses.list[number];
    if (access.array != array || access.same_as >= 0) continue;
    if (access.classes != nullptr) return 0;
    const access_view view = access.view(declared);
    const lowered nest(m, accesses.block, {}, view, 0);
    const slice& program = access.subscript[0];
    effort.spend(1500);
    for (unsigned left = proven; left != 0; left &= left - 1) {
      const int bit = trailing_zeros(left);
      const value_range column =
          columns_of(access.nodes + program.first, program.size, nest.ranges.active(), 1ll << bit);
      effort.spend(50 + 60 * program.size);
      if (!column.known() || column.lowest < 0 || column.highest >= 1ll << bit)
        proven &= ~(1u << bit);
      else if (column.highest > 0)
        used |= 1u << bit;
    }
  }
  return proven & used;
}

}  // namespace bankmodel::detail

#endif
