// SPDX-License-Identifier: MIT
// Barriers: warps wait until all threads that a barrier needs are there.
#include <algorithm>

#include "executor.hpp"

namespace compiled {

void executor::wait(warp& of, const step& one, std::uint64_t active) {
  std::uint64_t number = 0, threads = 0;
  const int lane = std::countr_zero(active);
  for (std::size_t at = 0; at < one.from.size() && at < 2; ++at) {
    const lane_values value = operand_of(of, one, at);
    if (has(value.unknown, lane))
      depends(one.does->where, at == 0 ? "a barrier's number" : "a barrier's number of threads",
              value.origin, "use barriers whose numbers are known");
    (at == 0 ? number : threads) = value[lane];
  }
  if (one.does->is_of_cluster) number = cluster_barrier;
  if (number >= most_barriers && !one.does->is_of_cluster)
    throw cannot_run(one.does->where, "a barrier's number is " + std::to_string(number),
                     "use barriers 0 to 15");
  recorder_.begin_stretch();
  if (one.does->only_arrives) {
    arrived_[number] += static_cast<std::uint64_t>(kernel_.lanes);
    return;
  }
  add_predicates(of, one, number, active);
  lane_scope& in = of.scopes.back();
  lane_group& now = in.ready.back();
  lane_group waiting = now;
  waiting.lanes = active;
  waiting.waits = lane_group::waiting::at_barrier;
  waiting.barrier = static_cast<int>(number);
  waiting.threads_needed = threads;
  --waiting.at;
  now.lanes &= ~active;
  if (now.lanes == 0) in.ready.pop_back();
  add_to(in, waiting);
  if (in.is_possible) wait_at_barrier(of, waiting);
}

void executor::add_predicates(warp& of, const step& one, std::size_t number, std::uint64_t lanes) {
  if (one.from.size() < 3) return;
  const lane_values given = operand_of(of, one, 2);
  block_predicates& sum = predicates_[number];
  for_each_lane(lanes, [&](int lane) {
    const bool is_unknown = is_possible_ || has(given.unknown, lane);
    if (is_unknown) sum.origin = is_possible_ ? possible_origin_ : given.origin;
    ++(is_unknown ? sum.unknown : (given[lane] & 1) != 0 ? sum.set : sum.clear);
  });
}

// Writes what a barrier tells the lanes of the group: PTX's bar.red, __syncthreads_count().
void executor::set_reduction(warp& of, const lane_group& group) {
  const instruction& does = *prepared_.block(group.block)[static_cast<std::size_t>(group.at)].does;
  if (does.to.empty()) return;
  const block_predicates& sum = predicates_[static_cast<std::size_t>(group.barrier)];
  bool is_unknown = sum.unknown > 0;
  std::uint64_t result = sum.set;
  if (does.vote == vote_kind::any) {
    result = sum.set > 0;
    is_unknown = is_unknown && sum.set == 0;
  } else if (does.vote == vote_kind::all) {
    result = sum.clear == 0;
    is_unknown = is_unknown && sum.clear == 0;
  }
  std::uint64_t* const to = of.registers.values(does.to[0]);
  for_each_lane(group.lanes, [&](int lane) { to[lane] = result; });
  of.registers.mark(does.to[0], group.lanes, is_unknown ? group.lanes : 0, sum.origin);
}

// Nothing goes on, and the warp waits at the barrier of this group.
void executor::wait_at_barrier(warp& of, const lane_group& first) {
  const place& where = prepared_.block(first.block)[static_cast<std::size_t>(first.at)].does->where;
  if (first.lanes != of.live)
    note("a barrier at " + text(kernel_, where) +
         " is reached by a part of a warp's threads, and counts as reached by the warp");
  of.waits = true;
  of.barrier = first.barrier;
  of.threads_needed = first.threads_needed;
  of.waits_at = where;
}

// The lanes of a warp that wait at a barrier go on.
void executor::pass_barrier(warp& of) {
  lane_scope& in = of.scopes.back();
  of.waits = false;
  std::vector<lane_group> waiting;
  waiting.swap(in.waiting);
  for (lane_group& group : waiting) {
    if (group.waits == lane_group::waiting::at_barrier && group.barrier == of.barrier) {
      set_reduction(of, group);
      group.waits = lane_group::waiting::no;
      ++group.at;
    }
    add_to(in, group);
  }
}

void executor::pass_barriers() {
  std::vector<std::uint64_t> threads = arrived_, needed(arrived_.size());
  std::vector<bool> is_passed(arrived_.size());
  std::uint64_t unfinished = 0;
  const warp* waiting = nullptr;
  for (const auto& one : warps_) {
    if (one->scopes.empty()) continue;
    unfinished += static_cast<std::uint64_t>(kernel_.lanes);
    if (!one->waits) continue;
    waiting = one.get();
    const auto at = static_cast<std::size_t>(one->barrier);
    threads[at] += static_cast<std::uint64_t>(kernel_.lanes);
    needed[at] = one->threads_needed;
  }
  if (waiting == nullptr) return;
  bool passed = false;
  for (const auto& one : warps_) {
    if (!one->waits) continue;
    const auto at = static_cast<std::size_t>(one->barrier);
    // Warps that have ended count: a barrier does not wait for them.
    if (threads[at] < std::min(needed[at] == 0 ? unfinished : needed[at], unfinished)) continue;
    pass_barrier(*one);
    arrived_[at] = 0;
    passed = true;
    is_passed[at] = true;
  }
  for (std::size_t at = 0; at < is_passed.size(); ++at)
    if (is_passed[at]) predicates_[at] = {};
  if (!passed)
    throw cannot_run(waiting->waits_at,
                     "warps wait at different barriers, and none has all of its threads",
                     "let all threads of the block reach the same barrier");
  ++time_;
  if (is_passed[cluster_barrier] && blocks_store_)
    shared_.forget(0, shared_.size(), origins_.of("a store by another block of the cluster", {}));
}

}  // namespace compiled
