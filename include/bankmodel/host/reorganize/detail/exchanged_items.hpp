// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_REORGANIZE_DETAIL_EXCHANGED_ITEMS_HPP
#define BANKMODEL_HOST_REORGANIZE_DETAIL_EXCHANGED_ITEMS_HPP

#include <bankmodel/host/reorganize/detail/incidence.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

// A local search on small inputs: pairs of items change places while that saves transactions.
namespace bankmodel::detail {

// The most items of a search. A round looks at all pairs, and at all edges of both items, and there
// are at most as many rounds as stated. So a limit on items * edges of all items bounds the time:
// 2^23 of them take 0.1 seconds, and 2048 items of 256 edges, 2^30, took 98.
constexpr std::uint64_t most_exchanged_items = 1 << 11, most_exchanged_edges = 1 << 23;
constexpr int most_exchange_rounds = 16;
constexpr std::uint64_t most_exchange_counts = 1 << 22;  // clusters * edges

class item_exchanger {
 public:
  // `order` has the items cluster by cluster, `size` in each but the last.
  item_exchanger(const number_lists& edges_of, std::uint64_t edges, std::uint64_t size,
                 std::vector<std::uint32_t>& order)
      : edges_of_(edges_of), edges_(edges), size_(size), order_(order) {
    counts_.resize((order.size() + size - 1) / size * edges);
    for (std::uint64_t position = 0; position < order.size(); ++position)
      for (const std::uint32_t edge : edges_of_[order[position]]) ++count(position / size_, edge);
  }

  void run() {
    for (int round = 0; round < most_exchange_rounds; ++round)
      if (!exchange_all()) return;
  }

 private:
  std::uint32_t& count(std::uint64_t cluster, std::uint32_t edge) {
    return counts_[cluster * edges_ + edge];
  }
  // Tries each pair once. Returns true if one was exchanged.
  bool exchange_all() {
    bool exchanged = false;
    for (std::uint64_t a = 0; a < order_.size(); ++a)
      for (std::uint64_t b = (a / size_ + 1) * size_; b < order_.size(); ++b)
        if (saves(a, b)) exchanged = true;
    return exchanged;
  }
  // Takes an item out of a cluster, or puts it in. Returns the edges that the cluster loses or
  // gains.
  int take(std::uint32_t item, std::uint64_t cluster) {
    int lost = 0;
    for (const std::uint32_t edge : edges_of_[item]) lost += --count(cluster, edge) == 0;
    return lost;
  }
  int put(std::uint32_t item, std::uint64_t cluster) {
    int gained = 0;
    for (const std::uint32_t edge : edges_of_[item]) gained += count(cluster, edge)++ == 0;
    return gained;
  }
  // Exchanges two items if that saves an edge.
  bool saves(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t of_a = a / size_, of_b = b / size_;
    int saved = take(order_[a], of_a) + take(order_[b], of_b);
    saved -= put(order_[b], of_a) + put(order_[a], of_b);
    if (saved > 0) {
      std::swap(order_[a], order_[b]);
      return true;
    }
    (void)(take(order_[b], of_a) + take(order_[a], of_b));
    (void)(put(order_[a], of_a) + put(order_[b], of_b));
    return false;
  }

  const number_lists& edges_of_;
  std::uint64_t edges_, size_;
  std::vector<std::uint32_t>& order_;
  std::vector<std::uint32_t> counts_;  // [cluster][edge]: items of the cluster with that edge
};

// Exchanges items if they and their edges are few.
inline void exchange_items(const number_lists& edges_of, std::uint64_t edges, std::uint64_t size,
                           std::vector<std::uint32_t>& order) {
  const std::uint64_t clusters = (order.size() + size - 1) / size;
  std::uint64_t of_items = 0;
  for (const std::uint32_t item : order) of_items += edges_of[item].size();
  if (order.size() <= most_exchanged_items && order.size() * of_items <= most_exchanged_edges &&
      edges <= most_exchange_counts / clusters)
    item_exchanger(edges_of, edges, size, order).run();
}

}  // namespace bankmodel::detail

#endif
