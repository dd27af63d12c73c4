// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MODEL_MACHINE_HPP
#define BANKMODEL_MODEL_MACHINE_HPP

#include <bankmodel/model/geometry.hpp>

#include <cstdint>

namespace bankmodel {

// What an instruction does with shared memory. The first two are what the field calls the
// direction; the others are instructions that a machine serves in another way than its loads and
// stores of that width.
enum class access_kind : unsigned char {
  load,
  store,
  atomic,          // each lane reads and writes its word undisturbed
  load_matrix,     // ldmatrix: 16 bytes a lane, which are a row of an 8 x 8 matrix
  store_matrix,    // stmatrix
  load_pair,       // one half of AMD's ds_read2
  load_transposed  // AMD's ds_read_tr
};

constexpr int max_lanes = 64;  // of a warp: 32 on NVIDIA, 32 or 64 on AMD

// How a warp's lanes are divided into phases. Every grouping that vendors document or people
// measured is a set of cosets: bit b of a lane's phase is the parity of lane & parity_b, and a
// parity of 0 is no bit. So the phases partition the lanes whatever the numbers are.
//   {}         one phase          {16}    two halves of 32 lanes        {8, 16}  quarters: lane 9
//              is in phase 1, 17 in 2
//   {32}       halves of 64       {20, 8} 0-3 with 20-23, 4-7 with 16-19, ... (AMD's 16-byte loads)
struct lane_groups {
  unsigned char parity_0 = 0, parity_1 = 0, parity_2 = 0;

  // How many bits the number of a phase has: 1 << bits() phases.
  BANKMODEL_FN int bits() const {
    return parity_0 == 0 ? 0 : parity_1 == 0 ? 1 : parity_2 == 0 ? 2 : 3;
  }

  // The lanes of one phase, lane 0 in bit 0.
  BANKMODEL_FN std::uint64_t lanes_of(int phase) const {
    std::uint64_t lanes = ~std::uint64_t{0};
    const unsigned char parities[3] = {parity_0, parity_1, parity_2};
    for (int bit = 0; bit < bits(); ++bit)
      lanes &= (phase >> bit & 1) != 0 ? odd_lanes(parities[bit]) : ~odd_lanes(parities[bit]);
    return lanes;
  }

  // Pairs of neighbouring phases as one, by leaving out the first bit: quarters become halves.
  BANKMODEL_FN lane_groups merged() const { return {parity_1, parity_2, 0}; }

  bool operator==(const lane_groups&) const = default;

 private:
  // The lanes whose number has an odd number of bits in common with `parity`.
  BANKMODEL_FN static std::uint64_t odd_lanes(unsigned parity) {
    constexpr std::uint64_t lanes_with_bit[6] = {0xaaaaaaaaaaaaaaaau, 0xccccccccccccccccu,
                                                 0xf0f0f0f0f0f0f0f0u, 0xff00ff00ff00ff00u,
                                                 0xffff0000ffff0000u, 0xffffffff00000000u};
    std::uint64_t lanes = 0;
    for (int bit = 0; bit < 6; ++bit)
      if ((parity >> bit & 1) != 0) lanes ^= lanes_with_bit[bit];
    return lanes;
  }
};

// How sure a fact is: high for documented or measured on such a machine, medium for stated by the
// vendor's staff or measured on a relative, low for inferred.
enum class confidence : unsigned char { low, medium, high };

// Where a fact comes from: one of those that machines/sources.hpp lists, or own, for a machine of
// your own.
enum class source : unsigned char { own = 0 };

// What one pass serves of a phase (phase.hpp counts it).
enum class serving : unsigned char {
  // of each bank one layer, for all lanes that touch it: loads and stores of everything since Fermi
  by_layer,
  by_lane,  // of each bank one lane, whatever the others touch: atomics
  // of one bank a word, for all lanes that touch it, and of each other bank one lane: compute
  // capability 1.x
  by_broadcast
};

// How requests of one width in one direction are served. bank_num 0: the machine has no such
// instruction.
struct service {
  short bank_num = 0;
  short W = 0, N = 0;  // bytes of a layer and of a word
  lane_groups phases = {};
  confidence sure = confidence::low;  // of the least sure of these numbers
  source banks_from = source::own, phases_from = source::own;
  serving serves = serving::by_layer;
  // not 0: each phase once for each piece of so many bytes of its lanes' accesses
  unsigned char piece_bytes = 0;
  // the request takes one pass more than its slowest phase, and not the sum of them
  bool phases_overlap = false;

