// SPDX-License-Identifier: MIT
// The machines of the tests of global memory, for the library, and for the oracle copied again
// from the hardware facts.
#ifndef BANKMODEL_TESTS_GLOBAL_MACHINES_HPP
#define BANKMODEL_TESTS_GLOBAL_MACHINES_HPP

#include <bankmodel/global/cached_loads.hpp>
#include <bankmodel/global/transactions.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include "transaction_oracle.hpp"

#include <string>

struct global_machine {
  const char* name;
  bankmodel::machine machine;
  global_oracle::memory memory;
  bool has_12_bytes = false;
  bool is_like_another = false;  // of the table
};

// With the services of sm_90, and of 12 bytes.
constexpr bankmodel::machine own_global_machine(int lanes, const bankmodel::global_memory& memory) {
  bankmodel::machine m = bankmodel::amd::gfx942;
  m.lanes = lanes;
  m.global = memory;
  return m;
}

inline const global_machine global_machines[] = {
    {"sm_10", bankmodel::nvidia::compute_capability(1, 0), {global_oracle::sharing::of_1_0}},
    {"sm_11",
     bankmodel::nvidia::compute_capability(1, 1),
     {global_oracle::sharing::of_1_0},
     false,
     true},
    {"sm_12",
     bankmodel::nvidia::compute_capability(1, 2),
     {global_oracle::sharing::of_1_2},
     false,
     true},
    {"sm_13", bankmodel::nvidia::sm_13, {global_oracle::sharing::of_1_2}},
    {"sm_20",
     bankmodel::nvidia::compute_capability(2, 0),
     {global_oracle::sharing::of_2_0, 32, 128, 128}},
    {"sm_20, past the first cache",
     bankmodel::with_uncached_loads(bankmodel::nvidia::sm_20),
     {global_oracle::sharing::of_3_0, 32, 128, 128}},
    {"sm_35", bankmodel::nvidia::sm_35, {global_oracle::sharing::of_3_0, 32, 128, 128}},
    {"sm_35, through the first cache",
     bankmodel::with_cached_loads(bankmodel::nvidia::sm_35),
     {global_oracle::sharing::of_2_0, 32, 128, 128}},
    {"sm_52",
     bankmodel::nvidia::compute_capability(5, 2),
     {global_oracle::sharing::of_3_0},
     false,
     true},
    {"sm_90", bankmodel::nvidia::sm_90, {global_oracle::sharing::of_3_0}},
    {"gfx90a", bankmodel::amd::gfx90a, {global_oracle::sharing::of_3_0, 64, 64}, true},
    {"gfx942", bankmodel::amd::gfx942, {global_oracle::sharing::of_3_0, 128, 128}, true},
    {"gfx1100", bankmodel::amd::gfx1100, {global_oracle::sharing::of_3_0, 64, 128}, true},
    {"own, sectors of 4 in lines of 256",
     own_global_machine(64, {.sector_bytes = 4, .line_bytes = 256}),
     {global_oracle::sharing::of_3_0, 4, 256},
     true},
    {"own, sectors of 256, 100 bytes together",
     own_global_machine(32, {.sector_bytes = 256, .line_bytes = 256, .bytes_together = 100}),
     {global_oracle::sharing::of_3_0, 256, 256, 100},
     true},
    {"own, 16 lanes, lines of 64 for loads",
     own_global_machine(16, {.sector_bytes = 16,
                             .line_bytes = 64,
                             .rule = bankmodel::coalescing::lines,
                             .bytes_together = 64}),
     {global_oracle::sharing::of_2_0, 16, 64, 64},
     true},
};

// The oracle's numbers as the library gives them.
inline bankmodel::memory_traffic traffic_of(const global_oracle::moved& sum) {
  const auto count = [](long long number) { return static_cast<std::uint64_t>(number); };
  return {count(sum.requests), count(sum.transactions), count(sum.ideal),
          count(sum.lines),    count(sum.used),         count(sum.bytes)};
}

inline std::string text(const bankmodel::memory_traffic& traffic) {
  return std::to_string(traffic.requests) + " requests, " + std::to_string(traffic.transactions) +
         " transactions, ideal " + std::to_string(traffic.ideal) + ", lines " +
         std::to_string(traffic.lines) + ", bytes used " + std::to_string(traffic.bytes_used) +
         ", bytes moved " + std::to_string(traffic.bytes_moved);
}

#endif
