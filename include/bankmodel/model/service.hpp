// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MODEL_SERVICE_HPP
#define BANKMODEL_MODEL_SERVICE_HPP

#include <bankmodel/model/geometry.hpp>

#include <bankmodel/core/hide_macros.hpp>

// How a machine serves requests of one width and kind: kinds of access, phases, services.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void accesses_must_divide_into_their_pieces(long long bytes,
                                                                      long long piece,
                                                                      long long N) {
  detail::fail(__func__,
               "an access of % bytes in pieces of % on words of % is not possible; set "
               ".piece_bytes to a power of two that divides it, and for serving::by_broadcast "
               "to at most a word, with W equal to N (which no access of 12 bytes can have)",
               bytes, piece, N);
}
}  // namespace rule

namespace detail {

// True if two enumerators are equal. For each `a == b` clang compares the types with every built-in
// operator, which costs it half a million instructions.
template <class Enum>
BANKMODEL_FN bool same(Enum a, Enum b) {
  return static_cast<int>(a) == static_cast<int>(b);
}

}  // namespace detail

// The kind of an instruction on shared memory. `load` and `store` are ordinary accesses; a
// machine's record has a service for each of the others.
enum class access_kind : unsigned char {
  load,
  store,
  atomic,           // an atomic read-modify-write of each lane's word
  load_matrix,      // ldmatrix: 16 bytes per lane, one row of an 8 x 8 matrix
  store_matrix,     // stmatrix: 16 bytes per lane, one row of an 8 x 8 matrix
  load_pair,        // one of the two reads of AMD's ds_read2
  load_transposed,  // AMD's ds_read_tr
  copy,             // cp.async.ca: the write to shared memory; its source is in model/copy.hpp
  copy_uncached     // cp.async.cg, past the first cache
};

constexpr int max_lanes = 64;  // the largest warp: 32 lanes on NVIDIA, 32 or 64 on AMD

// The partition of a warp's lanes into phases. Every grouping that vendors document or that has
// been measured is a set of cosets: bit b of a lane's phase number is the parity (the XOR of
// all bits) of lane & parity_b. A parity of 0 means that there is no such bit. Any values give
// a partition.
//
//   {}         one phase          {16}    two halves of 32 lanes        {8, 16}  quarters
//   {32}       halves of 64       {20, 8} 0-3 with 20-23, 4-7 with 16-19, .. (AMD's 16-byte loads)
//
// Example:
//
//   constexpr lane_groups quarters{8, 16};
//   static_assert((quarters.lanes_of(1) >> 9 & 1) == 1 && (quarters.lanes_of(2) >> 17 & 1) == 1);
struct lane_groups {
  unsigned char parity_0 = 0, parity_1 = 0, parity_2 = 0;

  // The number of bits of a phase number, 0 to 3; there are 1 << bits() phases.
  BANKMODEL_FN int bits() const {
    return parity_0 == 0 ? 0 : parity_1 == 0 ? 1 : parity_2 == 0 ? 2 : 3;
  }

  // The lanes of one phase as a bit mask, lane 0 in bit 0: lanes_of(1) of {16} has bits 16 to
  // 31 and 48 to 63.
  // Requires: 0 <= phase < 1 << bits().
  BANKMODEL_FN std::uint64_t lanes_of(int phase) const {
    std::uint64_t lanes = ~std::uint64_t{0};
    const unsigned char parities[3] = {parity_0, parity_1, parity_2};
    for (int bit = 0; bit < bits(); ++bit)
      lanes &= (phase >> bit & 1) != 0 ? odd_lanes(parities[bit]) : ~odd_lanes(parities[bit]);
    return lanes;
  }

  // The partition in which phases 2 p and 2 p + 1 are one phase: quarters become halves.
  BANKMODEL_FN lane_groups merged() const { return {parity_1, parity_2, 0}; }

  BANKMODEL_FN bool operator==(const lane_groups& other) const {
    return parity_0 == other.parity_0 && parity_1 == other.parity_1 && parity_2 == other.parity_2;
  }

 private:
  // The lanes for which lane & parity has an odd number of 1-bits.
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

// How certain a fact is. high: documented, or measured on such a machine. medium: stated by the
// vendor's staff, or measured on a related machine. low: inferred.
enum class confidence : unsigned char { low, medium, high };

// The source of a fact: a key of machines/sources.hpp, or `own` for a machine of your own.
enum class source : unsigned char { own = 0 };

// The lanes that a single pass can serve within one phase (counted in phase.hpp).
enum class serving : unsigned char {
  by_layer,  // one layer of each bank, for all lanes that touch it: loads and stores since Fermi
  by_lane,   // one lane of each bank, even if lanes share an address: atomics
  by_broadcast,  // one word for all lanes that touch it, and one lane of each other bank: 1.x
  by_copy,       // as by_lane, but lanes that share an address are conflicts: cp.async
  at_once,       // all lanes, whatever their addresses: cp.async past the first cache
  // As by_layer, for the lanes whose addresses have one remainder modulo 16. Lanes with another
  // remainder are served apart, which is no conflict: gfx950's 12-byte loads.
  by_alignment
};

// How a machine serves requests of one width and kind. bank_num == 0 means that the machine has
// no such instruction.
struct service {
  short bank_num = 0;
  short W = 0, N = 0;  // bytes of a layer and of a word
  lane_groups phases = {};
  confidence sure = confidence::low;  // of the least sure of these numbers
  source banks_from = source::own, phases_from = source::own;
  serving serves = serving::by_layer;
  // If not 0, wide accesses are split, and each phase is served once per piece of this many
  // bytes.
  unsigned char piece_bytes = 0;
  // The request takes one pass more than its slowest phase, instead of the sum.
  bool phases_overlap = false;

