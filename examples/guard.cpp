// SPDX-License-Identifier: MIT
// A kernel's file guards the layout of its tile: it stops compiling if a change adds conflicts.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>
namespace bm = bankmodel;
using namespace bm::index;
constexpr auto tile = bm::shared_array<float>("tile", 32, 33);
constexpr auto tile_read = bm::load(tile[tx][ty]);
static_assert(bm::guard<bm::total(bm::nvidia::sm_90, bm::block_dim{32, 32}, tile_read)>);

int main() {}
