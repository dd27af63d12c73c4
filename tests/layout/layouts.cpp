// SPDX-License-Identifier: MIT
// Layouts that permute, over whole small arrays: compared with the papers' definitions
// (permutations.hpp), one to one, and inverted. Examples of hardware and of the presentation;
// errors, compared with looking at each element; the headers' examples.
#include <bankmodel/layout/families.hpp>
#include <bankmodel/layout/in_rows.hpp>

#include "catch.hpp"
#include "index_programs.hpp"
#include "permutations.hpp"

#include <array>
#include <cstdlib>
#include <random>
#include <vector>

namespace bm = bankmodel;
using permuted::rows_of;

namespace {

// An array of any rank and padding: rows are numbered consecutively, and a column that moves,
// moves within its row.
long long place_in(const bm::layout& plain, const bm::permutation& p,
                   const bm::detail::four& position) {
  long long number = 0, row = 0;
  for (int d = 0; d < plain.rank; ++d) {
    number += position[d] * plain.stride[d];
    if (d < plain.rank - 1) row = row * plain.extent[d] + position[d];
  }
  if (p.family == bm::layout_family::xor_swizzle || p.family == bm::layout_family::linear)
    return place_of(rows_of{{plain.required_size()}}, p, 0, number);
  const long long column = position[plain.rank - 1], width = plain.extent[plain.rank - 1];
  return number - column + place_of(rows_of{{plain.rows(), width}}, p, row, column) - row * width;
}

long long at_coordinates(const bm::layout& array_layout, const bm::detail::four& position) {
  return array_layout.rank == 1   ? array_layout(position[0])
         : array_layout.rank == 2 ? array_layout(position[0], position[1])
         : array_layout.rank == 3
             ? array_layout(position[0], position[1], position[2])
             : array_layout(position[0], position[1], position[2], position[3]);
}

// The number of elements that are not stored where the definition says, that collide, or for
// which coordinates() is wrong, and of unused places for which it returns coordinates.
template <class Definition>
int wrong_in(const bm::layout& array_layout, const Definition& place) {
  int wrong = 0;
  std::vector<bool> used(static_cast<std::size_t>(array_layout.required_size()));
  bm::detail::four position;
  for (position[0] = 0; position[0] < array_layout.extent[0]; ++position[0])
    for (position[1] = 0; position[1] < (array_layout.rank > 1 ? array_layout.extent[1] : 1);
         ++position[1])
      for (position[2] = 0; position[2] < (array_layout.rank > 2 ? array_layout.extent[2] : 1);
           ++position[2])
        for (position[3] = 0; position[3] < (array_layout.rank > 3 ? array_layout.extent[3] : 1);
             ++position[3]) {
          const long long element = at_coordinates(array_layout, position);
          if (element != place(position) || element < 0 ||
              element >= array_layout.required_size() || used[static_cast<std::size_t>(element)] ||
              array_layout.coordinates(element) != position) {
            ++wrong;
            continue;
          }
          used[static_cast<std::size_t>(element)] = true;
        }
  for (long long element = 0; element < array_layout.required_size(); ++element)
    wrong += !used[static_cast<std::size_t>(element)] && array_layout.coordinates(element)[0] != -1;
  return wrong + (array_layout.coordinates(-1)[0] != -1) +
         (array_layout.coordinates(array_layout.required_size())[0] != -1);
}

int wrong_in_rows(const rows_of& array, const bm::permutation& p) {
  return wrong_in(array.layout().permuted(p), [&](const bm::detail::four& position) {
    const bool one_row = array.extent.size() == 1;
    const long long row = one_row                    ? 0
                          : array.extent.size() == 2 ? position[0]
                                                     : position[0] * array.extent[1] + position[1];
    return place_of(array, p, row, position[static_cast<int>(array.extent.size()) - 1]);
  });
}

template <class Call>
bool is_refused(const Call& call) {
  try {
    (void)call();
  } catch (const bm::error&) {
    return true;
  }
  return false;
}

bool is_power_of_two(long long value) { return (value & (value - 1)) == 0; }

constexpr auto of_columns = bm::triangle::of_columns, of_rows = bm::triangle::of_rows;

// All layouts of the families that move columns, for rows of this many groups.
std::vector<bm::permutation> of_rows_of(long long groups) {
  std::vector<bm::permutation> permutations{bm::triangular(of_rows),
                                            bm::inverse_triangular(of_rows)};
  for (const long long step :
       {0ll, 1ll, -1ll, 2ll, 5ll, -7ll, groups, groups + 1, -1000000000000ll})
    permutations.push_back(bm::rotation(step));
  if (is_power_of_two(groups))
    permutations.push_back(bm::triangular()), permutations.push_back(bm::inverse_triangular());
  return permutations;
}

// The column stored at each place of the first rows.
template <int Rows, int Columns>
constexpr std::array<std::array<int, Columns>, Rows> lying_in(const bm::layout& array_layout) {
  std::array<std::array<int, Columns>, Rows> result{};
  for (int row = 0; row < Rows; ++row)
    for (int column = 0; column < Columns; ++column) {
      const auto position = array_layout.coordinates(array_layout.stride[0] * row + column);
      result[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] =
          position[0] == row ? static_cast<int>(position[1]) : -1;
    }
  return result;
}
template <int Rows, int Columns>
using table = std::array<std::array<int, Columns>, Rows>;

}  // namespace

