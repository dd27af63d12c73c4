// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_REORGANIZE_DETAIL_HIERARCHICAL_HPP
#define BANKMODEL_HOST_REORGANIZE_DETAIL_HIERARCHICAL_HPP

#include <bankmodel/host/reorganize/irregular_references.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <map>
#include <queue>
#include <utility>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// The clustering `hierarchical`.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void a_hierarchical_clustering_must_have_few_threads(long long threads,
                                                                               long long limit) {
  detail::fail(__func__,
               "hierarchical clustering of % threads would compare them in pairs, % are allowed; "
               "use clustering::first_come or from_seeds, or cluster part() after part()",
               threads, limit);
}
}  // namespace rule

namespace detail {

constexpr std::uint64_t most_hierarchical_threads = 1 << 13;

// Merges clusters of threads, the most similar pair first, while they fit in a block. Similarity is
// the elements that both access by those that either does.
class cluster_merger {
 public:
  explicit cluster_merger(const reorganize::irregular_references& references)
      : block_(static_cast<std::uint64_t>(references.block)) {
    for (std::uint64_t thread = 0; thread < references.threads(); ++thread) {
      cluster singleton;
      singleton.threads.push_back(static_cast<std::uint32_t>(thread));
      for (const reorganize::index_array& indices : references.references)
        if (indices[thread] != reorganize::no_element)
          singleton.elements.push_back(indices[thread]);
      std::sort(singleton.elements.begin(), singleton.elements.end());
      singleton.elements.erase(std::unique(singleton.elements.begin(), singleton.elements.end()),
                               singleton.elements.end());
      clusters_.push_back(singleton);
    }
    clusters_of_.resize(references.elements);
    merge_equal();
    for (std::size_t number = 0; number < clusters_.size(); ++number)
      if (!clusters_[number].is_merged) add_pairs(number);
  }

  void merge_all() {
    while (!pairs_.empty()) {
      const pair best = pairs_.top();
      pairs_.pop();
      cluster &a = clusters_[best.first], &b = clusters_[best.second];
      if (a.is_merged || b.is_merged || a.threads.size() + b.threads.size() > block_) continue;
      merge(best.first, best.second);
      add_pairs(clusters_.size() - 1);
    }
  }

  // The threads of the clusters, packed into blocks: the largest cluster first, each into the first
  // block that has room; what fits nowhere fills the room that is left.
  std::vector<std::uint32_t> packed(std::uint64_t threads) const {
    std::vector<const cluster*> left;
    for (const cluster& candidate : clusters_)
      if (!candidate.is_merged) left.push_back(&candidate);
    std::sort(left.begin(), left.end(), [](const cluster* a, const cluster* b) {
      const std::size_t of_a = a->threads.size(), of_b = b->threads.size();
      return of_a != of_b ? of_a > of_b : a < b;
    });
    std::vector<std::vector<std::uint32_t>> blocks((threads + block_ - 1) / block_);
    const auto room = [&](std::size_t number) {
      return std::min(block_, threads - number * block_) - blocks[number].size();
    };
    std::vector<std::uint32_t> rest;
    for (const cluster* const unmerged : left) {
      std::size_t first_fit = 0;
      while (first_fit < blocks.size() && room(first_fit) < unmerged->threads.size()) ++first_fit;
      std::vector<std::uint32_t>& target = first_fit < blocks.size() ? blocks[first_fit] : rest;
      target.insert(target.end(), unmerged->threads.begin(), unmerged->threads.end());
    }
    std::vector<std::uint32_t> order;
    std::size_t next = 0;
    for (std::size_t block = 0; block < blocks.size(); ++block) {
      const std::size_t empty = room(block);
      order.insert(order.end(), blocks[block].begin(), blocks[block].end());
      for (std::size_t filled = 0; filled < empty; ++filled) order.push_back(rest[next++]);
    }
    return order;
  }

 private:
  struct cluster {
    std::vector<std::uint32_t> threads, elements;
    bool is_merged = false;
  };
  // Ordered by similarity = common / either, then by the older clusters.
  struct pair {
    std::uint32_t common, either, first, second;
    bool operator<(const pair& other) const {
      const std::uint64_t mine = std::uint64_t{common} * other.either;
      const std::uint64_t other_product = std::uint64_t{other.common} * either;
      if (mine != other_product) return mine < other_product;
      if (first != other.first) return first > other.first;
      return second > other.second;
    }
  };

