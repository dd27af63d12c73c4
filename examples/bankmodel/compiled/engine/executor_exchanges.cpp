// SPDX-License-Identifier: MIT
// What lanes of a warp tell each other.
#include <algorithm>
#include <array>

#include "executor.hpp"

namespace compiled {

// PTX's shfl.sync: from[2] has the end of a segment in its low bits, and the segment's mask above.
void executor::shuffle(warp& of, const step& one, std::uint64_t active) {
  const instruction& does = *one.does;
  const lane_values given = operand_of(of, one, 0), by = operand_of(of, one, 1),
                    clamp = operand_of(of, one, 2);
  const int lane_mask = kernel_.lanes - 1;
  std::array<std::uint64_t, most_lanes> value{};
  std::uint64_t in_range = 0, unknown_range = 0, unknown = 0;
  int origin = given.origin, range_origin = by.origin;
  for_each_lane(active, [&](int lane) {
    const std::uint64_t bit = std::uint64_t{1} << lane;
    if (has(by.unknown | clamp.unknown, lane)) {
      unknown_range |= bit;
      range_origin = has(by.unknown, lane) ? by.origin : clamp.origin;
      return;
    }
    const int distance = static_cast<int>(by[lane]) & lane_mask;
    const int end = static_cast<int>(clamp[lane]) & lane_mask;
    const int segment = static_cast<int>(clamp[lane] >> 8) & lane_mask;
    const int lowest = lane & segment;
    const int highest = lowest | (end & ~segment);
    int source = lane;
    bool is_in_range = true;
    switch (does.shuffle) {
      case shuffle_kind::up:
        source = lane - distance;
        is_in_range = source >= highest;
        break;
      case shuffle_kind::down:
        source = lane + distance;
        is_in_range = source <= highest;
        break;
      case shuffle_kind::butterfly:
        source = lane ^ distance;
        is_in_range = source <= highest;
        break;
      case shuffle_kind::index:
        source = lowest | (distance & ~segment);
        is_in_range = source <= highest;
        break;
    }
    if (is_in_range) in_range |= bit;
    if (!is_in_range) source = lane;
    if (!has(active, source)) {
      unknown |= bit;
      origin = origins_.of("a shuffle from a lane that does not take part", does.where);
    } else if (has(given.unknown, source)) {
      unknown |= bit;
      origin = given.origin;
    } else {
      value[static_cast<std::size_t>(lane)] = given[source] & low_bits(does.bits);
    }
  });
  unknown |= unknown_range;
  if (unknown_range != 0) origin = range_origin;
  std::uint64_t* const to = of.registers.values(does.to[0]);
  for_each_lane(active, [&](int lane) { to[lane] = value[static_cast<std::size_t>(lane)]; });
  of.registers.mark(does.to[0], active, unknown, origin);
  if (does.to.size() < 2) return;
  std::uint64_t* const range = of.registers.values(does.to[1]);
  for_each_lane(active, [&](int lane) { range[lane] = in_range >> lane & 1; });
  of.registers.mark(does.to[1], active, unknown_range, range_origin);
}

// from[1], if present, is the mask of the lanes that take part: those with one mask vote together.
void executor::vote(warp& of, const step& one, std::uint64_t active) {
  if (one.from.size() < 2) return vote_of(of, one, active, active);
  const lane_values mask = operand_of(of, one, 1);
  for (std::uint64_t left = active; left != 0;) {
    const int first = std::countr_zero(left);
    std::uint64_t group = 0;
    for_each_lane(left, [&](int lane) {
      const bool is_same = has(mask.unknown, first)
                               ? has(mask.unknown, lane)
                               : !has(mask.unknown, lane) && mask[lane] == mask[first];
      if (is_same) group |= std::uint64_t{1} << lane;
    });
    vote_of(of, one, group, active);
    left &= ~group;
  }
}

// Of the lanes in `group`. Lanes that its mask names and that are elsewhere would be waited for.
void executor::vote_of(warp& of, const step& one, std::uint64_t group, std::uint64_t active) {
  const instruction& does = *one.does;
  std::uint64_t voters = active;
  std::uint64_t yes = 0, unknown = 0;
  int origin = 0;
  bool is_unknown = is_possible_;
  if (is_possible_) origin = possible_origin_;
  if (one.from.size() > 1) {
    const lane_values mask = operand_of(of, one, 1);
    const int first = std::countr_zero(group);
    if (has(mask.unknown, first)) {
      is_unknown = true;
      origin = mask.origin;
    } else {
      const std::uint64_t named = mask[first];
      if ((named & of.live & ~active) != 0) {
        is_unknown = true;
        origin = origins_.of("a vote of lanes that are not all there", does.where);
      }
      voters &= named;
    }
  }
  if (does.vote != vote_kind::active_mask) {
    const lane_values given = operand_of(of, one, 0);
    unknown = given.unknown & voters;
    for_each_lane(voters & ~unknown, [&](int lane) {
      if ((given[lane] & 1) != 0) yes |= std::uint64_t{1} << lane;
    });
    if (unknown != 0) origin = given.origin;
  }
  const std::uint64_t no = voters & ~yes & ~unknown;
  std::uint64_t result = 0;
  switch (does.vote) {
    case vote_kind::any:
      result = yes != 0;
      is_unknown = is_unknown || (yes == 0 && unknown != 0);
      break;
    case vote_kind::all:
      result = no == 0;
      is_unknown = is_unknown || (no == 0 && unknown != 0);
      break;
    case vote_kind::uniform:
      result = yes == 0 || no == 0;
      is_unknown = is_unknown || (unknown != 0 && (yes == 0 || no == 0));
      break;
    case vote_kind::ballot:
      result = yes;
      is_unknown = is_unknown || unknown != 0;
      break;
    case vote_kind::active_mask: result = active; break;
    case vote_kind::count: break;  // of barriers alone
  }
  std::uint64_t* const to = of.registers.values(does.to[0]);
  for_each_lane(group, [&](int lane) { to[lane] = result; });
  of.registers.mark(does.to[0], group, is_unknown ? group : 0, origin);
}

}  // namespace compiled
