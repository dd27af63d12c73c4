// SPDX-License-Identifier: MIT
// Accesses to global memory in words: explanations, changes against traffic() of the changed
// access, worst requests against running the threads, segments against the model, and both memories
// in one table.
#include <bankmodel/draw.hpp>
#include <bankmodel/explain.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/report.hpp>

#include "breaks.hpp"
#include "catch.hpp"
#include "run_plainly.hpp"

#include <map>
#include <random>
#include <set>
#include <string>

namespace bm = bankmodel;
using bm::for_loop;
using bm::load;
using bm::range;
using bm::store;
using bm::text;
using bm::traffic_remedy;
using bm::index::tx, bm::index::ty, bm::index::tid, bm::index::bx, bm::index::by, bm::index::i,
    bm::index::j;
using bm::nvidia::sm_10;
using bm::nvidia::sm_13;
using bm::nvidia::sm_20;
using bm::nvidia::sm_35;
using bm::nvidia::sm_90;

namespace {

constexpr bm::block_dim wide_block{32, 8};
constexpr auto input = bm::global_array<float>("in", 1024, 1024);
constexpr auto a = bm::global_array<float>("a", 4096);

constexpr auto by_row = load(for_loop(j, range(0, 32, 8), input[32 * by + ty + j][32 * bx + tx]));
constexpr auto by_column =
    load(for_loop(j, range(0, 32, 8), input[32 * bx + tx][32 * by + ty + j]));
constexpr auto shifted = load(for_loop(j, range(0, 32, 8), input[ty + j][tx + 1]));

template <class Access>
std::string explanation(const bm::machine& m, const Access& access,
                        const bm::block_dim& block = wide_block) {
  return text(bm::explain_traffic(m, block, access));
}

// The change of one kind, or one with count 0 transactions before.
bm::traffic_change change_of(const bm::traffic_explanation& e, traffic_remedy remedy) {
  for (int change = 0; change < e.changes.count; ++change)
    if (e.changes.each[change].what == remedy) return e.changes.each[change];
  return {};
}

}  // namespace

static_assert(bm::explain_traffic(sm_90, bm::block_dim{32}, load(a[tx + 1])).changes.count == 1);
static_assert(
    bm::explain_traffic(sm_90, bm::block_dim{32}, load(a[tx + 1])).segments.each[4].used == 4);

// ---- words ----

TEST_CASE("traffic as text") {
  CHECK(text(bm::traffic(sm_90, wide_block, by_column)) ==
        "32 requests, 1,024 transactions (ideal 128), 4,096 bytes used of 32,768 moved, 1,024 "
        "lines");
  CHECK(text(bm::traffic(sm_13, bm::block_dim{1}, load(a[tx]))) ==
        "1 request, 1 transaction (ideal 1), 4 bytes used of 32 moved");
  CHECK(text(bm::memory_traffic{}) ==
        "0 requests, 0 transactions (ideal 0), 0 bytes used of 0 moved");
}

