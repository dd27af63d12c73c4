// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_GLOBAL_SHARING_HPP
#define BANKMODEL_GLOBAL_SHARING_HPP

#include <bankmodel/core/error.hpp>

// How neighbouring blocks share the bytes that they touch, and the placement that follows.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void blocks_must_touch_memory() {
  detail::fail(__func__,
               "no block touches a byte: there is no access, or its conditions turn all threads "
               "off; give accesses that blocks make");
}
}  // namespace rule

// The places of a block and of the next one along an axis.
enum class sharing : unsigned char {
  exclusive,    // they move by a fixed distance, and no byte is touched by two neighbours
  overlapping,  // they move by a fixed distance, and neighbours share some bytes
  the_same,     // they are the same
  unrelated     // they do not move by a fixed distance
};

struct block_sharing {
  sharing relation = sharing::unrelated;
  // The distance between the places of a block and of the next one; below 0 if they move down; 0
  // for `the_same` and `unrelated`.
  long long bytes = 0;
  // The bytes that both of two neighbours touch. `unrelated`: the most of two neighbours that were
  // compared.
  long long overlap_bytes = 0;
  // The different bytes that a block touches. `unrelated`: the first block that was compared.
  long long touched_bytes = 0;
  // The least distance of 2 or more at which two blocks share bytes; 0: there is none. (All blocks
  // count whose subscripts are within the extents; if it is not proven, the blocks that were
  // compared.) So no byte belongs to two blocks if the relation is `exclusive` and this is 0. 0 for
  // `unrelated`.
  long long shares_again_after = 0;
  // True if this was read from linear forms and holds for every block; false if it was observed by
  // comparing some blocks.
  bool proven = false;
  long long blocks = 0;  // that were compared; 0 if proven

  bool operator==(const block_sharing&) const = default;
};

// How pages of an array are spread over the memories of a system in which each memory has
// processors of its own (or over its partitions).
enum class interleaving : unsigned char {
  coarse,  // a memory holds whole runs of `placement::bytes` bytes: those of one block
  fine     // neighbouring bytes are spread over all memories
};

struct placement {
  interleaving grain = interleaving::fine;
  long long bytes = 0;  // that one memory holds in a row, for `coarse`
  bool operator==(const placement&) const = default;
};

// Returns the placement that the report recommends (P. Barua, section II): with a fixed block
// stride that is not zero, coarse, with the stride's bytes on each memory, so that a block's data
// is in the memory nearest to it; without one, for data that blocks share or touch in no order,
// fine, so that all memories serve them. Blocks that overlap have such a stride too; the bytes that
// two blocks share are then in the memory of one of them.
// Example:
//
//   constexpr block_sharing rows{.relation = sharing::exclusive, .bytes = 128};
//   static_assert(placement_of(rows) == placement{interleaving::coarse, 128});
BANKMODEL_FN placement placement_of(const block_sharing& pattern) {
  if (pattern.bytes == 0) return {};
  return {interleaving::coarse, pattern.bytes < 0 ? -pattern.bytes : pattern.bytes};
}

}  // namespace bankmodel

#endif
