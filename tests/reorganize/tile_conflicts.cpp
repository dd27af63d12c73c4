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
std::uint64_t plain_wavefronts(const launch& original, const re::shared_blocks& shared) {
  std::uint64_t sum = 0;
  for (const auto& indices : shared.indices)
    for (std::size_t first = 0; first < indices.size(); first += 32) {
      std::map<std::uint32_t, std::set<std::uint32_t>> words;
      for (std::size_t thread = first; thread < indices.size() && thread < first + 32; ++thread)
        if (indices[thread] != re::no_element) words[indices[thread] % 32].insert(indices[thread]);
      std::size_t maximum = 0;
      for (const auto& [bank, bank_words] : words) maximum = std::max(maximum, bank_words.size());
      sum += maximum;
    }
  REQUIRE(original.references.warp == 32);
  return sum;
}

}  // namespace

TEST_CASE("a column of a tile: 32 wavefronts before, 1 after") {
  // Reference 0 fills the tile with 1024 elements in order; reference 32 reads every 32nd.
  launch original;
  original.references = {.references = {}, .elements = 1024, .block = 32};
  for (std::uint32_t row = 0; row < 32; ++row) {
    original.indices.emplace_back();
    for (std::uint32_t thread = 0; thread < 32; ++thread)
      original.indices.back().push_back(32 * thread + row);
  }
  original.look();
  re::shared_blocks shared = re::share(original.references, {.clusters = re::clustering::none});
  // Elements came thread by thread, so that the lanes are 32 places apart.
  const auto previous = re::tile_cost(bm::nvidia::sm_90, original.references, shared);
  CHECK(previous.requests == 32);
  CHECK(previous.wavefronts == 32 * 32);
  CHECK(previous.ideal == 32);
  CHECK(previous.degree == 32);
  const auto moved = re::traffic_after(original.references, shared);
  re::lower_conflicts(bm::nvidia::sm_90, original.references, shared);
  const auto changed = re::tile_cost(bm::nvidia::sm_90, original.references, shared);
  CHECK(changed.wavefronts == 32);
  replay(original, shared);
  CHECK(re::traffic_after(original.references, shared) == moved);
}

TEST_CASE("costs, classes and orders on three machines") {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    dice dice{std::mt19937_64(seed)};
    launch original = random_launch(dice);
    const bm::machine m = seed % 3 == 0   ? bm::nvidia::sm_90
                          : seed % 3 == 1 ? bm::nvidia::sm_35
                                          : bm::amd::gfx942;
    original.references.warp = m.lanes;
    original.references.block = m.lanes * static_cast<int>(dice.number(1, 4));
    INFO("seed " << seed);
    re::shared_blocks shared = re::share(original.references, {.shared_bytes = 1 << 20});
    const auto previous = re::tile_cost(m, original.references, shared);
    if (seed % 3 == 0 && original.references.element_bytes == 4)
      REQUIRE(previous.wavefronts == plain_wavefronts(original, shared));
    bm::cost of_classes;
    std::uint64_t requests = 0;
    for (const auto& tile_requests : re::tile_request_classes(original.references, shared)) {
      of_classes = of_classes + bm::total(m, tile_requests);
      requests += tile_requests.times;
    }
    REQUIRE(of_classes == previous);
    REQUIRE(requests == previous.requests);

    re::shared_blocks other = shared;
    re::lower_conflicts(m, original.references, other);
    replay(original, other);
    const auto changed = re::tile_cost(m, original.references, other);
    REQUIRE(changed.wavefronts <= previous.wavefronts);
    REQUIRE(changed.requests == previous.requests);
    REQUIRE(other.block_begin == shared.block_begin);
    REQUIRE(other.block_size == shared.block_size);
    REQUIRE(re::traffic_after(original.references, other) ==
            re::traffic_after(original.references, shared));
    launch alone = original;
    alone.references.cores = 1;
    re::lower_conflicts(m, alone.references, shared);
    REQUIRE(shared.indices == other.indices);
    REQUIRE(shared.data_order == other.data_order);
  }
}

TEST_CASE("random neighbours in large tiles: most conflicts go") {
  dice dice{std::mt19937_64(1)};
  launch original;
  original.references = {.references = {}, .elements = 2048, .block = 128};
  original.indices.resize(8);
  for (auto& indices : original.indices)
    for (int thread = 0; thread < 1024; ++thread)
      indices.push_back(static_cast<std::uint32_t>(dice.number(0, 2047)));
  original.look();
  re::shared_blocks shared = re::share(original.references);
  const auto previous = re::tile_cost(bm::nvidia::sm_90, original.references, shared);
  re::lower_conflicts(bm::nvidia::sm_90, original.references, shared);
  const auto changed = re::tile_cost(bm::nvidia::sm_90, original.references, shared);
  CAPTURE(previous.wavefronts, changed.wavefronts, previous.ideal);
  CHECK(changed.conflicts() * 2 < previous.conflicts());
}

TEST_CASE("equal requests are one class") {
  launch original;
  original.references = {.references = {}, .elements = 32, .block = 32};
  original.indices.resize(1);
  for (std::uint32_t thread = 0; thread < 8 * 32; ++thread)
    original.indices[0].push_back(thread % 32);
  original.look();
  const auto shared = re::share(original.references, {.clusters = re::clustering::none});
  const auto classes = re::tile_request_classes(original.references, shared);
  REQUIRE(classes.size() == 1);
  CHECK(classes[0].times == 8);
  // The same places by other lanes: all of a warp, and the first one of the next.
  original.references.may_skip = true;
  original.indices[0].assign(64, re::no_element);
  std::fill_n(original.indices[0].begin(), 33, 5u);
  original.look();
  CHECK(re::tile_request_classes(original.references,
                                 re::share(original.references, {.clusters = re::clustering::none}))
            .size() == 2);
}

TEST_CASE("warps of another machine") {
  const launch original = of_letters("abcdefgh", 4, 8);
  re::shared_blocks shared = re::share(original.references);
  for (const auto& call :
       {std::function<void()>(
            [&] { (void)re::tile_cost(bm::nvidia::sm_90, original.references, shared); }),
        std::function<void()>(
            [&] { re::lower_conflicts(bm::nvidia::sm_90, original.references, shared); }),
        std::function<void()>(
            [&] { (void)re::select(bm::nvidia::sm_90, original.references, {}); }),
        std::function<void()>([&] { (void)re::traffic(bm::nvidia::sm_90, original.references); })})
    breaks("the_warps_must_be_those_of_the_machine", {"warps of 4", "32 lanes"}, call);
  breaks("segments_must_be_powers_of_two", {"100 bytes"},
         [&] { (void)re::tile_request_classes(original.references, shared, 100); });
}
