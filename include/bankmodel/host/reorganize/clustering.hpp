// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_REORGANIZE_CLUSTERING_HPP
#define BANKMODEL_HOST_REORGANIZE_CLUSTERING_HPP

#include <bankmodel/host/reorganize/detail/first_come.hpp>
#include <bankmodel/host/reorganize/detail/grown_from_seeds.hpp>
#include <bankmodel/host/reorganize/detail/hierarchical.hpp>

#include <cstdint>
#include <vector>

// Which threads form a block, so that the threads of a block share elements and blocks do not.
namespace bankmodel::reorganize {

// The policies, with their order of cost: n accesses of t threads to e elements, r references. Each
// gives the same order on every computer. All but `none` need the whole index arrays; with part()
// they cluster the threads of a chunk among its own blocks.
enum class clustering : unsigned char {
  // Threads stay where they are. No cost.
  none,
  // Threads that access an element that has come already come next: elements in the order of their
  // first access, with all their threads. Time O(n + e), memory 8 n + 8 (e + t) bytes.
  first_come,
  // Graph partitioning: each block grows from a random thread (a seed) along common elements, all
  // blocks in turn. Time O(r n + e), memory 8 n + 12 e bytes and O(t).
  from_seeds,
  // The two most similar clusters are merged first, up to a block's size; similarity is the
  // common elements by all elements of both. Threads with equal elements take time O(t log t). Time
  // O(t^2 log t) and memory O(t^2) if all threads share elements with others: 4096 threads with one
  // common element and one of their own take 20 seconds and a quarter of a gigabyte, and 8192, the
  // most, 150 seconds and one gigabyte. Without common elements it is much less.
  hierarchical
};

// Returns the threads in the order of their new blocks: [new thread] is the old thread; empty for
// clustering::none. `seed` selects the seeds of clustering::from_seeds.
// Source: PPoPP 2013, section 3.4 (from_seeds, hierarchical), figure 4(d) (first_come).
// Error: references that require_valid() rejects; too many threads for a hierarchy.
// Example: threads with the elements a b a b:
//
//   const std::vector<int> P{0, 1, 0, 1};
//   const irregular_references kernel{.references = {index_array(P)}, .elements = 2};
//   assert((clustered_threads(kernel, clustering::first_come) ==
//           std::vector<std::uint32_t>{0, 2, 1, 3}));
inline std::vector<std::uint32_t> clustered_threads(const irregular_references& references,
                                                    clustering strategy, std::uint64_t seed = 0) {
  references.require_launch();
  if (strategy != clustering::none) detail::require_listable(references);
  references.require_indices();
  switch (strategy) {
    case clustering::none: return {};
    case clustering::first_come: return detail::first_come(references);
    case clustering::from_seeds: return detail::grown_from_seeds(references, seed);
    case clustering::hierarchical: return detail::hierarchical(references);
  }
  return {};
}

}  // namespace bankmodel::reorganize

#endif
