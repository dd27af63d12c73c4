// SPDX-License-Identifier: MIT
#include "control_flow.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace compiled {

namespace {

const instruction* last_of(const code_block& block) {
  return block.instructions.empty() ? nullptr : &block.instructions.back();
}

bool is_trap(const instruction* last) {
  return last != nullptr && last->does == opcode::leave && last->what == "trap";
}

using graph = std::vector<std::vector<int>>;

// The nodes that `root` reaches, in the order in which a depth-first search is done with them.
std::vector<int> ends_first(const graph& next, int root) {
  std::vector<int> order;
  std::vector<bool> seen(next.size());
  std::vector<std::pair<int, std::size_t>> path;  // a node, and how many successors are done
  seen[static_cast<std::size_t>(root)] = true;
  path.push_back({root, 0});
  while (!path.empty()) {
    auto& [node, done] = path.back();
    const auto& after = next[static_cast<std::size_t>(node)];
    if (done == after.size()) {
      order.push_back(node);
      path.pop_back();
      continue;
    }
    const int to = after[done++];
    if (seen[static_cast<std::size_t>(to)]) continue;
    seen[static_cast<std::size_t>(to)] = true;
    path.push_back({to, 0});
  }
  return order;
}

bool leaves(const code_block& block) {
  const instruction* const last = last_of(block);
  return last != nullptr && last->does == opcode::leave && !is_trap(last);
}

}  // namespace

const std::vector<int>& successors(const code_block& block) {
  static const std::vector<int> none;
  const instruction* const last = last_of(block);
  return last != nullptr && last->does == opcode::branch ? last->blocks : none;
}

std::vector<bool> reached_blocks(const kernel_code& kernel, const std::vector<int>& begins,
                                 int barred) {
  std::vector<bool> result(kernel.blocks.size());
  std::vector<int> open = begins;
  while (!open.empty()) {
    const int block = open.back();
    open.pop_back();
    if (block == barred || result[static_cast<std::size_t>(block)]) continue;
    result[static_cast<std::size_t>(block)] = true;
    const std::vector<int>& next = successors(kernel.blocks[static_cast<std::size_t>(block)]);
    open.insert(open.end(), next.begin(), next.end());
  }
  return result;
}

std::vector<bool> only_fails(const kernel_code& kernel) {
  // At first all do; a block that leaves does not, nor one that goes to such a block.
  std::vector<bool> fails(kernel.blocks.size(), true);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t at = fails.size(); at-- > 0;) {
      const code_block& block = kernel.blocks[at];
      const auto& next = successors(block);
      if (!fails[at] || (!leaves(block) && std::all_of(next.begin(), next.end(), [&](int to) {
            return fails[static_cast<std::size_t>(to)];
          })))
        continue;
      fails[at] = false;
      changed = true;
    }
  }
  return fails;
}

// The algorithm of Cooper, Harvey and Kennedy on the reversed graph, whose entry is the end.
std::vector<int> post_dominators(const std::vector<std::vector<int>>& next,
                                 const std::vector<bool>& ends) {
  const std::size_t count = next.size();
  const auto end = static_cast<int>(count);
  graph before(count + 1);
  for (std::size_t at = 0; at < count; ++at) {
    if (ends[at]) before[count].push_back(static_cast<int>(at));
    for (const int to : next[at])
      before[static_cast<std::size_t>(to)].push_back(static_cast<int>(at));
  }
  const std::vector<int> order = ends_first(before, end);
  constexpr int unset = -2;
  std::vector<int> rank(count + 1, unset), result(count + 1, unset);
  for (std::size_t at = 0; at < order.size(); ++at)
    rank[static_cast<std::size_t>(order[at])] = static_cast<int>(at);
  const auto met = [&](int a, int b) {
    while (a != b) {
      int& lower = rank[static_cast<std::size_t>(a)] < rank[static_cast<std::size_t>(b)] ? a : b;
      lower = result[static_cast<std::size_t>(lower)];
    }
    return a;
  };
  result[count] = end;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto at = order.rbegin() + 1; at < order.rend(); ++at) {
      const auto block = static_cast<std::size_t>(*at);
      int found = ends[block] ? end : unset;
      for (const int to : next[block]) {
        if (result[static_cast<std::size_t>(to)] == unset) continue;
        found = found == unset ? to : met(found, to);
      }
      if (found == result[block]) continue;
      result[block] = found;
      changed = true;
    }
  }
  result.pop_back();
  for (int& one : result)  // also of loops without end
    if (one == unset || one == end) one = the_end;
  return result;
}

std::vector<int> post_dominators(const kernel_code& kernel) {
  const std::size_t count = kernel.blocks.size();
  const std::vector<bool> fails = only_fails(kernel);
  graph next(count);
  std::vector<bool> ends(count);
  for (std::size_t at = 0; at < count; ++at) {
    ends[at] = leaves(kernel.blocks[at]);
    for (const int to : successors(kernel.blocks[at]))
      if (!fails[static_cast<std::size_t>(to)]) next[at].push_back(to);
  }
  return post_dominators(next, ends);
}

