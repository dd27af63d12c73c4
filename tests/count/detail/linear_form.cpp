// SPDX-License-Identifier: MIT
// Static properties of programs, against evaluating them at all small values: random programs over
// two variables that differ from lane to lane, two loop variables and one that counts as a
// constant.
#include <bankmodel/analysis/linear_form.hpp>
#include <bankmodel/analysis/linear_sum.hpp>
#include <bankmodel/kernel/variables.hpp>

#include "catch.hpp"

#include <array>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace bm = bankmodel;
using bm::node;
using bm::operation;
using bm::variable;
using bm::detail::structure;

namespace {

constexpr unsigned bit(variable v) { return 1u << static_cast<int>(v); }

constexpr variable named[] = {variable::tx, variable::ty, variable::loop_0, variable::loop_1,
                              variable::bx};
constexpr unsigned lanes = bit(variable::tx) | bit(variable::ty), fixed = bit(variable::bx);
constexpr int values_of_each = 4;

class random_program {
 public:
  explicit random_program(unsigned seed) : random_(seed) { add(1 + draw(3)); }
  std::vector<node> nodes;

 private:
  int draw(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  void add(int depth) {
    if (depth == 0 || draw(6) == 0) {
      if (draw(4) == 0)
        nodes.push_back({operation::constant, 1 + draw(5)});
      else
        nodes.push_back({operation::variable, static_cast<long long>(named[draw(5)])});
      return;
    }
    add(depth - 1);
    constexpr operation operations[] = {
        operation::add,      operation::add,       operation::add,        operation::subtract,
        operation::multiply, operation::multiply,  operation::shift_left, operation::shift_right,
        operation::divide,   operation::remainder, operation::bit_and,    operation::bit_or,
        operation::bit_xor,  operation::minimum,   operation::maximum,    operation::negate};
    const auto op = operations[draw(draw(2) == 0 ? 7 : 16)];
    if (op != operation::negate) add(depth - 1);
    nodes.push_back({op, 0});
  }
  std::mt19937 random_;
};

using point = std::array<int, 5>;  // values of the named variables

// Calls visit for every point with these coordinates free, the others being 0.
template <class Visit>
void for_each_point(const Visit& visit) {
  point p{};
  for (p[0] = 0; p[0] < values_of_each; ++p[0])
    for (p[1] = 0; p[1] < values_of_each; ++p[1])
      for (p[2] = 0; p[2] < values_of_each; ++p[2])
        for (p[3] = 0; p[3] < values_of_each; ++p[3])
          for (p[4] = 0; p[4] < values_of_each; ++p[4]) visit(p);
}

class table {
 public:
  explicit table(const std::vector<node>& program) {
    for_each_point([&](const point& p) {
      long long values[bm::variables] = {};
      for (std::size_t index = 0; index < 5; ++index)
        values[static_cast<int>(named[index])] = p[index];
      try {
        worth_.push_back(
            bm::detail::evaluate(program.data(), static_cast<int>(program.size()), values));
      } catch (const bm::error&) {
        worth_.push_back({});
      }
    });
  }
  const std::optional<long long>& entry(const point& p) const {
    std::size_t index = 0;
    for (const int value : p) index = index * values_of_each + static_cast<std::size_t>(value);
    return worth_[index];
  }
  // From p to q, if there is a value at both.
  std::optional<long long> difference(const point& p, const point& q) const {
    if (!entry(p) || !entry(q)) return {};
    return *entry(q) - *entry(p);
  }

