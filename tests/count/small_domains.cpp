// SPDX-License-Identifier: MIT
// total() over whole small domains: two loops and a filter around an affine access, with every
// coefficient in range, on every geometry with up to 8 banks, for warps of four lanes. Bounds
// and conditions are written once, for the library and for numbers.
#include <bankmodel/count/total.hpp>

#include "catch.hpp"
#include "oracle.hpp"

#include <array>
#include <functional>
#include <string>
#include <unordered_map>

namespace bm = bankmodel;
using namespace bm::index;

namespace {

constexpr int lanes = 4;

// A request as one number: 16 bits for each lane, its address and 1, or 0 where it is inactive.
using request = std::uint64_t;

// A machine, and the cost of requests on it, each counted once.
class small_machine {
 public:
  small_machine(short bank_num, short W, short N, int bytes)
      : banks_{bank_num, W, N}, bytes_(bytes) {
    machine.lanes = lanes;
    machine.loads.up_to_4 = machine.loads.bytes_8 = {.bank_num = bank_num, .W = W, .N = N};
    machine.stores = machine.loads;
  }

  const oracle::counts& cost_of(request packed) {
    // Requests that are whole layers of all banks apart cost the same.
    const request layer = static_cast<request>(banks_.bank_num * banks_.W);
    request lowest = 0xffff;
    for (int lane = 0; lane < lanes; ++lane)
      if (const request place = packed >> 16 * lane & 0xffff; place != 0)
        lowest = std::min(lowest, place - 1);
    for (int lane = 0; lane < lanes; ++lane)
      if ((packed >> 16 * lane & 0xffff) != 0) packed -= lowest / layer * layer << 16 * lane;
    const auto known = known_.find(packed);
    if (known != known_.end()) return known->second;
    std::map<int, long long> address;
    for (int lane = 0; lane < lanes; ++lane)
      if (const request part = packed >> 16 * lane & 0xffff; part != 0)
        address[lane] = static_cast<long long>(part) - 1;
    return known_[packed] =
               oracle::request(banks_, std::vector<int>(lanes, 0), false, address, bytes_);
  }
  std::string text() const {
    return "banks " + std::to_string(banks_.bank_num) + " W " + std::to_string(banks_.W) + " N " +
           std::to_string(banks_.N) + " bytes " + std::to_string(bytes_);
  }

  bm::machine machine;

 private:
  oracle::banks banks_;
  int bytes_;
  std::unordered_map<request, oracle::counts> known_;
};

// For accesses of `bytes` bytes; known costs are kept.
std::vector<small_machine>& small_machines(int bytes) {
  static std::map<int, std::vector<small_machine>> cache;
  auto& result = cache[bytes];
  if (!result.empty()) return result;
  for (short bank_num = 1; bank_num <= 8; bank_num = static_cast<short>(bank_num * 2))
    for (short W = 1; W <= 8; W = static_cast<short>(W * 2))
      for (short N = 1; N <= W; N = static_cast<short>(N * 2))
        result.emplace_back(bank_num, W, N, bytes);
  return result;
}

// number + x * tx + y * ty + i * i + j * j
struct sum {
  int number, x, y, i, j;

  int operator()(int tx, int ty, int now_i, int now_j) const {
    return number + x * tx + y * ty + i * now_i + j * now_j;
  }
  auto program() const { return number + x * tx + y * ty + i * bm::index::i + j * bm::index::j; }
  std::string text() const {
    const auto times = [](int factor, const char* variable) {
      return " + " + std::to_string(factor) + variable;
    };
    return "[" + std::to_string(number) + times(x, " tx") + times(y, " ty") + times(i, " i") +
           times(j, " j") + "]";
  }
};

struct bounds {
  int first, last, step;
};

struct nest {
  int x, y;  // the block
  int bytes;
  bounds over_i;
  int rank;
  sum row, column;
  static constexpr int columns = 45;  // odd: rows begin in any bank
};

// ---- bounds and conditions, written once ----

// An inner loop: from a function of (tx, ty, i, blockDim.x, range) that returns
// range(first, last, step).
struct inner_loop {
  template <class Function>
  inner_loop(const char* text, const Function& f) : name(text) {
    interval = [f](int x, int y, int iteration, int threads) {
      return f(x, y, iteration, threads,
               [](int first, int last, int step) { return bounds{first, last, step}; });
    };
    program = [f](int threads) {
      return erased(f(tx, ty, i, threads, [](const auto& first, const auto& last, int step) {
        return bm::range(first, last, step);
      }));
    };
  }

