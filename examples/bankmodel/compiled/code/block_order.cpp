// SPDX-License-Identifier: MIT
#include "block_order.hpp"

#include <algorithm>
#include <utility>

#include "control_flow.hpp"
#include "loops.hpp"

namespace compiled {

namespace {

// Strongly connected components, each before those that are reached from it.
class components {
 public:
  // `roots`: which nodes there are, in the order in which they are visited. `is_in`, by node.
  components(const graph& next, const std::vector<int>& roots, const std::vector<bool>& is_in)
      : next_(next), is_in_(is_in), number_(next.size(), -1), low_(next.size()) {
    for (const int root : roots)
      if (number_[slot(root)] < 0) visit(root);
    std::ranges::reverse(list_);
  }

  const std::vector<std::vector<int>>& list() const { return list_; }

 private:
  // Tarjan's algorithm, without recursion: kernels may have thousands of blocks in a row.
  void visit(int root) {
    std::vector<std::pair<int, std::size_t>> path;  // a node, and how many successors are done
    const auto enter = [&](int node) {
      number_[slot(node)] = low_[slot(node)] = count_++;
      open_.push_back(node);
      path.push_back({node, 0});
    };
    enter(root);
    while (!path.empty()) {
      auto& [node, done] = path.back();
      const std::vector<int>& next = next_[slot(node)];
      if (done < next.size()) {
        // The last successor first, so that the first one is first in the result.
        const int successor = next[next.size() - ++done];
        if (!is_in_[slot(successor)] || number_[slot(successor)] == closed) continue;
        if (number_[slot(successor)] < 0)
          enter(successor);
        else
          low_[slot(node)] = std::min(low_[slot(node)], number_[slot(successor)]);
        continue;
      }
      const int left = node;
      path.pop_back();
      if (!path.empty())
        low_[slot(path.back().first)] = std::min(low_[slot(path.back().first)], low_[slot(left)]);
      if (low_[slot(left)] == number_[slot(left)]) close(left);
    }
  }

  void close(int root) {
    std::vector<int> nodes;
    int node = -1;
    do {
      node = open_.back();
      open_.pop_back();
      number_[slot(node)] = closed;
      nodes.push_back(node);
    } while (node != root);
    list_.push_back(std::move(nodes));
  }

  static constexpr int closed = 1 << 30;
  const graph& next_;
  const std::vector<bool>& is_in_;
  std::vector<int> number_, low_, open_;
  std::vector<std::vector<int>> list_;
  int count_ = 0;
};

// By node: one of `ends` is reached from it.
std::vector<bool> reaching(const graph& next, const std::vector<bool>& ends) {
  graph predecessors(next.size());
  std::vector<int> open;
  for (std::size_t node = 0; node < next.size(); ++node) {
    if (ends[node]) open.push_back(static_cast<int>(node));
    for (const int successor : next[node])
      predecessors[slot(successor)].push_back(static_cast<int>(node));
  }
  std::vector<bool> result(next.size());
  mark_reached(
      open, result, [&](int node) -> const auto& { return predecessors[slot(node)]; },
      [](int) { return true; });
  return result;
}

// True if all but the last are moves.
bool only_moves(const std::vector<instruction>& instructions) {
  return std::all_of(
      instructions.begin(), instructions.end() - 1,
      [](const instruction& operation) { return operation.operation == opcode::move; });
}

// By block: lanes end in it, or go from it to their end, and do nothing else.
std::vector<bool> only_leaving(const kernel_code& kernel) {
  std::vector<bool> result(kernel.blocks.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t block = result.size(); block-- > 0;) {
      const std::vector<instruction>& instructions = kernel.blocks[block].instructions;
      if (result[block] || instructions.empty() || !only_moves(instructions)) continue;
      const std::vector<int>& next = successors(kernel.blocks[block]);
      const bool goes_to_end = next.size() == 1 && result[slot(next.front())];
      const bool ends = instructions.back().operation == opcode::leave &&
                        instructions.back().description != "trap";
      if (goes_to_end || ends) result[block] = changed = true;
    }
  }
  return result;
}

// A weak topological order (Bourdoncle): a loop is its head and the order of its other blocks.
class ranking {
 public:
  ranking(const graph& next, const std::vector<int>& order, const std::vector<bool>& leaves)
      : next_(next), place_(next.size(), static_cast<int>(next.size())) {
    result_.rank.assign(next.size(), -1);
    result_.next_round.assign(next.size(), -1);
    for (std::size_t place = 0; place < order.size(); ++place)
      place_[slot(order[place])] = static_cast<int>(place);
    std::vector<int> rest;
    for (const int block : order)
      if (leaves[slot(block)])
        result_.rank[slot(block)] = count_++;
      else
        rest.push_back(block);
    rank(rest);
  }

