// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MODEL_REQUEST_HPP
#define BANKMODEL_MODEL_REQUEST_HPP

#include <bankmodel/model/machine.hpp>

namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void accesses_must_be_aligned_to_their_width(long long address,
                                                                       long long bytes) {
  detail::fail(__func__,
               "an access of % bytes at byte %; make the subscript, the rows or .at() a multiple "
               "of the width",
               bytes, address);
}
}  // namespace rule

// One load, store or other instruction of one warp, with any addresses: a compiler's, a trace's,
// or those of a subscript.
//   address[lane]  first byte that the lane touches, from the start of shared memory; a multiple
//                  of `bytes` (of 4 for 12 bytes). Those of inactive lanes are not read.
//   active         lane 0 in bit 0
//   bytes          that each lane touches: 1, 2, 4, 8 or 16, 12 on AMD
// request r{.active = 0xffffffff, .bytes = 4}; for (int lane = 0; lane < 32; ++lane)
// r.address[lane] = 128 * lane; is a 32-way conflict on sm_90: wavefronts(nvidia::sm_90, r) == 32.
struct request {
  long long address[max_lanes] = {};
  std::uint64_t active = 0;
  int bytes = 4;
  access_kind kind = access_kind::load;
};

// Whether `merging::pairs` applies: each active lane's partner is inactive or has the same address.
BANKMODEL_FN bool lanes_pair_up(const request& r, int lanes, int partner) {
  const std::uint64_t active = r.active & ~std::uint64_t{0} >> (max_lanes - lanes);
  for (int lane = 0; lane < lanes; ++lane)
    if ((active >> lane & 1) != 0 && (active >> (lane ^ partner) & 1) != 0 &&
        r.address[lane] != r.address[lane ^ partner])
      return false;
  return true;
}

// The phases that the machine serves this request in, merged where it does so. `how` is
// m.served(r.bytes, r.kind).
BANKMODEL_FN lane_groups phases_of(const machine& m, const service& how, const request& r) {
  if (how.phases.bits() > 0 && m.merges(r.kind) == merging::pairs &&
      (lanes_pair_up(r, m.lanes, 1) || lanes_pair_up(r, m.lanes, 2)))
    return how.phases.merged();
  return how.phases;
}
BANKMODEL_FN lane_groups phases_of(const machine& m, const request& r) {
  return phases_of(m, m.served(r.bytes, r.kind), r);
}

}  // namespace bankmodel

#endif
