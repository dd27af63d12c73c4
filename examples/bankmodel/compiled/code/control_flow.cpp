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

graph successors(const kernel_code& kernel) {
  graph result;
  for (const code_block& block : kernel.blocks) result.push_back(successors(block));
  return result;
}

std::vector<int> nodes_in_order(const graph& next, int root) {
  std::vector<int> order;
  std::vector<bool> seen(next.size());
  std::vector<std::pair<int, std::size_t>> path = {{root, 0}};  // and how many successors are done
  seen[slot(root)] = true;
  while (!path.empty()) {
    auto& [node, done] = path.back();
    const std::vector<int>& following = next[slot(node)];
    if (done == following.size()) {
      order.push_back(node);
      path.pop_back();
      continue;
    }
    // The last successor first, so that the first one is first in the result.
    const int successor = following[following.size() - ++done];
    if (seen[slot(successor)]) continue;
    seen[slot(successor)] = true;
    path.push_back({successor, 0});
  }
  std::ranges::reverse(order);
  return order;
}

// The algorithm of Cooper, Harvey and Kennedy.
std::vector<int> dominators(const std::vector<int>& order, const graph& predecessors) {
  std::vector<int> rank(predecessors.size(), -1), result(predecessors.size(), -1);
  for (std::size_t place = 0; place < order.size(); ++place)
    rank[slot(order[place])] = static_cast<int>(place);
  const auto met = [&](int node, int other) {
    while (node != other) {
      int& lower = rank[slot(node)] > rank[slot(other)] ? node : other;
      lower = result[slot(lower)];
    }
    return node;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const int node : order) {
      if (node == order.front()) continue;
      int dominator = -1;
      for (const int predecessor : predecessors[slot(node)])
        if (predecessor == order.front() || result[slot(predecessor)] >= 0)
          dominator = dominator < 0 ? predecessor : met(dominator, predecessor);
      changed = changed || result[slot(node)] != dominator;
      result[slot(node)] = dominator;
    }
  }
  return result;
}

std::vector<bool> reached_blocks(const kernel_code& kernel, const std::vector<int>& begins,
                                 int barred) {
  std::vector<bool> result(kernel.blocks.size());
  mark_reached(
      begins, result,
      [&](int block) -> const auto& { return successors(kernel.blocks[slot(block)]); },
      [&](int block) { return block != barred; });
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
      if (!fails[index] || (!leaves(block) && std::ranges::all_of(next, [&](int successor) {
            return fails[slot(successor)];
          })))
        continue;
      fails[index] = false;
      changed = true;
    }
  }
  return fails;
}

// The dominators of the reversed graph, whose root is the end.
std::vector<int> post_dominators(graph next, const std::vector<bool>& ends) {
  const auto end = static_cast<int>(next.size());
  graph reversed(next.size() + 1);
  for (int node = 0; node < end; ++node) {
    if (ends[slot(node)]) next[slot(node)].push_back(end);
    for (const int successor : next[slot(node)]) reversed[slot(successor)].push_back(node);
  }
  next.emplace_back();
  std::vector<int> result = dominators(nodes_in_order(reversed, end), next);
  result.pop_back();
  std::ranges::replace(result, end, the_end);  // that of loops without end is -1 too
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
      if (!fails[slot(successor)]) next[index].push_back(successor);
  }
  return post_dominators(next, ends);
}

region region_between(const kernel_code& kernel, int block, int meets_in,
                      const std::vector<bool>& may_be_shared) {
  const std::vector<bool> reached =
      reached_blocks(kernel, successors(kernel.blocks[slot(block)]), meets_in);
  region result;
  std::set<int> written;
  for (std::size_t node = 0; node < reached.size(); ++node) {
    if (!reached[node]) continue;
    result.blocks.push_back(static_cast<int>(node));
    for (const instruction& operation : kernel.blocks[node].instructions) {
      written.insert(operation.results.begin(), operation.results.end());
      const bool is_counted =
          operation.operation != opcode::unknown && may_access_shared(operation, may_be_shared);
      if (operation.operation == opcode::barrier || is_counted) result.decides_about_shared = true;
      if (may_access_global(operation)) result.decides_about_global = true;
    }
  }
  result.repeats_the_branch = reached[slot(block)];
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
          holds = std::ranges::any_of(operation.operands, is_shared);
        }
        if (!holds) continue;
        for (const int destination : operation.results)
          if (!result[slot(destination)]) result[slot(destination)] = changed = true;
      }
  }
  return result;
}

std::vector<bool> depends_on_block_index(const kernel_code& kernel) {
  std::vector<bool> result(static_cast<std::size_t>(kernel.registers));
  const auto depends = [&](const operand& source) {
    if (source.is == operand::kind::reg) return static_cast<bool>(result[source.value]);
    const auto index = static_cast<special>(source.value);
    return source.is == operand::kind::special && index >= special::block_x &&
           index <= special::block_z;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const code_block& block : kernel.blocks)
      for (const instruction& operation : block.instructions) {
        if (operation.operation == opcode::access ||
            std::ranges::none_of(operation.operands, depends))
          continue;
        for (const int destination : operation.results)
          if (!result[slot(destination)]) result[slot(destination)] = changed = true;
      }
  }
  return result;
}

}  // namespace compiled