region region_between(const kernel_code& kernel, int block, int meets_in,
                      const std::vector<bool>& may_be_shared) {
  region result;
  std::vector<bool> seen(kernel.blocks.size());
  std::vector<int> left = successors(kernel.blocks[static_cast<std::size_t>(block)]);
  std::set<int> written;
  while (!left.empty()) {
    const int at = left.back();
    left.pop_back();
    if (at == meets_in || seen[static_cast<std::size_t>(at)]) continue;
    seen[static_cast<std::size_t>(at)] = true;
    result.blocks.push_back(at);
    const code_block& in = kernel.blocks[static_cast<std::size_t>(at)];
    result.repeats_the_branch = result.repeats_the_branch || at == block;
    for (const instruction& one : in.instructions) {
      written.insert(one.to.begin(), one.to.end());
      const bool is_counted = one.does != opcode::unknown && may_access_shared(one, may_be_shared);
      if (one.does == opcode::barrier || is_counted) result.decides_about_shared = true;
      if (may_access_global(one)) result.decides_about_global = true;
    }
    const auto& next = successors(in);
    left.insert(left.end(), next.begin(), next.end());
  }
  std::sort(result.blocks.begin(), result.blocks.end());
  result.written.assign(written.begin(), written.end());
  return result;
}

int mask_operand(const instruction& one) {
  const int last = static_cast<int>(one.from.size()) - 1;
  switch (one.does) {
    case opcode::warp_sync: return last;
    case opcode::vote: return last >= 1 ? 1 : -1;
    case opcode::shuffle: return last >= 3 ? 3 : -1;
    default: return -1;
  }
}

bool is_shared_only(const memory_access& access) {
  return access.memory == memory_kind::shared || access.does == access_does::copy ||
         access.does == access_does::load_matrix || access.does == access_does::store_matrix;
}

bool may_access_shared(const instruction& one, const std::vector<bool>& may_be_shared) {
  if (one.does == opcode::unknown) return one.may_access_shared;
  if (one.does != opcode::access) return false;
  if (is_shared_only(one.memory)) return true;
  if (one.memory.memory != memory_kind::generic || one.from.empty()) return false;
  const operand& address = one.from[0];
  if (address.is == operand::kind::reg) return may_be_shared[address.value];
  return address.is == operand::kind::shared_array ||
         (address.is == operand::kind::constant && (address.value & window_mask) == shared_window);
}

bool may_access_global(const instruction& one) {
  return one.does == opcode::access &&
         (one.memory.memory == memory_kind::global || one.memory.memory == memory_kind::generic ||
          one.memory.does == access_does::copy);
}

bool may_store_to_blocks(const kernel_code& kernel) {
  bool maps = false, stores = false;
  for (const code_block& block : kernel.blocks)
    for (const instruction& one : block.instructions) {
      const bool is_store =
          one.does == opcode::access && one.memory.does != access_does::load &&
          (one.memory.memory == memory_kind::generic || one.memory.may_be_of_cluster);
      maps = maps || one.does == opcode::map_to_block;
      stores = stores || is_store ||
               (one.does == opcode::unknown && one.may_access_shared &&
                one.unit != memory_unit::barrier_object);
    }
  return maps && stores;
}

std::vector<bool> may_hold_shared_address(const kernel_code& kernel) {
  std::vector<bool> result(static_cast<std::size_t>(kernel.registers));
  bool is_stored = false;  // an address of shared memory is somewhere in memory
  const auto is_shared = [&](const operand& one) {
    if (one.is == operand::kind::reg) return static_cast<bool>(result[one.value]);
    return one.is == operand::kind::shared_array ||
           (one.is == operand::kind::constant && (one.value & window_mask) == shared_window);
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const code_block& block : kernel.blocks)
      for (const instruction& one : block.instructions) {
        bool holds = false;
        if (one.does == opcode::access) {
          if (one.memory.does != access_does::load)
            for (std::size_t at = 1; at < one.from.size(); ++at)
              if (!is_stored && is_shared(one.from[at])) is_stored = changed = true;
          holds = is_stored;
        } else if (one.does == opcode::unknown && one.may_access_shared &&
                   one.unit == memory_unit::warp) {
          // It may return an address, or store it.
          if (!is_stored) is_stored = changed = true;
          holds = true;
        } else if (one.does < opcode::equal || one.does > opcode::less_equal_unsigned) {
          // The distance of two generic addresses is taken for an address; that costs nothing.
          holds = std::any_of(one.from.begin(), one.from.end(), is_shared);
        }
        if (!holds) continue;
        for (const int to : one.to)
          if (!result[static_cast<std::size_t>(to)])
            result[static_cast<std::size_t>(to)] = changed = true;
      }
  }
  return result;
}

}  // namespace compiled