  block_order result() && { return std::move(result_); }

 private:
  // `nodes` in the order of `place_`.
  void rank(const std::vector<int>& nodes) {
    std::vector<bool> is_in(next_.size());
    for (const int node : nodes) is_in[slot(node)] = true;
    const components parts(next_, nodes, is_in);
    for (std::vector<int> component : parts.list()) {
      std::ranges::sort(component, [&](int a, int b) { return place_[slot(a)] < place_[slot(b)]; });
      const int head = component.front();
      const std::vector<int>& next = next_[slot(head)];
      result_.rank[slot(head)] = count_++;
      if (component.size() == 1 && !includes(next, head)) continue;
      component.erase(component.begin());
      rank(component);
      result_.next_round[slot(head)] = count_++;
    }
  }

  const graph& next_;
  std::vector<int> place_;
  block_order result_;
  int count_ = 0;
};

// The blocks behind loops that count as parts of them: an edge goes from each to the loop's head.
class loop_ways_out {
 public:
  loop_ways_out(const kernel_code& kernel, const loop_structure& loops,
                const std::vector<bool>& leaves)
      : kernel_(kernel),
        loops_(loops),
        leaves_(leaves),
        fails_(only_fails(kernel)),
        next_(successors(kernel)),
        exits_meet_(loops.loops.size()) {
    graph with_edges = next_;
    std::vector<std::vector<bool>> ways(loops.loops.size());
    // Of the loops without one around them, then of those in one loop after another.
    for (int parent = -1; parent < static_cast<int>(loops.loops.size()); ++parent) {
      std::vector<int> meets_in;
      for (std::size_t loop = 0; loop < loops.loops.size(); ++loop) {
        const natural_loop& nested = loops.loops[loop];
        if (nested.parent != parent) continue;
        if (meets_in.empty()) meets_in = post_dominators_in(parent);
        exits_meet_[loop] = parent >= 0 || meeting_block(nested, meets_in) >= 0;
        ways[loop] = ways_out(nested, meets_in, parent >= 0 ? &ways[slot(parent)] : nullptr);
        for (std::size_t block = 0; block < ways[loop].size(); ++block)
          if (ways[loop][block]) with_edges[block].push_back(nested.header);
      }
    }
    next_ = std::move(with_edges);
  }

  graph result() && { return std::move(next_); }

 private:
  bool is_in(int loop, int block) const {
    return loop < 0 || loops_.loops[slot(loop)].has[slot(block)];
  }

  // Where nothing but the kernel's end is behind a loop, the exit of the loop is an end. Of several
  // loops it is the last one's: a `return` in those before it ends no lane that others wait for.
  void add_ends_of_loops(const graph& next, std::vector<bool>& ends) const {
    std::vector<bool> has_end = reaching(next, ends);
    const components parts(next, loops_.order, std::vector<bool>(next.size(), true));
    for (auto part = parts.list().rbegin(); part != parts.list().rend(); ++part) {
      const auto goes_to = [](const std::vector<int>& targets, const std::vector<bool>& among) {
        return std::ranges::any_of(targets, [&](int target) { return among[slot(target)]; });
      };
      bool ends_here = std::ranges::any_of(*part, [&](int block) {
        return has_end[slot(block)] || goes_to(next[slot(block)], has_end);
      });
      if (!ends_here)
        for (const int block : *part)
          if (goes_to(next_[slot(block)], leaves_)) ends_here = ends[slot(block)] = true;
      if (ends_here)
        for (const int block : *part) has_end[slot(block)] = true;
    }
  }

