// SPDX-License-Identifier: MIT
// Every reference after a reorganization reads what it read before; traffic counted twice.
#include "irregular.hpp"

using namespace irregular;

namespace {

template <class Test>
void for_random_launches(int count, std::uint64_t first_seed, const Test& test) {
  for (int round = 0; round < count; ++round) {
    dice dice{std::mt19937_64(first_seed + static_cast<std::uint64_t>(round))};
    INFO("seed " << first_seed + static_cast<std::uint64_t>(round));
    const launch original = random_launch(dice);
    const auto input = original.indices;
    test(original, dice);
    REQUIRE(original.indices == input);
  }
}

}  // namespace

TEST_CASE("traffic is what sets count") {
  for_random_launches(400, 1, [](const launch& original, dice&) {
    REQUIRE(re::traffic(original.references) ==
            counted_with_sets(original.references, original.indices));
  });
}

TEST_CASE("duplication, whole and in part") {
  for_random_launches(400, 1000, [](const launch& original, dice& dice) {
    const auto full = re::duplicate(original.references);
    REQUIRE(full.copied_threads == original.references.threads());
    replay(original, full);
    const auto result_traffic = re::traffic_after(original.references, full);
    // A thread without an access leaves a gap, which matters if it is wider than a segment.
    if (!original.references.may_skip ||
        original.references.segment_bytes >=
            original.references.warp * original.references.element_bytes)
      REQUIRE(result_traffic.transactions == result_traffic.ideal);
    const double ratio = static_cast<double>(dice.number(1, 100)) / 100;
    const auto some = re::duplicate(original.references, ratio);
    replay(original, some);
    const auto block = static_cast<std::uint64_t>(original.references.block);
    REQUIRE(some.copied_threads <= original.references.threads());
    const auto blocks =
        static_cast<std::uint64_t>(ratio * static_cast<double>(original.references.blocks()));
    REQUIRE(some.copied_threads == std::min(original.references.threads(), blocks * block));
    // The traffic of an array that holds both.
    auto places = original.indices;
    const auto offset = static_cast<std::uint32_t>(
        (some.data_order.size() * static_cast<unsigned>(original.references.element_bytes) / 256 +
         1) *
        256);
    for (std::size_t reference = 0; reference < places.size(); ++reference)
      for (std::uint64_t thread = 0; thread < original.references.threads(); ++thread) {
        std::uint32_t& place = places[reference][thread];
        if (place == re::no_element) continue;
        place = thread < some.copied_threads
                    ? static_cast<std::uint32_t>(some.place(reference, thread))
                    : place + offset;
      }
    REQUIRE(re::traffic_after(original.references, some) ==
            counted_with_sets(original.references, places));
  });
}

TEST_CASE("padding") {
  for_random_launches(400, 2000, [](const launch& original, dice&) {
    for (const auto method : {re::filling::all_elements, re::filling::missing_elements}) {
      const auto result = re::pad(original.references, method);
      replay(original, result);
      const auto result_traffic = re::traffic_after(original.references, result);
      REQUIRE(result_traffic.non_coalesced == 0);
      REQUIRE(result_traffic.transactions == result_traffic.ideal);
      REQUIRE(result_traffic == counted_with_sets(original.references, result.indices));
    }
  });
}

TEST_CASE("sharing") {
  for_random_launches(300, 3000, [](const launch& original, dice& dice) {
    for (const auto method : {re::clustering::none, re::clustering::first_come,
                              re::clustering::from_seeds, re::clustering::hierarchical}) {
      const re::sharing_options options{method, static_cast<std::uint64_t>(dice.number(0, 9)),
                                        1 << 20};
      const auto result = re::share(original.references, options);
      replay(original, result);
      REQUIRE(re::traffic_after(original.references, result).non_coalesced == 0);
    }
  });
}
