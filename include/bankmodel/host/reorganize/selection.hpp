// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_REORGANIZE_SELECTION_HPP
#define BANKMODEL_HOST_REORGANIZE_SELECTION_HPP

#include <bankmodel/host/reorganize/duplication.hpp>
#include <bankmodel/host/reorganize/padding.hpp>
#include <bankmodel/host/reorganize/thread_swapping.hpp>
#include <bankmodel/host/reorganize/tile_order.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// Which algorithm to use: by the paper's guideline, or by exact costs.
namespace bankmodel::reorganize {

enum class algorithm : unsigned char {
  none,  // the references stay as they are
  duplication,
  padding,
  sharing,
  repositioning,
  swapping
};

// The result of the guideline.
struct guideline {
  algorithm use = algorithm::none;
  // The working set of a block does not fit in shared memory: sharing would be better, after the
  // kernel's tasks are cut into smaller blocks.
  bool or_change_the_kernel = false;
};

// The weights of select(), in a unit of the user's choice, such as picoseconds. A run is a launch
// of the kernel with the reorganized data; a reorganization is made once for all runs.
struct cost_model {
  std::uint64_t runs = 1;
  std::uint64_t per_transaction = 0;  // of global memory
  std::uint64_t per_wavefront = 0;    // of shared memory
  std::uint64_t per_byte = 0;         // of new data and tables, created and moved to the GPU
};

// One algorithm with its exact costs.
struct priced_algorithm {
  algorithm kind = algorithm::none;
  // False: it does not fit (byte_limit, shared_bytes), or it is padding for references with
  // different patterns.
  bool is_allowed = true;
  std::uint64_t transactions = 0, wavefronts = 0;  // of one run
  std::uint64_t data_bytes = 0, table_bytes = 0;   // of the new data; of new indices and tables
  // runs * (transactions * per_transaction + wavefronts * per_wavefront) + bytes * per_byte
  std::uint64_t cost = 0;
};

// The result of select() by costs: all algorithms in the order of the enumeration.
struct selection {
  std::vector<priced_algorithm> all;
  priced_algorithm best;  // of those that are allowed, the first of the least cost
};

// True if all references have the same indices (a single access pattern).
inline bool have_one_pattern(const irregular_references& references) {
  for (const index_array& indices : references.references)
    if (!detail::have_same_indices(references.references[0], indices)) return false;
  return true;
}

// Returns the bytes of the different elements that the threads of one block access, for the block
// with the most (D1 in figure 6), without clustering.
// Error: references that require_valid() rejects.
inline std::uint64_t largest_working_set(const irregular_references& references) {
  references.require_valid();
  detail::small_map elements(static_cast<std::size_t>(references.block) *
                             references.references.size());
  const std::uint64_t block = static_cast<std::uint64_t>(references.block);
  std::uint64_t maximum = 0;
  for (std::uint64_t first = 0; first < references.threads(); first += block) {
    std::uint64_t count = 0;
    elements.clear();
    for (const index_array& indices : references.references)
      for (std::uint64_t thread = first; thread < std::min(references.threads(), first + block);
           ++thread)
        if (indices[thread] != no_element) count += elements.insert(indices[thread]);
    maximum = std::max(maximum, count);
  }
  return maximum * static_cast<std::uint64_t>(references.element_bytes);
}

// Returns the guideline's choice: duplication if the threads are not many more than the elements;
// else padding if all references have one pattern; else sharing if the working set of each block
// fits in `shared_bytes`; else duplication.
// `comparable`: up to this many threads for an element are "comparable" with the size of the data.
// Source: PPoPP 2013, figure 6.
// Error: references that require_valid() rejects.
// Example: 1 million threads with 2 different references each to 100 000 floats:
//
//   std::vector<int> P(1000000), Q(1000000);
//   for (int thread = 0; thread < 1000000; ++thread)
//     P[thread] = thread / 10, Q[thread] = thread / 20;
//   const irregular_references kernel{.references = {index_array(P), index_array(Q)},
//                                     .elements = 100000};
//   assert(select(kernel).use == algorithm::sharing);
inline guideline select(const irregular_references& references, std::uint64_t shared_bytes = 49152,
                        std::uint64_t comparable = 2) {
  const std::uint64_t working_set = largest_working_set(references);
  if (references.threads() / std::max<std::uint64_t>(1, comparable) <= references.elements &&
      references.threads() <= references.elements * comparable)
    return {algorithm::duplication, false};
  if (have_one_pattern(references)) return {algorithm::padding, false};
  if (working_set <= shared_bytes) return {algorithm::sharing, false};
  return {algorithm::duplication, true};
}

}  // namespace bankmodel::reorganize

