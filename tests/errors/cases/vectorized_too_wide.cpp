// SPDX-License-Identifier: MIT
// expect: accesses_must_have_1_2_4_8_12_or_16_bytes_a_lane
#include <bankmodel/analyze.hpp>

namespace bm = bankmodel;
using namespace bm::index;

#ifdef BROKEN
constexpr int elements = 4;
#else
constexpr int elements = 2;
#endif
constexpr auto a = bm::shared_array<double>("a", 64);
static_assert(bm::vectorized<elements>(a[4 * tx]).vector == elements);
