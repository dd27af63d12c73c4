// SPDX-License-Identifier: MIT
// Ranges contain every result of the operators, and are known only if no error is possible: for
// every pair of small intervals, for large ones at their corners, and for random programs over all
// values of their variables.
#include <bankmodel/analysis/value_range.hpp>
#include <bankmodel/kernel/variables.hpp>

#include "catch.hpp"

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace bm = bankmodel;
using bm::node;
using bm::operation;
using bm::detail::range_of;
using bm::detail::value_range;
using bm::detail::widest_limit;

namespace {

__extension__ typedef __int128 wide;

constexpr operation binary[] = {
    operation::add,       operation::subtract,   operation::multiply,    operation::divide,
    operation::remainder, operation::shift_left, operation::shift_right, operation::bit_and,
    operation::bit_or,    operation::bit_xor,    operation::minimum,     operation::maximum,
    operation::less,      operation::less_equal, operation::equal,       operation::not_equal};

// C's result in 128 bits; no value if the operation is an error in the library.
std::optional<wide> worth(operation op, wide a, wide b) {
  switch (op) {
    case operation::add: return a + b;
    case operation::subtract: return a - b;
    case operation::multiply: return a * b;
    case operation::negate: return -a;
    case operation::divide:
    case operation::remainder:
      if (a < 0 || b < 1) return {};
      return op == operation::divide ? a / b : a % b;
    case operation::shift_left:
      if (b < 0 || b > 62) return {};
      return a * (static_cast<wide>(1) << static_cast<int>(b));
    case operation::shift_right:
      if (b < 0 || b > 62) return {};
      return a >> static_cast<int>(b);
    case operation::bit_and: return a & b;
    case operation::bit_or: return a | b;
    case operation::bit_xor: return a ^ b;
    case operation::minimum: return std::min(a, b);
    case operation::maximum: return std::max(a, b);
    case operation::less: return a < b;
    case operation::less_equal: return a <= b;
    case operation::equal: return a == b;
    case operation::not_equal: return a != b;
    default: return a == 0;
  }
}

// True for operators whose ranges always end at values that occur.
bool is_tight(operation op) {
  return op <= operation::divide || op == operation::shift_left || op == operation::shift_right ||
         op == operation::minimum || op == operation::maximum || op == operation::negate;
}

// The defect in the range of `op` over all of `a` and `b`, or an empty text.
std::string wrong(operation op, const value_range& a, const value_range& b) {
  const value_range r = range_of(op, a, b);
  wide lowest = 1, highest = 0;
  for (long long x = a.lowest; x <= a.highest; ++x)
    for (long long y = b.lowest; y <= b.highest; ++y) {
      const auto value = worth(op, x, y);
      if (!value)
        return r.known() ? "known where " + std::to_string(x) + " and " + std::to_string(y) +
                               " are refused"
                         : "";
      if (lowest > highest) lowest = highest = *value;
      lowest = std::min(lowest, *value);
      highest = std::max(highest, *value);
    }
  const bool bits_of_negatives =
      op >= operation::bit_and && op <= operation::bit_xor && (a.lowest < 0 || b.lowest < 0);
  const long long limit = op == operation::multiply || op == operation::shift_left
                              ? bm::detail::narrow_limit
                              : widest_limit;
  const bool fits = lowest >= -limit && highest <= limit;
  if (!r.known())
    return fits && !bits_of_negatives && !(op == operation::shift_left && b.highest > 60)
               ? "unknown without a reason"
               : "";
  if (r.lowest > lowest || r.highest < highest) return "a value is outside";
  if (is_tight(op) && (r.lowest < lowest || r.highest > highest)) return "wider than the values";
  if (op == operation::remainder && r.highest > std::min(a.highest, b.highest - 1))
    return "wider than a remainder";
  return "";
}

void check(operation op, const value_range& a, const value_range& b) {
  const auto text = wrong(op, a, b);
  if (!text.empty())
    FAIL("operation " << static_cast<int>(op) << " on [" << a.lowest << ", " << a.highest
                      << "] and [" << b.lowest << ", " << b.highest << "]: " << text);
}

}  // namespace

