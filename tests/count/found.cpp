// SPDX-License-Identifier: MIT
// Nests that were once counted wrongly, or rejected without a reason: found by fuzzing, not by the
// generator.
#include <bankmodel/analyze.hpp>
#include <bankmodel/layout/families.hpp>

#include "catch.hpp"
#include "run_plainly.hpp"

namespace bm = bankmodel;
using namespace bm::index;

namespace {

const tested_machine& sm_90 = tested_machines[0];
const auto single = bm::shared_array<float>("one", 1);
const auto two = bm::shared_array<float>("two", 2);
const auto large = bm::shared_array<float>("many", 64);

void same(const bm::block_dim& block, const auto& access) {
  const auto expected = plainly::total(sm_90, block, access);
  const bm::cost cost = bm::total(sm_90.machine, block, access);
  CHECK(cost.requests == expected.requests);
  CHECK(cost.wavefronts == expected.wavefronts);
  CHECK(cost.ideal == expected.ideal);
  CHECK(cost.degree == expected.degree);
}

}  // namespace

TEST_CASE("a subscript is evaluated in active lanes only, not if a filter turned all off",
          "[found]") {
  same({33, 2}, bm::for_loop(i, bm::range(-2, 0), bm::if_threads(i == -1, single[2 * i + 2])));
  same({1}, bm::for_loop(i, bm::range(-2, 2), bm::if_threads(i >= 0, two[i / 2])));
  same({33, 2}, bm::for_loop(i, bm::range(-5, 9),
                             bm::for_loop(j, bm::range(0, 4),
                                          bm::if_threads(i >= j, large[tx + (i - j) / 2]))));
  same({32}, bm::for_loop(i, bm::range(0, 4),
                          bm::for_loop(j, bm::range(0, 8),
                                       bm::if_threads(i + j >= 9, large[tx / 4 + 8 * j]))));
  same({17, 1, 2},
       bm::for_loop(k, bm::range(5, 0, -1),
                    bm::for_loop(l, bm::range(50 - k, 0, -16), bm::if_threads(l < 2, two[l]))));
}

TEST_CASE(
    "a start that is linear only from one period to the next, of a loop that a filter has cut",
    "[found]") {
  const auto six = bm::shared_array<float>("six", 6);
  same({4}, bm::for_loop(i, bm::range(0, 16),
                         bm::if_threads(i >= tx + 6,
                                        bm::for_loop(j, bm::range(i / 2, i / 2 + 2), six[j - 3]))));
}

TEST_CASE("lanes above the warp's are ignored", "[found]") {
  same({33}, large[8 / (1 - tz)]);
  same({33}, large[-tz / 4]);
  same({33}, large[1 << (-tz)]);
  same({1}, bm::for_loop(i, bm::range(8 / (1 - tz) - 8, tx + 1), large[0]));
  const auto& kepler = tested_machines[1];
  CHECK(
      bm::total(kepler.machine, {1}, bm::for_loop(i, bm::range(8 / (1 - tz) - 8, tx + 1), large[0]))
          .requests == 1);
  CHECK(bm::total(kepler.machine, {1}, bm::for_loop(n, bm::range((0 - tz) % 1, tx + 1), large[0]))
            .requests == 1);
}

TEST_CASE("lockstep bounds that a loop or the warps change differently in each lane", "[found]") {
  same({5}, bm::for_loop(
                n, bm::range(0, 2),
                bm::for_loop(i, bm::range(tx * n, 5), bm::shared_array<double>("d", 9)[i + i])));
  same({8, 2, 4}, bm::for_loop(j, bm::range(tz * tx, tx), single[0]));
  same({16, 2}, bm::for_loop(k, bm::range(ty * tx, 2), single[0]));
  same({32, 2}, bm::for_loop(l, bm::range(ty * tx, tx), single[0]));
  same({48, 4}, bm::for_loop(k, bm::range(ty * tx, 2), single[0]));
  same({64, 1}, bm::for_loop(l, bm::range(warp * tx, 2), single[0]));
}

TEST_CASE("a filter removes iterations of an inner loop in one interval of the outer one only",
          "[found]") {
  same({64, 2, 2},
       bm::for_loop(k, bm::range(0, warp),
                    bm::if_threads(!(0 <= 2 * tid - 385), bm::if_threads(0 > -k, single[0]))));
  same({64, 2, 2},
       bm::for_loop(i, bm::range(0, 8),
                    bm::for_loop(k, bm::range(0, i),
                                 bm::if_threads(tx < 3 * i, bm::if_threads(k > tx, single[0])))));
}

TEST_CASE("lanes in lockstep on banks with too many rows to store residues", "[found]") {
  bm::machine rows;
  rows.lanes = 8;
  rows.loads.up_to_4 = rows.stores.up_to_4 = {.bank_num = 8, .W = 128, .N = 4};
  const auto cost = bm::total(rows, {1}, bm::for_loop(i, bm::range(tx, 2), single[0]));
  CHECK(cost.requests == 2);
  CHECK(cost.wavefronts == 2);
  CHECK(bm::total(rows, {8},
                  bm::for_loop(i, bm::range(tx, 20), bm::for_loop(j, bm::range(0, 3), single[0])))
            .requests == 60);
}

// Planes that a swizzle's blocks do not divide: not only bits of the column change.
TEST_CASE("a swizzle of padded planes", "[found]") {
  for (int padding = 0; padding < 12; ++padding) {
    const bm::layout array_layout =
        bm::row_major(4, 8, 32).padded(padding, 0).permuted(bm::xor_swizzle(3, 0, 5));
    const auto planes = bm::shared_array<float>("planes", 4, 8, 32);
    for (int plane = 0; plane < 4; ++plane) {
      bm::request column{.active = 0xffffffff, .bytes = 4};
      for (int number = 0; number < 32; ++number)
        column.address[number] = 4 * array_layout(plane, number % 8, number / 8);
      CHECK(bm::total(sm_90.machine, bm::block_dim{32},
                      planes.with(array_layout)[plane][tx % 8][tx / 8])
                .wavefronts == bm::total(sm_90.machine, column).wavefronts);
    }
  }
}
