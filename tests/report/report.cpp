// SPDX-License-Identifier: MIT
#include <bankmodel/host/search/bounds.hpp>
#include <bankmodel/host/search/pareto.hpp>
#include <bankmodel/kernel/instructions.hpp>
#include <bankmodel/layout/in_rows.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/report.hpp>

#include "catch.hpp"
#include "permutations.hpp"

#include <cctype>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace bm = bankmodel;
using namespace bm::index;
using bm::text;

namespace {

// C's value of an expression: names of one letter, numbers, and + - * / % << >> & ^ with their
// parentheses.
class computed {
 public:
  computed(std::string_view words, const std::map<char, long long>& value)
      : rest_(words), value_(value) {
    result_ = binary(0);
  }
  // Nothing is left.
  bool is_whole() const { return rest_.empty(); }
  long long result() const { return result_; }

 private:
  static constexpr const char* operators[] = {"^", "&", "<<", ">>", "+", "-", "*", "/", "%"};
  static constexpr int bindings[] = {1, 2, 3, 3, 4, 4, 5, 5, 5};

  long long binary(int binding) {
    long long left = operand();
    for (;;) {
      skip();
      std::size_t sign = 0;
      while (sign < std::size(operators) &&
             rest_.substr(0, std::string_view(operators[sign]).size()) != operators[sign])
        ++sign;
      if (sign == std::size(operators) || bindings[sign] <= binding) return left;
      rest_.remove_prefix(std::string_view(operators[sign]).size());
      const long long right = binary(bindings[sign]);
      switch (operators[sign][0]) {
        case '^': left ^= right; break;
        case '&': left &= right; break;
        case '<': left <<= right; break;
        case '>': left >>= right; break;
        case '+': left += right; break;
        case '-': left -= right; break;
        case '*': left *= right; break;
        case '/': left /= right; break;
        default: left %= right;
      }
    }
  }
  long long operand() {
    skip();
    long long value = 0;
    if (rest_[0] == '(') {
      rest_.remove_prefix(1);
      value = binary(0);
      skip();
      rest_.remove_prefix(1);
    } else if (std::isdigit(rest_[0]) == 0) {
      value = value_.at(rest_[0]);
      rest_.remove_prefix(1);
    } else {
      for (; !rest_.empty() && std::isdigit(rest_[0]) != 0; rest_.remove_prefix(1))
        value = value * 10 + (rest_[0] - '0');
    }
    return value;
  }
  void skip() {
    while (!rest_.empty() && rest_[0] == ' ') rest_.remove_prefix(1);
  }

  std::string_view rest_;
  const std::map<char, long long>& value_;
  long long result_ = 0;
};

// The numbers of "[1][2]", with values for names.
std::vector<long long> subscripts(std::string_view words, const std::map<char, long long>& value) {
  std::vector<long long> result;
  while (!words.empty()) {
    const std::size_t end = words.find(']');
    REQUIRE((words[0] == '[' && end != std::string_view::npos));
    const computed subscript(words.substr(1, end - 1), value);
    REQUIRE(subscript.is_whole());
    result.push_back(subscript.result());
    words.remove_prefix(end + 1);
  }
  return result;
}

// The place of an element in C for an array that is declared with these extents.
long long place_in_c(const std::string& extents, const std::vector<long long>& coordinates) {
  const auto sizes = subscripts(extents, {});
  REQUIRE(sizes.size() == coordinates.size());
  long long element = 0;
  for (std::size_t d = 0; d < coordinates.size(); ++d) {
    REQUIRE((coordinates[d] >= 0 && coordinates[d] < sizes[d]));
    element = element * sizes[d] + coordinates[d];
  }
  return element;
}

// Compares C with the layout for all elements of an array.
void require_right_in_c(const bm::layout& array_layout) {
  const bm::layout_in_c c = bm::in_c(array_layout);
  const std::string names =
      std::string("wzyx").substr(static_cast<std::size_t>(4 - array_layout.rank));
  long long elements = 1;
  for (int d = 0; d < array_layout.rank; ++d) elements *= array_layout.extent[d];
  for (long long number = 0; number < elements; ++number) {
    std::map<char, long long> value;
    long long rest = number;
    for (int d = array_layout.rank - 1; d >= 0; rest /= array_layout.extent[d], --d)
      value[names[static_cast<std::size_t>(d)]] = rest % array_layout.extent[d];
    if (!c.number.empty()) value['e'] = computed(c.number, value).result();
    bm::detail::four element;
    const auto coordinates = subscripts(c.element, value);
    for (std::size_t d = 0; d < coordinates.size(); ++d)
      element[static_cast<int>(d)] = coordinates[d];
    const long long lies_at = place_in_c(c.extents, subscripts(c.place, value));
    INFO(text(array_layout) << ", in C " << c.extents << ": " << c.element << " at " << c.place
                            << ", e = " << c.number);
    REQUIRE(lies_at == array_layout(element));
    REQUIRE(lies_at < array_layout.required_size());
  }
}

}  // namespace

