// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUTS_PLACED_HPP
#define BANKMODEL_LAYOUTS_PLACED_HPP

#include <bankmodel/layout.hpp>

// The index functions that kernels run: what a layout says in 64 bits for any array, in as few instructions of 32 bits as one
// layout needs.
namespace bankmodel {

// What breaks a rule here is known to the compiler, so these are types: each compiler prints their numbers.
namespace rule {
template <int Given, int Rank>
struct coordinates_of_a_tile_must_match_the_rank {
  static_assert(Given == Rank,
                "bankmodel: a tile takes one coordinate for each dimension of its layout, see "
                "coordinates_of_a_tile_must_match_the_rank<given, rank>");
  static constexpr bool value = true;  // whoever reads it has passed the line above
};

template <long long Largest>
struct a_permuted_tile_must_be_indexed_in_31_bits {
  static_assert(Largest <= 0x7fffffff,
                "bankmodel: the index function of a permuted tile would leave 31 bits; use fewer rows, see "
                "a_permuted_tile_must_be_indexed_in_31_bits<largest intermediate value>");
  static constexpr bool value = true;
};
}  // namespace rule

namespace detail {

// Coordinates as they lie in storage; 0 beyond the rank.
struct place {
  int dimension_0 = 0, dimension_1 = 0, dimension_2 = 0, dimension_3 = 0;
};

// Whether a permutation is of numbers of the whole array, not of columns.
BANKMODEL_FN constexpr bool is_placed_as_a_whole(const layout& as) {
  const layout_family family = as.permutation.family;
  return family == layout_family::xor_swizzle || family == layout_family::linear || (family == layout_family::modular && as.permutation.form == 1);
}
BANKMODEL_FN constexpr int placed_rank(const layout& as) { return is_placed_as_a_whole(as) ? 1 : as.rank; }

// Elements that stay neighbours, from a multiple of them on; 0 where nothing parts them.
BANKMODEL_FN constexpr long long elements_kept_together(const layout& as) {
  if (as.permutation.family == layout_family::rows) return 0;  // all
  if (as.permutation.family != layout_family::linear) return as.permutation.group;
  const bit_matrix by{as.permutation.number};
  long long together = 16;
  for (int bit = 0; bit < 16; ++bit)
    for (; together > 1; together /= 2)
      if (1 << bit < together ? by[bit] == 1u << bit : by[bit] % static_cast<unsigned>(together) == 0) break;
  return together;
}

// The largest value on the way.
BANKMODEL_FN constexpr long long largest_intermediate(const layout& as) {
  const long long rows = as.rank > 1 ? as.rows() : 1, width = as.extent[as.rank - 1];
  switch (as.permutation.family) {
    case layout_family::triangular: return as.permutation.form == 2 ? 8 * width * width : rows * (rows + 1) * as.permutation.group + width * (width + 1);
    case layout_family::modular: return (rows + width) * (rows > width ? rows : width);
    default: return as.size();
  }
}

// `value` modulo M; not negative unless M is a power of two. Of 31 bits, so one multiplication does for any M, where a
// compiler that knows of 32 bits needs more for some.
template <long long M>
BANKMODEL_FN constexpr int modulo(int value) {
  if constexpr (is_power_of_two(M)) {
    return value & static_cast<int>(M - 1);
  } else {
    constexpr int bits = 32 + highest_bit(M);  // 2^bits / M, rounded up, is too large by less than 2^(bits - 31) / M
    constexpr auto reciprocal = ((std::uint64_t{1} << bits) - 1) / M + 1;
    return value - static_cast<int>(static_cast<unsigned>(value) * reciprocal >> bits) * static_cast<int>(M);
  }
}

// Group number of a column, and back; of groups of a power of two.
template <int Group>
BANKMODEL_FN constexpr int groups_in(int column) {
  return column >> trailing_zeros(Group);
}
template <int Group>
BANKMODEL_FN constexpr int in_group(int group, int column) {
  if constexpr (Group == 1)
    return group;
  else
    return group << trailing_zeros(Group) | (column & (Group - 1));
}

// A factor as it is, or below 0 where that has a smaller one: modulo a power of two both do.
BANKMODEL_FN constexpr int shortest(long long factor, long long modulus) {
  factor = least_remainder(factor, modulus);
  return static_cast<int>(is_power_of_two(modulus) && 2 * factor > modulus ? factor - modulus : factor);
}

BANKMODEL_FN constexpr int triangle_of(int number) { return number * (number + 1) >> 1; }

// Column and step are in elements here, since rotating groups by one is rotating elements by a group.
template <layout L>
BANKMODEL_FN constexpr int permuted_column(int row, int column) {
  constexpr permutation p = L.permutation;
  constexpr long long width = L.extent[L.rank - 1];
  constexpr int group = p.group, mask = static_cast<int>(L.groups()) - 1;
  if constexpr (p.family == layout_family::rotation) {
    return modulo<width>(column + shortest(p.number.dimension_0 * group, width) * row);
  } else if constexpr (p.form == 1) {
    return modulo<width>(column + triangle_of(row) * group);
  } else if constexpr (p.form == 3) {
    const int triangle = triangle_of(row);
    if constexpr (is_power_of_two(width))
      return (column - triangle * group) & static_cast<int>(width - 1);
    else
      return modulo<width>(column + (static_cast<int>(L.groups()) - modulo<L.groups()>(triangle)) * group);
  } else {
    const int of_groups = groups_in<group>(column);
    int permuted = 0;
    if constexpr (p.form == 0) {
      permuted = (row + triangle_of(of_groups)) & mask;
    } else {
      const int square = 8 * ((of_groups - row) & mask) + 1;
      int root = 1;
      for (int bit = 8; bit < 8 * (mask + 1); bit *= 2) root += ((root * root - square) & bit) >> 1;
      permuted = (root > 2 * (mask + 1) ? 4 * (mask + 1) - root : root) >> 1;
    }
    return in_group<group>(permuted, column);
  }
}

// The bits that a swizzle changes others by, in their places, where each row begins with as many zeros.
template <layout L>
BANKMODEL_FN constexpr int changing_bits(int number) {
  constexpr xor_numbers at = numbers_of_xor(L.permutation);
  constexpr int mask = static_cast<int>(at.mask << at.from);
  if constexpr (at.from >= at.to)
    return (number & mask) >> (at.from - at.to);
  else
    return (number & mask) << (at.to - at.from);
}

template <layout L>
BANKMODEL_FN constexpr int number_in_box(int row, int column) {
  constexpr int group = L.permutation.group;
  constexpr box_steps step = steps_in_box(L.permutation, L.pitch.dimension_0 / group);
  return in_group<group>(static_cast<int>(step.columns) * groups_in<group>(column) + static_cast<int>(step.rows) * row, column);
}

template <bit_matrix By, int Bits, int Distance = 1 - Bits>
BANKMODEL_FN constexpr int linear_number(int number) {
  if constexpr (Distance == Bits) {
    return 0;
  } else {
    constexpr int mask = static_cast<int>(mask_of_distance(By, Bits, Distance));
    const int others = linear_number<By, Bits, Distance + 1>(number);
    if constexpr (mask == 0)
      return others;
    else if constexpr (Distance < 0)
      return others ^ ((number & mask) >> -Distance);
    else
      return others ^ ((number & mask) << Distance);
  }
}

template <layout L>
BANKMODEL_FN constexpr int unpermuted_number(const place& at) {
  return at.dimension_0 * static_cast<int>(L.pitch.dimension_0) + at.dimension_1 * static_cast<int>(L.pitch.dimension_1) +
         at.dimension_2 * static_cast<int>(L.pitch.dimension_2) + at.dimension_3 * static_cast<int>(L.pitch.dimension_3);
}

// Where L puts these coordinates. All that tiles do to an index, they do here, and every access comes through here.
// In 32 bits, because 64 cost a kernel more; signed, like the int of an index written by hand, because the compiler then
// assumes that no sum wraps around, and folds the steps of loops into the addresses. Within the extents none does.
template <layout L, number... Coordinates>
BANKMODEL_FN constexpr place placed(Coordinates... coordinates) {
  static_assert(rule::coordinates_of_a_tile_must_match_the_rank<sizeof...(Coordinates), L.rank>::value);
  static_assert(rule::a_permuted_tile_must_be_indexed_in_31_bits<largest_intermediate(L)>::value);
  constexpr layout_family family = L.permutation.family;
  place at{static_cast<int>(coordinates)...};
  if constexpr (L.interval != 0 && L.interval < L.extent.dimension_0) {
    constexpr auto every = static_cast<unsigned>(L.interval), unused = static_cast<unsigned>(L.interval_padding);
    if constexpr (is_power_of_two(every))
      at.dimension_0 += (at.dimension_0 >> trailing_zeros(every)) * static_cast<int>(unused);
    else
      at.dimension_0 += static_cast<int>(static_cast<unsigned>(at.dimension_0) / every * unused);
  } else if constexpr (family == layout_family::rows) {
  } else if constexpr (family == layout_family::linear) {
    constexpr int bits = trailing_zeros(static_cast<std::uint64_t>(L.size()));
    return {linear_number<bit_matrix{L.permutation.number}, bits>(unpermuted_number<L>(at))};
  } else if constexpr (family == layout_family::xor_swizzle) {
    const int number = unpermuted_number<L>(at);
    return {number ^ changing_bits<L>(number)};
  } else if constexpr (is_placed_as_a_whole(L)) {
    return {number_in_box<L>(at.dimension_0, at.dimension_1)};
  } else if constexpr (family == layout_family::modular) {
    constexpr four t = L.permutation.number;
    constexpr int group = L.permutation.group;
    constexpr long long width = L.groups(), height = L.extent.dimension_0;
    const int of_groups = groups_in<group>(at.dimension_1);
    const int to = modulo<width>(shortest(t.dimension_0, width) * of_groups + shortest(t.dimension_1, width) * at.dimension_0);
    at.dimension_0 = modulo<height>(shortest(t.dimension_2, height) * of_groups + shortest(t.dimension_3, height) * at.dimension_0);
    at.dimension_1 = in_group<group>(to, at.dimension_1);
  } else if constexpr (L.rank == 2) {
    at.dimension_1 = permuted_column<L>(at.dimension_0, at.dimension_1);
  } else if constexpr (L.rank == 3) {
    at.dimension_2 = permuted_column<L>(at.dimension_0 * static_cast<int>(L.extent.dimension_1) + at.dimension_1, at.dimension_2);
  } else {
    const int plane = at.dimension_0 * static_cast<int>(L.extent.dimension_1) + at.dimension_1;
    at.dimension_3 = permuted_column<L>(plane * static_cast<int>(L.extent.dimension_2) + at.dimension_2, at.dimension_3);
  }
  return at;
}

}  // namespace detail
}  // namespace bankmodel

#endif
