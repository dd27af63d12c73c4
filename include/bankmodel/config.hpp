// bankmodel - exact bank conflicts of GPU shared memory, before the kernel runs.
// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_CONFIG_HPP
#define BANKMODEL_CONFIG_HPP

#if !defined(__cpp_impl_three_way_comparison)
#error "bankmodel needs C++20: compile with -std=c++20"
#endif

// BANKMODEL_FN marks what a kernel may call, at run time or inside a static_assert. nvcc refuses even a
// constant-evaluated call of an unmarked function, so nearly everything carries it.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define BANKMODEL_FN __host__ __device__
#else
#define BANKMODEL_FN
#endif

#endif
