// SPDX-License-Identifier: MIT
// Whole nests combined from pieces, one for each case of split.hpp and its parts: bounds that move
// evenly, unevenly or from lane to lane, filters that cut one loop, two loops or none, affine and
// other subscripts, banks whose cost depends on the base or not. Small warps, so that every thread
// can be run for the oracle.
#include <bankmodel/count/total.hpp>

#include "catch.hpp"
#include "run_plainly.hpp"

#include <random>
#include <string>
#include <vector>

namespace bm = bankmodel;
using bm::node;
using bm::index::i, bm::index::j, bm::index::k, bm::index::lane, bm::index::tid, bm::index::tx,
    bm::index::ty, bm::index::tz, bm::index::warp;

namespace {

// All nests have one type, so that the compiler sees each function once.
using nest = bm::access_expression<8, 240>;
using program = std::vector<node>;

template <class Program>
program make_program(const Program& p) {
  return program(p.nodes, p.nodes + sizeof p.nodes / sizeof(node));
}
template <class... Programs>
std::vector<program> list(const Programs&... programs) {
  return {make_program(programs)...};
}

struct loop {
  bm::wrapper wrapper;
  program nodes;
};
template <class... Ranges>
std::vector<loop> loops(const Ranges&... ranges) {
  return {loop{ranges.bounds, make_program(ranges)}...};
}

const std::vector<loop> of_i = loops(
    bm::range(0, 5), bm::range(0, 4), bm::range(5, -1, -2), bm::range(-3, 4, 3), bm::range(2, 3),
    bm::range(3, 3), bm::range(0, tx), bm::range(tx, 5), bm::range(tx, 12, 4), bm::range(6, tx, -1),
    bm::range(ty, 4), bm::range(0, warp + 1), bm::range(warp, 3), bm::range(tx + ty, 6),
    bm::range(0, tx* ty), bm::range(0, 5, tx + 1), bm::range(ty* tx, 3), bm::range(warp* tx, 4),
    bm::range(tid, 9, 8), bm::range(tx * 2, tx * 2 + 3), bm::range(lane / 2, 3),
    bm::range(ty / 4, 3), bm::range(0, ty % 4 + 1), bm::range(warp % 2, 3), bm::range(tid / 6, 7),
    bm::powers(1, 9, 2), bm::powers(9, 0, 3), bm::values(3, 0, 4), bm::values(2, 2));
const std::vector<loop> of_j = loops(
    bm::range(0, 3), bm::range(2, -1, -1), bm::range(0, i), bm::range(i, 5), bm::range(i, i + 3),
    bm::range(i, -1, -1), bm::range(3, i, -1), bm::range(0, i + i), bm::range(0, i, 2),
    bm::range(i, 6, 3), bm::range(tx, i + 2), bm::range(i, tx + 3), bm::range(i + tx, 5),
    bm::range(0, i* tx), bm::range(0, (i + 8) % 3), bm::range((i + 8) / 2, 7),
    bm::range(0, 4, (i + 8) % 2 + 1), bm::range(0, 2 - i), bm::range(tx, 4),
    bm::range(ty, warp + 3), bm::range(i - warp, 3), bm::powers_up(1, i + 4, 2),
    bm::powers(1, i + 4, 2), bm::powers(1, tx + 2, 3), bm::powers_down(i + 4, 0, 2),
    bm::values(1, 4), bm::range(i + 1, 5, 4), bm::range(i* i, 5), bm::range(0, tx, i + 4),
    bm::range(i* tx, 6), bm::range(tx* i, i + 4), bm::range(0, bm::min(i, 2)),
    bm::range(bm::max(i, 1), 5), bm::range(bm::min(i, 2), i + 2));
const std::vector<loop> of_k =
    loops(bm::range(0, 2), bm::range(0, j), bm::range(j, i), bm::range(i, j), bm::range(j, 4),
          bm::range(0, i + j), bm::range(i - j, 2), bm::range(tx, j), bm::range(i, i + 2),
          bm::values(0, 3), bm::range(tx + j, tx + i), bm::range(tx + j, j + 4, 2 * i + 1),
          bm::range(tx, j + 3, 2 * i + 1));

const std::vector<program> with_i =
    list(tx < i, tx <= i, tx == i, tx != i, tx > i, i < 3, i >= 1, i == 2, i != 1, tx + ty < i,
         tx < 2 * i && tx != 1, tx < i || ty == i, !(tx >= i), !(tx < i && ty <= i), warp <= i,
         warp == i, tid >= 3 * i, lane + i < 5, tx % 2 == (i + 8) % 2, tx* i < 4, i < 9 && tx < 3,
         tx<i && (i > 1 || tx == 0), (i + 8) / 2> tx,
         tx<(i + 8) % 3, tx == i || tx == i - 2 || tx + 1 == i,
            tx == i || tx == i + 1 || tx == i - 1 || ty == i || ty == 2 * i, tx != 0 && 6 / tx>
             i,
         bm::min(tx, 2) < i, lane / 2 < i, tx == 0 || 6 / tx > i, !(tx != 0 && 6 / tx <= i),
         i<0 || i / 2 < tx, tid % 5 < i, ty % 4 < i, ty / 4 + 1> i, warp % 2 == (i + 8) % 2,
         tid / 3 <= i, (i + 8) % 2 < tx && tx < bm::min(i, 3));
const std::vector<program> with_j = list(
    tx < j, j < tx, tx == j, tx != j, j < 2, j >= 1, i < j, i <= j, i == j, i != j, i + j < tx + 2,
    i - j < tx, i + tx > 2 * j, 2 * i + j > tx, tx < i && tx < j, tx < i && i < j,
    tx < i || tx == j, !(tx == j || tx == i), tx % 2 == (j + 240) % 2, tx* j < i, i* j < 4,
    warp < j, ty <= j && tx < i + 1, tid < 2 * j, (i + j + 240) % 2 == tx % 2,
    tx < j && j < i + 2 && i<4, i * 3 + j> tx + ty, tx < 3 * (i - j), i + j < 1 || i + j > 3,
    i + j < tx - 1 || i + j > 4, (i - j) * tx < 3, j < 0 || j / 2 < tx,
    !(i >= 0 && j >= 0 && (i + j) / 2 > tx), j < 0 || (j % 2 == tx && i < 9));
const std::vector<program> with_k = list(tx < k, k < 2, i < k, j <= k, k == j, i + j + k < tx + 3,
                                         tx < k && tx < j, tx <= i - k, (k + 240) % 2 == tx % 2);

const std::vector<program> at_i =
    list(tx + 0, 2 * tx, 4 * tid, 2 * tx + 9 * ty + i, tx + 3 * ty + 5 * tz + 2 * i,
         3 * tid + 4 * i, (tx + i + 8) % 16, (i + 8) % 4 * 3 + tx, tx*(i + 4), tx ^ ((i + 8) % 8),
         3 * lane + 5 * warp + i, tid + 1, 2 * tx + (i + 8) / 2, bm::max(i, tx), (tx + i + 8) / 3,
         i + 0, tx* tx, tx % 3 + 2 * i, 0 * tx + 7, tid % 6 + 2 * i, tid / 4 * 3, tx*(i + 4) - tx,
         (i + 5) * tx - 2 * tx, ty % 4 * 3 + tx, warp % 2 * 3 + 2 * tx, ty / 4 + 2 * tx + i);
const std::vector<program> at_j =
    list(2 * tx + j, 2 * tx + 3 * i + 5 * j, 4 * tx + i - j, tx + 4 * (i + j),
         (tx + i + j + 240) % 16, tx*(j + 3), tx ^ (j + 240), tid + i * j, 4 * tid - 2 * j, j + 0,
         (j + 240) / 2 + 2 * tx, tx + (i + 8) % 4 + (j + 240) % 3, (tx + j + 240) % 8 + 4 * i,
         lane + 4 * ((i - j) * 2), tx* i + j);
const std::vector<program> at_k =
    list(2 * tx + k, tx + i + 4 * j - 3 * k, tx*(k + 4), (i + j + k + 240) % 8 + 2 * tx, k* k + tx);

// Last subscripts that permute the banks: 0 to 1000 without an addition.
const std::vector<program> permuted =
    list(tx ^ (i + 8), (i + 8) ^ tx, (2 * tx) ^ (i + 8), (4 * tx) ^ ((i + 8) % 8),
         (tx + 32) ^ ((i + 8) % 16 * 2), lane ^ warp, tid ^ (i + 8), (tx + ty) ^ ((i + 8) / 2),
         (tx * 3) ^ ty, (i + 8) ^ 5, tx ^ (-(0 - i) + 8), tx ^ (ty + 8 * tz));

// Loops through negative values and lanes that divide by zero, filters that exclude them, and
// errors outside of the filters.
const std::vector<loop> any_sign_i =
    loops(bm::range(-4, 3), bm::range(-3, 4, 3), bm::range(3, -5, -2), bm::range(2, -4, -1),
          bm::range(-2, tx), bm::range(tx - 3, 3), bm::range(0, 3), bm::range(0, 9),
          bm::range(8, -1, -1), bm::range(-1, warp), bm::values(-2, 1, 2));
const std::vector<loop> any_sign_j =
    loops(bm::range(-4, 3), bm::range(3, -4, -1), bm::range(-5, 4, 2), bm::range(i, 3),
          bm::range(i - 2, i + 2), bm::range(tx - 2, 3), bm::range(0, 3), bm::range(3, i, -1),
          bm::range(-2, i), bm::range(0, 6, 2 * i + 1));
const std::vector<program> guards =
    list(i >= 0 && j >= 0, j >= 0 && i >= j, i >= 0 && j > i, i > -1 && j > -1 && tx < 3,
         j >= 0 && j <= i, !(i < 0 || j < 0), i >= 0 && j + 0 >= i, i == 1 && j == 2,
         i >= 0 && j - i > tx, j < 2 && j >= 0 && i >= 0);
const std::vector<program> guarded =
    list(2 * tx + i / 2, tx + (i + j) / 2, tx*(j / 2), 3 * tx + j % 4, (i * tx + j) / 2,
         0 * tx + i / 3, i % 4 + j / 2, tid + (j >> 1) + i / 2);
// The same if only the loop's own bounds keep j from becoming negative.
const std::vector<loop> down_to_0 = loops(bm::range(i, -1, -1), bm::range(i + 5, -1, -3),
                                          bm::range(9 - i, -1, -4), bm::range(14 - i, 0, -5));
const std::vector<program> small_j = list(j<2, j <= 1, 2> j && tx != 1);
const std::vector<program> guarded_j = list(tx + j / 2, 3 * tx + j % 4, 0 * tx + j / 3, tx*(j / 2));
const std::vector<loop> not_in_lane_0 =
    loops(bm::range(0, 6 / tx), bm::range(6 % tx, 4), bm::range(tx, 8, 6 / tx + 1),
          bm::range(12 / tx, 14, 3), bm::powers(1, 12 / tx + 1, 2));

struct banks_of {
  short bank_num, W, N;
};
tested_machine machine_of(const banks_of& b) {
  bm::machine m;
  m.lanes = 8;
  m.loads.up_to_4 = m.loads.bytes_8 = {.bank_num = b.bank_num, .W = b.W, .N = b.N};
  if (b.W != 8) m.loads.bytes_8.phases = {4};  // as machines.hpp has it: two halves
  m.stores = m.loads;
  return {m, m.lanes, {b.bank_num, b.W, b.N}, false};
}
// One word per layer, so that the base does not matter; two words per element; several elements per
// word; several rows; and more rows than there are stored residues.
const std::vector<tested_machine> machines = {
    machine_of({4, 4, 4}),  machine_of({8, 4, 4}),  machine_of({2, 4, 4}),
    machine_of({4, 2, 2}),  machine_of({4, 8, 8}),  machine_of({4, 8, 4}),
    machine_of({2, 16, 4}), machine_of({4, 16, 1}), machine_of({4, 128, 4})};
const std::vector<bm::block_dim> blocks = {
    {8},       {5},       {20},    {4, 2},    {4, 4},  {2, 2, 2}, {2, 2, 4}, {16, 2}, {6, 3},
    {3, 2, 2}, {2, 3, 2}, {12, 2}, {8, 2, 2}, {4, 10}, {32},      {1, 9},    {1}};

class generator {
 public:
  explicit generator(unsigned seed) : random_(seed) {}

