// SPDX-License-Identifier: MIT
// The fewest transactions of repositioning and of swapping threads, by trying all partitions. Both
// are one problem: items in clusters of at most `size`, so that the clusters touch few edges.
// Includes nothing of the library.
#ifndef BANKMODEL_TESTS_FEWEST_EDGES_HPP
#define BANKMODEL_TESTS_FEWEST_EDGES_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

// `edges` has a set of up to 64 edges for each item; up to some 16 items. The last cluster may be
// smaller, and so may the others if there are clusters enough.
inline std::uint64_t fewest_edges(const std::vector<std::uint64_t>& edges, std::size_t size) {
  const std::size_t sets = std::size_t{1} << edges.size();
  const std::size_t clusters = (edges.size() + size - 1) / size;
  std::vector<std::uint64_t> touched(sets);
  for (std::size_t set = 1; set < sets; ++set)
    touched[set] =
        touched[set & (set - 1)] | edges[static_cast<std::size_t>(std::countr_zero(set))];
  constexpr std::uint64_t none = ~std::uint64_t{0} / 2;
  std::vector<std::uint64_t> previous(sets, none), fewest(sets, none);
  previous[0] = fewest[0] = 0;
  for (std::size_t cluster = 0; cluster < clusters; ++cluster) {
    for (std::size_t set = 1; set < sets; ++set) {
      const std::size_t lowest = set & (0 - set), rest = set ^ lowest;
      for (std::size_t subset = rest;; subset = (subset - 1) & rest) {
        if (static_cast<std::size_t>(std::popcount(subset)) < size)
          fewest[set] = std::min(
              fewest[set], previous[rest ^ subset] +
                               static_cast<std::uint64_t>(std::popcount(touched[subset | lowest])));
        if (subset == 0) break;
      }
    }
    previous = fewest;
  }
  return fewest[sets - 1];
}

#endif