TEST_CASE("explanations as text") {
  CHECK(explanation(sm_90, by_row) ==
        "32 requests take 128 transactions (ideal 128), 4,096 bytes used of 4,096 moved: as few "
        "transactions as possible.");
  CHECK(explanation(sm_90, by_column) ==
        "32 requests take 1,024 transactions (ideal 128), 4,096 bytes used of 32,768 moved, worst "
        "in warp 0, j = 0: 32 segments of 32 bytes: lane 0 at byte 0, 1 at 4096, 2 at 8192, .. 31 "
        "at 126976, instead of 4. With tx and ty exchanged, in blocks of 8 x 32 threads, it takes "
        "128 transactions instead of 1,024; stored as in[1024][1024] with the last two subscripts "
        "exchanged, 128; copied by rows through a tile of 32 x 32 elements in shared memory, 128.");
  CHECK(
      explanation(sm_90, shifted) ==
      "32 requests take 160 transactions (ideal 128), 4,096 bytes used of 5,120 moved, worst in "
      "warp 0, j = 0: 5 segments of 32 bytes: lanes 0-6 at byte 0, 7-14 at 32, 15-22 at 64, 23-30 "
      "at 96, 31 at 128, instead of 4. With the base of in 124 bytes past a multiple of 256, it "
      "takes 128 transactions instead of 160.");
  CHECK(
      explanation(sm_90, load(input[ty][2 * tx])) ==
      "8 requests take 64 transactions (ideal 32), 1,024 bytes used of 2,048 moved, worst in warp "
      "0: 8 segments of 32 bytes: lanes 0-3 at byte 0, 4-7 at 32, 8-11 at 64, .. 28-31 at 224, "
      "instead of 4. If the element between those of two lanes is accessed too, one access of 2 "
      "elements takes 64 transactions, separate accesses 128.");
  CHECK(explanation(sm_90, load(bm::vectorized<4>(input[ty][4 * tx]))) ==
        "8 requests take 128 transactions (ideal 128), 4,096 bytes used of 4,096 moved: as few "
        "transactions as possible.");
  CHECK(
      explanation(sm_90, load(for_loop(j, range(0, 4), input[ty][4 * tx + j]))) ==
      "32 requests take 512 transactions (ideal 128), 4,096 bytes used of 16,384 moved, worst in "
      "warp 0, j = 0: 16 segments of 32 bytes: lanes 0-1 at byte 0, 2-3 at 32, 4-5 at 64, .. 30-31 "
      "at 480, instead of 4. With 4 elements in each access, 4 steps of j at once, it takes 128 "
      "transactions instead of 512; copied by rows through a tile of 8 x 32 elements in shared "
      "memory, 128.");
  CHECK(
      explanation(sm_90, load(bm::global_array<float>("odd", 1000, 1001)[ty][tx])) ==
      "8 requests take 39 transactions (ideal 32), 1,024 bytes used of 1,248 moved, worst in warp "
      "1: 5 segments of 32 bytes: lanes 0-6 at byte 4000, 7-14 at 4032, 15-22 at 4064, 23-30 at "
      "4096, 31 at 4128, instead of 4. With rows of odd 4096 bytes apart, it takes 32 transactions "
      "instead of 39.");
  CHECK(explanation(sm_13, load(a[tx + 1]), bm::block_dim{32}) ==
        "1 request takes 3 transactions (ideal 2), 128 bytes used of 224 moved, worst in warp 0: 3 "
        "segments of 32 to 128 bytes: lanes 0-15 at byte 0, 16-30 at 64, 31 at 128, instead of 2. "
        "With the base of a 124 bytes past a multiple of 256, it takes 2 transactions instead of "
        "3.");
  CHECK(
      explanation(bm::amd::gfx942, shifted) ==
      "16 requests take 64 transactions (ideal 32), 4,096 bytes used of 8,192 moved, worst in "
      "warp 0, j = 0: 4 segments of 128 bytes: lanes 0-30 at byte 0, 31 at 128, 32-62 at 4096, 63 "
      "at 4224, instead of 2. With the base of in 124 bytes past a multiple of 256, it takes 32 "
      "transactions instead of 64.");
  CHECK(
      explanation(sm_90, load(a[tx * tx]), bm::block_dim{32}) ==
      "1 request takes 30 transactions (ideal 4), 128 bytes used of 960 moved, worst in warp 0: 30 "
      "segments of 32 bytes: lanes 0-2 at byte 0, 3 at 32, 4 at 64, .. 31 at 3840, instead of 4. "
      "No base, row stride, thread axis, tile or wider access that takes fewer was found.");
  CHECK(
      explanation(sm_20, load(input[tx][ty]), bm::block_dim{16, 16}) ==
      "8 requests take 128 transactions (ideal 8), 1,024 bytes used of 16,384 moved, worst in warp "
      "0: 16 segments of 128 bytes: lanes 0, 16 at byte 0, 1, 17 at 4096, 2, 18 at 8192, .. 15, 31 "
      "at 61440, instead of 1. With tx and ty exchanged, in blocks of 16 x 16 threads, it takes 16 "
      "transactions instead of 128; stored as in[1024][1024] with the last two subscripts "
      "exchanged, 16; copied by rows through a tile of 16 x 16 elements in shared memory, 16.");
  CHECK(text(bm::explain_traffic(sm_90, bm::block_dim{32},
                                 for_loop(j, range(0, 4), load(a[32 * j + tx + 1]))),
             {"row"})
            .find("worst in warp 0, row = 0: 5 segments") != std::string::npos);
}

