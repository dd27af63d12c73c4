// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_REORGANIZE_BLOCK_TABLES_HPP
#define BANKMODEL_HOST_REORGANIZE_BLOCK_TABLES_HPP

#include <bankmodel/host/reorganize/clustering.hpp>
#include <bankmodel/host/reorganize/reorganization.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// Sharing: the elements of a block are stored next to each other, loaded into shared memory in
// order, and accessed there.
//
// Source: PPoPP 2013, section 3.4 and figure 5.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void a_block_must_fit_in_shared_memory(long long block, long long bytes,
                                                                 long long limit) {
  detail::fail(__func__,
               "the threads of block % access elements of % bytes, % are allowed; raise "
               ".shared_bytes, use smaller blocks, or duplicate() or pad()",
               block, bytes, limit);
}
}  // namespace rule

namespace reorganize {

// The options of share().
struct sharing_options {
  clustering clusters = clustering::first_come;
  std::uint64_t seed = 0;              // of clustering::from_seeds
  std::uint64_t shared_bytes = 49152;  // that a block's elements may take; 48 KiB need no opt-in
};

// The result of share(). Block b loads new_data[block_begin[b] + i] into tile[i] for all i below
// block_size[b]; then its new thread t reads tile[indices[r][t]].
struct shared_blocks {
  // The old element that each new place holds; no_element for an empty place, at the end of a
  // block's last segment.
  std::vector<std::uint32_t> data_order;
  std::vector<std::uint32_t> block_begin;  // a multiple of a segment's elements (blockPos)
  std::vector<std::uint32_t> block_size;   // elements (blockSizes)
  // [reference][new thread]: the place in the block's tile; no_element if it makes no access.
  std::vector<std::vector<std::uint32_t>> indices;
  std::vector<std::uint32_t> thread_order;  // [new thread]: the old thread; empty: none moves

  std::uint64_t old_thread(std::uint64_t thread) const {
    return thread_order.empty() ? thread : thread_order[thread];
  }
  // The elements of the largest tile, for the size of the array in shared memory.
  std::uint32_t largest_block() const {
    return block_size.empty() ? 0 : *std::max_element(block_size.begin(), block_size.end());
  }
};

}  // namespace reorganize

namespace detail {

// The blocks from `first` to `last`, with tables that begin at 0.
class tile_maker {
 public:
  tile_maker(const reorganize::irregular_references& references,
             const reorganize::sharing_options& options, reorganize::shared_blocks& result)
      : references_(references),
        options_(options),
        result_(result),
        tile_(static_cast<std::size_t>(references.block) * references.references.size()) {}

  void make(std::uint64_t block) {
    const std::uint64_t first = block * static_cast<std::uint64_t>(references_.block),
                        last = std::min(references_.threads(),
                                        first + static_cast<std::uint64_t>(references_.block)),
                        segment = references_.segment_elements(), begin = places.size();
    tile_.clear();
    std::uint32_t size = 0;
    for (std::uint64_t thread = first; thread < last; ++thread)
      for (std::size_t reference = 0; reference < references_.references.size(); ++reference) {
        const std::uint32_t element = references_.references[reference][result_.old_thread(thread)];
        bool is_new = false;
        std::uint32_t place = element;
        if (element != reorganize::no_element) place = tile_.insert(element, size, is_new);
        result_.indices[reference][thread] = place;
        if (!is_new) continue;
        places.push_back(element);
        ++size;
      }
    const std::uint64_t bytes = size * static_cast<std::uint64_t>(references_.element_bytes);
    if (bytes > options_.shared_bytes)
      rule::a_block_must_fit_in_shared_memory(static_cast<long long>(block),
                                              static_cast<long long>(bytes),
                                              static_cast<long long>(options_.shared_bytes));
    result_.block_begin[block] = static_cast<std::uint32_t>(begin);
    result_.block_size[block] = size;
    places.resize((places.size() + segment - 1) / segment * segment, reorganize::no_element);
  }

  std::vector<std::uint32_t> places;

 private:
  const reorganize::irregular_references& references_;
  const reorganize::sharing_options& options_;
  reorganize::shared_blocks& result_;
  small_map tile_;
};

}  // namespace detail

