// SPDX-License-Identifier: MIT
// The bank conflicts of the references to tiles: their classes, and orders that lower them.
#include <algorithm>
#include <bankmodel/count/request_classes.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include "breaks.hpp"
#include "irregular.hpp"

using namespace irregular;

namespace {

// The wavefronts of a warp of 32 that loads 4 bytes each from 32 banks of 4 bytes: the most
// different words in one bank.
std::uint64_t plain_wavefronts(const launch& from, const re::shared_blocks& shared) {
  std::uint64_t sum = 0;
  for (const auto& indices : shared.indices)
    for (std::size_t first = 0; first < indices.size(); first += 32) {
      std::map<std::uint32_t, std::set<std::uint32_t>> words;
      for (std::size_t at = first; at < indices.size() && at < first + 32; ++at)
        if (indices[at] != re::no_element) words[indices[at] % 32].insert(indices[at]);
      std::size_t most = 0;
      for (const auto& [bank, each] : words) most = std::max(most, each.size());
      sum += most;
    }
  REQUIRE(from.of.warp == 32);
  return sum;
}

}  // namespace

TEST_CASE("a column of a tile: 32 wavefronts before, 1 after") {
  // Reference 0 fills the tile with 1024 elements in order; reference 32 reads every 32nd.
  launch from;
  from.of = {.references = {}, .elements = 1024, .block = 32};
  for (std::uint32_t row = 0; row < 32; ++row) {
    from.indices.emplace_back();
    for (std::uint32_t thread = 0; thread < 32; ++thread)
      from.indices.back().push_back(32 * thread + row);
  }
  from.look();
  re::shared_blocks shared = re::share(from.of, {.clusters = re::clustering::none});
  // Elements came thread by thread, so that the lanes are 32 places apart.
  const auto before = re::tile_cost(bm::nvidia::sm_90, from.of, shared);
  CHECK(before.requests == 32);
  CHECK(before.wavefronts == 32 * 32);
  CHECK(before.ideal == 32);
  CHECK(before.degree == 32);
  const auto moved = re::traffic_after(from.of, shared);
  re::lower_conflicts(bm::nvidia::sm_90, from.of, shared);
  const auto after = re::tile_cost(bm::nvidia::sm_90, from.of, shared);
  CHECK(after.wavefronts == 32);
  replay(from, shared);
  CHECK(re::traffic_after(from.of, shared) == moved);
}

TEST_CASE("costs, classes and orders on three machines") {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    dice dice{std::mt19937_64(seed)};
    launch from = random_launch(dice);
    const bm::machine m = seed % 3 == 0   ? bm::nvidia::sm_90
                          : seed % 3 == 1 ? bm::nvidia::sm_35
                                          : bm::amd::gfx942;
    from.of.warp = m.lanes;
    from.of.block = m.lanes * static_cast<int>(dice.number(1, 4));
    INFO("seed " << seed);
    re::shared_blocks shared = re::share(from.of, {.shared_bytes = 1 << 20});
    const auto before = re::tile_cost(m, from.of, shared);
    if (seed % 3 == 0 && from.of.element_bytes == 4)
      REQUIRE(before.wavefronts == plain_wavefronts(from, shared));
    bm::cost of_classes;
    std::uint64_t requests = 0;
    for (const auto& one : re::tile_request_classes(from.of, shared)) {
      of_classes = of_classes + bm::total(m, one);
      requests += one.times;
    }
    REQUIRE(of_classes == before);
    REQUIRE(requests == before.requests);

    re::shared_blocks other = shared;
    re::lower_conflicts(m, from.of, other);
    replay(from, other);
    const auto after = re::tile_cost(m, from.of, other);
    REQUIRE(after.wavefronts <= before.wavefronts);
    REQUIRE(after.requests == before.requests);
    REQUIRE(other.block_begin == shared.block_begin);
    REQUIRE(other.block_size == shared.block_size);
    REQUIRE(re::traffic_after(from.of, other) == re::traffic_after(from.of, shared));
    launch alone = from;
    alone.of.cores = 1;
    re::lower_conflicts(m, alone.of, shared);
    REQUIRE(shared.indices == other.indices);
    REQUIRE(shared.data_order == other.data_order);
  }
}

TEST_CASE("random neighbours in large tiles: most conflicts go") {
  dice dice{std::mt19937_64(1)};
  launch from;
  from.of = {.references = {}, .elements = 2048, .block = 128};
  from.indices.resize(8);
  for (auto& indices : from.indices)
    for (int thread = 0; thread < 1024; ++thread)
      indices.push_back(static_cast<std::uint32_t>(dice.number(0, 2047)));
  from.look();
  re::shared_blocks shared = re::share(from.of);
  const auto before = re::tile_cost(bm::nvidia::sm_90, from.of, shared);
  re::lower_conflicts(bm::nvidia::sm_90, from.of, shared);
  const auto after = re::tile_cost(bm::nvidia::sm_90, from.of, shared);
  CAPTURE(before.wavefronts, after.wavefronts, before.ideal);
  CHECK(after.conflicts() * 2 < before.conflicts());
}

TEST_CASE("equal requests are one class") {
  launch from;
  from.of = {.references = {}, .elements = 32, .block = 32};
  from.indices.resize(1);
  for (std::uint32_t at = 0; at < 8 * 32; ++at) from.indices[0].push_back(at % 32);
  from.look();
  const auto shared = re::share(from.of, {.clusters = re::clustering::none});
  const auto classes = re::tile_request_classes(from.of, shared);
  REQUIRE(classes.size() == 1);
  CHECK(classes[0].times == 8);
  // The same places by other lanes: all of a warp, and the first one of the next.
  from.of.may_skip = true;
  from.indices[0].assign(64, re::no_element);
  std::fill_n(from.indices[0].begin(), 33, 5u);
  from.look();
  CHECK(re::tile_request_classes(from.of, re::share(from.of, {.clusters = re::clustering::none}))
            .size() == 2);
}

TEST_CASE("warps of another machine") {
  const launch from = of_letters("abcdefgh", 4, 8);
  re::shared_blocks shared = re::share(from.of);
  for (const auto& call :
       {std::function<void()>([&] { (void)re::tile_cost(bm::nvidia::sm_90, from.of, shared); }),
        std::function<void()>([&] { re::lower_conflicts(bm::nvidia::sm_90, from.of, shared); }),
        std::function<void()>([&] { (void)re::select(bm::nvidia::sm_90, from.of, {}); }),
        std::function<void()>([&] { (void)re::traffic(bm::nvidia::sm_90, from.of); })})
    breaks("the_warps_must_be_those_of_the_machine", {"warps of 4", "32 lanes"}, call);
  breaks("segments_must_be_powers_of_two", {"100 bytes"},
         [&] { (void)re::tile_request_classes(from.of, shared, 100); });
}
