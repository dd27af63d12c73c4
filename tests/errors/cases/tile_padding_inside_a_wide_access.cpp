// SPDX-License-Identifier: MIT
// expect: bankmodel: padding lies between the elements of a wide access
// expect: intervals_must_hold_whole_wide_accesses<6, 4>
#include <bankmodel/tile.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr int interval = 6;
#else
constexpr int interval = 4;
#endif
constexpr bm::layout line = bm::row_major(64).padded_every(interval, 8 - interval);
inline float fourth(const bm::tile<float, line>& t) { return t.vector<4>(4)[3]; }
