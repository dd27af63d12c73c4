// SPDX-License-Identifier: MIT
// The presentation's integer program (papers/003: I. Mungiello and A. Cilardo's "Linear
// Programming Model"), enumerated.
//
// x(t, b, i) is 1 if thread t touches bank b in iteration i, of n threads, banks and
// iterations. Its constraints are that each thread touches each bank once (sum over i), is in
// one bank in each iteration (sum over b), and that no two threads meet in a bank (sum over t):
// bank(t, i) is a Latin square. A tile that is stored by rows and read by columns, or the other
// way round, is one: its rows and its columns must be in different banks. So the squares
// are all its layouts without a conflict and without a byte of waste, up to the order of rows
// in the banks, and conflict_free_table() of bounds.hpp finds one of them. The sum that the
// program minimizes is n * n for each.
//
// The presentation has two versions of one more constraint, which it does not explain:
//
// x(t, 1, i) = 1 for t = i: thread t is in the first bank in iteration t. This only breaks a
// symmetry: of the squares that have the same rows in another order exactly one is left, so
// L(n) / n! of them.
//
// x(t, i, i) = 1 for t = i: thread t is in bank t in iteration t. This is more than a symmetry:
// it requires a transversal, n places in different rows, columns and banks. For n = 2 nothing
// is left. For even n no rotation is left, however its threads, iterations and banks are named:
// the banks of its transversal, row * a + column, would add up to (a + 1) n / 2, which is 0
// modulo n because a is odd, but all banks add up to n / 2. So none of the adaptive modular
// mappings that the presentation reports is left, and no triangular one.
#include "catch.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <vector>

namespace {

using square = std::vector<int>;  // bank(t, i) of n threads and iterations, row by row

// All solutions of the program: `visit` is given bank(t, i) for each. Constraints are kept one
// by one as they stand, each sum of x as a bit that says whether it has come to 1.
class program {
 public:
  program(int n, const std::function<void(const square&)>& visit)
      : n_(n),
        visit_(visit),
        bank_(static_cast<std::size_t>(n * n), -1),
        over_i_(bank_.size()),
        over_t_(bank_.size()) {}
  void run() { choose(0); }

 private:
  // The sum over b is 1 because a bank is chosen for each t and i, once.
  void choose(int number) {
    if (number == n_ * n_) return visit_(bank_);
    const int t = number / n_, i = number % n_;
    for (int b = 0; b < n_; ++b) {
      int &of_thread = over_i_[cell(t, b)], &of_iteration = over_t_[cell(b, i)];
      if (of_thread == 1 || of_iteration == 1) continue;
      of_thread = of_iteration = 1;
      bank_[static_cast<std::size_t>(number)] = b;
      choose(number + 1);
      of_thread = of_iteration = 0;
    }
  }
  std::size_t cell(int a, int b) const { return static_cast<std::size_t>(a * n_ + b); }

