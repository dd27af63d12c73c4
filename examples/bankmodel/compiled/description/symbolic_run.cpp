// SPDX-License-Identifier: MIT
#include "symbolic_run.hpp"

#include <algorithm>

namespace compiled {

namespace {

bool are_equal(const path_item& item, const path_item& other) {
  if (item.loop != other.loop) return false;
  return item.loop >= 0 || are_equal(item.truth, other.truth);
}

// Each loop is run twice, so that the innermost of n is run 2^n times.
constexpr int most_nested_loops = 8;
constexpr long long most_kept_registers = 1 << 24;  // of all blocks together

int depth_of(int loop, const loop_structure& structure) {
  int depth = 0;
  for (; loop >= 0; loop = structure.loops[slot(loop)].parent) ++depth;
  return depth;
}

// Why a kernel with these loops is not run; empty if it is.
std::string not_run(const loop_structure& structure, int registers) {
  if (!structure.is_reducible) return "the kernel has a loop with two entries";
  for (std::size_t loop = 0; loop < structure.loops.size(); ++loop)
    if (depth_of(static_cast<int>(loop), structure) > most_nested_loops)
      return "the kernel has more than 8 nested loops";
  // Each block keeps its registers, and a loop is run twice.
  long long kept = 0;
  for (const int loop : structure.innermost) kept += (1ll << depth_of(loop, structure)) * registers;
  if (kept > most_kept_registers) return "the code of the kernel is too large for a formula";
  return {};
}

// The test of a loop with bounds, in iteration `trip`.
condition_pointer below_end(const counted_loop& loop) {
  condition result;
  result.is = condition::kind::comparison;
  result.left = loop.first + atom_form(loop.trip) * loop.step;
  result.right = loop.last;
  if (loop.step < 0) std::swap(result.left, result.right);
  return std::make_shared<const condition>(std::move(result));
}

constexpr char no_path[] = "it is executed under a condition that is not known";

}  // namespace

symbolic_run::symbolic_run(const kernel_analysis& analysis, const launch& settings,
                           missing_arguments missing)
    : kernel_(analysis.kernel()),
      analysis_(analysis),
      structure_(analysis.loops()),
      evaluator_(analysis, settings, missing),
      results_(kernel_.blocks.size()),
      counted_(structure_.loops.size()),
      entries_(structure_.loops.size()),
      header_(structure_.loops.size()),
      has_symbols_(missing == missing_arguments::are_symbols) {
  int accesses = 0;
  for (const code_block& block : kernel_.blocks) {
    first_access_.push_back(accesses);
    for (const instruction& code : block.instructions) accesses += code.operation == opcode::access;
  }
  accesses_.resize(slot(accesses));
  for (std::size_t block = 0; block < kernel_.blocks.size(); ++block) {
    int number = first_access_[block];
    for (const instruction& code : kernel_.blocks[block].instructions) {
      if (code.operation != opcode::access) continue;
      symbolic_access& access = accesses_[slot(number)];
      access.code = &code;
      access.number = number++;
      access.path.is_dead = true;
    }
  }
  for (std::size_t loop = 0; loop < counted_.size(); ++loop)
    counted_[loop].trip =
        forms().number_of({atom::kind::trip, static_cast<int>(loop), bm::operation::add, {}, {}});
  const std::string reason = not_run(structure_, kernel_.registers);
  if (reason.empty()) {
    run_blocks(-1);
    return;
  }
  for (symbolic_access& access : accesses_) {
    access.path.is_dead = false;
    access.path.reason = reason;
  }
}

// The blocks of the loop, or of the kernel; those of an inner loop all at once.
void symbolic_run::run_blocks(int loop) {
  for (const int block : structure_.order) {
    if (loop >= 0 && !structure_.loops[slot(loop)].has[slot(block)]) continue;
    const int inner = structure_.innermost[slot(block)];
    if (inner == loop) {
      run_block(block);
      continue;
    }
    if (structure_.loops[slot(inner)].parent == loop &&
        structure_.loops[slot(inner)].header == block)
      run_loop(inner);
  }
}

void symbolic_run::run_block(int block) {
  block_result& result = results_[slot(block)];
  const int loop = structure_.innermost[slot(block)];
  if (loop >= 0 && structure_.loops[slot(loop)].header == block) {
    result.state = header_[slot(loop)];
    result.path = entries_[slot(loop)];
  } else if (block == 0) {
    result.state.assign(slot(kernel_.registers), nullptr);
  } else {
    join(block, -1, result.state, result.path);
  }
  if (loop >= 0 && structure_.loops[slot(loop)].header == block)
    result.path.items.push_back(loop_item(loop, block));
  for (path_item& item : result.path.items)
    if (item.loop >= 0) item = loop_item(item.loop, block);
  execute(block, result);
}

path_item symbolic_run::loop_item(int loop, int block) const {
  path_item result;
  result.loop = loop;
  const int test = counted_[slot(loop)].test;
  result.after_test = test >= 0 && test != block && structure_.dominates(test, block);
  return result;
}

void symbolic_run::enter(const execution_path& path) {
  std::vector<form> facts;
  forms().set_facts({});
  for (const path_item& item : path.items) {
    if (item.loop < 0) {
      add_facts(forms(), item.truth, facts);
    } else {
      const counted_loop& counted = counted_[slot(item.loop)];
      const long long last_trip =
          item.after_test ? std::max(0ll, counted.most_trips - 1) : counted.most_trips;
      forms().set_range(counted.trip, {0, last_trip});
      if (item.after_test && counted.has_bounds) add_facts(forms(), below_end(counted), facts);
      if (item.after_test && !counted.has_bounds && counted.stays != nullptr &&
          counted.stays->is == condition::kind::comparison) {
        forms().set_facts(facts);
        try {
          add_facts(forms(), compared(forms(), *counted.stays), facts);
        } catch (const inexpressible&) {  // a value may wrap around: one fact less
        }
      }
    }
    forms().set_facts(facts);
  }
}

void symbolic_run::execute(int block, block_result& result) {
  enter(result.path);
  int number = first_access_[slot(block)];
  result.branch_condition = nullptr;
  result.reason.clear();
  result.is_done = true;
  for (const instruction& code : kernel_.blocks[slot(block)].instructions) {
    if (code.operation == opcode::access) {
      symbolic_access& access = accesses_[slot(number++)];
      access.path = result.path;
      access.reason.clear();
      try {
        const condition_pointer guard = evaluator_.guard_of(code, result.state);
        if (guard->is != condition::kind::constant)
          access.path.items.push_back({-1, false, guard, code.location});
        else if (!guard->holds)
          access.path.is_dead = true;
      } catch (const inexpressible& guard_error) {
        access.path.has_more = access.path.has_more || access.path.reason.empty();
        if (access.path.reason.empty()) access.path.reason = guard_error.reason;
      }
      try {
        const value_pointer address = evaluator_.value_of(code.operands.at(0), result.state);
        access.address = evaluator_.number_of(code.operands.at(0), result.state, address->bits);
        access.bits = address->bits;
      } catch (const inexpressible& error) {
        access.reason = error.reason;
      }
      if (code.memory.operation == access_does::copy) set_source(code, result.state, access);
    }
    evaluator_.execute(code, result.state);
    if (code.operation != opcode::branch || code.operands.empty()) continue;
    try {
      result.branch_condition = evaluator_.condition_of(code.operands[0], result.state);
    } catch (const inexpressible& error) {
      result.reason = error.reason;
    }
  }
}

void symbolic_run::set_source(const instruction& copy, const symbolic_state& state,
                              symbolic_access& access) {
  access.source_reason.clear();
  try {
    const bool loads_all =
        copy.operands.size() < 3 ||
        (copy.operands[2].is == operand::kind::constant && copy.operands[2].value != 0);
    if (!loads_all) throw inexpressible{"how many bytes a copy loads"};
    const value_pointer address = evaluator_.value_of(copy.operands.at(1), state);
    access.source = evaluator_.number_of(copy.operands.at(1), state, address->bits);
  } catch (const inexpressible& error) {
    access.source_reason = error.reason;
  }
}

bool symbolic_run::is_dead_edge(int origin, int target) const {
  const block_result& source = results_[slot(origin)];
  if (!source.is_done || source.path.is_dead) return true;
  for (int loop = structure_.innermost[slot(origin)]; loop >= 0;
       loop = structure_.loops[slot(loop)].parent) {
    const auto& edges = counted_[slot(loop)].left_out;
    if (includes(edges, std::pair(origin, target))) return true;
  }
  if (source.branch_condition == nullptr ||
      source.branch_condition->is != condition::kind::constant)
    return false;
  const auto& next = successors(kernel_.blocks[slot(origin)]);
  return next[source.branch_condition->holds ? 0 : 1] != target;
}

// The state and the path at the start of a block: of its predecessors outside `loop`, if it is the
// header of one.
void symbolic_run::join(int block, int loop, symbolic_state& state, execution_path& path) {
  std::vector<int> predecessors;
  for (const int predecessor : structure_.predecessors[slot(block)])
    if ((loop < 0 || !structure_.loops[slot(loop)].has[slot(predecessor)]) &&
        !is_dead_edge(predecessor, block))
      predecessors.push_back(predecessor);
  path = {};
  path.is_dead = predecessors.empty();
  if (predecessors.empty()) {
    state.assign(slot(kernel_.registers), nullptr);
    return;
  }
  state = results_[slot(predecessors[0])].state;
  leave_loops(predecessors[0], block, state);
  symbolic_state after_loops;
  for (std::size_t number = 1; number < predecessors.size(); ++number) {
    const symbolic_state* other = &results_[slot(predecessors[number])].state;
    if (structure_.innermost[slot(predecessors[number])] != structure_.innermost[slot(block)]) {
      after_loops = *other;
      leave_loops(predecessors[number], block, after_loops);
      other = &after_loops;
    }
    const execution_path paths[] = {path_along(predecessors[0], block),
                                    path_along(predecessors[number], block)};
    for (std::size_t reg = 0; reg < state.size(); ++reg) {
      const value_pointer& second = (*other)[reg];
      if (state[reg] == nullptr || state[reg] == second) continue;
      state[reg] =
          second == nullptr ? nullptr : met(state[reg], second, paths, predecessors.size());
    }
  }
  path = path_of(block, predecessors);
}

// The value where two ways meet. One of two values is also the other one if the conditions of the
// other way say so.
value_pointer symbolic_run::met(const value_pointer& first, const value_pointer& second,
                                const execution_path (&paths)[2], std::size_t ways) {
  if (are_equal(first, second)) return first;
  const bool are_numbers =
      first->is == symbolic_value::kind::number && second->is == symbolic_value::kind::number;
  for (const int way : {1, 0}) {
    if (!are_numbers || (way == 0 && ways > 2) || !paths[way].reason.empty()) continue;
    enter(paths[way]);
    try {
      const value_range difference = forms().range_of(first->number - second->number);
      if (difference.lowest == 0 && difference.highest == 0)
        return number_value((way == 1 ? first : second)->number,
                            std::min(first->bits, second->bits));
    } catch (const inexpressible&) {  // more than 64 bits apart
    }
  }
  return unknown_value("a value that differs between the ways to this place");
}

// Values that change in a loop have their last ones after it.
void symbolic_run::leave_loops(int origin, int target, symbolic_state& state) {
  for (int loop = structure_.innermost[slot(origin)];
       loop >= 0 && !structure_.loops[slot(loop)].has[slot(target)];
       loop = structure_.loops[slot(loop)].parent)
    for (value_pointer& value : state)
      if (value != nullptr) value = after_loop(loop, value);
}

bool symbolic_run::meets_all_of(int block, int dominator) const {
  for (int meeting = analysis_.meets_in(dominator); meeting >= 0;
       meeting = analysis_.meets_in(meeting))
    if (meeting == block) return true;
  return false;
}

// The path of the loop that is left, or of the block.
execution_path symbolic_run::path_along(int origin, int target) {
  execution_path result = results_[slot(origin)].path;
  bool leaves = false;
  for (int loop = structure_.innermost[slot(origin)];
       loop >= 0 && !structure_.loops[slot(loop)].has[slot(target)];
       loop = structure_.loops[slot(loop)].parent) {
    result = entries_[slot(loop)];
    leaves = true;
    if (structure_.loops[slot(loop)].exits.size() - counted_[slot(loop)].left_out.size() > 1) {
      result.reason = no_path;
      result.has_more = false;
    }
  }
  if (leaves) return result;
  const block_result& source = results_[slot(origin)];
  const auto& next = successors(kernel_.blocks[slot(origin)]);
  const int loop = structure_.innermost[slot(origin)];
  if (next.size() < 2 || (loop >= 0 && counted_[slot(loop)].test == origin)) return result;
  if (source.branch_condition == nullptr) {
    result.has_more = result.reason.empty() || result.has_more;
    result.reason = source.reason;
  } else if (source.branch_condition->is != condition::kind::constant)
    result.items.push_back(
        {-1, false, next[0] == target ? source.branch_condition : opposite(source.branch_condition),
         kernel_.blocks[slot(origin)].instructions.back().location});
  return result;
}

execution_path symbolic_run::path_of(int block, const std::vector<int>& predecessors) {
  const int dominator = structure_.dominator[slot(block)];
  if (meets_all_of(block, dominator)) {
    // Whoever was there comes here: branches in between do not matter.
    execution_path result = results_[slot(dominator)].path;
    for (int loop = structure_.innermost[slot(dominator)];
         loop >= 0 && !structure_.loops[slot(loop)].has[slot(block)];
         loop = structure_.loops[slot(loop)].parent)
      result = entries_[slot(loop)];
    return result;
  }
  std::vector<execution_path> paths;
  for (const int predecessor : predecessors) paths.push_back(path_along(predecessor, block));
  execution_path result = paths[0];
  for (const execution_path& path : paths) {
    if (!path.reason.empty()) {
      result.has_more = path.has_more && (result.reason.empty() || result.has_more);
      result.reason = path.reason;
    }
    std::size_t common = 0;
    while (common < result.items.size() && common < path.items.size() &&
           are_equal(result.items[common], path.items[common]))
      ++common;
    place position;
    const auto rest = [&](const execution_path& branch_path) {
      condition_pointer truth = constant_condition(true);
      for (std::size_t item = common; item < branch_path.items.size(); ++item) {
        if (branch_path.items[item].loop >= 0) {
          result.reason = no_path;
          result.has_more = false;
        }
        if (branch_path.items[item].loop < 0)
          truth = conjunction(truth, branch_path.items[item].truth);
        if (position.line == 0) position = branch_path.items[item].location;
      }
      return truth;
    };
    condition_pointer truth = constant_condition(true);
    try {
      truth = disjunction(rest(result), rest(path));
    } catch (const inexpressible& error) {
      result.has_more = result.reason.empty() || result.has_more;
      result.reason = error.reason;
    }
    result.items.resize(common);
    if (truth->is != condition::kind::constant)
      result.items.push_back({-1, false, truth, position});
    result.is_dead = truth->is == condition::kind::constant && !truth->holds;
  }
  return result;
}

}  // namespace compiled