TEST_CASE("families that move columns, whole arrays up to 40 by 40") {
  int wrong = 0;
  for (const long long rows : {1, 2, 3, 4, 7, 8, 16, 24, 31, 32, 33, 40})
    for (long long columns = 1; columns <= 40; ++columns)
      for (const int group : {1, 2, 4})
        if (columns % group == 0)
          for (const bm::permutation& p : of_rows_of(columns / group)) {
            const int errors = wrong_in_rows({{rows, columns}, columns % 3}, p.in_groups_of(group));
            if (errors != 0)
              UNSCOPED_INFO("family " << static_cast<int>(p.family) << ", form " << int{p.form}
                                      << ", " << rows << " x " << columns);
            wrong += errors;
          }
  CHECK(wrong == 0);
}

TEST_CASE("XOR swizzles, whole arrays up to 40 by 40, padded or not") {
  int wrong = 0;
  for (const long long rows : {1, 3, 8, 31, 40})
    for (const long long columns : {1, 2, 3, 7, 8, 16, 24, 31, 32, 33, 40})
      for (const long long padding : {0, 1, 8})
        for (int bits = 1; bits <= 3; ++bits)
          for (int base = 0; base <= 3; ++base)
            for (const int shift : {bits, bits + 1, 5, -bits, -bits - 2})
              wrong +=
                  wrong_in_rows({{rows, columns}, padding}, bm::xor_swizzle(bits, base, shift));
  for (const long long length : {1, 5, 64, 100, 333})
    wrong += wrong_in_rows({{length}}, bm::xor_swizzle(2, 1, 4));
  CHECK(wrong == 0);
}

TEST_CASE("three and four dimensions, padded") {
  const bm::layout arrays[] = {bm::row_major(3, 5, 12),
                               bm::row_major(3, 4, 8).padded(1),
                               bm::row_major(3, 4, 8).padded(1, 0),
                               bm::row_major(2, 3, 16).padded(3, 1).padded(5, 0),
                               bm::row_major(2, 3, 4, 8),
                               bm::row_major(2, 1, 3, 24).padded(2),
                               bm::row_major(2, 3, 2, 4).padded(4, 2).padded(8, 1).padded(16, 0)};
  int wrong = 0;
  for (const bm::layout& plain : arrays) {
    const auto check = [&](const bm::permutation& p) {
      wrong += wrong_in(plain.permuted(p), [&](const bm::detail::four& position) {
        return place_in(plain, p, position);
      });
    };
    const long long width = plain.extent[plain.rank - 1];
    for (const int group : {1, 4})
      for (const bm::permutation& p : of_rows_of(width / group)) check(p.in_groups_of(group));
    for (const int shift : {2, 3, 4, 5, 6, -2, -3})
      check(bm::xor_swizzle(2, 0, shift)), check(bm::xor_swizzle(2, 1, shift));
  }
  CHECK(wrong == 0);
}

TEST_CASE("linear layouts, generated") {
  std::mt19937_64 random(1);
  int wrong = 0, tested = 0;
  for (int round = 0; round < 400; ++round) {
    const rows_of array = round % 3 == 0   ? rows_of{{1ll << (1 + round % 8)}}
                          : round % 3 == 1 ? rows_of{{1ll << round % 5, 2ll << round % 4}}
                                           : rows_of{{2, 1ll << round % 3, 4ll << round % 4}};
    const auto p = permuted::any_of(array, 1, random);
    if (!p || p->family != bm::layout_family::linear) continue;
    ++tested;
    wrong += wrong_in_rows(array, *p);
  }
  INFO("seed 1, " << tested << " made");
  CHECK(tested > 100);
  CHECK(wrong == 0);
}

