// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_GLOBAL_BLOCK_STRIDE_HPP
#define BANKMODEL_GLOBAL_BLOCK_STRIDE_HPP

#include <bankmodel/global/blocks_along.hpp>
#include <bankmodel/global/detail/block_movement.hpp>
#include <bankmodel/global/detail/compared_blocks.hpp>
#include <bankmodel/global/sharing.hpp>

// The block stride of accesses: how far their places move from one block to the next, and if
// neighbouring blocks share bytes.
//
// Source: P. Barua, Memory Access Analysis for CUDA Programs. Section II defines the block stride
// f(B + 1, I) - f(B, I) of block B and thread I; section III B compares it for a few consecutive
// blocks where it is not known before. Here places are compared as sets of bytes: a permutation of
// the threads inside a block changes nothing, and overlaps are counted.
namespace bankmodel {

namespace detail {

// The least distance, 2 or more, at which blocks share bytes; 0 if there is none.
BANKMODEL_FN long long next_sharing_distance(const touched_places& places, long long step) {
  constexpr int most_steps = 4096;
  long long distance = 2;
  for (int steps = 0; distance <= places.extent() / step; ++steps) {
    if (steps == most_steps) rule::the_places_of_a_block_must_be_few_enough_to_compare(most_steps);
    const long long shift = distance * step, gap = places.gap(shift);
    if (gap == 0) return distance;
    if (gap == no_gap) return 0;
    distance = (shift + gap - 1) / step + 1;
  }
  return 0;
}

template <class Accesses>
BANKMODEL_FN block_sharing proven_sharing(const machine& m, const block_dim& block,
                                          const blocks_along& blocks, const Accesses& accesses,
                                          const block_movement& moves) {
  const bool unguarded = moves.guarded;
  const int direction = static_cast<int>(blocks.axis);
  block_sharing result;
  result.proven = true;
  common_repeats first;
  visit_all(m, block, accesses, unguarded, blocks.first, first);
  if (!first.is_found()) rule::blocks_must_touch_memory();
  touched_places places(first);
  visit_all(m, block, accesses, unguarded, blocks.first, places);
  places.tidy();
  result.touched_bytes = places.bytes();
  // Unrelated: in the long run the lowest and the highest byte move by different distances.
  if (!moves.is_common[direction]) return result;
  result.bytes = moves.bytes[direction];
  if (result.bytes == 0) {
    result.relation = sharing::the_same;
    result.overlap_bytes = result.touched_bytes;
    result.shares_again_after = 2;
    return result;
  }
  result.overlap_bytes = places.common_bytes(result.bytes);
  result.relation = result.overlap_bytes == 0 ? sharing::exclusive : sharing::overlapping;
  const long long step = result.bytes < 0 ? checked_subtract(0, result.bytes) : result.bytes;
  result.shares_again_after = next_sharing_distance(places, step);
  if (result.shares_again_after == 0) return result;
  block_range range;
  range.limit(-blocks.begin(), int64_max);
  limit_blocks(m, block, accesses, unguarded, blocks.first, blocks.axis, range);
  if (range.last < int64_max && result.shares_again_after > range.last - range.first)
    result.shares_again_after = 0;
  return result;
}

// Adds the classes of one block to a list of runs.
class run_lister {
 public:
  BANKMODEL_FN explicit run_lister(touched_runs& touched)
      : runs_(touched), left_(most_added_runs()) {}
  BANKMODEL_FN void operator()(const request_class& requests) {
    class_places(requests).add_to(runs_, left_);
  }