TEST_CASE("subscripts have the parentheses that C needs") {
  CHECK(text(2 * tx + 1) == "2 * tx + 1");
  CHECK(text(2 * (tx + 1)) == "2 * (tx + 1)");
  CHECK(text(tx - ty - 1) == "tx - ty - 1");
  CHECK(text(tx - (ty - 1)) == "tx - (ty - 1)");
  CHECK(text(tx / 2 * 2) == "tx / 2 * 2");
  CHECK(text(tx / (2 * j)) == "tx / (2 * j)");
  CHECK(text(tx + -1) == "tx + -1");
  CHECK(text(-1 * tx) == "-1 * tx");
  CHECK(text(-tx + 31) == "-tx + 31");
  CHECK(text(-(tx + 1)) == "-(tx + 1)");
  CHECK(text(-(-tx)) == "-(-tx)");
  CHECK(text(max(tx - 1, 0) * 2) == "max(tx - 1, 0) * 2");
  CHECK(text(min(tx, 7) + max(i, bx)) == "min(tx, 7) + max(i, bx)");
}

TEST_CASE("operators under a bitwise one or a shift are in parentheses, as compilers recommend") {
  CHECK(text((ty + j) ^ tx) == "(ty + j) ^ tx");
  CHECK(text(tx ^ (ty % 8)) == "tx ^ (ty % 8)");
  CHECK(text(tx ^ ty ^ j) == "tx ^ ty ^ j");
  CHECK(text(tx ^ (ty ^ j)) == "tx ^ (ty ^ j)");
  CHECK(text((tx & 3) | (ty << 2)) == "(tx & 3) | (ty << 2)");
  CHECK(text((tx >> 1) + 1) == "(tx >> 1) + 1");
  CHECK(text(tx << (i + 1)) == "tx << (i + 1)");
  CHECK(text(min(tx, 7) ^ -ty) == "min(tx, 7) ^ -ty");
}

TEST_CASE("conditions") {
  CHECK(text(tx < i && ty != 0) == "tx < i && ty != 0");
  CHECK(text(tx > 3) == "tx > 3");
  CHECK(text(i <= tx + 1) == "tx + 1 >= i");
  CHECK(text(tx > ty) == "ty < tx");
  CHECK(text((tx & 1) == 0) == "(tx & 1) == 0");
  CHECK(text(!(tx == 0)) == "!(tx == 0)");
  CHECK(text(tx == 0 || ty == 0 || tz == 0) == "tx == 0 || ty == 0 || tz == 0");
  CHECK(text((tx == 0 && ty == 0) || tz == 0) == "(tx == 0 && ty == 0) || tz == 0");
  CHECK(text((tx == 0 || ty == 0) && tz == 0) == "(tx == 0 || ty == 0) && tz == 0");
  CHECK(text(tx == 0 && (ty == 0 || !(lane < warp && tid >= 4))) ==
        "tx == 0 && (ty == 0 || !(lane < warp && tid >= 4))");
}

