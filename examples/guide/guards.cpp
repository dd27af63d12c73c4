// SPDX-License-Identifier: MIT
// Guards in a kernel's file: for one access, for a kernel on all its machines, and with
// conflicts allowed.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

constexpr auto block = bm::block_dim{32, 8};
constexpr auto tile = bm::shared_array<float>("tile", 32, 33);
constexpr auto by_row = bm::store(bm::for_loop(j, bm::range(0, 32, 8), tile[ty + j][tx]));
constexpr auto by_column = bm::load(bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j]));

static_assert(bm::guard<bm::total(bm::nvidia::sm_90, block, by_column)>);

// All accesses of the kernel, on all machines that it is shipped for.
constexpr auto transpose = bm::kernel(block, by_row, by_column);

template <bm::machine... Machines>
constexpr bool free_on = (bm::conflict_free<Machines, transpose> && ...);

static_assert(free_on<bm::nvidia::sm_70, bm::nvidia::sm_80, bm::nvidia::sm_90, bm::nvidia::sm_120>);

// A reduction that keeps its conflicts, but may not get one more.
constexpr auto sums = bm::shared_array<float>("sums", 256);
constexpr auto reduction = bm::load(
    bm::for_loop(k, bm::powers(1, 256, 2), bm::if_threads(2 * k * tx < 256, sums[2 * k * tx])));
static_assert(bm::guard<bm::total(bm::nvidia::sm_90, bm::block_dim{256}, reduction), 35>);

int main() {}
