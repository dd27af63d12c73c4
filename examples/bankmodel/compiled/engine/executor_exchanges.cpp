// SPDX-License-Identifier: MIT
// What lanes of a warp tell each other.
#include <array>

#include "executor.hpp"

namespace compiled {

// PTX's shfl.sync: operands[2] has the end of a segment in its low bits, and the segment's mask
// above.
void executor::shuffle(warp& current, const step& action, std::uint64_t active) {
  const instruction& code = *action.code;
  const lane_values exchanged = operand_of(current, action, 0),
                    lane_operand = operand_of(current, action, 1),
                    clamp = operand_of(current, action, 2);
  const int lane_mask = kernel_.lanes - 1;
  std::array<std::uint64_t, most_lanes> value{};
  std::uint64_t in_range = 0, unknown_range = 0, unknown = 0;
  int origin = exchanged.origin, range_origin = lane_operand.origin;
  for_each_lane(active, [&](int lane) {
    const std::uint64_t bit = std::uint64_t{1} << lane;
    if (has(lane_operand.unknown | clamp.unknown, lane)) {
      unknown_range |= bit;
      range_origin = has(lane_operand.unknown, lane) ? lane_operand.origin : clamp.origin;
      return;
    }
    const int distance = static_cast<int>(lane_operand[lane]) & lane_mask;
    const int end = static_cast<int>(clamp[lane]) & lane_mask;
    const int segment = static_cast<int>(clamp[lane] >> 8) & lane_mask;
    const int lowest = lane & segment;
    const int highest = lowest | (end & ~segment);
    int source = lane;
    bool is_in_range = true;
    switch (code.shuffle) {
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
      origin = origins_.intern("a shuffle from a lane that does not take part", code.location);
    } else if (has(exchanged.unknown, source)) {
      unknown |= bit;
      origin = exchanged.origin;
    } else {
      value[slot(lane)] = exchanged[source] & low_bits(code.bits);
    }
  });
  unknown |= unknown_range;
  if (unknown_range != 0) origin = range_origin;
  std::uint64_t* const results = current.registers.values(code.results[0]);
  for_each_lane(active, [&](int lane) { results[lane] = value[slot(lane)]; });
  current.registers.mark(code.results[0], active, unknown, origin);
  if (code.results.size() < 2) return;
  std::uint64_t* const range = current.registers.values(code.results[1]);
  for_each_lane(active, [&](int lane) { range[lane] = in_range >> lane & 1; });
  current.registers.mark(code.results[1], active, unknown_range, range_origin);
}

// operands[1], if present, is the mask of the lanes that take part: those with one mask vote
// together.
void executor::vote(warp& current, const step& action, std::uint64_t active) {
  if (action.operands.size() < 2) return vote_of(current, action, active, active);
  const lane_values mask = operand_of(current, action, 1);
  for (std::uint64_t left = active; left != 0;) {
    const int first = std::countr_zero(left);
    std::uint64_t group = 0;
    for_each_lane(left, [&](int lane) {
      const bool is_same = has(mask.unknown, first)
                               ? has(mask.unknown, lane)
                               : !has(mask.unknown, lane) && mask[lane] == mask[first];
      if (is_same) group |= std::uint64_t{1} << lane;
    });
    vote_of(current, action, group, active);
    left &= ~group;
  }
}

// Of the lanes in `group`. Lanes that its mask names and that are elsewhere would be waited for.
void executor::vote_of(warp& current, const step& action, std::uint64_t group,
                       std::uint64_t active) {
  const instruction& code = *action.code;
  std::uint64_t voters = active;
  std::uint64_t positive = 0, unknown = 0;
  int origin = 0;
  bool is_unknown = is_possible_;
  if (is_possible_) origin = possible_origin_;
  if (action.operands.size() > 1) {
    const lane_values mask = operand_of(current, action, 1);
    const int first = std::countr_zero(group);
    if (has(mask.unknown, first)) {
      is_unknown = true;
      origin = mask.origin;
    } else {
      const std::uint64_t named = mask[first];
      if ((named & current.live & ~active) != 0) {
        is_unknown = true;
        origin = origins_.intern("a vote of lanes that are not all there", code.location);
      }
      voters &= named;
    }
  }
  if (code.vote != vote_kind::active_mask) {
    const lane_values predicate = operand_of(current, action, 0);
    unknown = predicate.unknown & voters;
    positive = lanes_where(voters & ~unknown, [&](int lane) { return (predicate[lane] & 1) != 0; });
    if (unknown != 0) origin = predicate.origin;
  }
  const std::uint64_t negative = voters & ~positive & ~unknown;
  std::uint64_t result = 0;
  switch (code.vote) {
    case vote_kind::any:
      result = positive != 0;
      is_unknown = is_unknown || (positive == 0 && unknown != 0);
      break;
    case vote_kind::all:
      result = negative == 0;
      is_unknown = is_unknown || (negative == 0 && unknown != 0);
      break;
    case vote_kind::uniform:
      result = positive == 0 || negative == 0;
      is_unknown = is_unknown || (unknown != 0 && (positive == 0 || negative == 0));
      break;
    case vote_kind::ballot:
      result = positive;
      is_unknown = is_unknown || unknown != 0;
      break;
    case vote_kind::active_mask: result = active; break;
    case vote_kind::count: break;  // of barriers alone
  }
  std::uint64_t* const results = current.registers.values(code.results[0]);
  for_each_lane(group, [&](int lane) { results[lane] = result; });
  current.registers.mark(code.results[0], group, is_unknown ? group : 0, origin);
}

}  // namespace compiled
