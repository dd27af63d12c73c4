// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_ANALYSIS_LINEAR_FORM_HPP
#define BANKMODEL_ANALYSIS_LINEAR_FORM_HPP

#include <bankmodel/analysis/program.hpp>

#include <bankmodel/core/hide_macros.hpp>

// Programs as linear forms: a constant and a factor for each coordinate.
namespace bankmodel::detail {

// The variables that a program uses, and those in which it is not linear, as bits. Independent of
// values.
// Example: i * tx + j / 4 is not linear in any of its variables; tx differs from lane to lane, and
// i decides by how much the values do:
//
//   constexpr auto subscript = i * tx + j / 4;
//   constexpr unsigned lanes = detail::variable_bit(variable::tx);
//   detail::structure read{};
//   read.read(subscript.nodes, sizeof subscript.nodes / sizeof(node), lanes, 0);
//   assert(read.used == (lanes | detail::variable_bit(variable::loop_0) |
//                        detail::variable_bit(variable::loop_1)));
//   assert(read.nonlinear == detail::variable_bit(variable::loop_1));
//   assert(read.nonlinear_in_lanes == (lanes | detail::variable_bit(variable::loop_0)));
//   assert(read.shaping == detail::variable_bit(variable::loop_0));
struct structure {
  unsigned used;
  unsigned nonlinear;  // in operations that are not linear and have the same value in all lanes
  unsigned nonlinear_in_lanes;  // in those with values that differ from lane to lane
  unsigned shaping;  // variables of loops and warps on which the differences between lanes depend
  int operators_in_lanes;  // with values that differ from lane to lane

  // Adds a program, or the sides of the comparisons of a condition. `lanes` are the variables that
  // differ from lane to lane; `fixed` ones count as constants.
  BANKMODEL_FN void read(const node* program, int size, unsigned lanes, unsigned fixed) {
    if (size == 1) {
      if (program->op == operation::variable) used |= 1u << program->value;
      return;
    }
    unsigned stack[max_index_depth];  // the variables that a value depends on
    int top = -1;
    for (int index = 0; index < size; ++index) {
      const operation op = program[index].op;
      if (is_in(leaf_operations, op)) {
        top = pushed(top);
        stack[top] = op == operation::constant ? 0 : 1u << program[index].value;
        used |= stack[top];
        continue;
      }
      const unsigned right = stack[top];
      top += growth_of(op);
      if (is_in(skip_operations, op)) continue;
      const unsigned left = stack[top], operands = left | right;
      stack[top] = operands;
      if ((operands & lanes) != 0) operators_in_lanes += op == operation::shift_left ? 2 : 1;
      if (is_in(additive_operations | comparison_operations | unary_operations, op) ||
          (operands & ~fixed) == 0)
        continue;
      const bool by_fixed =
          op == operation::shift_left || op == operation::multiply ? (right & ~fixed) == 0 : false;
      if (by_fixed || (op == operation::multiply && (left & ~fixed) == 0)) {
        if ((operands & lanes) != 0) shaping |= (left & lanes) == 0 ? left : right;
        continue;
      }
      ((operands & lanes) != 0 ? nonlinear_in_lanes : nonlinear) |= operands & ~fixed;
      if ((operands & lanes) != 0) shaping |= operands & ~lanes;
    }
  }
};

// Coordinates: first a lane's (one, or x, y and z of its thread), then the positions of the loops
// that are not enumerated, also those of warps.
constexpr int max_dimensions = 3 + 3 + loop_variables;

// constant + factor[0] * coordinate 0 + .. of `size` coordinates, modulo 2^64: exact if the value
// fits in 64 bits. Copies read only `size` factors: a constant expression may not read the others.
// Example: 2 * tx + 3 * i + 1, where tx is coordinate 0 and i is 4 times coordinate 1:
//
//   constexpr auto subscript = 2 * tx + 3 * i + 1;
//   detail::linear_form form[variables], result;
//   form[static_cast<int>(variable::tx)].set_constant(0);
//   form[static_cast<int>(variable::tx)].set(0, 1);
//   form[static_cast<int>(variable::loop_0)].set_constant(0);
//   form[static_cast<int>(variable::loop_0)].set(1, 4);
//   detail::read_form(subscript.nodes, sizeof subscript.nodes / sizeof(node), form, 1, result);
//   assert(result.known && result.constant == 1 && result.size == 2);
//   assert(result.coefficient(0) == 2 && result.coefficient(1) == 12);
struct linear_form {
  std::uint64_t constant;
  int size;
  bool lanes_known;  // true if the factors of the lane's coordinates are known
  bool known;        // true if all factors and the constant are known
  std::uint64_t factor[max_dimensions];

