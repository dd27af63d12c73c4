// SPDX-License-Identifier: MIT
// Included before a file of kernels, so that a host compiler can read it if there is no nvcc.
// Nothing runs.
#ifndef BANKMODEL_EXAMPLES_ON_THE_HOST_HPP
#define BANKMODEL_EXAMPLES_ON_THE_HOST_HPP

#define __global__ [[maybe_unused]] static
#define __shared__ static

struct thread_index {
  unsigned x, y, z;
};
inline constexpr thread_index threadIdx{};
inline void __syncthreads() {}

#endif