TEST_CASE("explained() takes accesses to either memory") {
  const auto tile = bm::shared_array<float>("tile", 32, 32);
  CHECK(bm::explained(sm_90, wide_block, load(tile[tx][ty])) ==
        text(bm::explain(sm_90, wide_block, load(tile[tx][ty]))));
  CHECK(bm::explained(sm_90, wide_block, shifted) == explanation(sm_90, shifted));
}

TEST_CASE("both memories of a transpose in one table") {
  const auto tile = bm::shared_array<float>("tile", 32, 33);
  const auto output = bm::global_array<float>("out", 1024, 1024);
  const auto transpose = bm::kernel(wide_block, load(input[ty][tx]), store(tile[ty][tx]),
                                    load(tile[tx][ty]), store(output[tx][ty]));
  CHECK(
      bm::joint_table(sm_90, transpose) ==
      R"(access              requests  wavefronts  ideal  transactions  ideal  bytes used  bytes moved
load in[ty][tx]            8           -      -            32     32       1,024        1,024
store tile[ty][tx]         8           8      8             -      -           -            -
load tile[tx][ty]          8           8      8             -      -           -            -
store out[tx][ty]          8           -      -           256     32       1,024        8,192
sum                       32          16     16           288     64       2,048        9,216
)");
  // the worst access of each memory
  CHECK(bm::explain_traffic(sm_90, transpose).access == 3);
  CHECK(bm::explain(sm_90, transpose).access == 1);
  CHECK(bm::explain_traffic(sm_90, wide_block, load(tile[tx][ty]), load(input[ty][tx]),
                            load(input[tx][ty]), load(input[tx][ty]))
            .access == 2);
  CHECK(bm::explain_traffic(
            sm_90, wide_block,
            for_loop(j, range(0, 2), load(input[ty][tx + j]), store(input[tx][ty + j])))
            .access == 1);
}

TEST_CASE("errors") {
  const auto tile = bm::shared_array<float>("tile", 64);
  breaks("explain_must_be_given_an_access_to_shared_memory", {"explain_traffic()"},
         [] { (void)bm::explain(sm_90, wide_block, by_row); });
  breaks("explain_must_be_given_an_access_to_shared_memory", {"explain_traffic()"},
         [] { (void)bm::explain(sm_90, bm::kernel(wide_block, by_row, by_column)); });
  breaks("explain_traffic_must_be_given_an_access_to_global_memory", {"explain()"},
         [&] { (void)bm::explain_traffic(sm_90, bm::block_dim{32}, load(tile[tx])); });
  breaks("explain_traffic_must_be_given_an_access_to_global_memory", {"explain()"}, [&] {
    (void)bm::explain_traffic(sm_90, bm::kernel(bm::block_dim{32}, load(tile[tx]), load(tile[tx])));
  });
  breaks("sectors_and_lines_must_be_powers_of_two", {"sectors of 0"}, [] {
    bm::machine m = sm_90;
    m.global = {};
    (void)bm::explain_traffic(m, wide_block, by_row);
  });
  const char* const picture = "a_picture_of_global_memory_must_be_given_a_request";
  breaks(picture, {"explain_traffic(..).worst"}, [] { (void)bm::draw_text(sm_90, input); });
  breaks(picture, {"one request"}, [] { (void)bm::draw_svg(sm_90, input); });
  breaks(picture, {}, [] { (void)bm::draw_text(sm_90, input, bm::request_class{}); });
  breaks(picture, {}, [] { (void)bm::draw_svg(sm_90, input, bm::request_class{}); });
}