  // Refuses pieces that the access cannot be divided into, and broadcasts of more than a word.
  BANKMODEL_FN void require_pieces(int bytes) const;

  // The bytes of an access that are served together.
  BANKMODEL_FN int bytes_at_a_time(int bytes) const {
    return piece_bytes != 0 && piece_bytes < bytes ? piece_bytes : bytes;
  }

  // Whether requests are served by the rule at the top of wavefronts.hpp and no other.
  BANKMODEL_FN bool is_plain() const {
    return serves == serving::by_layer && piece_bytes == 0 && !phases_overlap;
  }
  // Whether each request costs the same, whatever is known of either.
  BANKMODEL_FN bool counts_as(const service& other) const {
    return bank_num == other.bank_num && W == other.W && N == other.N && phases == other.phases &&
           serves == other.serves && piece_bytes == other.piece_bytes &&
           phases_overlap == other.phases_overlap;
  }
  bool operator==(const service&) const = default;
};

struct services {
  service up_to_4 = {};  // 1, 2 and 4 bytes a lane
  service bytes_8 = {}, bytes_12 = {}, bytes_16 = {};

  // Whether there may be accesses of so many bytes a lane at all, and how they are served. (No
  // pointers: g++ does not compare those to parts of a temporary in constant expressions.)
  BANKMODEL_FN static bool is_width(int bytes) {
    return bytes > 0 && bytes <= 16 && ((bytes & (bytes - 1)) == 0 || bytes == 12);
  }
  BANKMODEL_FN const service& of_width(int bytes) const {
    return bytes == 8 ? bytes_8 : bytes == 12 ? bytes_12 : bytes == 16 ? bytes_16 : up_to_4;
  }
  BANKMODEL_FN service of(int bytes) const { return is_width(bytes) ? of_width(bytes) : service{}; }

  bool operator==(const services&) const = default;
};

// The same for instructions that are neither loads nor stores.
struct special_services {
  service atomics_4 = {}, atomics_8 = {};            // 4 and 8 bytes a lane
  service matrix_loads = {}, matrix_stores = {};     // rows of 16 bytes
  service paired_loads_4 = {}, paired_loads_8 = {};  // each half of ds_read2_b32 and ds_read2_b64
  service transposed_loads = {};                     // 8 bytes a lane

  BANKMODEL_FN static bool is_width(int bytes, access_kind kind) {
    if (kind == access_kind::load_matrix || kind == access_kind::store_matrix) return bytes == 16;
    return bytes == 8 || (bytes == 4 && kind != access_kind::load_transposed);
  }
  BANKMODEL_FN const service& of_width(int bytes, access_kind kind) const {
    switch (kind) {
      case access_kind::load_matrix: return matrix_loads;
      case access_kind::store_matrix: return matrix_stores;
      case access_kind::load_pair: return bytes == 4 ? paired_loads_4 : paired_loads_8;
      case access_kind::load_transposed: return transposed_loads;
      default: return bytes == 4 ? atomics_4 : atomics_8;
    }
  }
  bool operator==(const special_services&) const = default;
};

// When the phases of one request are served together.
enum class merging : unsigned char {
  none,
  // Two neighbouring phases become one if for each active lane i lane i ^ 1 is inactive or has the
  // same address, or if that holds for each lane with i ^ 2 (NVIDIA in forum thread 77228;
  // machines/nvidia.hpp has more).
  pairs
};

// What limits a block and how many of them are resident on one multiprocessor (occupancy.hpp).
// Shared memory in bytes, registers of 32 bits.
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
  // a block's warps are rounded up to a multiple of register_check_warps for this limit
  int registers_per_block = 0;
  int registers_per_thread = 0;
  int register_granularity = 0;  // a warp's registers are rounded up to a multiple of this
  int register_check_warps = 0;
  // of a multiprocessor, each with an equal part of its registers; a warp lies in one
  int sub_partitions = 0;
  int warp_granularity = 1;  // a block's warps are rounded up to a multiple of this
  // on a multiprocessor, where more of them fit than of others (AMD: they need no barrier); 0: as
  // many
  int blocks_of_one_warp = 0;
  confidence sure = confidence::low;  // of the least sure of these numbers
  // the former: of the sizes and of what is reserved
  source shared_from = source::own, granularity_from = source::own;
  // the former: of threads, warps and blocks
  source residents_from = source::own, registers_from = source::own;
  bool operator==(const residency&) const = default;
};

