// SPDX-License-Identifier: MIT
// The movements and periods that movement_of() returns, against evaluating at every start: random
// programs over two variables that may move and two that do not; and programs written by hand for
// which a movement must be found.
#include <bankmodel/analysis/movement.hpp>
#include <bankmodel/kernel/variables.hpp>

#include "catch.hpp"

#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace bm = bankmodel;
using bm::node;
using bm::operation;
using bm::detail::movement;
using bm::detail::movement_of;
using bm::detail::value_range;

namespace {

// The variables of random programs; i always moves, j sometimes.
constexpr bm::variable named[] = {bm::variable::loop_0, bm::variable::loop_1, bm::variable::tx,
                                  bm::variable::ty};
constexpr int number_of(bm::variable v) { return static_cast<int>(v); }
constexpr int i_at = number_of(named[0]), j_at = number_of(named[1]), tx_at = number_of(named[2]),
              ty_at = number_of(named[3]);

struct one_case {
  std::vector<node> program;
  long long moves[bm::variables] = {};
  value_range ranges[bm::variables] = {};
  int size() const { return static_cast<int>(program.size()); }
  bool reads(int number) const {
    for (const auto& n : program)
      if (n.op == operation::variable && n.value == number) return true;
    return false;
  }
  movement motion() const { return movement_of(program.data(), size(), moves, ranges); }
};

class generator {
 public:
  explicit generator(unsigned seed) : random_(seed) {}

  one_case make() {
    one_case c;
    constexpr int steps[] = {1, 1, 1, 2, 3, 4, 6, -1, -2, -3};
    c.moves[i_at] = steps[draw(10)];
    if (draw(3) == 0) c.moves[j_at] = steps[draw(10)];
    for (auto& range : c.ranges) {
      const int lowest = draw(4) == 0 ? -draw(9) : draw(4);
      range = {lowest, lowest + draw(3)};
    }
    c.ranges[i_at].highest = c.ranges[i_at].lowest + 20 + draw(30);
    if (c.moves[j_at] != 0) c.ranges[j_at].highest = c.ranges[j_at].lowest + 12 + draw(10);
    add(2 + draw(2), c.program);
    return c;
  }

 private:
  int draw(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }

  void add(int depth, std::vector<node>& result) {
    if (depth == 0 || draw(7) == 0) {
      constexpr int common[] = {0, 0, 0, 0, 1, 1, 2, 3};
      if (draw(3) == 0)
        result.push_back({operation::constant, draw(6) == 0 ? -draw(4) : draw(10)});
      else
        result.push_back({operation::variable, number_of(named[common[draw(8)]])});
      return;
    }
    add(depth - 1, result);
    constexpr operation operations[] = {
        operation::add,         operation::subtract,   operation::multiply,
        operation::divide,      operation::remainder,  operation::shift_left,
        operation::shift_right, operation::bit_and,    operation::bit_or,
        operation::bit_xor,     operation::add,        operation::multiply,
        operation::minimum,     operation::maximum,    operation::less,
        operation::less_equal,  operation::equal,      operation::not_equal,
        operation::negate,      operation::logical_not};
    const operation op = draw(8) != 0 ? operations[draw(12)] : operations[draw(20)];
    if (op < operation::negate) {
      const bool by_a_constant =
          op >= operation::divide && op <= operation::bit_xor && draw(4) != 0;
      if (by_a_constant)
        result.push_back(
            {operation::constant, op >= operation::shift_left ? draw(5) : 1 + draw(9)});
      else
        add(depth - 1, result);
    }
    result.push_back({op, 0});
  }

  std::mt19937 random_;
};

// The values of a case over the ranges of its variables; no value for an error.
class table {
 public:
  explicit table(const one_case& c) : case_(c) {
    for (int index = 0; index < 4; ++index)
      extent_[index] = range(index).highest - range(index).lowest + 1;
    long long values[bm::variables] = {};
    for (values[i_at] = range(0).lowest; values[i_at] <= range(0).highest; ++values[i_at])
      for (values[j_at] = range(1).lowest; values[j_at] <= range(1).highest; ++values[j_at])
        for (values[tx_at] = range(2).lowest; values[tx_at] <= range(2).highest; ++values[tx_at])
          for (values[ty_at] = range(3).lowest; values[ty_at] <= range(3).highest; ++values[ty_at])
            worth_.push_back(evaluated(values));
  }

