// SPDX-License-Identifier: MIT
// expect: bankmodel: vector_of<T, Count> takes 1 element or more
#include <bankmodel/tile.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr int elements = 0;
#else
constexpr int elements = 1;
#endif
inline const void* first(const bm::tile<float, bm::row_major(8, 8)>& t) {
  return &t.vector<elements>(1, 0);
}
