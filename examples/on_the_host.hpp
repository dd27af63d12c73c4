// SPDX-License-Identifier: MIT
// What a compiler of the host needs to read a file of kernels: included before it, so that such a
// file is compiled where there is no nvcc. Nothing runs.
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
