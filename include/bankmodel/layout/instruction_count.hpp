// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_INSTRUCTION_COUNT_HPP
#define BANKMODEL_LAYOUT_INSTRUCTION_COUNT_HPP

#include <bankmodel/layout/detail/device_index.hpp>

namespace bankmodel {

namespace detail {

// How many instructions nvcc makes of the parts of index functions (placed.hpp): a product and a
// sum are one, mad, but a product by a power of two is a shift, which has no sum in it.
BANKMODEL_FN int instructions_of_product(long long factor) {
  return factor == 0 || factor == 1 ? 0 : 1;
}

// value + factor * other
BANKMODEL_FN int instructions_of_added(long long factor) {
  return factor == 0 ? 0 : factor != 1 && is_power_of_two(factor) ? 2 : 1;
}

// factor * number + other_factor * other
BANKMODEL_FN int instructions_of_sum(long long factor, long long other_factor) {
  if (factor == 0 || other_factor == 0) return instructions_of_product(factor + other_factor);
  if (factor == other_factor) return 1 + instructions_of_product(factor);
  const long long unlike = factor == 1 || factor == -1 ? other_factor : factor,
                  like = factor == unlike ? other_factor : factor;
  if (like == 1) return instructions_of_added(unlike);
  if (like == -1) return 1 + instructions_of_product(unlike);
  return is_power_of_two(factor) && is_power_of_two(other_factor) ? 3 : 2;
}

BANKMODEL_FN int instructions_of_quotient(long long m, long long largest) {
  return is_power_of_two(m) || shift_of_quotient(m, largest) == 0 ? 1 : 2;
}
BANKMODEL_FN int instructions_of_modulo(long long m, long long largest, long long lowest) {
  if (lowest >= 0 && largest < m) return 0;
  return is_power_of_two(m) ? 1 : instructions_of_quotient(m, largest) + 1;
}
BANKMODEL_FN int instructions_of_sum_modulo(long long m, long long factor, long long other_factor,
                                            long long last, long long other_last) {
  const long long most = factor * last, other_most = other_factor * other_last;
  return instructions_of_sum(factor, other_factor) +
         instructions_of_modulo(m, (most > 0 ? most : 0) + (other_most > 0 ? other_most : 0),
                                (most < 0 ? most : 0) + (other_most < 0 ? other_most : 0));
}

// value + the triangle of a number, in elements
BANKMODEL_FN int instructions_of_added_triangle(int group) {
  return group == 1 ? 4 : group == 2 ? 2 : 3;
}

// From a column to its group, times a factor, and the other way. Of groups as many as the factor,
// one mask does both.
BANKMODEL_FN int instructions_of_groups(int group, long long factor, long long other_factor) {
  return group == 1 || factor == 0 ? 0 : factor == group && factor != other_factor ? 0 : 1;
}
BANKMODEL_FN int instructions_into_group(int group) { return group == 1 ? 0 : 2; }

BANKMODEL_FN int instructions_of_root(int bits) {
  if (bits == 1) return 2;
  const int terms = terms_of_root(bits);
  const bool begins_with_y =
      coefficient_of_root(terms, bits) == 1 && coefficient_of_root(terms - 1, bits) == 0;
  return 6 + terms - 1 - (begins_with_y ? 1 : 0);
}

BANKMODEL_FN int instructions_of_column(const layout& of) {
  const permutation& p = of.permutation;
  const long long width = of.extent[of.rank - 1], last_row = last_row_of(of);
  const int group = p.group;
  const long long step =
      p.family == layout_family::rotation ? simplest(p.number[0] % of.groups() * group, width) : 1;
  if (of.groups() == 1 || step == 0) return 0;
  int count = 0;
  for (int d = first_dimension_of_rows(of) + 1; d < of.rank - 1; ++d)
    count += instructions_of_added(of.extent[d]);
  if (p.family == layout_family::rotation)
    return count + instructions_of_sum_modulo(width, 1, step, width - 1, last_row);
  if (p.form == 0)
    return count + (group == 1 ? 0 : 1) + instructions_into_group(group) +
           instructions_of_added_triangle(group) + 1;
  if (p.form == 2)
    return count + (group == 1 ? 0 : 1) +
           instructions_of_root(trailing_zeros(static_cast<std::uint64_t>(of.groups()))) +
           instructions_into_group(group);
  const long long most = triangle_of(last_row) * group,
                  no_less = p.form == 1 || is_power_of_two(width)
                                ? 0
                                : (most + width - 1) / width * width;
  return count + instructions_of_added_triangle(group) + (no_less > 0 ? 1 : 0) +
         (p.form == 1 ? instructions_of_modulo(width, width - 1 + most, 0)
                      : instructions_of_modulo(width, no_less + width - 1, no_less - most));
}

BANKMODEL_FN int instructions_of_modular_column(const layout& of) {
  const four& t = of.permutation.number;
  const int group = of.permutation.group;
  const long long width = of.extent[1], groups = of.groups(), last_row = of.extent[0] - 1;
  const long long a = simplest(t[0], groups), b = simplest(t[1], groups);
  if (a == 1)
    return instructions_of_sum_modulo(width, 1, simplest(t[1] * group, width), width - 1, last_row);
  return instructions_of_groups(group, a, b) +
         instructions_of_sum_modulo(groups, a, b, groups - 1, last_row) +
         instructions_into_group(group);
}
BANKMODEL_FN int instructions_of_modular_row(const layout& of) {
  const four& t = of.permutation.number;
  const long long height = of.extent[0], c = simplest(t[2], height), d = simplest(t[3], height);
  return instructions_of_groups(of.permutation.group, c, d) +
         instructions_of_sum_modulo(height, c, d, of.groups() - 1, height - 1);
}

BANKMODEL_FN int instructions_of_xor(const layout& of) {
  const bits_moved move = changing_bits(of);
  return (move.alone ? 0 : 1) + (move.from == move.to ? 0 : 1) + 1;
}

// A mask is one instruction for all distances that have it: of bits that stay or move to the left
// behind the shift, elsewhere before. One of bits that stay, and of no others to the left, serves
// those to the right too.
BANKMODEL_FN int instructions_of_linear(const layout& of) {
  const bit_matrix by{of.permutation.number};
  const int bits = trailing_zeros(static_cast<std::uint64_t>(of.size()));
  const auto mask_of = [&](int right) { return mask_of_distance(by, bits, -right); };
  int count = -1;
  bool stay_alone = true;
  for (int right = 1 - bits; right < bits; ++right) {
    const long long mask = mask_of(right);
    if (mask == 0) continue;
    bool is_masked =
        !moves_all(mask, bits, right) && (right > 0 || is_shortest_to_there(by, bits, -right));
    for (int before = stay_alone ? 0 : 1; before < right; ++before)
      is_masked = is_masked && mask_of(before) != mask;
    if (right < 0 && mask << -right == mask_of(0)) stay_alone = false;
    count += (is_masked ? 1 : 0) + (right == 0 ? 0 : 1) + 1;
  }
  return count;
}

// Beyond the one that adds the row's multiple of any pitch.
BANKMODEL_FN int instructions_in_box(const layout& of) {
  const int group = of.permutation.group;
  const box_steps step = steps_in_box(of.permutation, of.stride[0] / group);
  const int count = step.columns == 1 ? instructions_of_added(step.rows * group)
                                      : instructions_of_groups(group, step.columns, step.rows) +
                                            instructions_of_sum(step.columns, step.rows) +
                                            instructions_into_group(group);
  return count > 1 ? count - 1 : 0;
}

BANKMODEL_FN int instructions_of_intervals(const layout& of) {
  if (of.interval >= of.extent[0]) return 0;
  const int shift = is_power_of_two(of.interval)
                        ? trailing_zeros(static_cast<std::uint64_t>(of.interval))
                        : shift_of_quotient(of.interval, of.extent[0] - 1);
  // down and up by as many bits
  const bool one_mask = shift != 0 && of.interval_padding == 1ll << shift;
  return instructions_of_quotient(of.interval, of.extent[0] - 1) +
         instructions_of_added(of.interval_padding) - (one_mask ? 1 : 0);
}

}  // namespace detail

// Integer instructions that the index function of tiles and element() takes beside a padded
// array's: from the column where C would have an element to that where it lies; of a modular
// layout the row too, each by itself; of a swizzle by XOR across rows, a linear layout and a
// transformation into a box from the element's number to its number. They are those of nvcc's PTX:
// a product and a sum are one, a shift and a sum two. What loops do not move is outside of them,
// where nvcc sees that.
//
//   padded        0        xor_swizzle   1 for t[r][c ^ r], 2 for t[r][c ^ (r % 8)], 3 where bits
//                 are shifted and masked
//   rotation      2 (3)    triangular    5 (6), of groups of 2 to 8 elements 3 to 7;
//                 inverse_triangular() of columns 7 and more
//   modular       2 to 13  linear        up to 3 for each distance by which bits move
// In parentheses: of a width that is no power of two. A step that is one, but not 1, is one more,
// as is each dimension from the third on, or two where its extent is a power of two.
BANKMODEL_FN int index_instructions(const layout& of) {
  if (of.interval != 0) return detail::instructions_of_intervals(of);
  switch (of.permutation.family) {
    case layout_family::xor_swizzle: return detail::instructions_of_xor(of);
    case layout_family::rotation:
    case layout_family::triangular: return detail::instructions_of_column(of);
    case layout_family::modular:
      return of.permutation.form == 1 ? detail::instructions_in_box(of)
                                      : detail::instructions_of_modular_column(of) +
                                            detail::instructions_of_modular_row(of);
    case layout_family::linear: return detail::instructions_of_linear(of);
    default: return 0;
  }
}

}  // namespace bankmodel

#endif