  // Does nothing if an access of `bytes` bytes can be served as recorded.
  // Error: piece_bytes does not divide the access; with serving::by_broadcast, a piece is
  // larger than a word or W != N.
  BANKMODEL_FN void require_pieces(int bytes) const {
    const int piece = bytes_at_a_time(bytes);
    const bool divides =
        piece_bytes == 0 || ((piece_bytes & (piece_bytes - 1)) == 0 && bytes % piece == 0);
    if (!divides ||
        (detail::same(serves, serving::by_broadcast) && (piece > N || W != N || bytes == 12)))
      rule::accesses_must_divide_into_their_pieces(bytes, piece, N);
  }

  // The banks as an access of `bytes` bytes sees them: as machine::banks().
  // Error: it cannot be served as recorded; the record is not a valid geometry.
  BANKMODEL_FN geometry banks(int bytes) const {
    if (!is_plain()) require_pieces(bytes);
    const int piece = bytes == 12 ? 4 : bytes;
    const geometry result{bank_num, W, N, piece < W ? piece : W};
    result.require_valid();
    return result;
  }

  // The number of bytes of an access that are served together: piece_bytes, or `bytes` if it is
  // smaller.
  BANKMODEL_FN int bytes_at_a_time(int bytes) const {
    return piece_bytes != 0 && piece_bytes < bytes ? piece_bytes : bytes;
  }

  // True if requests are served by the plain rule at the top of wavefronts.hpp.
  BANKMODEL_FN bool is_plain() const {
    return static_cast<int>(serves) == 0 && piece_bytes == 0 && !phases_overlap;
  }
  // True if both serve every request at the same cost; confidence and sources are ignored.
  BANKMODEL_FN bool counts_as(const service& other) const {
    return bank_num == other.bank_num && W == other.W && N == other.N && phases == other.phases &&
           detail::same(serves, other.serves) && piece_bytes == other.piece_bytes &&
           phases_overlap == other.phases_overlap;
  }
};

// How a machine serves its loads, or its stores, by width.
struct services {
  service up_to_4 = {};  // 1, 2 and 4 bytes per lane
  service bytes_8 = {}, bytes_12 = {}, bytes_16 = {};

  // is_width(): true if `bytes` per lane is a width that some machine has (1, 2, 4, 8, 12, 16).
  // of_width(): how accesses of that width are served; requires is_width(bytes).
  // service_for(): a copy of it, or service{} if there is no such width. (No pointers to members
  // here: g++ cannot compare pointers into a temporary in constant expressions.)
  BANKMODEL_FN static bool is_width(int bytes) {
    constexpr unsigned widths = 1 << 1 | 1 << 2 | 1 << 4 | 1 << 8 | 1 << 12 | 1 << 16;
    return bytes >= 0 && bytes <= 16 && (widths >> bytes & 1) != 0;
  }
  BANKMODEL_FN const service& of_width(int bytes) const {
    return bytes == 8 ? bytes_8 : bytes == 12 ? bytes_12 : bytes == 16 ? bytes_16 : up_to_4;
  }
  BANKMODEL_FN service service_for(int bytes) const {
    return is_width(bytes) ? of_width(bytes) : service{};
  }
};

// How a machine serves instructions that are neither plain loads nor plain stores.
struct special_services {
  service atomics_4 = {}, atomics_8 = {};         // 4 and 8 bytes per lane
  service matrix_loads = {}, matrix_stores = {};  // rows of 16 bytes
  // Each of the two reads of ds_read2_b32 and ds_read2_b64.
  service paired_loads_4 = {}, paired_loads_8 = {};
  service transposed_loads = {};  // 8 bytes per lane
  // cp.async and cp.async past the first cache: in the banks and phases of stores, but served so.
  bool has_copies = false;
  serving copies = serving::by_copy, copies_uncached = serving::at_once;
  confidence copies_sure = confidence::low;
  source copies_from = source::own;

  // How copies are served where stores are served as `stores` says.
  BANKMODEL_FN service copied(const service& stores, bool is_cached) const {
    return {stores.bank_num, stores.W,          stores.N,    stores.phases,
            copies_sure,     stores.banks_from, copies_from, is_cached ? copies : copies_uncached};
  }
  // is_width() and of_width(): of any kind but copies.
  BANKMODEL_FN static bool is_width(int bytes, access_kind kind) {
    if (detail::same(kind, access_kind::load_matrix) ||
        detail::same(kind, access_kind::store_matrix))
      return bytes == 16;
    return bytes == 8 || (bytes == 4 && !detail::same(kind, access_kind::load_transposed));
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
};

}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
