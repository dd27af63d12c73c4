// SPDX-License-Identifier: MIT
// 31-bit index functions: over whole arrays of every family and rank, as template arguments,
// they equal the layout's own; also at the ends of large arrays. Remainders without a division;
// neighbours that stay together; wide accesses of permuted tiles.
#include <bankmodel/layout/instruction_count.hpp>
#include <bankmodel/tile.hpp>

#include "catch.hpp"
#include "tiles.hpp"

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace bm = bankmodel;
using bm::inverse_triangular, bm::modular, bm::modular_in_a_box, bm::rotation, bm::row_major,
    bm::triangular, bm::xor_swizzle;
using tiles::wrong_in;

namespace {

constexpr auto of_rows = bm::triangle::of_rows;

template <bm::layout... Layouts>
struct list {};

template <bm::layout... Layouts>
int wrong_in_all(list<Layouts...>) {
  return (wrong_in<Layouts>() + ...);
}

constexpr bm::bit_matrix sheared(int bits, int shift) {
  bm::bit_matrix matrix = bm::identity_matrix(bits);
  for (int bit = shift; bit < bits; ++bit) matrix.set(bit, matrix[bit] | 1u << (bit - shift));
  return matrix;
}
// Bits 0, 1 and 3 change bit 4 too.
constexpr bm::bit_matrix two_to_one() {
  bm::bit_matrix matrix = bm::identity_matrix(5);
  for (const int bit : {0, 1, 3}) matrix.set(bit, matrix[bit] | 1u << 4);
  return matrix;
}
constexpr bm::bit_matrix reversed(int bits) {
  bm::bit_matrix matrix;
  for (int bit = 0; bit < bits; ++bit) matrix.set(bit, 1u << (bits - 1 - bit));
  return matrix;
}

using swizzles = list<row_major(64).permuted(xor_swizzle(3, 0, 3)),
                      row_major(100).permuted(xor_swizzle(2, 1, 3)),
                      row_major(100).permuted(xor_swizzle(2, 1, -2)),
                      row_major(32, 32).permuted(xor_swizzle(5, 0, 5)),
                      row_major(32, 32).permuted(xor_swizzle(3, 2, 3)),
                      row_major(8, 32).permuted(xor_swizzle(3, 0, 5)),
                      row_major(64, 8).permuted(xor_swizzle(1, 1, 2)),
                      row_major(64, 8).permuted(xor_swizzle(2, 1, 4)),
                      row_major(64, 8).permuted(xor_swizzle(3, 0, 4)),
                      row_major(32, 24).permuted(xor_swizzle(3, 0, 5)),
                      row_major(32, 24).padded(8).permuted(xor_swizzle(3, 0, 5)),
                      row_major(31, 33).permuted(xor_swizzle(3, 2, 5)),
                      row_major(16, 16).permuted(xor_swizzle(2, 0, -3)),
                      row_major(16, 16).permuted(xor_swizzle(2, 1, -4)),
                      row_major(16, 32).permuted(xor_swizzle(2, 0, -2)),
                      row_major(4, 8, 16).permuted(xor_swizzle(3, 1, 3)),
                      row_major(4, 8, 16).permuted(xor_swizzle(2, 0, 7)),
                      row_major(4, 8, 16).permuted(xor_swizzle(3, 1, 5)),
                      row_major(4, 8, 16).padded(1, 0).permuted(xor_swizzle(3, 0, 4)),
                      row_major(4, 8, 16).padded(16, 0).permuted(xor_swizzle(3, 0, 4)),
                      row_major(4, 8, 16).padded(16, 0).permuted(xor_swizzle(2, 0, 4)),
                      row_major(2, 3, 4, 8).permuted(xor_swizzle(2, 1, 3)),
                      row_major(2, 2, 4, 8).permuted(xor_swizzle(1, 0, 5)),
                      row_major(2, 2, 4, 8).permuted(xor_swizzle(2, 0, 5)),
                      row_major(3, 7).permuted(xor_swizzle(2, 0, 2))>;

using of_columns =
    list<row_major(3, 48, 16).permuted(rotation(1)),
         row_major(3, 5, 6, 24).permuted(rotation(4).in_groups_of(2)),
         row_major(3, 16, 8).permuted(triangular()),
         row_major(5, 48, 24).permuted(triangular(of_rows)),
         row_major(5, 24, 24).permuted(triangular(of_rows)),
         row_major(5, 2, 15, 15).permuted(inverse_triangular(of_rows)),
         row_major(3, 16, 8).permuted(inverse_triangular()),
         row_major(32, 32).permuted(rotation(1)), row_major(32, 32).permuted(rotation(-1)),
         row_major(32, 32).permuted(rotation(-4)), row_major(33, 33).permuted(rotation(1)),
         row_major(32, 24).permuted(rotation(-1)), row_major(100, 3).permuted(rotation(2)),
         row_major(5, 1).permuted(rotation(1)), row_major(9, 2).permuted(rotation(1)),
         row_major(16, 48).padded(1).permuted(rotation(5).in_groups_of(4)),
         row_major(3, 4, 7).permuted(rotation(1)),
         row_major(3, 5, 8).padded(2).permuted(rotation(-1).in_groups_of(2)),
         row_major(3, 2, 5, 6).padded(1, 0).permuted(rotation(7)),
         row_major(32, 32).permuted(triangular()), row_major(9, 2).permuted(triangular()),
         row_major(7, 1).permuted(triangular()),
         row_major(8, 16).padded(3).permuted(triangular().in_groups_of(2)),
         row_major(8, 64).permuted(triangular().in_groups_of(8)),
         row_major(3, 5, 8).permuted(triangular()), row_major(32, 32).permuted(triangular(of_rows)),
         row_major(40, 24).permuted(triangular(of_rows).in_groups_of(2)),
         row_major(33, 7).padded(2).permuted(triangular(of_rows)),
         row_major(3, 5, 12).permuted(triangular(of_rows).in_groups_of(4)),
         row_major(32, 32).permuted(inverse_triangular(of_rows)),
         row_major(40, 24).permuted(inverse_triangular(of_rows).in_groups_of(2)),
         row_major(33, 7).permuted(inverse_triangular(of_rows)),
         row_major(1, 7).permuted(inverse_triangular(of_rows)),
         row_major(2, 3, 4, 20).permuted(inverse_triangular(of_rows).in_groups_of(4))>;

// The series of the inverse of triangles of columns has another length for each width.
using roots = list<
    row_major(5, 1).permuted(inverse_triangular()), row_major(9, 2).permuted(inverse_triangular()),
    row_major(9, 4).permuted(inverse_triangular()), row_major(9, 8).permuted(inverse_triangular()),
    row_major(9, 16).permuted(inverse_triangular()),
    row_major(40, 32).permuted(inverse_triangular()),
    row_major(9, 64).permuted(inverse_triangular()),
    row_major(9, 128).permuted(inverse_triangular()),
    row_major(9, 256).permuted(inverse_triangular()),
    row_major(3, 512).permuted(inverse_triangular()),
    row_major(3, 1024).permuted(inverse_triangular()),
    row_major(2, 2048).permuted(inverse_triangular()),
    row_major(2, 4096).permuted(inverse_triangular()),
    row_major(2, 8192).permuted(inverse_triangular()),
    row_major(2, 16384).permuted(inverse_triangular()),
    row_major(9, 64).padded(1).permuted(inverse_triangular().in_groups_of(4)),
    row_major(2, 3, 16).permuted(inverse_triangular().in_groups_of(2))>;

using of_both =
    list<row_major(32, 32).permuted(modular({1, 1, 0, 1})),
         row_major(32, 33).permuted(modular({2, -2, 0, 1})),
         row_major(24, 24).permuted(modular({5, 7, 7, 10})),
         row_major(7, 7).permuted(modular({-3, 3, 7, 3})),
         row_major(16, 16).permuted(modular({-1, -1, 0, -1})),
         row_major(12, 48).permuted(modular({4, -3, 1, -2}).in_groups_of(4)),
         row_major(16, 36).padded(4).permuted(modular({1, 1, 0, 1}).in_groups_of(4)),
         row_major(8, 32).permuted(modular({1, 1, 4, 1}).in_groups_of(4)),
         row_major(28, 52).permuted(modular_in_a_box({2, 1, 0, 1})),
         row_major(28, 52).permuted(modular_in_a_box({2, 0, 0, 2}).in_groups_of(4)),
         row_major(9, 12).padded(4).permuted(modular_in_a_box({1, 1, 0, 2}).in_groups_of(4)),
         row_major(3, 7).permuted(modular_in_a_box({0, 1, 1, 0})),
         row_major(32, 32).permuted(bm::linear(sheared(10, 5))),
         row_major(8, 16).permuted(bm::linear(sheared(7, 2))),
         row_major(2, 4, 8).permuted(bm::linear(reversed(6))),
         row_major(32).permuted(bm::linear(two_to_one())),
         row_major(2, 2, 2, 4).permuted(bm::linear(sheared(5, 3))),
         row_major(64).permuted(bm::linear(reversed(6))), row_major(1024).padded_every(33, 3),
         row_major(1000).padded_every(24, 8), row_major(1000).padded_every(1, 1),
         row_major(100).padded_every(100, 1)>;

// At the first and last rows and columns, and at generated ones.
template <bm::layout L>
int wrong_at_the_ends() {
  std::mt19937_64 random(1);
  int wrong = 0;
  for (int round = 0; round < 3000; ++round) {
    const auto near_an_end = [&](long long extent) {
      const auto distance =
          static_cast<long long>(random() % static_cast<std::uint64_t>(extent < 40 ? extent : 40));
      const auto anywhere = static_cast<long long>(random() % static_cast<std::uint64_t>(extent));
      return static_cast<int>(round % 3 == 0   ? distance
                              : round % 3 == 1 ? extent - 1 - distance
                                               : anywhere);
    };
    const int row = near_an_end(L.extent[0]), column = L.rank == 1 ? 0 : near_an_end(L.extent[1]);
    if constexpr (L.rank == 1)
      wrong += bm::element<L>(row) != L(row);
    else
      wrong += bm::element<L>(row, column) != L(row, column);
  }
  return wrong;
}

template <class T>
using wide_4 = bm::vector_of<T, 4>;

// Four elements at once, in columns that are a multiple of four.
template <bm::layout L>
int wrong_in_fours() {
  bm::tile<float, L> t{};
  int wrong = 0, number = 0;
  std::vector<float> written(static_cast<std::size_t>(L.rows() * L.extent[L.rank - 1]));
  const auto visit = [&](const auto& visit_four) {
    for (int row = 0; row < L.extent[0]; ++row)
      for (int column = 0; column < L.extent[1]; column += 4) visit_four(row, column);
  };
  visit([&](int row, int column) {
    auto& four = t.template vector<4>(row, column);
    wrong += static_cast<void*>(&four) != static_cast<void*>(t.data() + L(row, column)) ||
             reinterpret_cast<std::uintptr_t>(&four) % 16 != 0;
    for (int element = 0; element < 4; ++element) four[element] = static_cast<float>(++number);
  });
  number = 0;
  visit([&](int row, int column) {
    for (int element = 0; element < 4; ++element)
      wrong += t(row, column + element) != static_cast<float>(++number);
    wrong +=
        std::as_const(t).template as<wide_4<float>>(row, column)[3] != static_cast<float>(number);
    wrong += bm::tile_view<float, L>(t.data()).template vector<2>(row, column + 2)[1] !=
             static_cast<float>(number);
  });
  return wrong;
}

// The largest power of two up to 16 such that this many neighbours are never separated, from a
// multiple of it on.
template <bm::layout L>
long long together_in() {
  const long long columns = L.extent[L.rank - 1];
  for (long long group = 16; group > 1; group /= 2) {
    bool is_kept = columns % group == 0;
    for (int row = 0; row < L.extent[0]; ++row)
      for (long long column = 0; column < columns; ++column) {
        const long long first = column / group * group;
        is_kept = is_kept && (L.rank == 1 ? L(column) - L(first)
                                          : L(row, column) - L(row, first)) == column - first;
        if (L.rank == 1) break;
      }
    if (is_kept && L.rank == 1)
      for (long long column = 0; column < columns; ++column)
        is_kept = is_kept && L(column) - L(column / group * group) == column % group;
    if (is_kept) return group;
  }
  return 1;
}

// The hardest values for a remainder: multiples of M, and one less or more, near the ends and
// in the middle.
int wrong_remainders(int (*remainder)(int), long long m, long long largest) {
  int wrong = 0;
  for (const long long center :
       {0ll, m, largest, largest / 2, largest / m / 3 * m, 1ll << 16, 1ll << 30})
    for (const long long value : {center, center / m * m})
      for (const long long argument : {value - 1, value, value + 1, value + m - 1})
        if (argument >= 0 && argument <= largest)
          wrong += remainder(static_cast<int>(argument)) != argument % m;
  return wrong;
}
// With all 31 bits, and up to the largest value that needs no shift, and the next one.
template <long long M>
int wrong_remainders_of() {
  int wrong = wrong_remainders(bm::detail::modulo<M>, M, 0x7fffffff);
  if constexpr (!bm::detail::is_power_of_two(M)) {
    constexpr long long rounded_by = M - (1ll << 32) % M, last = ((1ll << 32) - 1) / rounded_by,
                        largest = last < 0x7ffffffe ? last : 0x7ffffffe;
    static_assert(bm::detail::shift_of_quotient(M, largest) == 0);
    wrong += wrong_remainders(bm::detail::modulo<M, largest>, M, largest);
    wrong += wrong_remainders(bm::detail::modulo<M, largest + 1>, M, largest + 1);
  }
  return wrong;
}
template <long long First, long long Step, long long... More>
int wrong_remainders_from(std::integer_sequence<long long, More...>) {
  int wrong = 0;
  for (int (*const check)() : {wrong_remainders_of<First + Step * More>...}) wrong += check();
  return wrong;
}

}  // namespace