TEST_CASE("ranges of one operation: every pair of small intervals", "[ranges]") {
  for (long long low = -6; low <= 9; ++low)
    for (long long high = low; high <= 9; ++high) {
      for (const auto op : {operation::negate, operation::logical_not})
        check(op, {low, high}, {0, 0});
      for (long long other_low = -6; other_low <= 9; ++other_low)
        for (long long other_high = other_low; other_high <= 9; ++other_high)
          for (const auto op : binary) check(op, {low, high}, {other_low, other_high});
    }
  // Shifts by all amounts; and intervals in which a power of two begins or ends.
  for (long long shift = -2; shift <= 66; ++shift)
    for (long long end = shift; end <= 66; ++end)
      for (const auto op : {operation::shift_left, operation::shift_right})
        for (const auto& a :
             {value_range{0, 0}, value_range{1, 1}, value_range{-3, 2}, value_range{-2, -1},
              value_range{5, 9}, value_range{1 << 20, 1 << 20}})
          check(op, a, {shift, end});
  for (const long long end : {15, 16, 17, 31, 32, 33, 63, 64})
    for (const long long other : {0, 1, 7, 15, 16, 32, 63})
      for (const auto op : binary) check(op, {end - 3, end}, {other, other + 2});
  SUCCEED();
}

TEST_CASE("an unknown operand makes an unknown result", "[ranges]") {
  for (const auto op : binary) {
    CHECK_FALSE(range_of(op, bm::detail::unknown_range, {1, 2}).known());
    CHECK_FALSE(range_of(op, {1, 2}, bm::detail::unknown_range).known());
  }
  CHECK_FALSE(range_of(operation::negate, bm::detail::unknown_range, {0, 0}).known());
}

TEST_CASE("ranges of large values contain the corners and stay within their limit", "[ranges]") {
  std::mt19937_64 random(1);
  const auto end = [&] {
    const auto value = static_cast<long long>(random() % ((1ull << 63) - 1) >> random() % 63);
    return random() % 3 == 0 ? -value : value;
  };
  const auto interval = [&] {
    value_range r{end(), end()};
    return r.lowest > r.highest ? value_range{r.highest, r.lowest} : r;
  };
  int known = 0, unknown = 0;
  for (int trial = 0; trial < 300000; ++trial) {
    const auto a = interval();
    auto b = interval();
    for (const auto op : binary) {
      const bool shift = op == operation::shift_left || op == operation::shift_right;
      if (shift)
        b = {static_cast<long long>(random() % 30), static_cast<long long>(30 + random() % 36)};
      const auto r = range_of(op, a, b);
      ++(r.known() ? known : unknown);
      if (!r.known()) continue;
      bool inside = r.lowest >= -widest_limit && r.highest <= widest_limit;
      // A value of the range, `parts` of its length from the lowest.
      const auto inner = [](const value_range& range, int parts) {
        return range.lowest + (static_cast<wide>(range.highest) - range.lowest) / parts;
      };
      for (const wide x : {static_cast<wide>(a.lowest), static_cast<wide>(a.highest), inner(a, 3)})
        for (const wide y :
             {static_cast<wide>(b.lowest), static_cast<wide>(b.highest), inner(b, 2)}) {
          const auto value = worth(op, x, y);
          inside = inside && value && *value >= r.lowest && *value <= r.highest;
        }
      if (!inside)
        FAIL("operation " << static_cast<int>(op) << " on [" << a.lowest << ", " << a.highest
                          << "] and [" << b.lowest << ", " << b.highest << "]");
    }
  }
  CHECK(known > 1000000);
  CHECK(unknown > 100000);
  // The last that is known, and the first that is not.
  CHECK(range_of(operation::add, {0, widest_limit - 1}, {0, 1}).highest == widest_limit);
  CHECK_FALSE(range_of(operation::add, {0, widest_limit}, {0, 1}).known());
  CHECK(range_of(operation::subtract, {1 - widest_limit, 0}, {0, 1}).lowest == -widest_limit);
  CHECK_FALSE(range_of(operation::subtract, {-widest_limit, 0}, {0, 1}).known());
  CHECK(range_of(operation::multiply, {-(1ll << 30), 1ll << 30}, {0, 1ll << 31}).known());
  CHECK_FALSE(
      range_of(operation::multiply, {-(1ll << 30), 1ll << 30}, {0, (1ll << 31) + 1}).known());
  CHECK_FALSE(range_of(operation::multiply, {-widest_limit, 0}, {-widest_limit, 0}).known());
  CHECK(range_of(operation::shift_left, {-2, 2}, {0, 60}).known());
  CHECK_FALSE(range_of(operation::shift_left, {-2, 2}, {0, 61}).known());
}

namespace {

// A random program over tx, ty and i, and its value or error by count/detail/lane_program.hpp.
class random_program {
 public:
  explicit random_program(unsigned long long seed) : random_(seed) {}

  std::vector<node> index(int depth) {
    nodes_.clear();
    add_index(depth);
    return nodes_;
  }
  std::vector<node> condition(int depth) {
    nodes_.clear();
    add_condition(depth);
    return nodes_;
  }
  int draw(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }

