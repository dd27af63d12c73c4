// SPDX-License-Identifier: MIT
// The guideline of figure 6, and the selection by costs.
#include <bankmodel/machines/nvidia.hpp>

#include "breaks.hpp"
#include "irregular.hpp"

using namespace irregular;

namespace {

launch random_of(std::uint64_t threads, std::uint32_t elements, std::size_t references) {
  dice dice{std::mt19937_64(7)};
  launch result;
  result.of = {.references = {}, .elements = elements};
  result.indices.resize(references);
  for (auto& indices : result.indices)
    for (std::uint64_t at = 0; at < threads; ++at)
      indices.push_back(static_cast<std::uint32_t>(dice.number(0, elements - 1)));
  result.look();
  return result;
}

}  // namespace

TEST_CASE("figure 6, each of its ways") {
  CHECK(re::select(random_of(1000, 1000, 3).of).use == re::algorithm::duplication);
  CHECK(re::select(random_of(2000, 1000, 3).of).use == re::algorithm::duplication);
  CHECK(re::select(random_of(2001, 1000, 1).of).use == re::algorithm::padding);
  launch same = random_of(5000, 1000, 2);
  same.indices[1] = same.indices[0];
  CHECK(re::select(same.of).use == re::algorithm::padding);
  const launch shared = random_of(5000, 1000, 2);
  CHECK(re::select(shared.of).use == re::algorithm::sharing);
  const auto set = re::largest_working_set(shared.of);
  CHECK(set == 4 * re::share(shared.of, {.clusters = re::clustering::none}).largest_block());
  CHECK(re::select(shared.of, set).use == re::algorithm::sharing);
  const auto too_large = re::select(shared.of, set - 1);
  CHECK(too_large.use == re::algorithm::duplication);
  CHECK(too_large.or_change_the_kernel);
  CHECK(re::select(shared.of, 49152, 5).use == re::algorithm::duplication);
  CHECK(!re::select(shared.of, 49152, 5).or_change_the_kernel);
}

TEST_CASE("costs: the numbers are those of the algorithms, and the least cost wins") {
  const bm::machine m = bm::nvidia::sm_90;
  const launch from = random_of(5000, 1000, 2);
  const re::cost_model weights{
      .runs = 1000, .per_transaction = 10, .per_wavefront = 2, .per_byte = 3};
  const auto found = re::select(m, from.of, weights);
  REQUIRE(found.all.size() == 6);
  CHECK(found.all[0].transactions == re::traffic(from.of).transactions);
  const auto copied = re::duplicate(from.of);
  CHECK(found.all[1].transactions == re::traffic_after(from.of, copied).transactions);
  CHECK(found.all[1].data_bytes == re::data_bytes(from.of, copied));
  CHECK(found.all[1].table_bytes == 0);
  CHECK_FALSE(found.all[2].is_allowed);  // two patterns
  re::shared_blocks shared = re::share(from.of);
  re::lower_conflicts(m, from.of, shared);
  CHECK(found.all[3].wavefronts == re::tile_cost(m, from.of, shared).wavefronts);
  CHECK(found.all[3].transactions == re::traffic_after(from.of, shared).transactions);
  CHECK(found.all[3].table_bytes == 4 * (2 * 5000 + 5000 + 2 * 20));
  std::uint64_t least = ~std::uint64_t{0};
  for (std::size_t at = 0; at < 6; ++at) {
    const auto& one = found.all[at];
    CHECK(one.how == static_cast<re::algorithm>(at));
    CHECK(one.cost == 1000 * (one.transactions * 10 + one.wavefronts * 2) +
                          (one.data_bytes + one.table_bytes) * 3);
    if (one.is_allowed) least = std::min(least, one.cost);
  }
  CHECK(found.best.cost == least);
}

TEST_CASE("costs: bytes alone, transactions alone, limits") {
  const bm::machine m = bm::nvidia::sm_90;
  launch from = random_of(5000, 1000, 2);
  CHECK(re::select(m, from.of, {.runs = 1000, .per_byte = 1}).best.how == re::algorithm::none);
  CHECK(re::select(m, from.of, {.runs = 0, .per_transaction = 1, .per_byte = 1}).best.how ==
        re::algorithm::none);
  // One run does not pay for moving data, many do.
  const re::cost_model once{.runs = 1, .per_transaction = 1, .per_byte = 2};
  re::cost_model often = once;
  often.runs = 1000000;
  CHECK(re::select(m, from.of, once).best.how == re::algorithm::none);
  CHECK(re::select(m, from.of, often).best.how == re::algorithm::sharing);
  // Without room for new data only the threads can be swapped.
  from.of.byte_limit = 0;
  const auto without = re::select(m, from.of, often);
  CHECK(without.best.how == re::algorithm::swapping);
  for (const auto& one : without.all)
    CHECK(one.is_allowed == (one.how == re::algorithm::none || one.how == re::algorithm::swapping));
  // A part of the threads is copied.
  from.of.byte_limit = 8 * 256 * 4;
  const auto part = re::select(m, from.of, often);
  CHECK(part.all[1].is_allowed);
  CHECK(part.all[1].data_bytes <= 8 * 256 * 4);
  CHECK(part.all[1].transactions < part.all[0].transactions);
  breaks("counts_must_fit_in_64_bits", {"overflows"},
         [&] { (void)re::select(m, from.of, {.runs = ~std::uint64_t{0}, .per_transaction = 2}); });
}
