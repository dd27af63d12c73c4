// SPDX-License-Identifier: MIT
// Tiles on the host: over whole small layouts the index function equals the layout's own and is
// a bijection; sizes, alignment, constness, wide accesses. device/tile_instructions.cu checks
// the device code.
#include <bankmodel/tile.hpp>

#include "catch.hpp"
#include "tiles.hpp"

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace bm = bankmodel;
using tiles::at_all_coordinates;
using tiles::wrong_in;

namespace {

template <int... Numbers>
// up to 16 elements, padded every 1 to 5 elements by 0 to 2
int wrong_in_rank_1(std::integer_sequence<int, Numbers...>) {
  return ((wrong_in<bm::row_major(1 + Numbers)>() != 0) + ...) +
         ((wrong_in<bm::row_major(16).padded_every(1 + Numbers % 5, Numbers / 5)>() != 0) + ...);
}
template <int... Numbers>
// extents 1 to 4, rows padded by 0 to 3
int wrong_in_rank_2(std::integer_sequence<int, Numbers...>) {
  return (
      (wrong_in<bm::row_major(1 + Numbers / 4 % 4, 1 + Numbers / 16).padded(Numbers % 4)>() != 0) +
      ...);
}
template <int... Numbers>
// 2 x 1 to 3 x 2, rows padded by 0 to 2, planes by 0 to 4
int wrong_in_rank_3(std::integer_sequence<int, Numbers...>) {
  return ((wrong_in<bm::row_major(2, 1 + Numbers / 15, 2)
                        .padded(Numbers % 3)
                        .padded(Numbers / 3 % 5, 0)>() != 0) +
          ...);
}
template <int... Numbers>
// rows, planes and their blocks padded by 0 to 2
int wrong_in_rank_4(std::integer_sequence<int, Numbers...>) {
  return ((wrong_in<bm::row_major(2, 3, 2, 3)
                        .padded(Numbers % 3)
                        .padded(Numbers / 3 % 3, 1)
                        .padded(Numbers / 9, 0)>() != 0) +
          ...);
}

constexpr bm::layout padded = bm::row_major(32, 32).padded(1);

// True if t(coordinates...) compiles; arguments that are not integers do not.
template <class Tile, class... Coordinates>
concept indexable = requires(Tile t, Coordinates... c) { t(c...); };

struct four_floats {  // CUDA's float4
  alignas(16) float x;
  float y, z, w;
};
struct three_floats {  // float3
  float x, y, z;
};

}  // namespace

TEST_CASE("whole small layouts") {
  CHECK(wrong_in_rank_1(std::make_integer_sequence<int, 15>{}) == 0);
  CHECK(wrong_in_rank_2(std::make_integer_sequence<int, 64>{}) == 0);
  CHECK(wrong_in_rank_3(std::make_integer_sequence<int, 45>{}) == 0);
  CHECK(wrong_in_rank_4(std::make_integer_sequence<int, 27>{}) == 0);
}

TEST_CASE("the examples of the header") {
  static_assert(bm::element<padded>(1, 0) == 33);
  static_assert(std::is_same_v<decltype(bm::element<padded>(1ull, 0ll)), int>);
  static_assert(bm::tile<float, padded>::size_bytes == 32 * 33 * 4);
  static_assert(sizeof(bm::tile<float, padded>) == sizeof(float[32][33]));
  bm::tile<float, padded> t;
  CHECK(&t(1, 0) - &t(0, 0) == 33);
  CHECK(&t(31u, std::uint64_t{31}) == t.data() + padded(31, 31));
}

TEST_CASE("an interval of more than 32 bits pads nothing") {
  constexpr bm::layout line = bm::row_major(100).padded_every(1ll << 32, 1);
  static_assert(bm::element<line>(99) == 99 && bm::tile<char, line>::size_bytes == 100);
}