  int n_;
  const std::function<void(const square&)>& visit_;
  square bank_;
  std::vector<int> over_i_, over_t_;  // the sums over i for each t, b; over t for each b, i
};

// Whether x fulfils every line of the program, summed up as it is written.
bool fulfils(int n, const std::function<int(int t, int b, int i)>& x) {
  for (int p = 0; p < n; ++p)
    for (int q = 0; q < n; ++q) {
      int over_i = 0, over_b = 0, over_t = 0;
      for (int r = 0; r < n; ++r) over_i += x(p, q, r), over_b += x(p, r, q), over_t += x(r, p, q);
      if (over_i != 1 || over_b != 1 || over_t != 1) return false;
    }
  return true;
}

int bank_of(const square& s, int n, int t, int i) { return s[static_cast<std::size_t>(t * n + i)]; }

// The square whose bank(row, column) is what `bank` says.
square make_square(int n, const std::function<int(int, int)>& bank) {
  square result;
  for (int row = 0; row < n; ++row)
    for (int column = 0; column < n; ++column) result.push_back(bank(row, column) % n);
  return result;
}

bool is_latin(const square& s, int n) {
  for (const int bank : s)
    if (bank < 0 || bank >= n) return false;
  return fulfils(n,
                 [&](int t, int b, int i) { return static_cast<int>(bank_of(s, n, t, i) == b); });
}

int triangle(int number) { return number * (number + 1) / 2; }

// Adaptive modular mapping: an element's column moves on by `a` with each row.
square rotation(int n, int a) {
  return make_square(n, [&](int row, int column) { return row * a + column; });
}
// Triangular mapping, as the presentation has it: by the row's number and the triangle of the
// column's.
square triangular(int n) {
  return make_square(n, [](int row, int column) { return row + triangle(column); });
}
square transposed(const square& s, int n) {
  return make_square(n, [&](int row, int column) { return bank_of(s, n, column, row); });
}
// In each row the column stored in a bank, instead of the bank of a column.
// Required: they are one to one.
square inverse_of_rows(const square& s, int n) {
  square result(s.size(), -1);
  for (int row = 0; row < n; ++row)
    for (int column = 0; column < n; ++column)
      result[static_cast<std::size_t>(row * n + bank_of(s, n, row, column))] = column;
  return result;
}
// In each column the row stored in a bank.
square inverse_of_columns(const square& s, int n) {
  return transposed(inverse_of_rows(transposed(s, n), n), n);
}

// The place of each element of the matrix, inverted as one permutation of n * n: what lies at
// each place.
std::vector<int> inverse_of_places(const std::vector<int>& place) {
  std::vector<int> result(place.size(), -1);
  for (std::size_t element = 0; element < place.size(); ++element)
    result[static_cast<std::size_t>(place[element])] = static_cast<int>(element);
  return result;
}

// The square with its rows, columns and banks renamed so that its first row and its first
// column count up.
square reduced(const square& s, int n) {
  square name(static_cast<std::size_t>(n)), row(static_cast<std::size_t>(n));
  for (int column = 0; column < n; ++column)
    name[static_cast<std::size_t>(bank_of(s, n, 0, column))] = column;
  for (int t = 0; t < n; ++t)
    row[static_cast<std::size_t>(name[static_cast<std::size_t>(bank_of(s, n, t, 0))])] = t;
  return make_square(n, [&](int t, int i) {
    return name[static_cast<std::size_t>(bank_of(s, n, row[static_cast<std::size_t>(t)], i))];
  });
}

// Every reduced square that `s` becomes by renaming rows, columns and banks.
std::set<square> renamed(const square& s, int n) {
  std::set<square> result;
  square rows(static_cast<std::size_t>(n)), columns;
  std::iota(rows.begin(), rows.end(), 0);
  do {
    columns.resize(rows.size());
    std::iota(columns.begin(), columns.end(), 0);
    do {
      result.insert(reduced(make_square(n,
                                        [&](int t, int i) {
                                          return bank_of(s, n, rows[static_cast<std::size_t>(t)],
                                                         columns[static_cast<std::size_t>(i)]);
                                        }),
                            n));
    } while (std::next_permutation(columns.begin(), columns.end()));
  } while (std::next_permutation(rows.begin(), rows.end()));
  return result;
}

bool is_power_of_two(int n) { return (n & (n - 1)) == 0; }

struct known {
  int n;
  long long squares, with_first_bank_on_the_diagonal, with_each_bank_on_the_diagonal;
};
constexpr known of_order[] = {
    {1, 1, 1, 1}, {2, 2, 1, 0}, {3, 12, 2, 1}, {4, 576, 24, 2}, {5, 161280, 1344, 48}};

}  // namespace

TEST_CASE("the program's solutions are the Latin squares: 1, 2, 12, 576, 161 280") {
  for (const known& expected : of_order) {
    const int n = expected.n;
    INFO("n = " << n);
    long long squares = 0, wrong = 0;
    std::set<square> distinct;
    const std::function<void(const square&)> visit = [&](const square& s) {
      ++squares;
      wrong += !is_latin(s, n);
      if (n < 5) distinct.insert(s);
    };
    program(n, visit).run();
    CHECK(squares == expected.squares);
    CHECK(wrong == 0);
    if (n < 5) CHECK(static_cast<long long>(distinct.size()) == squares);
  }
}

