// SPDX-License-Identifier: MIT
// The layout with the fewest passes, as a constant for the kernel and as text.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>
#include <bankmodel/report.hpp>
#include <cstdio>

namespace bm = bankmodel;
using namespace bm::index;

constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
constexpr auto partial = bm::shared_array<float>("partial", 512);
constexpr auto kernel = bm::kernel(
    bm::block_dim{32, 8}, bm::store(bm::for_loop(j, bm::range(0, 32, 8), tile[ty + j][tx])),
    bm::load(bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j])), bm::store(partial[2 * tid]),
    bm::load(bm::for_loop(k, bm::powers(1, 256, 2),
                          bm::if_threads(tid < 256 / k, partial[2 * k * tid]))));

constexpr auto plan = bm::optimize(bm::nvidia::sm_90, kernel);
static_assert(plan.is_optimal() && plan.bytes() == 6332);
static_assert(plan.layout(tile)(1, 0) == 33);
static_assert(plan.layout(partial)(32) == 33);

int main() { std::printf("%s", bm::text(plan).c_str()); }
