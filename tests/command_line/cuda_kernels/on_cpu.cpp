// SPDX-License-Identifier: MIT
#include "on_cpu.hpp"

#include <stdexcept>

#include "plain_results.hpp"

namespace {

std::vector<tested_kernel> all_kernels() {
  std::vector<tested_kernel> result = kernels_of_demo();
  for (const tested_kernel& tested : further_kernels()) result.push_back(tested);
  return result;
}

}  // namespace

std::vector<std::string> kernels_on_cpu() {
  std::vector<std::string> result;
  for (const tested_kernel& tested : all_kernels()) result.push_back(tested.name);
  return result;
}

cpu_run run_on_cpu(const std::string& kernel, unsigned x, unsigned y, unsigned z) {
  for (const tested_kernel& tested : all_kernels()) {
    if (tested.name != kernel) continue;
    cuda_on_cpu::block_to_run = dim3(x, y, z);
    const bool is_right = tested.is_right();
    return {cuda_on_cpu::finished_requests(), is_right};
  }
  throw std::runtime_error("no kernel is named " + kernel);
}
