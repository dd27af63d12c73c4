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
  result.references = {.references = {}, .elements = elements};
  result.indices.resize(references);
  for (auto& indices : result.indices)
    for (std::uint64_t thread = 0; thread < threads; ++thread)
      indices.push_back(static_cast<std::uint32_t>(dice.number(0, elements - 1)));
  result.look();
  return result;
}

}  // namespace

TEST_CASE("figure 6, each of its ways") {
  CHECK(re::select(random_of(1000, 1000, 3).references).use == re::algorithm::duplication);
  CHECK(re::select(random_of(2000, 1000, 3).references).use == re::algorithm::duplication);
  CHECK(re::select(random_of(2001, 1000, 1).references).use == re::algorithm::padding);
  launch same = random_of(5000, 1000, 2);
  same.indices[1] = same.indices[0];
  CHECK(re::select(same.references).use == re::algorithm::padding);
  const launch shared = random_of(5000, 1000, 2);
  CHECK(re::select(shared.references).use == re::algorithm::sharing);
  const auto set = re::largest_working_set(shared.references);
  CHECK(set ==
        4 * re::share(shared.references, {.clusters = re::clustering::none}).largest_block());
  CHECK(re::select(shared.references, set).use == re::algorithm::sharing);
  const auto too_large = re::select(shared.references, set - 1);
  CHECK(too_large.use == re::algorithm::duplication);
  CHECK(too_large.or_change_the_kernel);
  CHECK(re::select(shared.references, 49152, 5).use == re::algorithm::duplication);
  CHECK(!re::select(shared.references, 49152, 5).or_change_the_kernel);
}

TEST_CASE("costs: the numbers are those of the algorithms, and the least cost wins") {
  const bm::machine m = bm::nvidia::sm_90;
  const launch original = random_of(5000, 1000, 2);
  const re::cost_model weights{
      .runs = 1000, .per_transaction = 10, .per_wavefront = 2, .per_byte = 3};
  const auto selected = re::select(m, original.references, weights);
  REQUIRE(selected.all.size() == 6);
  CHECK(selected.all[0].transactions == re::traffic(original.references).transactions);
  const auto copied = re::duplicate(original.references);
  CHECK(selected.all[1].transactions ==
        re::traffic_after(original.references, copied).transactions);
  CHECK(selected.all[1].data_bytes == re::data_bytes(original.references, copied));
  CHECK(selected.all[1].table_bytes == 0);
  CHECK_FALSE(selected.all[2].is_allowed);  // two patterns
  re::shared_blocks shared = re::share(original.references);
  re::lower_conflicts(m, original.references, shared);
  CHECK(selected.all[3].wavefronts == re::tile_cost(m, original.references, shared).wavefronts);
  CHECK(selected.all[3].transactions ==
        re::traffic_after(original.references, shared).transactions);
  CHECK(selected.all[3].table_bytes == 4 * (2 * 5000 + 5000 + 2 * 20));
  std::uint64_t minimum = ~std::uint64_t{0};
  for (std::size_t number = 0; number < 6; ++number) {
    const auto& priced = selected.all[number];
    CHECK(priced.kind == static_cast<re::algorithm>(number));
    CHECK(priced.cost == 1000 * (priced.transactions * 10 + priced.wavefronts * 2) +
                             (priced.data_bytes + priced.table_bytes) * 3);
    if (priced.is_allowed) minimum = std::min(minimum, priced.cost);
  }
  CHECK(selected.best.cost == minimum);
}

TEST_CASE("costs: bytes alone, transactions alone, limits") {
  const bm::machine m = bm::nvidia::sm_90;
  launch original = random_of(5000, 1000, 2);
  CHECK(re::select(m, original.references, {.runs = 1000, .per_byte = 1}).best.kind ==
        re::algorithm::none);
  CHECK(re::select(m, original.references, {.runs = 0, .per_transaction = 1, .per_byte = 1})
            .best.kind == re::algorithm::none);
  // One run does not pay for moving data, many do.
  const re::cost_model single_run{.runs = 1, .per_transaction = 1, .per_byte = 2};
  re::cost_model often = single_run;
  often.runs = 1000000;
  CHECK(re::select(m, original.references, single_run).best.kind == re::algorithm::none);
  CHECK(re::select(m, original.references, often).best.kind == re::algorithm::sharing);
  // Without room for new data only the threads can be swapped.
  original.references.byte_limit = 0;
  const auto restricted = re::select(m, original.references, often);
  CHECK(restricted.best.kind == re::algorithm::swapping);
  for (const auto& priced : restricted.all)
    CHECK(priced.is_allowed ==
          (priced.kind == re::algorithm::none || priced.kind == re::algorithm::swapping));
  // A part of the threads is copied.
  original.references.byte_limit = 8 * 256 * 4;
  const auto part = re::select(m, original.references, often);
  CHECK(part.all[1].is_allowed);
  CHECK(part.all[1].data_bytes <= 8 * 256 * 4);
  CHECK(part.all[1].transactions < part.all[0].transactions);
  breaks("counts_must_fit_in_64_bits", {"overflows"}, [&] {
    (void)re::select(m, original.references, {.runs = ~std::uint64_t{0}, .per_transaction = 2});
  });
}
