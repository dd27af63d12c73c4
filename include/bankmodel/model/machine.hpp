// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MODEL_MACHINE_HPP
#define BANKMODEL_MODEL_MACHINE_HPP

#include <bankmodel/model/service.hpp>

#include <cstdint>

#include <bankmodel/core/hide_macros.hpp>

namespace bankmodel {

// When two phases of a request are served as one.
enum class merging : unsigned char {
  none,
  // Phases 2 p and 2 p + 1 are served as one if each active lane i has the same address as lane
  // i ^ 1, or lane i ^ 1 is inactive; or if this holds with lane i ^ 2 (NVIDIA in forum thread
  // 77228; see machines/nvidia.hpp).
  pairs
};

// The limits of a block and of a multiprocessor, from which resident() computes occupancy.
// Shared memory is in bytes; registers have 32 bits. A field that is 0 is unknown.
struct residency {
  int shared_per_multiprocessor = 0;
  int shared_per_block = 0;         // without opting in
  int shared_per_block_opt_in = 0;  // with the kernel attribute that raises the limit
  int shared_granularity = 0;       // a block's bytes are rounded up to a multiple of this
  int shared_reserved = 0;          // bytes that the system adds to each block
  int threads_per_block = 0;
  int threads_per_multiprocessor = 0;
  int warps_per_multiprocessor = 0;
  int blocks_per_multiprocessor = 0;
  int registers_per_multiprocessor = 0;
  // Checked with the block's warps rounded up to register_check_warps.
  int registers_per_block = 0;
  int registers_per_thread = 0;
  int register_granularity = 0;  // a warp's registers are rounded up to a multiple of this
  int register_check_warps = 0;
  int sub_partitions = 0;    // per multiprocessor, each with an equal share of its registers
  int warp_granularity = 1;  // a block's warps are rounded up to a multiple of this
  // Limit for blocks of a single warp, if higher (AMD: no barrier needed); 0: the same.
  int blocks_of_one_warp = 0;
  confidence sure = confidence::low;  // of the least sure of these numbers
  // shared_from: sizes and reserved bytes
  source shared_from = source::own, granularity_from = source::own;
  // residents_from: threads, warps and blocks
  source residents_from = source::own, registers_from = source::own;
};

// How the lanes of a request to global memory share transactions; global/transactions.hpp counts
// them.
enum class coalescing : unsigned char {
  sectors,    // each sector that a lane touches
  lines,      // loads: each line that a lane touches; stores and atomics: each sector
  shrinking,  // compute capability 1.2 and 1.3: segments, shrunk to the halves in use
  in_order    // compute capability 1.0 and 1.1: a segment if lane k accesses word k, else 16
};

// The unit of a global memory transfer and the line of the first cache, in bytes. 0: unknown.
struct global_memory {
  int sector_bytes = 0, line_bytes = 0;
  confidence sure = confidence::low;
  source from = source::own;
  coalescing rule = coalescing::sectors;
  int bytes_together = 0;  // lanes with more bytes than this are served in groups; 0: never
  // Partitions of the memory, each this many bytes wide; 0: unknown, or addresses are hashed.
  int partitions = 0, partition_bytes = 0;
  int most_bytes = 16;  // of one lane in an access
};

// The maker of a machine; it decides the meaning of machine::model.
enum class vendor : unsigned char { other, nvidia, amd };

namespace rule {
[[noreturn]] BANKMODEL_FN void lanes_of_a_machine_must_be_1_to_32_or_64(long long lanes) {
  detail::fail(__func__,
               "the machine's warps have % lanes; set .lanes to 32 as on NVIDIA, to 64 as on many "
               "of AMD's, or to fewer than 32",
               lanes);
}
[[noreturn]] BANKMODEL_FN void bank_width_must_be_one_that_the_machine_offers(long long bytes,
                                                                              long long in_force) {
  detail::fail(__func__,
               "this machine has no banks of % bytes, it has %; use that width (only Kepler "
               "offers a choice, 4 or 8)",
               bytes, in_force);
}
[[noreturn]] BANKMODEL_FN void the_machine_must_have_accesses_of_this_width(long long bytes) {
  detail::fail(__func__,
               "this machine has no access of % bytes per lane; NVIDIA has 1, 2, 4, 8 and 16, "
               "AMD also 12 (gfx6 only up to 8). For a machine of your own, set that width in "
               ".loads and .stores",
               bytes);
}
[[noreturn]] BANKMODEL_FN void the_machine_must_have_such_instructions(long long bytes) {
  detail::fail(__func__,
               "this machine has no such instruction of % bytes per lane; atomics have 4 or 8 "
               "bytes (since compute capability 1.2 and 2.0), ldmatrix and stmatrix 16 (since "
               "7.5 and 9.0), cp.async 4, 8 or 16 (since 8.0), ds_read2 4 or 8 (AMD), ds_read_tr 8 "
               "(gfx950)",
               bytes);
}
}  // namespace rule

// A GPU as data: a record of machines/, or one of your own (validated() checks it;
// machines/compare.hpp has ==).
//
//   machine own;
//   own.lanes = 32;
//   own.loads.up_to_4 = own.stores.up_to_4 = {.bank_num = 32, .W = 4, .N = 4};
//   assert(own.has(4, access_kind::load) && !own.has(8, access_kind::load));
//
// This machine serves accesses of 1, 2 and 4 bytes, each in one phase.
struct machine {
  vendor made_by = vendor::other;
  // NVIDIA: 10 * major + minor of the compute capability. AMD: the hexadecimal number, 0x90a
  // for gfx90a
  int model = 0;
  int lanes = 0;  // lanes of a warp
  services loads = {}, stores = {};
  special_services special = {};
  merging merges_loads = merging::none, merges_stores = merging::none;
  confidence merges_sure = confidence::low;
  source merges_from = source::own;
  int bank_width = 0;        // bytes of a word, as the machine starts
  int other_bank_width = 0;  // the other width that can be selected; 0 if there is none
  residency limits = {};
  global_memory global = {};

