// SPDX-License-Identifier: MIT
// The worst request: of accesses against running their threads one by one, with loops in lockstep
// above all, and of request classes against explaining each of their requests.
#include <bankmodel/draw.hpp>
#include <bankmodel/explain.hpp>
#include <bankmodel/layout/families.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include "catch.hpp"
#include "examples/kernels.hpp"
#include "run_plainly.hpp"

#include <random>
#include <vector>

namespace bm = bankmodel;
using bm::nvidia::sm_90;

namespace {

using bm::index::tx, bm::index::ty, bm::index::tid, bm::index::i, bm::index::j, bm::index::k;

constexpr auto line = bm::shared_array<float>("line", 8192);
constexpr bm::block_dim one_warp{32};

// ---- accesses, one request after another ----

// The first request of that degree, and its place among the requests of the block.
struct first_request {
  bm::request request;
  int warp = -1;
  plainly::touch place;  // of its first lane
};
template <class Access>
first_request first_of_degree(const bm::machine& m, const bm::block_dim& block,
                              const Access& access, const bm::block_index& grid_index, int degree) {
  first_request result;
  const bm::array_description& array = access.array;
  const int warps = (block.x * block.y * block.z + m.lanes - 1) / m.lanes;
  for (int warp = 0; warp < warps && result.warp < 0; ++warp)
    plainly::each_request(
        plainly::run_warp(m.lanes, block, access, warp, grid_index),
        [&](const plainly::request& lanes) {
          if (result.warp >= 0) return;
          bm::request r{.active = 0, .bytes = access.vector * array.element_bytes};
          r.kind = access.kind;
          for (const plainly::touch& thread : lanes) {
            bm::detail::four coordinates;
            for (int d = 0; d < access.subscripts; ++d)
              coordinates[d] = thread.subscripts[static_cast<std::size_t>(d)];
            r.active |= 1ull << thread.lane;
            r.address[thread.lane] =
                array.base_bytes + array.layout(coordinates) * array.element_bytes;
          }
          if (bm::total(m, r).degree == degree) result = {r, warp, lanes.front()};
        });
  return result;
}

template <int Wrappers, int Nodes>
void compare(const bm::machine& m, const bm::block_dim& block,
             const bm::access_expression<Wrappers, Nodes>& access,
             const bm::block_index& grid_index = {}) {
  const bm::explanation fast = bm::explain(m, block, access, grid_index);
  CHECK(fast.all == bm::total(m, block, access, grid_index));
  if (fast.all.requests == 0) return;
  const first_request wanted = first_of_degree(m, block, access, grid_index, fast.all.degree);
  CHECK(fast.warp == wanted.warp);
  for (int number = 0; number < fast.loops; ++number) {
    CHECK(fast.loop[number].trip == wanted.place.trip[static_cast<std::size_t>(number)]);
    CHECK(fast.loop[number].value == wanted.place.value[static_cast<std::size_t>(number)]);
  }
  CHECK(fast.worst.active == wanted.request.active);
  for (int lane = 0; lane < bm::max_lanes; ++lane)
    if ((wanted.request.active >> lane & 1) != 0)
      CHECK(fast.worst.address[lane] == wanted.request.address[lane]);
  const bm::explanation recount = bm::explain(m, wanted.request);
  CHECK(fast.of_worst == recount.all);
  CHECK(fast.phase == recount.phase);
  CHECK(fast.offset_bytes == recount.offset_bytes);
  CHECK(fast.bank == recount.bank);
  CHECK(fast.lanes == recount.lanes);
}

}  // namespace

TEST_CASE("the kernels of the dissertation", "[explain]") {
  for (const auto& machine : {sm_90, bm::nvidia::sm_35, bm::nvidia::sm_13, bm::amd::gfx942})
    kernels::for_each_kernel([&](const char* name, const auto& described) {
      INFO(name);
      const auto& block = described.block;
      if (block.x * block.y * block.z > machine.limits.threads_per_block) return;
      bm::for_each_access(described, [&](const auto& access) { compare(machine, block, access); });
    });
}

