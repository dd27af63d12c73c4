// SPDX-License-Identifier: MIT
// expect: the_worst_request_must_come_early_where_lanes_run_in_lockstep
#include <bankmodel/explain.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;
constexpr auto line = bm::shared_array<float>("line", 64);
#ifdef BROKEN
constexpr long long first = 10'000;
#else
constexpr long long first = 32;
#endif
// Lanes of one word each until i reaches `first`, then of two words of a bank.
constexpr auto access =
    bm::for_loop(i, bm::range(tx, 20'000, 32), bm::if_threads(i >= first, line[2 * tx]));
static_assert(bm::explain(bm::nvidia::sm_90, bm::block_dim{32}, access).degree == 2);