// ---- changes ----

TEST_CASE("changes have the traffic of the changed access") {
  for (const bm::machine& m :
       {sm_90, sm_35, sm_20, sm_13, sm_10, bm::amd::gfx942, bm::amd::gfx1100}) {
    const auto column = bm::explain_traffic(m, wide_block, by_column);
    const auto axes = change_of(column, traffic_remedy::thread_axes);
    const bm::block_dim exchanged{8, 32};
    const auto other_lanes =
        load(for_loop(j, range(0, 32, 8), input[32 * bx + ty][32 * by + tx + j]));
    if (axes.before.requests != 0) {
      CHECK(axes.block == exchanged);
      CHECK(axes.after == bm::traffic(m, exchanged, other_lanes));
    } else {
      CHECK(bm::traffic(m, exchanged, other_lanes).transactions >= column.all.transactions);
    }
    const auto stored = change_of(column, traffic_remedy::transposed);
    CHECK(stored.after == bm::traffic(m, wide_block, by_row));
    const auto tile = change_of(column, traffic_remedy::tile);
    CHECK(tile.after == bm::traffic(m, wide_block, by_row));
    CHECK(tile.tile_rows == 32);

    const auto shift = bm::explain_traffic(m, wide_block, shifted);
    const auto base = change_of(shift, traffic_remedy::base);
    CHECK(base.array == input.at(124));
    CHECK(base.after ==
          bm::traffic(m, wide_block,
                      load(for_loop(j, range(0, 32, 8), input.at(124)[ty + j][tx + 1]))));

    const auto structs =
        bm::explain_traffic(m, wide_block, load(for_loop(j, range(0, 8), input[ty][8 * tx + j])));
    const auto wider = change_of(structs, traffic_remedy::wider_loop);
    CHECK(wider.vector == 4);
    CHECK(wider.loop == bm::variable::loop_1);
    CHECK(wider.after ==
          bm::traffic(m, wide_block,
                      load(for_loop(j, range(0, 8, 4), bm::vectorized<4>(input[ty][8 * tx + j])))));

    const auto rows = bm::global_array<float>("odd", 1000, 1001);
    const auto odd = bm::explain_traffic(m, wide_block, load(rows[ty][tx + 3]));
    const auto change = change_of(odd, traffic_remedy::rows_and_base);
    CHECK(change.array == bm::with_row_stride(rows, 4096).at(116));
    CHECK(change.after == bm::traffic(m, wide_block, load(change.array[ty][tx + 3])));
    if (m.global.rule != bm::coalescing::sectors) continue;
    const auto pairs = bm::explain_traffic(m, wide_block, load(input[ty][2 * tx]));
    const auto pair = change_of(pairs, traffic_remedy::wider_neighbours);
    CHECK(pair.after == bm::traffic(m, wide_block, load(bm::vectorized<2>(input[ty][2 * tx]))));
    CHECK(pair.before == bm::traffic(m, wide_block, load(input[ty][2 * tx])) +
                             bm::traffic(m, wide_block, load(input[ty][2 * tx + 1])));
  }
}