 private:
  void add_index(int depth) {
    if (depth == 0 || draw(6) == 0) {
      constexpr bm::variable candidates[] = {bm::variable::tx, bm::variable::ty,
                                             bm::variable::loop_0};
      if (draw(3) == 0)
        nodes_.push_back({operation::constant, draw(12) - 3});
      else
        nodes_.push_back({operation::variable, static_cast<long long>(candidates[draw(3)])});
      return;
    }
    add_index(depth - 1);
    if (draw(8) == 0) {
      nodes_.push_back({operation::negate, 0});
      return;
    }
    add_index(depth - 1);
    nodes_.push_back({binary[draw(12)], 0});
  }
  void add_condition(int depth) {
    if (depth == 0 || draw(4) == 0) {
      add_index(1);
      add_index(1);
      nodes_.push_back({binary[12 + draw(4)], 0});
      return;
    }
    add_condition(depth - 1);
    if (draw(5) == 0) {
      nodes_.push_back({operation::logical_not, 0});
      return;
    }
    const auto skip = nodes_.size();
    nodes_.push_back({draw(2) == 0 ? operation::skip_if_false : operation::skip_if_true, 0});
    add_condition(depth - 1);
    nodes_[skip].value = static_cast<long long>(nodes_.size() - skip - 1);
  }

  std::mt19937_64 random_;
  std::vector<node> nodes_;
};

}  // namespace

TEST_CASE("ranges of programs contain every value, and are known only if no error is possible",
          "[ranges]") {
  long long known = 0, unknown = 0;
  for (unsigned seed = 1; seed <= 60000; ++seed) {
    random_program random(seed);
    const bool condition = random.draw(4) == 0;
    const auto program = condition ? random.condition(2) : random.index(1 + random.draw(3));
    const int size = static_cast<int>(program.size());
    value_range ranges[bm::variables] = {};
    for (auto& range : ranges) {
      const int lowest = random.draw(8) - (random.draw(3) == 0 ? 5 : 0);
      range = {lowest, lowest + random.draw(5)};
    }
    const auto r = range_of(program.data(), size, ranges);
    if (!r.known()) {
      ++unknown;
      continue;
    }
    ++known;
    long long values[bm::variables] = {};
    auto &x = values[static_cast<int>(bm::variable::tx)],
         &y = values[static_cast<int>(bm::variable::ty)],
         &i = values[static_cast<int>(bm::variable::loop_0)];
    const auto& of_x = ranges[static_cast<int>(bm::variable::tx)];
    const auto& of_y = ranges[static_cast<int>(bm::variable::ty)];
    const auto& of_i = ranges[static_cast<int>(bm::variable::loop_0)];
    for (x = of_x.lowest; x <= of_x.highest; ++x)
      for (y = of_y.lowest; y <= of_y.highest; ++y)
        for (i = of_i.lowest; i <= of_i.highest; ++i) {
          long long value = 0;
          try {
            value = bm::detail::evaluate(program.data(), size, values);
          } catch (const bm::error& e) {
            FAIL("seed " << seed << ": known, and " << e.what());
          }
          if (value < r.lowest || value > r.highest)
            FAIL("seed " << seed << ": " << value << " is not in [" << r.lowest << ", " << r.highest
                         << "]");
        }
  }
  CHECK(known > 20000);
  CHECK(unknown > 5000);
}

TEST_CASE("the right side of a short-circuit condition counts too", "[ranges]") {
  using namespace bm::index;
  value_range ranges[bm::variables] = {};
  ranges[static_cast<int>(bm::variable::tx)] = {0, 31};
  const auto known = [&](const auto& condition) {
    return range_of(condition.nodes, static_cast<int>(sizeof condition.nodes / sizeof(node)),
                    ranges)
        .known();
  };
  CHECK(known(tx < 3 && tx + 1 < 4 * tx));
  CHECK(known(tx < 3 && 64 / (tx + 1) > 2));
  CHECK_FALSE(known(tx != 0 && 64 / tx > 2));
  CHECK_FALSE(known(64 / tx > 2 && tx != 0));
  CHECK_FALSE(known(tx == 0 || 64 / tx > 2));
  CHECK_FALSE(known(!(tx == 0 || !(64 % tx > 2))));
  CHECK(known(tx < bm::detail::int64_max));
  CHECK(known(tx < bm::detail::int64_min + 2));
  CHECK_FALSE(known(tx < bm::detail::int64_min));
  CHECK_FALSE(known(tx + widest_limit < 0));
  CHECK_FALSE(known(tx - 1 < 64 / 4 && (tx - 1) / 2 < 3));
}
