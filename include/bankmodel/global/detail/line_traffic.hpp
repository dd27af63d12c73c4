// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_GLOBAL_DETAIL_LINE_TRAFFIC_HPP
#define BANKMODEL_GLOBAL_DETAIL_LINE_TRAFFIC_HPP

#include <bankmodel/global/transactions.hpp>

// The traffic of neighbouring lanes whose addresses are in equal steps, without looking at each
// lane.
//
// Lanes in steps of a unit or more touch one unit each, since an access is aligned and not wider.
// Lanes in smaller steps leave out no unit between the first and the last one.
namespace bankmodel::detail {

class line_traffic {
 public:
  BANKMODEL_FN line_traffic(const machine& m, int bytes, access_kind kind)
      : memory_(m.global),
        bytes_(bytes),
        group_(lanes_together(m, bytes)),
        unit_(unit_of(m.global, kind)) {}

  // True if this form holds for such accesses.
  BANKMODEL_FN bool usable() const {
    return !serves_half_warps(memory_) && bytes_ <= memory_.sector_bytes && is_power_of_two(bytes_);
  }

  // Of `lanes` lanes from number `low` on; the first one is at byte `base`.
  // Requires: usable().
  BANKMODEL_FN memory_traffic traffic(int low, int lanes, long long stride, long long base) const {
    const long long step = stride < 0 ? -stride : stride;
    memory_traffic result;
    result.requests = 1;
    for (int first = 0; first < lanes;) {
      const int left = group_ - (low + first) % group_,
                group_lanes = left < lanes - first ? left : lanes - first;
      const long long begin = base + stride * first, end = begin + stride * (group_lanes - 1),
                      lowest = end < begin ? end : begin;
      const long long transactions = units(lowest, step, group_lanes, unit_);
      result.transactions += static_cast<std::uint64_t>(transactions);
      result.ideal += static_cast<std::uint64_t>((used(step, group_lanes) + unit_ - 1) / unit_);
      result.lines +=
          static_cast<std::uint64_t>(units(lowest, step, group_lanes, memory_.line_bytes));
      first += group_lanes;
    }
    result.bytes_moved = result.transactions * static_cast<std::uint64_t>(unit_);
    result.bytes_used = static_cast<std::uint64_t>(used(step, lanes));
    return result;
  }

 private:
  BANKMODEL_FN long long units(long long lowest, long long step, int lanes, int unit) const {
    if (step >= unit) return lanes;
    const int shift = trailing_zeros(static_cast<std::uint64_t>(unit));
    return ((lowest + step * (lanes - 1) + bytes_ - 1) >> shift) - (lowest >> shift) + 1;
  }
  // The different bytes.
  BANKMODEL_FN long long used(long long step, int lanes) const {
    return step >= bytes_ ? static_cast<long long>(lanes) * bytes_ : bytes_;
  }

  const global_memory& memory_;
  int bytes_, group_, unit_;
};

}  // namespace bankmodel::detail

#endif
