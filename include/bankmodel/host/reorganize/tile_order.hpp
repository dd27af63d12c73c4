// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_REORGANIZE_TILE_ORDER_HPP
#define BANKMODEL_HOST_REORGANIZE_TILE_ORDER_HPP

#include <bankmodel/host/reorganize/tile_requests.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// An order of the elements inside each block's tile that lowers the bank conflicts.
namespace bankmodel::detail {

// Spreads the elements of one tile over the banks.
//
// A column is a bank, or the banks that one element covers; the places of column c are c, c +
// columns, c + 2 * columns and so on. (With elements narrower than a word, the elements of a word
// share a column.) Elements are taken by their number of accesses, the most accessed first; each
// gets the column with room in which the fewest conflicts are added.
class tile_spreader {
 public:
  tile_spreader(const machine& m, const reorganize::irregular_references& references)
      : machine_(m), references_(references) {
    const geometry banks = m.banks(references.element_bytes, access_kind::load);
    in_word_ = references.element_bytes < banks.N
                   ? static_cast<std::uint32_t>(banks.N / references.element_bytes)
                   : 1;
    const int words = references.element_bytes < banks.N ? 1 : references.element_bytes / banks.N;
    columns_ = static_cast<std::uint32_t>(std::max(1, banks.bank_num / words));
  }

  // Returns the new place of each of `size` elements, of which the threads [first, last) read
  // indices[reference][thread]. Empty if no better order than theirs was found.
  std::vector<std::uint32_t> order(const std::vector<std::vector<std::uint32_t>>& indices,
                                   std::uint64_t first, std::uint64_t last, std::uint32_t size) {
    if (size <= columns_ * in_word_) return {};  // no two elements of other words meet
    std::vector<std::uint32_t> place(size);
    std::iota(place.begin(), place.end(), 0u);
    const std::uint64_t wavefronts = wavefronts_of(indices, first, last, place);
    list_phases(indices, first, last, size);
    if (wavefronts <= phases_) return {};
    spread(size, place);
    if (wavefronts_of(indices, first, last, place) >= wavefronts) return {};
    return place;
  }

 private:
  // The phases that read each element, each phase once.
  void list_phases(const std::vector<std::vector<std::uint32_t>>& indices, std::uint64_t first,
                   std::uint64_t last, std::uint32_t size) {
    phases_of_.assign(size, {});
    phases_ = 0;
    const lane_groups groups = machine_.served(references_.element_bytes, access_kind::load).phases;
    const std::uint64_t warp = static_cast<std::uint64_t>(references_.warp);
    for (std::uint64_t begin = first; begin < last; begin += warp)
      for (const std::vector<std::uint32_t>& reference : indices)
        for (int phase = 0; phase < 1 << groups.bits(); ++phase) {
          bool is_active = false;
          for (std::uint64_t lanes = groups.lanes_of(phase); lanes != 0; lanes &= lanes - 1) {
            const std::uint64_t thread = begin + static_cast<std::uint64_t>(trailing_zeros(lanes));
            if (thread >= last || reference[thread] == reorganize::no_element) continue;
            std::vector<std::uint32_t>& list = phases_of_[reference[thread]];
            if (list.empty() || list.back() != phases_) list.push_back(phases_);
            is_active = true;
          }
          if (is_active) ++phases_;
        }
  }

  void spread(std::uint32_t size, std::vector<std::uint32_t>& place) {
    std::vector<std::uint32_t> by_accesses(size);
    std::iota(by_accesses.begin(), by_accesses.end(), 0u);
    std::sort(by_accesses.begin(), by_accesses.end(), [&](std::uint32_t a, std::uint32_t b) {
      const std::size_t of_a = phases_of_[a].size(), of_b = phases_of_[b].size();
      return of_a != of_b ? of_a > of_b : a < b;
    });
    std::vector<std::uint32_t> next(columns_);  // of each column: how many places are taken
    std::vector<std::uint16_t> met(std::size_t{phases_} * columns_);  // [phase][column]: elements
    std::vector<std::uint16_t> degree(phases_);  // of each phase: the degree so far
    for (const std::uint32_t element : by_accesses) {
      std::uint32_t best = columns_;
      std::uint64_t best_added = 0;
      for (std::uint32_t column = 0; column < columns_; ++column) {
        if (place_in(column, next[column]) >= size) continue;
        std::uint64_t added = 0;  // passes, then meetings, then places
        for (const std::uint32_t phase : phases_of_[element]) {
          const std::uint16_t meetings = met[std::size_t{phase} * columns_ + column];
          added +=
              (std::uint64_t{meetings >= degree[phase]} << 32) + (std::uint64_t{meetings} << 16);
        }
        added += next[column];
        if (best < columns_ && added >= best_added) continue;
        best = column;
        best_added = added;
      }
      for (const std::uint32_t phase : phases_of_[element]) {
        std::uint16_t& meetings = met[std::size_t{phase} * columns_ + best];
        degree[phase] = std::max(degree[phase], ++meetings);
      }
      place[element] = place_in(best, next[best]++);
    }
  }
  // The place of this number in a column.
  std::uint32_t place_in(std::uint32_t column, std::uint32_t number) const {
    return (number / in_word_ * columns_ + column) * in_word_ + number % in_word_;
  }

