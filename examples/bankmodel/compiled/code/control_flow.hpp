// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <vector>

#include "code.hpp"

// Where the lanes of a warp meet again after a branch, and what lies between.
namespace compiled {

constexpr int the_end = -1;  // in place of a block: where threads have left

using graph = std::vector<std::vector<int>>;  // by node: those that edges go to

// Marks the nodes that are reached from `open`, these too, through nodes for which `enters` holds.
template <class Next, class Enters>
void mark_reached(std::vector<int> open, std::vector<bool>& marked, const Next& next,
                  const Enters& enters) {
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    if (marked[slot(node)] || !enters(node)) continue;
    marked[slot(node)] = true;
    append(open, next(node));
  }
}
// The nodes that are reached from the root, each before those that it goes to but for back edges.
std::vector<int> nodes_in_order(const graph& next, int root);
// The immediate dominator of each node; -1 of the root, and of nodes that are not in `order`, which
// is that of nodes_in_order().
std::vector<int> dominators(const std::vector<int>& order, const graph& predecessors);

// The blocks that an instruction may go to; none if it is no branch.
const std::vector<int>& successors(const code_block& block);
graph successors(const kernel_code& kernel);

// By block: lanes of one of the blocks `begins` may come to it, without passing block `barred` (-1:
// there is none). The blocks `begins` are among them, but for `barred`.
std::vector<bool> reached_blocks(const kernel_code& kernel, const std::vector<int>& begins,
                                 int barred = -1);

// The immediate post-dominator of each block: the first block that each path from it to the end
// goes through; `the_end` if there is none. Paths that fail (a trap) do not count.
std::vector<int> post_dominators(const kernel_code& kernel);
// The same of a graph. `ends`: the nodes from which one goes to the end.
std::vector<int> post_dominators(graph next, const std::vector<bool>& ends);

// The blocks between a branch and its post-dominator.
struct region {
  std::vector<int> blocks;            // which lanes that take the branch may execute
  bool repeats_the_branch = false;    // the branch ends a loop
  bool decides_about_shared = false;  // an access to shared memory, or a barrier, is in it
  bool decides_about_global = false;  // an access that may be to global memory is in it
  std::vector<int> written;           // registers
};
region region_between(const kernel_code& kernel, int block, int meets_in,
                      const std::vector<bool>& may_be_shared);

// True if each path from the block ends in a trap.
std::vector<bool> only_fails(const kernel_code& kernel);

// Whether a register may hold an address in shared memory: it is computed from one, or loaded from
// memory that one was stored to. Without this a generic access of unknown address would have to
// be taken for one to shared memory.
std::vector<bool> may_hold_shared_address(const kernel_code& kernel);

// By register: it is computed from the block's index. What is loaded is not.
std::vector<bool> depends_on_block_index(const kernel_code& kernel);

// True if it is an access that may be to global memory.
bool may_access_global(const instruction& operation);

// True if the kernel maps addresses to other blocks of its cluster and may store there: the others
// may do the same.
bool may_store_to_blocks(const kernel_code& kernel);

// The number of the operand with the mask of lanes for which an instruction of a warp waits; -1 if
// it waits for none.
int mask_operand(const instruction& operation);

// True if the access is to shared memory, whatever its address is.
bool is_shared_only(const memory_access& access);

// True if the instruction may access shared memory.
bool may_access_shared(const instruction& operation, const std::vector<bool>& may_be_shared);

}  // namespace compiled