  // Clusters with the same elements that are still to be merged, in ascending order, and the next
  // two of them.
  struct equal_clusters {
    std::list<std::size_t> left;
    std::size_t first = 0, second = 0;
  };

  // Replaces two clusters by their union, the newest cluster.
  void merge(std::size_t first, std::size_t second) {
    cluster result;
    cluster &a = clusters_[first], &b = clusters_[second];
    result.threads = a.threads;
    result.threads.insert(result.threads.end(), b.threads.begin(), b.threads.end());
    std::set_union(a.elements.begin(), a.elements.end(), b.elements.begin(), b.elements.end(),
                   std::back_inserter(result.elements));
    a.is_merged = b.is_merged = true;
    clusters_.push_back(std::move(result));  // a and b are no longer valid
  }

  // Takes the two oldest clusters that fit in a block together. Returns false if there are none.
  bool take_next(equal_clusters& equal) const {
    while (!equal.left.empty()) {
      equal.first = equal.left.front();
      equal.left.pop_front();
      const std::size_t room = block_ - clusters_[equal.first].threads.size();
      for (auto other = equal.left.begin(); other != equal.left.end(); ++other) {
        if (clusters_[*other].threads.size() > room) continue;
        equal.second = *other;
        equal.left.erase(other);
        return true;
      }
      // Later clusters are unions of those that do not fit.
    }
    return false;
  }

  // Merges the clusters with equal elements. Their similarity is 1, so merge_all() would merge them
  // first, in this order, and a union of them has the elements of both; but it would store all of
  // their pairs: 4096 equal threads took 25 seconds and half a gigabyte.
  void merge_equal() {
    std::map<std::vector<std::uint32_t>, equal_clusters> by_elements;
    for (std::size_t number = 0; number < clusters_.size(); ++number)
      if (!clusters_[number].elements.empty())
        by_elements[clusters_[number].elements].left.push_back(number);
    std::map<std::size_t, equal_clusters*> next;  // by the first of the next two
    for (auto& [elements, equal] : by_elements)
      if (take_next(equal)) next.emplace(equal.first, &equal);
    while (!next.empty()) {
      equal_clusters& equal = *next.begin()->second;
      next.erase(next.begin());
      merge(equal.first, equal.second);
      equal.left.push_back(clusters_.size() - 1);
      if (take_next(equal)) next.emplace(equal.first, &equal);
    }
  }

  // Adds the pairs of a cluster and the older ones that share an element with it.
  void add_pairs(std::size_t number) {
    const cluster& newest = clusters_[number];
    std::vector<std::size_t> neighbours;
    for (const std::uint32_t element : newest.elements) {
      std::vector<std::size_t>& sharers = clusters_of_[element];
      std::erase_if(sharers, [&](std::size_t other) { return clusters_[other].is_merged; });
      neighbours.insert(neighbours.end(), sharers.begin(), sharers.end());
      sharers.push_back(number);
    }
    std::sort(neighbours.begin(), neighbours.end());
    for (std::size_t begin = 0, end = 0; begin < neighbours.size(); begin = end) {
      while (end < neighbours.size() && neighbours[end] == neighbours[begin]) ++end;
      const cluster& other = clusters_[neighbours[begin]];
      if (newest.threads.size() + other.threads.size() > block_) continue;
      const std::size_t common = end - begin;
      const std::size_t either = newest.elements.size() + other.elements.size() - common;
      pairs_.push({static_cast<std::uint32_t>(common), static_cast<std::uint32_t>(either),
                   static_cast<std::uint32_t>(neighbours[begin]),
                   static_cast<std::uint32_t>(number)});
    }
  }

  std::uint64_t block_;
  std::vector<cluster> clusters_;
  std::vector<std::vector<std::size_t>> clusters_of_;  // of each element
  std::priority_queue<pair> pairs_;
};

inline std::vector<std::uint32_t> hierarchical(const reorganize::irregular_references& references) {
  if (references.threads() > most_hierarchical_threads)
    rule::a_hierarchical_clustering_must_have_few_threads(
        static_cast<long long>(references.threads()),
        static_cast<long long>(most_hierarchical_threads));
  cluster_merger merger(references);
  merger.merge_all();
  return merger.packed(references.threads());
}

}  // namespace detail
}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
