// SPDX-License-Identifier: MIT
// Explanations of accesses to the wrong memory.
#include <bankmodel/explain.hpp>
#include <bankmodel/kernel/variables.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include "refused.hpp"

namespace bm = bankmodel;
using bm::index::tx;
using bm::nvidia::sm_90;

namespace {

constexpr bm::block_dim one_warp{32};
constexpr auto input = bm::global_array<float>("in", 64);
constexpr auto tile = bm::shared_array<float>("tile", 64);

}  // namespace

const refusal refusals_of_reports[] = {
    refused(
        "explain_must_be_given_an_access_to_shared_memory",
        [] { (void)bm::explain(sm_90, one_warp, bm::load(input[tx])); },
        [] { return bm::explain(sm_90, one_warp, bm::load(tile[tx])).all.requests == 1; }),
    refused(
        "explain_traffic_must_be_given_an_access_to_global_memory",
        [] { (void)bm::explain_traffic(sm_90, one_warp, bm::load(tile[tx])); },
        [] { return bm::explain_traffic(sm_90, one_warp, bm::load(input[tx])).all.requests == 1; }),
    {},
};