TEST_CASE("accesses are on one line, as in the kernel") {
  const auto a = bm::shared_array<float>("a", 4096);
  const auto tile = bm::shared_array<float>("tile", 32, 32);
  CHECK(text(bm::load(
            bm::for_loop(j, bm::range(0, 32, 8), bm::if_threads(tx < 16, tile[tx][ty + j])))) ==
        "for (j = 0; j < 32; j += 8) if (tx < 16) load tile[tx][ty + j]");
  CHECK(text(bm::store(bm::for_loop(m, bm::range(14, -1, -1), a[m]))) ==
        "for (m = 14; m > -1; --m) store a[m]");
  CHECK(text(bm::for_loop(n, bm::range(tx, i, -2), a[n])) ==
        "for (n = tx; n > i; n -= 2) load a[n]");
  CHECK(text(bm::for_loop(i, bm::range(0, 9, ty + 1), a[i])) ==
        "for (i : range(0, 9, ty + 1)) load a[i]");
  CHECK(text(bm::for_loop(k, bm::powers(1, 256, 2),
                          bm::if_threads(2 * k * tx < 256, a[2 * k * tx]))) ==
        "for (k = 1; k < 256; k *= 2) if (2 * k * tx < 256) load a[2 * k * tx]");
  CHECK(text(bm::for_loop(k, bm::powers(128, 0, 2), a[k])) ==
        "for (k = 128; k > 0; k /= 2) load a[k]");
  CHECK(text(bm::for_loop(k, bm::powers(1, l, 2), a[k])) == "for (k : powers(1, l, 2)) load a[k]");
  CHECK(text(bm::for_loop(k, bm::values(1, -3, 9), a[k])) == "for (k : {1, -3, 9}) load a[k]");
  CHECK(text(bm::vectorized<4>(a[4 * tx])) == "load 4 x a[4 * tx]");
}