// Every transformation with small entries, for every small array, in both readings.
TEST_CASE("modular transformations are errors exactly if two elements collide") {
  int one_to_one = 0, refused = 0, wrong = 0;
  for (long long rows = 1; rows <= 6; ++rows)
    for (long long columns = 1; columns <= 6; ++columns)
      for (long long entries = 0; entries < 5 * 5 * 5 * 5; ++entries) {
        const bm::matrix t{entries % 5 - 2, entries / 5 % 5 - 2, entries / 25 % 5 - 1,
                           entries / 125 - 1};
        for (const bool in_a_box : {false, true}) {
          const rows_of array{{rows, columns}, in_a_box ? entries % 3 : 0};
          const bm::permutation p = in_a_box ? bm::modular_in_a_box(t) : bm::modular(t);
          std::vector<long long> places;
          bool is_one_to_one = true;
          for (long long row = 0; row < rows; ++row)
            for (long long column = 0; column < columns; ++column) {
              const long long place = place_of(array, p, row, column);
              is_one_to_one = is_one_to_one && place >= 0;
              for (const long long other : places) is_one_to_one = is_one_to_one && place != other;
              places.push_back(place);
            }
          // It leads below 0 if a step does, even if there is no other row or column.
          const long long pitch = columns + array.padding;
          if (in_a_box && (t.a + pitch * t.c < 0 || t.b + pitch * t.d < 0)) is_one_to_one = false;
          if (is_refused([&] { return array.layout().permuted(p); }) == is_one_to_one) {
            ++wrong;
            continue;
          }
          is_one_to_one ? ++one_to_one : ++refused;
          if (is_one_to_one) wrong += wrong_in_rows(array, p);
        }
      }
  INFO(one_to_one << " one to one, " << refused << " refused");
  CHECK((one_to_one > 5000 && refused > 5000));
  CHECK(wrong == 0);
}

TEST_CASE("the error of a transformation names two elements that collide") {
  int wrong = 0, refused = 0;
  for (const auto& [rows, columns] :
       {std::pair{4ll, 6ll}, {8ll, 8ll}, {9ll, 5ll}, {1ll, 7ll}, {7ll, 1ll}})
    for (long long entries = 0; entries < 7 * 7 * 7 * 7; ++entries) {
      const bm::permutation p = bm::modular(
          {entries % 7 - 3, entries / 7 % 7 - 3, entries / 49 % 7 - 3, entries / 343 - 3});
      const auto collision = bm::detail::collision_of_modular(p, rows, columns);
      if (!collision.exists()) continue;
      ++refused;
      const long long column = collision.columns < 0 ? -collision.columns : 0;
      const rows_of array{{rows, columns}};
      wrong += collision.rows >= rows || column + collision.columns >= columns ||
               column >= columns ||
               place_of(array, p, 0, column) !=
                   place_of(array, p, collision.rows, column + collision.columns);
    }
  CHECK(refused > 1000);
  CHECK(wrong == 0);
}

TEST_CASE("modular layouts of groups, of larger arrays, with large entries") {
  int wrong = 0;
  for (const int group : {1, 2, 4}) {
    const auto check = [&](const rows_of& array, const bm::permutation& p) {
      wrong += wrong_in_rows(array, p.in_groups_of(group));
    };
    check({{24, 24 * group}}, bm::modular({5, 7, 7, 10}));
    check({{32, 32 * group}, 4}, bm::modular({1, 1, 2, 3}));
    check({{12, 20 * group}}, bm::modular({-3, 5, 0, 7}));
    check({{33, 16 * group}}, bm::modular({(1 << 24) - 1, -(1 << 24) + 1, 0, 1}));
    check({{28, 52 * group}}, bm::modular_in_a_box({2, 1, 0, 1}));
    check({{12, 9 * group}, 4}, bm::modular_in_a_box({3, 0, 0, 4}));
    check({{5, 6 * group}}, bm::modular_in_a_box({0, 1, 1, 0}));
  }
  CHECK(wrong == 0);
  CHECK(is_refused([] { return bm::row_major(4, 4).permuted(bm::modular({1, 1 << 24, 0, 1})); }));
}