  // Within a loop, or the kernel (-1): lanes that leave it, or go to a block of `removed`, are not
  // waited for.
  std::vector<int> post_dominators_in(int loop, const std::vector<int>& removed = {}) const {
    const int head = loop < 0 ? -1 : loops_.loops[slot(loop)].header;
    graph next(next_.size());
    std::vector<bool> ends(next_.size());
    const auto is_waited_for = [&](int block) {
      return is_in(loop, block) && !fails_[slot(block)] && (loop >= 0 || !leaves_[slot(block)]) &&
             !includes(removed, block);
    };
    for (const int block : loops_.order) {
      if (!is_in(loop, block) || fails_[slot(block)]) continue;
      for (const int successor : next_[slot(block)]) {
        if (successor == head)
          ends[slot(block)] = true;
        else if (is_waited_for(successor))
          next[slot(block)].push_back(successor);
      }
      if (loop < 0 && next[slot(block)].empty()) ends[slot(block)] = true;
    }
    if (loop < 0) add_ends_of_loops(next, ends);
    return post_dominators(next, ends);
  }

  // The first block behind a loop through which all lanes that leave it go; -1.
  static int meeting_block(const natural_loop& loop, const std::vector<int>& meets_in) {
    int result = meets_in[slot(loop.header)];
    while (result >= 0 && loop.has[slot(result)]) result = meets_in[slot(result)];
    return result;
  }

  // Of a loop whose exits never meet: the lanes of one of them rejoin, that with the most accesses
  // behind it. Of two with as many it is the one that an iteration comes to first; compilers put
  // the test at a loop's head, if there is none at its end, there.
  int longest_way_out(const natural_loop& loop) const {
    const bool has_test_at_end = std::ranges::any_of(
        loop.exits, [&](const auto& exit) { return goes_back(loop, exit.first); });
    std::vector<std::pair<std::size_t, int>> ways;  // how many accesses, and the first block
    const auto add_ways = [&](bool at_end) {
      for (auto exit = loop.exits.rbegin(); exit != loop.exits.rend(); ++exit)
        if ((!has_test_at_end && exit->first == loop.header) == at_end)
          ways.emplace_back(accesses_behind(exit->second, [](int) { return false; }), exit->second);
    };
    add_ways(true);
    add_ways(false);
    std::ranges::stable_sort(
        ways, [](const auto& first, const auto& other) { return first.first < other.first; });
    std::vector<int> removed;
    int result = -1;
    for (std::size_t shorter = 0; result < 0 && shorter + 1 < ways.size(); ++shorter) {
      removed.push_back(ways[shorter].second);
      result = meeting_block(loop, post_dominators_in(-1, removed));
    }
    return result;
  }

  // The next block that does anything, or has several before it or behind it.
  int next_with_code(int block) const {
    while (next_[slot(block)].size() == 1 && loops_.predecessors[slot(block)].size() == 1 &&
           only_moves(kernel_.blocks[slot(block)].instructions))
      block = next_[slot(block)].front();
    return block;
  }

  // True if the block's branch goes to the loop's head.
  bool goes_back(const natural_loop& loop, int block) const {
    const std::vector<int>& next = next_[slot(block)];
    return std::ranges::any_of(
        next, [&](int successor) { return next_with_code(successor) == loop.header; });
  }

  // The block behind a loop that is reached by the branch that goes back alone; -1.
  int end_behind_latch(const natural_loop& loop) const {
    for (const auto& [block, successor] : loop.exits)
      if (const int end = next_with_code(successor);
          goes_back(loop, block) && loops_.predecessors[slot(end)].size() == 1)
        return end;
    return -1;
  }

