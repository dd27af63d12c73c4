// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_INSTRUCTION_COUNT_HPP
#define BANKMODEL_LAYOUT_INSTRUCTION_COUNT_HPP

#include <bankmodel/layout/detail/device_index.hpp>
#include <bankmodel/layout/families.hpp>

namespace bankmodel {

namespace detail {

// The number of instructions that nvcc generates for the steps of a program: a product and a sum
// are one (mad), but a product by a power of two is a shift, and its sum a second instruction. A
// result that is read twice is computed once.
class instruction_count {
 public:
  BANKMODEL_FN explicit instruction_count(const index_program& program) : program_(program) {}

  BANKMODEL_FN int step_cost(int step) {
    if (is_counted_[step]) return 0;
    is_counted_[step] = true;
    const program_step& s = program_.step[step];
    switch (s.kind) {
      case step_kind::coordinate:
      case step_kind::number:
      case step_kind::constant: return 0;
      case step_kind::add: return of_sum(s);
      case step_kind::bit_xor: return step_cost(s.left) + step_cost(s.right) + 1;
      case step_kind::multiply: return step_cost(s.left) + of_product(s.value);
      case step_kind::divide:
        return step_cost(s.left) + of_quotient(s.value, program_.step[s.left].highest);
      case step_kind::remainder:
        return step_cost(s.left) + (is_power_of_two(s.value)
                                        ? 1
                                        : of_quotient(s.value, program_.step[s.left].highest) + 1);
      case step_kind::bit_and:
      case step_kind::shift_left:
      case step_kind::shift_right: return step_cost(s.left) + 1;
      case step_kind::triangle: return step_cost(s.left) + 3;
      case step_kind::triangular_root:
        return step_cost(s.left) + of_root(trailing_zeros(static_cast<std::uint64_t>(s.value)));
      case step_kind::in_group: return step_cost(s.left) + step_cost(s.right) + 2;
    }
    return 0;
  }

 private:
  BANKMODEL_FN static int of_product(long long factor) {
    return factor == 0 || factor == 1 ? 0 : 1;
  }
  // value + factor * other
  BANKMODEL_FN static int of_added(long long factor) {
    return factor != 1 && is_power_of_two(factor) ? 2 : 1;
  }
  // factor * number + other_factor * other
  BANKMODEL_FN static int of_two_products(long long factor, long long other_factor) {
    if (factor == other_factor) return 1 + of_product(factor);
    const long long unlike = factor == 1 || factor == -1 ? other_factor : factor,
                    like = factor == unlike ? other_factor : factor;
    if (like == 1) return of_added(unlike);
    if (like == -1) return 1 + of_product(unlike);
    return is_power_of_two(factor) && is_power_of_two(other_factor) ? 3 : 2;
  }
  BANKMODEL_FN static int of_quotient(long long m, long long largest) {
    return is_power_of_two(m) || shift_of_quotient(m, largest) == 0 ? 1 : 2;
  }
  // Without the difference that it begins with.
  BANKMODEL_FN static int of_root(int bits) {
    const int terms = terms_of_root(bits);
    const bool begins_with_y =
        coefficient_of_root(terms, bits) == 1 && coefficient_of_root(terms - 1, bits) == 0;
    return 5 + terms - 1 - (begins_with_y ? 1 : 0);
  }

  // A product by a constant.
  struct product {
    int step;
    long long factor;
  };
  BANKMODEL_FN product product_in(int step) const {
    const program_step& s = program_.step[step];
    return s.kind == step_kind::multiply ? product{s.left, s.value} : product{step, 1};
  }
  BANKMODEL_FN bool is_triangle(const product& p) const {
    return program_.step[p.step].kind == step_kind::triangle;
  }

  BANKMODEL_FN int of_sum(const program_step& s) {
    product a = product_in(s.left), b = product_in(s.right);
    if (program_.step[b.step].kind == step_kind::constant) return step_cost(s.left) + 1;
    if (is_triangle(a)) {
      const product other = a;
      a = b;
      b = other;
    }
    if (is_triangle(b)) {
      const int parts = step_cost(program_.step[b.step].left);
      return step_cost(b.step == product_in(s.right).step ? s.left : s.right) + parts +
             (b.factor % 2 != 0                 ? 4
              : b.factor == 2 || b.factor == -2 ? 2
                                                : 3);
    }
    return of_groups(a, b.factor) + of_groups(b, a.factor) + of_two_products(a.factor, b.factor);
  }
  // A quotient that is shifted down and then up by the same number of bits is one mask.
  BANKMODEL_FN int of_groups(const product& p, long long other_factor) {
    const program_step& s = program_.step[p.step];
    if (s.kind != step_kind::divide || p.factor == other_factor) return step_cost(p.step);
    const bool is_power = is_power_of_two(s.value);
    const long long shift_factor =
        is_power ? s.value : 1ll << shift_of_quotient(s.value, program_.step[s.left].highest);
    return step_cost(p.step) - (shift_factor == p.factor && shift_factor != 1 ? 1 : 0);
  }

  const index_program& program_;
  bool is_counted_[index_program::most_steps] = {};
};

}  // namespace detail

// Returns the integer instructions that the index function of tiles and element() adds to those of
// a padded array, as counted in nvcc's PTX (a product and a sum are one, a shift and a sum two). In
// a loop the kernel may need fewer: nvcc moves instructions that do not change out of it.
//
//   padded       0
//   xor_swizzle  1 for t[r][c ^ r], 2 for t[r][c ^ (r % 8)], 3 if bits are shifted and masked
//   rotation     2 (3)
//   triangular   5 (6), of groups of 2 to 8 elements 3 to 7; inverse of columns 7 or more
//   modular      2 to 13
//   linear       up to 3 for each distance by which bits move, or 4 for each bit that moves: of
//                these the fewest that cover all
//
// In parentheses: the width is not a power of two. A rotation's step that is a power of two above 1
// adds one. Each dimension from the third on adds one, or two if its extent is a power of two.
BANKMODEL_FN int index_instructions(const layout& array_layout) {
  if (array_layout.interval == 0 && array_layout.permutation.family == layout_family::rows)
    return 0;
  detail::index_program program;
  detail::write_program(array_layout, program, true);
  int count = 0;
  for (int d = 0; d < program.results; ++d)
    count += detail::instruction_count(program).step_cost(program.result[d]);
  // A number computed from row and column includes the row's multiple of the stride.
  bool reads_number = array_layout.rank == 1 || program.results > 1;
  for (int step = 0; step < program.steps; ++step)
    reads_number = reads_number || program.step[step].kind == detail::step_kind::number;
  return reads_number || count == 0 ? count : count - 1;
}

}  // namespace bankmodel

#endif
