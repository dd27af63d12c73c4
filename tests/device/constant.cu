// SPDX-License-Identifier: MIT
// constant<value> as a tag that passes a machine, layout, geometry or pattern to a __global__
// template; conflict_free in the kernel's body.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

template <class Layout>
__global__ void with_a_layout(float* out, Layout) {
  constexpr bm::layout layout = Layout::value;
  __shared__ float storage[layout.required_size()];
  storage[layout(threadIdx.y, threadIdx.x)] = 1;
  __syncthreads();
  out[threadIdx.x] = storage[layout(threadIdx.x, threadIdx.y)];
}

template <class Machine>
__global__ void with_a_machine(int* out) {
  constexpr bm::machine m = Machine::value;
  constexpr auto column = bm::shared_array<float>("tile", 32, 33)[tx][ty];
  static_assert(bm::conflict_free<Machine::value, bm::block_dim{32}, column>);
  static_assert(bm::total(m, bm::block_dim{32}, column).conflicts() == 0);
  *out = m.lanes;
}

template <class Geometry, class Pattern>
__global__ void with_a_pattern(int* out) {
  constexpr int degree = bm::degree(Geometry::value, Pattern::value);
  *out = degree;
}

int main() {
  constexpr bm::layout padded = bm::row_major(32, 32).padded(1);
  with_a_layout<<<1, dim3(32, 8)>>>(nullptr, bm::constant<padded>{});
  with_a_machine<bm::constant<bm::nvidia::sm_90>><<<1, 32>>>(nullptr);
  with_a_machine<bm::constant<bm::nvidia::sm_35.with_bank_width(8)>><<<1, 32>>>(nullptr);
  constexpr bm::geometry g{.bank_num = 32, .W = 8, .N = 4, .M = 4};
  constexpr bm::access_1d strided{.stride = 2};
  with_a_pattern<bm::constant<g>, bm::constant<strided>><<<1, 1>>>(nullptr);
  with_a_pattern<bm::constant<g>, bm::constant<bm::access_2d{1, 16, 24, 2}>><<<1, 1>>>(nullptr);
}