  // Calls visit(value at a start, value `steps` steps further, number of the line) for every start
  // that has both. A line is the set of starts that steps forwards and backwards reach.
  template <class Visit>
  void for_each_start(long long steps, const Visit& visit) const {
    const long long by_i = case_.moves[i_at], by_j = case_.moves[j_at];
    for (long long i = 0; i < extent_[0]; ++i)
      for (long long j = 0; j < extent_[1]; ++j) {
        const long long i_there = i + steps * by_i, j_there = j + steps * by_j;
        if (i_there < 0 || i_there >= extent_[0] || j_there < 0 || j_there >= extent_[1]) continue;
        const long long rounds = i / by_i, line = (i - rounds * by_i) * 1000 + (j - rounds * by_j);
        for (long long x = 0; x < extent_[2]; ++x)
          for (long long y = 0; y < extent_[3]; ++y)
            visit(entry(i, j, x, y), entry(i_there, j_there, x, y),
                  (line * extent_[2] + x) * extent_[3] + y);
      }
  }

 private:
  const value_range& range(int index) const { return case_.ranges[number_of(named[index])]; }
  std::optional<long long> evaluated(const long long* values) const {
    try {
      return bm::detail::evaluate(case_.program.data(), case_.size(), values);
    } catch (const bm::error&) {
      return {};
    }
  }
  const std::optional<long long>& entry(long long i, long long j, long long x, long long y) const {
    return worth_[static_cast<std::size_t>(((i * extent_[1] + j) * extent_[2] + x) * extent_[3] +
                                           y)];
  }

  const one_case& case_;
  long long extent_[4];
  std::vector<std::optional<long long>> worth_;
};

std::string text(const movement& m) {
  return "{" + std::to_string(m.period) + ", " + std::to_string(m.distance) +
         (m.scaled ? ", scaled" : "") + (m.polynomial ? ", polynomial" : "") + "}";
}

}  // namespace

TEST_CASE("programs move as promised, from every start", "[movement]") {
  std::map<std::string, int> seen;
  for (unsigned seed = 1; seed <= 30000; ++seed) {
    const auto c = generator(seed).make();
    const movement motion = c.motion();
    const bool periodic = motion.known() && motion.period < 60;
    if (!c.reads(i_at) && !c.reads(j_at)) continue;
    if (!periodic && !motion.polynomial) continue;
    const table worth(c);
    long long starts = 0;
    const auto refuse = [&](const char* message) {
      FAIL("seed " << seed << ", " << text(motion) << ": " << message);
    };
    if (periodic) {
      std::map<long long, long long> distances;  // for each line
      worth.for_each_start(motion.period, [&](const auto& start, const auto& end, long long line) {
        ++starts;
        if (start.has_value() != end.has_value()) refuse("a refusal is passed over");
        if (!start) return;
        const long long moved = *end - *start;
        if (!motion.scaled && moved != motion.distance) refuse("it moves by something else");
        if (motion.scaled && distances.insert({line, moved}).first->second != moved)
          refuse("it moves unevenly");
      });
      if (starts != 0) ++seen[motion.scaled ? "scaled" : motion.stays() ? "stays" : "moves"];
      if (starts != 0 && motion.period > 1) ++seen["after several steps"];
    }
    if (motion.polynomial)
      for (long long modulus = 2; modulus <= 9; ++modulus)
        worth.for_each_start(modulus, [&](const auto& value, const auto& next, long long) {
          if (value && next && (*next - *value) % modulus != 0) refuse("it is no polynomial");
        });
    if (motion.polynomial && !motion.known()) ++seen["a polynomial alone"];
  }
  CHECK(seen["moves"] > 4000);
  CHECK(seen["stays"] > 2000);
  CHECK(seen["scaled"] > 1000);
  CHECK(seen["after several steps"] > 2000);
  CHECK(seen["a polynomial alone"] > 400);
}

