// SPDX-License-Identifier: MIT
// expect: bankmodel: vectorized<Elements> takes 1 to 16 elements
#include <bankmodel/analyze.hpp>

namespace bm = bankmodel;
using namespace bm::index;

#ifdef BROKEN
constexpr int elements = 32;
#else
constexpr int elements = 16;
#endif
constexpr auto a = bm::shared_array<char>("a", 64);
static_assert(bm::vectorized<elements>(a[elements * tx]).array.element_bytes == 1);