TEST_CASE("every layout's 31-bit index function equals the layout, whole arrays") {
  CHECK(wrong_in_all(swizzles{}) == 0);
  CHECK(wrong_in_all(of_columns{}) == 0);
  CHECK(wrong_in_all(roots{}) == 0);
  CHECK(wrong_in_all(of_both{}) == 0);
}

TEST_CASE("the ends of arrays that just fit") {
  CHECK(wrong_at_the_ends<row_major(1 << 30).padded_every(7, 5)>() == 0);
  CHECK(wrong_at_the_ends<row_major(1 << 30).padded_every(24, 16)>() == 0);
  CHECK(wrong_at_the_ends<row_major(80000000, 24).permuted(rotation(-1))>() == 0);
  CHECK(wrong_at_the_ends<row_major(300000000, 7).permuted(rotation(6))>() == 0);
  CHECK(wrong_at_the_ends<row_major(1 << 25, 32).permuted(rotation(15))>() == 0);
  CHECK(
      wrong_at_the_ends<row_major(100, 48).permuted(rotation((1ll << 62) + 5).in_groups_of(4))>() ==
      0);
  CHECK(wrong_at_the_ends<row_major(20, 1 << 20).permuted(inverse_triangular())>() == 0);
  CHECK(wrong_at_the_ends<row_major(20, 1 << 26).permuted(triangular(of_rows))>() == 0);
  CHECK(wrong_at_the_ends<
            row_major(20, 100000000).permuted(inverse_triangular(of_rows).in_groups_of(4))>() == 0);
  CHECK(wrong_at_the_ends<row_major(7, 300000000).permuted(rotation(-3))>() == 0);
  CHECK(wrong_at_the_ends<row_major(46000, 33).permuted(triangular(of_rows))>() == 0);
  CHECK(wrong_at_the_ends<row_major(46000, 33).permuted(inverse_triangular(of_rows))>() == 0);
  CHECK(wrong_at_the_ends<row_major(23000, 48).permuted(
            inverse_triangular(of_rows).in_groups_of(4))>() == 0);
  CHECK(wrong_at_the_ends<row_major(9000, 32768).permuted(triangular())>() == 0);
  CHECK(wrong_at_the_ends<row_major(9000, 32768).permuted(inverse_triangular())>() == 0);
  CHECK(wrong_at_the_ends<row_major(1 << 12, 1 << 12).permuted(modular({4095, 4093, 2, 5}))>() ==
        0);
  CHECK(wrong_at_the_ends<row_major(1, 46000).permuted(modular({45999, 0, 0, 1}))>() == 0);
  CHECK(wrong_at_the_ends<row_major(1 << 20, 1 << 10).permuted(xor_swizzle(10, 0, 19))>() == 0);
  CHECK(wrong_at_the_ends<row_major(1 << 20, 1 << 10).permuted(xor_swizzle(10, 0, -20))>() == 0);
  CHECK(wrong_at_the_ends<row_major(10000, 50000).permuted(modular_in_a_box({3, 0, 0, 1}))>() == 0);
}

