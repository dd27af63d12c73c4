// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MODEL_WAVEFRONTS_HPP
#define BANKMODEL_MODEL_WAVEFRONTS_HPP

#include <bankmodel/model/cost.hpp>
#include <bankmodel/model/phase.hpp>
#include <bankmodel/model/progression.hpp>

// The model, by counting. Everything else in the library computes the same numbers faster.
//
//   bank(a) = (a / N) mod bank_num      layer(a) = a / (bank_num * W)
//   degree of a phase = the most distinct layers that its active lanes touch in one bank
//   wavefronts        = the sum of the degrees of the phases
//
// Exceptions to this rule are data in the machine's record: see `serving`, `piece_bytes` and
// `phases_overlap` in machine.hpp.
namespace bankmodel {

namespace detail {

// Collects the addresses of the given lanes, each advanced by `offset` bytes. Returns how many
// there are.
BANKMODEL_FN int gather(const request& r, std::uint64_t lanes, int offset, int lanes_of_machine,
                        long long* address) {
  int count = 0;
  for (int lane = 0; lane < lanes_of_machine; ++lane)
    if ((lanes >> lane & 1) != 0) address[count++] = r.address[lane] + offset;
  return count;
}

// The cost of a request whose phases overlap in time: one pass more than its slowest phase
// (Fermi's 16 bytes per lane: CUDA C Programming Guide 4.2, F.4.3.3). `serial` is the cost if they
// did not overlap.
BANKMODEL_FN cost overlapped(cost serial) {
  if (serial.requests == 0) return serial;
  ++serial.degree;
  serial.wavefronts = static_cast<std::uint64_t>(serial.degree);
  serial.ideal = 2;
  return serial;
}

// The first bank with the most layers or lanes, for a phase of that degree. (A bank may have more
// lanes than the phase has passes, but not more layers.)
BANKMODEL_FN int fullest(const service& rules, const geometry& g, const int* in_bank, int degree) {
  const int most = same(rules.serves, serving::by_layer) ? degree : max_lanes;
  int result = 0;
  for (int bank = 1; bank < g.bank_num && in_bank[result] < most; ++bank)
    if (in_bank[bank] > in_bank[result]) result = bank;
  return result;
}

// A piece of a phase: its lanes, the first byte of their accesses that it serves, its passes, and
// the first bank that has most layers or lanes.
struct served_piece {
  int phase = 0, offset = 0, passes = 0, bank = 0;
  std::uint64_t lanes = 0;
};

// The cost of a request with aligned addresses. `rules` is m.served(r.bytes, r.kind), `g` is
// m.banks(r.bytes, r.kind), and `phases` is phases_of(m, rules, r). Sets `worst`, unless it is
// null, to the first piece with the most passes.
BANKMODEL_FN cost count_passes(const machine& m, const service& rules, const geometry& g,
                               const request& r, const lane_groups& phases, served_piece* worst) {
  const int piece = rules.bytes_at_a_time(r.bytes);
  cost sum{};
  sum.method = method::each_request;
  for (int phase = 0; phase < 1 << phases.bits(); ++phase) {
    const std::uint64_t lanes = r.active & phases.lanes_of(phase);
    for (int offset = 0; offset < r.bytes; offset += piece) {
      long long gathered[max_lanes];
      const bool is_all = offset == 0 && lanes == ~std::uint64_t{0} >> (max_lanes - m.lanes);
      const long long* const address = is_all ? r.address : gathered;
      const int count = is_all ? m.lanes : gather(r, lanes, offset, m.lanes, gathered);
      if (count == 0) break;
      int in_bank[max_banks];
      const int degree = count_passes_of_phase(rules.serves, g, address, count, piece, in_bank);
      sum.requests = 1;
      sum.wavefronts += static_cast<std::uint64_t>(degree);
      sum.ideal += static_cast<std::uint64_t>(
          fewest_passes_of_phase(rules.serves, g, address, count, r.bytes));
      if (degree <= sum.degree) continue;
      sum.degree = degree;
      if (worst != nullptr)
        *worst = {phase, offset, degree, fullest(rules, g, in_bank, degree), lanes};
    }
  }
  return rules.phases_overlap ? overlapped(sum) : sum;
}
BANKMODEL_FN cost count_passes(const machine& m, const service& rules, const geometry& g,
                               const request& r) {
  return count_passes(m, rules, g, r, phases_of(m, rules, r), nullptr);
}

// Error: a lane is active that the warp does not have; its address is negative or not aligned.
BANKMODEL_FN void require_lanes(const machine& m, const request& r) {
  const std::uint64_t excess = m.lanes == max_lanes ? 0 : r.active >> m.lanes;
  if (excess != 0)
    rule::active_lanes_must_be_of_the_warp(m.lanes + trailing_zeros(excess), m.lanes);
  const long long alignment = r.bytes == 12 ? 4 : r.bytes,
                  wrong = ~(int64_max >> 1) | (alignment - 1);
  long long bits = 0;  // of all addresses: usually one test of all of them is enough
  for (int lane = 0; lane < m.lanes; ++lane)
    bits |= r.address[lane] & -static_cast<long long>(r.active >> lane & 1);
  for (int lane = 0; (bits & wrong) != 0 && lane < m.lanes; ++lane) {
    if ((r.active >> lane & 1) == 0) continue;
    const long long address = r.address[lane];
    if (address < 0) rule::addresses_of_a_request_must_not_be_negative(lane, address);
    if ((address & (alignment - 1)) != 0)
      rule::accesses_must_be_aligned_to_their_width(address, r.bytes);
    (void)checked_add(address, r.bytes);
  }
}

}  // namespace detail

// Returns the cost of one request on `m`; all zero if no lane is active.
// Error: the machine has no access of this width and kind; a lane is active that its warps do not
// have; the address of an active lane is negative, not a multiple of the width (of 4 for 12 bytes)
// or overflows 64 bits.
// Example:
//
//   request r{.active = 0xffffffff, .bytes = 4};
//   for (int lane = 0; lane < 32; ++lane) r.address[lane] = 128 * lane;
//   assert((total(nvidia::sm_90, r) == cost{1, 32, 1, 32}));
BANKMODEL_FN cost total(const machine& m, const request& r) {
  m.require_valid();
  const service rules = m.served(r.bytes, r.kind);
  cost result;
  if (!detail::cost_of_progression(m, rules, r, result)) {
    const geometry g = rules.banks(r.bytes);
    detail::require_lanes(m, r);
    result = detail::count_passes(m, rules, g, r);
  }
  return result;
}

// Returns the number of passes that one request takes on `m`: total(m, r).wavefronts.
// Error: as for total().
BANKMODEL_FN int wavefronts(const machine& m, const request& r) {
  return static_cast<int>(total(m, r).wavefronts);
}

}  // namespace bankmodel

#endif
