// SPDX-License-Identifier: MIT
// Conditions split into comparisons and combined again, and the iterations at which a comparison
// changes: both against evaluating the condition.
#include <bankmodel/analysis/comparisons.hpp>
#include <bankmodel/kernel/variables.hpp>

#include "catch.hpp"

#include <random>
#include <string>
#include <vector>

namespace bm = bankmodel;
using bm::node;
using bm::operation;
using bm::slice;
using bm::detail::comparisons;
using bm::detail::crossing_of;
using bm::index::i, bm::index::j, bm::index::tid, bm::index::tx, bm::index::ty;

namespace {

constexpr operation compare[] = {operation::less, operation::less_equal, operation::equal,
                                 operation::not_equal};

template <class Condition>
constexpr int size_of(const Condition&) {
  return static_cast<int>(sizeof(Condition) / sizeof(node));
}

// A random condition as a tree, its program, and its value for given values of the comparisons.
// Comparison number c, counted from the left, compares loop variable c with the constant c.
struct random_condition {
  struct part {
    char kind;  // '?', '!', '&', '|'
    int left, right;
  };
  std::vector<part> parts;
  std::vector<node> program;
  int count = 0;
  std::mt19937 random;

  explicit random_condition(unsigned seed) : random(seed) { make(static_cast<int>(random() % 4)); }

  int make(int depth) {
    if (depth == 0 || random() % 5 == 0) {
      program.push_back({operation::variable, static_cast<long long>(bm::variable::loop_0) +
                                                  count % bm::loop_variables});
      program.push_back({operation::constant, count});
      program.push_back({compare[random() % 4], 0});
      return add({'?', count++, 0});
    }
    const int left = make(depth - 1);
    if (random() % 4 == 0) {
      program.push_back({operation::logical_not, 0});
      return add({'!', left, 0});
    }
    const bool is_conjunction = random() % 2 == 0;
    const auto skip = program.size();
    program.push_back({is_conjunction ? operation::skip_if_false : operation::skip_if_true, 0});
    const int right = make(depth - 1);
    program[skip].value = static_cast<long long>(program.size() - skip - 1);
    return add({is_conjunction ? '&' : '|', left, right});
  }
  int add(const part& piece) {
    parts.push_back(piece);
    return static_cast<int>(parts.size()) - 1;
  }

  bool worth(unsigned truths) const { return worth(static_cast<int>(parts.size()) - 1, truths); }
  bool worth(int index, unsigned truths) const {
    const auto& [kind, left, right] = parts[static_cast<std::size_t>(index)];
    if (kind == '?') return (truths >> left & 1) != 0;
    if (kind == '!') return !worth(left, truths);
    return kind == '&' ? worth(left, truths) && worth(right, truths)
                       : worth(left, truths) || worth(right, truths);
  }
};

// The lanes in which a comparison is true: each lane is one combination of the comparisons' values.
std::uint64_t lanes_of(int comparison) {
  std::uint64_t lanes = 0;
  for (unsigned lane = 0; lane < 64; ++lane)
    if ((lane >> comparison & 1) != 0) lanes |= std::uint64_t{1} << lane;
  return lanes;
}

// The lanes in which the condition is true, for this number of comparisons.
bool holds_as_evaluated(const comparisons& read, const random_condition& c) {
  std::uint64_t lane_sets[bm::detail::max_comparisons];
  for (int comparison = 0; comparison < read.count(); ++comparison)
    lane_sets[comparison] = lanes_of(comparison);
  const std::uint64_t holds = read.holds(lane_sets);
  for (unsigned lane = 0; lane < 64; ++lane)
    if ((holds >> lane & 1) != c.worth(lane)) return false;
  return true;
}

}  // namespace

