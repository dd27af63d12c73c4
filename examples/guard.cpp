// SPDX-License-Identifier: MIT
// A kernel's file guards the layout of its tile: it stops compiling if a change adds conflicts.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

constexpr auto tile = bm::shared_array<float>("tile", 32, 33);
constexpr auto read = bm::load(bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j]));

static_assert(bm::guard<bm::total(bm::nvidia::sm_90, bm::block_dim{32, 8}, read)>);

int main() {}
