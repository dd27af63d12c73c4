// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REQUEST_HPP
#define BANKMODEL_REQUEST_HPP

#include <bankmodel/machine.hpp>

namespace bankmodel {

// One load or store instruction of one warp, with any addresses: a compiler's, a trace's, or those of a subscript.
//   address[lane]  first byte that the lane touches, from the start of shared memory; a multiple of `bytes` (of 4 for
//                  12 bytes). Those of inactive lanes are not read.
//   active         lane 0 in bit 0
//   bytes          that each lane touches: 1, 2, 4, 8 or 16, 12 on AMD
// request r{.active = 0xffffffff, .bytes = 4}; for (int lane = 0; lane < 32; ++lane) r.address[lane] = 128 * lane;
// is a 32-way conflict on sm_90: wavefronts(nvidia::sm_90, r) == 32.
struct request {
  long long address[max_lanes] = {};
  std::uint64_t active = 0;
  int bytes = 4;
  direction way = direction::load;
};

}  // namespace bankmodel

#endif