// Nothing left out: all 2^(n^3) values of x for n = 1 and 2, and all banks of all threads and
// iterations for n = 3.
TEST_CASE("enumerating all values of x gives the same number") {
  for (int n = 1; n <= 2; ++n) {
    long long count = 0;
    for (unsigned bits = 0; bits < 1u << (n * n * n); ++bits)
      count += fulfils(n, [&](int t, int b, int i) {
        return static_cast<int>(bits >> ((t * n + b) * n + i) & 1);
      });
    CHECK(count == of_order[n - 1].squares);
  }
  long long count = 0;
  for (int number = 0; number < 19683; ++number) {
    square s;
    for (int rest = number, place = 0; place < 9; ++place, rest /= 3) s.push_back(rest % 3);
    count += is_latin(s, 3);
  }
  CHECK(count == 12);
}

TEST_CASE("the last constraint, in the presentation's two versions") {
  for (const known& expected : of_order) {
    const int n = expected.n;
    INFO("n = " << n);
    const auto cyclic = renamed(rotation(n, 1), n);
    long long factorial = 1, first = 0, diagonal = 0, rotations_among_each = 0;
    for (int factor = 2; factor <= n; ++factor) factorial *= factor;
    std::set<square> rows_in_any_order;
    const std::function<void(const square&)> visit = [&](const square& s) {
      bool is_first = true, is_each = true;
      for (int t = 0; t < n; ++t) {
        is_first = is_first && bank_of(s, n, t, t) == 0;
        is_each = is_each && bank_of(s, n, t, t) == t;
      }
      first += is_first;
      diagonal += is_each;
      if (is_each) rotations_among_each += static_cast<long long>(cyclic.count(reduced(s, n)));
      if (!is_first) return;
      std::vector<square> rows;
      for (int t = 0; t < n; ++t) rows.emplace_back(s.begin() + t * n, s.begin() + t * n + n);
      std::sort(rows.begin(), rows.end());
      square sorted;
      for (const square& row : rows) sorted.insert(sorted.end(), row.begin(), row.end());
      rows_in_any_order.insert(sorted);
    };
    program(n, visit).run();
    CHECK(first == expected.with_first_bank_on_the_diagonal);
    CHECK(first * factorial == expected.squares);
    CHECK(static_cast<long long>(rows_in_any_order.size()) == first);
    CHECK(diagonal == expected.with_each_bank_on_the_diagonal);
    if (n % 2 == 0) CHECK(rotations_among_each == 0);
    if (n % 2 == 1) CHECK(rotations_among_each > 0);
  }
}

TEST_CASE("which squares are rotations, triangular, and their inverses") {
  // How many different squares there are of each family and of all together.
  struct members {
    int n;
    std::size_t rotations, triangles, total;
  };
  constexpr members counted[] = {
      {1, 1, 1, 1}, {2, 1, 1, 1}, {3, 2, 0, 2}, {4, 2, 6, 8}, {5, 4, 0, 4}};
  for (const auto& expected : counted) {
    const int n = expected.n;
    INFO("n = " << n);
    std::set<square> rotations, triangles, squares, solutions;
    for (int a = 1; a <= n; ++a) {
      const square s = rotation(n, a);
      REQUIRE(is_latin(s, n) == (std::gcd(a, n) == 1));
      if (std::gcd(a, n) != 1) continue;
      rotations.insert(s);
    }
    CHECK(is_latin(triangular(n), n) == is_power_of_two(n));
    CHECK(is_latin(transposed(triangular(n), n), n) == is_power_of_two(n));
    if (is_power_of_two(n))
      for (const square& s : {triangular(n), transposed(triangular(n), n)}) {
        triangles.insert(s);
        triangles.insert(inverse_of_rows(s, n));
        triangles.insert(inverse_of_columns(s, n));
      }
    for (const auto* family : {&rotations, &triangles})
      squares.insert(family->begin(), family->end());
    CHECK(rotations.size() == expected.rotations);
    CHECK(triangles.size() == expected.triangles);
    CHECK(squares.size() == expected.total);
    for (const square& s : squares) CHECK(is_latin(s, n));
    long long met = 0;
    const std::function<void(const square&)> visit = [&](const square& s) {
      met += static_cast<long long>(squares.count(s));
    };
    program(n, visit).run();
    CHECK(met == static_cast<long long>(squares.size()));
  }
}

