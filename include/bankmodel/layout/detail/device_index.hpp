// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_DETAIL_DEVICE_INDEX_HPP
#define BANKMODEL_LAYOUT_DETAIL_DEVICE_INDEX_HPP

#include <bankmodel/layout/program_writer.hpp>

#include <bankmodel/core/hide_macros.hpp>

// Compile-time index functions for device code: 32-bit arithmetic, specialised for one layout.
namespace bankmodel {

// These rules are types, because their values are constants: each compiler prints them.
namespace rule {
template <int Given, int Rank>
struct coordinates_of_a_tile_must_match_the_rank {
  static_assert(Given == Rank,
                "bankmodel: a tile takes one coordinate for each dimension of its layout, see "
                "coordinates_of_a_tile_must_match_the_rank<given, rank>");
  static constexpr bool value = true;  // reading it instantiates the line above
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

// Coordinates in storage; 0 from the rank on.
struct place {
  int dimension_0 = 0, dimension_1 = 0, dimension_2 = 0, dimension_3 = 0;

  BANKMODEL_FN int& operator[](int dimension) {
    return dimension == 0   ? dimension_0
           : dimension == 1 ? dimension_1
           : dimension == 2 ? dimension_2
                            : dimension_3;
  }
};

// The program of a layout's index function, in the form for kernels.
template <layout L>
struct kernel_program {
  BANKMODEL_FN static index_program written() {
    index_program result{};
    write_program(L, result, true);
    return result;
  }
  static constexpr index_program value = written();
};

// True if the index function gives a number, not coordinates.
template <layout L>
BANKMODEL_FN bool is_placed_as_a_whole() {
  if constexpr (L.permutation.family == layout_family::rows || L.rank == 1)
    return false;
  else
    return kernel_program<L>::value.results == 1;
}
template <layout L>
constexpr int placed_rank = is_placed_as_a_whole<L>() ? 1 : L.rank;

// The number of elements, from a column that is a multiple of it on, that stay neighbours; 0 if all
// of a row do.
BANKMODEL_FN long long elements_kept_together(const layout& array_layout) {
  return array_layout.permutation.family == layout_family::rows
             ? 0
             : functions_of(array_layout.permutation).kept_together(array_layout);
}

// The largest absolute value of an intermediate result. (A triangle is computed from its double.)
BANKMODEL_FN long long largest_intermediate(const index_program& program, long long size) {
  long long largest = size;
  for (int step = 0; step < program.steps; ++step) {
    const program_step& s = program.step[step];
    const long long highest = s.kind == step_kind::triangle ? 2 * s.highest : s.highest;
    if (highest > largest) largest = highest;
    if (-s.lowest > largest) largest = -s.lowest;
  }
  return largest;
}

// The upper half of a product of 32 bits by 32. nvcc would generate three instructions for the
// portable code.
BANKMODEL_FN unsigned upper_half(unsigned a, unsigned b) {
#if defined(__CUDA_ARCH__)
  if (!__builtin_is_constant_evaluated()) return __umulhi(a, b);
#endif
  return static_cast<unsigned>(std::uint64_t{a} * b >> 32);
}

// `value` / M, for 0 to Largest and M not a power of two, is the upper half of a product with
// 2^(32 + shift) / M, rounded up, shifted down by `shift`. The shift is 0 if values are so small
// that the rounding does not matter, which is nearly always so. The other shift is enough for
// values of 31 bits and any M; compilers, which must allow 32 bits, need more for some M.
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

// `value` modulo M. Requires: 0 <= value <= Largest, or M is a power of two.
template <long long M, long long Largest = 0x7fffffff>
BANKMODEL_FN int modulo(int value) {
  if constexpr (is_power_of_two(M))
    return value & static_cast<int>(M - 1);
  else
    return value - quotient<M, Largest>(value) * static_cast<int>(M);
}

// The inverse of triangles of columns: see triangular_root(). With y = -2 remainder, (sqrt(1 + 8
// remainder) - 1) / 2 is
//   -(y + y^2 + 2 y^3 + 5 y^4 + 14 y^5 + ..), the Catalan numbers,
// a finite sum modulo 2 * width, since y is even. The other root is -1 minus this one.
BANKMODEL_FN int catalan(int number, int bits) {
  std::uint64_t values[32] = {1};  // modulo 2^64
  for (int n = 1; n <= number; ++n)
    for (int part = 0; part < n; ++part) values[n] += values[part] * values[n - 1 - part];
  return static_cast<int>(values[number] & ((std::uint64_t{1} << bits) - 1));
}
BANKMODEL_FN int terms_of_root(int bits) {
  int terms = bits;
  while (catalan(terms - 1, bits + 1 - terms) == 0) --terms;
  return terms;
}
// Equal modulo the bits that matter. A power of two is avoided: since y is even, it would cost a
// shift or an OR of its own.
BANKMODEL_FN int coefficient_of_root(int term, int bits) {
  const int coefficient = catalan(term - 1, bits + 1 - term);
  const bool is_only_y = term == terms_of_root(bits) && coefficient == 1;
  return is_power_of_two(coefficient) && !is_only_y ? coefficient + (1 << (bits + 1 - term))
                                                    : coefficient;
}
template <int Bits, int Term = 1>
BANKMODEL_FN unsigned series_of_root(unsigned y) {
  constexpr auto coefficient = static_cast<unsigned>(coefficient_of_root(Term, Bits));
  if constexpr (Term == terms_of_root(Bits))
    return coefficient;
  else
    return series_of_root<Bits, Term + 1>(y) * y + coefficient;
}
// The triangular root of a remainder by 2^Bits, given as its negative.
template <int Bits>
BANKMODEL_FN int column_of_triangle(int negative) {
  constexpr unsigned mask = (2u << Bits) - 1;
  const unsigned y = 2 * static_cast<unsigned>(negative);
  const unsigned root = (series_of_root<Bits>(y) * y - 1) & mask, other = root ^ mask;
  return static_cast<int>(root < other ? root : other);
}

// True if a step negates the result of another step, so that a sum can be a difference.
template <layout L, int Step>
constexpr bool is_negative =
    Step >= 0 && kernel_program<L>::value.step[Step < 0 ? 0 : Step].kind == step_kind::multiply &&
    kernel_program<L>::value.step[Step < 0 ? 0 : Step].value == -1;

// The result of one step. `number` is the element's number without a permutation.
template <layout L, int Step>
BANKMODEL_FN int result_of(const place& position, int number) {
  constexpr program_step s = kernel_program<L>::value.step[Step];
  constexpr auto value = static_cast<int>(s.value);
  if constexpr (s.kind == step_kind::coordinate) {
    place coordinates = position;
    return coordinates[value];
  } else if constexpr (s.kind == step_kind::number) {
    return number;
  } else if constexpr (s.kind == step_kind::constant) {
    return value;
  } else {
    constexpr program_step source = kernel_program<L>::value.step[s.left];
    if constexpr (s.kind == step_kind::multiply && source.kind == step_kind::triangle &&
                  (value % 2 == 0 || value == -1)) {
      const int n = result_of<L, source.left>(position, number), next = value < 0 ? ~n : n + 1;
      return value == -1 ? n * next >> 1 : n * next * ((value < 0 ? -value : value) / 2);
    } else {
      const int left = result_of<L, s.left>(position, number);
      if constexpr (s.kind == step_kind::add && is_negative<L, s.right>)
        return left - result_of<L, kernel_program<L>::value.step[s.right].left>(position, number);
      if constexpr (s.kind == step_kind::add && !is_negative<L, s.right>)
        return left + result_of<L, s.right>(position, number);
      if constexpr (s.kind == step_kind::bit_xor)
        return left ^ result_of<L, s.right>(position, number);
      if constexpr (s.kind == step_kind::multiply) return left * value;
      if constexpr (s.kind == step_kind::divide && is_power_of_two(value))
        return left >> trailing_zeros(static_cast<std::uint64_t>(value));
      if constexpr (s.kind == step_kind::divide && !is_power_of_two(value))
        return quotient<value, source.highest>(left);
      if constexpr (s.kind == step_kind::remainder) return modulo<value, source.highest>(left);
      if constexpr (s.kind == step_kind::bit_and) return left & value;
      if constexpr (s.kind == step_kind::shift_left) return left << value;
      if constexpr (s.kind == step_kind::shift_right) return left >> value;
      if constexpr (s.kind == step_kind::triangle) return left * (left + 1) >> 1;
      if constexpr (s.kind == step_kind::triangular_root)
        return column_of_triangle<trailing_zeros(static_cast<std::uint64_t>(value))>(left);
      if constexpr (s.kind == step_kind::in_group)
        return left << trailing_zeros(static_cast<std::uint64_t>(value)) |
               (result_of<L, s.right>(position, number) & (value - 1));
    }
  }
}
template <layout L>
BANKMODEL_FN place result_of(const place& position, int number) {
  constexpr index_program program = kernel_program<L>::value;
  place result;
  result.dimension_0 = result_of<L, program.result[0]>(position, number);
  if constexpr (program.results > 1)
    result.dimension_1 = result_of<L, program.result[1]>(position, number);
  if constexpr (program.results > 2)
    result.dimension_2 = result_of<L, program.result[2]>(position, number);
  if constexpr (program.results > 3)
    result.dimension_3 = result_of<L, program.result[3]>(position, number);
  return result;
}

// The place of these coordinates in L; every access to a tile calls this. It computes in 32 bits,
// because 64 cost a kernel more, and with signed numbers, like an index written by hand: then the
// compiler assumes that no sum wraps around and folds loop steps into addresses. Within the extents
// no sum does.
template <layout L, number... Coordinates>
BANKMODEL_FN place placed(Coordinates... coordinates) {
  static_assert(
      rule::coordinates_of_a_tile_must_match_the_rank<sizeof...(Coordinates), L.rank>::value);
  const place position{static_cast<int>(coordinates)...};
  if constexpr (L.interval == 0 && L.permutation.family == layout_family::rows) {
    return position;
  } else {
    constexpr long long largest = largest_intermediate(kernel_program<L>::value, L.required_size());
    static_assert(rule::a_permuted_tile_must_be_indexed_in_31_bits<largest>::value);
    return result_of<L>(position,
                        position.dimension_0 * static_cast<int>(L.stride.dimension_0) +
                            position.dimension_1 * static_cast<int>(L.stride.dimension_1) +
                            position.dimension_2 * static_cast<int>(L.stride.dimension_2) +
                            position.dimension_3 * static_cast<int>(L.stride.dimension_3));
  }
}

}  // namespace detail
}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
