// bankmodel - exact bank conflicts of GPU shared memory, before the kernel runs.
// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_CORE_CONFIG_HPP
#define BANKMODEL_CORE_CONFIG_HPP

#if !defined(__cpp_impl_three_way_comparison)
#error "bankmodel needs C++20: compile with -std=c++20"
#endif

// BANKMODEL_FN declares a constexpr function that kernels may call too, at run time or inside a
// static_assert. nvcc rejects even a constant-evaluated call of a function without the mark, so
// nearly every function carries it. BANKMODEL_HOST_DEVICE is the mark alone, for the few functions
// that cannot be constexpr.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define BANKMODEL_HOST_DEVICE __host__ __device__
#else
#define BANKMODEL_HOST_DEVICE
#endif
#define BANKMODEL_FN BANKMODEL_HOST_DEVICE constexpr

#endif
