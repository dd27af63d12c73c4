// SPDX-License-Identifier: MIT
// resident() against cuda_occupancy.h, which comes with the CUDA toolkit and needs no GPU: for
// each record of machines/nvidia.hpp every number of warps with every number of registers,
// every size of shared memory, and generated launches. Intended differences are stated and
// tested here.
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/model/occupancy.hpp>

#include <cuda_occupancy.h>

#include "catch.hpp"

#include <algorithm>
#include <random>

namespace bm = bankmodel;

namespace {

constexpr int models[] = {30, 32, 35, 37, 50, 52, 53,  60,  61,  62,  70, 72,
                          75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121};

cudaOccDeviceProp properties_of(const bm::machine& m) {
  const bm::residency& limits = m.limits;
  cudaOccDeviceProp result;
  result.computeMajor = m.model / 10;
  result.computeMinor = m.model % 10;
  result.maxThreadsPerBlock = limits.threads_per_block;
  result.maxThreadsPerMultiprocessor = limits.threads_per_multiprocessor;
  result.regsPerBlock = limits.registers_per_block;
  result.regsPerMultiprocessor = limits.registers_per_multiprocessor;
  result.warpSize = m.lanes;
  result.sharedMemPerBlock = static_cast<std::size_t>(limits.shared_per_block);
  result.sharedMemPerMultiprocessor = static_cast<std::size_t>(limits.shared_per_multiprocessor);
  result.numSms = 1;
  result.sharedMemPerBlockOptin = static_cast<std::size_t>(limits.shared_per_block_opt_in);
  result.reservedSharedMemPerBlock = static_cast<std::size_t>(limits.shared_reserved);
  return result;
}

// A kernel with one barrier that has opted in to its dynamic shared memory.
cudaOccFuncAttributes attributes_of(int registers, std::size_t static_bytes,
                                    std::size_t dynamic_bytes) {
  cudaOccFuncAttributes result;
  result.maxThreadsPerBlock = 1024;
  result.numRegs = registers;
  result.sharedSizeBytes = static_bytes;
  result.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  result.maxDynamicSharedSizeBytes = dynamic_bytes;
  [](auto& attributes) {
    // not in older toolkits
    if constexpr (requires { attributes.numBlockBarriers; }) attributes.numBlockBarriers = 1;
  }(result);
  return result;
}

// False if this toolkit does not support the compute capability.
bool asked(const bm::machine& m, int threads, int registers, std::size_t static_bytes,
           std::size_t dynamic_bytes, cudaOccResult& result) {
  const cudaOccDeviceProp properties = properties_of(m);
  const cudaOccFuncAttributes attributes = attributes_of(registers, static_bytes, dynamic_bytes);
  const cudaOccDeviceState state;
  const cudaOccError status = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &properties, &attributes, &state, threads, dynamic_bytes);
  if (status == CUDA_OCC_ERROR_UNKNOWN_DEVICE) return false;
  REQUIRE(status == CUDA_OCC_SUCCESS);
  return true;
}

unsigned factor_of(bm::block_limit limit) {
  switch (limit) {
    case bm::block_limit::block_slots: return OCC_LIMIT_BLOCKS;
    case bm::block_limit::warps:
    case bm::block_limit::threads: return OCC_LIMIT_WARPS;  // a single limit there
    case bm::block_limit::registers: return OCC_LIMIT_REGISTERS;
    default: return OCC_LIMIT_SHARED_MEMORY;
  }
}

// Compares one launch. The static part is at most the limit without opting in, as nvcc
// requires.
void compare(const bm::machine& m, int threads, int registers, int static_bytes,
             int dynamic_bytes) {
  const bm::occupancy ours = bm::resident(m, {threads, static_bytes + dynamic_bytes, registers});
  cudaOccResult theirs;
  REQUIRE(asked(m, threads, registers, static_cast<std::size_t>(static_bytes),
                static_cast<std::size_t>(dynamic_bytes), theirs));
  const bool same = ours.blocks == theirs.activeBlocksPerMultiprocessor &&
                    ours.by_registers == theirs.blockLimitRegs &&
                    ours.by_shared_memory == theirs.blockLimitSharedMem &&
                    ours.by_block_slots == theirs.blockLimitBlocks &&
                    std::min(ours.by_warps, ours.by_threads) == theirs.blockLimitWarps &&
                    (theirs.limitingFactors & factor_of(ours.limited_by)) != 0;
  if (!same)
    FAIL("sm_" << m.model << ", " << threads << " threads, " << registers << " registers, "
               << static_bytes << " + " << dynamic_bytes << " bytes: " << ours.blocks
               << " blocks, theirs " << theirs.activeBlocksPerMultiprocessor << "; by registers "
               << ours.by_registers << " and " << theirs.blockLimitRegs << ", by shared memory "
               << ours.by_shared_memory << " and " << theirs.blockLimitSharedMem << ", factors "
               << theirs.limitingFactors);
}