namespace bankmodel::detail {

inline std::uint64_t weighed(const reorganize::cost_model& weights,
                             const reorganize::priced_algorithm& candidate) {
  const std::uint64_t run =
      checked_count_sum(checked_count_product(candidate.transactions, weights.per_transaction),
                        checked_count_product(candidate.wavefronts, weights.per_wavefront));
  return checked_count_sum(
      checked_count_product(run, weights.runs),
      checked_count_product(candidate.data_bytes + candidate.table_bytes, weights.per_byte));
}

// The bytes of the 32-bit entries of new indices, thread orders and tables.
inline std::uint64_t table_bytes(const std::vector<std::vector<std::uint32_t>>& indices,
                                 const std::vector<std::uint32_t>& thread_order,
                                 std::uint64_t blocks) {
  std::uint64_t entries = thread_order.size() + 2 * blocks;
  for (const std::vector<std::uint32_t>& list : indices) entries += list.size();
  return 4 * entries;
}

}  // namespace bankmodel::detail

namespace bankmodel::reorganize {

// Returns the algorithm of the least cost, with exact transactions, wavefronts and bytes of each:
// runs times what a run takes, plus the bytes that are made and moved once. Each algorithm is
// carried out, so this takes as long as all of them. Duplication is in part if the byte limit
// demands it. Sharing is made with `options`, and lower_conflicts().
// Error: references that require_valid() rejects; the machine's warps do not have references.warp
// threads; a cost overflows 64 bits.
// Example: without runs the references stay as they are:
//
//   const std::vector<int> P{0, 8, 16, 24};
//   const irregular_references kernel{.references = {index_array(P)}, .elements = 32};
//   assert(select(nvidia::sm_90, kernel, {.runs = 0}).best.kind == algorithm::none);
inline selection select(const machine& m, const irregular_references& references,
                        const cost_model& weights, const sharing_options& options = {}) {
  detail::require_warps_of(m, references);
  irregular_references unlimited = references;
  unlimited.byte_limit = ~std::uint64_t{0};
  selection result;
  const auto add = [&](algorithm kind, std::uint64_t transactions) -> priced_algorithm& {
    result.all.push_back({});
    result.all.back().kind = kind;
    result.all.back().transactions = transactions;
    return result.all.back();
  };
  add(algorithm::none, traffic(references).transactions);
  {
    // A limit that does not allow one block is no error here.
    irregular_references first = references;
    const auto block = std::min(references.threads(), static_cast<std::uint64_t>(references.block));
    const auto minimum =
        block * references.references.size() *
            static_cast<std::uint64_t>(references.element_bytes) +
        static_cast<std::uint64_t>(references.segment_bytes) * references.references.size();
    const bool fits = references.byte_limit >= minimum;
    if (!fits) first.byte_limit = minimum;
    const duplication copies = duplicate_within_limit(first);
    priced_algorithm& candidate =
        add(algorithm::duplication, traffic_after(references, copies).transactions);
    candidate.data_bytes = data_bytes(references, copies);
    // The index arrays are still read for threads without copies; they are there already.
    candidate.is_allowed = fits;
  }
  {
    const reorganization padded = pad(unlimited);
    priced_algorithm& candidate =
        add(algorithm::padding, traffic_after(references, padded).transactions);
    candidate.data_bytes = data_bytes(references, padded);
    candidate.table_bytes = detail::table_bytes(padded.indices, padded.thread_order, 0);
    candidate.is_allowed =
        have_one_pattern(references) && candidate.data_bytes <= references.byte_limit;
  }
  {
    sharing_options any_size = options;
    any_size.shared_bytes = ~std::uint64_t{0};
    shared_blocks shared = share(unlimited, any_size);
    lower_conflicts(m, references, shared);
    priced_algorithm& candidate =
        add(algorithm::sharing, traffic_after(references, shared).transactions);
    candidate.wavefronts = tile_cost(m, references, shared).wavefronts;
    candidate.data_bytes = data_bytes(references, shared);
    candidate.table_bytes =
        detail::table_bytes(shared.indices, shared.thread_order, shared.block_begin.size());
    const std::uint64_t tile = std::uint64_t{shared.largest_block()} *
                               static_cast<std::uint64_t>(references.element_bytes);
    candidate.is_allowed =
        tile <= options.shared_bytes && candidate.data_bytes <= references.byte_limit;
  }
  {
    const reorganization moved = reposition(unlimited);
    priced_algorithm& candidate =
        add(algorithm::repositioning, traffic_after(references, moved).transactions);
    candidate.data_bytes = data_bytes(references, moved);
    candidate.table_bytes = detail::table_bytes(moved.indices, moved.thread_order, 0);
    candidate.is_allowed = candidate.data_bytes <= references.byte_limit;
  }
  {
    const reorganization swapped = swap_threads(unlimited);
    priced_algorithm& candidate =
        add(algorithm::swapping, traffic_after(references, swapped).transactions);
    candidate.table_bytes = detail::table_bytes(swapped.indices, swapped.thread_order, 0);
  }
  bool has_best = false;
  for (priced_algorithm& candidate : result.all) {
    candidate.cost = detail::weighed(weights, candidate);
    if (!candidate.is_allowed || (has_best && candidate.cost >= result.best.cost)) continue;
    result.best = candidate;
    has_best = true;
  }
  return result;
}

}  // namespace bankmodel::reorganize

#include <bankmodel/core/restore_macros.hpp>

#endif