TEST_CASE("remainders without a division, at the values that decide") {
  // every divisor up to 128, and some more
  CHECK(wrong_remainders_from<2, 1>(std::make_integer_sequence<long long, 127>{}) == 0);
  CHECK(wrong_remainders_from<131, 17>(std::make_integer_sequence<long long, 111>{}) == 0);
  CHECK(wrong_remainders_of<65535>() + wrong_remainders_of<65537>() +
            wrong_remainders_of<1000003>() ==
        0);
  CHECK(wrong_remainders_of<0x7fffffff>() + wrong_remainders_of<0x40000001>() +
            wrong_remainders_of<0x3fffffff>() ==
        0);
}

// The theorem used by quotient(), for all divisors up to 2000 and every value that can be the
// first wrong one: one less than a multiple.
TEST_CASE("the shift of a quotient is enough") {
  int wrong = 0;
  for (long long m = 3; m <= 2000; ++m) {
    if (bm::detail::is_power_of_two(m)) continue;
    const auto check = [&](long long value, long long largest) {
      if (value < 0 || value > largest) return;
      const int shift = bm::detail::shift_of_quotient(m, largest);
      const std::uint64_t reciprocal =
          ((std::uint64_t{1} << (32 + shift)) - 1) / static_cast<std::uint64_t>(m) + 1;
      wrong += reciprocal >> 32 != 0 ||
               static_cast<long long>(static_cast<std::uint64_t>(value) * reciprocal >>
                                      (32 + shift)) != value / m;
    };
    const long long rounded_by = m - (1ll << 32) % m, last = ((1ll << 32) - 1) / rounded_by;
    for (const long long largest : {last, last + 1, 0x7fffffffll})
      if (largest <= 0x7fffffff)
        for (const long long end : {largest, largest / 2, largest / 3})
          check(end / m * m - 1, largest), check(end / m * m + m - 1, largest), check(end, largest);
  }
  CHECK(wrong == 0);
}

