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
  if (number >= arrived_.size())
    throw cannot_run(one.does->where, "a barrier's number is " + std::to_string(number),
                     "use barriers 0 to 15");
  recorder_.begin_stretch();
  if (one.does->only_arrives) {
    arrived_[number] += static_cast<std::uint64_t>(kernel_.lanes);
    return;
  }
  if (active != of.live)
    note("a barrier at " + text(kernel_, one.does->where) +
         " is reached by a part of a warp's threads, and counts as reached by the warp");
  of.waits = true;
  of.barrier = static_cast<int>(number);
  of.threads_needed = threads;
  of.waits_at = one.does->where;
}

void executor::pass_barriers() {
  std::vector<std::uint64_t> threads = arrived_, needed(arrived_.size());
  std::vector<bool> is_all(arrived_.size(), true);
  std::uint64_t unfinished = 0;
  const warp* waiting = nullptr;
  for (const auto& one : warps_) {
    if (one->stack.empty()) continue;
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
    one->waits = false;
    arrived_[at] = 0;
    passed = true;
  }
  if (!passed)
    throw cannot_run(waiting->waits_at,
                     "warps wait at different barriers, and none has all of its threads",
                     "let all threads of the block reach the same barrier");
  ++time_;
}

}  // namespace compiled