TEST_CASE("conditions put together from their comparisons", "[conditions]") {
  int counts[bm::detail::max_comparisons + 1] = {}, too_many = 0;
  for (unsigned seed = 1; seed <= 20000; ++seed) {
    const random_condition c(seed);
    comparisons conditions;
    if (conditions.read(c.program.data(), static_cast<int>(c.program.size()), 0, 0) !=
        (c.count <= bm::detail::max_comparisons))
      FAIL("seed " << seed);
    if (c.count > bm::detail::max_comparisons) {
      ++too_many;
      continue;
    }
    ++counts[conditions.count()];
    if (conditions.count() != c.count || !holds_as_evaluated(conditions, c))
      FAIL("seed " << seed << ", " << c.count << " comparisons");
    for (int comparison = 0; comparison < conditions.count(); ++comparison) {
      const bool as_written =
          conditions[comparison].left.size == 1 && conditions[comparison].right.size == 1 &&
          conditions[comparison].right.nodes == conditions[comparison].left.nodes + 1 &&
          conditions[comparison].right.nodes[0].value == comparison &&
          conditions[comparison].op == conditions[comparison].right.nodes[1].op;
      if (!as_written) FAIL("seed " << seed << ", comparison " << comparison);
    }
  }
  CHECK(counts[0] == 0);
  for (int count = 1; count <= bm::detail::max_comparisons; ++count) CHECK(counts[count] > 500);
  CHECK(too_many > 500);
}

TEST_CASE("the sides of comparisons", "[conditions]") {
  const auto condition =
      -(tx + 3) * 2 < bm::max(i, ty) && !(bm::min(tx, 5) >= j << 1) && tid % 2 == i / 4;
  comparisons conditions;
  constexpr unsigned lanes =
      1u << static_cast<int>(bm::variable::tx) | 1u << static_cast<int>(bm::variable::tid);
  REQUIRE(conditions.read(condition.nodes, size_of(condition), lanes, 0));
  REQUIRE(conditions.count() == 3);
  long long values[bm::variables] = {};
  const auto worth = [&](const bm::detail::program& side) {
    return bm::detail::evaluate(side.nodes, side.size, values);
  };
  auto &x = values[static_cast<int>(bm::variable::tx)],
       &y = values[static_cast<int>(bm::variable::ty)],
       &t = values[static_cast<int>(bm::variable::tid)],
       &of_i = values[static_cast<int>(bm::variable::loop_0)],
       &of_j = values[static_cast<int>(bm::variable::loop_1)];
  for (x = 0; x < 7; ++x)
    for (y = 0; y < 3; ++y)
      for (of_i = 0; of_i < 9; ++of_i)
        for (of_j = 0; of_j < 4; ++of_j) {
          t = x + 7 * y;
          const bool sides = worth(conditions[0].left) == -(x + 3) * 2 &&
                             worth(conditions[0].right) == std::max(of_i, y) &&
                             worth(conditions[1].left) == of_j << 1 &&
                             worth(conditions[1].right) == std::min(x, 5ll) &&
                             worth(conditions[2].left) == t % 2 &&
                             worth(conditions[2].right) == of_i / 4;
          if (!sides) FAIL(x << ", " << y << ", " << of_i << ", " << of_j);
        }
  CHECK(conditions[0].op == operation::less);
  CHECK(conditions[1].op == operation::less_equal);
  CHECK(conditions[2].op == operation::equal);
  // The linear forms that were read from both sides.
  const auto bit = [](bm::variable v) { return 1u << static_cast<int>(v); };
  CHECK(conditions[0].read.used ==
        (bit(bm::variable::tx) | bit(bm::variable::ty) | bit(bm::variable::loop_0)));
  CHECK(conditions[0].read.nonlinear == (bit(bm::variable::ty) | bit(bm::variable::loop_0)));
  CHECK(conditions[0].read.nonlinear_in_lanes == 0);
  CHECK(conditions[1].read.nonlinear_in_lanes == bit(bm::variable::tx));
  CHECK(conditions[2].read.nonlinear_in_lanes == bit(bm::variable::tid));
  CHECK(conditions[2].read.nonlinear == bit(bm::variable::loop_0));
}

TEST_CASE("one comparison alone", "[conditions]") {
  const auto condition = !(tx < i);
  const bm::detail::program left{condition.nodes, 1}, right{condition.nodes + 1, 1};
  comparisons conditions;
  CHECK(conditions.read(condition.nodes, size_of(condition), 1, 0));
  conditions.set({left, right, operation::less_equal, {}}, 1, 0);
  REQUIRE(conditions.count() == 1);
  CHECK(conditions[0].op == operation::less_equal);
  CHECK(conditions[0].read.used == (1u | 1u << static_cast<int>(bm::variable::loop_0)));
  const std::uint64_t lane_sets[1] = {0xf0};
  CHECK(conditions.holds(lane_sets) == 0xf0);
}

