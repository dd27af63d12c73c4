// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_DETAIL_DEVICE_INDEX_HPP
#define BANKMODEL_LAYOUT_DETAIL_DEVICE_INDEX_HPP

#include <bankmodel/layout/layout.hpp>

// The index functions that kernels run: what a layout says in 64 bits for any array, in as few
// instructions of 32 bits as one layout needs.
namespace bankmodel {

// What breaks a rule here is known to the compiler, so these are types: each compiler prints their
// numbers.
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
  static_assert(
      Largest <= 0x7fffffff,
      "bankmodel: the index function of a permuted tile would leave 31 bits; use fewer rows, see "
      "a_permuted_tile_must_be_indexed_in_31_bits<largest intermediate value>");
  static constexpr bool value = true;
};
}  // namespace rule

namespace detail {

// Coordinates as they lie in storage; 0 beyond the rank.
struct place {
  int dimension_0 = 0, dimension_1 = 0, dimension_2 = 0, dimension_3 = 0;

  BANKMODEL_FN int& operator[](int dimension) {
    return dimension == 0   ? dimension_0
           : dimension == 1 ? dimension_1
           : dimension == 2 ? dimension_2
                            : dimension_3;
  }
};

// The dimension whose coordinate holds all bits that change others, where an XOR changes bits of
// the column only: then it is one of columns, t[r][c ^ r]. -1 where it is one of the whole number.
BANKMODEL_FN int dimension_of_changing_bits(const layout& as) {
  if (as.permutation.family != layout_family::xor_swizzle) return -1;
  const xor_numbers at = numbers_of_xor(as.permutation);
  for (int d = 0; d < as.rank - 1; ++d)
    if (as.stride[d] % at.block != 0) return -1;
  for (int d = as.rank - 1; d >= 0; --d) {
    bool is_apart = is_power_of_two(as.stride[d]) && as.stride[d] <= 1ll << at.from;
    for (int outer = 0; outer < d; ++outer)
      is_apart = is_apart && as.stride[outer] % ((at.mask + 1) << at.from) == 0;
    if (is_apart) return d;
  }
  return -1;
}

// Whether a permutation is of numbers of the whole array, not of columns.
BANKMODEL_FN bool is_placed_as_a_whole(const layout& as) {
  const layout_family family = as.permutation.family;
  return (family == layout_family::xor_swizzle && dimension_of_changing_bits(as) < 0) ||
         family == layout_family::linear ||
         (family == layout_family::modular && as.permutation.form == 1);
}
BANKMODEL_FN int placed_rank(const layout& as) { return is_placed_as_a_whole(as) ? 1 : as.rank; }

// Elements that stay neighbours, from a column that is a multiple of them on; 0 where nothing
// parts them.
BANKMODEL_FN long long elements_kept_together(const layout& as) {
  const layout_family family = as.permutation.family;
  if (family == layout_family::rows) return 0;  // all
  long long together = as.permutation.group;
  // groups of numbers, which begin with a row only where the row does with one
  if (family == layout_family::xor_swizzle)
    for (int d = 0; d < as.rank - 1; ++d)
      while (as.stride[d] % together != 0) together /= 2;
  if (family != layout_family::linear) return together;
  const bit_matrix by{as.permutation.number};
  together = 16;
  for (int bit = 0; bit < 16; ++bit)
    for (; together > 1; together /= 2)
      if (1 << bit < together ? by[bit] == 1u << bit
                              : by[bit] % static_cast<unsigned>(together) == 0)
        break;
  return together;
}

// The largest value on the way.
BANKMODEL_FN long long largest_intermediate(const layout& as) {
  const long long rows = as.rank > 1 ? as.rows() : 1, width = as.extent[as.rank - 1],
                  group = as.permutation.group;
  switch (as.permutation.family) {
    case layout_family::triangular:
      if (as.permutation.form == 2) return as.size();  // its powers of columns wrap around
      return as.permutation.form == 0 ? width * (width + 1) + rows * group
                                      : rows * (rows + 1) * group + 2 * width;
    case layout_family::modular:
      return as.permutation.form == 1 ? as.size() : (rows + width) * (rows > width ? rows : width);
    default: return as.size();
  }
}

// The upper half of a product of 32 bits by 32. nvcc makes three instructions of what is written
// here for all compilers.
BANKMODEL_FN unsigned upper_half(unsigned a, unsigned b) {
#if defined(__CUDA_ARCH__)
  if (!__builtin_is_constant_evaluated()) return __umulhi(a, b);
#endif
  return static_cast<unsigned>(std::uint64_t{a} * b >> 32);
}

// `value` / M, of 0 to Largest; M is no power of two. It is the upper half of a product with 2^(32
// + shift) / M, rounded up, and that shift: 0 where values are small enough for the rounding not
// to show, as nearly always. With 31 bits the other one is enough for any M, where a compiler,
// which knows of 32, needs more for some.
BANKMODEL_FN int shift_of_quotient(long long m, long long largest) {
  const long long rounded_by = m - (1ll << 32) % m;
  return rounded_by * largest < 1ll << 32 ? 0 : highest_bit(static_cast<std::uint64_t>(m));
}

template <long long M, long long Largest>
BANKMODEL_FN int quotient(int value) {
  constexpr int shift = shift_of_quotient(M, Largest);
  constexpr auto reciprocal =
      static_cast<unsigned>(((std::uint64_t{1} << (32 + shift)) - 1) / M + 1);
  return static_cast<int>(upper_half(static_cast<unsigned>(value), reciprocal) >> shift);
}

// `value` modulo M. It is Lowest to Largest, and not negative unless M is a power of two.
template <long long M, long long Largest = 0x7fffffff, long long Lowest = 0>
BANKMODEL_FN int modulo(int value) {
  if constexpr (Lowest >= 0 && Largest < M) {
    return value;
  } else if constexpr (is_power_of_two(M)) {
    return value & static_cast<int>(M - 1);
  } else {
    return value - quotient<M, Largest>(value) * static_cast<int>(M);
  }
}

// Group number of a column, and back; of groups of a power of two.
template <int Group>
BANKMODEL_FN int groups_in(int column) {
  return column >> trailing_zeros(Group);
}
template <int Group>
BANKMODEL_FN int in_group(int group, int column) {
  if constexpr (Group == 1)
    return group;
  else
    return group << trailing_zeros(Group) | (column & (Group - 1));
}

// A factor modulo `modulus`: 0 or more, or -1, which modulo a power of two does as well as modulus
// - 1.
BANKMODEL_FN int simplest(long long factor, long long modulus) {
  factor = least_remainder(factor, modulus);
  return static_cast<int>(
      is_power_of_two(modulus) && modulus > 2 && factor == modulus - 1 ? -1 : factor);
}

// (factor * number + other_factor * other) modulo M, of numbers from 0 to `last` and `other_last`.
template <long long M, int Factor, int OtherFactor, long long Last, long long OtherLast>
BANKMODEL_FN int sum_modulo(int number, int other) {
  constexpr long long most = Factor * Last, other_most = OtherFactor * OtherLast;
  return modulo<M, (most > 0 ? most : 0) + (other_most > 0 ? other_most : 0),
                (most < 0 ? most : 0) + (other_most < 0 ? other_most : 0)>(Factor * number +
                                                                           OtherFactor * other);
}

BANKMODEL_FN long long triangle_of(long long number) { return number * (number + 1) / 2; }

// The triangle of a number, in elements of groups; or what is that much below 0.
template <int Group, bool Below = false>
BANKMODEL_FN int triangle_in_groups(int number) {
  const int next = Below ? ~number : number + 1;
  if constexpr (Group == 1)
    return number * next >> 1;
  else
    return number * next * (Group / 2);
}

// The inverse of triangles of columns: see triangular_root(). With y = -2 remainder, (sqrt(1 + 8
// remainder) - 1) / 2 is
//   -(y + y^2 + 2 y^3 + 5 y^4 + 14 y^5 + ..), the Catalan numbers,
// which ends, since y is even and only what is left modulo 2 * width counts. The other root is
// that much below -1.
BANKMODEL_FN int catalan(int number, int bits) {
  std::uint64_t all[32] = {1};  // modulo 2^64
  for (int n = 1; n <= number; ++n)
    for (int part = 0; part < n; ++part) all[n] += all[part] * all[n - 1 - part];
  return static_cast<int>(all[number] & ((std::uint64_t{1} << bits) - 1));
}
BANKMODEL_FN int terms_of_root(int bits) {
  int terms = bits;
  while (catalan(terms - 1, bits + 1 - terms) == 0) --terms;
  return terms;
}
// Or any that differs by what does not count: a power of two, when y is known to be even, costs a
// shift or an OR of its own.
BANKMODEL_FN int coefficient_of_root(int term, int bits) {
  const int least = catalan(term - 1, bits + 1 - term);
  const bool is_only_y = term == terms_of_root(bits) && least == 1;
  return is_power_of_two(least) && !is_only_y ? least + (1 << (bits + 1 - term)) : least;
}
template <int Bits, int Term = 1>
BANKMODEL_FN unsigned series_of_root(unsigned y) {
  constexpr auto coefficient = static_cast<unsigned>(coefficient_of_root(Term, Bits));
  if constexpr (Term == terms_of_root(Bits))
    return coefficient;
  else
    return series_of_root<Bits, Term + 1>(y) * y + coefficient;
}
template <int Bits>
BANKMODEL_FN int column_of_triangle(int row, int place) {
  if constexpr (Bits == 1) {
    return (place + row) & 1;
  } else {
    constexpr unsigned mask = (2u << Bits) - 1;
    const unsigned y = 2 * static_cast<unsigned>(row - place);
    const unsigned root = (series_of_root<Bits>(y) * y - 1) & mask, other = root ^ mask;
    return static_cast<int>(root < other ? root : other);
  }
}

// Rows are counted through from this dimension on: what lies further out moves columns by whole
// widths.
BANKMODEL_FN int first_dimension_of_rows(const layout& as) {
  const long long groups = as.groups();
  long long period = groups, rows = 1;
  if (as.permutation.family == layout_family::rotation)
    period = groups / greatest_common_divisor(groups, as.permutation.number[0] % groups);
  if (as.permutation.family == layout_family::triangular && as.permutation.form % 2 == 1 &&
      groups % 2 == 0)
    period = 2 * groups;
  for (int d = as.rank - 2; d >= 0; --d) {
    if (d < as.rank - 2 && rows % period == 0) return d + 1;
    rows *= as.extent[d];
  }
  return 0;
}
BANKMODEL_FN long long last_row_of(const layout& as) {
  long long rows = 1;
  for (int d = first_dimension_of_rows(as); d < as.rank - 1; ++d) rows *= as.extent[d];
  return rows - 1;
}

// Column, step and triangles of rows are in elements here, since rotating groups by one is
// rotating elements by a group.
template <layout L>
BANKMODEL_FN int permuted_column(int row, int column) {
  constexpr permutation p = L.permutation;
  constexpr long long width = L.extent[L.rank - 1], last_row = last_row_of(L);
  constexpr int group = p.group;
  if constexpr (L.groups() == 1) {
    return column;
  } else if constexpr (p.family == layout_family::rotation) {
    return sum_modulo<width, 1, simplest(p.number.dimension_0 % L.groups() * group, width),
                      width - 1, last_row>(column, row);
  } else if constexpr (p.form == 0) {
    const int of_groups = groups_in<group>(column);
    return (in_group<group>(row, column) + triangle_in_groups<group>(of_groups)) &
           static_cast<int>(width - 1);
  } else if constexpr (p.form == 1) {
    return modulo<width, width - 1 + triangle_of(last_row) * group>(column +
                                                                    triangle_in_groups<group>(row));
  } else if constexpr (p.form == 2) {
    constexpr int bits = trailing_zeros(static_cast<std::uint64_t>(L.groups()));
    return in_group<group>(column_of_triangle<bits>(row, groups_in<group>(column)), column);
  } else {
    constexpr long long most = triangle_of(last_row) * group,
                        no_less = is_power_of_two(width) ? 0 : (most + width - 1) / width * width;
    return modulo<width, no_less + width - 1, no_less - most>(
        column + triangle_in_groups<group, true>(row) + static_cast<int>(no_less));
  }
}

// The bits of a coordinate, or of a number, that change others by an XOR: where they begin, where
// those begin, and whether a shift alone brings them there, since a coordinate has no others that
// would come along.
struct bits_moved {
  int from, to;
  bool alone;
};
BANKMODEL_FN bits_moved changing_bits(const layout& as) {
  const xor_numbers at = numbers_of_xor(as.permutation);
  const int d = dimension_of_changing_bits(as);
  const int from =
      d < 0 ? at.from : at.from - trailing_zeros(static_cast<std::uint64_t>(as.stride[d]));
  const long long end = d >= 0 ? as.extent[d] : as.extent[0] * as.stride[0];
  return {from, at.to, (end - 1) >> from <= at.mask && (from == 0 || at.to == 0)};
}
template <layout L>
BANKMODEL_FN int changing_bits(int number) {
  constexpr bits_moved move = changing_bits(L);
  constexpr int mask = static_cast<int>(numbers_of_xor(L.permutation).mask << move.from);
  const int bits = move.alone ? number : number & mask;
  if constexpr (move.from >= move.to)
    return bits >> (move.from - move.to);
  else
    return bits << (move.to - move.from);
}

template <layout L>
BANKMODEL_FN int number_in_box(int row, int column) {
  constexpr int group = L.permutation.group;
  constexpr box_steps step = steps_in_box(L.permutation, L.stride.dimension_0 / group);
  if constexpr (step.columns == 1)
    return column + static_cast<int>(step.rows * group) * row;
  else
    return in_group<group>(static_cast<int>(step.columns) * groups_in<group>(column) +
                               static_cast<int>(step.rows) * row,
                           column);
}

// Bits that move to the right are masked before they do, unless no others are left then.
BANKMODEL_FN bool moves_all(long long mask, int bits, int right) {
  return right >= 0 && mask == (1ll << bits) - (1ll << right);
}

// Bits that stay or move to the left are masked behind, those together that come to the same
// places by several distances.
template <bit_matrix By, int Bits, long long There, int Left = 0>
BANKMODEL_FN int moved_left_to(int number) {
  if constexpr (Left == Bits) {
    return 0;
  } else {
    const int others = moved_left_to<By, Bits, There, Left + 1>(number);
    return mask_of_distance(By, Bits, Left) << Left == There ? others ^ number << Left : others;
  }
}
BANKMODEL_FN bool is_shortest_to_there(const bit_matrix& by, int bits, int left) {
  for (int shorter = 0; shorter < left; ++shorter)
    if (mask_of_distance(by, bits, shorter) << shorter == mask_of_distance(by, bits, left) << left)
      return false;
  return true;
}

template <bit_matrix By, int Bits, int Right = Bits - 1>
BANKMODEL_FN int linear_number(int number) {
  if constexpr (Right == -Bits) {
    return 0;
  } else {
    constexpr long long mask = mask_of_distance(By, Bits, -Right);
    const int others = linear_number<By, Bits, Right - 1>(number);
    if constexpr (mask == 0 || (Right <= 0 && !is_shortest_to_there(By, Bits, -Right)))
      return others;
    else if constexpr (moves_all(mask, Bits, Right))
      return others ^ number >> Right;
    else if constexpr (Right <= 0)
      return others ^
             (moved_left_to<By, Bits, mask << -Right>(number) & static_cast<int>(mask << -Right));
    else
      return others ^ (number & static_cast<int>(mask)) >> Right;
  }
}

template <layout L>
BANKMODEL_FN int unpermuted_number(const place& at) {
  return at.dimension_0 * static_cast<int>(L.stride.dimension_0) +
         at.dimension_1 * static_cast<int>(L.stride.dimension_1) +
         at.dimension_2 * static_cast<int>(L.stride.dimension_2) +
         at.dimension_3 * static_cast<int>(L.stride.dimension_3);
}

// Where L puts these coordinates. All that tiles do to an index, they do here, and every access
// comes through here. In 32 bits, because 64 cost a kernel more; signed, like the int of an index
// written by hand, because the compiler then assumes that no sum wraps around, and folds the steps
// of loops into the addresses. Within the extents none does.
template <layout L, number... Coordinates>
BANKMODEL_FN place placed(Coordinates... coordinates) {
  static_assert(
      rule::coordinates_of_a_tile_must_match_the_rank<sizeof...(Coordinates), L.rank>::value);
  static_assert(rule::a_permuted_tile_must_be_indexed_in_31_bits<largest_intermediate(L)>::value);
  constexpr layout_family family = L.permutation.family;
  place at{static_cast<int>(coordinates)...};
  if constexpr (L.interval != 0 && L.interval < L.extent.dimension_0) {
    constexpr int unused = static_cast<int>(L.interval_padding);
    if constexpr (is_power_of_two(L.interval))
      at.dimension_0 += (at.dimension_0 >> trailing_zeros(L.interval)) * unused;
    else
      at.dimension_0 += quotient<L.interval, L.extent.dimension_0 - 1>(at.dimension_0) * unused;
  } else if constexpr (family == layout_family::rows) {
  } else if constexpr (family == layout_family::linear) {
    constexpr int bits = trailing_zeros(static_cast<std::uint64_t>(L.size()));
    return {linear_number<bit_matrix{L.permutation.number}, bits>(unpermuted_number<L>(at))};
  } else if constexpr (family == layout_family::xor_swizzle) {
    constexpr int dimension = dimension_of_changing_bits(L);
    if constexpr (dimension < 0) {
      const int number = unpermuted_number<L>(at);
      return {number ^ changing_bits<L>(number)};
    } else {
      at[L.rank - 1] ^= changing_bits<L>(at[dimension]);
    }
  } else if constexpr (is_placed_as_a_whole(L)) {
    return {number_in_box<L>(at.dimension_0, at.dimension_1)};
  } else if constexpr (family == layout_family::modular) {
    constexpr four t = L.permutation.number;
    constexpr int group = L.permutation.group;
    constexpr long long width = L.groups(), height = L.extent.dimension_0;
    constexpr int a = simplest(t.dimension_0, width), b = simplest(t.dimension_1, width);
    constexpr int c = simplest(t.dimension_2, height), d = simplest(t.dimension_3, height);
    const int of_groups = groups_in<group>(at.dimension_1);
    int column = 0;
    if constexpr (a == 1) {  // in elements, as in a rotation
      constexpr long long elements = width * group;
      column = sum_modulo<elements, 1, simplest(t.dimension_1 * group, elements), elements - 1,
                          height - 1>(at.dimension_1, at.dimension_0);
    } else {
      column =
          in_group<group>(sum_modulo<width, a, b, width - 1, height - 1>(of_groups, at.dimension_0),
                          at.dimension_1);
    }
    at.dimension_0 = sum_modulo<height, c, d, width - 1, height - 1>(of_groups, at.dimension_0);
    at.dimension_1 = column;
  } else {
    constexpr int first = first_dimension_of_rows(L);
    int row = at[first];
    if constexpr (first < 1 && L.rank > 2)
      row = row * static_cast<int>(L.extent.dimension_1) + at.dimension_1;
    if constexpr (first < 2 && L.rank > 3)
      row = row * static_cast<int>(L.extent.dimension_2) + at.dimension_2;
    at[L.rank - 1] = permuted_column<L>(row, at[L.rank - 1]);
  }
  return at;
}

}  // namespace detail
}  // namespace bankmodel

#endif