  struct loop {
    bm::wrapper wrapper;
    std::vector<bm::node> nodes;
  };
  const char* name;
  std::function<bounds(int, int, int, int)> interval;
  std::function<loop(int)> program;

 private:
  template <int Nodes>
  static loop erased(const bm::loop_range<Nodes>& range) {
    return {range.bounds, {range.nodes, range.nodes + Nodes}};
  }
};

// A filter: from a function of (tx, ty, i, j).
struct condition {
  template <class Function>
  condition(const char* text, const Function& f) : name(text), holds(f) {
    const auto program = f(tx, ty, i, j);
    nodes.assign(std::begin(program.nodes), std::end(program.nodes));
  }
  condition() : name("always"), holds([](int, int, int, int) { return true; }) {}

  const char* name;
  std::function<bool(int, int, int, int)> holds;
  std::vector<bm::node> nodes;  // none: no filter
};
const condition always;

// ---- both ways ----

using expression = bm::access_expression<3, 80>;

expression for_library(const nest& n, const inner_loop& inner, const condition& filter) {
  expression result{};
  constexpr int columns = nest::columns;
  result.array =
      (n.rank == 1 ? bm::shared_array<char>("a", 400) : bm::shared_array<char>("a", 40, columns));
  result.array.element_bytes = n.bytes;
  result.subscripts = n.rank;
  result.depth = filter.nodes.empty() ? 2 : 3;
  int count = 0;
  const auto put = [&](const auto& nodes) {
    const int first = count;
    for (const bm::node& instruction : nodes) result.nodes[count++] = instruction;
    return bm::slice{first, count - first};
  };
  if (n.rank == 2) result.subscript[0] = put(n.row.program().nodes);
  result.subscript[n.rank - 1] = put(n.column.program().nodes);

  const auto outer = bm::range(n.over_i.first, n.over_i.last, n.over_i.step);
  const auto j_loop = inner.program(n.x);
  const auto set = [&](bm::wrapper& target, bm::wrapper source, bm::variable variable, int first) {
    source.variable = variable;
    source.first.first += first, source.last.first += first, source.step.first += first;
    target = source;
  };
  set(result.wrappers[0], outer.bounds, bm::variable::loop_0, put(outer.nodes).first);
  set(result.wrappers[1], j_loop.wrapper, bm::variable::loop_1, put(j_loop.nodes).first);
  if (result.depth == 3)
    result.wrappers[2] = {
        bm::wrapper_kind::filter, bm::variable::loop_0, put(filter.nodes), {}, {}};
  return result;
}

// The requests of all warps and iterations; lanes run in lockstep.
std::vector<request> requests_of(const nest& n, const inner_loop& inner, const condition& filter) {
  std::vector<request> result;
  for (int first = 0; first < n.x * n.y; first += lanes)
    for (int i = n.over_i.first; n.over_i.step > 0 ? i < n.over_i.last : i > n.over_i.last;
         i += n.over_i.step) {
      bounds ranges[lanes] = {};
      const int active = std::min(lanes, n.x * n.y - first);
      for (int lane = 0; lane < active; ++lane)
        ranges[lane] = inner.interval((first + lane) % n.x, (first + lane) / n.x, i, n.x);
      bool running = true;
      for (int trip = 0; running; ++trip) {
        running = false;
        request packed = 0;
        for (int lane = 0; lane < active; ++lane) {
          const int x = (first + lane) % n.x, y = (first + lane) / n.x,
                    j = ranges[lane].first + trip * ranges[lane].step;
          if (ranges[lane].step > 0 ? j >= ranges[lane].last : j <= ranges[lane].last) continue;
          running = true;
          if (!filter.holds(x, y, i, j)) continue;
          const int element =
              n.column(x, y, i, j) + (n.rank == 2 ? nest::columns * n.row(x, y, i, j) : 0);
          packed |= static_cast<request>(n.bytes * element + 1) << 16 * lane;
        }
        if (packed != 0) result.push_back(packed);
      }
    }
  return result;
}

// The number of machines.
std::size_t compare(const nest& n, const inner_loop& inner, const condition& filter) {
  const auto access = for_library(n, inner, filter);
  const auto requests = requests_of(n, inner, filter);
  for (auto& m : small_machines(n.bytes)) {
    const auto a = bm::total(m.machine, bm::block_dim{n.x, n.y}, access);
    oracle::counts b{requests.size(), 0, requests.size(), 0};
    for (const request packed : requests) {
      const auto& cost = m.cost_of(packed);
      b.wavefronts += cost.wavefronts;
      b.degree = std::max(b.degree, cost.degree);
    }
    if (a.requests != b.requests || a.wavefronts != b.wavefronts || a.ideal != b.ideal ||
        a.degree != b.degree)
      FAIL(m.text() << ", block " << n.x << " x " << n.y << ": a"
                    << (n.rank == 2 ? n.row.text() : "") << n.column.text() << ", i from "
                    << n.over_i.first << " to " << n.over_i.last << " by " << n.over_i.step
                    << ", j " << inner.name << ", " << filter.name << ": " << a.wavefronts << " of "
                    << a.requests << ", counted " << b.wavefronts << " of " << b.requests);
  }
  return small_machines(n.bytes).size();
}

// Tests each nest with each of the bounds and each of the filters; returns the number of cases.
std::size_t compare_all(const std::vector<nest>& nests, const std::vector<inner_loop>& inners,
                        const std::vector<condition>& filters) {
  std::size_t cases = 0;
  for (const auto& n : nests)
    for (const auto& inner : inners)
      for (const auto& filter : filters) cases += compare(n, inner, filter);
  return cases;
}

// ---- the domains ----

// tx, ty, i, blockDim.x
const std::vector<inner_loop> rectangular{
    {"from 0 to 3", [](auto, auto, auto, int, auto range) { return range(0, 3, 1); }},
    {"from 5 down to 0 by 2", [](auto, auto, auto, int, auto range) { return range(5, 0, -2); }}};
const std::vector<inner_loop> triangular{
    {"from 0 to i", [](auto, auto, auto i, int, auto range) { return range(0, i, 1); }},
    {"from i to 4", [](auto, auto, auto i, int, auto range) { return range(i, 4, 1); }},
    {"from i to i + 3", [](auto, auto, auto i, int, auto range) { return range(i, i + 3, 1); }},
    {"from i down to 0", [](auto, auto, auto i, int, auto range) { return range(i, -1, -1); }},
    {"from 5 down to i", [](auto, auto, auto i, int, auto range) { return range(5, i, -1); }},
    {"from 0 to i by 2", [](auto, auto, auto i, int, auto range) { return range(0, i, 2); }},
    {"from i to 6 by 2", [](auto, auto, auto i, int, auto range) { return range(i, 6, 2); }},
    {"from i down to 0 by 2", [](auto, auto, auto i, int, auto range) { return range(i, 0, -2); }},
    {"from i to 2 i + 1",
     [](auto, auto, auto i, int, auto range) { return range(i, 2 * i + 1, 1); }}};
const std::vector<inner_loop> lockstep{
    {"from tx to 6", [](auto x, auto, auto, int, auto range) { return range(x, 6, 1); }},
    {"from 0 to tx", [](auto x, auto, auto, int, auto range) { return range(0, x, 1); }},
    {"from tx to 10 by blockDim.x",
     [](auto x, auto, auto, int step, auto range) { return range(x, 10, step); }},
    {"from 5 down to tx", [](auto x, auto, auto, int, auto range) { return range(5, x, -1); }},
    {"from tx to tx + i", [](auto x, auto, auto i, int, auto range) { return range(x, x + i, 1); }},
    {"from i to tx", [](auto x, auto, auto i, int, auto range) { return range(i, x, 1); }},
    {"from tx to 2 i by 2",
     [](auto x, auto, auto i, int, auto range) { return range(x, 2 * i, 2); }}};
const std::vector<inner_loop> lockstep_2d{
    {"from ty to 4", [](auto, auto y, auto, int, auto range) { return range(y, 4, 1); }},
    {"from 0 to tx + ty", [](auto x, auto y, auto, int, auto range) { return range(0, x + y, 1); }},
    {"from tx to ty + i",
     [](auto x, auto y, auto i, int, auto range) { return range(x, y + i, 1); }}};

// tx, ty, i, j
const std::vector<condition> filters_1d{
    {"tx < i", [](auto x, auto, auto i, auto) { return x < i; }},
    {"tx >= i", [](auto x, auto, auto i, auto) { return x >= i; }},
    {"tx == i", [](auto x, auto, auto i, auto) { return x == i; }},
    {"tx < j", [](auto x, auto, auto, auto j) { return x < j; }},
    {"tx >= j", [](auto x, auto, auto, auto j) { return x >= j; }},
    {"tx == j", [](auto x, auto, auto, auto j) { return x == j; }},
    {"tx < i + j", [](auto x, auto, auto i, auto j) { return x < i + j; }},
    {"i + j < tx", [](auto x, auto, auto i, auto j) { return i + j < x; }},
    {"tx + j <= 2 * i", [](auto x, auto, auto i, auto j) { return x + j <= 2 * i; }},
    {"tx + i == j", [](auto x, auto, auto i, auto j) { return x + i == j; }},
    {"tx < 2", [](auto x, auto, auto, auto) { return x < 2; }},
    {"tx % 2 == 0", [](auto x, auto, auto, auto) { return x % 2 == 0; }},
    {"i < 2", [](auto, auto, auto i, auto) { return i < 2; }},
    {"i < j", [](auto, auto, auto i, auto j) { return i < j; }},
    {"tx != i && tx < 3", [](auto x, auto, auto i, auto) { return x != i && x < 3; }},
    {"!(tx < i || tx == j)", [](auto x, auto, auto i, auto j) { return !(x < i || x == j); }}};
const std::vector<condition> some_filters{always,        filters_1d[0], filters_1d[4],
                                          filters_1d[5], filters_1d[6], filters_1d[13]};
const std::vector<condition> filters_2d{
    {"ty < i", [](auto, auto y, auto i, auto) { return y < i; }},
    {"ty >= j", [](auto, auto y, auto, auto j) { return y >= j; }},
    {"tx + ty < i", [](auto x, auto y, auto i, auto) { return x + y < i; }},
    {"tx + ty == j", [](auto x, auto y, auto, auto j) { return x + y == j; }},
    {"tx < ty + j", [](auto x, auto y, auto, auto j) { return x < y + j; }},
    {"tx + i >= ty + j", [](auto x, auto y, auto i, auto j) { return x + i >= y + j; }},
    {"tx <= ty", [](auto x, auto y, auto, auto) { return x <= y; }},
    {"tx < i && ty < j", [](auto x, auto y, auto i, auto j) { return x < i && y < j; }},
    {"tx == i || ty == j", [](auto x, auto y, auto i, auto j) { return x == i || y == j; }}};
const std::vector<condition> some_filters_2d{always, filters_2d[2], filters_2d[3]};

constexpr bounds upwards{0, 4, 1}, downwards{4, -1, -2};

// One row: a[16 + .. tx + .. i + .. j].
std::vector<nest> rows(const std::vector<int>& blocks, const std::vector<int>& bytes, int by_thread,
                       int by_i, int by_j, const std::vector<bounds>& over_i) {
  std::vector<nest> result;
  for (const int block : blocks)
    for (const int size : bytes)
      for (int x = 0; x <= by_thread; ++x)
        for (int i = -1; i <= by_i; ++i)
          for (int j = -1; j <= by_j; ++j)
            for (const auto& range : over_i)
              result.push_back({block, 1, size, range, 1, {}, {16, x, 0, i, j}});
  return result;
}

// Blocks of rows, a[16 + .. tx + .. ty + .. i + .. j]; if `two_dimensional`, also a row subscript.
std::vector<nest> planes(bool two_dimensional, const std::vector<std::array<int, 2>>& blocks,
                         int most_x, int most_y) {
  std::vector<nest> result;
  for (const auto& [x, y] : blocks)
    for (int by_x = 0; by_x <= most_x; ++by_x)
      for (int by_y = 0; by_y <= most_y; ++by_y)
        for (int i = 0; i <= 1; ++i)
          for (int j = 0; j <= 1; ++j)
            for (int row = 0; row < (two_dimensional ? 16 : 1); ++row) {
              const sum of_row{0, row & 1, row >> 1 & 1, row >> 2 & 1, row >> 3 & 1},
                  of_column{16, by_x, by_y, i, j};
              result.push_back({x, y, 4, upwards, two_dimensional ? 2 : 1, of_row, of_column});
            }
  return result;
}

}  // namespace

