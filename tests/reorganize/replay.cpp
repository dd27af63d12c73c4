// SPDX-License-Identifier: MIT
// Every reference after a reorganization reads what it read before; traffic counted twice.
#include "irregular.hpp"

using namespace irregular;

namespace {

template <class Test>
void for_random_launches(int count, std::uint64_t first_seed, const Test& test) {
  for (int at = 0; at < count; ++at) {
    dice dice{std::mt19937_64(first_seed + static_cast<std::uint64_t>(at))};
    INFO("seed " << first_seed + static_cast<std::uint64_t>(at));
    const launch from = random_launch(dice);
    const auto input = from.indices;
    test(from, dice);
    REQUIRE(from.indices == input);
  }
}

}  // namespace

TEST_CASE("traffic is what sets count") {
  for_random_launches(400, 1, [](const launch& from, dice&) {
    REQUIRE(re::traffic(from.of) == counted_with_sets(from.of, from.indices));
  });
}

TEST_CASE("duplication, whole and in part") {
  for_random_launches(400, 1000, [](const launch& from, dice& dice) {
    const auto all = re::duplicate(from.of);
    REQUIRE(all.copied_threads == from.of.threads());
    replay(from, all);
    const auto after = re::traffic_after(from.of, all);
    // A thread without an access leaves a gap, which matters if it is wider than a segment.
    if (!from.of.may_skip || from.of.segment_bytes >= from.of.warp * from.of.element_bytes)
      REQUIRE(after.transactions == after.ideal);
    const double ratio = static_cast<double>(dice.number(1, 100)) / 100;
    const auto some = re::duplicate(from.of, ratio);
    replay(from, some);
    const auto block = static_cast<std::uint64_t>(from.of.block);
    REQUIRE(some.copied_threads <= from.of.threads());
    const auto blocks = static_cast<std::uint64_t>(ratio * static_cast<double>(from.of.blocks()));
    REQUIRE(some.copied_threads == std::min(from.of.threads(), blocks * block));
    // The traffic of an array that holds both.
    auto places = from.indices;
    const auto offset = static_cast<std::uint32_t>(
        (some.data_order.size() * static_cast<unsigned>(from.of.element_bytes) / 256 + 1) * 256);
    for (std::size_t reference = 0; reference < places.size(); ++reference)
      for (std::uint64_t thread = 0; thread < from.of.threads(); ++thread) {
        std::uint32_t& one = places[reference][thread];
        if (one == re::no_element) continue;
        one = thread < some.copied_threads
                  ? static_cast<std::uint32_t>(some.place(reference, thread))
                  : one + offset;
      }
    REQUIRE(re::traffic_after(from.of, some) == counted_with_sets(from.of, places));
  });
}

TEST_CASE("padding") {
  for_random_launches(400, 2000, [](const launch& from, dice&) {
    for (const auto how : {re::filling::all_elements, re::filling::missing_elements}) {
      const auto result = re::pad(from.of, how);
      replay(from, result);
      const auto after = re::traffic_after(from.of, result);
      REQUIRE(after.non_coalesced == 0);
      REQUIRE(after.transactions == after.ideal);
      REQUIRE(after == counted_with_sets(from.of, result.indices));
    }
  });
}

TEST_CASE("sharing") {
  for_random_launches(300, 3000, [](const launch& from, dice& dice) {
    for (const auto how : {re::clustering::none, re::clustering::first_come,
                           re::clustering::from_seeds, re::clustering::hierarchical}) {
      const re::sharing_options options{how, static_cast<std::uint64_t>(dice.number(0, 9)),
                                        1 << 20};
      const auto result = re::share(from.of, options);
      replay(from, result);
      REQUIRE(re::traffic_after(from.of, result).non_coalesced == 0);
    }
  });
}
