// SPDX-License-Identifier: MIT
#include "branch_arms.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "../code/control_flow.hpp"

namespace compiled {

namespace {

// The blocks from an arm of the branch at the end of `block` on, up to where both arms join and
// before this branch is executed again.
std::vector<bool> blocks_of_arm(const kernel_code& kernel, int block, int meets_in,
                                std::size_t arm) {
  std::vector<bool> result(kernel.blocks.size());
  mark_reached(
      {successors(kernel.blocks[slot(block)])[arm]}, result,
      [&](int current) -> const auto& { return successors(kernel.blocks[slot(current)]); },
      [&](int current) { return current != meets_in && current != block; });
  return result;
}

bool has_own_place(const instruction& code) {
  // Values that go along an edge have the place of the branch.
  return code.operation != opcode::branch && code.operation != opcode::move &&
         code.operation != opcode::leave && code.location.line > 0;
}

// True if what comes after an edge, up to `end`, has code beside that of a condition.
template <class IsOfCondition>
bool has_code(const kernel_code& kernel, int block, int end, IsOfCondition is_of_condition) {
  for (std::size_t steps = 0; block != end && steps < kernel.blocks.size(); ++steps) {
    const code_block& current = kernel.blocks[slot(block)];
    const auto own = std::ranges::find_if(current.instructions, has_own_place);
    if (own != current.instructions.end()) return !is_of_condition(own->location);
    const std::vector<int>& next = successors(current);
    if (next.size() != 1) return false;
    block = next[0];
  }
  return false;
}

// 1 outside of inlined functions.
std::size_t call_depth(const kernel_code& kernel, const place& code) {
  return code.calls < 0 ? 1 : kernel.calls[slot(code.calls)].size();
}

// The place of the code in the function of a branch of this call depth: inlined code has the place
// of its call there. Lines of other functions are no order of the arms.
place place_at_depth(const kernel_code& kernel, const place& code, std::size_t depth) {
  const std::size_t own_depth = call_depth(kernel, code);
  if (own_depth <= depth) return code;
  return kernel.calls[slot(code.calls)][own_depth - depth];
}

// The places in the function of the branch that only this arm executes.
std::vector<place> own_places(const kernel_code& kernel, int block, int meets_in, std::size_t arm) {
  const code_block& source = kernel.blocks[slot(block)];
  const std::size_t depth = call_depth(kernel, source.instructions.back().location);
  const std::vector<bool> own_arm = blocks_of_arm(kernel, block, meets_in, arm),
                          opposite_arm = blocks_of_arm(kernel, block, meets_in, 1 - arm);
  std::vector<place> result;
  for (std::size_t index = 0; index < own_arm.size(); ++index) {
    if (!own_arm[index] || opposite_arm[index]) continue;
    for (const instruction& code : kernel.blocks[index].instructions)
      if (has_own_place(code)) result.push_back(place_at_depth(kernel, code.location, depth));
  }
  std::ranges::sort(result, [](const place& position, const place& other) {
    return std::pair(position.line, position.column) < std::pair(other.line, other.column);
  });
  return result;
}

// True if the first arm is the guarded code: the one that is first in the source, or all that an
// `if` has.
bool is_guarded_first(const kernel_code& kernel, int block, int meets_in,
                      const std::array<std::vector<place>, 2>& own) {
  const place& branch = kernel.blocks[slot(block)].instructions.back().location;
  const auto is_condition = [&](const place& position) {
    return kernel.guarded_jumps.count({position.file, position.line}) > 0;
  };
  // The arm of a guarded jump has no code, and the other one more than the rest of the condition.
  for (std::size_t arm = 0; arm < 2; ++arm)
    if (is_condition(branch) && own[arm].empty() &&
        !std::all_of(own[1 - arm].begin(), own[1 - arm].end(), is_condition))
      return arm == 0;
  // Of `a || b` the arm that is over with a has no code of its own, and the other one has b.
  const auto is_of_line = [&](const place& code) {
    return code.file == branch.file && code.line == branch.line;
  };
  const std::vector<int>& targets = successors(kernel.blocks[slot(block)]);
  for (std::size_t arm = 0; arm < 2; ++arm)
    if (!is_condition(branch) && own[arm].empty() && !own[1 - arm].empty() &&
        std::all_of(own[1 - arm].begin(), own[1 - arm].end(), is_of_line) &&
        has_code(kernel, targets[arm], meets_in, is_of_line))
      return arm == 0;
  if (!own[0].empty() && !own[1].empty()) {
    const place &first = own[0][0], &second = own[1][0];
    return std::pair(first.line, first.column) <= std::pair(second.line, second.column);
  }
  if (!own[0].empty() || !own[1].empty()) {
    const std::vector<place>& places = own[own[0].empty() ? 1 : 0];
    const auto match = kernel.else_branches.find({branch.file, branch.line});
    const auto is_else = [&](const place& candidate) {
      const auto order = [](const place& location) {
        return std::pair(location.line, location.column);
      };
      const auto& [first, last] = match->second;
      return candidate.file == branch.file && order(first) <= order(candidate) &&
             order(candidate) <= order(last);
    };
    // Passes have left the code behind `else` alone.
    const bool is_other =
        match != kernel.else_branches.end() && std::ranges::all_of(places, is_else);
    return !own[0].empty() != is_other;
  }
  return successors(kernel.blocks[slot(block)])[0] != meets_in;
}

}  // namespace

branch_arms arms_of_branch(const kernel_code& kernel, int block, int meets_in) {
  const std::array<std::vector<place>, 2> own = {own_places(kernel, block, meets_in, 0),
                                                 own_places(kernel, block, meets_in, 1)};
  branch_arms result;
  result.is_guarded_first = is_guarded_first(kernel, block, meets_in, own);
  for (std::size_t arm = 0; arm < 2; ++arm)
    if (!own[arm].empty()) result.first_line[arm] = own[arm][0].line;
  return result;
}

}  // namespace compiled