  linear_form() = default;
  BANKMODEL_FN linear_form(const linear_form& other) { *this = other; }
  BANKMODEL_FN linear_form& operator=(const linear_form& other) {
    constant = other.constant;
    size = other.size;
    lanes_known = other.lanes_known;
    known = other.known;
    for (int d = 0; d < size; ++d) factor[d] = other.factor[d];
    return *this;
  }
  BANKMODEL_FN void set_constant(long long value) {
    constant = static_cast<std::uint64_t>(value);
    size = 0;
    lanes_known = known = true;
  }

  BANKMODEL_FN std::uint64_t coefficient(int dimension) const {
    return dimension < size ? factor[dimension] : 0;
  }
  BANKMODEL_FN bool is_constant() const { return known && size == 0; }

  BANKMODEL_FN bool equals(const linear_form& other) const {
    bool same = constant == other.constant && size == other.size && known == other.known &&
                lanes_known == other.lanes_known;
    for (int d = 0; d < size && same; ++d) same = factor[d] == other.factor[d];
    return same;
  }

  BANKMODEL_FN void set(int dimension, std::uint64_t value) {
    for (; size <= dimension; ++size) factor[size] = 0;
    factor[dimension] = value;
  }
  BANKMODEL_FN void add(const linear_form& other, std::uint64_t times) {
    constant += times * other.constant;
    for (; size < other.size; ++size) factor[size] = 0;
    for (int d = 0; d < other.size; ++d) factor[d] += times * other.factor[d];
    lanes_known = lanes_known && other.lanes_known;
    known = known && other.known;
  }
  BANKMODEL_FN void multiply(std::uint64_t multiplier) {
    constant *= multiplier;
    for (int d = 0; d < size; ++d) factor[d] *= multiplier;
  }
};

// Replaces `a` by the form of `a op b`. If that is not linear, the form only keeps, in lanes_known,
// if all lanes have the same value.
BANKMODEL_FN void combine(operation op, linear_form& a, const linear_form& b, int lane_dimensions) {
  switch (op) {
    case operation::add: return a.add(b, 1);
    case operation::subtract: return a.add(b, ~std::uint64_t{0});
    case operation::negate: return a.multiply(~std::uint64_t{0});
    case operation::multiply:
      if (b.is_constant()) return a.multiply(b.constant);
      if (!a.is_constant()) break;
      {
        const std::uint64_t multiplier = a.constant;
        a = b;
        return a.multiply(multiplier);
      }
    case operation::shift_left:
      if (b.is_constant() && b.constant <= 62) return a.multiply(std::uint64_t{1} << b.constant);
      break;
    default: break;
  }
  if (a.is_constant() && b.is_constant()) {
    return a.set_constant(
        apply(op, static_cast<long long>(a.constant), static_cast<long long>(b.constant)));
  }
  bool same_in_lanes = a.lanes_known && b.lanes_known;
  for (int d = 0; d < lane_dimensions; ++d)
    same_in_lanes = same_in_lanes && (a.coefficient(d) | b.coefficient(d)) == 0;
  a.lanes_known = same_in_lanes;
  a.known = false;
  a.constant = 0;
  a.size = 0;
}

// Writes the form of a variable or a constant.
BANKMODEL_FN void read_form(const node& leaf, const linear_form* variables, linear_form& result) {
  if (leaf.op == operation::constant)
    result.set_constant(leaf.value);
  else
    result = variables[leaf.value];
}
// Writes the form of a program without comparisons; `variables` has the form of each variable.
BANKMODEL_FN void read_form(const node* program, int size, const linear_form* variables,
                            int lane_dimensions, linear_form& result) {
  if (size == 1) return read_form(*program, variables, result);
  linear_form stack[max_index_depth];
  int top = -1;
  for (int index = 0; index < size; ++index) {
    const operation op = program[index].op;
    if (is_in(leaf_operations, op)) {
      top = pushed(top);
      read_form(program[index], variables, stack[top]);
      continue;
    }
    top += growth_of(op);
    combine(op, stack[top], stack[op == operation::negate ? top : top + 1], lane_dimensions);
  }
  result = stack[0];
}

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