TEST_CASE("machines and numbers") {
  CHECK(text(bm::nvidia::sm_90) == "sm_90");
  CHECK(text(bm::nvidia::sm_35) == "sm_35, 4-byte banks");
  CHECK(text(bm::nvidia::sm_35.with_bank_width(8)) == "sm_35, 8-byte banks");
  CHECK(text(bm::machine{.model = 7}) == "machine 7");
  CHECK((text(bm::amd::gfx90a) == "gfx90a" && text(bm::amd::gfx1100) == "gfx1100" &&
         text(bm::nvidia::sm_10) == "sm_10"));
  CHECK(bm::grouped(0) == "0");
  CHECK(bm::grouped(992) == "992");
  CHECK(bm::grouped(1'000) == "1,000");
  CHECK(bm::grouped(2'176'000'000'000) == "2,176,000,000,000");
}

TEST_CASE("layouts as they are declared") {
  CHECK(text(bm::row_major(32, 32)) == "[32][32]");
  CHECK(text(bm::row_major(32, 32).padded(1)) == "[32][33]");
  CHECK(text(bm::row_major(1024)) == "[1024]");
  CHECK(text(bm::row_major(1024).padded_every(32, 1)) == "[1055], element c at c + c / 32");
  CHECK(text(bm::row_major(1024).padded_every(64, 2)) == "[1054], element c at c + c / 64 * 2");
  CHECK(text(bm::row_major(4, 8, 32).padded(1)) == "[4][8][33]");
  CHECK(text(bm::row_major(4, 8, 32).padded(33, 0)) == "[4][8][32], 33 after each plane");
  CHECK(text(bm::row_major(4, 8, 32).padded(64, 0)) == "[4][10][32]");
  CHECK(text(bm::row_major(2, 4, 8, 32).padded(5, 0)) == "[2][4][8][32], 5 after each volume");
}

TEST_CASE("permuted layouts show where an element is stored") {
  const auto tile = bm::row_major(32, 32), wide = bm::row_major(32, 64),
             cube = bm::row_major(4, 8, 32);
  // XOR: rows into columns, parts of rows, columns into columns, whole numbers.
  CHECK(text(tile.permuted(bm::xor_swizzle(5, 0, 5))) == "[32][32], element [r][c] at [r][c ^ r]");
  CHECK(text(tile.permuted(bm::xor_swizzle(3, 0, 5))) ==
        "[32][32], element [r][c] at [r][c ^ (r & 7)]");
  CHECK(text(tile.permuted(bm::xor_swizzle(3, 2, 5))) ==
        "[32][32], element [r][c] at [r][c ^ (r & 28)]");
  CHECK(text(tile.permuted(bm::xor_swizzle(3, 2, 3))) ==
        "[32][32], element [r][c] at [r][c ^ ((r & 7) << 2)]");
  CHECK(text(wide.permuted(bm::xor_swizzle(3, 0, 3))) ==
        "[32][64], element [r][c] at [r][c ^ (c >> 3)]");
  CHECK(text(tile.padded(32).permuted(bm::xor_swizzle(5, 0, 6))) ==
        "[32][64], element [r][c] at [r][c ^ r]");
  CHECK(text(tile.padded(1).permuted(bm::xor_swizzle(5, 0, 5))) ==
        "[1056], element [r][c] at e ^ ((e >> 5) & 31) for e = 33 * r + c");
  CHECK(text(bm::row_major(1000).permuted(bm::xor_swizzle(5, 0, 5))) ==
        "[1024], element c at c ^ (c >> 5)");
  CHECK(text(bm::row_major(4096).permuted(bm::xor_swizzle(5, 0, 5))) ==
        "[4096], element c at c ^ ((c >> 5) & 31)");
  CHECK(text(tile.permuted(bm::xor_swizzle(2, 3, -3))) ==
        "[1024], element [r][c] at e ^ ((e & 24) << 3) for e = 32 * r + c");
  CHECK(text(cube.permuted(bm::xor_swizzle(3, 0, 5))) ==
        "[4][8][32], element [p][r][c] at [p][r][c ^ r]");
  CHECK(text(cube.permuted(bm::xor_swizzle(2, 0, 8))) ==
        "[4][8][32], element [p][r][c] at [p][r][c ^ p]");
  // Rotation and triangles.
  CHECK(text(tile.permuted(bm::rotation(1))) == "[32][32], element [r][c] at [r][(c + r) % 32]");
  CHECK(text(tile.permuted(bm::rotation(-1))) ==
        "[32][32], element [r][c] at [r][(c + 31 * r) % 32]");
  CHECK(text(tile.padded(4).permuted(bm::rotation(1).in_groups_of(4))) ==
        "[32][36], element [r][c] at [r][(c + 4 * r) % 32]");
  CHECK(text(tile.permuted(bm::rotation(32))) == "[32][32]");
  CHECK(text(cube.permuted(bm::rotation(1))) ==
        "[4][8][32], element [p][r][c] at [p][r][(c + 8 * p + r) % 32]");
  CHECK(text(cube.permuted(bm::rotation(4))) ==
        "[4][8][32], element [p][r][c] at [p][r][(c + 4 * r) % 32]");
  CHECK(text(cube.padded(33, 0).permuted(bm::rotation(4))) ==
        "[4][8][32], 33 after each plane, element [p][r][c] at [p][r][(c + 4 * r) % 32]");
  CHECK(text(tile.permuted(bm::triangular())) ==
        "[32][32], element [r][c] at [r][(r + c * (c + 1) / 2) % 32]");
  CHECK(text(tile.permuted(bm::triangular().in_groups_of(4))) ==
        "[32][32], element [r][c] at [r][(r + c / 4 * (c / 4 + 1) / 2) % 8 * 4 + c % 4]");
  CHECK(text(tile.permuted(bm::inverse_triangular())) ==
        "[32][32], element [r][(r + c * (c + 1) / 2) % 32] at [r][c]");
  CHECK(text(tile.permuted(bm::triangular(bm::triangle::of_rows))) ==
        "[32][32], element [r][c] at [r][(c + r * (r + 1) / 2) % 32]");
  CHECK(text(tile.permuted(bm::inverse_triangular(bm::triangle::of_rows).in_groups_of(8))) ==
        "[32][32], element [r][c] at [r][(c + r * (r + 1) / 2 * 24) % 32]");
  CHECK(text(cube.permuted(bm::triangular(bm::triangle::of_rows))) ==
        "[4][8][32], element [p][r][c] at [p][r][(c + (8 * p + r) * (8 * p + r + 1) / 2) % 32]");
  // Modular and linear.
  CHECK(text(tile.permuted(bm::modular({3, 1, 0, 1}))) ==
        "[32][32], element [r][c] at [r][(3 * c + r) % 32]");
  CHECK(text(tile.permuted(bm::modular({1, 3, 0, 1}).in_groups_of(2))) ==
        "[32][32], element [r][c] at [r][(c + 6 * r) % 32]");
  CHECK(text(tile.permuted(bm::modular({3, 1, 0, 1}).in_groups_of(4))) ==
        "[32][32], element [r][c] at [r][(3 * (c / 4) + r) % 8 * 4 + c % 4]");
  CHECK(text(tile.permuted(bm::modular({2, 1, 1, 1}))) ==
        "[32][32], element [r][c] at [(c + r) % 32][(2 * c + r) % 32]");
  CHECK(text(bm::row_major(28, 52).permuted(bm::modular_in_a_box({2, 1, 0, 1}))) ==
        "[1534], element [r][c] at 2 * c + 53 * r");
  bm::bit_matrix across = bm::identity_matrix(4);
  across.set(2, 0b0101);
  across.set(3, 0b1010);
  CHECK(text(bm::row_major(4, 4).permuted(bm::linear(across))) ==
        "[4][4], element [r][c] at [r][c ^ r]");
  CHECK(text(bm::row_major(2, 8).permuted(bm::linear(across))) ==
        "[16], element [r][c] at e ^ (e >> 2) for e = 8 * r + c");
  CHECK(text(bm::row_major(16).permuted(bm::linear(across))) == "[16], element c at c ^ (c >> 2)");
}

TEST_CASE("linear layouts are shown as few operations") {
  const auto mapping = [](int bit, unsigned image, int other, unsigned other_to) {
    bm::bit_matrix matrix = bm::identity_matrix(10);
    matrix.set(bit, image);
    matrix.set(other, other_to);
    return bm::linear(matrix);
  };
  const auto line = [&](const bm::permutation& p) { return text(bm::row_major(1024).permuted(p)); };
  const auto square = [&](const bm::permutation& p) {
    return text(bm::row_major(32, 32).permuted(p));
  };
  // One bit to many, a field twice, the parity of two bits, an exchange of bits.
  CHECK(line(bm::linear(bm::identity_matrix(10))) == "[1024]");
  CHECK(line(mapping(5, 63, 9, 512)) == "[1024], element c at c ^ (31 * ((c >> 5) & 1))");
  CHECK(line(mapping(9, 543, 5, 32)) == "[1024], element c at c ^ (31 * (c >> 9))");
  CHECK(line(mapping(0, 63, 9, 512)) == "[1024], element c at c ^ (62 * (c & 1))");
  CHECK(line(mapping(5, 41, 6, 82)) == "[1024], element c at c ^ (9 * ((c >> 5) & 3))");
  CHECK(line(mapping(5, 63, 6, 95)) ==
        "[1024], element c at c ^ (31 * (((c >> 5) ^ (c >> 6)) & 1))");
  CHECK(line(mapping(1, 8, 3, 2)) == "[1024], element c at c ^ (5 * ((c ^ (c >> 2)) & 2))");
  CHECK(line(mapping(2, 7, 3, 14)) == "[1024], element c at c ^ ((c >> 1) & 6) ^ ((c >> 2) & 3)");
  // In rows, across them, and rows for columns.
  CHECK(square(mapping(5, 63, 9, 512)) == "[32][32], element [r][c] at [r][c ^ (31 * (r & 1))]");
  CHECK(square(mapping(5, 48, 6, 80)) ==
        "[32][32], element [r][c] at [r][c ^ (((r << 4) ^ (r << 3)) & 16)]");
  CHECK(square(mapping(0, 33, 9, 512)) ==
        "[1024], element [r][c] at e ^ ((e & 1) << 5) for e = 32 * r + c");
  bm::bit_matrix transposed;
  for (int bit = 0; bit < 10; ++bit) transposed.set(bit, 1u << ((bit + 5) % 10));
  CHECK(square(bm::linear(transposed)) == "[1024], element [r][c] at r ^ (c << 5)");
}

TEST_CASE("a padded array of one dimension is shown as rows with a pitch") {
  const bm::layout line = bm::row_major(2048).padded_every(64, 1);
  CHECK(text(line) == "[2079], element c at c + c / 64");
  CHECK(text(bm::in_rows_of(line, 64)) == "[32][65]");
}

TEST_CASE("lines of C store every element where its layout does") {
  CHECK(bm::in_c(bm::row_major(32, 32).padded(1)).place == "[y][x]");
  CHECK(bm::in_c(bm::row_major(32, 32).padded(1)).extents == "[32][33]");
  CHECK(bm::in_c(bm::row_major(1024).padded_every(32, 1)).place == "[x + x / 32]");
  CHECK(bm::in_c(bm::row_major(4, 8, 32).padded(33, 0)).place == "[289 * z + 32 * y + x]");
  CHECK(bm::in_c(bm::row_major(32, 32).padded(1).permuted(bm::xor_swizzle(5, 0, 5))).place ==
        "[e ^ ((e >> 5) & 31)]");
  CHECK(bm::in_c(bm::row_major(32, 32).padded(1).permuted(bm::xor_swizzle(5, 0, 5))).number ==
        "33 * y + x");
  const bm::layout boxes = bm::row_major(2, 3, 4, 8);
  for (const bm::layout& array_layout :
       {bm::row_major(5), bm::row_major(5, 7), bm::row_major(5, 7).padded(3),
        bm::row_major(64).padded_every(8, 3), bm::row_major(3, 4, 8).padded(5, 0),
        boxes.padded(1, 2), boxes.padded(5, 0), boxes.padded(1, 0).permuted(bm::rotation(3)),
        boxes.padded(3, 1).permuted(bm::xor_swizzle(2, 0, 4)),
        boxes.permuted(bm::inverse_triangular()),
        boxes.padded(5, 0).permuted(bm::inverse_triangular()),
        bm::row_major(1, 1).permuted(bm::rotation(1)),
        bm::row_major(1, 8).permuted(bm::modular({3, 1, 0, 1})),
        bm::row_major(2, 3, 4, 16).permuted(bm::xor_swizzle(3, 0, 4))})
    require_right_in_c(array_layout);

  std::mt19937_64 random(1);
  const auto draw = [&](unsigned long long end) { return static_cast<long long>(random() % end); };
  std::map<bm::layout_family, int> seen;
  for (int number = 0; number < 4000; ++number) {
    permuted::rows_of array;
    for (long long rank = 1 + draw(3); rank > 0; --rank)
      array.extent.push_back(draw(2) == 0 ? 1ll << draw(5) : 1 + draw(20));
    if (array.extent.size() == 2 && draw(2) == 0) array.padding = draw(5);
    const auto permutation = permuted::any_of(array, 1 << draw(3), random);
    if (!permutation) continue;
    ++seen[permutation->family];
    require_right_in_c(array.layout().permuted(*permutation));
  }
  CHECK(seen.size() == 5);
  for (const auto& [family, times] : seen) CHECK(times > 100);
}

TEST_CASE("plans") {
  const auto tile = bm::shared_array<float>("tile", 32, 32);
  const auto kernel = bm::kernel(bm::block_dim{32, 8},
                                 bm::store(bm::for_loop(j, bm::range(0, 32, 8), tile[ty + j][tx])),
                                 bm::load(bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j])));
  CHECK(text(bm::optimize(bm::nvidia::sm_90, kernel)) ==
        "conflicts 992 -> 0, wavefronts 1,056 -> 64, 4,224 bytes, 8 resident blocks, best of the "
        "families searched\n"
        "  tile[32][33], at byte 0\n");
  CHECK(
      text(bm::optimize(bm::nvidia::sm_35, bm::kernel(bm::block_dim{32}, bm::load(tile[0][tx])))) ==
      "conflicts 0 -> 0, wavefronts 1 -> 1, 4,096 bytes, 12 resident blocks, banks of 4 bytes, "
      "best of the families searched\n"
      "  tile[32][32], at byte 0\n");

  // Its bytes alone, and no conflict.
  CHECK(text(bm::optimize(bm::nvidia::sm_90, kernel, {.layouts = bm::layouts::xor_swizzle})) ==
        "conflicts 992 -> 0, wavefronts 1,056 -> 64, 4,096 bytes, 8 resident blocks, best of the "
        "families searched\n"
        "  tile[32][32], element [r][c] at [r][c ^ r], at byte 0\n");

  // Rows of one dimension: a pitch.
  const auto flat = bm::shared_array<float>("flat", 2048);
  const auto of_rows =
      bm::kernel(bm::block_dim{32, 8}, bm::load(flat[tx * 64 + ty]), bm::store(flat[ty * 64 + tx]));
  CHECK(text(bm::optimize(bm::nvidia::sm_90, of_rows)) ==
        "conflicts 248 -> 0, wavefronts 264 -> 16, 8,316 bytes, 8 resident blocks, best of the "
        "families searched\n"
        "  flat[2079], element 64 * r + c at 65 * r + c, at byte 0\n");

  // Conflicts are left: the bound over all layouts, which tables reach here.
  const auto t = bm::shared_array<float>("t", 17, 31);
  const auto left =
      bm::kernel(bm::block_dim{31, 17}, bm::store(t[ty][tx]), bm::load(t[tid % 17][tid / 17]));
  const auto best = bm::optimize(bm::nvidia::sm_90, left);
  CHECK(text(best) ==
        "conflicts 16 -> 16, wavefronts 50 -> 50, 2,108 bytes, 3 resident blocks, best of the "
        "families searched; any layout takes at least 34\n"
        "  t[17][31], at byte 0\n");
  CHECK(text(best, bm::possible(bm::nvidia::sm_90, left)) ==
        "conflicts 16 -> 16, wavefronts 50 -> 50, 2,108 bytes, 3 resident blocks, best of the "
        "families searched; any layout takes at least 34, which tables reach\n"
        "  t[17][31], at byte 0\n");
  CHECK(text(best, bm::possibility{34, false}) == text(best));
  CHECK_THROWS_AS(text(best, bm::possible(bm::nvidia::sm_90, kernel)), bm::error);
  // No conflict is left, and nothing more to say.
  CHECK(text(bm::optimize(bm::nvidia::sm_90, kernel), bm::possible(bm::nvidia::sm_90, kernel)) ==
        text(bm::optimize(bm::nvidia::sm_90, kernel)));

  // The effort was spent.
  const auto early = bm::optimize(bm::nvidia::sm_90, left, {.effort = 1});
  REQUIRE(!early.is_complete());
  REQUIRE(!early.is_optimal());
  CHECK(text(early) ==
        "conflicts 16 -> 16, wavefronts 50 -> 50, 2,108 bytes, 3 resident blocks, at least 34 "
        "wavefronts in the families searched; any layout takes at least 34\n"
        "  the search ended early: raise search.effort (for a constant also -fconstexpr-steps of "
        "clang, -fconstexpr-ops-limit and -fconstexpr-loop-limit of g++, -Xcudafe "
        "--max_cost_constexpr_call of nvcc), or search fewer families\n"
        "  t[17][31], at byte 0\n");

  // Everything was tried, but the best is not proven.
  const auto line = bm::shared_array<float>("line", 256);
  const auto unproven = bm::optimize(
      bm::amd::gfx942,
      bm::kernel(bm::block_dim{64},
                 bm::for_loop(k, bm::values(0, 2, 5), bm::ds_read2(line[tx + k], line[2 * tx])),
                 bm::load(bm::vectorized<3>(line[3 * tx]))));
  REQUIRE(unproven.is_complete());
  REQUIRE(!unproven.is_optimal());
  CHECK(text(unproven) ==
        "conflicts 14 -> 14, wavefronts 34 -> 34, 1,024 bytes, 32 resident blocks, at least 20 "
        "wavefronts in the families searched; any layout takes at least 20\n"
        "  line[256], at byte 0\n");

  // The Pareto front: each plan has fewer wavefronts than those with fewer bytes.
  const auto plans = bm::pareto_front(bm::nvidia::sm_90, kernel);
  REQUIRE(plans.size() == 1);
  CHECK(plans[0].bytes() == 4096);
  CHECK(plans[0].after().conflicts() == 0);
  const auto front = bm::pareto_front(bm::nvidia::sm_90, kernel, {.layouts = bm::layouts::padding});
  REQUIRE(front.size() == 2);
  CHECK(front[0].bytes() == 4224);
  CHECK(front[0].after().conflicts() == 0);
  CHECK(front[1].bytes() == 4096);
  CHECK(front[1].after().conflicts() == 992);
  CHECK(bm::pareto_front(bm::nvidia::sm_90, kernel,
                         {.layouts = bm::layouts::padding, .shared_bytes = 4100})
            .size() == 1);
}