TEST_CASE("the conditions of a conjunction, one after another", "[conditions]") {
  int conjunctions = 0;
  for (unsigned seed = 1; seed <= 20000; ++seed) {
    const random_condition c(seed);
    if (c.count > bm::detail::max_comparisons) continue;
    // After other nodes, as in an expression.
    std::vector<node> pool(3, node{operation::skip_if_true, 0});
    pool.insert(pool.end(), c.program.begin(), c.program.end());
    slice conjunction{3, static_cast<int>(c.program.size())}, rest;
    std::uint64_t passing = ~std::uint64_t{0};
    int begin = 0, pieces = 0;
    for (; conjunction.size != 0; conjunction = rest, ++pieces) {
      const slice condition = bm::detail::first_condition(pool.data(), conjunction, rest);
      if (condition.first != conjunction.first || condition.size < 3 ||
          rest.first + rest.size != 3 + static_cast<int>(c.program.size()))
        FAIL("seed " << seed);
      slice none;
      const slice repeated = bm::detail::first_condition(pool.data(), condition, none);
      if (repeated.size != condition.size || none.size != 0)
        FAIL("seed " << seed << ": the first is itself a conjunction");
      comparisons read;
      if (!read.read(pool.data() + condition.first, condition.size, 0, 0)) FAIL("seed " << seed);
      std::uint64_t lane_sets[bm::detail::max_comparisons];
      for (int comparison = 0; comparison < read.count(); ++comparison)
        lane_sets[comparison] = lanes_of(begin + comparison);
      begin += read.count();
      passing &= read.holds(lane_sets);
    }
    conjunctions += pieces > 1;
    if (begin != c.count) FAIL("seed " << seed << ": comparisons are lost");
    for (unsigned lane = 0; lane < 64; ++lane)
      if ((passing >> lane & 1) != c.worth(lane)) FAIL("seed " << seed);
  }
  CHECK(conjunctions > 2000);
}

TEST_CASE("the iteration at which a comparison changes: every small gap and step", "[conditions]") {
  const auto holds = [](operation op, long long gap) {
    return op == operation::less         ? gap < 0
           : op == operation::less_equal ? gap <= 0
           : op == operation::equal      ? gap == 0
                                         : gap != 0;
  };
  for (const auto op : compare)
    for (long long gap = -40; gap <= 40; ++gap)
      for (long long step = -9; step <= 9; ++step) {
        const auto x = crossing_of(op, gap, step);
        for (long long position = -60; position <= 60; ++position) {
          const bool changed = x.changes && (bm::detail::is_in(bm::detail::order_operations, op)
                                                 ? position >= x.first
                                                 : position == x.first);
          if ((x.initial != changed) != holds(op, gap + step * position))
            FAIL("operation " << static_cast<int>(op) << ", gap " << gap << " + " << step << " * "
                              << position);
        }
      }
  SUCCEED();
}

TEST_CASE("the iteration at which a comparison of large numbers changes", "[conditions]") {
  constexpr long long huge = 1ll << 61;
  const auto first = [](operation op, long long gap, long long step) {
    const auto x = crossing_of(op, gap, step);
    return x.changes ? x.first : -1;
  };
  CHECK(first(operation::less, -huge, 1) == huge);
  CHECK(first(operation::less_equal, -huge, 1) == huge + 1);
  CHECK(first(operation::less, huge, -1) == huge + 1);
  CHECK(first(operation::less_equal, huge, -1) == huge);
  CHECK(first(operation::less, -huge, huge) == 1);
  CHECK(first(operation::less_equal, -huge, huge) == 2);
  CHECK(first(operation::less, 1 - huge, huge) == 1);
  CHECK(first(operation::less, -huge - 1, huge) == 2);
  CHECK(first(operation::less, huge, -huge) == 2);
  CHECK(first(operation::equal, huge, -1) == huge);
  CHECK(first(operation::equal, -huge, huge) == 1);
  CHECK(first(operation::not_equal, huge, -huge) == 1);
  CHECK(first(operation::equal, huge + 1, -huge) == -1);
}

TEST_CASE("quotients rounded up", "[conditions]") {
  for (long long a = -50; a <= 50; ++a)
    for (long long b = 1; b <= 12; ++b) {
      const long long quotient = bm::detail::quotient_up(a, b);
      CHECK((quotient * b >= a && (quotient - 1) * b < a));
    }
}
