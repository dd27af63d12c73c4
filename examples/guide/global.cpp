// SPDX-License-Identifier: MIT
// Global memory: the sectors of a column, as constants.
#include <bankmodel/global.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

constexpr auto in = bm::global_array<float>("in", 1024, 1024);
constexpr auto column = bm::load(in[32 * bx + tx][32 * by + ty]);

constexpr auto moved = bm::traffic(bm::nvidia::sm_90, bm::block_dim{32, 8}, column);
static_assert(moved.requests == 8 && moved.transactions == 256 && moved.ideal == 32);
static_assert(moved.bytes_used == 1024 && moved.bytes_moved == 8192);

// A row stride that is a multiple of a line, and what a bad one costs.
constexpr auto rows = bm::with_row_stride(in, 4100);
static_assert(
    bm::traffic(bm::nvidia::sm_90, bm::block_dim{32, 8}, bm::load(in[ty][tx])).transactions == 32);
static_assert(bm::traffic(bm::nvidia::sm_90, bm::block_dim{32, 8}, bm::load(rows[ty][tx]))
                  .transactions == 39);

int main() {}
