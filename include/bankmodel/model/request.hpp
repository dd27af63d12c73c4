// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MODEL_REQUEST_HPP
#define BANKMODEL_MODEL_REQUEST_HPP

#include <bankmodel/model/machine.hpp>

namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void accesses_must_be_aligned_to_their_width(long long address,
                                                                       long long bytes) {
  detail::fail(__func__,
               "an access of % bytes at byte % is not aligned; make the subscript, the row "
               "length or .at() a multiple of the access width",
               bytes, address);
}
[[noreturn]] BANKMODEL_FN void active_lanes_must_be_of_the_warp(long long lane, long long lanes) {
  detail::fail(__func__,
               "lane % is active in a request to a machine whose warps have % lanes; clear this "
               "and all higher bits of .active",
               lane, lanes);
}
[[noreturn]] BANKMODEL_FN void addresses_of_a_request_must_not_be_negative(long long lane,
                                                                           long long address) {
  detail::fail(__func__,
               "lane % accesses byte %; count bytes from the start of shared memory, or clear the "
               "lane's bit of .active",
               lane, address);
}
}  // namespace rule

// One load, store or other instruction of one warp, with any addresses: from a compiler, a
// trace, or a subscript.
//
//   address[lane]  the first byte that the lane touches, counted from the start of shared memory; a
//                  multiple of `bytes` (of 4 if bytes is 12), not negative. Not read for inactive
//                  lanes.
//   active         bit mask of active lanes, lane 0 in bit 0; only lanes that the machine has
//   bytes          bytes that each lane touches: 1, 2, 4, 8 or 16, and 12 on AMD
//   kind           the kind of instruction
//
// Example: a 32-way conflict:
//
//   request r{.active = 0xffffffff, .bytes = 4};
//   for (int lane = 0; lane < 32; ++lane) r.address[lane] = 128 * lane;
//   assert(wavefronts(nvidia::sm_90, r) == 32);
struct request {
  long long address[max_lanes] = {};
  std::uint64_t active = 0;
  int bytes = 4;
  access_kind kind = access_kind::load;
};

// True if each active lane has the same address as lane `lane ^ partner`, or that lane is
// inactive: the condition of merging::pairs, with partner 1 or 2. `lanes` is the machine's
// number of lanes.
BANKMODEL_FN bool lanes_pair_up(const request& r, int lanes, int partner) {
  const std::uint64_t active = r.active & ~std::uint64_t{0} >> (max_lanes - lanes);
  for (int lane = 0; lane < lanes; ++lane)
    if ((active >> lane & 1) != 0 && (active >> (lane ^ partner) & 1) != 0 &&
        r.address[lane] != r.address[lane ^ partner])
      return false;
  return true;
}

// The phases of this request on this machine, after merging. `rules` is m.served(r.bytes, r.kind).
// Error (second form): the machine has no such instruction.
BANKMODEL_FN lane_groups phases_of(const machine& m, const service& rules, const request& r) {
  if (rules.phases.bits() > 0 && detail::same(m.merges(r.kind), merging::pairs) &&
      (lanes_pair_up(r, m.lanes, 1) || lanes_pair_up(r, m.lanes, 2)))
    return rules.phases.merged();
  return rules.phases;
}
BANKMODEL_FN lane_groups phases_of(const machine& m, const request& r) {
  return phases_of(m, m.served(r.bytes, r.kind), r);
}

}  // namespace bankmodel

#endif