TEST_CASE("the same in constant expressions") {
  constexpr auto sum = [] {
    // Clang 14 cannot copy elements that were never written.
    bm::tile<int, bm::row_major(3, 4).padded(2)> t{};
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 4; ++column) t(row, column) = 10 * row + column;
    const auto copy = t;
    int total = 0;
    for (unsigned row = 0; row < 3; ++row)
      for (unsigned column = 0; column < 4; ++column) total += copy(row, column);
    return total;
  };
  static_assert(sum() == 4 * 30 + 3 * 6);
  constexpr auto through_a_view = [] {
    int buffer[18] = {};
    const bm::tile_view<int, bm::row_major(3, 4).padded(2)> view(buffer);
    view(2, 3) = 7;
    return buffer[2 * 6 + 3] + *(view.data() + 15);
  };
  static_assert(through_a_view() == 14);
  constexpr bm::tile<int, bm::row_major(2, 2)> zeros{};
  static_assert(zeros(1, 1) == 0 && zeros.data() == &zeros(0, 0));
}

TEST_CASE("enumerators and mixed integers are coordinates, others are not") {
  enum size { three = 3 };
  bm::tile<int, bm::row_major(4, 4)> t;
  CHECK(&t(three, true) == t.data() + 13);
  CHECK(&t(short{3}, 1ull) == t.data() + 13);
  using tile = bm::tile<int, padded>;
  static_assert(indexable<tile, int, unsigned> && !indexable<tile, float, int> &&
                !indexable<tile, int*, int>);
  static_assert(indexable<bm::tile_view<int, padded>, int, unsigned> &&
                !indexable<bm::tile_view<int, padded>, int, double>);
}

TEST_CASE("constness") {
  using tile = bm::tile<float, padded>;
  static_assert(std::is_same_v<decltype(std::declval<tile&>()(0, 0)), float&>);
  static_assert(std::is_same_v<decltype(std::declval<const tile&>()(0, 0)), const float&>);
  static_assert(std::is_same_v<decltype(std::declval<tile&>().data()), float*>);
  static_assert(std::is_same_v<decltype(std::declval<const tile&>().data()), const float*>);

  constexpr bm::layout wide = bm::row_major(32, 32);
  using wide_tile = bm::tile<float, wide>;
  static_assert(
      std::is_same_v<decltype(std::declval<wide_tile&>().as<four_floats>(0, 0)), four_floats&>);
  static_assert(std::is_same_v<decltype(std::declval<const wide_tile&>().as<four_floats>(0, 0)),
                               const four_floats&>);
  static_assert(std::is_same_v<decltype(std::declval<wide_tile&>().vector<4>(0, 0)),
                               bm::vector_of<float, 4>&>);
  static_assert(std::is_same_v<decltype(std::declval<const wide_tile&>().vector<4>(0, 0)),
                               const bm::vector_of<float, 4>&>);

  using view = const bm::tile_view<float, wide>;
  using view_of_const = const bm::tile_view<const float, wide>;
  static_assert(std::is_same_v<decltype(std::declval<view&>()(0, 0)), float&>);
  static_assert(
      std::is_same_v<decltype(std::declval<view&>().as<four_floats>(0, 0)), four_floats&>);
  static_assert(
      std::is_same_v<decltype(std::declval<view&>().vector<4>(0, 0)), bm::vector_of<float, 4>&>);
  static_assert(std::is_same_v<decltype(std::declval<view_of_const&>()(0, 0)), const float&>);
  static_assert(std::is_same_v<decltype(std::declval<view_of_const&>().as<four_floats>(0, 0)),
                               const four_floats&>);
  static_assert(std::is_same_v<decltype(std::declval<view_of_const&>().vector<4>(0, 0)),
                               const bm::vector_of<float, 4>&>);
  static_assert(!std::is_convertible_v<float*, view> &&
                std::is_trivially_copyable_v<bm::tile_view<float, wide>>);
  static_assert(sizeof(view) == sizeof(float*));
}

TEST_CASE("alignment and trivial construction for other elements") {
  struct point {
    double x, y, z;
  };
  struct alignas(64) line {
    char bytes[64];
  };
  struct initialized {
    int value = 1;
  };
  static_assert(alignof(bm::tile<char, bm::row_major(3)>) == 16 &&
                sizeof(bm::tile<char, bm::row_major(3)>) == 16);
  static_assert(bm::tile<char, bm::row_major(3)>::size_bytes == 3);
  static_assert(sizeof(bm::tile<double, bm::row_major(2, 3)>) == 48);
  static_assert(alignof(bm::tile<point, bm::row_major(2, 3)>) == 16 &&
                bm::tile<point, bm::row_major(2, 3)>::size_bytes == 6 * 24);
  static_assert(alignof(bm::tile<line, bm::row_major(2, 3)>) == 64 &&
                sizeof(bm::tile<line, bm::row_major(2, 3)>) == 6 * 64);
  static_assert(
      !std::is_trivially_default_constructible_v<bm::tile<initialized, bm::row_major(2)>>);
  bm::tile<initialized, bm::row_major(2)> t;
  CHECK(t(1).value == 1);
}

