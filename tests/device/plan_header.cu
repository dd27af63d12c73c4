// SPDX-License-Identifier: MIT
// A plan that the command line wrote as a header: its guards hold in both passes, and kernels use
// its layouts and offsets.
#include <bankmodel/tile.hpp>

#include "../../examples/guide/transpose_plan.hpp"

namespace bm = bankmodel;

__global__ void transposed(float* out, const float* in) {
  __shared__ bm::tile<float, transpose_plan::tile_layout> t;
  alignas(transpose_plan::alignment) __shared__ unsigned char memory[transpose_plan::bytes];
  const auto view =
      bm::tile_view<float, transpose_plan::tile_layout>::at<transpose_plan::tile_offset>(memory);
  t(threadIdx.y, threadIdx.x) = view(threadIdx.y, threadIdx.x) = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = t(threadIdx.x, threadIdx.y) + view(threadIdx.x, threadIdx.y);
}

int main() { return transpose_plan::bytes == 4224 ? 0 : 1; }
