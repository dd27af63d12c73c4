// SPDX-License-Identifier: MIT
// expect: iterations_must_be_few_enough_to_count
// expect: the_worst_request_must_come_early_where_lanes_run_in_lockstep
// What is answered at run time and is too much work for a compiler: the error says so, before the
// compiler's own limit.
#include <bankmodel/analyze.hpp>
#include <bankmodel/explain.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

#ifdef BROKEN
constexpr int trips = 1000;
constexpr long long first = 10'000;
#else
constexpr int trips = 10;
constexpr long long first = 32;
#endif
constexpr auto a = bm::shared_array<float>("a", 32 * trips * trips);
constexpr auto read =
    bm::for_loop(i, bm::range(0, trips), bm::for_loop(j, bm::range(0, trips), a[i * j * tx]));
static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{32}, read).requests == 100);

constexpr auto line = bm::shared_array<float>("line", 64);
constexpr auto late =
    bm::for_loop(i, bm::range(tx, 20'000, 32), bm::if_threads(i >= first, line[2 * tx]));
static_assert(bm::explain(bm::nvidia::sm_90, bm::block_dim{32}, late).degree == 2);
