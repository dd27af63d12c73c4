// SPDX-License-Identifier: MIT
// The values of programs: each operator against C in 128 bits, programs in one lane against a tree
// of the same, and in many lanes against each lane separately; inactive lanes are not read.
#include <bankmodel/count/detail/lane_program.hpp>

#include "catch.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace bm = bankmodel;
using bm::node;
using bm::operation;
using bm::detail::apply;
using bm::detail::evaluate;
using bm::detail::lane_set;
using bm::detail::lane_values;

namespace {

__extension__ typedef __int128 wide;

constexpr long long highest = 0x7fffffffffffffff, lowest = -highest - 1;
const std::string too_far = "index_arithmetic_must_fit_in_64_bits",
                  by_zero = "divisor_must_not_be_zero",
                  negative = "division_must_be_of_values_that_are_not_negative",
                  by_too_much = "shifts_must_be_by_0_to_62";

// A value, or the rule that was broken instead.
struct outcome {
  std::string rule;
  long long value = 0;
  bool operator==(const outcome&) const = default;
};

template <class Call>
outcome attempt(const Call& call) {
  try {
    return {"", call()};
  } catch (const bm::error& e) {
    return {e.rule(), 0};
  }
}

outcome fits(wide value) {
  if (value < lowest || value > highest) return {too_far, 0};
  return {"", static_cast<long long>(value)};
}

outcome expected(operation op, long long a, long long b) {
  const wide x = a, y = b;
  switch (op) {
    case operation::add: return fits(x + y);
    case operation::subtract: return fits(x - y);
    case operation::multiply: return fits(x * y);
    case operation::negate: return fits(-x);
    case operation::divide:
    case operation::remainder:
      if (b == 0) return {by_zero, 0};
      if (a < 0 || b < 0) return {negative, 0};
      return fits(op == operation::divide ? x / y : x % y);
    case operation::shift_left:
      if (b < 0 || b > 62) return {by_too_much, 0};
      return fits(x * (static_cast<wide>(1) << b));
    case operation::shift_right:
      if (b < 0 || b > 62) return {by_too_much, 0};
      return fits(x >> b);
    case operation::bit_and: return fits(x & y);
    case operation::bit_or: return fits(x | y);
    case operation::bit_xor: return fits(x ^ y);
    case operation::minimum: return fits(std::min(x, y));
    case operation::maximum: return fits(std::max(x, y));
    case operation::less: return fits(a < b);
    case operation::less_equal: return fits(a <= b);
    case operation::equal: return fits(a == b);
    case operation::not_equal: return fits(a != b);
    default: return fits(a == 0);
  }
}

// A random expression or condition: its program, and its value as a tree.
struct random_program {
  struct part {
    operation op;
    long long value;
    int left, right;
  };
  std::vector<part> parts;
  std::vector<node> nodes;
  std::mt19937 random;

  explicit random_program(unsigned seed) : random(seed) {
    const int depth = 1 + draw(3);
    if (draw(2) == 0)
      index(depth);
    else
      condition(depth);
  }
  int draw(int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); }
  int add(const part& piece) {
    parts.push_back(piece);
    return static_cast<int>(parts.size()) - 1;
  }
  int add_operator(operation op, int left, int right) {
    nodes.push_back({op, 0});
    return add({op, 0, left, right});
  }
  int index(int depth) {
    if (depth == 0 || draw(6) == 0) {
      const node leaf = draw(3) == 0 ? node{operation::constant, draw(14) - 4}
                                     : node{operation::variable, draw(4)};
      nodes.push_back(leaf);
      return add({leaf.op, leaf.value, 0, 0});
    }
    const int left = index(depth - 1);
    if (draw(8) == 0) return add_operator(operation::negate, left, 0);
    const int right = index(depth - 1);
    return add_operator(static_cast<operation>(static_cast<int>(operation::add) + draw(12)), left,
                        right);
  }
  int condition(int depth) {
    if (depth == 0 || draw(4) == 0) {
      const int left = index(1), right = index(1);
      return add_operator(static_cast<operation>(static_cast<int>(operation::less) + draw(4)), left,
                          right);
    }
    const int left = condition(depth - 1);
    if (draw(4) == 0) return add_operator(operation::logical_not, left, 0);
    const auto skip = nodes.size();
    const operation op = draw(2) == 0 ? operation::skip_if_false : operation::skip_if_true;
    nodes.push_back({op, 0});
    const int right = condition(depth - 1);
    nodes[skip].value = static_cast<long long>(nodes.size() - skip - 1);
    return add({op, 0, left, right});
  }

