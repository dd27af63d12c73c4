// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REORGANIZE_REORGANIZED_ACCESS_HPP
#define BANKMODEL_REORGANIZE_REORGANIZED_ACCESS_HPP

#include <bankmodel/core/config.hpp>
#include <bankmodel/reorganize/no_element.hpp>

#include <cstdint>

// The results of reorganize.hpp in kernels: new data made from old data, new indices, and tiles.
//
// Each view is passed to a kernel by value; its pointers are to memory that the kernel can read.
// `Index` is the type of the entries: std::uint32_t as the host functions make them, or
// std::uint16_t for the indices into tiles of at most 65536 elements.
//
//   __global__ void after(float* out, bankmodel::reorganize::shared_view<float> a) {
//     extern __shared__ float tile[];
//     a.load(tile, blockIdx.x, threadIdx.x, blockDim.x);
//     __syncthreads();
//     const auto tid = blockIdx.x * blockDim.x + threadIdx.x;
//     if (tid < a.threads) out[a.old_thread(tid)] = a.element(tile, 0, tid);
//   }
namespace bankmodel::reorganize {

// Returns the element that a new place holds, T{} for an empty place: new_data[place] =
// element_of_place(old_data, data_order, place) makes the new data on the GPU, one place for each
// thread.
// Requires: place is below the size of data_order, and the order is of `old_data`.
// Example:
//
//   const int old[] = {5, 6};
//   const std::uint32_t order[] = {1, no_element};
//   assert(element_of_place(old, order, 0) == 6 && element_of_place(old, order, 1) == 0);
template <class T>
BANKMODEL_FN T element_of_place(const T* old_data, const std::uint32_t* data_order,
                                std::uint64_t place) {
  const std::uint32_t element = data_order[place];
  return element == no_element ? T{} : old_data[element];
}

// The result of duplicate(): A'[tid] for the copied threads, A[P[tid]] for the others.
template <class T>
struct duplicated_view {
  const T* new_data;
  const T* old_data;             // not read if all threads are copied
  const std::uint32_t* indices;  // [reference * threads + thread], of the others; as old_data
  std::uint64_t threads;         // of the launch
  std::uint64_t copied_threads, stride;  // of the duplication

  // Returns the element that a thread reads through a reference.
  // Requires: thread < threads, and the thread makes an access.
  // Example: reference 1 of thread 2:
  //
  //   const int new_data[] = {10, 11, 12, 0, 20, 21, 22, 0};
  //   const duplicated_view<int> view{.new_data = new_data, .old_data = nullptr,
  //                                   .indices = nullptr, .threads = 3, .copied_threads = 3,
  //                                   .stride = 4};
  //   assert(view.element(1, 2) == new_data[6]);
  BANKMODEL_FN T element(std::uint32_t reference, std::uint64_t thread) const {
    if (thread < copied_threads) return new_data[reference * stride + thread];
    return old_data[indices[reference * threads + thread]];
  }
};

// The result of pad(), reposition() and swap_threads(): A'[Q[tid]].
template <class T>
struct reordered_view {
  const T* data;                      // the new data, or the old if they stay as they are
  const std::uint32_t* indices;       // [reference * threads + new thread]
  const std::uint32_t* thread_order;  // nullptr: no thread moves
  std::uint64_t threads;

  // Returns the old thread whose work a thread does, for other arrays and for results.
  BANKMODEL_FN std::uint64_t old_thread(std::uint64_t thread) const {
    return thread_order == nullptr ? thread : thread_order[thread];
  }
  // True if the thread makes this access.
  BANKMODEL_FN bool has_element(std::uint32_t reference, std::uint64_t thread) const {
    return indices[reference * threads + thread] != no_element;
  }
  // Returns the element that a thread reads through a reference. Requires: has_element().
  BANKMODEL_FN T element(std::uint32_t reference, std::uint64_t thread) const {
    return data[indices[reference * threads + thread]];
  }
};

// The result of share(): the elements of a block in a tile.
template <class T, class Index = std::uint32_t>
struct shared_view {
  const T* data;                                  // the new data
  const std::uint32_t *block_begin, *block_size;  // [block]
  const Index* indices;                           // [reference * threads + new thread]
  const std::uint32_t* thread_order;              // nullptr: no thread moves
  std::uint64_t threads;

  // Loads the part of the block's tile that falls to one of its threads: elements thread_in_block,
  // thread_in_block + block_threads and so on, so that the loads of a warp are coalesced.
  // Requires: all threads of the block call it, and wait for one another before they read the tile;
  // the tile has block_size[block] elements.
  BANKMODEL_FN void load(T* tile, std::uint32_t block, std::uint32_t thread_in_block,
                         std::uint32_t block_threads) const {
    const T* const source = data + block_begin[block];
    const std::uint32_t size = block_size[block];
    for (std::uint32_t place = thread_in_block; place < size; place += block_threads)
      tile[place] = source[place];
  }
  // Returns the old thread whose work a thread does, for other arrays and for results.
  BANKMODEL_FN std::uint64_t old_thread(std::uint64_t thread) const {
    return thread_order == nullptr ? thread : thread_order[thread];
  }
  // True if the thread makes this access.
  BANKMODEL_FN bool has_element(std::uint32_t reference, std::uint64_t thread) const {
    return indices[reference * threads + thread] != static_cast<Index>(no_element);
  }
  // Returns the element that a thread reads through a reference. Requires: has_element().
  BANKMODEL_FN T element(const T* tile, std::uint32_t reference, std::uint64_t thread) const {
    return tile[indices[reference * threads + thread]];
  }
};

}  // namespace bankmodel::reorganize

#endif
