// SPDX-License-Identifier: MIT
// expect: accesses_must_divide_into_their_pieces
#include <bankmodel/model/wavefronts.hpp>

namespace bm = bankmodel;

constexpr bm::machine served_in_pieces() {
  bm::machine m;
  m.lanes = 16;
  m.loads.bytes_8 = {.bank_num = 16, .W = 4, .N = 4};
  m.loads.bytes_8.serves = bm::serving::by_broadcast;
#ifndef BROKEN
  m.loads.bytes_8.piece_bytes = 4;
#endif
  return m;
}
static_assert(bm::wavefronts(served_in_pieces(),
                             bm::request{.address = {}, .active = 1, .bytes = 8}) == 2);