template <class Check>
void for_each_machine(const Check& check) {
  int known = 0;
  for (const int model : models) {
    const bm::machine m = bm::nvidia::compute_capability(model / 10, model % 10);
    cudaOccResult ignored;
    if (!asked(m, 32, 0, 0, 0, ignored)) {
      WARN("this toolkit's cuda_occupancy.h does not know sm_" << model << ": NOT COMPARED");
      continue;
    }
    check(m);
    ++known;
  }
  CHECK(known > 0);
}

int static_part(const bm::machine& m, int bytes, int wanted) {
  return std::min({bytes, wanted, m.limits.shared_per_block});
}

}  // namespace

TEST_CASE("each number of warps with each number of registers", "[occupancy]") {
  for_each_machine([](const bm::machine& m) {
    for (int warps = 1; warps <= 33; ++warps)
      for (int registers = 0; registers <= m.limits.registers_per_thread; ++registers)
        compare(m, 32 * warps - 5, registers, 512, 0);
  });
}

TEST_CASE("each size of shared memory", "[occupancy]") {
  for_each_machine([](const bm::machine& m) {
    const int maximum = m.limits.shared_per_block_opt_in;
    for (int bytes = 0; bytes <= maximum + 300; ++bytes) {
      const int fixed = static_part(m, bytes, m.limits.shared_per_block);
      compare(m, 64, 24, fixed, bytes - fixed);
    }
  });
}

TEST_CASE("generated launches", "[occupancy]") {
  for_each_machine([](const bm::machine& m) {
    std::mt19937 random(static_cast<unsigned>(m.model));  // the seed
    const auto draw = [&](int low, int high) {
      return std::uniform_int_distribution<int>(low, high)(random);
    };
    for (int launch = 0; launch < 20'000; ++launch) {
      const int threads = draw(0, 1) == 0 ? 32 * draw(1, 32) : draw(1, 1100);
      const int registers = draw(0, m.limits.registers_per_thread);
      const int bytes = draw(0, draw(0, 3) == 0 ? m.limits.shared_per_block_opt_in + 1000 : 12000);
      const int fixed = static_part(m, bytes, draw(0, bytes));
      compare(m, threads, registers, fixed, bytes - fixed);
    }
  });
}

// The header allows 256 registers per thread from 7.0 on, and 255 on 3.0; the programming
// guides say 255, and 63: more is an error.
TEST_CASE("difference: registers of one thread", "[occupancy]") {
  for_each_machine([](const bm::machine& m) {
    for (int registers = m.limits.registers_per_thread + 1; registers <= 300; ++registers) {
      cudaOccResult theirs;
      REQUIRE(asked(m, 64, registers, 0, 0, theirs));
      const int they_take = m.model < 70 ? 255 : 256;
      CHECK((theirs.activeBlocksPerMultiprocessor > 0) == (registers <= they_take));
      CHECK_THROWS_AS(bm::resident(m, {64, 0, registers}), bm::error);
    }
  });
}

// cudaOccAvailableDynamicSMemPerBlock is the inverse. It ignores the reserved bytes, so from
// 8.0 on its result is 1 KiB too large, as the header's own forward function shows: launched
// with it, fewer blocks are resident.
TEST_CASE("the most shared memory for a number of blocks; difference: reserved bytes",
          "[occupancy]") {
  for_each_machine([](const bm::machine& m) {
    const cudaOccDeviceProp properties = properties_of(m);
    const cudaOccFuncAttributes attributes = attributes_of(32, 0, 1 << 20);
    const cudaOccDeviceState state;
    for (int threads = 32; threads <= 1024; threads += 32) {
      const int maximum = bm::resident(m, {threads, 0, 32}).blocks;
      for (int blocks = 1; blocks <= maximum; ++blocks) {
        std::size_t theirs = 0;
        REQUIRE(cudaOccAvailableDynamicSMemPerBlock(&theirs, &properties, &attributes, &state,
                                                    blocks, threads) == CUDA_OCC_SUCCESS);
        const long long ours = bm::largest_shared_bytes(m, threads, blocks, 32);
        REQUIRE(static_cast<long long>(theirs) == ours + m.limits.shared_reserved);
        if (m.limits.shared_reserved != 0) {
          cudaOccResult launched;
          REQUIRE(asked(m, threads, 32, 0, theirs, launched));
          REQUIRE(launched.activeBlocksPerMultiprocessor < blocks);
        }
      }
    }
  });
}
