// SPDX-License-Identifier: MIT
// Global memory: the sectors of a column and what helps, rows that are not aligned, the cycles of
// both memories, and how blocks share bytes.
#include <bankmodel/draw.hpp>
#include <bankmodel/global.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/report.hpp>
#include <cstdio>

namespace bm = bankmodel;
using namespace bm::index;

namespace {

constexpr auto input = bm::global_array<float>("in", 1024, 1024);
constexpr auto column = bm::load(input[32 * bx + tx][32 * by + ty]);

constexpr auto moved = bm::traffic(bm::nvidia::sm_90, bm::block_dim{32, 8}, column);
static_assert(moved.requests == 8 && moved.transactions == 256 && moved.ideal == 32);
static_assert(moved.bytes_used == 1024 && moved.bytes_moved == 8192);

constexpr auto row = bm::load(input[ty][tx]);
constexpr auto uneven = bm::with_row_stride(input, 4100);  // 4 bytes more than 1024 floats
static_assert(bm::traffic(bm::nvidia::sm_90, bm::block_dim{32, 8}, row).transactions == 32);
static_assert(bm::traffic(bm::nvidia::sm_90, bm::block_dim{32, 8}, bm::load(uneven[ty][tx]))
                  .transactions == 39);

constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
constexpr auto through_tile =
    bm::kernel(bm::block_dim{32, 32}, bm::load(input[32 * by + ty][32 * bx + tx]),
               bm::store(tile[ty][tx]), bm::load(tile[tx][ty]));
constexpr auto memory_costs = bm::costs(bm::nvidia::sm_90, through_tile);
static_assert(memory_costs.shared_cycles == 1056 && memory_costs.global_cycles == 32);
static_assert(memory_costs.limit == bm::limiting_memory::shared);

// Each block reads 34 floats for the 32 that it computes.
constexpr auto halo =
    bm::block_stride(bm::block_dim{34}, bm::axis::x, bm::load(input[0 * tx][32 * bx + tx]));
static_assert(halo.relation == bm::sharing::overlapping && halo.bytes == 128);
static_assert(halo.overlap_bytes == 8 && halo.proven);

// A warp that reads 32 neighbours from the second element on.
bm::request shifted_by_one() {
  bm::request r{.active = 0xffffffff, .bytes = 4};
  for (int lane = 0; lane < 32; ++lane) r.address[lane] = 4 * lane + 4;
  return r;
}

}  // namespace

int main() {
  std::printf("%s\n\n", bm::explained(bm::nvidia::sm_90, bm::block_dim{32, 8}, column).c_str());
  std::printf("%s", bm::draw_text(bm::nvidia::sm_90, input, shifted_by_one()).c_str());
}