namespace reorganize {

// Returns the tables for all blocks. The loads of the tiles are coalesced; the references
// themselves access shared memory alone (tile_requests.hpp counts their conflicts).
//
// Space: an element has one copy for each block that accesses it, and a block less than a segment
// of empty places; besides the tables, 8 bytes for each block.
// Time: O(references * threads), and that of the clustering. With clustering::none a chunk,
// share(references.part(first, count)), has the tables of the whole launch, block_begin counted
// from the chunk's first place. Clustering needs the whole index arrays.
// Error: references that require_valid() rejects; the elements of a block do not fit in shared
// memory; more bytes than the limit; as for clustered_threads().
// Example: figure 4(d), 22 threads in blocks of 16 and segments of 4 elements, a to h:
//
//   std::vector<int> P;
//   for (const char element : std::string("aabbccddeeaabbcdefghaa")) P.push_back(element - 'a');
//   const irregular_references kernel{.references = {index_array(P)}, .elements = 8, .warp = 4,
//                                     .block = 16, .segment_bytes = 16};
//   const auto shared = share(kernel);
//   assert((shared.data_order == std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
//   assert((shared.block_begin == std::vector<std::uint32_t>{0, 4}));
//   assert((shared.block_size == std::vector<std::uint32_t>{4, 4}));
inline shared_blocks share(const irregular_references& references,
                           const sharing_options& options = {}) {
  references.require_valid();
  shared_blocks result;
  result.thread_order = clustered_threads(references, options.clusters, options.seed);
  result.indices.assign(references.references.size(),
                        std::vector<std::uint32_t>(references.threads()));
  result.block_begin.resize(references.blocks());
  result.block_size.resize(references.blocks());

  const std::size_t parts = detail::parts_of(references.cores, references.blocks(), 64);
  std::vector<std::vector<std::uint32_t>> places(parts);
  detail::in_parallel(parts, references.blocks(),
                      [&](std::uint64_t first, std::uint64_t last, std::size_t part) {
                        detail::tile_maker maker(references, options, result);
                        for (std::uint64_t block = first; block < last; ++block) maker.make(block);
                        places[part] = std::move(maker.places);
                      });
  std::uint64_t place_count = 0;
  for (const std::vector<std::uint32_t>& list : places) place_count += list.size();
  references.require_places(place_count);
  if (parts == 1) {
    result.data_order = std::move(places[0]);
    return result;
  }
  result.data_order.reserve(place_count);
  std::vector<std::uint32_t> begins;
  for (std::vector<std::uint32_t>& list : places) {
    begins.push_back(static_cast<std::uint32_t>(result.data_order.size()));
    result.data_order.insert(result.data_order.end(), list.begin(), list.end());
    list = {};
  }
  detail::in_parallel(parts, references.blocks(),
                      [&](std::uint64_t first, std::uint64_t last, std::size_t part) {
                        for (std::uint64_t block = first; block < last; ++block)
                          result.block_begin[block] += begins[part];
                      });
  return result;
}

// Returns the traffic after sharing: that of loading the tiles, in which thread i of a block loads
// elements i, i + block and so on. The loads of block_begin and block_size are not counted.
// Error: as for traffic().
inline reference_traffic traffic_after(const irregular_references& original,
                                       const shared_blocks& result) {
  original.require_launch();
  detail::request_counter counter(original.element_bytes, original.segment_bytes,
                                  original.line_bytes);
  const std::uint64_t warp = static_cast<std::uint64_t>(original.warp);
  for (std::size_t block = 0; block < result.block_size.size(); ++block)
    for (std::uint64_t begin = 0; begin < result.block_size[block]; begin += warp)
      counter.count(begin, std::min<std::uint64_t>(begin + warp, result.block_size[block]),
                    [&](std::uint64_t place) {
                      return static_cast<std::uint32_t>(result.block_begin[block] + place);
                    });
  return counter.sum();
}

// Returns the bytes of the new data.
inline std::uint64_t data_bytes(const irregular_references& original, const shared_blocks& result) {
  return result.data_order.size() * static_cast<std::uint64_t>(original.element_bytes);
}

}  // namespace reorganize
}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