namespace {

using bm::index::i, bm::index::j, bm::index::tx, bm::index::ty;

// The movement of a program in which i moves by `step` from 0 on, j by `other_step`, both below
// 1000; tx is in [0, 32), ty in [0, 8).
template <class Index>
movement index_movement(const Index& index, long long step = 1, long long other_step = 0) {
  one_case c;
  c.moves[i_at] = step;
  c.moves[j_at] = other_step;
  for (auto& range : c.ranges) range = {0, 1000};
  c.ranges[tx_at] = {0, 31};
  c.ranges[ty_at] = {0, 7};
  c.program.assign(index.nodes, index.nodes + sizeof index.nodes / sizeof(node));
  return c.motion();
}

struct expected {
  long long period, distance;
  bool scaled = false;
};
bool operator==(const movement& a, const expected& b) {
  return a.period == b.period && a.distance == b.distance && a.scaled == b.scaled;
}

}  // namespace

TEST_CASE("the examples of the header", "[movement]") {
  CHECK(index_movement(i / 4) == expected{4, 1});
  CHECK(index_movement((tx + i) % 32) == expected{32, 0});
  CHECK(index_movement(i ^ tx) == expected{32, 32});
  CHECK(index_movement(i * tx) == expected{1, 0, true});
  CHECK(index_movement(i * tx % 32) == expected{32, 0});
}

TEST_CASE("movements that must be found, for each operator", "[movement]") {
  CHECK(index_movement(tx + 3 * ty) == expected{1, 0});
  CHECK(index_movement(i) == expected{1, 1});
  CHECK(index_movement(i, 7) == expected{1, 7});
  CHECK(index_movement(3 * i + 2 * j + tx, 2, 5) == expected{1, 16});
  CHECK(index_movement(3 * i - 2 * j, 2, 5) == expected{1, -4});
  CHECK(index_movement(-i, 3) == expected{1, -3});
  CHECK(index_movement(i << 3, 2) == expected{1, 16});
  CHECK(index_movement(i << ty) == expected{1, 0, true});
  CHECK(index_movement(tx * i + 5 * i) == expected{1, 5, true});
  CHECK(index_movement(i * (tx - tx)) == expected{1, 0, true});  // a range, not a value
  CHECK(index_movement((i - j) * tx, 2, 2) == expected{1, 0});
  // Quotients and remainders of operands that move by more and by less.
  CHECK(index_movement(i / 4, 4) == expected{1, 1});
  CHECK(index_movement(i / 4, 6) == expected{2, 3});
  CHECK(index_movement(i >> 2, 8) == expected{1, 2});
  CHECK(index_movement(i >> 2, 1) == expected{4, 1});
  CHECK(index_movement(i % 12, 8) == expected{3, 0});
  CHECK(index_movement(i % 4 * 3 + i / 4 * 5) == expected{4, 5});
  CHECK(index_movement(i / 6 + i / 4) == expected{12, 5});
  CHECK(index_movement(i / 2 / 3) == expected{6, 1});
  CHECK(index_movement(i * tx / 4) == expected{4, 0, true});
  CHECK(index_movement((i * tx + i) / 4) == expected{4, 1, true});
  CHECK(index_movement(tx / (i % 4 + 1)) == expected{4, 0});
  CHECK(index_movement(i % 4 < 2) == expected{4, 0});
  CHECK(index_movement(bm::max(i % 4, tx % 3)) == expected{4, 0});
  CHECK(index_movement(bm::min(i % 4, i % 6)) == expected{12, 0});
  // Bits.
  CHECK(index_movement(i & 12) == expected{16, 0});
  CHECK(index_movement(i | 3) == expected{4, 4});
  CHECK(index_movement((i ^ tx) & 63) == expected{64, 0});
  CHECK(index_movement((i % 4) ^ tx) == expected{4, 0});
  CHECK(index_movement(tx ^ (2 * i)) == expected{16, 32});
  CHECK(index_movement(i ^ (i % 8)) == expected{8, 8});
  CHECK(index_movement((i * tx) ^ 3) == expected{4, 0, true});
  // Polynomials.
  CHECK(index_movement(i * i % 7) == expected{7, 0});
  CHECK(index_movement((i * i * i - 2 * i * tx + 2000000000) % 10) == expected{10, 0});
  CHECK(index_movement((i * j) & 15, 1, 3) == expected{16, 0});
  CHECK(index_movement((i * i << 2) % 9) == expected{9, 0});
  CHECK(index_movement(i * i & (i % 3)) == expected{12, 0});
  CHECK(index_movement(i * i).polynomial);
  CHECK_FALSE(index_movement(i / 2).polynomial);
  CHECK_FALSE(index_movement(i ^ 1).polynomial);
}

