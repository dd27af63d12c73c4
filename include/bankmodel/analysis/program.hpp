// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_ANALYSIS_PROGRAM_HPP
#define BANKMODEL_ANALYSIS_PROGRAM_HPP

#include <bankmodel/analysis/triangular_root.hpp>

#include <bankmodel/core/hide_macros.hpp>

// Programs: index expressions and conditions in postfix order, as kernel/index.hpp makes them, and
// their values.
namespace bankmodel {

// The variables of expressions: threadIdx, blockIdx, the thread's number in the block, its lane
// and warp, and six loop variables.
enum class variable : unsigned char {
  tx,
  ty,
  tz,
  bx,
  by,
  bz,
  tid,
  lane,
  warp,
  loop_0,
  loop_1,
  loop_2,
  loop_3,
  loop_4,
  loop_5
};
constexpr int loop_variables = 6;
constexpr int variables = 9 + loop_variables;

// The operations of a program's nodes. A program is evaluated with a stack: constants and
// variables push a value, operators replace their operands by the result.
enum class operation : unsigned char {
  constant,
  variable,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  shift_left,
  shift_right,
  bit_and,
  bit_or,
  bit_xor,
  minimum,
  maximum,
  // The root of the left value modulo the right one: analysis/triangular_root.hpp. For layouts
  // only.
  triangular_root,
  less,
  less_equal,
  equal,
  not_equal,
  negate,
  logical_not,
  // && and ||: the next `value` nodes are skipped if the left value decides; else it is dropped
  skip_if_false,
  skip_if_true
};

// One step of a program.
struct node {
  operation op;
  long long value;  // the constant; the variable's number; the number of nodes to skip
};

// A program within the nodes of an expression: `size` nodes from node `first` on.
struct slice {
  int first = 0, size = 0;
};

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

BANKMODEL_FN unsigned variable_bit(variable id) { return 1u << static_cast<int>(id); }

// The variables that a program reads, as bits.
BANKMODEL_FN unsigned variables_in(const node* program, int size) {
  unsigned used = 0;
  for (int index = 0; index < size; ++index)
    if (program[index].op == operation::variable) used |= 1u << program[index].value;
  return used;
}

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
  for (int index = 0; index < size; ++index) {
    const operation op = program[index].op;
    if (is_in(leaf_operations, op)) {
      top = pushed(top);
      stack[top] = op == operation::constant ? program[index].value : values[program[index].value];
    } else if (is_in(skip_operations, op)) {
      if ((stack[top] != 0) == (op == operation::skip_if_true))
        index += static_cast<int>(program[index].value);
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

}  // namespace detail
}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
