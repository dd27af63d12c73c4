// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_LANES_IN_LINE_HPP
#define BANKMODEL_SEARCH_DETAIL_LANES_IN_LINE_HPP

#include <bankmodel/count/request_taker.hpp>

// Lanes whose addresses were computed one by one.
namespace bankmodel::detail {

// Sets `in_line` and `stride` of lanes whose offsets are set, the lowest active one at the base:
// lanes without gaps in equal steps are in line. Lanes with gaps are not, although their offsets
// may be in equal steps: lanes 0 and 8, one element apart, are no whole number of elements a lane
// apart, and whoever divides the stride gets 0.
BANKMODEL_FN void set_line(lane_pattern& lanes) {
  const int low = trailing_zeros(lanes.active);
  lanes.in_line =
      lanes.active >> low == ~std::uint64_t{0} >> (63 - highest_bit(lanes.active) + low);
  lanes.stride = 0;
  bool is_first = true;
  for (std::uint64_t rest = lanes.active & (lanes.active - 1); rest != 0 && lanes.in_line;
       rest &= rest - 1, is_first = false) {
    const int lane = trailing_zeros(rest);
    if (is_first) lanes.stride = lanes.offset[lane];
    lanes.in_line = lanes.offset[lane] == lanes.stride * (lane - low);
  }
}

}  // namespace bankmodel::detail

#endif