  outcome worth(const long long* values) const {
    return worth(static_cast<int>(parts.size()) - 1, values);
  }
  outcome worth(int index, const long long* values) const {
    const auto& [op, value, left, right] = parts[static_cast<std::size_t>(index)];
    if (op == operation::constant) return {"", value};
    if (op == operation::variable) return {"", values[value]};
    const auto a = worth(left, values);
    if (!a.rule.empty()) return a;
    if (op == operation::negate || op == operation::logical_not) return expected(op, a.value, 0);
    if (op == operation::skip_if_false && a.value == 0) return a;
    if (op == operation::skip_if_true && a.value != 0) return a;
    const auto b = worth(right, values);
    if (!b.rule.empty() || op >= operation::skip_if_false) return b;
    return expected(op, a.value, b.value);
  }
  int size() const { return static_cast<int>(nodes.size()); }
};

}  // namespace

TEST_CASE("each operator", "[evaluate]") {
  std::vector<long long> values;
  for (long long distance = -9; distance <= 9; ++distance)
    for (const long long center : {0ll, 62ll, 1ll << 31, -(1ll << 31), 1ll << 62, -(1ll << 62)})
      values.push_back(center + distance);
  for (long long distance = 0; distance <= 9; ++distance)
    values.insert(values.end(), {highest - distance, lowest + distance});
  for (int op = static_cast<int>(operation::add); op <= static_cast<int>(operation::logical_not);
       ++op) {
    // Only programs of layouts contain it, with a width that is a power of two: layouts.cpp.
    if (op == static_cast<int>(operation::triangular_root)) continue;
    for (const long long a : values)
      for (const long long b : values) {
        const auto o = static_cast<operation>(op);
        if (attempt([&] { return apply(o, a, b); }) != expected(o, a, b))
          FAIL("operation " << op << " of " << a << " and " << b);
      }
  }
  SUCCEED();
}

TEST_CASE("programs in one lane and in many", "[evaluate]") {
  int refused = 0, lazy = 0;
  for (unsigned seed = 1; seed <= 30000; ++seed) {
    random_program p(seed);
    // Some of the four variables differ from lane to lane.
    long long inputs[4][bm::max_lanes];
    lane_values values[bm::variables] = {};
    for (int v = 0; v < 4; ++v) {
      const bool differ = p.draw(2) == 0;
      const long long same = p.draw(12) - 3;
      for (auto& value : inputs[v]) value = differ ? p.draw(12) - 3 : same;
      values[v] = differ ? lane_values{inputs[v], 0} : lane_values{nullptr, same};
    }
    std::uint64_t fine = 0;
    outcome in_lane[bm::max_lanes];
    for (int lane = 0; lane < bm::max_lanes; ++lane) {
      const long long arguments[bm::variables] = {inputs[0][lane], inputs[1][lane], inputs[2][lane],
                                                  inputs[3][lane]};
      in_lane[lane] = p.worth(arguments);
      if (attempt([&] { return evaluate(p.nodes.data(), p.size(), arguments); }) != in_lane[lane])
        FAIL("seed " << seed << ", lane " << lane);
      if (in_lane[lane].rule.empty()) fine |= std::uint64_t{1} << lane;
    }
    bm::detail::value_rows rows;
    const std::uint64_t mask = std::uint64_t{p.random()} << 32 | p.random();
    for (const std::uint64_t active : {fine, fine & mask, mask}) {
      if (active == 0) continue;
      const lane_set lanes(active);
      std::string rule;
      try {
        const auto result = evaluate(p.nodes.data(), p.size(), values, lanes, rows);
        for (int index = 0; index < lanes.count; ++index)
          if (result[lanes.lane[index]] != in_lane[lanes.lane[index]].value)
            FAIL("seed " << seed << ", lane " << int{lanes.lane[index]} << " of many");
      } catch (const bm::error& e) {
        rule = e.rule();
      }
      if (rule.empty() != ((active & ~fine) == 0)) FAIL("seed " << seed << ": " << rule);
      refused += !rule.empty();
      lazy += rule.empty() && fine != ~std::uint64_t{0};
    }
  }
  CHECK(refused > 2000);
  CHECK(lazy > 5000);
}

TEST_CASE("programs of at most 32 intermediate values", "[evaluate]") {
  // 1 + (1 + (1 + ..)), with `ones` ones.
  const auto nested = [](int ones) {
    std::vector<node> nodes(static_cast<std::size_t>(ones), node{operation::constant, 1});
    nodes.insert(nodes.end(), static_cast<std::size_t>(ones - 1), node{operation::add, 0});
    return nodes;
  };
  const long long values[bm::variables] = {};
  lane_values in_lanes[bm::variables] = {};
  bm::detail::value_rows rows;
  const lane_set lanes(7);
  for (int ones = 2; ones <= 40; ++ones) {
    const auto p = nested(ones);
    const auto size = static_cast<int>(p.size());
    const outcome right =
        ones <= 32 ? outcome{"", ones} : outcome{"index_must_nest_at_most_32_deep", 0};
    CHECK(attempt([&] { return evaluate(p.data(), size, values); }) == right);
    CHECK(attempt([&] { return evaluate(p.data(), size, in_lanes, lanes, rows)[1]; }) == right);
  }
}
