// SPDX-License-Identifier: MIT
// A user's program: a guard, and a count at run time. With nvcc the guard is in a kernel too.
#ifdef SINGLE_HEADER
#include "bankmodel.hpp"
#else
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/version.hpp>
#endif

namespace bm = bankmodel;

namespace described {
using namespace bm::index;
constexpr auto tile = bm::shared_array<float>("tile", 32, 33);
constexpr auto read = bm::load(bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j]));
}  // namespace described

static_assert(bm::guard<bm::total(bm::nvidia::sm_90, bm::block_dim{32, 8}, described::read)>);
static_assert(BANKMODEL_VERSION == EXPECTED_VERSION);

#ifdef __CUDACC__
__global__ void kernel(float* out) {
  __shared__ float tile[32][33];
  static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{32, 8}, described::read).conflicts() ==
                0);
  for (unsigned j = 0; j < 32; j += 8) out[threadIdx.x] = tile[threadIdx.x][threadIdx.y + j];
}
#endif

int main(int argc, char**) {
  const bm::access_1d read{.stride = 31 + argc};  // a stride of 32, unknown to the compiler
  return bm::degree(bm::geometry{32, 4, 4, 4}, read) == 32 ? 0 : 1;
}
