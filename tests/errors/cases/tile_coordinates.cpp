// SPDX-License-Identifier: MIT
// expect: bankmodel: a tile takes one coordinate for each dimension of its layout
// expect-g++: coordinates_of_a_tile_must_match_the_rank<1, 2>
// expect-clang++: coordinates_of_a_tile_must_match_the_rank<1, 2>
// expect-nvcc: Given=1
// expect-nvcc: Rank=2
// compilers: g++ clang++ nvcc
#include <bankmodel/tile.hpp>

namespace bm = bankmodel;

BANKMODEL_HOST_DEVICE inline float corner(const bm::tile<float, bm::row_major(32, 33)>& t) {
#ifdef BROKEN
  return t(32);
#else
  return t(1, 0);
#endif
}
