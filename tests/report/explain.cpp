// SPDX-License-Identifier: MIT
// Explanations: the examples that users see, loops of every kind, and remedies. generated.cpp
// tests that the worst request is the first of its degree.
#include <bankmodel/explain.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/report.hpp>

#include "catch.hpp"

#include <string>

namespace bm = bankmodel;
using bm::nvidia::sm_35;
using bm::nvidia::sm_90;

namespace {

using bm::index::tx, bm::index::ty, bm::index::tid, bm::index::i, bm::index::j, bm::index::k;

constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
constexpr auto line = bm::shared_array<float>("line", 4096);
constexpr auto column = bm::load(bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j]));
constexpr bm::block_dim block{32, 8}, warp{32};

}  // namespace

TEST_CASE("the column of a transpose, as a constant and as text", "[explain]") {
  constexpr auto explanation = bm::explain(sm_90, block, column);
  static_assert(explanation.all == bm::total(sm_90, block, column));
  static_assert(explanation.warp == 0 && explanation.loops == 1 && explanation.loop[0].trip == 0 &&
                explanation.loop[0].value == 0);
  static_assert(explanation.phase == 0 && explanation.phases == 1 && explanation.bank == 0 &&
                explanation.degree == 32 && explanation.lanes == 32);
  static_assert(explanation.meets[0].word == 0 && explanation.meets[31].lane == 31 &&
                explanation.meets[31].word == 31 * 32 && explanation.meets[31].layer == 31);
  static_assert(explanation.remedy.removes_all() &&
                explanation.remedy.layout == tile.layout.padded(1) &&
                explanation.remedy.more_bytes == 128);
  CHECK(bm::text(explanation) ==
        "32 requests take 1,024 wavefronts, ideal 32: 992 conflicts, worst in warp 0, j = 0: lanes "
        "0, 1, 2, .. 31 touch words 0, 32, 64, .. "
        "992 of bank 0, 32 layers of it, and the request takes 32 wavefronts instead of 1. "
        "Declared as tile[32][33], which takes 128 bytes "
        "more, it has no conflict.");
}

TEST_CASE("no conflict, and no request", "[explain]") {
  CHECK(bm::text(bm::explain(sm_90, block, bm::store(tile[ty][tx]))) ==
        "8 requests take 8 wavefronts, ideal 8: no conflict.");
  const auto none = bm::explain(sm_90, warp, bm::if_threads(tx > 99, line[tx]));
  CHECK(none.worst.active == 0);
  CHECK(none.degree == 0);
  CHECK(bm::text(none) == "0 requests take 0 wavefronts, ideal 0: no conflict.");
}

TEST_CASE("of several accesses the first with the most conflicts", "[explain]") {
  CHECK(bm::explain(sm_90, warp, line[tx], line[2 * tx], line[32 * tx], line[64 * tx]).access == 2);
  CHECK(bm::explain(sm_90, warp, line[tx], line[tx + 1]).access == 0);
}