TEST_CASE("neighbours that stay together") {
  using bm::detail::elements_kept_together;
  const auto check = [](auto layouts) {
    [&]<bm::layout... Layouts>(list<Layouts...>) {
      CHECK(((elements_kept_together(Layouts) == together_in<Layouts>()) && ...));
    }(layouts);
  };
  check(list<row_major(32, 32).permuted(xor_swizzle(3, 2, 5)),
             row_major(32, 32).permuted(xor_swizzle(3, 0, 5)),
             row_major(32, 32).permuted(xor_swizzle(1, 0, -1)),
             row_major(32, 32).permuted(xor_swizzle(2, 2, -3)),
             row_major(256).permuted(xor_swizzle(2, 3, -2)),
             row_major(32, 36).permuted(xor_swizzle(2, 3, 4)),
             row_major(16, 34).padded(1).permuted(xor_swizzle(2, 2, 3))>{});
  check(list<row_major(32, 32).permuted(rotation(1).in_groups_of(8)),
             row_major(32, 48).padded(1).permuted(rotation(1).in_groups_of(4)),
             row_major(16, 64).permuted(inverse_triangular().in_groups_of(4)),
             row_major(28, 52).permuted(modular_in_a_box({2, 0, 0, 2}).in_groups_of(4)),
             row_major(8, 32).permuted(modular({3, 1, 4, 1}).in_groups_of(2))>{});
  check(list<row_major(16, 16).permuted(bm::linear(sheared(8, 4))),
             row_major(16, 16).permuted(bm::linear(reversed(8))),
             row_major(256).permuted(bm::linear([] {
               bm::bit_matrix matrix = bm::identity_matrix(8);
               matrix.set(5, 0b101100);
               matrix.set(7, 0b11000000);
               return matrix;
             }()))>{});
  static_assert(elements_kept_together(row_major(32, 33)) == 0);  // all of a row
}