TEST_CASE("wide accesses") {
  constexpr bm::layout rows_of_36 = bm::row_major(4, 32).padded(4);
  bm::tile<float, rows_of_36> t;
  at_all_coordinates<rows_of_36>(
      [&](int row, int column) { t(row, column) = static_cast<float>(100 * row + column); });
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 32; column += 4) {
      const four_floats four = std::as_const(t).as<four_floats>(row, column);
      const bm::vector_of<float, 4> same = std::as_const(t).vector<4>(row, column);
      for (int i = 0; i < 4; ++i) CHECK(same[i] == t(row, column + i));
      CHECK((four.x == same[0] && four.y == same[1] && four.z == same[2] && four.w == same[3]));
      CHECK(t.vector<2>(row, column + 2)[1] == t(row, column + 3));
      CHECK(t.as<three_floats>(row, column + 1).z == t(row, column + 3));
      CHECK(reinterpret_cast<std::uintptr_t>(&t.vector<4>(row, column)) % 16 == 0);
    }
  t.vector<4>(3u, 28u) = {{1, 2, 3, 4}};
  CHECK((t(3, 28) == 1 && t(3, 31) == 4 && t(3, 27) == 327));
  const bm::tile_view<float, rows_of_36> view(t.data());
  view.vector<2>(0, 2)[0] = 5;
  view.as<four_floats>(1, 0).y = 6;
  CHECK((t(0, 2) == 5 && t(1, 1) == 6 && t(0, 3) == 3));

  // One row has no next one, whatever its length.
  bm::tile<float, bm::row_major(33)> line{};
  line.vector<4>(28)[3] = 1;
  CHECK(line(31) == 1);

  // Padding between the elements keeps the neighbours of an interval together, and planes may
  // be padded by whole accesses.
  bm::tile<float, bm::row_major(64).padded_every(32, 4)> intervals{};
  intervals.vector<4>(32)[3] = 1;
  CHECK((intervals(35) == 1 && &intervals(35) == intervals.data() + 39));
  bm::tile<float, bm::row_major(2, 3, 4).padded(2, 0)> planes{};
  planes.vector<2>(1, 2, 2)[1] = 1;
  CHECK((planes(1, 2, 3) == 1 && &planes(1, 2, 3) == planes.data() + 14 + 11));

  static_assert(sizeof(bm::vector_of<float, 4>) == 16 && alignof(bm::vector_of<float, 4>) == 16);
  static_assert(sizeof(bm::vector_of<float, 3>) == 12 && alignof(bm::vector_of<float, 3>) == 4);
  static_assert(sizeof(bm::vector_of<short, 4>) == 8 && alignof(bm::vector_of<short, 4>) == 8);
  static_assert(bm::vector_of<int, 2>{{3, 4}}[1] == 4);
}

TEST_CASE("views of parts of a buffer") {
  constexpr bm::layout small = bm::row_major(3, 5).padded(1);
  using view = bm::tile_view<std::int32_t, small>;
  alignas(16) unsigned char memory[2 * view::size_bytes] = {};
  const auto first = view::at<0>(memory), second = view::at<view::size_bytes>(memory);
  at_all_coordinates<small>(
      [&](int row, int column) { first(row, column) = 1, second(row, column) = 2; });
  CHECK(static_cast<void*>(second.data()) == memory + 72);
  int ones = 0, twos = 0;
  for (int byte = 0; byte < 2 * view::size_bytes; ++byte)
    ones += memory[byte] == 1, twos += memory[byte] == 2;
  CHECK((ones == 15 && twos == 15));
  const auto readable = bm::tile_view<const std::int32_t, small>::at<72>(memory);
  CHECK(readable(2, 4) == 2);
}