TEST_CASE("the worst iteration of long loops is found without running them", "[explain]") {
  // Lanes below i are active: two words of a bank from i = 17 on.
  const auto growing = bm::explain(
      sm_90, warp,
      bm::for_loop(i, bm::range(0, 1'000'000'000'000), bm::if_threads(tx < i, line[2 * tx])));
  CHECK(growing.degree == 2);
  CHECK(growing.loop[0].value == 17);
  CHECK(growing.lanes == 2);
  CHECK(growing.meets[1].lane == 16);
  // The last of 10^12, downwards and in steps.
  const auto last = bm::explain(
      sm_90, warp,
      bm::for_loop(i, bm::range(3'000'000'000'000, 0, -3), bm::if_threads(i == 3, line[4 * tx])));
  CHECK(last.loop[0].trip == 999'999'999'999);
  CHECK(last.loop[0].value == 3);
  CHECK(last.degree == 4);
  // A loop in a loop whose bound is the outer one's, powers, lists.
  const auto inner = bm::explain(
      sm_90, warp,
      bm::for_loop(i, bm::range(0, 1'000'000),
                   bm::for_loop(j, bm::range(0, i),
                                bm::if_threads(j == 77, bm::for_loop(k, bm::powers(1, 16, 2),
                                                                     line[k * tx])))));
  CHECK(inner.loops == 3);
  CHECK(inner.loop[0].value == 78);
  CHECK(inner.loop[1].value == 77);
  CHECK(inner.loop[2].value == 8);
  CHECK(inner.loop[2].trip == 3);
  CHECK(inner.degree == 8);
  const auto listed =
      bm::explain(sm_90, {64},
                  bm::for_loop(k, bm::values(1, 3, 2, 6), bm::if_threads(tid >= 32, line[k * tx])));
  CHECK(listed.warp == 1);
  CHECK(listed.loop[0].trip == 2);
  CHECK(listed.loop[0].value == 2);
}

TEST_CASE("lanes in lockstep: the loop variable's value is that of the first lane", "[explain]") {
  const auto strided =
      bm::explain(sm_90, {64},
                  bm::for_loop(i, bm::range(tid, 1000, 64), bm::if_threads(i >= 128, line[2 * i])));
  CHECK(strided.degree == 2);
  CHECK(strided.loop[0].trip == 2);
  CHECK(strided.loop[0].value == 128);
  // Lane t runs t times: only lane 31 reaches i = 30.
  const auto longest = bm::explain(
      sm_90, warp, bm::for_loop(i, bm::range(0, tx), bm::if_threads(i >= 30, line[2 * tx])));
  CHECK(longest.worst.active == 1u << 31);
  CHECK(longest.loop[0].trip == 30);
  CHECK(longest.loop[0].value == 30);
}

TEST_CASE("phases, wide accesses and layers of two words", "[explain]") {
  const auto quads = bm::explain(sm_90, warp, bm::vectorized<4>(line[16 * tx]));
  CHECK(quads.phases == 4);
  CHECK(quads.degree == 4);
  CHECK(quads.lanes == 4);
  CHECK(bm::text(quads) ==
        "1 request takes 16 wavefronts, ideal 4: 12 conflicts, worst in warp 0, phase 0 of 4: "
        "lanes 0, 2, 4, 6 touch words 0, 32, 64, 96 of "
        "bank 0, 4 layers of it, and the request takes 16 wavefronts instead of 4. Declared as "
        "line[4604], element c at c + c / 32 * 4, which "
        "takes 2,032 bytes more, it has no conflict.");
  const auto kepler = bm::explain(sm_35, warp, line[32 * tx]);
  CHECK(kepler.degree == 16);
  CHECK(kepler.lanes == 32);
  CHECK(kepler.meets[1].layer == 0);
  CHECK(kepler.meets[2].layer == 1);
}

TEST_CASE("remedies: another bank width, a partial one, or none", "[explain]") {
  const auto rows =
      bm::explain(sm_35, {16, 16}, bm::shared_array<float>("s", 24, 24)[ty + 4][tx + 3]);
  CHECK(rows.remedy.switches_banks);
  CHECK(rows.remedy.bank_width == 8);
  CHECK(rows.remedy.more_bytes == 0);
  CHECK(bm::text(rows).find("With banks of 8 bytes, it has no conflict.") != std::string::npos);
  const auto either = bm::explain(sm_90, warp, line[(tx % 2) * 32 * tx]);
  CHECK(either.remedy.found);
  // Each lane touches a word of its own in any layout: lane t reads t words of 32 banks.
  const auto large = bm::explain(sm_90, warp, bm::shared_array<float>("large", 20000)[32 * tx]);
  CHECK(large.remedy.found);  // it fits by opting in
  const auto larger = bm::explain(sm_90, warp, bm::shared_array<float>("larger", 200000)[32 * tx]);
  CHECK_FALSE(larger.remedy.found);
  CHECK(bm::text(larger).find("does not fit") != std::string::npos);
  const auto hashed = bm::explain(sm_90, warp, line[(tx * tx) & 1023]);
  CHECK((bm::text(hashed).find(
             "No padding, permutation, base or bank width is known that takes less.") !=
         std::string::npos) == (hashed.remedy.after.wavefronts == hashed.all.wavefronts));
}

TEST_CASE("a base set by .at(), and unused elements at intervals", "[explain]") {
  const auto shifted = bm::explain(sm_90, warp, line.at(64)[32 * tx]);
  CHECK(shifted.bank == 16);
  CHECK(shifted.meets[1].word == 48);
  const auto padded = bm::explain(sm_90, warp, line.with(line.layout.padded_every(64, 1))[32 * tx]);
  CHECK(padded.degree == 2);
  CHECK(padded.worst.address[2] == 4 * 65);
}

TEST_CASE("permuted arrays: addresses follow the layout", "[explain]") {
  // A diagonal is in one bank of a swizzled tile, a column in all.
  constexpr auto swizzled = tile.with(tile.layout.permuted(bm::xor_swizzle(5, 0, 5)));
  constexpr auto diagonal = bm::explain(sm_90, warp, swizzled[tx][tx]);
  static_assert(diagonal.all == bm::total(sm_90, warp, swizzled[tx][tx]));
  static_assert(diagonal.degree == 32 && diagonal.bank == 0 && diagonal.lanes == 32);
  static_assert(diagonal.worst.address[31] == 4 * 32 * 31 && diagonal.meets[31].word == 32 * 31);
  static_assert(diagonal.remedy.removes_all());
  CHECK(bm::text(diagonal).find(
            "lanes 0, 1, 2, .. 31 touch words 0, 32, 64, .. 992 of bank 0, 32 layers of it") !=
        std::string::npos);
  CHECK(bm::text(bm::explain(sm_90, block,
                             bm::for_loop(j, bm::range(0, 32, 8), swizzled[tx][ty + j]))) ==
        "32 requests take 32 wavefronts, ideal 32: no conflict.");

  // Lanes along the other diagonal of a rotated one; groups of four stay together.
  const auto rotated =
      bm::explain(sm_90, warp, tile.with(tile.layout.permuted(bm::rotation(1)))[tx][31 - tx]);
  CHECK(rotated.degree == 32);
  CHECK(rotated.bank == 31);
  CHECK(rotated.worst.address[3] == 4 * (3 * 32 + 31));
  const auto in_fours = tile.with(tile.layout.permuted(bm::rotation(1).in_groups_of(4)));
  const auto groups = bm::explain(sm_90, warp, in_fours[tx][4 * (7 - tx % 8)]);
  CHECK(groups.degree == 32);
  CHECK(groups.bank == 28);
  const auto wide = bm::explain(sm_90, warp, bm::vectorized<4>(in_fours[tx][28 - tx % 8 * 4]));
  CHECK(wide.degree == 8);
  CHECK(wide.worst.address[9] == 4 * (9 * 32 + 28));

  // Row r of a transformation into a box begins at r * 33, column c is stored 2 c after it.
  const auto box = bm::explain(
      sm_90, warp, tile.with(tile.layout.permuted(bm::modular_in_a_box({2, 1, 0, 1})))[0][tx]);
  CHECK(box.degree == 2);
  CHECK(box.meets[1].lane == 16);
  CHECK(box.meets[1].word == 32);

  // In the loop's last iteration of 10^12, all lanes are in one bank.
  const auto last =
      bm::explain(sm_90, warp,
                  bm::for_loop(i, bm::range(0, 1'000'000'000'000),
                               bm::if_threads(i == 999'999'999'999, swizzled[tx][tx ^ 5])));
  CHECK(last.loop[0].value == 999'999'999'999);
  CHECK(last.degree == 32);
  CHECK(last.bank == 5);
  // Lanes in lockstep.
  const auto lockstep = bm::explain(
      sm_90, warp,
      bm::for_loop(i, bm::range(tx, 64, 32), bm::if_threads(i >= 32, swizzled[i - 32][tx])));
  CHECK(lockstep.loop[0].trip == 1);
  CHECK(lockstep.loop[0].value == 32);
  CHECK(lockstep.degree == 32);
}

TEST_CASE("the remedy if padding does not fit: a permutation", "[explain]") {
  const auto full = bm::explain(sm_90, warp, bm::shared_array<float>("full", 384, 32)[tx][0]);
  CHECK(full.remedy.removes_all());
  CHECK(full.remedy.more_bytes == 0);
  CHECK(bm::text(full) ==
        "1 request takes 32 wavefronts, ideal 1: 31 conflicts, worst in warp 0: lanes 0, 1, 2, .. "
        "31 touch words 0, 32, 64, .. 992 of bank 0, "
        "32 layers of it, and the request takes 32 wavefronts instead of 1. Declared as "
        "full[384][32], element [r][c] at [r][c ^ (r & 31)], it "
        "has no conflict.");
  // A swizzle needs whole blocks.
  const auto odd = bm::explain(sm_90, warp, bm::shared_array<float>("odd", 510, 24)[4 * tx][0]);
  CHECK(odd.remedy.removes_all());
  CHECK(odd.remedy.more_bytes == 64);
  CHECK(bm::text(odd).find("Declared as odd[12256], element [r][c] at e ^ ((e >> 5) & 31) for e = "
                           "24 * r + c, which takes 64 bytes more, it "
                           "has no conflict.") != std::string::npos);
}