TEST_CASE("loops in lockstep with one step", "[explain]") {
  for (const auto& machine : {sm_90, bm::nvidia::sm_35, bm::amd::gfx942})
    for (const bm::block_dim& block : {bm::block_dim{64}, {16, 6}, {33, 3}}) {
      // all lanes finish at once, or not
      compare(machine, block, bm::for_loop(i, bm::range(tid, 1024 + tid, 64), line[2 * i]));
      compare(machine, block,
              bm::for_loop(i, bm::range(tid, 1000, 64), bm::if_threads(i >= 500, line[2 * tx])));
      compare(machine, block,
              bm::for_loop(i, bm::range(0, tx), bm::if_threads(i >= 9, line[8 * tx])));
      // downwards, from other starts, and with starts that are no sum of multiples
      compare(
          machine, block,
          bm::for_loop(i, bm::range(3 * tx + 100, ty, -7), bm::if_threads(i < 60, line[4 * i])));
      compare(
          machine, block,
          bm::for_loop(i, bm::range(tx * tx % 13, 40, 3), bm::if_threads(i > 20, line[33 * i])));
      // lanes that do not enter, and a loop in a loop
      compare(machine, block,
              bm::if_threads(tx % 3 != 1,
                             bm::for_loop(i, bm::range(tx, 30, 5),
                                          bm::for_loop(j, bm::range(i, 2 * tx + 1, 2),
                                                       bm::if_threads(j > 14, line[32 * j])))));
      compare(machine, block,
              bm::for_loop(i, bm::range(0, 5),
                           bm::for_loop(j, bm::range(tx + i, 40, 6),
                                        bm::for_loop(k, bm::range(0, i + j),
                                                     bm::if_threads(k > 20, line[16 * j + k])))));
    }
}

TEST_CASE("loops in lockstep of all other kinds", "[explain]") {
  for (const auto& machine : {sm_90, bm::nvidia::sm_35, bm::amd::gfx942})
    for (const bm::block_dim& block : {bm::block_dim{64}, {16, 6}, {33, 3}}) {
      compare(machine, block, bm::for_loop(i, bm::powers_down(tx, 0, 2), line[32 * i]));
      compare(machine, block,
              bm::for_loop(i, bm::powers_down(tid, 0, 2), bm::if_threads(i < 7, line[32 * tx])));
      compare(machine, block,
              bm::for_loop(i, bm::powers_up(1, tx, 2), bm::if_threads(i >= 4, line[16 * tx + i])));
      compare(machine, block,
              bm::for_loop(i, bm::powers(tx + 1, 100, tx % 3 + 2),
                           bm::if_threads(i > 30, line[32 * (i % 7)])));
      // strides of the lanes' own, upwards and downwards in one warp
      compare(machine, block,
              bm::for_loop(i, bm::range(tx, 200, tx + 1), bm::if_threads(i >= 90, line[32 * i])));
      compare(machine, block,
              bm::for_loop(i, bm::range(60 * (tx % 2), 60 - 60 * (tx % 2), 3 - tx % 2 * 8),
                           bm::if_threads(i > 25, line[16 * tx + i])));
      // with loops around and inside that are narrowed otherwise
      compare(machine, block,
              bm::for_loop(k, bm::values(5, 1, 3),
                           bm::for_loop(i, bm::range(k, 40 - ty, tx + 2),
                                        bm::for_loop(j, bm::range(i, i + 9, 3),
                                                     bm::if_threads(j > 30, line[32 * j + k])))));
      compare(machine, block,
              bm::for_loop(i, bm::powers_down(tx + 8, 1, 3),
                           bm::if_threads(i % 2 == 0,
                                          bm::for_loop(j, bm::powers_up(i, 90, 2),
                                                       bm::if_threads(j > 40, line[4 * tx + j])))));
    }
}