// How global memory is read: the least that is moved, and what the first cache keeps together. 0:
// not known.
struct global_memory {
  int sector_bytes = 0, line_bytes = 0;
  confidence sure = confidence::low;
  source from = source::own;
  bool operator==(const global_memory&) const = default;
};

enum class vendor : unsigned char { other, nvidia, amd };

namespace rule {
[[noreturn]] BANKMODEL_FN void lanes_of_a_machine_must_be_1_to_64(long long lanes) {
  detail::fail(__func__, "a machine with warps of % lanes; set .lanes to 1 to 64, 32 on NVIDIA",
               lanes);
}
[[noreturn]] BANKMODEL_FN void bank_width_must_be_one_that_the_machine_offers(long long bytes,
                                                                              long long in_force) {
  detail::fail(
      __func__,
      "this machine has no banks of % bytes; it has %, and Kepler alone a choice of 4 and 8", bytes,
      in_force);
}
[[noreturn]] BANKMODEL_FN void the_machine_must_have_accesses_of_this_width(long long bytes) {
  detail::fail(__func__,
               "this machine has no access of % bytes a lane; NVIDIA has 1, 2, 4, 8 and 16, AMD 12 "
               "too (gfx6 only up to 8). Of a machine of "
               "your own set that width in .loads and .stores",
               bytes);
}
[[noreturn]] BANKMODEL_FN void the_machine_must_have_such_instructions(long long bytes) {
  detail::fail(__func__,
               "this machine has no such instruction of % bytes a lane; atomics take 4 or 8 bytes "
               "(since compute capability 1.2 and 2.0), ldmatrix "
               "and stmatrix 16 (since 7.5 and 9.0), ds_read2 4 or 8 (AMD), ds_read_tr 8 (gfx950)",
               bytes);
}
[[noreturn]] BANKMODEL_FN void accesses_must_divide_into_their_pieces(long long bytes,
                                                                      long long piece,
                                                                      long long N) {
  detail::fail(__func__,
               "an access of % bytes in pieces of % on words of %; set .piece_bytes to a power of "
               "two that divides it, and for serving::by_broadcast "
               "to at most a word, with W equal to N (which no access of 12 bytes can have)",
               bytes, piece, N);
}
}  // namespace rule

BANKMODEL_FN void service::require_pieces(int bytes) const {
  const int piece = bytes_at_a_time(bytes);
  const bool divides =
      piece_bytes == 0 || ((piece_bytes & (piece_bytes - 1)) == 0 && bytes % piece == 0);
  if (!divides || (serves == serving::by_broadcast && (piece > N || W != N || bytes == 12)))
    rule::accesses_must_divide_into_their_pieces(bytes, piece, N);
}

