// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REORGANIZE_HPP
#define BANKMODEL_REORGANIZE_HPP

#include <bankmodel/host/reorganize/block_tables.hpp>
#include <bankmodel/host/reorganize/duplication.hpp>
#include <bankmodel/host/reorganize/padding.hpp>
#include <bankmodel/host/reorganize/repositioning.hpp>
#include <bankmodel/host/reorganize/selection.hpp>
#include <bankmodel/host/reorganize/thread_swapping.hpp>
#include <bankmodel/host/reorganize/tile_order.hpp>
#include <bankmodel/host/reorganize/tile_requests.hpp>
#include <bankmodel/reorganize/reorganized_access.hpp>

// Irregular references, A[P[tid]], put in order on the host: new orders of data and threads with
// which every access to global memory is coalesced.
//
// The index array P is known at run time only, so it is the input, and every number below is
// counted from it. 22 threads in warps of 4 access the objects a to h; a segment holds 4 of them:
//
//   std::vector<int> P = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 0, 0};
//   namespace re = bankmodel::reorganize;
//   re::irregular_references kernel{.references = {std::span<const int>(P)}, .elements = 8,
//                                   .warp = 4, .block = 16, .segment_bytes = 16};
//   assert(re::traffic(kernel).transactions == 7 && re::traffic(kernel).non_coalesced == 1);
//   // a a b b c c d d e e a a b b c d e f g h a a: A'[tid]
//   assert(re::data_bytes(kernel, re::duplicate(kernel)) == 88);
//   // a b c _ c d e f g h: A'[Q[tid]], and threads move
//   assert(re::data_bytes(kernel, re::pad(kernel)) == 40);
//   // a b c d | e f g h: two tiles in shared memory
//   assert(re::data_bytes(kernel, re::share(kernel)) == 32);
//   assert(re::data_bytes(kernel, re::reposition(kernel)) == 32);    // the 8 objects reordered
//   assert(re::data_bytes(kernel, re::swap_threads(kernel)) == 32);  // as they are, threads move
//
// After the first three, all requests are coalesced. The last two need no extra space, but are
// heuristics for NP-complete problems; they never make it worse.
//
//   traffic_after(kernel, result), data_bytes(kernel, result)    exact, for each of the results
//   in_order(A, result.data_order)                               the new array A'
//   tile_cost(m, kernel, shared), lower_conflicts(m, kernel, shared)   bank conflicts of the tiles
//   select(kernel)                the guideline of the paper; select(m, kernel, weights) by costs
//   kernel.part(first, count)     blocks of a large launch, in bounded memory
//
// A kernel uses the results through <bankmodel/reorganize/reorganized_access.hpp>.
//
// Source: B. Wu et al., Complexity Analysis and Algorithm Design for Reorganizing Data to Minimize
// Non-Coalesced Memory Accesses on GPU, PPoPP 2013. Not covered: caches, which serve repeated
// segments; and how long the transfer of new data takes on a given system (cost_model has a weight
// for it).

#endif