TEST_CASE("a change is not offered where it would be another access") {
  const auto remedies = [](const auto& access, const bm::block_dim& block = wide_block) {
    std::set<traffic_remedy> result;
    const auto e = bm::explain_traffic(sm_90, block, access);
    for (int change = 0; change < e.changes.count; ++change) {
      result.insert(e.changes.each[change].what);
      CHECK(e.changes.each[change].after.transactions < e.changes.each[change].before.transactions);
    }
    return result;
  };
  // the thread's number does not change with the axes
  CHECK(remedies(load(input[tid % 32][tid / 32])).count(traffic_remedy::thread_axes) == 0);
  // the loop's step is 4, or it is read twice, or a vector would not be aligned, or an atomic
  CHECK(remedies(load(for_loop(j, range(0, 16, 4), input[ty][16 * tx + j])))
            .count(traffic_remedy::wider_loop) == 0);
  CHECK(remedies(load(for_loop(j, range(0, 4), input[ty + j][4 * tx + j])))
            .count(traffic_remedy::wider_loop) == 0);
  CHECK(remedies(load(for_loop(j, range(0, 4), input[ty][4 * tx + j + 1])))
            .count(traffic_remedy::wider_loop) == 0);
  CHECK(remedies(load(for_loop(j, range(0, 4), bm::if_threads(tx > j, input[ty][4 * tx + j]))))
            .count(traffic_remedy::wider_loop) == 0);
  // other blocks make other trips
  CHECK(remedies(load(for_loop(j, range(0, bx + 4), input[ty][4 * tx + j])))
            .count(traffic_remedy::wider_loop) == 0);
  const auto sums = remedies(bm::atomic(for_loop(j, range(0, 4), input[ty][4 * tx + j])));
  CHECK((sums.count(traffic_remedy::wider_loop) == 0 && sums.count(traffic_remedy::tile) == 0));
  CHECK(remedies(load(for_loop(j, range(0, 4, 3), input[ty][4 * tx + j])))
            .count(traffic_remedy::wider_loop) == 0);
  CHECK(remedies(load(input[tx][tid / 32])).count(traffic_remedy::thread_axes) == 0);
  // what needs another access as well comes last
  const auto two = bm::explain_traffic(sm_10, wide_block, load(input[ty][2 * tx])).changes;
  REQUIRE(two.count == 2);
  CHECK(two.each[0].what == traffic_remedy::tile);
  CHECK(two.each[1].after.transactions < two.each[0].after.transactions);
  // three iterations are no vector of 2 or 4, six are three of 2
  CHECK(remedies(load(for_loop(j, range(0, 3), input[ty][4 * tx + j])))
            .count(traffic_remedy::wider_loop) == 0);
  CHECK(remedies(load(for_loop(j, range(0, 6), input[ty][8 * tx + j])))
            .count(traffic_remedy::wider_loop) == 1);
  // nothing is between the last of an odd extent and its end
  const auto odd = bm::global_array<float>("odd", 63);
  CHECK(remedies(load(odd[2 * tx]), bm::block_dim{32}).empty());
  const auto even = bm::global_array<float>("even", 64);
  CHECK(remedies(load(even.at(4)[2 * tx + 1]), bm::block_dim{32})
            .count(traffic_remedy::wider_neighbours) == 0);
  // unknown rows cannot become columns; neither can a vector
  const auto pointer = bm::global_array<float>("p", bm::unknown_extent, 1024);
  CHECK(remedies(load(pointer[tx][ty])).count(traffic_remedy::transposed) == 0);
  CHECK(remedies(load(bm::vectorized<2>(input[tx][2 * ty]))).count(traffic_remedy::transposed) ==
        0);
  CHECK(remedies(load(pointer[tx][ty])).count(traffic_remedy::tile) == 1);
}

TEST_CASE("a tile holds as many rows as shared memory has room for") {
  const auto e = bm::explain_traffic(sm_13, bm::block_dim{128},
                                     load(for_loop(j, range(0, 1024), input[tx][j])));
  const auto tile = change_of(e, traffic_remedy::tile);
  CHECK((tile.tile_rows == 96 && tile.tile_columns == 32));
  CHECK(96 * 33 * 4 <= sm_13.limits.shared_per_block);
  CHECK(128 * 33 * 4 > sm_13.limits.shared_per_block);
  CHECK(tile.after.bytes_used == 128 * 1024 * 4);
  const auto backwards = bm::explain_traffic(
      sm_90, wide_block, load(for_loop(j, range(0, 32, 8), input[tx][31 - ty - j])));
  const auto change = change_of(backwards, traffic_remedy::tile);
  CHECK((change.tile_rows == 32 && change.tile_columns == 32));
}