  // From a block on until others that end them.
  template <class Ends>
  std::size_t accesses_behind(int block, const Ends& ends) const {
    std::size_t result = 0;
    std::vector<bool> seen(next_.size());
    mark({block}, seen, [&](int node) { return !leaves_[slot(node)] && !ends(node); });
    for (std::size_t node = 0; node < seen.size(); ++node)
      if (seen[node])
        for (const instruction& operation : kernel_.blocks[node].instructions)
          result += operation.operation == opcode::access ? 1 : 0;
    return result;
  }

  template <class Enters>
  void mark(std::vector<int> open, std::vector<bool>& marked, const Enters& enters) const {
    mark_reached(
        std::move(open), marked, [&](int node) -> const auto& { return next_[slot(node)]; },
        enters);
  }

  // What a lane executes on its way from this loop out of the loops around it too. What lanes come
  // to from the rest of the loop around it is no part: they are behind this loop already.
  std::vector<bool> ways_out_of_both(const natural_loop& loop,
                                     const std::vector<bool>& of_outer) const {
    const natural_loop& outer = loops_.loops[slot(loop.parent)];
    std::vector<bool> result(next_.size()), reached(next_.size());
    for (const auto& [block, successor] : outer.exits)
      mark({successor}, loop.has[slot(block)] ? result : reached,
           [&](int node) { return of_outer[slot(node)]; });
    for (std::size_t block = 0; block < result.size(); ++block)
      result[block] = result[block] && !reached[block];
    return result;
  }

  std::vector<bool> ways_out(const natural_loop& loop, const std::vector<int>& meets_in,
                             const std::vector<bool>* of_outer) const {
    std::vector<bool> result(next_.size());
    int meeting = meeting_block(loop, meets_in);
    const bool exits_meet = meeting >= 0 || loop.parent >= 0;
    if (!exits_meet) meeting = longest_way_out(loop);
    if (of_outer != nullptr) result = ways_out_of_both(loop, *of_outer);
    // Lanes that return at once may come to what is behind the meeting.
    const int head = loop.parent < 0 ? -1 : loops_.loops[slot(loop.parent)].header;
    std::vector<bool> is_behind(next_.size());
    const auto add_behind = [&](int first) {
      mark({first}, is_behind, [&](int block) { return block != head && !loop.has[slot(block)]; });
    };
    if (meeting >= 0) add_behind(meeting);
    // Lanes that leave at the end of the last iteration rejoin there, before they meet those that
    // left the loop early, if they have as much as these to execute until then, and if none of
    // these meet others behind the loop around it only.
    const bool stays_in = std::ranges::all_of(loop.exits, [&](const auto& exit) {
      return is_in(loop.parent, exit.second) || leaves_[slot(exit.second)] ||
             !exits_meet_[slot(loop.parent)];
    });
    if (exits_meet && stays_in) {
      const int end = end_behind_latch(loop);
      const auto accesses_before_meeting = [&](int block) {
        return accesses_behind(block, [&](int node) {
          return is_behind[slot(node)] || node == head || !is_in(loop.parent, node);
        });
      };
      if (end >= 0 && std::ranges::none_of(loop.exits, [&](const auto& other) {
            return accesses_before_meeting(other.second) > accesses_before_meeting(end);
          }))
        add_behind(end);
    }
    for (const auto& exit : loop.exits)
      mark({exit.second}, result, [&](int block) {
        return !is_behind[slot(block)] && !loop.has[slot(block)] && !fails_[slot(block)] &&
               is_in(loop.parent, block) && block != head && !leaves_[slot(block)];
      });
    return result;
  }

  const kernel_code& kernel_;
  const loop_structure& loops_;
  const std::vector<bool>& leaves_;
  std::vector<bool> fails_;
  graph next_;
  std::vector<bool> exits_meet_;  // by loop: behind it, or at the head of the loop around it
};

}  // namespace

block_order order_of_blocks(const kernel_code& kernel, const loop_structure& loops) {
  const std::vector<bool> leaves = only_leaving(kernel);
  const graph next = loop_ways_out(kernel, loops, leaves).result();
  return ranking(next, loops.order, leaves).result();
}

}  // namespace compiled
