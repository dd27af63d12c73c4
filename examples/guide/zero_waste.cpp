// SPDX-License-Identifier: MIT
// Layouts that use no additional bytes: each family alone, the bound over all layouts, and the
// parameters for another library.
#include <bankmodel/host/search/bounds.hpp>
#include <bankmodel/host/search/plans_by_family.hpp>
#include <bankmodel/interop.hpp>
#include <bankmodel/layout/instruction_count.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/report.hpp>
#include <bankmodel/tile.hpp>
#include <cstdio>

namespace bm = bankmodel;

namespace description {
using namespace bm::index;

// A block of `edge` x 4 threads writes a tile by rows and reads it by columns.
template <int edge>
constexpr auto transpose_of(const bm::array_description& tile) {
  constexpr auto steps = bm::range(0, edge, 4);
  return bm::kernel(bm::block_dim{edge, 4}, bm::store(bm::for_loop(j, steps, tile[ty + j][tx])),
                    bm::load(bm::for_loop(j, steps, tile[tx][ty + j])));
}

constexpr auto tile = bm::shared_array<float>("tile", 64, 64);
constexpr auto transpose = transpose_of<64>(tile);
constexpr auto plan = bm::optimize(bm::nvidia::sm_32, transpose);
static_assert(plan.is_optimal() && plan.bytes() == 64 * 64 * 4 && plan.resident_blocks() == 3);
static_assert(bm::to_cute(plan.layout(tile)) == bm::cute::swizzle{6, 0, 6});

constexpr auto odd = bm::shared_array<float>("odd", 24, 24);
constexpr auto transpose_24 = transpose_of<24>(odd);
}  // namespace description

int main() {
  using namespace description;
  for (const auto& [family, family_plan] : bm::plans_by_family(bm::nvidia::sm_32, transpose))
    std::printf("%5d bytes, %d blocks, %2d instructions: tile%s\n",
                static_cast<int>(family_plan.bytes()), family_plan.resident_blocks(),
                bm::index_instructions(family_plan.layout(tile)),
                bm::text(family_plan.layout(tile)).c_str());

  bm::tile<float, plan.layout(tile)> t;
  t(1, 0) = 1;
  std::printf("t(1, 0) is element %d of storage\n", static_cast<int>(&t(1, 0) - t.data()));

  const auto in_own_bytes =
      bm::optimize(bm::nvidia::sm_90, transpose_24, {.shared_bytes = 24 * 24 * 4});
  const auto bound = bm::possible(bm::nvidia::sm_90, transpose_24);
  std::printf("24 x 24 in its own bytes: %d wavefronts, a table takes %d\n",
              static_cast<int>(in_own_bytes.after().wavefronts),
              static_cast<int>(bound.wavefronts));
}
