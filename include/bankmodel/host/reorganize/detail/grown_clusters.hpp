// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_REORGANIZE_DETAIL_GROWN_CLUSTERS_HPP
#define BANKMODEL_HOST_REORGANIZE_DETAIL_GROWN_CLUSTERS_HPP

#include <bankmodel/host/reorganize/detail/incidence.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// The heuristic of repositioning and of swapping threads.
namespace bankmodel::detail {

// Bounds of the work for one cluster, so that the time stays linear.
struct growth_limits {
  std::uint32_t edges = 2;     // of the cluster that are followed to further items
  std::uint32_t members = 64;  // items of each edge that are looked at
};
inline growth_limits growth_limits_for(std::uint64_t items) {
  growth_limits result;
  if (items <= 1 << 16) result.edges = 32;
  return result;
}

// Fills clusters one after the other. Each begins with the first item that is left; then it takes
// the item that shares the most edges with it, which saves that many transactions; of several the
// one with the fewest edges of its own.
class cluster_grower {
 public:
  cluster_grower(const number_lists& edges_of, const number_lists& items_of,
                 const growth_limits& limits)
      : edges_of_(edges_of),
        items_of_(items_of),
        limits_(limits),
        states_(edges_of.size()),
        is_followed_in_(items_of.size()),
        next_item_(items_of.size()) {
    for (std::uint64_t item = 0; item < states_.size(); ++item)
      states_[item].edges =
          static_cast<std::uint16_t>(std::min<std::size_t>(edges_of[item].size(), placed - 1));
  }

  // Adds the items of a cluster of up to `size` items to `order`, beginning with the first items of
  // `candidates` that are left; `next` is where the search for them goes on.
  void grow(std::uint64_t size, const std::vector<std::uint32_t>& candidates, std::size_t& next,
            std::vector<std::uint32_t>& order) {
    ++cluster_;
    followed_ = 0;
    for (std::vector<std::uint32_t>& list : by_shared_) list.clear();
    for (std::uint64_t count = 0; count < size; ++count) {
      std::uint32_t item = 0;
      if (!find(item)) {
        while (next < candidates.size() && is_placed(candidates[next])) ++next;
        if (next == candidates.size()) return;
        item = candidates[next];
      }
      states_[item].edges = placed;
      order.push_back(item);
      if (count + 1 == size) return;
      for (const std::uint32_t edge : edges_of_[item])
        if (followed_ < limits_.edges) follow(edge);
    }
  }

 private:
  static constexpr std::uint16_t placed = 0xffff;
  // Of an item, in one place of the cache.
  struct state {
    std::uint32_t seen_in = 0;  // the cluster that it was last found to share edges with,
    std::uint16_t shared = 0;   // and how many
    std::uint16_t edges = 0;    // its edges, or `placed`
  };
  bool is_placed(std::uint32_t item) const { return states_[item].edges == placed; }

  // The item that shares the most edges.
  bool find(std::uint32_t& item) {
    for (std::size_t shared = by_shared_.size(); shared > 0; --shared) {
      std::vector<std::uint32_t>& list = by_shared_[shared - 1];
      std::size_t kept = 0, best = 0;
      for (const std::uint32_t candidate : list) {
        const state& status = states_[candidate];
        if (status.edges == placed || status.shared != shared) continue;
        if (kept == 0 || status.edges < states_[list[best]].edges) best = kept;
        list[kept++] = candidate;
      }
      list.resize(kept);
      if (kept == 0) continue;
      item = list[best];
      return true;
    }
    return false;
  }
  // Counts an edge of the cluster for its items.
  void follow(std::uint32_t edge) {
    if (is_followed_in_[edge] == cluster_) return;
    is_followed_in_[edge] = cluster_;
    ++followed_;
    const std::span<const std::uint32_t> items = items_of_[edge];
    std::uint32_t& first = next_item_[edge];
    while (first < items.size() && is_placed(items[first])) ++first;
    const std::size_t end = std::min<std::size_t>(items.size(), first + limits_.members);
    for (std::size_t member = first; member < end; ++member) {
      state& item = states_[items[member]];
      if (item.edges == placed) continue;
      if (item.seen_in != cluster_) {
        item.seen_in = cluster_;
        item.shared = 0;
      }
      const std::uint16_t shared = item.shared++;
      if (by_shared_.size() <= shared) by_shared_.resize(shared + std::size_t{1});
      by_shared_[shared].push_back(items[member]);
    }
  }

  const number_lists &edges_of_, &items_of_;
  growth_limits limits_;  // at most 65535 edges, so that state::shared can count them
  std::uint32_t cluster_ = 0, followed_ = 0;
  std::vector<state> states_;
  std::vector<std::uint32_t> is_followed_in_, next_item_;  // of each edge
  std::vector<std::vector<std::uint32_t>> by_shared_;      // items that share 1, 2, .. edges
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
