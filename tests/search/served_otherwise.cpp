// SPDX-License-Identifier: MIT
// Plans on machines that count something else than layers: a plan's numbers are total()'s of
// its layouts, and no padding takes fewer wavefronts than a plan that is called optimal.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>

#include "catch.hpp"

#include <random>

namespace bm = bankmodel;
using namespace bm::index;

namespace {

struct counts {
  int plans = 0, proven = 0, better = 0, permuted = 0;
};

// A kernel of two accesses to one array of two dimensions.
template <class Kernel>
void check(const bm::machine& m, const Kernel& kernel, const bm::array_description& array,
           counts& tally) {
  const auto plan = bm::optimize(m, kernel);
  const auto planned = plan.array(array.name);
  const auto cost_of = [&](const bm::machine& gpu, const bm::layout& array_layout,
                           long long base = 0) {
    bm::cost sum;
    bm::for_each_access(kernel, [&](auto access) {
      access.array.layout = array_layout;
      access.array.base_bytes = base;
      sum = sum + bm::total(gpu, kernel.block, access);
    });
    return sum;
  };
  const bm::cost planned_cost = plan.after(), declared_cost = cost_of(m, array.layout);
  const bm::cost counted =
      cost_of(m.with_bank_width(plan.bank_width()), planned.layout, planned.offset_bytes);
  INFO(m.model << ": " << planned_cost.wavefronts << ", ideal " << planned_cost.ideal
               << "; counted " << counted.wavefronts << ", " << counted.ideal << "; offset "
               << planned.offset_bytes << ", family "
               << static_cast<int>(planned.layout.permutation.family) << " of "
               << array.element_bytes << " bytes");
  REQUIRE((planned_cost.wavefronts == counted.wavefronts && planned_cost.ideal == counted.ideal &&
           planned_cost.requests == counted.requests));
  REQUIRE(planned_cost.wavefronts <= declared_cost.wavefronts);
  REQUIRE(planned_cost.ideal == declared_cost.ideal);
  ++tally.plans;
  tally.better += planned_cost.wavefronts < declared_cost.wavefronts;
  tally.permuted += planned.layout.permutation.family != bm::layout_family::rows;
  if (!plan.is_optimal()) return;
  ++tally.proven;
  for (int padding = 1; padding < 256 / array.element_bytes; ++padding) {
    bm::cost padded;
    try {
      padded = cost_of(m, array.layout.padded(padding));
    } catch (const bm::error&) {
      continue;  // a wide access that is not aligned there
    }
    INFO("padding " << padding);
    REQUIRE(padded.wavefronts >= planned_cost.wavefronts);
  }
}

}  // namespace

TEST_CASE("plans on machines that serve lanes, broadcasts, pieces and overlapping phases",
          "[optimize]") {
  std::mt19937 random(17);
  const auto draw = [&](unsigned end) { return static_cast<int>(random() % end); };
  counts tally;
  for (int round = 0; round < 60; ++round) {
    const int columns = 16 << draw(2), rows = 16;
    const bm::block_dim block{16, 8};
    const int a = 1 + draw(3), b = draw(3);
    const auto floats = bm::shared_array<float>("a", rows, columns);
    const auto bytes = bm::shared_array<char>("a", rows, columns);
    const auto doubles = bm::shared_array<double>("a", rows, columns);
    const auto kernel_of = [&](const auto& array) {
      return bm::kernel(block, bm::store(array[ty][tx]),
                        bm::load(array[tx][(a * ty + b * tx) % columns]));
    };
    for (const bm::machine& gpu : {bm::nvidia::sm_10, bm::nvidia::sm_13}) {
      check(gpu, kernel_of(floats), floats, tally);
      check(gpu, kernel_of(bytes), bytes, tally);
      check(gpu, kernel_of(doubles), doubles, tally);
    }
    const auto counters = bm::kernel(block, bm::store(floats[ty][tx]),
                                     bm::atomic(floats[tx][(a * ty + b * (tx / 4)) % columns]));
    for (const bm::machine& gpu :
         {bm::nvidia::sm_90, bm::nvidia::sm_35, bm::nvidia::sm_13, bm::amd::gfx942})
      check(gpu, counters, floats, tally);
    const auto quads = bm::shared_array<float>("a", 32, columns);
    check(bm::nvidia::sm_20,
          bm::kernel(bm::block_dim{32}, bm::store(quads[tx][0 * tx]),
                     bm::load(bm::vectorized<4>(quads[tx][4 * b + 0 * tx]))),
          quads, tally);
  }
  WARN(tally.plans << " plans, " << tally.proven << " proven, " << tally.better
                   << " better than before, " << tally.permuted << " permuted");
  CHECK(tally.proven > tally.plans / 2);
  CHECK(tally.better > tally.plans / 3);
  CHECK(tally.permuted > 0);
}

TEST_CASE("a plan of 12-byte accesses does not claim what it has not tried", "[optimize]") {
  const auto line = bm::shared_array<float>("line", 4096);
  const auto kernel = bm::kernel(bm::block_dim{64}, bm::load(bm::vectorized<3>(line[3 * tx])));
  const auto plan = bm::optimize(bm::amd::gfx942, kernel);
  auto access = bm::load(bm::vectorized<3>(line.with(line.layout.padded_every(12, 4))[3 * tx]));
  CHECK(bm::total(bm::amd::gfx942, bm::block_dim{64}, access).wavefronts < plan.after().wavefronts);
  CHECK_FALSE(plan.is_optimal());
  // and where the ideal is reached it is proven all the same
  const auto rows = bm::shared_array<float>("rows", 64, 12);
  const auto best =
      bm::optimize(bm::amd::gfx942,
                   bm::kernel(bm::block_dim{64}, bm::load(bm::vectorized<3>(rows[tx][0 * tx]))));
  CHECK(best.is_optimal() == (best.after().conflicts() == 0));
}
