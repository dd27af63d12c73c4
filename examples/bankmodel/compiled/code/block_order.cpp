// SPDX-License-Identifier: MIT
#include "block_order.hpp"

#include <algorithm>
#include <utility>

#include "control_flow.hpp"
#include "loops.hpp"

namespace compiled {

namespace {

using graph = std::vector<std::vector<int>>;

// Strongly connected components, each before those that are reached from it.
class components {
 public:
  // `from`: which nodes there are, in the order in which they are visited. `is_in`, by node.
  components(const graph& next, const std::vector<int>& from, const std::vector<bool>& is_in)
      : next_(next), is_in_(is_in), number_(next.size(), -1), low_(next.size()) {
    for (const int root : from)
      if (number_[at(root)] < 0) visit(root);
    std::reverse(found_.begin(), found_.end());
  }

  const std::vector<std::vector<int>>& found() const { return found_; }

 private:
  // Tarjan's algorithm, without recursion: kernels may have thousands of blocks in a row.
  void visit(int root) {
    std::vector<std::pair<int, std::size_t>> path;  // a node, and how many successors are done
    const auto enter = [&](int node) {
      number_[at(node)] = low_[at(node)] = count_++;
      open_.push_back(node);
      path.push_back({node, 0});
    };
    enter(root);
    while (!path.empty()) {
      auto& [node, done] = path.back();
      const std::vector<int>& next = next_[at(node)];
      if (done < next.size()) {
        // The last successor first, so that the first one is first in the result.
        const int after = next[next.size() - ++done];
        if (!is_in_[at(after)] || number_[at(after)] == closed) continue;
        if (number_[at(after)] < 0)
          enter(after);
        else
          low_[at(node)] = std::min(low_[at(node)], number_[at(after)]);
        continue;
      }
      const int left = node;
      path.pop_back();
      if (!path.empty())
        low_[at(path.back().first)] = std::min(low_[at(path.back().first)], low_[at(left)]);
      if (low_[at(left)] == number_[at(left)]) close(left);
    }
  }

  void close(int root) {
    std::vector<int> nodes;
    int node = -1;
    do {
      node = open_.back();
      open_.pop_back();
      number_[at(node)] = closed;
      nodes.push_back(node);
    } while (node != root);
    found_.push_back(std::move(nodes));
  }

