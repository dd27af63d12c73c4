// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MACHINE_HPP
#define BANKMODEL_MACHINE_HPP

#include <bankmodel/geometry.hpp>

#include <cstdint>

namespace bankmodel {

enum class direction : unsigned char { load, store };

constexpr int max_lanes = 64;  // of a warp: 32 on NVIDIA, 32 or 64 on AMD

// How a warp's lanes are divided into phases. Every grouping that vendors document or people measured is a set of
// cosets: bit b of a lane's phase is the parity of lane & parity_b, and a parity of 0 is no bit. So the phases
// partition the lanes whatever the numbers are.
//   {}         one phase          {16}    two halves of 32 lanes        {8, 16}  quarters: lane 9 is in phase 1, 17 in 2
//   {32}       halves of 64       {20, 8} 0-3 with 20-23, 4-7 with 16-19, ... (AMD's 16-byte loads)
struct lane_groups {
  unsigned char parity_0 = 0, parity_1 = 0, parity_2 = 0;

  // How many bits the number of a phase has: 1 << bits() phases.
  BANKMODEL_FN constexpr int bits() const { return parity_0 == 0 ? 0 : parity_1 == 0 ? 1 : parity_2 == 0 ? 2 : 3; }

  // The lanes of one phase, lane 0 in bit 0.
  BANKMODEL_FN constexpr std::uint64_t lanes_of(int phase) const {
    std::uint64_t lanes = ~std::uint64_t{0};
    const unsigned char parities[3] = {parity_0, parity_1, parity_2};
    for (int bit = 0; bit < bits(); ++bit) lanes &= (phase >> bit & 1) != 0 ? odd_lanes(parities[bit]) : ~odd_lanes(parities[bit]);
    return lanes;
  }

  // Pairs of neighbouring phases as one, by leaving out the first bit: quarters become halves.
  BANKMODEL_FN constexpr lane_groups merged() const { return {parity_1, parity_2, 0}; }

  bool operator==(const lane_groups&) const = default;

 private:
  // The lanes whose number has an odd number of bits in common with `parity`.
  BANKMODEL_FN static constexpr std::uint64_t odd_lanes(unsigned parity) {
    constexpr std::uint64_t lanes_with_bit[6] = {0xaaaaaaaaaaaaaaaau, 0xccccccccccccccccu, 0xf0f0f0f0f0f0f0f0u,
                                                 0xff00ff00ff00ff00u, 0xffff0000ffff0000u, 0xffffffff00000000u};
    std::uint64_t lanes = 0;
    for (int bit = 0; bit < 6; ++bit)
      if ((parity >> bit & 1) != 0) lanes ^= lanes_with_bit[bit];
    return lanes;
  }
};

// How sure a fact is: high for documented or measured on such a machine, medium for stated by the vendor's staff or
// measured on a relative, low for inferred.
enum class confidence : unsigned char { low, medium, high };

// How requests of one width in one direction are served. bank_num 0: the machine has no such instruction.
struct service {
  short bank_num = 0;
  short W = 0, N = 0;  // bytes of a layer and of a word
  lane_groups phases = {};
  confidence sure = confidence::low;
  bool operator==(const service&) const = default;
};

struct services {
  service up_to_4 = {};  // 1, 2 and 4 bytes a lane
  service bytes_8 = {}, bytes_12 = {}, bytes_16 = {};

  BANKMODEL_FN constexpr service of(int bytes) const {
    switch (bytes) {
      case 1: case 2: case 4: return up_to_4;
      case 8: return bytes_8;
      case 12: return bytes_12;
      case 16: return bytes_16;
      default: return {};
    }
  }