 private:
  touched_runs& runs_;
  long long left_;
};

// List the bytes of a block of which a caller knows the requests or the addresses.
template <class VisitBlock>
struct lists_requests {
  VisitBlock& visit_block;
#if defined(__CUDACC__)
#pragma nv_exec_check_disable  // it may be for the host alone
#endif
  BANKMODEL_FN void operator()(long long number, touched_runs& touched) const {
    run_lister lister(touched);
    visit_block(number, lister);
  }
};
template <class Address>
struct lists_addresses {
  Address& address;
  long long threads, bytes;
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
  BANKMODEL_FN void operator()(long long number, touched_runs& touched) const {
    for (long long thread = 0; thread < threads; ++thread) {
      const long long begin = address(number, thread);
      if (begin >= 0) touched.add(begin, checked_add(begin, bytes));
    }
  }
};

template <class Accesses>
BANKMODEL_FN block_sharing block_stride_of(const machine& m, bool knows_lanes,
                                           const block_dim& block, const blocks_along& blocks,
                                           const Accesses& accesses) {
  blocks.require_valid();
  block_movement moves;
  read_movement(accesses, knows_lanes, moves);
  if (moves.linear && !moves.guarded && !moves.all_together()) {
    moves = {};
    read_made(m, block, accesses, blocks.first, moves);
  }
  if (moves.array == nullptr) rule::blocks_must_touch_memory();
  // Accesses that move by different distances on another axis make other sets there.
  const bool linear =
      moves.linear &&
      (!moves.is_common[static_cast<int>(blocks.axis)] ? !moves.guarded : moves.all_together());
  block_sharing unguarded;  // as if no condition depended on the block's index
  if (linear) {
    unguarded = proven_sharing(m, block, blocks, accesses, moves);
    // A condition only takes bytes away.
    if (!moves.guarded ||
        (unguarded.relation == sharing::exclusive && unguarded.shares_again_after == 0))
      return unguarded;
  }
  const auto list = [&](long long number, touched_runs& touched) {
    run_lister lister(touched);
    visit_all(m, block, accesses, false, blocks.block(number), lister);
  };
  return compared_blocks(blocks.count, list, linear ? &unguarded : nullptr);
}

// A machine of which only the number of lanes is known, which decides nothing here.
BANKMODEL_FN machine any_machine() {
  machine m;
  m.lanes = 32;
  return m;
}

}  // namespace detail

// Returns how the places that blocks of threads touch move along an axis of the grid, and if
// neighbouring blocks share bytes. Several accesses to one array count together: single accesses
// and lists of them. The other two coordinates of the blocks are those of `blocks.first`, 0 by
// default.
//
// `proven`: the subscripts are linear forms of the block's index, and the result holds for all
// blocks within the extents, also at other coordinates on the other axes. If conditions depend on
// the block's index, as guards at the edges do, it is proven only if no two blocks share bytes;
// then touched_bytes is that of a block without the guard. Otherwise `blocks.count` consecutive
// blocks are compared: their places have to move by the same bytes each time, or, behind guards,
// those of two neighbours that the guards leave whole.
//
// In device code use it in constant expressions only: as code for a GPU it takes minutes to
// compile.
//
// Requires: inside the loops that all accesses share, a block touches at most
// touched_runs::capacity (4096) separate runs of bytes; in constant expressions some thousand,
// before runs are merged.
// Error: more runs; accesses to different arrays or to shared memory; an access that reads `lane`
// or `warp` without a machine; no byte is touched; otherwise as for total().
// Example:
//
//   constexpr auto in = global_array<float>("in", 1024, 1024);
//   constexpr auto exact = block_stride(block_dim{32}, axis::x, load(in[ty][32 * bx + tx]));
//   static_assert(exact.relation == sharing::exclusive && exact.bytes == 128);
//   constexpr auto wide = block_stride(block_dim{33}, axis::x, load(in[ty][32 * bx + tx]));
//   static_assert(wide.relation == sharing::overlapping && wide.overlap_bytes == 4);
template <detail::accesses... Accesses>
  requires(sizeof...(Accesses) > 0)
BANKMODEL_FN block_sharing block_stride(const block_dim& block, const blocks_along& blocks,
                                        const Accesses&... accesses) {
  return detail::block_stride_of(detail::any_machine(), false, block, blocks,
                                 detail::list_of(accesses...));
}
// The same for accesses that read `lane` or `warp`.
template <detail::accesses... Accesses>
  requires(sizeof...(Accesses) > 0)
BANKMODEL_FN block_sharing block_stride(const machine& m, const block_dim& block,
                                        const blocks_along& blocks, const Accesses&... accesses) {
  return detail::block_stride_of(m, true, block, blocks, detail::list_of(accesses...));
}

// Returns the same for any requests, from a trace or a compiled kernel: visit_block(block, visit)
// calls visit(request_class) for each class of the blocks 0 to blocks - 1. Never proven.
// Error: there are fewer than two blocks; too many runs of bytes; no byte is touched.
#if defined(__CUDACC__)
#pragma nv_exec_check_disable  // it may be for the host alone
#endif
template <class VisitBlock>
BANKMODEL_FN block_sharing block_stride_of_requests(long long blocks, VisitBlock&& visit_block) {
  const detail::lists_requests<VisitBlock> list{visit_block};
  return detail::compared_blocks(blocks, list, nullptr);
}

// Returns the same for addresses that no subscript can describe, such as a[index[256 * bx + tx]]:
// address(block, thread) returns the first of the `bytes` bytes that a thread touches, or a
// negative number if it touches none. Never proven.
// Error: as above; `bytes` is below 1.
// Example: blocks 0 to 3 of 256 threads, which read a[index[256 * block + thread]] of floats:
//
//   std::vector<int> index(1024);
//   for (int thread = 0; thread < 1024; ++thread) index[thread] = thread;
//   const auto address = [&](long long block, long long thread) {
//     return 4ll * index[256 * block + thread];
//   };
//   const auto shared = block_stride_of_addresses(4, 256, 4, address);
//   assert(shared.relation == sharing::exclusive && shared.bytes == 1024);
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
template <class Address>
BANKMODEL_FN block_sharing block_stride_of_addresses(long long blocks, long long threads,
                                                     long long bytes, Address&& address) {
  if (threads < 1 || bytes < 1) rule::blocks_must_touch_memory();
  const detail::lists_addresses<Address> list{address, threads, bytes};
  return detail::compared_blocks(blocks, list, nullptr);
}

}  // namespace bankmodel

#endif
