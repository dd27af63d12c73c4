// SPDX-License-Identifier: MIT
// Instructions for units beside the warps: what these may have changed becomes unknown.
#include <algorithm>

#include "executor.hpp"

namespace compiled {

// Executed by `lanes`, or perhaps.
void executor::use_unit(warp& current, const step& action, std::uint64_t lanes) {
  const instruction& code = *action.code;
  std::vector<place>& places = units_[code.unit];
  if (!includes(places, code.location)) places.push_back(code.location);
  recorder_.begin_stretch();
  const int changed = origins_.intern(code.description, code.location);
  if (code.may_access_global) data_.store_anywhere();
  if (code.may_access_shared) forget_shared(current, changed);
  if (action.operands.empty()) {
    arrays_of_units_.insert(-1);
    return;
  }
  const lane_values address = operand_of(current, action, 0);
  constexpr std::uint64_t object_bytes = 8;
  const bool is_object = code.unit == memory_unit::barrier_object;
  if ((address.unknown & lanes) != 0) {
    arrays_of_units_.insert(-1);
    if (is_object) forget_shared(current, changed);
  }
  for_each_lane(lanes & ~address.unknown, [&](int lane) {
    const bool is_in_window = (address[lane] & window_mask) == shared_window;
    const std::uint64_t byte = is_in_window ? address[lane] & ~window_mask : address[lane];
    const int array = prepared_.shared().array_at(byte, 1);
    if (array < 0) return;  // in another block of the cluster
    arrays_of_units_.insert(array);
    if (is_object) shared_.forget(byte, std::min(object_bytes, shared_.size() - byte), changed);
  });
}

}  // namespace compiled