  BANKMODEL_FN constexpr services with_words_of(int bytes) const {
    services result = *this;
    service* const each[4] = {&result.up_to_4, &result.bytes_8, &result.bytes_12, &result.bytes_16};
    for (int width = 0; width < 4; ++width)
      if (each[width]->bank_num != 0) each[width]->N = static_cast<short>(bytes);
    return result;
  }
  bool operator==(const services&) const = default;
};

// When the phases of one request are served together.
enum class merging : unsigned char {
  none,
  // Two neighbouring phases become one if for each active lane i lane i ^ 1 is inactive or has the same address, or
  // if that holds for each lane with i ^ 2 (NVIDIA in forum thread 77228; machines/nvidia.hpp has more).
  pairs
};

// What limits a block and how many of them are resident on one multiprocessor (occupancy.hpp). Shared memory in bytes,
// registers of 32 bits.
struct residency {
  int shared_per_multiprocessor = 0;
  int shared_per_block = 0;         // without opting in
  int shared_per_block_opt_in = 0;  // with the attribute that raises the limit
  int shared_granularity = 0;       // a block's bytes are rounded up to a multiple of this
  int shared_reserved = 0;          // and the system takes this much of each block
  int threads_per_block = 0;
  int threads_per_multiprocessor = 0;
  int warps_per_multiprocessor = 0;
  int blocks_per_multiprocessor = 0;
  int registers_per_multiprocessor = 0;
  int registers_per_block = 0;   // a block's warps are rounded up to a multiple of register_check_warps for this limit
  int registers_per_thread = 0;
  int register_granularity = 0;  // a warp's registers are rounded up to a multiple of this
  int register_check_warps = 0;
  int sub_partitions = 0;  // of a multiprocessor, each with an equal part of its registers; a warp lies in one
  confidence sure = confidence::low;
  bool operator==(const residency&) const = default;
};

enum class vendor : unsigned char { other, nvidia, amd };

namespace rule {
[[noreturn]] BANKMODEL_FN inline void lanes_of_a_machine_must_be_1_to_64(long long lanes) {
  detail::fail("lanes_of_a_machine_must_be_1_to_64", "a machine with warps of % lanes; set .lanes to 1 to 64, 32 on NVIDIA", lanes);
}
[[noreturn]] BANKMODEL_FN inline void bank_width_must_be_one_that_the_machine_offers(long long bytes, long long in_force) {
  detail::fail("bank_width_must_be_one_that_the_machine_offers",
               "this machine has no banks of % bytes; it has %, and Kepler alone a choice of 4 and 8", bytes, in_force);
}
[[noreturn]] BANKMODEL_FN inline void the_machine_must_have_accesses_of_this_width(long long bytes) {
  detail::fail("the_machine_must_have_accesses_of_this_width",
               "this machine has no access of % bytes a lane; use 1, 2, 4, 8 or 16 (12 on AMD only)", bytes);
}
}  // namespace rule

// A GPU as data: a record of machines/, or one of your own.
//   machine one; one.lanes = 32; one.loads.up_to_4 = one.stores.up_to_4 = {.bank_num = 32, .W = 4, .N = 4};
// takes accesses of 1, 2 and 4 bytes, in one phase.
struct machine {
  vendor made_by = vendor::other;
  int model = 0;  // NVIDIA: 10 * major + minor of the compute capability
  int lanes = 0;  // of a warp
  services loads = {}, stores = {};
  merging merges_loads = merging::none, merges_stores = merging::none;
  int bank_width = 0;        // bytes of a bank's word as the machine starts
  int other_bank_width = 0;  // the other one that can be chosen, 0 if none
  residency limits = {};

  // The same machine with its banks switched to words of that many bytes: Kepler's
  // cudaDeviceSetSharedMemConfig. sm_35.with_bank_width(8).
  BANKMODEL_FN constexpr machine with_bank_width(int bytes) const {
    if (bytes == bank_width) return *this;
    if (bytes == 0 || bytes != other_bank_width) rule::bank_width_must_be_one_that_the_machine_offers(bytes, bank_width);
    machine result = *this;
    result.loads = loads.with_words_of(bytes);
    result.stores = stores.with_words_of(bytes);
    result.bank_width = bytes;
    result.other_bank_width = bank_width;
    return result;
  }

  // Refuses lanes that no warp has. Every function that takes a machine calls it.
  BANKMODEL_FN constexpr void require_valid() const {
    if (lanes < 1 || lanes > max_lanes) rule::lanes_of_a_machine_must_be_1_to_64(lanes);
  }

  // How a request of that many bytes a lane is served; refused where the machine has no such instruction.
  BANKMODEL_FN constexpr service served(int bytes, direction way) const {
    const service result = (way == direction::load ? loads : stores).of(bytes);
    if (result.bank_num == 0) rule::the_machine_must_have_accesses_of_this_width(bytes);
    return result;
  }

  // The banks as such an access sees them. M is its piece of at most a layer: 4 for a float4 on 4-byte banks.
  BANKMODEL_FN constexpr geometry banks(int bytes, direction way) const {
    const service how = served(bytes, way);
    const int piece = bytes == 12 ? 4 : bytes;
    const geometry result{how.bank_num, how.W, how.N, piece < how.W ? piece : how.W};
    result.require_valid();
    return result;
  }

  bool operator==(const machine&) const = default;
};

}  // namespace bankmodel

#endif
