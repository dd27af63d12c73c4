// SPDX-License-Identifier: MIT
// Which lanes of a warp go on, and where they rejoin.
#include <algorithm>

#include "executor.hpp"

namespace compiled {

namespace {

bool is_same_place(const lane_group& one, const lane_group& other) {
  return one.rank == other.rank && one.at == other.at && one.barrier == other.barrier;
}

}  // namespace

// Joins the lanes that are there.
void add_to(lane_scope& in, const lane_group& group) {
  if (group.waits != lane_group::waiting::no) {
    const auto found =
        std::find_if(in.waiting.begin(), in.waiting.end(),
                     [&](const lane_group& one) { return is_same_place(one, group); });
    if (found != in.waiting.end()) {
      found->lanes |= group.lanes;
      found->waits_for |= group.waits_for;
    } else {
      in.waiting.push_back(group);
    }
    return;
  }
  auto place = in.ready.end();
  while (place != in.ready.begin() &&
         std::pair((place - 1)->rank, (place - 1)->at) < std::pair(group.rank, group.at))
    --place;
  if (place != in.ready.begin() && is_same_place(*(place - 1), group))
    (place - 1)->lanes |= group.lanes;
  else
    in.ready.insert(place, group);
}

// Lanes come from one block to another.
void executor::arrive(lane_scope& in, int from, int to, std::uint64_t lanes) {
  if (lanes == 0 || to == in.meets_in) return;
  add_to(
      in,
      {.rank = prepared_.analysis().order().rank_between(from, to), .block = to, .lanes = lanes});
}

// The group that goes on does so in another block, unless others are to go on first.
void executor::go(warp& of, int to) {
  lane_scope& in = of.scopes.back();
  lane_group& now = in.ready.back();
  const int rank =
      to == in.meets_in ? -1 : prepared_.analysis().order().rank_between(now.block, to);
  const bool is_lowest = in.ready.size() == 1 || rank < in.ready[in.ready.size() - 2].rank;
  if (rank >= 0 && is_lowest) {
    now.rank = rank;
    now.block = to;
    now.at = 0;
    return;
  }
  const lane_group before = now;
  in.ready.pop_back();
  arrive(in, before.block, to, before.lanes);
  forget_doubtful(of);
}

// Another group goes on: it does not have what the lanes of both have written.
void executor::forget_doubtful(warp& of) {
  const lane_scope& in = of.scopes.back();
  if (!in.is_possible) return;
  for (const int number : in.between->written)
    of.registers.mark(number, in.doubtful, in.doubtful, in.origin);
}

void executor::end_scope(warp& of) {
  forget_doubtful(of);
  const lane_scope& in = of.scopes.back();
  if (in.is_possible && in.meets_in == the_end) of.live &= ~in.lanes;
  of.scopes.pop_back();
}

// True if some lanes of the group that goes on wait at this instruction, which names others.
bool executor::wait_for_lanes(warp& of, const step& one) {
  lane_scope& in = of.scopes.back();
  lane_group& now = in.ready.back();
  if (in.is_possible) return false;
  if (now.is_alone) {
    now.is_alone = false;
    return false;
  }
  const auto joined =
      std::find_if(in.waiting.begin(), in.waiting.end(),
                   [&](const lane_group& other) { return is_same_place(other, now); });
  if (joined != in.waiting.end()) {
    now.lanes |= joined->lanes;
    in.waiting.erase(joined);
  }
  std::uint64_t unknown = 0;
  const std::uint64_t active = guarded(of, *one.does, now.lanes, unknown) & ~unknown;
  const lane_values named = operand_of(of, one, static_cast<std::size_t>(one.names_lanes));
  std::uint64_t waiting = 0, waited_for = 0;
  for_each_lane(active & ~named.unknown, [&](int lane) {
    const std::uint64_t others = named[lane] & of.live & ~active;
    if (others == 0) return;
    waiting |= std::uint64_t{1} << lane;
    waited_for |= others;
  });
  if (waiting == 0) return false;
  lane_group parted = now;
  parted.lanes = waiting;
  parted.waits = lane_group::waiting::for_lanes;
  parted.waits_for = waited_for;
  now.lanes &= ~waiting;
  if (now.lanes == 0) in.ready.pop_back();
  add_to(in, parted);
  return true;
}

// Lanes that wait for others in a warp function rejoin the group that would go on, behind the
// function. So they go on first if the others have all ended; if not, the others go on first,
// unless this group leads to them: `if (p) { if (a) { s[t] = 1; return; } x = __any_sync(mask, b);
// } s[t] = x;`.
void executor::prefer_awaited(const warp& lanes, lane_scope& scope) {
  const int rank = scope.ready.back().rank, block = scope.ready.back().block;
  if (scope.is_possible) return;
  std::uint64_t awaited = 0;
  for (std::size_t place = scope.waiting.size(); place-- > 0;) {
    lane_group group = scope.waiting[place];
    if (group.waits != lane_group::waiting::for_lanes || group.rank >= rank) continue;
    awaited |= group.waits_for & lanes.live;
    if ((group.waits_for & lanes.live) != 0) continue;
    scope.waiting.erase(scope.waiting.begin() + static_cast<std::ptrdiff_t>(place));
    group.waits = lane_group::waiting::no;
    add_to(scope, group);
  }
  if (scope.ready.back().rank < rank || (scope.ready.back().lanes & awaited) != 0) return;
  for (std::size_t after = scope.ready.size() - 1; after > 0; --after) {
    const lane_group& other = scope.ready[after - 1];
    if ((other.lanes & awaited) == 0 || leads_to(block, other.block)) continue;
    const auto place = scope.ready.begin() + static_cast<std::ptrdiff_t>(after);
    std::rotate(place - 1, place, scope.ready.end());
    return;
  }
}

bool executor::leads_to(int begin, int block) {
  std::vector<bool>& reached = reached_blocks_[begin];
  if (reached.empty()) reached = reached_blocks(kernel_, {begin});
  return reached[static_cast<std::size_t>(block)];
}

// Nothing goes on: all lanes of the scope are done, or wait.
void executor::pass_waiting(warp& of) {
  lane_scope& in = of.scopes.back();
  if (in.waiting.empty()) return end_scope(of);
  const auto lowest = [&](lane_group::waiting what) {
    auto result = in.waiting.end();
    for (auto one = in.waiting.begin(); one != in.waiting.end(); ++one)
      if (one->waits == what &&
          (result == in.waiting.end() ||
           std::pair(one->rank, one->at) < std::pair(result->rank, result->at)))
        result = one;
    return result;
  };
  const auto alone = lowest(lane_group::waiting::for_lanes);
  if (alone == in.waiting.end())
    return wait_at_barrier(of, *lowest(lane_group::waiting::at_barrier));
  lane_group group = *alone;
  in.waiting.erase(alone);
  group.waits = lane_group::waiting::no;
  group.waits_for = 0;
  group.is_alone = true;
  add_to(in, group);
}

}  // namespace compiled