TEST_CASE("instructions that are neither loads nor stores, as text", "[report]") {
  const auto bins = bm::shared_array<int>("bins", 2048);
  const auto tile = bm::shared_array<short>("tile", 16, 64);
  using bm::index::lane, bm::index::tx;
  CHECK(bm::text(bm::atomic(bins[tx / 8])) == "atomic bins[tx / 8]");
  CHECK(bm::text(bm::ldmatrix<4>(tile[lane % 16][lane / 16 * 8])) ==
        "ldmatrix 8 x tile[lane % 16][lane / 16 * 8]");
  CHECK(bm::text(bm::stmatrix<2>(tile[lane % 16][0 * lane])) ==
        "if (lane < 16) stmatrix 8 x tile[lane % 16][0 * lane]");
  CHECK(bm::text(bm::cp_async<16>(bins[4 * tx])) == "cp_async 4 x bins[4 * tx]");
  const auto words =
      bm::text(bm::explain(bm::nvidia::sm_90, bm::block_dim{32}, bm::atomic(bins[32 * tx])));
  INFO(words);
  CHECK(words.find("of bank 0, one lane after another, and the request takes 32 wavefronts instead "
                   "of 1. Declared as") != std::string::npos);
  const auto steps =
      bm::text(bm::explain(bm::nvidia::sm_10, bm::block_dim{32}, bm::load(bins[16 * tx])));
  INFO(steps);
  CHECK(steps.find("in 16 steps, and the request takes 32 wavefronts instead of 2.") !=
        std::string::npos);
}
