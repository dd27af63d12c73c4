// SPDX-License-Identifier: MIT
// Branches of a warp, on known and on unknown values.
#include <algorithm>

#include "executor.hpp"

namespace compiled {

void executor::branch(warp& of, const step& one) {
  const std::vector<int>& to = one.does->blocks;
  const lane_group now = of.scopes.back().ready.back();
  of.passes.leave(to, now.block, now.lanes);
  if (one.from.empty()) return go(of, to[0]);
  const lane_values condition = operand_of(of, one, 0);
  std::uint64_t taken = 0;
  for_each_lane(now.lanes & ~condition.unknown, [&](int lane) {
    if ((condition[lane] & 1) != 0) taken |= std::uint64_t{1} << lane;
  });
  decision how;
  if ((now.lanes & condition.unknown) != 0)
    how = decide_unknown(of, one, now.lanes & condition.unknown, condition.origin);
  taken |= how.taken;
  if (how_.checks_hold) taken = taken_if_checks_hold(*one.does, now.lanes, taken);
  const std::uint64_t not_taken = now.lanes & ~taken & ~how.waiting & ~how.both;
  if (const int number = loop_ends_.of(now.block); number >= 0) {
    const bool first_stays = loop_ends_.all()[static_cast<std::size_t>(number)].first_stays;
    of.passes.go_on(number, (first_stays ? taken : not_taken) | how.both);
  }
  if (how.both != 0) return split_in_both(of, taken, not_taken, how);
  if (taken == now.lanes || not_taken == now.lanes) return go(of, to[taken != 0 ? 0 : 1]);
  lane_scope& in = of.scopes.back();
  in.ready.pop_back();
  arrive(in, now.block, to[0], taken);
  arrive(in, now.block, to[1], not_taken);
  // These have passed over the branch, and are where the others meet them.
  const int meets_in = prepared_.analysis().meets_in(now.block);
  if (meets_in == the_end)
    of.live &= ~how.waiting;  // all that comes was passed over
  else
    arrive(in, now.block, meets_in, how.waiting);
  forget_doubtful(of);
}

// The lanes that go to the first arm, without those that would fail a check there, and with those
// that would fail one in the other arm.
std::uint64_t executor::taken_if_checks_hold(const instruction& branch, std::uint64_t lanes,
                                             std::uint64_t taken) {
  const bool fails[] = {prepared_.analysis().only_fails(branch.blocks[0]),
                        prepared_.analysis().only_fails(branch.blocks[1])};
  const std::uint64_t failing = fails[0] ? taken : lanes & ~taken;
  if (fails[0] == fails[1] || failing == 0) return taken;
  note("a check at " + text(kernel_, branch.where) +
       " fails with the numbers of this run, which are assumed in part, and is taken to hold");
  return fails[0] ? 0 : lanes;
}

// Lanes that may go both ways are in both arms at once; afterwards what these write is unknown.
void executor::split_in_both(warp& of, std::uint64_t taken, std::uint64_t not_taken,
                             const decision& how) {
  lane_scope& in = of.scopes.back();
  const lane_group before = in.ready.back();
  const std::vector<int>& to =
      prepared_.block(before.block)[static_cast<std::size_t>(before.at)].does->blocks;
  lane_scope inner;
  inner.meets_in = prepared_.analysis().meets_in(before.block);
  inner.is_possible = true;
  inner.origin = how.origin;
  inner.between = &prepared_.analysis().region_of(before.block);
  inner.doubtful = how.both;
  inner.lanes = before.lanes;
  in.ready.pop_back();
  arrive(inner, before.block, to[0], taken | how.both);
  arrive(inner, before.block, to[1], not_taken | how.both);
  // Groups that wait in between would go on with those that come, if any do.
  const std::vector<int>& between = inner.between->blocks;
  for (std::vector<lane_group>* const groups : {&in.ready, &in.waiting})
    for (std::size_t at = groups->size(); at-- > 0;) {
      const lane_group group = (*groups)[at];
      if (!std::binary_search(between.begin(), between.end(), group.block)) continue;
      groups->erase(groups->begin() + static_cast<std::ptrdiff_t>(at));
      inner.doubtful |= inner.lanes & group.lanes;
      inner.lanes |= group.lanes;
      add_to(inner, group);
    }
  if (inner.meets_in != the_end) arrive(in, before.block, inner.meets_in, inner.lanes);
  of.scopes.push_back(std::move(inner));
}

void executor::leave(warp& of, const step& one) {
  lane_scope& in = of.scopes.back();
  const std::uint64_t lanes = in.ready.back().lanes;
  if (one.does->what == "trap" && !in.is_possible)
    throw cannot_run(one.does->where,
                     thread_of(of, std::countr_zero(lanes)) + " reaches a trap: a check has failed",
                     "give the block, the grid and the arguments that the kernel is written for",
                     {missing_fact::kind::check});
  in.ready.pop_back();
  if (!in.is_possible) of.live &= ~lanes;
  forget_doubtful(of);
}

executor::decision executor::decide_unknown(warp& of, const step& one, std::uint64_t lanes,
                                            int origin) {
  const int block = of.scopes.back().ready.back().block;
  const instruction& does = *one.does;
  const int line = does.where.line;
  for (std::size_t arm = 0; arm < 2; ++arm)
    if (prepared_.analysis().only_fails(does.blocks[arm]) &&
        !prepared_.analysis().only_fails(does.blocks[1 - arm])) {
      note("a check at " + text(kernel_, does.where) + ", which depends on " +
           origins_.text(origin) + ", is taken to hold");
      return {.taken = arm == 0 ? 0 : lanes};
    }
  const region& between = prepared_.analysis().region_of(block);
  if (must_be_given(origin))
    depends(does.where, between.repeats_the_branch ? "the end of the loop" : "a branch", origin,
            "");
  const auto passed_over = [&]() -> decision {
    pass_over(of, between, does.where, lanes, origin);
    return {.waiting = lanes};
  };
  if (!between.decides_about_shared && !between.decides_about_global) return passed_over();
  auto assumed = assumed_.find(line);
  // A number of iterations is that of the loop that ends in this line, not of its other branches.
  const bool is_of_loop = assumed != assumed_.end() && assumed->second.goes_on;
  if (is_of_loop && (loop_ends_.of(block) >= 0 || !is_end_of_loop(does.where)))
    return assumed_passes(of, one, *assumed->second.goes_on, lanes, origin);
  const auto decide_as_assumed = [&]() -> decision {
    const auto [arm, is_new] = assumed_arms_.try_emplace(block, false);
    if (is_new) {
      arm->second = assumed_arm(one, block, between, assumed->second.is_taken);
      note("line " + std::to_string(line) + " was assumed to " +
           what_is_assumed(one, block, assumed->second.is_taken, arm->second) + "; it depends on " +
           origins_.text(origin));
    }
    return {.taken = arm->second ? lanes : 0};
  };
  if (assumed != assumed_.end() && !is_of_loop) return decide_as_assumed();
  const std::string number = std::to_string(line);
  // Requests to global memory alone have bounds where they are not counted, but for loops.
  const bool has_remedy = between.decides_about_shared || how_.requires_branches;
  if (!has_remedy && (between.repeats_the_branch || !how_.bounds)) {
    undecided_lines_.insert(line);
    return passed_over();
  }
  if (between.repeats_the_branch)
    depends(does.where, "the end of the loop", origin,
            "its number of iterations is in the data; give --assume " + number +
                (kernel_.loops_are_as_written
                     ? "=4 if each thread goes on 4 times, --assume " + number +
                           "=0..4 with --bounds if it goes on at most 4 times"
                     : "=not-taken to leave the loop here"),
            missing_fact::kind::loop);
  if (how_.bounds &&
      !(between.decides_about_shared ? how_.requires_shared_branches : how_.requires_branches)) {
    undecided_lines_.insert(line);
    return {.both = lanes, .origin = origin};
  }
  assumed = assume_branch(
      does.where,
      between.decides_about_shared ? "a branch that decides about shared memory" : "a branch",
      origin,
      "give --assume " + number + "=taken or --assume " + number +
          "=not-taken, or --bounds for the least and the most");
  return decide_as_assumed();
}

// True if a loop ends in this line.
bool executor::is_end_of_loop(const place& where) const {
  for (std::size_t block = 0; block < kernel_.blocks.size(); ++block) {
    const std::vector<instruction>& all = kernel_.blocks[block].instructions;
    if (!all.empty() && all.back().where.file == where.file &&
        all.back().where.line == where.line && loop_ends_.of(static_cast<int>(block)) >= 0)
      return true;
  }
  return false;
}

bool executor::is_jump(const place& where) const {
  return kernel_.guarded_jumps.count({where.file, where.line}) > 0;
}

std::string executor::what_is_assumed(const step& one, int block, bool holds, bool first) const {
  if (loop_ends_.of(block) >= 0)
    return holds != is_jump(one.does->where) ? "go on with the loop" : "leave the loop";
  const int line = prepared_.analysis().arms_of(block).first_line[first ? 0 : 1];
  return std::string(holds ? "be taken" : "be not taken") +
         (line == 0 ? "" : ", so that line " + std::to_string(line) + " is executed");
}

executor::decision executor::assumed_passes(const warp& of, const step& one,
                                            const iterations& goes_on, std::uint64_t lanes,
                                            int origin) {
  const place& where = one.does->where;
  const int block = of.scopes.back().ready.back().block;
  const int number = loop_ends_.of(block);
  if (number < 0) refuse_passes(where);
  if (!kernel_.loops_are_as_written)
    throw cannot_run(where, "the loop's number of iterations is not that of the source",
                     "give the source instead of PTX, in which loops may be unrolled");
  const loop_ends::loop_end& loop = loop_ends_.all()[static_cast<std::size_t>(number)];
  const auto& [least, most] = goes_on;
  note("line " + std::to_string(where.line) + " was assumed to go on " + std::to_string(least) +
       (least == most ? "" : " to " + std::to_string(most)) + (most == 1 ? " time" : " times") +
       "; it depends on " + origins_.text(origin));
  const std::uint64_t stays = of.passes.below(number, least, lanes);
  const std::uint64_t both = of.passes.below(number, most, lanes) & ~stays;
  if (both != 0 && !how_.bounds)
    throw cannot_run(where, "whether the loop goes on is not known",
                     "give --bounds for the least and the most");
  for (const int other : prepared_.analysis().region_of(block).blocks) {
    const auto& next = successors(kernel_.blocks[static_cast<std::size_t>(other)]);
    if (both != 0 && !loop.in_loop[static_cast<std::size_t>(other)] &&
        std::find(next.begin(), next.end(), loop.header) != next.end())
      throw cannot_run(where, "threads that leave the loop here may come to it again before others",
                       "give one number, --assume " + std::to_string(where.line) + "=4");
  }
  return {
      .taken = loop.first_stays ? stays : lanes & ~stays & ~both, .both = both, .origin = origin};
}

void executor::refuse_passes(const place& where) const {
  throw cannot_run(where, "no loop ends here, so that it cannot go on some number of times",
                   "give --assume " + std::to_string(where.line) + "=taken or =not-taken",
                   {missing_fact::kind::loop});
}

// True if the first of the two blocks is entered.
bool executor::assumed_arm(const step& one, int block, const region& between, bool holds) {
  const std::vector<int>& to = one.does->blocks;
  const int meets_in = prepared_.analysis().meets_in(block);
  const int number = loop_ends_.of(block);
  const bool first =
      holds == (number >= 0 ? loop_ends_.all()[static_cast<std::size_t>(number)].first_stays !=
                                  is_jump(one.does->where)
                            : prepared_.analysis().arms_of(block).is_guarded_first);
  // A loop that nothing else ends must end here.
  const int entered = to[first ? 0 : 1];
  const bool has_other_end =
      std::any_of(between.blocks.begin(), between.blocks.end(), [&](int inner) {
        const auto& next = successors(kernel_.blocks[static_cast<std::size_t>(inner)]);
        return inner != block && std::find(next.begin(), next.end(), meets_in) != next.end();
      });
  if (between.repeats_the_branch && entered != meets_in && !has_other_end)
    throw cannot_run(one.does->where, "the loop would never end if its condition always held",
                     "give --assume " + std::to_string(one.does->where.line) + "=not-taken");
  return first;
}

// Everything that the region between a branch and its end writes becomes unknown.
void executor::pass_over(warp& of, const region& over, const place& branch, std::uint64_t lanes,
                         int origin) {
  const std::string at = text(kernel_, branch);
  const std::string reason = "it is behind a branch" + (at.empty() ? at : " at " + at) +
                             " that depends on " + origins_.text_with_remedy(origin);
  for (const int number : over.written) of.registers.mark(number, lanes, lanes, origin);
  for (const int block : over.blocks)
    for (const step& one : prepared_.block(block)) {
      leave_out(of, one, lanes, false);
      if (one.does->does != opcode::access) continue;
      const memory_access& memory = one.does->memory;
      if (memory.memory == memory_kind::global || memory.memory == memory_kind::generic)
        recorder_.mark_partial(one.global_access, reason);
      if (memory.does != access_does::load) access_local(of, one, 0, lanes, origin, nullptr);
      // The store may have been made.
      if (memory.does != access_does::load && memory.memory != memory_kind::local)
        store_somewhere(*one.does);
    }
}

}  // namespace compiled