  static constexpr int closed = 1 << 30;
  const graph& next_;
  const std::vector<bool>& is_in_;
  std::vector<int> number_, low_, open_;
  std::vector<std::vector<int>> found_;
  int count_ = 0;
};

// By node: one of `ends` is reached from it.
std::vector<bool> reaching(const graph& next, std::vector<bool> ends) {
  graph before(next.size());
  std::vector<int> open;
  for (std::size_t node = 0; node < next.size(); ++node) {
    if (ends[node]) open.push_back(static_cast<int>(node));
    for (const int after : next[node]) before[at(after)].push_back(static_cast<int>(node));
  }
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    for (const int one : before[at(node)]) {
      if (ends[at(one)]) continue;
      ends[at(one)] = true;
      open.push_back(one);
    }
  }
  return ends;
}

// By block: lanes end in it, or go from it to their end, and do nothing else.
std::vector<bool> only_leaving(const kernel_code& kernel) {
  std::vector<bool> result(kernel.blocks.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t block = result.size(); block-- > 0;) {
      const std::vector<instruction>& all = kernel.blocks[block].instructions;
      if (result[block] || all.empty() ||
          !std::all_of(all.begin(), all.end() - 1,
                       [](const instruction& one) { return one.does == opcode::move; }))
        continue;
      const std::vector<int>& next = successors(kernel.blocks[block]);
      const bool goes_to_end = next.size() == 1 && result[at(next.front())];
      const bool ends = all.back().does == opcode::leave && all.back().what != "trap";
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
      place_[at(order[place])] = static_cast<int>(place);
    std::vector<int> others;
    for (const int block : order)
      if (leaves[at(block)])
        result_.rank[at(block)] = count_++;
      else
        others.push_back(block);
    rank(others);
  }

  block_order result() && { return std::move(result_); }

 private:
  // `nodes` in the order of `place_`.
  void rank(const std::vector<int>& nodes) {
    std::vector<bool> is_in(next_.size());
    for (const int node : nodes) is_in[at(node)] = true;
    const components all(next_, nodes, is_in);
    for (std::vector<int> component : all.found()) {
      std::sort(component.begin(), component.end(),
                [&](int a, int b) { return place_[at(a)] < place_[at(b)]; });
      const int head = component.front();
      const std::vector<int>& next = next_[at(head)];
      result_.rank[at(head)] = count_++;
      if (component.size() == 1 && std::find(next.begin(), next.end(), head) == next.end())
        continue;
      component.erase(component.begin());
      rank(component);
      result_.next_round[at(head)] = count_++;
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
        next_(kernel.blocks.size()),
        exits_meet_(loops.loops.size()) {
    for (std::size_t block = 0; block < kernel.blocks.size(); ++block)
      next_[block] = successors(kernel.blocks[block]);
    graph with_edges = next_;
    std::vector<std::vector<bool>> ways(loops.loops.size());
    // Of the loops without one around them, then of those in one loop after another.
    for (int around = -1; around < static_cast<int>(loops.loops.size()); ++around) {
      std::vector<int> meets_in;
      for (std::size_t loop = 0; loop < loops.loops.size(); ++loop) {
        const natural_loop& one = loops.loops[loop];
        if (one.parent != around) continue;
        if (meets_in.empty()) meets_in = post_dominators_in(around);
        exits_meet_[loop] = around >= 0 || behind(one, meets_in) >= 0;
        ways[loop] = ways_out(one, meets_in, around >= 0 ? &ways[at(around)] : nullptr);
        for (std::size_t block = 0; block < ways[loop].size(); ++block)
          if (ways[loop][block]) with_edges[block].push_back(one.header);
      }
    }
    next_ = std::move(with_edges);
  }

  graph result() && { return std::move(next_); }

 private:
  bool is_in(int loop, int block) const {
    return loop < 0 || loops_.loops[at(loop)].has[at(block)];
  }

  // Where nothing but the kernel's end is behind a loop, the exit of the loop is an end. Of several
  // loops it is the last one's: a `return` in those before it ends no lane that others wait for.
  void add_ends_of_loops(const graph& next, std::vector<bool>& ends) const {
    std::vector<bool> has_end = reaching(next, ends);
    const components parts(next, loops_.order, std::vector<bool>(next.size(), true));
    for (auto part = parts.found().rbegin(); part != parts.found().rend(); ++part) {
      bool ends_here = std::any_of(part->begin(), part->end(), [&](int block) {
        return has_end[at(block)] || std::any_of(next[at(block)].begin(), next[at(block)].end(),
                                                 [&](int after) { return has_end[at(after)]; });
      });
      if (!ends_here)
        for (const int block : *part)
          if (std::any_of(next_[at(block)].begin(), next_[at(block)].end(),
                          [&](int after) { return leaves_[at(after)]; }))
            ends_here = ends[at(block)] = true;
      if (ends_here)
        for (const int block : *part) has_end[at(block)] = true;
    }
  }

  // Within a loop, or the kernel (-1): lanes that leave it, or go to a block of `without`, are not
  // waited for.
  std::vector<int> post_dominators_in(int loop, const std::vector<int>& without = {}) const {
    const int head = loop < 0 ? -1 : loops_.loops[at(loop)].header;
    graph next(next_.size());
    std::vector<bool> ends(next_.size());
    const auto is_waited_for = [&](int block) {
      return is_in(loop, block) && !fails_[at(block)] && (loop >= 0 || !leaves_[at(block)]) &&
             std::find(without.begin(), without.end(), block) == without.end();
    };
    for (const int block : loops_.order) {
      if (!is_in(loop, block) || fails_[at(block)]) continue;
      for (const int after : next_[at(block)]) {
        if (after == head)
          ends[at(block)] = true;
        else if (is_waited_for(after))
          next[at(block)].push_back(after);
      }
      if (loop < 0 && next[at(block)].empty()) ends[at(block)] = true;
    }
    if (loop < 0) add_ends_of_loops(next, ends);
    return post_dominators(next, ends);
  }

  // The first block behind a loop through which all lanes that leave it go; -1.
  static int behind(const natural_loop& loop, const std::vector<int>& meets_in) {
    int result = meets_in[at(loop.header)];
    while (result >= 0 && loop.has[at(result)]) result = meets_in[at(result)];
    return result;
  }

  // Of a loop whose exits never meet: the lanes of one of them rejoin, that with the most accesses
  // behind it. Of two with as many it is the one that an iteration comes to first; compilers put
  // the test at a loop's head, if there is none at its end, there.
  int longest_way_out(const natural_loop& loop) const {
    const bool has_test_at_end =
        std::any_of(loop.exits.begin(), loop.exits.end(),
                    [&](const auto& exit) { return goes_back(loop, exit.first); });
    std::vector<std::pair<std::size_t, int>> ways;  // how many accesses, and the first block
    const auto add_ways = [&](bool at_end) {
      for (auto exit = loop.exits.rbegin(); exit != loop.exits.rend(); ++exit)
        if ((!has_test_at_end && exit->first == loop.header) == at_end)
          ways.emplace_back(accesses_behind(exit->second, [](int) { return false; }), exit->second);
    };
    add_ways(true);
    add_ways(false);
    std::stable_sort(ways.begin(), ways.end(),
                     [](const auto& one, const auto& other) { return one.first < other.first; });
    std::vector<int> without;
    int result = -1;
    for (std::size_t shorter = 0; result < 0 && shorter + 1 < ways.size(); ++shorter) {
      without.push_back(ways[shorter].second);
      result = behind(loop, post_dominators_in(-1, without));
    }
    return result;
  }

  // The next block that does anything, or has several before it or behind it.
  int next_with_code(int block) const {
    const auto only_goes_on = [](const std::vector<instruction>& all) {
      return std::all_of(all.begin(), all.end() - 1,
                         [](const instruction& one) { return one.does == opcode::move; });
    };
    while (next_[at(block)].size() == 1 && loops_.before[at(block)].size() == 1 &&
           only_goes_on(kernel_.blocks[at(block)].instructions))
      block = next_[at(block)].front();
    return block;
  }

  // True if the block's branch goes to the loop's head.
  bool goes_back(const natural_loop& loop, int block) const {
    const std::vector<int>& next = next_[at(block)];
    return std::any_of(next.begin(), next.end(),
                       [&](int after) { return next_with_code(after) == loop.header; });
  }

  // The block behind a loop that is reached by the branch that goes back alone; -1.
  int end_behind_latch(const natural_loop& loop) const {
    for (const auto& [block, after] : loop.exits)
      if (const int end = next_with_code(after);
          goes_back(loop, block) && loops_.before[at(end)].size() == 1)
        return end;
    return -1;
  }

  // From a block on until others that end them.
  template <class Ends>
  std::size_t accesses_behind(int block, const Ends& ends) const {
    std::size_t result = 0;
    std::vector<bool> seen(next_.size());
    std::vector<int> open = {block};
    while (!open.empty()) {
      const int one = open.back();
      open.pop_back();
      if (seen[at(one)] || leaves_[at(one)] || ends(one)) continue;
      seen[at(one)] = true;
      for (const instruction& does : kernel_.blocks[at(one)].instructions)
        result += does.does == opcode::access ? 1 : 0;
      open.insert(open.end(), next_[at(one)].begin(), next_[at(one)].end());
    }
    return result;
  }

  // What a lane executes on its way from this loop out of the loops around it too. What lanes come
  // to from the rest of the loop around it is no part: they are behind this loop already.
  std::vector<bool> ways_out_of_both(const natural_loop& loop,
                                     const std::vector<bool>& of_outer) const {
    const natural_loop& outer = loops_.loops[at(loop.parent)];
    std::vector<bool> result(next_.size()), behind(next_.size());
    const auto visit = [&](int first, std::vector<bool>& seen) {
      std::vector<int> open = {first};
      while (!open.empty()) {
        const int block = open.back();
        open.pop_back();
        if (!of_outer[at(block)] || seen[at(block)]) continue;
        seen[at(block)] = true;
        open.insert(open.end(), next_[at(block)].begin(), next_[at(block)].end());
      }
    };
    for (const auto& [block, after] : outer.exits)
      visit(after, loop.has[at(block)] ? result : behind);
    for (std::size_t block = 0; block < result.size(); ++block)
      result[block] = result[block] && !behind[block];
    return result;
  }

  std::vector<bool> ways_out(const natural_loop& loop, const std::vector<int>& meets_in,
                             const std::vector<bool>* of_outer) const {
    std::vector<bool> result(next_.size());
    int meeting = behind(loop, meets_in);
    const bool exits_meet = meeting >= 0 || loop.parent >= 0;
    if (!exits_meet) meeting = longest_way_out(loop);
    if (of_outer != nullptr) result = ways_out_of_both(loop, *of_outer);
    // Lanes that return at once may come to what is behind the meeting.
    const int head = loop.parent < 0 ? -1 : loops_.loops[at(loop.parent)].header;
    std::vector<bool> is_behind(next_.size());
    std::vector<int> open;
    const auto add_behind = [&](int first) {
      open.push_back(first);
      while (!open.empty()) {
        const int block = open.back();
        open.pop_back();
        if (is_behind[at(block)] || block == head || loop.has[at(block)]) continue;
        is_behind[at(block)] = true;
        open.insert(open.end(), next_[at(block)].begin(), next_[at(block)].end());
      }
    };
    if (meeting >= 0) add_behind(meeting);
    // Lanes that leave at the end of the last iteration rejoin there, before they meet those that
    // left the loop early, if they have as much as these to execute until then, and if none of
    // these meet others behind the loop around it only.
    const bool stays_in = std::all_of(loop.exits.begin(), loop.exits.end(), [&](const auto& exit) {
      return is_in(loop.parent, exit.second) || leaves_[at(exit.second)] ||
             !exits_meet_[at(loop.parent)];
    });
    if (exits_meet && stays_in) {
      const int end = end_behind_latch(loop);
      const auto accesses_before_meeting = [&](int block) {
        return accesses_behind(block, [&](int one) {
          return is_behind[at(one)] || one == head || !is_in(loop.parent, one);
        });
      };
      if (end >= 0 && std::none_of(loop.exits.begin(), loop.exits.end(), [&](const auto& other) {
            return accesses_before_meeting(other.second) > accesses_before_meeting(end);
          }))
        add_behind(end);
    }
    for (const auto& [block, after] : loop.exits)
      if (is_in(loop.parent, after)) open.push_back(after);
    while (!open.empty()) {
      const int block = open.back();
      open.pop_back();
      if (is_behind[at(block)] || result[at(block)] || loop.has[at(block)] || fails_[at(block)] ||
          !is_in(loop.parent, block) || block == head || leaves_[at(block)])
        continue;
      result[at(block)] = true;
      open.insert(open.end(), next_[at(block)].begin(), next_[at(block)].end());
    }
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
