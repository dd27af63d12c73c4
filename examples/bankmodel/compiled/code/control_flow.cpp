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
  return last != nullptr && last->operation == opcode::leave && last->description == "trap";
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
    const auto& following = next[static_cast<std::size_t>(node)];
    if (done == following.size()) {
      order.push_back(node);
      path.pop_back();
      continue;
    }
    const int successor = following[done++];
    if (seen[static_cast<std::size_t>(successor)]) continue;
    seen[static_cast<std::size_t>(successor)] = true;
    path.push_back({successor, 0});
  }
  return order;
}

bool leaves(const code_block& block) {
  const instruction* const last = last_of(block);
  return last != nullptr && last->operation == opcode::leave && !is_trap(last);
}

}  // namespace

const std::vector<int>& successors(const code_block& block) {
  static const std::vector<int> none;
  const instruction* const last = last_of(block);
  return last != nullptr && last->operation == opcode::branch ? last->blocks : none;
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
    for (std::size_t index = fails.size(); index-- > 0;) {
      const code_block& block = kernel.blocks[index];
      const auto& next = successors(block);
      if (!fails[index] ||
          (!leaves(block) && std::all_of(next.begin(), next.end(), [&](int successor) {
            return fails[static_cast<std::size_t>(successor)];
          })))
        continue;
      fails[index] = false;
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
  graph predecessors(count + 1);
  for (std::size_t node = 0; node < count; ++node) {
    if (ends[node]) predecessors[count].push_back(static_cast<int>(node));
    for (const int successor : next[node])
      predecessors[static_cast<std::size_t>(successor)].push_back(static_cast<int>(node));
  }
  const std::vector<int> order = ends_first(predecessors, end);
  constexpr int unset = -2;
  std::vector<int> rank(count + 1, unset), result(count + 1, unset);
  for (std::size_t position = 0; position < order.size(); ++position)
    rank[static_cast<std::size_t>(order[position])] = static_cast<int>(position);
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
    for (auto iterator = order.rbegin() + 1; iterator < order.rend(); ++iterator) {
      const auto block = static_cast<std::size_t>(*iterator);
      int dominator = ends[block] ? end : unset;
      for (const int successor : next[block]) {
        if (result[static_cast<std::size_t>(successor)] == unset) continue;
        dominator = dominator == unset ? successor : met(dominator, successor);
      }
      if (dominator == result[block]) continue;
      result[block] = dominator;
      changed = true;
    }
  }
  result.pop_back();
  for (int& node : result)  // also of loops without end
    if (node == unset || node == end) node = the_end;
  return result;
}

std::vector<int> post_dominators(const kernel_code& kernel) {
  const std::size_t count = kernel.blocks.size();
  const std::vector<bool> fails = only_fails(kernel);
  graph next(count);
  std::vector<bool> ends(count);
  for (std::size_t index = 0; index < count; ++index) {
    ends[index] = leaves(kernel.blocks[index]);
    for (const int successor : successors(kernel.blocks[index]))
      if (!fails[static_cast<std::size_t>(successor)]) next[index].push_back(successor);
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
    const int node = left.back();
    left.pop_back();
    if (node == meets_in || seen[static_cast<std::size_t>(node)]) continue;
    seen[static_cast<std::size_t>(node)] = true;
    result.blocks.push_back(node);
    const code_block& code = kernel.blocks[static_cast<std::size_t>(node)];
    result.repeats_the_branch = result.repeats_the_branch || node == block;
    for (const instruction& operation : code.instructions) {
      written.insert(operation.results.begin(), operation.results.end());
      const bool is_counted =
          operation.operation != opcode::unknown && may_access_shared(operation, may_be_shared);
      if (operation.operation == opcode::barrier || is_counted) result.decides_about_shared = true;
      if (may_access_global(operation)) result.decides_about_global = true;
    }
    const auto& next = successors(code);
    left.insert(left.end(), next.begin(), next.end());
  }
  std::sort(result.blocks.begin(), result.blocks.end());
  result.written.assign(written.begin(), written.end());
  return result;
}

int mask_operand(const instruction& operation) {
  const int last = static_cast<int>(operation.operands.size()) - 1;
  switch (operation.operation) {
    case opcode::warp_sync: return last;
    case opcode::vote: return last >= 1 ? 1 : -1;
    case opcode::shuffle: return last >= 3 ? 3 : -1;
    default: return -1;
  }
}

bool is_shared_only(const memory_access& access) {
  return access.memory == memory_kind::shared || access.operation == access_does::copy ||
         access.operation == access_does::load_matrix ||
         access.operation == access_does::store_matrix;
}

bool may_access_shared(const instruction& operation, const std::vector<bool>& may_be_shared) {
  if (operation.operation == opcode::unknown) return operation.may_access_shared;
  if (operation.operation != opcode::access) return false;
  if (is_shared_only(operation.memory)) return true;
  if (operation.memory.memory != memory_kind::generic || operation.operands.empty()) return false;
  const operand& address = operation.operands[0];
  if (address.is == operand::kind::reg) return may_be_shared[address.value];
  return address.is == operand::kind::shared_array ||
         (address.is == operand::kind::constant && (address.value & window_mask) == shared_window);
}

bool may_access_global(const instruction& operation) {
  return operation.operation == opcode::access &&
         (operation.memory.memory == memory_kind::global ||
          operation.memory.memory == memory_kind::generic ||
          operation.memory.operation == access_does::copy);
}

bool may_store_to_blocks(const kernel_code& kernel) {
  bool maps = false, stores = false;
  for (const code_block& block : kernel.blocks)
    for (const instruction& operation : block.instructions) {
      const bool is_store =
          operation.operation == opcode::access &&
          operation.memory.operation != access_does::load &&
          (operation.memory.memory == memory_kind::generic || operation.memory.may_be_of_cluster);
      maps = maps || operation.operation == opcode::map_to_block;
      stores = stores || is_store ||
               (operation.operation == opcode::unknown && operation.may_access_shared &&
                operation.unit != memory_unit::barrier_object);
    }
  return maps && stores;
}

std::vector<bool> may_hold_shared_address(const kernel_code& kernel) {
  std::vector<bool> result(static_cast<std::size_t>(kernel.registers));
  bool is_stored = false;  // an address of shared memory is somewhere in memory
  const auto is_shared = [&](const operand& source) {
    if (source.is == operand::kind::reg) return static_cast<bool>(result[source.value]);
    return source.is == operand::kind::shared_array ||
           (source.is == operand::kind::constant && (source.value & window_mask) == shared_window);
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const code_block& block : kernel.blocks)
      for (const instruction& operation : block.instructions) {
        bool holds = false;
        if (operation.operation == opcode::access) {
          if (operation.memory.operation != access_does::load)
            for (std::size_t number = 1; number < operation.operands.size(); ++number)
              if (!is_stored && is_shared(operation.operands[number])) is_stored = changed = true;
          holds = is_stored;
        } else if (operation.operation == opcode::unknown && operation.may_access_shared &&
                   operation.unit == memory_unit::warp) {
          // It may return an address, or store it.
          if (!is_stored) is_stored = changed = true;
          holds = true;
        } else if (operation.operation < opcode::equal ||
                   operation.operation > opcode::less_equal_unsigned) {
          // The distance of two generic addresses is taken for an address; that costs nothing.
          holds = std::any_of(operation.operands.begin(), operation.operands.end(), is_shared);
        }
        if (!holds) continue;
        for (const int destination : operation.results)
          if (!result[static_cast<std::size_t>(destination)])
            result[static_cast<std::size_t>(destination)] = changed = true;
      }
  }
  return result;
}

}  // namespace compiled
