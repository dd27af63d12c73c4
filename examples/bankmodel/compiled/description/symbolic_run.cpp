// SPDX-License-Identifier: MIT
#include "symbolic_run.hpp"

#include <algorithm>

namespace compiled {

namespace {

bool are_equal(const path_item& one, const path_item& other) {
  if (one.loop != other.loop) return false;
  return one.loop >= 0 || are_equal(one.truth, other.truth);
}

// Each loop is run twice, so that the innermost of n is run 2^n times.
constexpr int most_nested_loops = 8;
constexpr long long most_kept_registers = 1 << 24;  // of all blocks together

int depth_of(int loop, const loop_structure& in) {
  int depth = 0;
  for (; loop >= 0; loop = in.loops[at(loop)].parent) ++depth;
  return depth;
}

// Why a kernel with these loops is not run; empty if it is.
std::string not_run(const loop_structure& of, int registers) {
  if (!of.is_reducible) return "the kernel has a loop with two entries";
  for (std::size_t loop = 0; loop < of.loops.size(); ++loop)
    if (depth_of(static_cast<int>(loop), of) > most_nested_loops)
      return "the kernel has more than 8 nested loops";
  // Each block keeps its registers, and a loop is run twice.
  long long kept = 0;
  for (const int loop : of.innermost) kept += (1ll << depth_of(loop, of)) * registers;
  if (kept > most_kept_registers) return "the code of the kernel is too large for a formula";
  return {};
}

// The test of a loop with bounds, in iteration `trip`.
condition_pointer below_end(const counted_loop& of) {
  condition result;
  result.is = condition::kind::comparison;
  result.left = of.first + atom_form(of.trip) * of.step;
  result.right = of.last;
  if (of.step < 0) std::swap(result.left, result.right);
  return std::make_shared<const condition>(std::move(result));
}

constexpr char no_path[] = "it is executed under a condition that is not known";

}  // namespace

symbolic_run::symbolic_run(const kernel_analysis& analysis, const launch& how,
                           missing_arguments missing)
    : kernel_(analysis.kernel()),
      analysis_(analysis),
      structure_(analysis.loops()),
      evaluator_(analysis, how, missing),
      results_(kernel_.blocks.size()),
      counted_(structure_.loops.size()),
      around_(structure_.loops.size()),
      header_(structure_.loops.size()),
      has_symbols_(missing == missing_arguments::are_symbols) {
  int accesses = 0;
  for (const code_block& block : kernel_.blocks) {
    first_access_.push_back(accesses);
    for (const instruction& one : block.instructions) accesses += one.does == opcode::access;
  }
  accesses_.resize(at(accesses));
  for (std::size_t block = 0; block < kernel_.blocks.size(); ++block) {
    int number = first_access_[block];
    for (const instruction& one : kernel_.blocks[block].instructions) {
      if (one.does != opcode::access) continue;
      symbolic_access& to = accesses_[at(number)];
      to.does = &one;
      to.number = number++;
      to.path.is_dead = true;
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
  for (symbolic_access& one : accesses_) {
    one.path.is_dead = false;
    one.path.reason = reason;
  }
}

// The blocks of the loop, or of the kernel; those of an inner loop all at once.
void symbolic_run::run_blocks(int loop) {
  for (const int block : structure_.order) {
    if (loop >= 0 && !structure_.loops[at(loop)].has[at(block)]) continue;
    const int in = structure_.innermost[at(block)];
    if (in == loop) {
      run_block(block);
      continue;
    }
    if (structure_.loops[at(in)].parent == loop && structure_.loops[at(in)].header == block)
      run_loop(in);
  }
}

void symbolic_run::run_block(int block) {
  block_result& to = results_[at(block)];
  const int loop = structure_.innermost[at(block)];
  if (loop >= 0 && structure_.loops[at(loop)].header == block) {
    to.state = header_[at(loop)];
    to.path = around_[at(loop)];
  } else if (block == 0) {
    to.state.assign(at(kernel_.registers), nullptr);
  } else {
    join(block, -1, to.state, to.path);
  }
  if (loop >= 0 && structure_.loops[at(loop)].header == block)
    to.path.items.push_back(loop_item(loop, block));
  for (path_item& item : to.path.items)
    if (item.loop >= 0) item = loop_item(item.loop, block);
  execute(block, to);
}

path_item symbolic_run::loop_item(int loop, int block) const {
  path_item result;
  result.loop = loop;
  const int test = counted_[at(loop)].test;
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
      const counted_loop& one = counted_[at(item.loop)];
      const long long most = item.after_test ? std::max(0ll, one.most_trips - 1) : one.most_trips;
      forms().set_range(one.trip, {0, most});
      if (item.after_test && one.has_bounds) add_facts(forms(), below_end(one), facts);
      if (item.after_test && !one.has_bounds && one.stays != nullptr &&
          one.stays->is == condition::kind::comparison) {
        forms().set_facts(facts);
        try {
          add_facts(forms(), compared(forms(), *one.stays), facts);
        } catch (const inexpressible&) {  // a value may wrap around: one fact less
        }
      }
    }
    forms().set_facts(facts);
  }
}

void symbolic_run::execute(int block, block_result& to) {
  enter(to.path);
  int number = first_access_[at(block)];
  to.taken = nullptr;
  to.reason.clear();
  to.is_done = true;
  for (const instruction& one : kernel_.blocks[at(block)].instructions) {
    if (one.does == opcode::access) {
      symbolic_access& access = accesses_[at(number++)];
      access.path = to.path;
      access.reason.clear();
      try {
        const condition_pointer guard = evaluator_.guard_of(one, to.state);
        if (guard->is != condition::kind::constant)
          access.path.items.push_back({-1, false, guard, one.where});
        else if (!guard->holds)
          access.path.is_dead = true;
      } catch (const inexpressible& why) {
        access.path.has_more = access.path.has_more || access.path.reason.empty();
        if (access.path.reason.empty()) access.path.reason = why.reason;
      }
      try {
        const value_pointer address = evaluator_.value_of(one.from.at(0), to.state);
        access.address = evaluator_.number_of(one.from.at(0), to.state, address->bits);
        access.bits = address->bits;
      } catch (const inexpressible& why) {
        access.reason = why.reason;
      }
      if (one.memory.does == access_does::copy) set_source(one, to.state, access);
    }
    evaluator_.execute(one, to.state);
    if (one.does != opcode::branch || one.from.empty()) continue;
    try {
      to.taken = evaluator_.condition_of(one.from[0], to.state);
    } catch (const inexpressible& why) {
      to.reason = why.reason;
    }
  }
}

void symbolic_run::set_source(const instruction& copy, const symbolic_state& state,
                              symbolic_access& to) {
  to.source_reason.clear();
  try {
    const bool loads_all = copy.from.size() < 3 ||
                           (copy.from[2].is == operand::kind::constant && copy.from[2].value != 0);
    if (!loads_all) throw inexpressible{"how many bytes a copy loads"};
    const value_pointer address = evaluator_.value_of(copy.from.at(1), state);
    to.source = evaluator_.number_of(copy.from.at(1), state, address->bits);
  } catch (const inexpressible& why) {
    to.source_reason = why.reason;
  }
}

bool symbolic_run::is_dead_edge(int from, int to) const {
  const block_result& source = results_[at(from)];
  if (!source.is_done || source.path.is_dead) return true;
  for (int loop = structure_.innermost[at(from)]; loop >= 0;
       loop = structure_.loops[at(loop)].parent) {
    const auto& edges = counted_[at(loop)].left_out;
    if (std::find(edges.begin(), edges.end(), std::pair(from, to)) != edges.end()) return true;
  }
  if (source.taken == nullptr || source.taken->is != condition::kind::constant) return false;
  const auto& next = successors(kernel_.blocks[at(from)]);
  return next[source.taken->holds ? 0 : 1] != to;
}

// The state and the path at the start of a block: of its predecessors outside `loop`, if it is the
// header of one.
void symbolic_run::join(int block, int loop, symbolic_state& state, execution_path& path) {
  std::vector<int> before;
  for (const int from : structure_.before[at(block)])
    if ((loop < 0 || !structure_.loops[at(loop)].has[at(from)]) && !is_dead_edge(from, block))
      before.push_back(from);
  path = {};
  path.is_dead = before.empty();
  if (before.empty()) {
    state.assign(at(kernel_.registers), nullptr);
    return;
  }
  state = results_[at(before[0])].state;
  leave_loops(before[0], block, state);
  symbolic_state after_loops;
  for (std::size_t number = 1; number < before.size(); ++number) {
    const symbolic_state* other = &results_[at(before[number])].state;
    if (structure_.innermost[at(before[number])] != structure_.innermost[at(block)]) {
      after_loops = *other;
      leave_loops(before[number], block, after_loops);
      other = &after_loops;
    }
    const execution_path along[] = {path_along(before[0], block),
                                    path_along(before[number], block)};
    for (std::size_t reg = 0; reg < state.size(); ++reg) {
      const value_pointer& second = (*other)[reg];
      if (state[reg] == nullptr || state[reg] == second) continue;
      state[reg] = second == nullptr ? nullptr : met(state[reg], second, along, before.size());
    }
  }
  path = path_of(block, before);
}

// The value where two ways meet. One of two values is also the other one if the conditions of the
// other way say so.
value_pointer symbolic_run::met(const value_pointer& first, const value_pointer& second,
                                const execution_path (&along)[2], std::size_t ways) {
  if (are_equal(first, second)) return first;
  const bool are_numbers =
      first->is == symbolic_value::kind::number && second->is == symbolic_value::kind::number;
  for (const int way : {1, 0}) {
    if (!are_numbers || (way == 0 && ways > 2) || !along[way].reason.empty()) continue;
    enter(along[way]);
    try {
      const value_range difference = forms().range_of(first->number - second->number);
      if (difference.least == 0 && difference.most == 0)
        return number_value((way == 1 ? first : second)->number,
                            std::min(first->bits, second->bits));
    } catch (const inexpressible&) {  // more than 64 bits apart
    }
  }
  return unknown_value("a value that differs between the ways to this place");
}

// Values that change in a loop have their last ones after it.
void symbolic_run::leave_loops(int from, int to, symbolic_state& state) {
  for (int loop = structure_.innermost[at(from)];
       loop >= 0 && !structure_.loops[at(loop)].has[at(to)];
       loop = structure_.loops[at(loop)].parent)
    for (value_pointer& each : state)
      if (each != nullptr) each = after_loop(loop, each);
}

bool symbolic_run::meets_all_of(int block, int dominator) const {
  for (int one = analysis_.meets_in(dominator); one >= 0; one = analysis_.meets_in(one))
    if (one == block) return true;
  return false;
}

// The path of the loop that is left, or of the block.
execution_path symbolic_run::path_along(int from, int to) {
  execution_path result = results_[at(from)].path;
  bool leaves = false;
  for (int loop = structure_.innermost[at(from)];
       loop >= 0 && !structure_.loops[at(loop)].has[at(to)];
       loop = structure_.loops[at(loop)].parent) {
    result = around_[at(loop)];
    leaves = true;
    if (structure_.loops[at(loop)].exits.size() - counted_[at(loop)].left_out.size() > 1) {
      result.reason = no_path;
      result.has_more = false;
    }
  }
  if (leaves) return result;
  const block_result& source = results_[at(from)];
  const auto& next = successors(kernel_.blocks[at(from)]);
  const int loop = structure_.innermost[at(from)];
  if (next.size() < 2 || (loop >= 0 && counted_[at(loop)].test == from)) return result;
  if (source.taken == nullptr) {
    result.has_more = result.reason.empty() || result.has_more;
    result.reason = source.reason;
  } else if (source.taken->is != condition::kind::constant)
    result.items.push_back({-1, false, next[0] == to ? source.taken : opposite(source.taken),
                            kernel_.blocks[at(from)].instructions.back().where});
  return result;
}

execution_path symbolic_run::path_of(int block, const std::vector<int>& before) {
  const int dominator = structure_.dominator[at(block)];
  if (meets_all_of(block, dominator)) {
    // Whoever was there comes here: branches in between do not matter.
    execution_path result = results_[at(dominator)].path;
    for (int loop = structure_.innermost[at(dominator)];
         loop >= 0 && !structure_.loops[at(loop)].has[at(block)];
         loop = structure_.loops[at(loop)].parent)
      result = around_[at(loop)];
    return result;
  }
  std::vector<execution_path> all;
  for (const int from : before) all.push_back(path_along(from, block));
  execution_path result = all[0];
  for (const execution_path& one : all) {
    if (!one.reason.empty()) {
      result.has_more = one.has_more && (result.reason.empty() || result.has_more);
      result.reason = one.reason;
    }
    std::size_t common = 0;
    while (common < result.items.size() && common < one.items.size() &&
           are_equal(result.items[common], one.items[common]))
      ++common;
    place where;
    const auto rest = [&](const execution_path& of) {
      condition_pointer truth = constant_condition(true);
      for (std::size_t item = common; item < of.items.size(); ++item) {
        if (of.items[item].loop >= 0) {
          result.reason = no_path;
          result.has_more = false;
        }
        if (of.items[item].loop < 0) truth = both(truth, of.items[item].truth);
        if (where.line == 0) where = of.items[item].where;
      }
      return truth;
    };
    condition_pointer truth = constant_condition(true);
    try {
      truth = either(rest(result), rest(one));
    } catch (const inexpressible& why) {
      result.has_more = result.reason.empty() || result.has_more;
      result.reason = why.reason;
    }
    result.items.resize(common);
    if (truth->is != condition::kind::constant) result.items.push_back({-1, false, truth, where});
    result.is_dead = truth->is == condition::kind::constant && !truth->holds;
  }
  return result;
}

}  // namespace compiled