TEST_CASE("permuted arrays, wide accesses and other blocks of the grid", "[explain]") {
  const auto tile = bm::shared_array<float>("tile", 64, 32);
  for (const auto& mapping : {bm::xor_swizzle(5, 0, 5), bm::rotation(1), bm::permutation{}}) {
    const auto permuted = tile.with(tile.layout.permuted(mapping));
    compare(sm_90, one_warp,
            bm::for_loop(i, bm::range(tx, 64, 5), bm::if_threads(i >= 32, permuted[i][tx])));
    compare(sm_90, one_warp, bm::for_loop(i, bm::range(0, 60, tx + 1), permuted[i][5]));
    compare(sm_90, one_warp,
            bm::for_loop(i, bm::range(bm::index::bx, tx), bm::if_threads(i >= 9, permuted[tx][i])),
            {2});
  }
  compare(sm_90, one_warp,
          bm::for_loop(i, bm::range(tx % 4, 9, 2), bm::vectorized<4>(line[16 * tx + 4 * i])));
}

namespace {

// i + (i + (i + .. )), which needs `Terms` intermediate values.
template <int Terms>
constexpr auto deep(const auto& first) {
  if constexpr (Terms == 1)
    return first + 0;
  else
    return first + deep<Terms - 1>(first);
}

}  // namespace

TEST_CASE("bounds far away and bounds that need the whole stack", "[explain]") {
  for (const bm::block_dim& block : {bm::block_dim{64}, {16, 6}}) {
    compare(sm_90, block,
            bm::for_loop(i, bm::range(tx, 1ll << 62, 1ll << 58),
                         bm::if_threads(i > 1ll << 61, line[32 * (i % 97)])));
    compare(sm_90, block,
            bm::for_loop(i, bm::range((1ll << 62) - tx, -7, -(1ll << 59)),
                         bm::if_threads(i < 1ll << 60, line[32 * ((i + 7) % 89)])));
    compare(sm_90, block,
            bm::for_loop(i, bm::powers_up(tx + 1, 1ll << 62, tx + 2), line[i % 97 * 16]));
    compare(sm_90, block,
            bm::for_loop(i, bm::range(deep<31>(tx), deep<30>(40 + tx % 5), 3),
                         bm::if_threads(i > 700, line[32 * (i % 23)])));
    compare(sm_90, block,
            bm::for_loop(i, bm::range(deep<30>(40 + tx % 5), deep<31>(tx), -3),
                         bm::if_threads(i < 700, line[32 * (i % 23)])));
  }
}

TEST_CASE("loops whose trips vary with an outer loop, alone and with a loop between them",
          "[explain]") {
  for (const auto& machine : {bm::nvidia::sm_35, sm_90, bm::amd::gfx942})
    for (int seed = 0; seed < 60; ++seed) {
      std::mt19937 random(static_cast<unsigned>(seed));
      const auto draw = [&](unsigned end) { return static_cast<long long>(random() % end); };
      const auto subscript = draw(20) * tx + draw(20) * i + draw(20) * j + draw(20) * k;
      const long long extra = draw(4), slope = 1 + draw(3), trips = 2 + draw(9);
      INFO("seed " << seed);
      compare(machine, {64},
              bm::for_loop(
                  i, bm::range(0, trips),
                  bm::for_loop(k, bm::range(0, 1 + seed % 4),
                               bm::for_loop(j, bm::range(0, slope * i + extra), line[subscript]))));
      compare(machine, {64},
              bm::for_loop(i, bm::range(0, trips),
                           bm::for_loop(j, bm::range(0, 40 - slope * i),
                                        bm::for_loop(k, bm::range(0, 3), line[subscript]))));
    }
}