// ---- worst requests, segments ----

namespace {

bm::request request_of(const auto& access, const plainly::request& lanes) {
  bm::request r{.active = 0, .bytes = access.vector * access.array.element_bytes};
  r.kind = access.kind;
  for (const plainly::touch& thread : lanes) {
    r.active |= 1ull << thread.lane;
    r.address[thread.lane] =
        access.array.base_bytes + plainly::element_of(access, thread) * access.array.element_bytes;
  }
  return r;
}

// The first request with the most transactions beyond its ideal.
void compare_worst(const bm::machine& m, const bm::block_dim& block, const auto& access) {
  const bm::traffic_explanation fast = bm::explain_traffic(m, block, access);
  INFO(text(m) << " " << text(access));
  bm::request worst;
  int warp = -1;
  plainly::touch place;
  std::uint64_t excess = 0;
  std::set<long long> elements;
  for (int warp_number = 0; warp_number * m.lanes < block.x * block.y * block.z; ++warp_number)
    plainly::each_request(plainly::run_warp(m.lanes, block, access, warp_number),
                          [&](const plainly::request& lanes) {
                            const bm::request r = request_of(access, lanes);
                            const bm::memory_traffic counted = bm::traffic(m, r);
                            for (const plainly::touch& lane : lanes)
                              elements.insert(plainly::element_of(access, lane));
                            if (warp >= 0 && counted.transactions - counted.ideal <= excess) return;
                            excess = counted.transactions - counted.ideal;
                            worst = r, warp = warp_number, place = lanes.front();
                          });
  REQUIRE(fast.warp == warp);
  CHECK(fast.of_worst.transactions - fast.of_worst.ideal == excess);
  for (int number = 0; number < fast.loops; ++number)
    CHECK(fast.loop[number].value == place.value[static_cast<std::size_t>(number)]);
  CHECK(fast.worst.active == worst.active);
  for (int lane = 0; lane < m.lanes; ++lane)
    if ((worst.active >> lane & 1) != 0) CHECK(fast.worst.address[lane] == worst.address[lane]);
  // Every change still moves every element.
  const auto touched = elements.size() * static_cast<std::size_t>(access.array.element_bytes);
  for (int change = 0; change < fast.changes.count; ++change) {
    CHECK(fast.changes.each[change].after.bytes_moved >= touched);
    CHECK(fast.changes.each[change].after.transactions <
          fast.changes.each[change].before.transactions);
  }
}

}  // namespace

TEST_CASE("the worst request is the first with the most transactions to save") {
  const auto rows = bm::global_array<float>("rows", 100, 301).at(12);
  const auto bytes = bm::global_array<signed char>("bytes", 100, 301);
  const auto doubles = bm::global_array<double>("doubles", 8192);
  const auto planes = bm::global_array<short>("planes", 3, 40, 50);
  for (const bm::machine& m : {sm_90, sm_35, sm_20, sm_13, sm_10, bm::amd::gfx942}) {
    const bm::block_dim odd{33, 3};
    compare_worst(m, odd, load(rows[ty][tx]));
    compare_worst(m, odd, load(for_loop(i, range(0, 5), rows[ty + 3 * i][2 * tx + i])));
    compare_worst(m, odd,
                  load(for_loop(i, range(0, 7), for_loop(j, range(0, i), rows[tx][ty + j]))));
    compare_worst(m, odd, load(for_loop(i, range(0, tx % 5 + 1), rows[ty][tx + 7 * i])));
    compare_worst(m, odd, load(bm::if_threads(tx > 3 * ty, rows[tx][5 * ty])));
    compare_worst(m, odd, load(bytes[tx][ty]));
    // nothing to save, and iterations without a request
    compare_worst(
        m, odd, load(for_loop(i, range(3 - ty, 4), bm::if_threads(tx == i, rows[0 * tx][i + tx]))));
    compare_worst(m, odd, load(for_loop(i, range(tx, 2), rows[0 * tx][i + tx])));
    compare_worst(m, odd, load(bytes[ty][tx + 5]));
    compare_worst(m, bm::block_dim{16},
                  load(for_loop(i, range(0, 8), bm::if_threads(i > 4, doubles[16 * i + tx]))));
    compare_worst(m, odd, load(for_loop(i, range(3, -1, -1), doubles[(40 * ty + tx) * (i + 1)])));
    compare_worst(m, odd, load(for_loop(i, bm::powers(1, 32, 2), doubles[ty + i * tx])));
    compare_worst(m, odd, store(for_loop(i, bm::values(3, 1, 4), planes[ty][tx][7 * i])));
    compare_worst(m, odd, load(for_loop(i, range(0, 40, 4), planes[ty][(tx + i) % 40][tx])));
  }
}

