// SPDX-License-Identifier: MIT
// expect: bankmodel: tile_view<..>::at<bytes>(memory) takes a multiple of the element's alignment
// that is not negative expect: a_tile_in_a_buffer_must_be_aligned_to_its_element<6, 4>
#include <bankmodel/tile.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr int bytes = 6;
#else
constexpr int bytes = 8;
#endif
inline auto view(void* memory) {
  return bm::tile_view<float, bm::row_major(8, 8)>::at<bytes>(memory);
}