TEST_CASE("two loops without a filter: 0 to 5 tx, -1 to 4 i, -1 to 3 j", "[total]") {
  const auto nests = rows({4, 8, 12, 3, 6, 16}, {1, 2, 4, 8}, 5, 4, 3,
                          {upwards, {1, 6, 2}, {5, 0, -3}, {2, 2, 1}});
  CHECK(compare_all(nests, rectangular, {always}) == 1'382'400);
}

TEST_CASE("two loops with each filter: 0 to 4 tx, -1 to 2 i, -1 to 2 j", "[total]") {
  CHECK(compare_all(rows({4, 8, 6}, {1, 4}, 4, 2, 2, {upwards, downwards}), {rectangular[0]},
                    filters_1d) == 614'400);
}

TEST_CASE("an inner loop whose bounds depend on the outer one: 0 to 3 tx, -1 to 1 i, -1 to 1 j",
          "[total]") {
  CHECK(compare_all(rows({4, 6}, {2, 4}, 3, 1, 1, {upwards, downwards}), triangular,
                    some_filters) == 622'080);
}

TEST_CASE("an inner loop in lockstep: 0 to 3 tx, -1 to 1 i, -1 to 1 j", "[total]") {
  CHECK(compare_all(rows({4, 6}, {4, 8}, 3, 1, 1, {upwards, downwards}), lockstep, some_filters) ==
        483'840);
}

TEST_CASE("blocks of rows, one subscript: 0 to 3 tx, 0 to 4 ty, 0 to 1 i, 0 to 1 j", "[total]") {
  const auto nests = planes(false, {{2, 2}, {2, 4}, {4, 2}, {3, 3}, {8, 2}}, 3, 4);
  CHECK(compare_all(nests, {rectangular[0]}, filters_2d) == 144'000);
  CHECK(compare_all(nests,
                    {triangular[0], triangular[1], lockstep_2d[0], lockstep_2d[1], lockstep_2d[2]},
                    some_filters_2d) == 240'000);
}

TEST_CASE(
    "blocks of rows, two subscripts: 0 to 1 of each in the row, 0 to 2 tx, 0 to 2 ty, 0 to 1 i, 0 "
    "to 1 j",
    "[total]") {
  const auto nests = planes(true, {{4, 2}, {3, 3}}, 2, 2);
  CHECK(compare_all(nests, {rectangular[0]}, {always}) == 46'080);
  CHECK(compare_all(nests, {rectangular[0]}, filters_2d) == 414'720);
  CHECK(compare_all(nests, {triangular[2], lockstep[0], lockstep_2d[1]}, some_filters_2d) ==
        414'720);
}