 private:
  std::vector<std::optional<long long>> worth_;
};

std::string text(const structure& s) {
  return "used " + std::to_string(s.used) + ", nonlinear " + std::to_string(s.nonlinear) + " and " +
         std::to_string(s.nonlinear_in_lanes) + ", shaping " + std::to_string(s.shaping);
}

}  // namespace

TEST_CASE(
    "programs are sums of multiples of linear variables, and lanes lie apart as what shapes them "
    "says",
    "[structure]") {
  int multiples = 0, not_shaping = 0;
  for (unsigned seed = 1; seed <= 6000; ++seed) {
    const auto program = random_program(seed).nodes;
    structure s{};
    s.read(program.data(), static_cast<int>(program.size()), lanes, fixed);
    unsigned used = 0;
    for (const auto& n : program)
      if (n.op == operation::variable) used |= 1u << n.value;
    if (s.used != used) FAIL("seed " << seed << ": " << text(s));
    const table worth(program);
    for (std::size_t v = 0; v < 4; ++v) {
      if ((used & bit(named[v])) == 0) continue;
      // One step of an affine variable makes the same difference everywhere.
      if (((s.nonlinear | s.nonlinear_in_lanes) & bit(named[v])) == 0) {
        ++multiples;
        std::map<int, long long> steps;
        for_each_point([&](const point& p) {
          point q = p;
          if (++q[v] == values_of_each) return;
          const auto step = worth.difference(p, q);
          if (step && steps.insert({p[4], *step}).first->second != *step)
            FAIL("seed " << seed << ": " << text(s) << ", number " << v << " is not linear");
        });
      }
      // A variable that does not affect the lanes' differences moves all lanes by the same amount.
      if ((lanes & bit(named[v])) == 0 && (s.shaping & bit(named[v])) == 0) {
        ++not_shaping;
        for_each_point([&](const point& p) {
          point q = p, in_lane_0 = p;
          if (++q[v] == values_of_each) return;
          in_lane_0[0] = in_lane_0[1] = 0;
          point q_in_lane_0 = in_lane_0;
          ++q_in_lane_0[v];
          const auto change = worth.difference(p, q),
                     first_change = worth.difference(in_lane_0, q_in_lane_0);
          if (change && first_change && *change != *first_change)
            FAIL("seed " << seed << ": " << text(s) << ", number " << v << " shapes");
        });
      }
    }
  }
  CHECK(multiples > 2000);
  CHECK(not_shaping > 2000);
}

TEST_CASE("programs as sums have the same structure, range and values", "[structure]") {
  bm::detail::value_range ranges[bm::variables] = {};
  for (const variable v : named) ranges[static_cast<int>(v)] = {0, values_of_each - 1};
  int sums = 0;
  for (unsigned seed = 1; seed <= 6000; ++seed) {
    const auto program = random_program(seed).nodes;
    const auto size = static_cast<int>(program.size());
    structure s{}, of_sum{};
    s.read(program.data(), size, lanes, 0);
    bm::detail::sum_terms terms;
    (void)terms.add(program.data(), 1, lanes, of_sum);  // other terms before its own
    of_sum = {};
    const auto sum = terms.add(program.data(), size, lanes, of_sum);
    if (!sum.known()) {
      if (of_sum.used != 0 || of_sum.operators_in_lanes != 0) FAIL("seed " << seed);
      continue;
    }
    ++sums;
    if (text(s) != text(of_sum) || s.operators_in_lanes != of_sum.operators_in_lanes)
      FAIL("seed " << seed << ": " << text(s) << ", as a sum " << text(of_sum));
    const auto range = bm::detail::range_of(program.data(), size, ranges),
               range_of_sum = terms.range(sum, ranges);
    if (range.lowest != range_of_sum.lowest || range.highest != range_of_sum.highest)
      FAIL("seed " << seed << ": " << range_of_sum.lowest << " to " << range_of_sum.highest);
    const table worth(program);
    for_each_point([&](const point& p) {
      long long values[bm::variables] = {}, result = sum.constant;
      for (std::size_t number = 0; number < 5; ++number)
        values[static_cast<int>(named[number])] = p[number];
      for (int number = sum.first; number < sum.first + sum.count; ++number)
        result += terms[number].factor * values[terms[number].variable];
      if (worth.entry(p) != result) FAIL("seed " << seed << ": a sum of " << result);
    });
  }
  CHECK(sums > 2000);
}

TEST_CASE("sums that would be too large, or hide an error, are not known", "[structure]") {
  const auto is_known = [](const auto& program) {
    bm::detail::sum_terms terms;
    structure read{};
    return terms
        .add(program.nodes, static_cast<int>(sizeof program.nodes / sizeof(node)), lanes, read)
        .known();
  };
  using bm::index::i, bm::index::tx;
  CHECK(is_known(tx * 0x7fffffff - i));
  CHECK(!is_known(tx * 0x80000000ll - i));
  CHECK(!is_known(tx * 0x10000 * 0x8000 - i));
  CHECK(!is_known((tx << 62) + i));
  CHECK(is_known((tx << 30) + i));
  CHECK(!is_known((tx << 31) + i));
  CHECK(!is_known(i / tx * 0));
  CHECK(!is_known(tx * 0 + i));
  CHECK(is_known(tx + (1ll << 50)));
  CHECK(!is_known(tx + (1ll << 62)));
  CHECK(!is_known(tx + bm::detail::int64_min));
  CHECK(!is_known(tx * i));
}

namespace {

template <class Program>
structure read_structure(const Program& program) {
  structure s{};
  s.read(program.nodes, static_cast<int>(sizeof program.nodes / sizeof(node)), lanes, fixed);
  return s;
}

using bm::index::bx, bm::index::i, bm::index::j, bm::index::lane, bm::index::tx, bm::index::ty;

struct parts {
  unsigned nonlinear = 0, nonlinear_in_lanes = 0, shaping = 0;
};
bool operator==(const structure& a, const parts& b) {
  return a.nonlinear == b.nonlinear && a.nonlinear_in_lanes == b.nonlinear_in_lanes &&
         a.shaping == b.shaping;
}

constexpr unsigned x = bit(variable::tx), y = bit(variable::ty), of_i = bit(variable::loop_0),
                   of_j = bit(variable::loop_1), of_bx = bit(variable::bx);

}  // namespace

TEST_CASE("programs that must be recognized as affine", "[structure]") {
  CHECK(read_structure(2 * tx + 3 * ty - i * 5 + (j << 2) - 7) == parts{});
  CHECK(read_structure(-(tx - i) * 4) == parts{});
  CHECK(read_structure(i * bx + j * (bx % 3)) == parts{});
  CHECK(read_structure(tx * bx) == parts{0, 0, of_bx});
  CHECK(read_structure((bx + 1) * tx + bx * i) == parts{0, 0, of_bx});
  CHECK(read_structure((tx << bx) + i) == parts{0, 0, of_bx});
  CHECK(read_structure(bx / 2 * bx + tx) == parts{});
  CHECK(read_structure(i % 4) == parts{of_i, 0, 0});
  CHECK(read_structure(i * j + tx) == parts{of_i | of_j, 0, 0});
  CHECK(read_structure(tx % 4 + i) == parts{0, x, 0});
  CHECK(read_structure(tx % 4 + i / 2 + 3 * ty) == parts{of_i, x, 0});
  CHECK(read_structure(tx * ty) == parts{0, x | y, 0});
  CHECK(read_structure(tx * i) == parts{0, x | of_i, of_i});
  CHECK(read_structure((tx + i) % 8 + j) == parts{0, x | of_i, of_i});
  CHECK(read_structure(2 << tx) == parts{0, x, 0});
  CHECK(read_structure(1 << i) == parts{of_i, 0, 0});
  CHECK(read_structure(bm::min(tx, i)) == parts{0, x | of_i, of_i});
}

TEST_CASE("a condition has the structure of the sides of its comparisons", "[structure]") {
  CHECK(read_structure(tx < i && !(2 * ty == j)) == parts{});
  CHECK(read_structure(tx < i % 4 || ty / 2 != j) == parts{of_i, y, 0});
  const auto s = read_structure(tx + i < 3 || ty >= j * bx);
  CHECK(s.used == (x | y | of_i | of_j | of_bx));
  // Programs read one after the other add up.
  structure combined{};
  const auto first = tx % 3 + i, second = j * j + ty;
  combined.read(first.nodes, 5, lanes, fixed);
  combined.read(second.nodes, 5, lanes, fixed);
  CHECK(combined.used == (x | y | of_i | of_j));
  CHECK(combined == parts{of_j, x, 0});
}

TEST_CASE("the variables in a program", "[structure]") {
  const auto program = tx < 3 && (i != 4 || lane + 2 < j);
  CHECK(bm::detail::variables_in(program.nodes,
                                 static_cast<int>(sizeof program.nodes / sizeof(node))) ==
        (x | of_i | of_j | bit(variable::lane)));
  CHECK(bm::detail::variables_in(program.nodes, 3) == x);
}

// Linear forms of random programs over tx, ty (coordinates 0 and 1), two loops (3 and 4) and a
// fixed number: a known form gives the program's value at every point, and known factors of the
// lanes give its differences between lanes.
TEST_CASE("linear forms against evaluating", "[structure]") {
  using bm::detail::linear_form;
  int known = 0, lanes_known = 0;
  for (unsigned seed = 1; seed <= 20000; ++seed) {
    const random_program program(seed);
    const int size = static_cast<int>(program.nodes.size());
    structure s{};
    s.read(program.nodes.data(), size, lanes, fixed);
    linear_form variables[bm::variables], form;
    for (int number = 0; number < 5; ++number) {
      linear_form& named_form = variables[static_cast<int>(named[number])];
      named_form.set_constant(
          number == 4 ? 3 : 0);  // tx = x, ty = 2 * y + x, i = q, j = 1 + 2 * p - q, bx = 3
      if (number == 0) named_form.set(0, 1);
      if (number == 1) named_form.set(0, 1), named_form.set(1, 2);
      if (number == 2) named_form.set(3, 1);
      if (number == 3)
        named_form.constant = 1, named_form.set(4, 2), named_form.set(3, ~std::uint64_t{0});
    }
    const auto worth = [&](long long lane_x, long long lane_y, long long q,
                           long long p) -> std::optional<long long> {
      long long values[bm::variables] = {};
      const long long numbers[5] = {lane_x, 2 * lane_y + lane_x, q, 1 + 2 * p - q, 3};
      for (std::size_t index = 0; index < 5; ++index)
        values[static_cast<int>(named[index])] = numbers[index];
      try {
        return bm::detail::evaluate(program.nodes.data(), size, values);
      } catch (const bm::error&) {
        return {};
      }
    };
    try {
      bm::detail::read_form(program.nodes.data(), size, variables, 3, form);
    } catch (const bm::error&) {
      CHECK_FALSE(worth(0, 0, 0, 0));  // constants only, so an error everywhere
      continue;
    }
    const bool is_refused = !worth(0, 0, 0, 0);  // a shift by too much, everywhere
    if (s.nonlinear == 0 && s.nonlinear_in_lanes == 0) CHECK((form.known || is_refused));
    if (s.nonlinear_in_lanes == 0) CHECK((form.lanes_known || is_refused));
    known += form.known;
    lanes_known += form.lanes_known;
    for (long long position = 0; position < 81; ++position) {
      const long long at_x = position % 3, at_y = position / 3 % 3, q = position / 9 % 3,
                      p = position / 27;
      const auto actual = worth(at_x, at_y, q, p), first = worth(0, 0, q, p);
      const auto factor = [&](int d) { return static_cast<long long>(form.coefficient(d)); };
      const bool right =
          !actual ||
          ((!form.known || *actual == static_cast<long long>(form.constant) + factor(0) * at_x +
                                          factor(1) * at_y + factor(3) * q + factor(4) * p) &&
           (!form.lanes_known || !first ||
            *actual - *first == factor(0) * at_x + factor(1) * at_y));
      if (!right) FAIL("seed " << seed << " at " << position);
    }
  }
  CHECK(known > 4000);
  CHECK(lanes_known > known + 1000);
}