  // Returns this machine with its banks switched to words of `bytes` bytes
  // (cudaDeviceSetSharedMemConfig on Kepler).
  // Error: the machine does not offer that width.
  //
  //   static_assert(nvidia::sm_35.with_bank_width(8).bank_width == 8);
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

  // Does nothing if `lanes` is in 1..64. Called by every function that takes a machine.
  // Error: `lanes` is not in 1..64.
  BANKMODEL_FN void require_valid() const {
    if (static_cast<unsigned>(lanes) - 1 >= 32 && lanes != max_lanes)
      rule::lanes_of_a_machine_must_be_1_to_32_or_64(lanes);
  }

  // True if the machine has an instruction of this kind with `bytes` bytes per lane.
  //
  //   static_assert(nvidia::sm_90.has(16, access_kind::load_matrix));
  //   static_assert(!nvidia::sm_90.has(12, access_kind::load));
  BANKMODEL_FN bool has(int bytes, access_kind kind) const {
    return has_width(bytes, kind) && of_width(bytes, kind).bank_num != 0;
  }

  // How requests of this width and kind are served.
  // Error: the machine has no such instruction.
  BANKMODEL_FN service served(int bytes, access_kind kind) const {
    if (!has_width(bytes, kind)) refuse(bytes, kind);
    const service& rules = of_width(bytes, kind);
    if (rules.bank_num == 0) refuse(bytes, kind);
    return is_copy(kind) ? special.copied(rules, least_copied(kind) == 4) : rules;
  }

  // When two phases of such a request are served as one.
  BANKMODEL_FN merging merges(access_kind kind) const {
    return static_cast<int>(kind) > 1    ? merging::none
           : static_cast<int>(kind) == 0 ? merges_loads
                                         : merges_stores;
  }

  // The banks as such an access sees them. M is `bytes` (4 for 12) or W, whichever is smaller:
  // M = 4 for a float4 (16 bytes) on banks with layers of 4 bytes.
  // Error: the machine has no such instruction; its record is not a valid geometry.
  BANKMODEL_FN geometry banks(int bytes, access_kind kind) const {
    return served(bytes, kind).banks(bytes);
  }

 private:
  // True if some machine has such an instruction; of copies, if this one has it.
  BANKMODEL_FN bool has_width(int bytes, access_kind kind) const {
    if (is_copy(kind) && (!special.has_copies || bytes < least_copied(kind))) return false;
    return is_special(kind) ? special_services::is_width(bytes, kind) : services::is_width(bytes);
  }
  // Reports that the machine has no such instruction.
  BANKMODEL_FN static void refuse(int bytes, access_kind kind) {
    if (static_cast<int>(kind) > 1) rule::the_machine_must_have_such_instructions(bytes);
    if (static_cast<int>(kind) < 2) rule::the_machine_must_have_accesses_of_this_width(bytes);
  }
  // True if it is served as none of the others: neither a load nor a store, which are the first
  // two, nor a copy, the last two.
  BANKMODEL_FN static bool is_special(access_kind kind) {
    return static_cast<int>(kind) > 1 && !is_copy(kind);
  }
  BANKMODEL_FN static bool is_copy(access_kind kind) {
    return static_cast<int>(kind) >= static_cast<int>(access_kind::copy);
  }
  // The bytes per lane of the narrowest copy.
  BANKMODEL_FN static int least_copied(access_kind kind) {
    return static_cast<int>(kind) > static_cast<int>(access_kind::copy) ? 16 : 4;
  }
  BANKMODEL_FN const service& of_width(int bytes, access_kind kind) const {
    if (is_special(kind)) return special.of_width(bytes, kind);
    return (static_cast<int>(kind) == 0 ? loads : stores).of_width(bytes);
  }

  BANKMODEL_FN void set_words_of(int bytes) {
    // The services of the machines that have a choice.
    service* const entries[] = {&loads.up_to_4,    &loads.bytes_8,   &loads.bytes_12,
                                &loads.bytes_16,   &stores.up_to_4,  &stores.bytes_8,
                                &stores.bytes_12,  &stores.bytes_16, &special.atomics_4,
                                &special.atomics_8};
    for (service* const entry : entries)
      if (entry->bank_num != 0) entry->N = static_cast<short>(bytes);
  }
};

}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
