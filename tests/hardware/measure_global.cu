// SPDX-License-Identifier: MIT
// measure_global OUT: launches every pattern of global memory once on device 0, for ncu; writes the
// list of launches. Without ncu it measures nothing.
//
// Assumed: a single warp on an idle device, so that the counters count nothing else; cudaMalloc's
// memory begins at a multiple of 256 bytes; a launch that does not execute the instruction has
// everything else that the counters count.
#include "global_kernels.cuh"
#include "on_device.cuh"
#include "profiler.hpp"

#include <fstream>
#include <iostream>

using namespace hardware;

namespace {

using kernel = void (*)(global_task);

kernel kernel_of(global_instruction by) {
  switch (by) {
    case global_instruction::global_load_1: return issue_global<kernels::global_load_1>;
    case global_instruction::global_load_2: return issue_global<kernels::global_load_2>;
    case global_instruction::global_load_4: return issue_global<kernels::global_load_4>;
    case global_instruction::global_load_8: return issue_global<kernels::global_load_8>;
    case global_instruction::global_load_16: return issue_global<kernels::global_load_16>;
    case global_instruction::global_load_cg_4: return issue_global<kernels::global_load_cg_4>;
    case global_instruction::global_load_cg_16: return issue_global<kernels::global_load_cg_16>;
    case global_instruction::global_store_1: return issue_global<kernels::global_store_1>;
    case global_instruction::global_store_2: return issue_global<kernels::global_store_2>;
    case global_instruction::global_store_4: return issue_global<kernels::global_store_4>;
    case global_instruction::global_store_8: return issue_global<kernels::global_store_8>;
    case global_instruction::global_store_16: return issue_global<kernels::global_store_16>;
    case global_instruction::global_atomic_4: return issue_global<kernels::global_atomic_4>;
    case global_instruction::global_reduction_4: return issue_global<kernels::global_reduction_4>;
  }
  throw std::logic_error("an instruction without a kernel");
}

void launch_once(const global_pattern& p, char* window, int loops) {
  unsigned offsets[32];
  for (int lane = 0; lane < 32; ++lane)
    offsets[lane] = static_cast<unsigned>(p.asked.address[lane]);
  check(cudaMemcpyToSymbol(global_offsets, offsets, sizeof offsets), "cudaMemcpyToSymbol");
  kernel_of(p.opcode)<<<1, 32>>>({window, static_cast<unsigned>(p.asked.active), loops, 0});
  check(cudaGetLastError(), describe(p.opcode).name);
  check(cudaDeviceSynchronize(), describe(p.opcode).name);
}

std::vector<launch_of<global_instruction>> launch_all() {
  constexpr int loops = 4;
  check(cudaSetDevice(0), "no CUDA device");
  const buffer<char> window(global_window);
  if (reinterpret_cast<std::uintptr_t>(window.data()) % 256 != 0)
    throw std::runtime_error("cudaMalloc's memory does not begin at a multiple of 256 bytes");
  std::vector<launch_of<global_instruction>> launches;
  for (const global_pattern& p : all_global_patterns()) {
    if (launches.empty() || launches.back().opcode != p.opcode) {
      launch_once(p, window.data(), 0);
      launches.push_back({p.opcode, std::nullopt, 0});
    }
    launch_once(p, window.data(), loops);
    launches.push_back({p.opcode, p.id, loops * unrolled});
  }
  return launches;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "measure_global OUT\n";
    return 2;
  }
  try {
    const auto launches = launch_all();
    std::ofstream out(argv[1]);
    write_launches(out, launches);
    if (!out.flush()) throw std::runtime_error(std::string(argv[1]) + " cannot be written");
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "measure_global: " << error.what() << '\n';
    return 2;
  }
}
