// SPDX-License-Identifier: MIT
// expect: a_tile_in_a_buffer_must_be_aligned_to_its_element<-4, 4>
#include <bankmodel/tile.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr int bytes = -4;
#else
constexpr int bytes = 0;
#endif
inline auto view(void* memory) {
  return bm::tile_view<float, bm::row_major(8, 8)>::at<bytes>(memory);
}