TEST_CASE("segments are those that the model counts") {
  std::mt19937 random(5);
  const auto draw = [&](int end) {
    return static_cast<int>(random() % static_cast<unsigned>(end));
  };
  const bm::machine machines[] = {sm_90, sm_35,           sm_20,           sm_13,
                                  sm_10, bm::amd::gfx942, bm::amd::gfx1100};
  for (int number = 0; number < 20000; ++number) {
    const bm::machine& m = machines[number % 7];
    constexpr int widths[] = {1, 2, 4, 8, 12, 16};
    bm::request r{.active = random() | static_cast<std::uint64_t>(random()) << 32,
                  .bytes = widths[draw(6)]};
    if (!m.has(r.bytes, bm::access_kind::load)) r.bytes = 16;
    if (draw(3) == 0) r.active = ~0ull;
    if (m.lanes < 64) r.active &= 0xffffffff;
    r.kind = draw(2) == 0 ? bm::access_kind::load : bm::access_kind::store;
    const int unit = r.bytes == 12 ? 4 : r.bytes, stride = draw(5) * draw(40), start = draw(200);
    for (int lane = 0; lane < m.lanes; ++lane)
      r.address[lane] =
          static_cast<long long>(unit) *
          (start + (draw(4) == 0 ? draw(500) : lane * (stride == 0 ? r.bytes / unit : stride)));
    const bm::memory_traffic counted = bm::traffic(m, r);
    const bm::request_segments segments = bm::segments_of(m, r);
    const bool in_order = m.global.rule == bm::coalescing::in_order;
    std::uint64_t moved = 0;
    std::map<int, std::set<long long>> of_lane;
    for (int index = 0; index < segments.count; ++index) {
      const bm::segment& part = segments.each[index];
      moved += static_cast<std::uint64_t>(part.bytes);
      REQUIRE(part.begin % part.bytes == 0);
      std::set<long long> used;
      for (int lane = 0; lane < m.lanes; ++lane)
        if ((part.lanes >> lane & 1) != 0)
          for (long long byte = r.address[lane]; byte < r.address[lane] + r.bytes; ++byte)
            if (byte >= part.begin && byte < part.begin + part.bytes)
              used.insert(byte), of_lane[lane].insert(byte);
      REQUIRE(static_cast<int>(used.size()) == part.used);
      REQUIRE(part.used > 0);
    }
    INFO(text(m) << " bytes " << r.bytes);
    if (!in_order) {
      REQUIRE(static_cast<std::uint64_t>(segments.count) == counted.transactions);
      REQUIRE(moved == counted.bytes_moved);
    } else {
      REQUIRE(static_cast<std::uint64_t>(segments.count) <= counted.transactions);
    }
    if (r.bytes == 12) continue;  // those of 1.x may cross a segment
    for (int lane = 0; lane < m.lanes; ++lane)
      if ((r.active >> lane & 1) != 0)
        REQUIRE(of_lane[lane].size() == static_cast<std::size_t>(r.bytes));
  }
}