TEST_CASE("the inverses, for sizes of a tile") {
  for (int n = 1; n <= 64; ++n) {
    INFO("n = " << n);
    REQUIRE(is_latin(triangular(n), n) == is_power_of_two(n));
    for (int a = 1; a <= n; ++a) {
      if (std::gcd(a, n) != 1) continue;
      // The inverse of a rotation is the rotation the other way.
      const square s = rotation(n, a), back = inverse_of_rows(s, n);
      REQUIRE(back == rotation(n, n - a));
      if (n > 16) continue;
      REQUIRE(is_latin(inverse_of_columns(s, n), n));
      // A whole matrix whose elements move within their rows is inverted row by row: element
      // (r, c) at (r, bank(r, c)).
      std::vector<int> place;
      for (int row = 0; row < n; ++row)
        for (int column = 0; column < n; ++column)
          place.push_back(row * n + bank_of(s, n, row, column));
      const auto inverse = inverse_of_places(place);
      for (int row = 0; row < n; ++row)
        for (int bank = 0; bank < n; ++bank)
          REQUIRE(inverse[static_cast<std::size_t>(row * n + bank)] ==
                  row * n + bank_of(back, n, row, bank));
    }
    if (!is_power_of_two(n)) continue;
    const square by_columns = triangular(n), by_rows = transposed(by_columns, n);
    // bank = row + T(column) has, row by row, the column whose triangle is bank - row; column
    // by column, the row bank - T(column). bank = column + T(row) has the same with rows and
    // columns exchanged.
    REQUIRE(inverse_of_columns(by_columns, n) == make_square(n, [&](int bank, int column) {
              return bank + n * n - triangle(column) % n;
            }));
    REQUIRE(inverse_of_rows(by_rows, n) ==
            make_square(n, [&](int row, int bank) { return bank + n * n - triangle(row) % n; }));
    const square rows_back = inverse_of_rows(by_columns, n);
    for (int row = 0; row < n; ++row)
      for (int bank = 0; bank < n; ++bank)
        REQUIRE((row + triangle(bank_of(rows_back, n, row, bank))) % n == bank);
    REQUIRE(inverse_of_columns(by_rows, n) == transposed(rows_back, n));
    for (const square& s : {by_columns, by_rows}) {
      REQUIRE(is_latin(inverse_of_rows(s, n), n));
      REQUIRE(is_latin(inverse_of_columns(s, n), n));
    }
  }
}

// "And more..": what is not in those families. All rotations and triangles are one square with
// its rows, columns and banks renamed; of order 4 there is one more, by XOR, and of order 5 one
// that is no group's table.
TEST_CASE("rotations and triangles are one square renamed, and there are others") {
  constexpr long long of_rotations[] = {1, 2, 12, 432, 17280};
  for (const known& expected : of_order) {
    const int n = expected.n;
    INFO("n = " << n);
    const auto cyclic = renamed(rotation(n, 1), n);
    std::set<square> by_xor;
    if (is_power_of_two(n))
      by_xor = renamed(make_square(n, [](int row, int column) { return row ^ column; }), n);
    for (int a = 1; a <= n; ++a)
      if (std::gcd(a, n) == 1) CHECK(cyclic.count(reduced(rotation(n, a), n)) == 1);
    if (is_power_of_two(n))
      for (const square& s : {triangular(n), transposed(triangular(n), n)}) {
        CHECK(cyclic.count(reduced(s, n)) == 1);
        CHECK(cyclic.count(reduced(inverse_of_rows(s, n), n)) == 1);
        CHECK(cyclic.count(reduced(inverse_of_columns(s, n), n)) == 1);
      }
    long long rotations = 0, with_xor = 0;
    const std::function<void(const square&)> visit = [&](const square& s) {
      const square canonical = reduced(s, n);
      rotations += static_cast<long long>(cyclic.count(canonical));
      with_xor += static_cast<long long>(by_xor.count(canonical));
    };
    program(n, visit).run();
    CHECK(rotations == of_rotations[n - 1]);
    if (n == 4) CHECK(with_xor == 576 - 432);
    if (n == 5) CHECK(rotations < expected.squares);
  }
}