TEST_CASE("an array that is padded after it was permuted is checked again") {
  const auto box = bm::row_major(7, 20).padded(21).permuted(bm::modular_in_a_box({2, 0, 0, 1}));
  CHECK(is_refused([&] { return box.padded(0); }));
  CHECK(is_refused([&] { return box.padded(2); }));
  CHECK(is_refused([&] { return box.padded(2, 0); }));
  CHECK_FALSE(is_refused([&] { return box.padded(1); }));
  CHECK(is_refused(
      [] { return bm::row_major(4, 4).permuted(bm::linear(bm::identity_matrix(4))).padded(4); }));
  CHECK(is_refused(
      [] { return bm::row_major(64).permuted(bm::xor_swizzle(2, 0, 2)).padded_every(8, 1); }));
}

TEST_CASE(
    "triangles of columns are a permutation exactly for powers of two, and others are errors") {
  for (long long width = 1; width <= 130; ++width) {
    std::vector<bool> used(static_cast<std::size_t>(width));
    for (long long column = 0; column < width; ++column)
      used[static_cast<std::size_t>(column * (column + 1) / 2 % width)] = true;
    bool is_full = true;
    for (const bool is_used : used) is_full = is_full && is_used;
    INFO("width " << width);
    CHECK(is_full == is_power_of_two(width));
    CHECK(is_refused([&] { return bm::row_major(3, width).permuted(bm::triangular()); }) !=
          is_full);
    CHECK(is_refused([&] {
            return bm::row_major(3, 4 * width).permuted(bm::inverse_triangular().in_groups_of(4));
          }) != is_full);
    CHECK_FALSE(
        is_refused([&] { return bm::row_major(3, width).permuted(bm::triangular(of_rows)); }));
  }
}

TEST_CASE(
    "triangles of rows are conflict-free in a column of `width` rows exactly for powers of two") {
  for (long long width = 1; width <= 130; ++width) {
    std::vector<bool> used(static_cast<std::size_t>(width));
    const auto triangles = bm::row_major(width, width).permuted(bm::triangular(of_rows));
    for (long long row = 0; row < width; ++row)
      used[static_cast<std::size_t>(triangles(row, 0) % width)] = true;
    bool is_full = true;
    for (const bool is_used : used) is_full = is_full && is_used;
    INFO("width " << width);
    CHECK(is_full == is_power_of_two(width));
  }
}

// Hardware facts, section 2.5: with x the chunk of 16 bytes in a row of 128 and y that row, x'
// = x ^ (y % 8), or % 4 or % 2. For every byte of several periods.
TEST_CASE("the copy engine's layout") {
  int wrong = 0;
  for (const int mode : {32, 64, 128})
    for (const int element_bytes : {1, 2, 4, 8, 16}) {
      const long long bytes = 4096, elements = bytes / element_bytes;
      const auto line =
          bm::row_major(elements).permuted(bm::copy_engine_swizzle(mode, element_bytes));
      const auto rows = bm::row_major(bytes / 128, 128 / element_bytes)
                            .permuted(bm::copy_engine_swizzle(mode, element_bytes));
      for (long long byte = 0; byte < bytes; ++byte) {
        const long long y = byte / 128, x = byte / 16 % 8,
                        swizzled = y * 128 + (x ^ y % (mode / 16)) * 16 + byte % 16;
        wrong += line(byte / element_bytes) * element_bytes + byte % element_bytes != swizzled;
        wrong +=
            rows(y, byte % 128 / element_bytes) * element_bytes + byte % element_bytes != swizzled;
        // The same as one formula, and CuTe's bits.
        const long long mask = mode / 16 - 1;
        wrong += swizzled != (byte ^ (byte >> 7 & mask) << 4);
      }
      CHECK(bm::copy_engine_swizzle(mode, element_bytes) ==
            bm::xor_swizzle_in_bytes(mode == 32   ? 1
                                     : mode == 64 ? 2
                                                  : 3,
                                     4, 3, element_bytes));
    }
  CHECK(wrong == 0);
}

