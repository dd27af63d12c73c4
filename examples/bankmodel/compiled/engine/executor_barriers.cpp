// SPDX-License-Identifier: MIT
// Barriers: warps wait until all threads that a barrier needs are there.
#include <algorithm>

#include "executor.hpp"

namespace compiled {

void executor::wait(warp& current, const step& action, std::uint64_t active) {
  std::uint64_t number = 0, threads = 0;
  const int lane = std::countr_zero(active);
  for (std::size_t operand = 0; operand < action.operands.size() && operand < 2; ++operand) {
    const lane_values value = operand_of(current, action, operand);
    if (has(value.unknown, lane))
      depends(action.code->location,
              operand == 0 ? "a barrier's number" : "a barrier's number of threads", value.origin,
              "use barriers whose numbers are known");
    (operand == 0 ? number : threads) = value[lane];
  }
  if (action.code->is_of_cluster) number = cluster_barrier;
  if (number >= most_barriers && !action.code->is_of_cluster)
    throw cannot_run(action.code->location, "a barrier's number is " + std::to_string(number),
                     "use barriers 0 to 15");
  recorder_.begin_stretch();
  if (action.code->only_arrives) {
    arrived_[number] += static_cast<std::uint64_t>(kernel_.lanes);
    return;
  }
  add_predicates(current, action, number, active);
  lane_scope& scope = current.scopes.back();
  lane_group& group = scope.ready.back();
  lane_group waiting = group;
  waiting.lanes = active;
  waiting.waits = lane_group::waiting::at_barrier;
  waiting.barrier = static_cast<int>(number);
  waiting.threads_needed = threads;
  --waiting.step;
  group.lanes &= ~active;
  if (group.lanes == 0) scope.ready.pop_back();
  add_to(scope, waiting);
  if (scope.is_possible) wait_at_barrier(current, waiting);
}

void executor::add_predicates(warp& current, const step& action, std::size_t number,
                              std::uint64_t lanes) {
  if (action.operands.size() < 3) return;
  const lane_values predicate = operand_of(current, action, 2);
  block_predicates& sum = predicates_[number];
  for_each_lane(lanes, [&](int lane) {
    const bool is_unknown = is_possible_ || has(predicate.unknown, lane);
    if (is_unknown) sum.origin = is_possible_ ? possible_origin_ : predicate.origin;
    ++(is_unknown ? sum.unknown : (predicate[lane] & 1) != 0 ? sum.set : sum.clear);
  });
}

// Writes what a barrier tells the lanes of the group: PTX's bar.red, __syncthreads_count().
void executor::set_reduction(warp& current, const lane_group& group) {
  const instruction& code = *prepared_.block(group.block)[slot(group.step)].code;
  if (code.results.empty()) return;
  const block_predicates& sum = predicates_[slot(group.barrier)];
  bool is_unknown = sum.unknown > 0;
  std::uint64_t result = sum.set;
  if (code.vote == vote_kind::any) {
    result = sum.set > 0;
    is_unknown = is_unknown && sum.set == 0;
  } else if (code.vote == vote_kind::all) {
    result = sum.clear == 0;
    is_unknown = is_unknown && sum.clear == 0;
  }
  std::uint64_t* const results = current.registers.values(code.results[0]);
  for_each_lane(group.lanes, [&](int lane) { results[lane] = result; });
  current.registers.mark(code.results[0], group.lanes, is_unknown ? group.lanes : 0, sum.origin);
}

// Nothing goes on, and the warp waits at the barrier of this group.
void executor::wait_at_barrier(warp& current, const lane_group& first) {
  const place& position = prepared_.block(first.block)[slot(first.step)].code->location;
  if (first.lanes != current.live)
    note("a barrier at " + text(kernel_, position) +
         " is reached by a part of a warp's threads, and counts as reached by the warp");
  current.waits = true;
  current.barrier = first.barrier;
  current.threads_needed = first.threads_needed;
  current.waits_at = position;
}

// The lanes of a warp that wait at a barrier go on.
void executor::pass_barrier(warp& current) {
  lane_scope& scope = current.scopes.back();
  current.waits = false;
  std::vector<lane_group> waiting;
  waiting.swap(scope.waiting);
  for (lane_group& group : waiting) {
    if (group.waits == lane_group::waiting::at_barrier && group.barrier == current.barrier) {
      set_reduction(current, group);
      group.waits = lane_group::waiting::none;
      ++group.step;
    }
    add_to(scope, group);
  }
}

void executor::pass_barriers() {
  std::vector<std::uint64_t> threads = arrived_, needed(arrived_.size());
  std::vector<bool> is_passed(arrived_.size());
  std::uint64_t unfinished = 0;
  const warp* waiting = nullptr;
  for (const auto& waiter : warps_) {
    if (waiter->scopes.empty()) continue;
    unfinished += static_cast<std::uint64_t>(kernel_.lanes);
    if (!waiter->waits) continue;
    waiting = waiter.get();
    const auto barrier = static_cast<std::size_t>(waiter->barrier);
    threads[barrier] += static_cast<std::uint64_t>(kernel_.lanes);
    needed[barrier] = waiter->threads_needed;
  }
  if (waiting == nullptr) return;
  bool passed = false;
  for (const auto& waiter : warps_) {
    if (!waiter->waits) continue;
    const auto barrier = static_cast<std::size_t>(waiter->barrier);
    // Warps that have ended count: a barrier does not wait for them.
    if (threads[barrier] <
        std::min(needed[barrier] == 0 ? unfinished : needed[barrier], unfinished))
      continue;
    pass_barrier(*waiter);
    arrived_[barrier] = 0;
    passed = true;
    is_passed[barrier] = true;
  }
  for (std::size_t barrier = 0; barrier < is_passed.size(); ++barrier)
    if (is_passed[barrier]) predicates_[barrier] = {};
  if (!passed)
    throw cannot_run(waiting->waits_at,
                     "warps wait at different barriers, and none has all of its threads",
                     "let all threads of the block reach the same barrier");
  ++time_;
  if (is_passed[cluster_barrier] && blocks_store_)
    shared_.forget(0, shared_.size(),
                   origins_.intern("a store by another block of the cluster", {}));
}

}  // namespace compiled
