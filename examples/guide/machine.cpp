// SPDX-License-Identifier: MIT
// A machine of your own: its record, and how to check it.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/machines/validated.hpp>
#include <bankmodel/optimize.hpp>
#include <bankmodel/report.hpp>
#include <cstdio>

namespace bm = bankmodel;
using bm::index::j, bm::index::tx, bm::index::ty;  // the others would clash with the names below

// Warps of 16 lanes on 16 banks of 4 bytes. 8 bytes per lane are served in two phases, 16 bytes
// in four.
constexpr bm::machine small_gpu() {
  constexpr auto sure = bm::confidence::high;  // measured, or stated by the vendor
  bm::machine m;
  m.model = 7;
  m.lanes = 16;
  m.loads.up_to_4 = {.bank_num = 16, .W = 4, .N = 4, .phases = {}, .sure = sure};
  m.loads.bytes_8 = {
      .bank_num = 16, .W = 4, .N = 4, .phases = bm::consecutive_lanes(8, 16), .sure = sure};
  m.loads.bytes_16 = {.bank_num = 16,
                      .W = 4,
                      .N = 4,
                      .phases = bm::consecutive_lanes(4, 16),
                      .sure = bm::confidence::low};
  m.stores = m.loads;
  m.bank_width = 4;
  return m;
}
constexpr bm::machine machine = bm::validated(small_gpu());

// Phases whose lanes are not neighbours, as sets: 0-3 with 12-15, and the others.
static_assert(bm::phases_of_lanes({0xf00f, 0x0ff0}, 16) == bm::lane_groups{12});

// A known machine with one fact changed.
constexpr bm::machine with_merging_stores() {
  bm::machine m = bm::nvidia::sm_90;
  m.merges_stores = bm::merging::pairs;
  return m;
}

// Statements of the vendor's guide as assertions.
constexpr auto line = bm::shared_array<float>("line", 256);
// neighbours do not conflict
static_assert(bm::total(machine, bm::block_dim{16}, line[tx]).conflicts() == 0);
// nor lanes that read one word
static_assert(bm::total(machine, bm::block_dim{16}, line[0 * tx]).conflicts() == 0);
// one bank for all lanes
static_assert(bm::total(machine, bm::block_dim{16}, line[16 * tx]).wavefronts == 16);

// Two neighbouring lanes store to the same 16 bytes, so phases merge if the machine merges
// those of stores.
constexpr auto doubled = bm::store(bm::vectorized<4>(bm::shared_array<float>("a", 64)[tx / 2 * 4]));
static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{32}, doubled).wavefronts == 4);
static_assert(bm::total(with_merging_stores(), bm::block_dim{32}, doubled).wavefronts == 2);

namespace {

void print_phases(int bytes) {
  const bm::lane_groups phases = machine.served(bytes, bm::access_kind::load).phases;
  std::printf("%2d bytes a lane:", bytes);
  for (int phase = 0; phase < 1 << phases.bits(); ++phase) {
    std::printf(phase == 0 ? " lanes" : " |");
    for (int lane = 0; lane < machine.lanes; ++lane)
      if ((phases.lanes_of(phase) >> lane & 1) != 0) std::printf(" %d", lane);
  }
  std::printf("\n");
}

// Passes of one warp whose lanes are `stride` elements of `bytes` apart: measured, with clocks
// around such a load.
struct measurement {
  int bytes, stride, passes;
};
constexpr measurement measured[] = {{4, 1, 1}, {4, 2, 2},  {4, 3, 1},  {4, 16, 16}, {8, 1, 2},
                                    {8, 3, 2}, {8, 8, 16}, {16, 1, 4}, {16, 2, 8}};

}  // namespace

int main() {
  for (const int bytes : {4, 8, 16}) print_phases(bytes);

  int different = 0;
  for (const auto& [bytes, stride, passes] : measured) {
    bm::request warp{.active = 0xffff, .bytes = bytes};
    for (int lane = 0; lane < machine.lanes; ++lane) warp.address[lane] = lane * stride * bytes;
    if (bm::wavefronts(machine, warp) != passes) ++different;
  }
  std::printf("%d of %d measurements differ from the model\n", different,
              static_cast<int>(sizeof measured / sizeof measured[0]));

  // The record has no limits, so the search needs one, and the plan has no resident blocks.
  const auto tile = bm::shared_array<float>("tile", 16, 16);
  const auto kernel = bm::kernel(bm::block_dim{16, 4},
                                 bm::load(bm::for_loop(j, bm::range(0, 16, 4), tile[tx][ty + j])));
  std::printf("%s: %s", bm::text(machine).c_str(),
              bm::text(bm::optimize(machine, kernel, bm::search{.shared_bytes = 16384})).c_str());
  return different;
}