// I. Mungiello's third-year presentation, slide "Polyhedral Model Transformation": the banks of
// columns 0, 1 and 51 of 28 rows of 52, unchanged and with T = [2 1; 0 1].
TEST_CASE("the presentation's transformation of 52 columns") {
  constexpr int plain[8][3] = {{0, 1, 19},  {20, 21, 7}, {8, 9, 27},   {28, 29, 15},
                               {16, 17, 3}, {4, 5, 23},  {24, 25, 11}, {12, 13, 31}};  // and again
  constexpr int transformed[28][3] = {
      {0, 2, 6},    {21, 23, 27}, {10, 12, 16}, {31, 1, 5},   {20, 22, 26}, {9, 11, 15},
      {30, 0, 4},   {19, 21, 25}, {8, 10, 14},  {29, 31, 3},  {18, 20, 24}, {7, 9, 13},
      {28, 30, 2},  {17, 19, 23}, {6, 8, 12},   {27, 29, 1},  {16, 18, 22}, {5, 7, 11},
      {26, 28, 0},  {15, 17, 21}, {4, 6, 10},   {25, 27, 31}, {14, 16, 20}, {3, 5, 9},
      {24, 26, 30}, {13, 15, 19}, {2, 4, 8},    {23, 25, 29}};
  constexpr int columns[3] = {0, 1, 51};
  constexpr auto rows = bm::row_major(28, 52),
                 box = rows.permuted(bm::modular_in_a_box({2, 1, 0, 1}));
  for (int row = 0; row < 28; ++row)
    for (int number = 0; number < 3; ++number) {
      CHECK(rows(row, columns[number]) % 32 == plain[row % 8][number]);
      CHECK(box(row, columns[number]) % 32 == transformed[row][number]);
    }
  // "3.73 % more memory": the last element of 52 by 52 is 2805 (2805 / 2704 is 1.0373), so that
  // 2806 are needed.
  constexpr auto tile = bm::row_major(52, 52).permuted(bm::modular_in_a_box({2, 1, 0, 1}));
  static_assert(tile(51, 51) == 2805 && tile.required_size() == 2806 &&
                tile.extent[0] * tile.stride[0] == 2704);
  static_assert(2805 * 10000 / 2704 == 10373);
}

// Random index functions: simplifying their programs does not change their values.
struct generated_family : bm::detail::family<generated_family> {
  static void place(const bm::layout& array_layout, bm::detail::element_to_place& symbols) {
    using bm::detail::in_group, bm::detail::triangle_of, bm::detail::triangular_root;
    std::mt19937_64 random(static_cast<std::uint64_t>(array_layout.permutation.number[0]));
    const auto draw = [&](long long end) {
      return static_cast<long long>(random() % static_cast<std::uint64_t>(end));
    };
    const auto sum = [&](const auto& self, int depth) -> bm::detail::term {
      if (depth == 0)
        return draw(5) == 0 ? symbols.constant(draw(9))
                            : symbols.coordinate(static_cast<int>(draw(array_layout.rank)));
      const auto a = self(self, depth - 1);
      const long long mask = draw(64);
      const int low_bits = static_cast<int>(draw(4)), shift = static_cast<int>(draw(4));
      switch (draw(12)) {
        case 0:
        case 1:
        case 2: return a + self(self, depth - 1);
        case 3: return a * draw(40);
        case 4: return a / (1 + draw(12));
        case 5: return a % (1 + draw(40));
        case 6: return a % (1ll << draw(6));
        case 7: return a ^ self(self, depth - 1);
        case 8: return (a & mask) << shift;
        case 9: return ((a >> low_bits) & mask) << shift;
        case 10: return triangle_of(a % (1 + draw(100)));
        default: break;
      }
      const long long width = 1ll << draw(6);
      return triangular_root(a % width, width);
    };
    const int group = 1 << draw(3);
    const long long width = 1 + draw(20);
    const auto column = sum(sum, 3);
    switch (draw(4)) {
      case 0: return symbols.set_column(column);
      case 1: return symbols.set_number(column ^ symbols.number());
      case 2:
        return symbols.set_column(
            in_group((symbols.column() / group + column) % width, symbols.column(), group));
      default:
        return symbols.set_column(
            in_group(column % (draw(2) == 0 ? width : 1ll << draw(5)), symbols.column(), group));
    }
  }
};

int wrong_in_program(const bm::layout& array_layout, bool for_kernels,
                     const bm::detail::four& position) {
  bm::detail::index_program program;
  bm::detail::family<generated_family>::write(array_layout, program, for_kernels);
  const programs::run run = programs::execute(program, array_layout, for_kernels, position);
  return run.wrong +
         (run.place != bm::detail::family<generated_family>::element(array_layout, position));
}

