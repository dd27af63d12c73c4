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

// A weak topological order (Bourdoncle): a loop is its head and the order of its other blocks.
class ranking {
 public:
  ranking(const graph& next, const std::vector<int>& order)
      : next_(next), place_(next.size(), static_cast<int>(next.size())) {
    result_.rank.assign(next.size(), -1);
    result_.next_round.assign(next.size(), -1);
    for (std::size_t place = 0; place < order.size(); ++place)
      place_[at(order[place])] = static_cast<int>(place);
    rank(order);
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
  loop_ways_out(const kernel_code& kernel, const loop_structure& loops)
      : kernel_(kernel), loops_(loops), fails_(only_fails(kernel)), next_(kernel.blocks.size()) {
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

  // A block in which threads end, or from which they go to their end, and do nothing else.
  bool only_leaves(int block) const {
    for (std::size_t passed = 0; passed < next_.size(); ++passed) {
      const std::vector<instruction>& all = kernel_.blocks[at(block)].instructions;
      if (all.empty() || !std::all_of(all.begin(), all.end() - 1, [](const instruction& one) {
            return one.does == opcode::move;
          }))
        return false;
      if (all.back().does == opcode::leave) return true;
      const std::vector<int>& after = successors(kernel_.blocks[at(block)]);
      if (after.size() != 1) return false;
      block = after.front();
    }
    return false;
  }

  // Within a loop, or the kernel (-1): lanes that leave it are not waited for.
  std::vector<int> post_dominators_in(int loop) const {
    const int head = loop < 0 ? -1 : loops_.loops[at(loop)].header;
    graph next(next_.size());
    std::vector<bool> ends(next_.size());
    for (const int block : loops_.order) {
      if (!is_in(loop, block) || fails_[at(block)]) continue;
      for (const int after : next_[at(block)]) {
        if (after == head)
          ends[at(block)] = true;
        else if (is_in(loop, after) && !fails_[at(after)] && (loop >= 0 || !only_leaves(after)))
          next[at(block)].push_back(after);
      }
      if (loop < 0 && next[at(block)].empty()) ends[at(block)] = true;
    }
    return post_dominators(next, ends);
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
    int meeting = meets_in[at(loop.header)];
    while (meeting >= 0 && loop.has[at(meeting)]) meeting = meets_in[at(meeting)];
    if (of_outer != nullptr) result = ways_out_of_both(loop, *of_outer);
    // Lanes that return at once may come to what is behind the meeting.
    const int head = loop.parent < 0 ? -1 : loops_.loops[at(loop.parent)].header;
    std::vector<bool> is_behind(next_.size());
    std::vector<int> open;
    if (meeting >= 0) open.push_back(meeting);
    while (!open.empty()) {
      const int block = open.back();
      open.pop_back();
      if (is_behind[at(block)] || block == head || loop.has[at(block)]) continue;
      is_behind[at(block)] = true;
      open.insert(open.end(), next_[at(block)].begin(), next_[at(block)].end());
    }
    const int end = end_of(loop);
    for (const auto& [block, after] : loop.exits) {
      if (!is_in(loop.parent, after)) continue;
      // Lanes that never meet the others again rejoin as soon as they can.
      const bool is_alone = meeting >= 0 || loop.parent >= 0 ||
                            (after != end && loops_.before[at(after)].size() == 1);
      if (is_alone) open.push_back(after);
    }
    while (!open.empty()) {
      const int block = open.back();
      open.pop_back();
      if (is_behind[at(block)] || result[at(block)] || loop.has[at(block)] || fails_[at(block)] ||
          !is_in(loop.parent, block) || block == head)
        continue;
      if (meeting < 0 && loop.parent < 0 && !loops_.dominates(loop.header, block)) continue;
      result[at(block)] = true;
      open.insert(open.end(), next_[at(block)].begin(), next_[at(block)].end());
    }
    return result;
  }

  // Of the exits, the block behind which there is most of the kernel: what follows the loop.
  int end_of(const natural_loop& loop) const {
    int result = -1;
    std::size_t most = 0;
    for (const auto& [block, after] : loop.exits) {
      std::vector<bool> seen(next_.size());
      std::vector<int> open = {after};
      std::size_t count = 0;
      while (!open.empty()) {
        const int one = open.back();
        open.pop_back();
        if (seen[at(one)]) continue;
        seen[at(one)] = true;
        count += kernel_.blocks[at(one)].instructions.size();
        open.insert(open.end(), next_[at(one)].begin(), next_[at(one)].end());
      }
      if (count <= most) continue;
      most = count;
      result = after;
    }
    return result;
  }

  const kernel_code& kernel_;
  const loop_structure& loops_;
  std::vector<bool> fails_;
  graph next_;
};

}  // namespace

block_order order_of_blocks(const kernel_code& kernel) {
  const loop_structure loops = loops_of(kernel);
  const graph next = loop_ways_out(kernel, loops).result();
  return ranking(next, loops.order).result();
}

}  // namespace compiled