TEST_CASE("loops in lockstep are not run", "[explain]") {
  const auto late = bm::explain(sm_90, {64},
                                bm::for_loop(i, bm::range(tid, 1'000'000'000'000, 64),
                                             bm::if_threads(i >= 990'000'000'032, line[2 * tx])));
  CHECK(late.degree == 2);
  CHECK(late.warp == 0);
  CHECK(late.loop[0].trip == 15'468'750'001);
  CHECK(late.loop[0].value == 990'000'000'064);
  constexpr auto early =
      bm::explain(sm_90, one_warp,
                  bm::for_loop(i, bm::range(tx, 1'000'000'000'000, 32),
                               bm::if_threads(i >= 990'000'000'000, line[2 * tx])));
  static_assert(early.degree == 2 && early.loop[0].trip == 30'937'500'000);
  const auto inner =
      bm::explain(sm_90, one_warp,
                  bm::for_loop(i, bm::range(tx, 64, 32),
                               bm::for_loop(j, bm::range(i, 1'000'000'000, 7),
                                            bm::if_threads(j >= 900'000'000, line[32 * tx]))));
  CHECK(inner.loop[0].trip == 0);
  CHECK(inner.loop[1].trip == 128'571'429);
  CHECK(inner.degree == 32);
  const auto strides = bm::explain(
      sm_90, one_warp,
      bm::for_loop(i, bm::range(0, 100'000, tx + 1),
                   bm::for_loop(j, bm::range(0, 1'000'000'000),
                                bm::if_threads(j == 999'999'999 && i >= 3'100, line[32 * tx]))));
  CHECK(strides.loop[0].trip == 3100);
  CHECK(strides.loop[1].trip == 999'999'999);
  CHECK(strides.degree == 32);
}

TEST_CASE("lanes of a request whose cost is that of a simpler one", "[explain]") {
  // The XOR only permutes the banks, so counting leaves it out.
  for (const bm::block_dim& block : {bm::block_dim{64}, {16, 6}})
    compare(sm_90, block,
            bm::for_loop(i, bm::range(0, 64, 3), bm::if_threads(i > 30, line[i ^ tx])));
  const auto lanes = bm::explain(
      sm_90, one_warp, bm::for_loop(i, bm::range(0, 64, 3), bm::if_threads(i > 30, line[i ^ tx])));
  CHECK(lanes.loop[0].value == 33);
  CHECK(lanes.worst.address[1] == 4 * 32);
}

TEST_CASE("of warps that a condition lets pass, the first", "[explain]") {
  using bm::index::tz, bm::index::warp;
  bm::machine one_lane = sm_90;
  one_lane.lanes = 1;
  compare(one_lane, {2, 16, 3}, bm::if_threads(warp > 2 * tz + 46, line[tx]));
  compare(one_lane, {2, 16, 3}, bm::if_threads(3 * tz + ty > 4, line[tx]));
}

TEST_CASE("of phases and pieces with the same degree, the first", "[explain]") {
  // Four phases, each 4-way; two halves, each 2-way; on sm_13 two halves of four words each.
  const auto quads = bm::explain(sm_90, one_warp, bm::vectorized<4>(line[16 * tx]));
  CHECK(quads.degree == 4);
  CHECK(quads.phase == 0);
  CHECK(quads.lanes == 4);
  CHECK(quads.meets[3].lane == 6);
  const auto pieces = bm::explain(bm::nvidia::sm_13, one_warp, bm::vectorized<4>(line[4 * tx]));
  CHECK(pieces.degree > 1);
  CHECK(pieces.phase == 0);
  CHECK(pieces.offset_bytes == 0);
  // Only the last half has a conflict.
  const auto last = bm::explain(sm_90, one_warp, bm::vectorized<2>(line[2 * tx + tx / 31 * 16]));
  CHECK(last.degree == 2);
  CHECK(last.phase == 1);
}

// ---- request classes ----

namespace {

struct generator {
  std::mt19937_64 random;
  int draw(int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); }

  bm::request_class make(const bm::machine& m) {
    bm::request_class result;
    const bm::access_kind kinds[] = {bm::access_kind::load, bm::access_kind::store,
                                     bm::access_kind::atomic};
    do {
      result.lanes.kind = kinds[draw(3)];
      result.lanes.bytes = 1 << draw(5);
    } while (!m.has(result.lanes.bytes, result.lanes.kind));
    const int unit = result.lanes.bytes;
    result.lanes.active = random() & random() >> (64 - m.lanes);
    if (draw(3) == 0) result.lanes.active = ~0ull >> (64 - m.lanes);
    const int stride = draw(40);
    for (int lane = 0; lane < m.lanes; ++lane)
      result.lanes.address[lane] = unit * (draw(4) == 0 ? draw(300) : stride * lane);
    result.loops = draw(4);
    result.base = unit * (3000 + draw(64));
    for (int level = 0; level < result.loops; ++level)
      result.loop[level] = {unit * (draw(80) - 40), 1 + draw(6)};
    result.times = static_cast<std::uint64_t>(1 + draw(3));
    return result;
  }
};

// Each request of a class, in the order of its loops.
template <class Visit>
void for_each_request(const bm::request_class& requests, long long base, int loop,
                      const Visit& visit) {
  if (loop < requests.loops) {
    for (long long trip = 0; trip < requests.loop[loop].trips; ++trip)
      for_each_request(requests, base + trip * requests.loop[loop].step, loop + 1, visit);
    return;
  }
  bm::request lanes = requests.lanes;
  for (int lane = 0; lane < bm::max_lanes; ++lane)
    lanes.address[lane] = (lanes.active >> lane & 1) == 0 ? 0 : lanes.address[lane] + base;
  visit(lanes);
}

}  // namespace

TEST_CASE("the worst request of several classes", "[explain]") {
  generator random{std::mt19937_64(1)};
  const bm::machine machines[] = {sm_90, bm::nvidia::sm_35, bm::nvidia::sm_20, bm::nvidia::sm_13,
                                  bm::amd::gfx942};
  int conflicting = 0, later = 0;
  for (int number = 0; number < 3000; ++number) {
    const bm::machine& m = machines[number % 5];
    std::vector<bm::request_class> classes;
    for (int count = random.draw(4); count >= 0; --count) classes.push_back(random.make(m));
    const bm::explanation fast = bm::explain(m, classes.data(), static_cast<int>(classes.size()));
    bm::cost sum;
    bm::explanation slow;
    int access = 0;
    long long requests = 0, position = 0;
    for (std::size_t index = 0; index < classes.size(); ++index)
      for_each_request(classes[index], classes[index].base, 0, [&](const bm::request& lanes) {
        const bm::explanation current = bm::explain(m, lanes);
        sum = sum + current.all * classes[index].times;
        ++requests;
        if (current.all.degree <= slow.all.degree) return;
        slow = current, access = static_cast<int>(index), position = requests;
      });
    INFO("case " << number);
    CHECK(fast.all == sum);
    CHECK(fast.access == access);
    if (sum.requests == 0) continue;
    CHECK(fast.worst.active == slow.worst.active);
    for (int lane = 0; lane < bm::max_lanes; ++lane)
      CHECK(fast.worst.address[lane] == slow.worst.address[lane]);
    CHECK(fast.of_worst == slow.all);
    CHECK(fast.phase == slow.phase);
    CHECK(fast.phases == slow.phases);
    CHECK(fast.offset_bytes == slow.offset_bytes);
    CHECK(fast.bank == slow.bank);
    CHECK(fast.degree == slow.degree);
    CHECK(fast.lanes == slow.lanes);
    CHECK_FALSE(fast.remedy.found);
    if (classes.size() == 1)
      CHECK(bm::explain(m, classes[0]).worst.address[0] == fast.worst.address[0]);
    conflicting += fast.degree > 1;
    later += position > 1;
  }
  CHECK(conflicting > 1500);
  CHECK(later > 1000);
}

TEST_CASE("the warp of the worst request of an access's classes", "[explain]") {
  const auto bytes = bm::shared_array<unsigned char>("bytes", 1 << 16);
  int later = 0;
  for (const auto& m : {sm_90, bm::nvidia::sm_35})
    for (int stride = 1; stride < 70; ++stride)
      for (int distance = 0; distance < 9; ++distance) {
        const auto classes = bm::request_classes_of<8>(
            m, {32, 8}, bm::load(bytes[stride * tx + distance * ty * (ty + stride % 2)]));
        REQUIRE(classes.is_complete());
        const bm::explanation result = bm::explain(m, classes.each, classes.count);
        const int moved = distance * result.warp * (result.warp + stride % 2);
        bm::request expected{.active = 0xffffffff, .bytes = 1};
        for (int lane = 0; lane < 32; ++lane) {
          expected.address[lane] = stride * lane + moved;
          CHECK(result.worst.address[lane] == expected.address[lane]);
        }
        CHECK(bm::total(m, expected).degree == result.all.degree);
        later += result.warp > 0;
      }
  CHECK(later > 60);
  CHECK(bm::explain(sm_90, bm::request_class{.lanes = {.active = 1, .bytes = 4}}).warp == 0);
}

namespace {

// 2 * tx + 16 + i of float: every base has the same conflicts, so the first is the worst.
constexpr bm::request_class strided(long long step, long long trips) {
  bm::request_class result;
  result.lanes.active = 0xffffffff;
  result.lanes.bytes = 4;
  for (int lane = 0; lane < 32; ++lane) result.lanes.address[lane] = 8 * lane;
  result.base = 64;
  result.loops = 1;
  result.loop[0] = {step, trips};
  return result;
}
constexpr auto of_many = bm::explain(sm_90, strided(4, 1'000'000'000'000));
static_assert(of_many.all.requests == 1'000'000'000'000 && of_many.degree == 2 &&
              of_many.worst.address[1] == 72 && of_many.bank == 0 && of_many.lanes == 2);
static_assert(bm::explain(sm_90, nullptr, 0).all.requests == 0);

// The example of the reference.
constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
constexpr auto column = bm::request_classes_of<1>(
    sm_90, {32, 8}, bm::load(bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j])));
constexpr auto of_column = bm::explain(sm_90, column.each[0]);
static_assert(column.is_complete() && of_column.all.requests == 32 &&
              of_column.all.conflicts() == 992 && of_column.worst.address[0] == 0 &&
              of_column.degree == 32);

}  // namespace

TEST_CASE("a class without requests, and pictures of classes", "[explain]") {
  bm::request_class none = strided(4, 10);
  none.lanes.active = 0;
  const auto nothing = bm::explain(sm_90, none);
  CHECK(nothing.all.requests == 0);
  CHECK(nothing.worst.active == 0);
  CHECK(nothing.degree == 0);
  bm::request_class below_zero = strided(-4, 100);
  CHECK_THROWS_AS(bm::total(sm_90, below_zero), bm::error);
  CHECK_THROWS_AS(bm::explain(sm_90, below_zero), bm::error);
  below_zero.base += 512;
  CHECK(bm::total(sm_90, below_zero).degree == 2);
  CHECK(bm::explain(sm_90, below_zero).worst.address[0] == 64 + 512);
  const auto array = bm::shared_array<float>("line", 512);
  const auto worst = bm::explain(sm_90, strided(4, 100));
  CHECK(bm::draw_text(sm_90, array, strided(4, 100)) == bm::draw_text(sm_90, array, worst.worst));
  CHECK(bm::draw_svg(sm_90, array, strided(4, 100)) == bm::draw_svg(sm_90, array, worst.worst));
}

// At run time the limit of work is for each total that explain() counts, not for their sum, which
// is larger here.
TEST_CASE("explain() explains what total() counts: almost as much work as is allowed") {
  constexpr long long last = 32324;
  const auto only_last = max(i + tx / 32, last + 6) - (last + 6);
  const auto explanation = bm::explain(
      bm::nvidia::sm_90, {256},
      bm::for_loop(i, bm::range(0, last + 1), line[tx % 32 * (1 + only_last) + i * i % 7]));
  CHECK(explanation.all.method == bm::method::each_request);
  CHECK(explanation.loop[0].trip == last);
  CHECK(explanation.warp == 7);
  CHECK(explanation.degree == 2);
}