TEST_CASE("simplified programs of generated index functions compute the same") {
  const char* setting = std::getenv("BANKMODEL_CASES");
  const long long cases = setting == nullptr ? 20000 : std::atoll(setting);
  int wrong = 0;
  for (long long seed = 1; seed <= cases && wrong == 0; ++seed) {
    const long long rows = 1 + seed % 7, columns = 1 + seed % 23;
    bm::layout array_layout =
        seed % 2 == 0 ? bm::row_major(rows, columns) : bm::row_major(1 + seed % 3, rows, columns);
    array_layout.permutation = {bm::layout_family::other, 0, 1, {seed, 0, 0, 0}};
    bm::detail::four position;
    for (position[0] = 0; position[0] < array_layout.extent[0]; ++position[0])
      for (position[1] = 0; position[1] < array_layout.extent[1]; ++position[1])
        for (position[2] = 0; position[2] < (array_layout.rank > 2 ? array_layout.extent[2] : 1);
             ++position[2])
          if ((position[0] + position[1] + position[2]) % 3 == seed % 3)
            wrong += wrong_in_program(array_layout, false, position) +
                     wrong_in_program(array_layout, true, position);
    INFO("seed " << seed);
    CHECK(wrong == 0);
  }
}

// Every element of arrays of one dimension, padded every `width` elements or not.
TEST_CASE("an array of one dimension is one of rows with a pitch") {
  int wrong = 0;
  for (long long elements = 1; elements <= 40; ++elements)
    for (long long width = 1; width <= 12; ++width)
      for (long long padding = 0; padding <= 3; ++padding) {
        const bm::layout line = bm::row_major(elements).padded_every(width, padding),
                         rows = bm::in_rows_of(line, width);
        for (long long c = 0; c < elements; ++c) wrong += rows(c / width, c % width) != line(c);
        wrong += !rows.is_strided() || rows.extent[1] != width || rows.padding() != padding ||
                 rows.extent[0] * width < elements || (rows.extent[0] - 1) * width >= elements;
      }
  CHECK(wrong == 0);
}

