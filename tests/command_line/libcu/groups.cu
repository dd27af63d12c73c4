// SPDX-License-Identifier: MIT
// Copies of cooperative groups: of a block, of tiles with a rest, of elements, of 16 bytes.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
namespace cg = cooperative_groups;

__global__ void groups(float* out, const float* in) {
  __shared__ alignas(16) float s[320];
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<32>(block);
  cg::memcpy_async(block, s, in, sizeof(float) * 100);
  cg::memcpy_async(block, s, 300, in, 80);
  cg::memcpy_async(tile, s + 160 * tile.meta_group_rank(), in, sizeof(float) * 72);
  cg::memcpy_async(block, s, in, cuda::aligned_size_t<16>(sizeof(float) * 320));
  cg::memcpy_async(tile, (float4*)s, (const float4*)in, cuda::aligned_size_t<16>(16 * 40));
  cg::wait_prior<1>(block);
  cg::wait(block);
  out[threadIdx.x] = s[threadIdx.x];
}
