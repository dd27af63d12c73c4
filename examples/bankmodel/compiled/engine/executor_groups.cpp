// SPDX-License-Identifier: MIT
// Which lanes of a warp go on, and where they rejoin.
#include <algorithm>

#include "executor.hpp"

namespace compiled {

namespace {

bool is_same_place(const lane_group& group, const lane_group& other) {
  return group.rank == other.rank && group.step == other.step && group.barrier == other.barrier;
}

}  // namespace

// Joins the lanes that are there.
void add_to(lane_scope& scope, const lane_group& group) {
  if (group.waits != lane_group::waiting::none) {
    const auto match = std::ranges::find_if(scope.waiting, [&](const lane_group& candidate) {
      return is_same_place(candidate, group);
    });
    if (match != scope.waiting.end()) {
      match->lanes |= group.lanes;
      match->waits_for |= group.waits_for;
    } else {
      scope.waiting.push_back(group);
    }
    return;
  }
  auto place = scope.ready.end();
  while (place != scope.ready.begin() &&
         std::pair((place - 1)->rank, (place - 1)->step) < std::pair(group.rank, group.step))
    --place;
  if (place != scope.ready.begin() && is_same_place(*(place - 1), group))
    (place - 1)->lanes |= group.lanes;
  else
    scope.ready.insert(place, group);
}

// Lanes come from one block to another.
void executor::arrive(lane_scope& scope, int source, int target, std::uint64_t lanes) {
  if (lanes == 0 || target == scope.meets_in) return;
  add_to(scope, {.rank = prepared_.analysis().order().rank_between(source, target),
                 .block = target,
                 .lanes = lanes});
}

// The group that goes on does so in another block, unless others are to go on first.
void executor::go(warp& current, int target) {
  lane_scope& scope = current.scopes.back();
  lane_group& group = scope.ready.back();
  const int rank = target == scope.meets_in
                       ? -1
                       : prepared_.analysis().order().rank_between(group.block, target);
  const bool is_lowest = scope.ready.size() == 1 || rank < scope.ready[scope.ready.size() - 2].rank;
  if (rank >= 0 && is_lowest) {
    group.rank = rank;
    group.block = target;
    group.step = 0;
    return;
  }
  const lane_group previous = group;
  scope.ready.pop_back();
  arrive(scope, previous.block, target, previous.lanes);
  forget_doubtful(current);
}

// Another group goes on: it does not have what the lanes of both have written.
void executor::forget_doubtful(warp& current) {
  const lane_scope& scope = current.scopes.back();
  if (!scope.is_possible) return;
  for (const int number : scope.branch_region->written)
    current.registers.mark(number, scope.doubtful, scope.doubtful, scope.origin);
}

void executor::end_scope(warp& current) {
  forget_doubtful(current);
  const lane_scope& scope = current.scopes.back();
  if (scope.is_possible && scope.meets_in == the_end) current.live &= ~scope.lanes;
  current.scopes.pop_back();
}

// True if some lanes of the group that goes on wait at this instruction, which names others.
bool executor::wait_for_lanes(warp& current, const step& action) {
  lane_scope& scope = current.scopes.back();
  lane_group& group = scope.ready.back();
  if (scope.is_possible) return false;
  if (group.is_alone) {
    group.is_alone = false;
    return false;
  }
  const auto joined = std::ranges::find_if(
      scope.waiting, [&](const lane_group& other) { return is_same_place(other, group); });
  if (joined != scope.waiting.end()) {
    group.lanes |= joined->lanes;
    scope.waiting.erase(joined);
  }
  std::uint64_t unknown = 0;
  const std::uint64_t active = guarded(current, *action.code, group.lanes, unknown) & ~unknown;
  const lane_values named =
      operand_of(current, action, static_cast<std::size_t>(action.names_lanes));
  std::uint64_t waiting = 0, waited_for = 0;
  for_each_lane(active & ~named.unknown, [&](int lane) {
    const std::uint64_t missing = named[lane] & current.live & ~active;
    if (missing == 0) return;
    waiting |= std::uint64_t{1} << lane;
    waited_for |= missing;
  });
  if (waiting == 0) return false;
  lane_group parted = group;
  parted.lanes = waiting;
  parted.waits = lane_group::waiting::for_lanes;
  parted.waits_for = waited_for;
  group.lanes &= ~waiting;
  if (group.lanes == 0) scope.ready.pop_back();
  add_to(scope, parted);
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
    group.waits = lane_group::waiting::none;
    add_to(scope, group);
  }
  if (scope.ready.back().rank < rank || (scope.ready.back().lanes & awaited) != 0) return;
  for (std::size_t index = scope.ready.size() - 1; index > 0; --index) {
    const lane_group& other = scope.ready[index - 1];
    if ((other.lanes & awaited) == 0 || leads_to(block, other.block)) continue;
    const auto place = scope.ready.begin() + static_cast<std::ptrdiff_t>(index);
    std::rotate(place - 1, place, scope.ready.end());
    return;
  }
}

bool executor::leads_to(int begin, int block) {
  std::vector<bool>& reached = reached_blocks_[begin];
  if (reached.empty()) reached = reached_blocks(kernel_, {begin});
  return reached[slot(block)];
}

// Nothing goes on: all lanes of the scope are done, or wait.
void executor::pass_waiting(warp& current) {
  lane_scope& scope = current.scopes.back();
  if (scope.waiting.empty()) return end_scope(current);
  const auto lowest = [&](lane_group::waiting reason) {
    auto result = scope.waiting.end();
    for (auto candidate = scope.waiting.begin(); candidate != scope.waiting.end(); ++candidate)
      if (candidate->waits == reason &&
          (result == scope.waiting.end() ||
           std::pair(candidate->rank, candidate->step) < std::pair(result->rank, result->step)))
        result = candidate;
    return result;
  };
  const auto alone = lowest(lane_group::waiting::for_lanes);
  if (alone == scope.waiting.end())
    return wait_at_barrier(current, *lowest(lane_group::waiting::at_barrier));
  lane_group group = *alone;
  scope.waiting.erase(alone);
  group.waits = lane_group::waiting::none;
  group.waits_for = 0;
  group.is_alone = true;
  add_to(scope, group);
}

}  // namespace compiled
