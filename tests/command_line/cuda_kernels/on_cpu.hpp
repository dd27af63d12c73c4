// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_CUDA_KERNELS_ON_CPU_HPP
#define BANKMODEL_TESTS_CUDA_KERNELS_ON_CPU_HPP

#include <string>
#include <vector>

#include "warp_requests.hpp"

// The kernels of examples/cuda by their names.
std::vector<std::string> kernels_on_cpu();

struct cpu_run {
  cuda_on_cpu::requests requests;
  bool is_right = false;  // the block's results are as they are by a plain loop
};
// Runs one block of the launch in the kernel's file.
cpu_run run_on_cpu(const std::string& kernel, unsigned x, unsigned y, unsigned z);

#endif