  int draw(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  template <class List>
  const auto& pick(const List& list) {
    return list[static_cast<std::size_t>(draw(static_cast<int>(list.size())))];
  }

  // From all pieces.
  nest general() {
    begin();
    if (draw(8) == 0)
      add_filter(draw(2) == 0 ? make_program(tx < 3) : make_program(tid != 2 && ty < 2));
    const int depth = draw(5) == 0 ? 1 : draw(3) == 0 ? 3 : 2;
    add_loop(bm::variable::loop_0, pick(of_i));
    if (draw(depth == 1 ? 2 : 3) == 0) add_filter(pick(with_i));
    if (depth > 1) {
      add_loop(bm::variable::loop_1, pick(of_j));
      if (draw(3) != 0) add_filter(pick(draw(4) == 0 ? with_i : with_j));
    }
    if (depth > 2) {
      add_loop(bm::variable::loop_2, pick(of_k));
      if (draw(2) == 0) add_filter(pick(draw(3) == 0 ? with_j : with_k));
    }
    add_subscripts([&]() -> const program& {
      return pick(depth == 1 || draw(5) == 0 ? at_i : depth == 2 || draw(3) == 0 ? at_j : at_k);
    });
    return nest_;
  }

  // From the pieces that are errors in inactive lanes only.
  nest protecting() {
    begin();
    const bool lane_0_is_out = draw(5) == 0, by_bounds = draw(4) == 0;
    if (lane_0_is_out)
      add_filter(draw(2) == 0 ? make_program(tx != 0) : make_program(0 < tx && ty < 3));
    add_loop(bm::variable::loop_0, pick(lane_0_is_out ? not_in_lane_0 : any_sign_i));
    if (draw(6) == 0) add_filter(pick(with_i));
    add_loop(bm::variable::loop_1, pick(by_bounds ? down_to_0 : any_sign_j));
    if (draw(6) == 0) add_filter(pick(with_j));
    add_filter(pick(by_bounds ? small_j : guards));
    if (draw(4) == 0) add_loop(bm::variable::loop_2, pick(of_k));
    add_subscripts([&]() -> const program& {
      return pick(draw(4) == 0 ? at_j : by_bounds ? guarded_j : guarded);
    });
    return nest_;
  }

 private:
  bm::slice put(const program& p) {
    const bm::slice result{used_, static_cast<int>(p.size())};
    for (const auto& instruction : p) nest_.nodes[used_++] = instruction;
    return result;
  }
  void add_filter(const program& condition) {
    nest_.wrappers[nest_.depth++] = {
        bm::wrapper_kind::filter, bm::variable::loop_0, put(condition), {}, {}};
  }
  void begin() {
    nest_ = {};
    nest_.depth = 0;
    used_ = 0;
  }
  void add_loop(bm::variable name, const loop& added) {
    bm::wrapper w = added.wrapper;
    const int first = put(added.nodes).first;
    w.variable = name;
    w.first.first += first, w.last.first += first, w.step.first += first;
    nest_.wrappers[nest_.depth++] = w;
  }

  // One subscript or two, always inside the array; the array may begin anywhere.
  template <class Any>
  void add_subscripts(const Any& any_subscript) {
    constexpr long long middle = 200000, extent = 1000000;
    const int kind = draw(8);
    nest_.array = kind == 0   ? bm::shared_array<char>("a", 1)
                  : kind == 1 ? bm::shared_array<double>("a", 1)
                              : bm::shared_array<int>("a", 1);
    nest_.subscripts = draw(5) == 0 ? 2 : 1;
    nest_.vector = nest_.subscripts == 1 && kind == 0 && draw(2) == 0 ? 4 : 1;
    const bool permutes = nest_.vector == 1 && draw(8) == 0;
    for (int d = 0; d < nest_.subscripts; ++d) {
      program subscript = any_subscript();
      if (permutes && d == nest_.subscripts - 1)
        subscript = pick(permuted);
      else
        subscript.insert(subscript.end(),
                         {{bm::operation::constant, middle}, {bm::operation::add, 0}});
      if (nest_.vector > 1)
        subscript.insert(subscript.end(),
                         {{bm::operation::constant, nest_.vector}, {bm::operation::multiply, 0}});
      nest_.subscript[d] = put(subscript);
    }
    constexpr int widths[] = {1000, 1001, 1004, 1024};
    const long long last = permutes ? widths[draw(4)] : nest_.vector * (extent + 7 * draw(3));
    nest_.array.layout = nest_.subscripts == 2 ? bm::row_major(extent, last) : bm::row_major(last);
    if (draw(4) == 0) nest_.array = nest_.array.at(8 * draw(20));
    if (draw(3) == 0) nest_.kind = bm::access_kind::store;
  }

  std::mt19937 random_;
  nest nest_;
  int used_ = 0;
};

std::string text(const program& p) {
  constexpr const char* names[] = {"tx",   "ty", "tz", "bx", "by", "bz", "tid", "lane",
                                   "warp", "i",  "j",  "k",  "l",  "m",  "n"};
  constexpr const char* signs[] = {
      "",  "",    "+",   "-", "*",  "/",  "%",  "<<",  ">>", "&",  "|",
      "^", "min", "max", "<", "<=", "==", "!=", "neg", "!",  "&&", "||"};
  std::string result;
  for (const auto& [op, value] : p)
    result += " " + (op == bm::operation::constant   ? std::to_string(value)
                     : op == bm::operation::variable ? names[value]
                                                     : signs[static_cast<int>(op)]);
  return result;
}

std::string text(const nest& n) {
  const auto shown = [&](const bm::slice& s) {
    return text(program(n.nodes + s.first, n.nodes + s.first + s.size));
  };
  std::string result;
  for (int level = 0; level < n.depth; ++level) {
    const auto& w = n.wrappers[level];
    if (w.kind == bm::wrapper_kind::filter)
      result += "if (" + shown(w.first) + ") ";
    else
      result += "for (" + std::string(1, "ijk"[static_cast<int>(w.variable) - 9]) + " kind " +
                std::to_string(static_cast<int>(w.kind)) + ":" + shown(w.first) + " ..." +
                shown(w.last) + " step" + shown(w.step) + ") ";
  }
  for (int d = 0; d < n.subscripts; ++d) result += "[" + shown(n.subscript[d]) + "]";
  return result + " vector " + std::to_string(n.vector) + " of " +
         std::to_string(n.array.element_bytes) + " bytes at " + std::to_string(n.array.base_bytes);
}

// Compares one nest on a machine and a block with running every thread, which is returned.
oracle::counts compared(const tested_machine& m, const bm::block_dim& block, const nest& access,
                        unsigned seed, bm::method& chosen) {
  const auto location = [&] {
    return "seed " + std::to_string(seed) + ": block " + std::to_string(block.x) + " x " +
           std::to_string(block.y) + " x " + std::to_string(block.z) + ", " +
           std::to_string(m.banks.bank_num) + " banks, W " + std::to_string(m.banks.W) + ", N " +
           std::to_string(m.banks.N) + ": " + text(access);
  };
  bm::cost fast;
  try {
    fast = bm::total(m.machine, block, access);
  } catch (const bm::error& e) {
    FAIL(location() << ": " << e.what());
  }
  const auto slow = plainly::total(m, block, access);
  if (fast.requests != slow.requests || fast.wavefronts != slow.wavefronts ||
      fast.ideal != slow.ideal || fast.degree != slow.degree)
    FAIL(location() << ": " << fast.requests << " requests, " << fast.wavefronts << " wavefronts, "
                    << fast.ideal << ", " << fast.degree << "; counted " << slow.requests << ", "
                    << slow.wavefronts << ", " << slow.ideal << ", " << slow.degree);
  chosen = fast.method;
  return slow;
}

unsigned cases() {
  const char* const setting = std::getenv("BANKMODEL_CASES");
  return setting != nullptr ? static_cast<unsigned>(std::strtoul(setting, nullptr, 10)) : 25000;
}

template <class Make>
void compare(const Make& make) {
  unsigned empty = 0, distinct = 0;
  for (unsigned seed = 1; seed <= cases(); ++seed) {
    generator random(seed);
    const nest access = make(random);
    const auto& m = random.pick(machines);
    const auto& block = random.pick(blocks);
    bm::method chosen;
    empty += compared(m, block, access, seed, chosen).requests == 0;
    distinct += chosen == bm::method::distinct_requests;
  }
  CHECK(empty < cases() / 2);
  CHECK(distinct > cases() / 10);
  CHECK(distinct < cases());
}

// The lowest and the highest element that any thread touches, of an array of one dimension.
std::pair<long long, long long> touched(const tested_machine& m, const bm::block_dim& block,
                                        const nest& access) {
  std::pair<long long, long long> result{1, 0};
  plainly::each_request(m.lanes, block, access, [&](const plainly::request& lanes) {
    for (const plainly::touch& lane : lanes) {
      const long long element = plainly::element_of(access, lane);
      if (result.first > result.second) result = {element, element};
      result.first = std::min(result.first, element);
      result.second = std::max(result.second, element);
    }
  });
  return result;
}

std::string rule_of(const tested_machine& m, const bm::block_dim& block, const nest& access) {
  try {
    (void)bm::total(m.machine, block, access);
  } catch (const bm::error& e) {
    return e.rule();
  }
  return "";
}

}  // namespace

TEST_CASE("nests of pieces have the cost of running every thread", "[split]") {
  compare([](generator& random) { return random.general(); });
}

TEST_CASE("filtered code is not evaluated in inactive lanes", "[split]") {
  compare([](generator& random) { return random.protecting(); });
}

TEST_CASE("an array may end at the last element that is touched, and no earlier", "[split]") {
  const std::string outside = "subscripts_must_lie_within_their_extent";
  unsigned touching = 0;
  for (unsigned seed = 1; seed <= cases() / 3; ++seed) {
    generator random(seed);
    nest access = seed % 4 == 0 ? random.protecting() : random.general();
    const auto& m = random.pick(machines);
    const auto& block = random.pick(blocks);
    if (access.subscripts != 1 || access.vector != 1) continue;
    const auto [lowest, highest] = touched(m, block, access);
    if (lowest > highest) continue;
    ++touching;
    // Most subscripts end in `+ constant`.
    bm::node* const end = access.nodes + access.subscript[0].first + access.subscript[0].size;
    const bool moves = end[-1].op == bm::operation::add && end[-2].op == bm::operation::constant;
    if (moves) end[-2].value -= lowest;
    const long long last = moves ? highest - lowest : highest;
    access.array.layout = bm::row_major(last + 1);
    bm::method chosen;
    compared(m, block, access, seed, chosen);
    if (last > 0) access.array.layout = bm::row_major(last);
    if (last > 0 && rule_of(m, block, access) != outside)
      FAIL("seed " << seed << ": an element behind the last in" << text(access));
    if (!moves) continue;
    --end[-2].value;
    access.array.layout = bm::row_major(last + 1);
    if (rule_of(m, block, access) != outside)
      FAIL("seed " << seed << ": an element below 0 in" << text(access));
  }
  CHECK(touching > cases() / 10);
}

TEST_CASE("the block index", "[split]") {
  using bm::index::bx, bm::index::by, bm::index::bz;
  const auto a = bm::shared_array<int>("a", 8, 8, 64);
  for (const auto& m : machines)
    for (long long x = 0; x <= 9; ++x)
      for (long long z = 0; z <= 9; ++z) {
        const auto access = bm::for_loop(i, bm::range(0, 3), a[bz][bx][tx + by * i]);
        const bm::block_index grid_index{x, 5, z};
        if (x < 8 && z < 8) {
          const auto other = bm::for_loop(i, bm::range(0, 3), a[z][x][tx + 5 * i]);
          CHECK(bm::total(m.machine, {16}, access, grid_index) ==
                bm::total(m.machine, {16}, other));
        } else {
          CHECK_THROWS_AS(bm::total(m.machine, {16}, access, grid_index), bm::error);
        }
      }
}