TEST_CASE("wide accesses of permuted groups") {
  CHECK(wrong_in_fours<row_major(32, 32).permuted(rotation(1).in_groups_of(4))>() == 0);
  CHECK(wrong_in_fours<row_major(16, 48).padded(4).permuted(rotation(-1).in_groups_of(8))>() == 0);
  CHECK(wrong_in_fours<row_major(16, 32).permuted(triangular().in_groups_of(4))>() == 0);
  CHECK(wrong_in_fours<row_major(16, 32).permuted(inverse_triangular().in_groups_of(4))>() == 0);
  CHECK(wrong_in_fours<row_major(16, 28).permuted(triangular(of_rows).in_groups_of(4))>() == 0);
  CHECK(wrong_in_fours<row_major(12, 48).permuted(modular({4, -3, 1, -2}).in_groups_of(4))>() == 0);
  CHECK(wrong_in_fours<row_major(28, 52).permuted(
            modular_in_a_box({2, 0, 0, 2}).in_groups_of(4))>() == 0);
  CHECK(wrong_in_fours<row_major(32, 32).permuted(bm::copy_engine_swizzle(128, 4))>() == 0);
  CHECK(wrong_in_fours<row_major(32, 36).permuted(xor_swizzle(2, 2, 4))>() == 0);
  CHECK(wrong_in_fours<row_major(32, 32).permuted(xor_swizzle(2, 2, -3))>() == 0);
  CHECK(wrong_in_fours<row_major(16, 32).permuted(bm::linear([] {
          bm::bit_matrix matrix = bm::identity_matrix(9);
          for (int bit = 5; bit < 8; ++bit) matrix.set(bit, matrix[bit] | 1u << (bit - 3));
          return matrix;
        }()))>() == 0);
}

// device/permutation_instructions.sh checks that nvcc generates the same number.
TEST_CASE("the instructions of index functions") {
  static_assert(bm::index_instructions(row_major(32, 32)) == 0 &&
                bm::index_instructions(row_major(32, 32).padded(1)) == 0);
  static_assert(bm::index_instructions(row_major(32, 32).permuted(xor_swizzle(5, 0, 5))) == 1);
  static_assert(bm::index_instructions(row_major(32, 32).permuted(xor_swizzle(3, 0, 5))) == 2);
  static_assert(bm::index_instructions(row_major(32, 32).permuted(rotation(1))) == 2 &&
                bm::index_instructions(row_major(33, 33).permuted(rotation(1))) == 3);
  static_assert(bm::index_instructions(row_major(32, 32).permuted(triangular())) == 5);
  CHECK(bm::index_instructions(row_major(1024).padded_every(32, 1)) == 2);
}
