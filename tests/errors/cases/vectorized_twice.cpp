// SPDX-License-Identifier: MIT
// expect: an_access_must_be_vectorized_once
#include <bankmodel/analyze.hpp>

namespace bm = bankmodel;
using namespace bm::index;

constexpr auto a = bm::shared_array<float>("a", 64);
#ifdef BROKEN
constexpr auto read = bm::vectorized<2>(bm::vectorized<2>(a[4 * tx]));
#else
constexpr auto read = bm::vectorized<4>(a[4 * tx]);
#endif
static_assert(read.vector == 4);
