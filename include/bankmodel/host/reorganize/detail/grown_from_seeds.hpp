// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_REORGANIZE_DETAIL_GROWN_FROM_SEEDS_HPP
#define BANKMODEL_HOST_REORGANIZE_DETAIL_GROWN_FROM_SEEDS_HPP

#include <bankmodel/host/reorganize/detail/incidence.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// The clustering `from_seeds`.
namespace bankmodel::detail {

// A block's threads while it grows.
struct growing_block {
  std::vector<std::uint32_t> threads, elements;  // in the order in which they joined
  std::size_t next_element = 0;                  // whose threads are being added
  std::uint64_t room = 0;
};

// Returns the threads block by block. Each block begins with a seed, a thread drawn at random with
// the generator std::mt19937_64(seed); in turns, each block takes one thread that accesses an
// element of it, until no block finds one. Then the blocks with room, one after the other, begin
// anew with the first thread that is left.
inline std::vector<std::uint32_t> grown_from_seeds(
    const reorganize::irregular_references& references, std::uint64_t seed) {
  const number_lists threads_of = threads_of_elements(references);
  const std::uint64_t threads = references.threads(),
                      size = static_cast<std::uint64_t>(references.block);
  std::vector<growing_block> blocks(references.blocks());
  std::vector<bool> is_placed(threads), was_seed(threads);
  // Of each element: the first that is left.
  std::vector<std::uint32_t> next_thread(references.elements);

  const auto place = [&](growing_block& block, std::uint32_t thread) {
    is_placed[thread] = true;
    --block.room;
    block.threads.push_back(thread);
    for (const reorganize::index_array& indices : references.references)
      if (indices[thread] != reorganize::no_element) block.elements.push_back(indices[thread]);
  };
  std::mt19937_64 dice(seed);
  for (std::uint64_t number = 0; number < blocks.size(); ++number) {
    blocks[number].room = std::min(size, threads - number * size);
    std::uint32_t drawn = static_cast<std::uint32_t>(dice() % threads);
    while (is_placed[drawn]) drawn = static_cast<std::uint32_t>((drawn + 1) % threads);
    place(blocks[number], drawn);
  }
  const auto grow = [&](growing_block& block) {
    for (; block.next_element < block.elements.size(); ++block.next_element) {
      const std::uint32_t element = block.elements[block.next_element];
      const std::span<const std::uint32_t> candidates = threads_of[element];
      std::uint32_t& next = next_thread[element];
      while (next < candidates.size() && is_placed[candidates[next]]) ++next;
      if (next == candidates.size()) continue;
      place(block, candidates[next]);
      return true;
    }
    return false;
  };
  std::vector<std::uint64_t> growing(blocks.size());
  std::iota(growing.begin(), growing.end(), std::uint64_t{0});
  while (!growing.empty())
    std::erase_if(growing, [&](std::uint64_t number) {
      return blocks[number].room == 0 || !grow(blocks[number]);
    });
  std::uint64_t left = 0;
  for (growing_block& block : blocks)
    while (block.room > 0) {
      while (is_placed[left]) ++left;
      place(block, static_cast<std::uint32_t>(left));
      while (block.room > 0 && grow(block)) {
      }
    }

  std::vector<std::uint32_t> order;
  order.reserve(threads);
  for (const growing_block& block : blocks)
    order.insert(order.end(), block.threads.begin(), block.threads.end());
  return order;
}

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