TEST_CASE("the examples of the headers") {
  // layout.hpp
  static_assert(bm::row_major(32, 32)(1, 0) == 32 && bm::row_major(32, 32).padded(1)(1, 0) == 33 &&
                bm::row_major(32, 33)(1, 0) == 33);
  constexpr auto padded = bm::row_major(32, 32).padded(1);
  static_assert(padded.coordinates(33) == bm::detail::four{1, 0, 0, 0} &&
                padded.coordinates(32)[0] == -1);
  constexpr auto planes = bm::row_major(4, 8, 32).padded(1, 1).padded(2, 0);
  static_assert(planes.padding(1) == 1 && planes.padding(0) == 2 && planes(1, 0, 0) == 8 * 33 + 2);
  static_assert(bm::row_major(1024).padded_every(32, 1)(32) == 33);
  constexpr auto rotated = bm::row_major(32, 32).permuted(bm::rotation(1));
  static_assert(rotated(1, 31) == 32 && rotated.permuted({}) == bm::row_major(32, 32));
  static_assert(rotated.permuted(bm::triangular()) ==
                bm::row_major(32, 32).permuted(bm::triangular()));
  static_assert(rotated.padded(1).permutation == bm::rotation(1) && rotated.padded(1)(1, 31) == 33);

  // in_rows.hpp
  static_assert(bm::in_rows_of(bm::row_major(2048).padded_every(64, 1), 64) ==
                bm::row_major(32, 64).padded(1));

  // rotation.hpp
  constexpr auto square = bm::row_major(4, 4);
  static_assert(lying_in<4, 4>(square.permuted(bm::rotation(1))) ==
                table<4, 4>{{{0, 1, 2, 3}, {3, 0, 1, 2}, {2, 3, 0, 1}, {1, 2, 3, 0}}});
  static_assert(lying_in<4, 4>(square.permuted(bm::rotation(-1))) ==
                table<4, 4>{{{0, 1, 2, 3}, {1, 2, 3, 0}, {2, 3, 0, 1}, {3, 0, 1, 2}}});

  // triangular.hpp
  static_assert(lying_in<4, 4>(square.permuted(bm::triangular(of_columns))) ==
                table<4, 4>{{{0, 1, 3, 2}, {2, 0, 1, 3}, {3, 2, 0, 1}, {1, 3, 2, 0}}});
  static_assert(lying_in<4, 4>(square.permuted(bm::triangular(of_rows))) ==
                table<4, 4>{{{0, 1, 2, 3}, {3, 0, 1, 2}, {1, 2, 3, 0}, {2, 3, 0, 1}}});
  // If one moves column c to place p, the other moves column p to place c.
  for (const auto sense : {of_columns, of_rows})
    for (long long row = 0; row < 8; ++row)
      for (long long column = 0; column < 8; ++column) {
        const auto forward = bm::row_major(8, 8).permuted(bm::triangular(sense)),
                   back = bm::row_major(8, 8).permuted(bm::inverse_triangular(sense));
        CHECK(back(row, forward(row, column) % 8) == 8 * row + column);
      }

  // xor_swizzle.hpp
  constexpr auto swizzled = bm::row_major(32, 32).permuted(bm::xor_swizzle(5, 0, 5));
  static_assert(lying_in<3, 4>(swizzled) ==
                table<3, 4>{{{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}}});
  for (int row = 0; row < 32; ++row)
    for (int column = 0; column < 32; ++column)
      CHECK(swizzled(row, column) == 32 * row + (column ^ row));
  for (int bit = 0; bit < 14; ++bit) {  // bits 9 to 11 change bits 4 to 6
    const auto drawn = bm::row_major(1 << 14).permuted(bm::xor_swizzle(3, 4, 5));
    CHECK(drawn(1 << bit) == (bit >= 9 && bit <= 11 ? 1 << bit | 1 << (bit - 5) : 1 << bit));
    // In the other direction.
    const auto upwards = bm::row_major(1 << 14).permuted(bm::xor_swizzle(3, 4, -5));
    CHECK(upwards(1 << bit) == (bit >= 4 && bit <= 6 ? 1 << bit | 1 << (bit + 5) : 1 << bit));
  }
  static_assert(bm::xor_swizzle_in_bytes(3, 4, 3, 4) == bm::xor_swizzle(3, 2, 3));
  static_assert(bm::copy_engine_swizzle(32, 1) == bm::xor_swizzle(1, 4, 3) &&
                bm::copy_engine_swizzle(64, 1) == bm::xor_swizzle(2, 4, 3) &&
                bm::copy_engine_swizzle(128, 1) == bm::xor_swizzle(3, 4, 3));

  // modular.hpp
  for (int row = 0; row < 24; ++row)
    for (int column = 0; column < 33; ++column)
      CHECK(bm::row_major(24, 33).permuted(bm::modular({1, 1, 0, 1}))(row, column) ==
            bm::row_major(24, 33).permuted(bm::rotation(1))(row, column));
  constexpr auto box = bm::row_major(28, 52).permuted(bm::modular_in_a_box({2, 1, 0, 1}));
  static_assert(box(1, 0) == 53 && box(0, 1) == 2 && box(27, 51) == 1533);
  constexpr auto small_box = bm::row_major(2, 4).permuted(bm::modular_in_a_box({2, 1, 0, 1}));
  static_assert(small_box(0, 0) == 0 && small_box(0, 1) == 2 && small_box(0, 2) == 4 &&
                small_box(0, 3) == 6);
  static_assert(small_box(1, 0) == 5 && small_box(1, 1) == 7 && small_box(1, 2) == 9 &&
                small_box(1, 3) == 11);
  static_assert(lying_in<4, 4>(square.permuted(bm::modular({3, 1, 0, 1}))) ==
                table<4, 4>{{{0, 3, 2, 1}, {1, 0, 3, 2}, {2, 1, 0, 3}, {3, 2, 1, 0}}});

  // linear.hpp
  constexpr auto matrix = [] {
    bm::bit_matrix m = bm::identity_matrix(4);
    m.set(2, 0b0101);
    m.set(3, 0b1010);
    return m;
  }();
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 4; ++column)
      CHECK(square.permuted(bm::linear(matrix))(row, column) ==
            square.permuted(bm::xor_swizzle(2, 0, 2))(row, column));

  // permutation.hpp
  constexpr auto groups = bm::row_major(32, 32).permuted(bm::rotation(1).in_groups_of(4));
  for (int row = 0; row < 32; ++row)
    for (int column = 0; column < 32; ++column)
      CHECK(groups(row, column) == groups(row, column / 4 * 4) + column % 4);
}