// A GPU as data: a record of machines/, or one of your own.
//   machine one; one.lanes = 32; one.loads.up_to_4 = one.stores.up_to_4 = {.bank_num = 32, .W = 4,
//   .N = 4};
// takes accesses of 1, 2 and 4 bytes, in one phase.
struct machine {
  vendor made_by = vendor::other;
  // NVIDIA: 10 * major + minor of the compute capability. AMD: the number of gfx90a as
  // hexadecimal, 0x90a
  int model = 0;
  int lanes = 0;  // of a warp
  services loads = {}, stores = {};
  special_services special = {};
  merging merges_loads = merging::none, merges_stores = merging::none;
  confidence merges_sure = confidence::low;
  source merges_from = source::own;
  int bank_width = 0;        // bytes of a bank's word as the machine starts
  int other_bank_width = 0;  // the other one that can be chosen, 0 if none
  residency limits = {};
  global_memory global = {};

  // The same machine with its banks switched to words of that many bytes: Kepler's
  // cudaDeviceSetSharedMemConfig. sm_35.with_bank_width(8).
  BANKMODEL_FN machine with_bank_width(int bytes) const {
    if (bytes == bank_width) return *this;
    if (bytes == 0 || bytes != other_bank_width)
      rule::bank_width_must_be_one_that_the_machine_offers(bytes, bank_width);
    machine result = *this;
    result.set_words_of(bytes);
    result.bank_width = bytes;
    result.other_bank_width = bank_width;
    return result;
  }

  // Refuses lanes that no warp has. Every function that takes a machine calls it.
  BANKMODEL_FN void require_valid() const {
    if (lanes < 1 || lanes > max_lanes) rule::lanes_of_a_machine_must_be_1_to_64(lanes);
  }

  // Whether the machine has such an instruction of that many bytes a lane: sm_90.has(16,
  // direction::load_matrix), not of 12 bytes.
  BANKMODEL_FN bool has(int bytes, access_kind kind) const {
    return (kind > access_kind::store ? special_services::is_width(bytes, kind)
                                      : services::is_width(bytes)) &&
           of_width(bytes, kind).bank_num != 0;
  }

  // How such a request is served; refused where the machine has no such instruction. It is part of
  // this machine.
  BANKMODEL_FN const service& served(int bytes, access_kind kind) const& {
    if (!has(bytes, kind)) refuse(bytes, kind);
    return of_width(bytes, kind);
  }
  BANKMODEL_FN service served(int bytes, access_kind kind) const&& {
    const machine& lasting = *this;
    return lasting.served(bytes, kind);
  }

  // When the phases of such a request are served together.
  BANKMODEL_FN merging merges(access_kind kind) const {
    return kind == access_kind::load    ? merges_loads
           : kind == access_kind::store ? merges_stores
                                        : merging::none;
  }

  // The banks as such an access sees them. M is its piece of at most a layer: 4 for a float4 on
  // 4-byte banks.
  BANKMODEL_FN geometry banks(int bytes, access_kind kind) const {
    const service& how = served(bytes, kind);
    if (!how.is_plain()) how.require_pieces(bytes);
    const int piece = bytes == 12 ? 4 : bytes;
    const geometry result{how.bank_num, how.W, how.N, piece < how.W ? piece : how.W};
    result.require_valid();
    return result;
  }

  bool operator==(const machine&) const = default;

 private:
  // Names the rule that is broken.
  BANKMODEL_FN static void refuse(int bytes, access_kind kind) {
    if (kind <= access_kind::store) rule::the_machine_must_have_accesses_of_this_width(bytes);
    if (kind > access_kind::store) rule::the_machine_must_have_such_instructions(bytes);
  }
  BANKMODEL_FN const service& of_width(int bytes, access_kind kind) const {
    return kind > access_kind::store ? special.of_width(bytes, kind)
                                     : (kind == access_kind::load ? loads : stores).of_width(bytes);
  }

  BANKMODEL_FN void set_words_of(int bytes) {
    service* const each[] = {&loads.up_to_4, &loads.bytes_8, &loads.bytes_12, &loads.bytes_16,
                             &stores.up_to_4, &stores.bytes_8, &stores.bytes_12,
                             // those of the machines that have a choice
                             &stores.bytes_16, &special.atomics_4, &special.atomics_8};
    for (service* const one : each)
      if (one->bank_num != 0) one->N = static_cast<short>(bytes);
  }
};

}  // namespace bankmodel

#endif
