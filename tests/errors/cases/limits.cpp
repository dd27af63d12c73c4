// SPDX-License-Identifier: MIT
// expect: iterations_must_be_few_enough_to_count
// Calls that are answered at run time and are too much work for a compiler: the error says so,
// before the compiler's own limit.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

#ifdef BROKEN
constexpr int trips = 1000;
#else
constexpr int trips = 10;
#endif
constexpr auto a = bm::shared_array<float>("a", 32 * trips * trips);
constexpr auto read =
    bm::for_loop(i, bm::range(0, trips), bm::for_loop(j, bm::range(0, trips), a[i * j * tx]));
static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{32}, read).requests == 100);
