// SPDX-License-Identifier: MIT
// Branches of a warp, on known and on unknown values.
#include <algorithm>

#include "executor.hpp"

namespace compiled {

void executor::branch(warp& current, const step& action) {
  const std::vector<int>& targets = action.code->blocks;
  const lane_group group = current.scopes.back().ready.back();
  current.passes.leave(targets, group.block, group.lanes);
  if (action.operands.empty()) return go(current, targets[0]);
  const lane_values condition = operand_of(current, action, 0);
  std::uint64_t taken_lanes = lanes_where(group.lanes & ~condition.unknown,
                                          [&](int lane) { return (condition[lane] & 1) != 0; });
  decision choice;
  if ((group.lanes & condition.unknown) != 0)
    choice = decide_unknown(current, action, group.lanes & condition.unknown, condition.origin);
  taken_lanes |= choice.jumping;
  if (settings_.checks_hold)
    taken_lanes = taken_if_checks_hold(*action.code, group.lanes, taken_lanes);
  const std::uint64_t not_taken = group.lanes & ~taken_lanes & ~choice.waiting & ~choice.undecided;
  if (const int number = loop_ends_.number(group.block); number >= 0) {
    const bool first_stays = loop_ends_.ends()[slot(number)].first_stays;
    current.passes.go_on(number, (first_stays ? taken_lanes : not_taken) | choice.undecided);
  }
  if (choice.undecided != 0) return split_in_both(current, taken_lanes, not_taken, choice);
  if (taken_lanes == group.lanes || not_taken == group.lanes)
    return go(current, targets[taken_lanes != 0 ? 0 : 1]);
  lane_scope& scope = current.scopes.back();
  scope.ready.pop_back();
  arrive(scope, group.block, targets[0], taken_lanes);
  arrive(scope, group.block, targets[1], not_taken);
  // These have passed over the branch, and are where the others meet them.
  const int meets_in = prepared_.analysis().meets_in(group.block);
  if (meets_in == the_end)
    current.live &= ~choice.waiting;  // all that comes was passed over
  else
    arrive(scope, group.block, meets_in, choice.waiting);
  forget_doubtful(current);
}

// The lanes that go to the first arm, without those that would fail a check there, and with those
// that would fail one in the other arm.
std::uint64_t executor::taken_if_checks_hold(const instruction& branch, std::uint64_t lanes,
                                             std::uint64_t taken_lanes) {
  const bool fails[] = {prepared_.analysis().only_fails(branch.blocks[0]),
                        prepared_.analysis().only_fails(branch.blocks[1])};
  const std::uint64_t failing = fails[0] ? taken_lanes : lanes & ~taken_lanes;
  if (fails[0] == fails[1] || failing == 0) return taken_lanes;
  note("a check at " + text(kernel_, branch.location) +
       " fails with the numbers of this run, which are assumed in part, and is taken to hold");
  return fails[0] ? 0 : lanes;
}

// Lanes that may go both ways are in both arms at once; afterwards what these write is unknown.
void executor::split_in_both(warp& current, std::uint64_t taken_lanes, std::uint64_t not_taken,
                             const decision& choice) {
  lane_scope& scope = current.scopes.back();
  const lane_group previous = scope.ready.back();
  const std::vector<int>& targets =
      prepared_.block(previous.block)[slot(previous.step)].code->blocks;
  lane_scope inner;
  inner.meets_in = prepared_.analysis().meets_in(previous.block);
  inner.is_possible = true;
  inner.origin = choice.origin;
  inner.branch_region = &prepared_.analysis().region_of(previous.block);
  inner.doubtful = choice.undecided;
  inner.lanes = previous.lanes;
  scope.ready.pop_back();
  arrive(inner, previous.block, targets[0], taken_lanes | choice.undecided);
  arrive(inner, previous.block, targets[1], not_taken | choice.undecided);
  // Groups that wait in between would go on with those that come, if any do.
  const std::vector<int>& region_blocks = inner.branch_region->blocks;
  for (std::vector<lane_group>* const groups : {&scope.ready, &scope.waiting})
    for (std::size_t group_index = groups->size(); group_index-- > 0;) {
      const lane_group group = (*groups)[group_index];
      if (!std::ranges::binary_search(region_blocks, group.block)) continue;
      groups->erase(groups->begin() + static_cast<std::ptrdiff_t>(group_index));
      inner.doubtful |= inner.lanes & group.lanes;
      inner.lanes |= group.lanes;
      add_to(inner, group);
    }
  if (inner.meets_in != the_end) arrive(scope, previous.block, inner.meets_in, inner.lanes);
  current.scopes.push_back(std::move(inner));
}

void executor::leave(warp& current, const step& action) {
  lane_scope& scope = current.scopes.back();
  const std::uint64_t lanes = scope.ready.back().lanes;
  if (action.code->description == "trap" && !scope.is_possible)
    throw cannot_run(
        action.code->location,
        thread_of(current, std::countr_zero(lanes)) + " reaches a trap: a check has failed",
        "give the block, the grid and the arguments that the kernel is written for",
        {missing_fact::kind::check});
  scope.ready.pop_back();
  if (!scope.is_possible) current.live &= ~lanes;
  forget_doubtful(current);
}

executor::decision executor::decide_unknown(warp& current, const step& action, std::uint64_t lanes,
                                            int origin) {
  const int block = current.scopes.back().ready.back().block;
  const instruction& code = *action.code;
  const int line = code.location.line;
  for (std::size_t arm = 0; arm < 2; ++arm)
    if (prepared_.analysis().only_fails(code.blocks[arm]) &&
        !prepared_.analysis().only_fails(code.blocks[1 - arm])) {
      note("a check at " + text(kernel_, code.location) + ", which depends on " +
           origins_.text(origin) + ", is taken to hold");
      return {.jumping = arm == 0 ? 0 : lanes};
    }
  const region& branch_region = prepared_.analysis().region_of(block);
  if (must_be_given(origin))
    depends(code.location, branch_region.repeats_the_branch ? "the end of the loop" : "a branch",
            origin, "");
  const auto passed_over = [&]() -> decision {
    pass_over(current, branch_region, code.location, lanes, origin);
    return {.waiting = lanes};
  };
  if (!branch_region.decides_about_shared && !branch_region.decides_about_global)
    return passed_over();
  auto assumed = assumed_.find(line);
  // A number of iterations is that of the loop that ends in this line, not of its other branches.
  const bool is_of_loop = assumed != assumed_.end() && assumed->second.goes_on;
  if (is_of_loop && (loop_ends_.number(block) >= 0 || !is_end_of_loop(code.location)))
    return assumed_passes(current, action, *assumed->second.goes_on, lanes, origin);
  const auto decide_as_assumed = [&]() -> decision {
    const auto [arm, is_new] = assumed_arms_.try_emplace(block, false);
    if (is_new) {
      arm->second = assumed_arm(action, block, branch_region, assumed->second.is_taken);
      note("line " + std::to_string(line) + " was assumed to " +
           what_is_assumed(action, block, assumed->second.is_taken, arm->second) +
           "; it depends on " + origins_.text(origin));
    }
    return {.jumping = arm->second ? lanes : 0};
  };
  if (assumed != assumed_.end() && !is_of_loop) return decide_as_assumed();
  const std::string number = std::to_string(line);
  // Requests to global memory alone have bounds where they are not counted, but for loops.
  const bool has_remedy = branch_region.decides_about_shared || settings_.requires_branches;
  if (!has_remedy && (branch_region.repeats_the_branch || !settings_.bounds)) {
    undecided_lines_.insert(line);
    return passed_over();
  }
  if (branch_region.repeats_the_branch)
    depends(code.location, "the end of the loop", origin,
            "its number of iterations is in the data; give --assume " + number +
                (kernel_.loops_are_as_written
                     ? "=4 if each thread goes on 4 times, --assume " + number +
                           "=0..4 with --bounds if it goes on at most 4 times"
                     : "=not-taken to leave the loop here"),
            missing_fact::kind::loop);
  if (settings_.bounds && !(branch_region.decides_about_shared ? settings_.requires_shared_branches
                                                               : settings_.requires_branches)) {
    undecided_lines_.insert(line);
    return {.undecided = lanes, .origin = origin};
  }
  assumed = assume_branch(
      code.location,
      branch_region.decides_about_shared ? "a branch that decides about shared memory" : "a branch",
      origin,
      "give --assume " + number + "=taken or --assume " + number +
          "=not-taken, or --bounds for the least and the most");
  return decide_as_assumed();
}

// True if a loop ends in this line.
bool executor::is_end_of_loop(const place& position) const {
  for (std::size_t block = 0; block < kernel_.blocks.size(); ++block) {
    const std::vector<instruction>& instructions = kernel_.blocks[block].instructions;
    if (!instructions.empty() && instructions.back().location.file == position.file &&
        instructions.back().location.line == position.line &&
        loop_ends_.number(static_cast<int>(block)) >= 0)
      return true;
  }
  return false;
}

bool executor::is_jump(const place& position) const {
  return kernel_.guarded_jumps.count({position.file, position.line}) > 0;
}

std::string executor::what_is_assumed(const step& action, int block, bool holds, bool first) const {
  if (loop_ends_.number(block) >= 0)
    return holds != is_jump(action.code->location) ? "go on with the loop" : "leave the loop";
  const int line = prepared_.analysis().arms_of(block).first_line[first ? 0 : 1];
  return std::string(holds ? "be taken" : "be not taken") +
         (line == 0 ? "" : ", so that line " + std::to_string(line) + " is executed");
}

executor::decision executor::assumed_passes(const warp& current, const step& action,
                                            const iterations& goes_on, std::uint64_t lanes,
                                            int origin) {
  const place& position = action.code->location;
  const int block = current.scopes.back().ready.back().block;
  const int number = loop_ends_.number(block);
  if (number < 0) refuse_passes(position);
  if (!kernel_.loops_are_as_written)
    throw cannot_run(position, "the loop's number of iterations is not that of the source",
                     "give the source instead of PTX, in which loops may be unrolled");
  const loop_ends::loop_end& loop = loop_ends_.ends()[slot(number)];
  const auto& [minimum, maximum] = goes_on;
  note("line " + std::to_string(position.line) + " was assumed to go on " +
       std::to_string(minimum) + (minimum == maximum ? "" : " to " + std::to_string(maximum)) +
       (maximum == 1 ? " time" : " times") + "; it depends on " + origins_.text(origin));
  const std::uint64_t stays = current.passes.unfinished(number, minimum, lanes);
  const std::uint64_t uncertain = current.passes.unfinished(number, maximum, lanes) & ~stays;
  if (uncertain != 0 && !settings_.bounds)
    throw cannot_run(position, "whether the loop goes on is not known",
                     "give --bounds for the least and the most");
  for (const int other : prepared_.analysis().region_of(block).blocks) {
    const auto& next = successors(kernel_.blocks[slot(other)]);
    if (uncertain != 0 && !loop.in_loop[slot(other)] && includes(next, loop.header))
      throw cannot_run(position,
                       "threads that leave the loop here may come to it again before others",
                       "give one number, --assume " + std::to_string(position.line) + "=4");
  }
  return {.jumping = loop.first_stays ? stays : lanes & ~stays & ~uncertain,
          .undecided = uncertain,
          .origin = origin};
}

void executor::refuse_passes(const place& position) const {
  throw cannot_run(position, "no loop ends here, so that it cannot go on some number of times",
                   "give --assume " + std::to_string(position.line) + "=taken or =not-taken",
                   {missing_fact::kind::loop});
}

// True if the first of the two blocks is entered.
bool executor::assumed_arm(const step& action, int block, const region& branch_region, bool holds) {
  const std::vector<int>& targets = action.code->blocks;
  const int meets_in = prepared_.analysis().meets_in(block);
  const int number = loop_ends_.number(block);
  const bool first = holds == (number >= 0 ? loop_ends_.ends()[slot(number)].first_stays !=
                                                 is_jump(action.code->location)
                                           : prepared_.analysis().arms_of(block).is_guarded_first);
  // A loop that nothing else ends must end here.
  const int entered = targets[first ? 0 : 1];
  const bool has_other_end = std::ranges::any_of(branch_region.blocks, [&](int inner) {
    const auto& next = successors(kernel_.blocks[slot(inner)]);
    return inner != block && includes(next, meets_in);
  });
  if (branch_region.repeats_the_branch && entered != meets_in && !has_other_end)
    throw cannot_run(action.code->location, "the loop would never end if its condition always held",
                     "give --assume " + std::to_string(action.code->location.line) + "=not-taken");
  return first;
}

// Everything that the region between a branch and its end writes becomes unknown.
void executor::pass_over(warp& current, const region& skipped, const place& branch,
                         std::uint64_t lanes, int origin) {
  const std::string position = text(kernel_, branch);
  const std::string reason = "it is behind a branch" +
                             (position.empty() ? position : " at " + position) +
                             " that depends on " + origins_.text_with_remedy(origin);
  for (const int number : skipped.written) current.registers.mark(number, lanes, lanes, origin);
  for (const int block : skipped.blocks)
    for (const step& action : prepared_.block(block)) {
      leave_out(current, action, lanes, false);
      if (action.code->operation != opcode::access) continue;
      const memory_access& memory = action.code->memory;
      if (memory.memory == memory_kind::global || memory.memory == memory_kind::generic)
        recorder_.mark_partial(action.global_access, reason);
      if (memory.operation != access_does::load)
        access_local(current, action, 0, lanes, origin, nullptr);
      // The store may have been made.
      if (memory.operation != access_does::load && memory.memory != memory_kind::local)
        store_somewhere(*action.code);
    }
}

}  // namespace compiled