  std::uint64_t wavefronts_of(const std::vector<std::vector<std::uint32_t>>& indices,
                              std::uint64_t first, std::uint64_t last,
                              const std::vector<std::uint32_t>& place) const {
    std::uint64_t sum = 0;
    for (std::uint64_t begin = first; begin < last;
         begin += static_cast<std::uint64_t>(references_.warp))
      for (const std::vector<std::uint32_t>& reference : indices) {
        const request warp_request = tile_request(references_, reference, begin,
                                                  [&](std::uint32_t old) { return place[old]; });
        if (warp_request.active != 0) sum += total(machine_, warp_request).wavefronts;
      }
    return sum;
  }

  const machine& machine_;
  const reorganize::irregular_references& references_;
  std::uint32_t columns_ = 1, in_word_ = 1, phases_ = 0;
  std::vector<std::vector<std::uint32_t>> phases_of_;
};

}  // namespace bankmodel::detail

namespace bankmodel::reorganize {

// Changes the order of the elements inside each tile, so that the references to the tiles take
// fewer wavefronts on `m`; a tile for which no better order is found stays as it is. data_order and
// indices change, block_begin and block_size do not; global traffic and bytes stay the same.
//
// A heuristic, block by block, on all cores: O(columns) time for each access, columns being the
// machine's banks, and that of tile_cost().
// Requires: `shared` is a result of share(references, ..).
// Error: the machine's warps do not have references.warp threads, or it has no accesses of this
// width.
// Example: threads that read the rows and the columns of a tile of 32 x 32 floats:
//
//   std::vector<int> rows(1024), columns(1024);
//   for (int thread = 0; thread < 1024; ++thread) {
//     rows[thread] = thread;
//     columns[thread] = thread % 32 * 32 + thread / 32;
//   }
//   const irregular_references kernel{.references = {index_array(rows), index_array(columns)},
//                                     .elements = 1024, .block = 1024};
//   auto shared = share(kernel);
//   assert(tile_cost(nvidia::sm_90, kernel, shared).wavefronts == 86);
//   lower_conflicts(nvidia::sm_90, kernel, shared);
//   assert(tile_cost(nvidia::sm_90, kernel, shared).wavefronts == 64);
inline void lower_conflicts(const machine& m, const irregular_references& references,
                            shared_blocks& shared) {
  detail::require_warps_of(m, references);
  (void)m.banks(references.element_bytes, access_kind::load);
  const std::size_t parts = detail::parts_of(references.cores, references.blocks(), 16);
  detail::in_parallel(
      parts, references.blocks(), [&](std::uint64_t begin, std::uint64_t end, std::size_t) {
        detail::tile_spreader spreader(m, references);
        std::vector<std::uint32_t> elements;
        for (std::uint64_t block = begin; block < end; ++block) {
          const std::uint64_t first = block * static_cast<std::uint64_t>(references.block);
          const std::uint64_t last =
              std::min(references.threads(), first + static_cast<std::uint64_t>(references.block));
          const std::vector<std::uint32_t> place =
              spreader.order(shared.indices, first, last, shared.block_size[block]);
          if (place.empty()) continue;
          std::uint32_t* const data = shared.data_order.data() + shared.block_begin[block];
          elements.assign(data, data + place.size());
          for (std::size_t old_place = 0; old_place < place.size(); ++old_place)
            data[place[old_place]] = elements[old_place];
          for (std::vector<std::uint32_t>& indices : shared.indices)
            for (std::uint64_t thread = first; thread < last; ++thread)
              if (indices[thread] != no_element) indices[thread] = place[indices[thread]];
        }
      });
}

}  // namespace bankmodel::reorganize

#include <bankmodel/core/restore_macros.hpp>

#endif