TEST_CASE("programs without a movement", "[movement]") {
  const auto unknown = [](const movement& m) { return !m.known() && !m.polynomial; };
  CHECK(unknown(index_movement(bm::min(i, 5))));
  CHECK(unknown(index_movement(i < tx)));
  CHECK(unknown(index_movement(100 / (i + 1))));
  CHECK(unknown(index_movement(i / (tx + 1))));
  CHECK(unknown(index_movement(i % (tx + 1))));
  CHECK(unknown(index_movement(tx % (i + 1))));
  CHECK(unknown(index_movement(1 << i)));
  CHECK(unknown(index_movement(i ^ i)));
  CHECK(unknown(index_movement(i ^ (tx - 1))));
  CHECK(unknown(index_movement((i ^ 1) * (i ^ 2))));
  CHECK(unknown(index_movement((i / 2) * (i / 2) % 4)));
  CHECK_FALSE(index_movement(i * i).known());
  // Negative values would be errors, which must not be skipped.
  CHECK(unknown(index_movement((i - 5) / 2)));
  CHECK(unknown(index_movement((i - tx) % 32)));
  CHECK(index_movement((i - 5) >> 1) == expected{2, 1});
  CHECK(index_movement((i - 5) & 1) == expected{2, 0});
}

TEST_CASE("periods up to the longest", "[movement]") {
  using bm::detail::greatest_common_divisor;
  using bm::detail::least_common_period;
  for (long long a = -40; a <= 40; ++a)
    for (long long b = 1; b <= 40; ++b) {
      long long greatest = b;
      while (a % greatest != 0 || b % greatest != 0) --greatest;
      CHECK(greatest_common_divisor(a, b) == greatest);
      if (a < 1) continue;
      long long smallest = a;
      while (smallest % b != 0) smallest += a;
      CHECK(least_common_period(a, b) == smallest);
    }
  CHECK(greatest_common_divisor(12, 0) == 12);
  constexpr long long longest = bm::detail::longest_period;
  CHECK(least_common_period(longest, 2) == longest);
  CHECK(least_common_period(longest, 3) == 0);
  CHECK(index_movement(i / longest) == expected{longest, 1});
  CHECK_FALSE(index_movement(i / (longest + 1)).known());
  CHECK(index_movement(i / (longest + 1), longest + 1) == expected{1, 1});
  CHECK(index_movement(i % 1021 + i / 1024) == expected{1021 * 1024, 1021});
  CHECK_FALSE(index_movement(i % 1021 + i / 1028).known());
  CHECK(index_movement(i * i % longest) == expected{longest, 0});
  CHECK_FALSE(index_movement(i * i % (longest + 1)).known());
  CHECK(index_movement(i >> 20) == expected{longest, 1});
  CHECK_FALSE(index_movement(i >> 21).known());
}

TEST_CASE("a distance that does not fit is not known", "[period]") {
  using namespace bm::index;
  long long moves[bm::variables] = {};
  bm::detail::value_range ranges[bm::variables] = {};
  moves[static_cast<int>(bm::variable::loop_0)] = 1;
  ranges[static_cast<int>(bm::variable::loop_0)] = {0, 1000};
  const auto period = [&](const auto& subscript) {
    return bm::detail::movement_of(subscript.nodes, sizeof subscript.nodes / sizeof(bm::node),
                                   moves, ranges)
        .period;
  };
  // After 2^20 steps the product has moved by 2^60, and by 2^65.
  CHECK(period(i * (1ll << 40) + i % (1 << 20)) == 1 << 20);
  CHECK(period(i * (1ll << 45) + i % (1 << 20)) == 0);
}
