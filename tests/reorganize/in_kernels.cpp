// SPDX-License-Identifier: MIT
// The functions for kernels, run on the host thread by thread: the same values reach the same
// threads.
#include "irregular.hpp"

using namespace irregular;

namespace {

std::vector<std::uint32_t> joined(const std::vector<std::vector<std::uint32_t>>& indices) {
  std::vector<std::uint32_t> result;
  for (const auto& list : indices) result.insert(result.end(), list.begin(), list.end());
  return result;
}
const std::uint32_t* order_of(const std::vector<std::uint32_t>& order) {
  return order.empty() ? nullptr : order.data();
}

// The new data, made place by place as a kernel does.
std::vector<long long> reordered(const std::vector<long long>& old,
                                 const std::vector<std::uint32_t>& order) {
  std::vector<long long> result;
  for (std::size_t place = 0; place < order.size(); ++place)
    result.push_back(re::element_of_place(old.data(), order.data(), place));
  REQUIRE(result == re::in_order(old, order));
  return result;
}

template <class View>
void run_reordered(const launch& original, const View& view, const std::vector<long long>& old) {
  for (std::uint32_t reference = 0; reference < original.indices.size(); ++reference)
    for (std::uint64_t thread = 0; thread < view.threads; ++thread) {
      const std::uint32_t was = original.indices[reference][view.old_thread(thread)];
      REQUIRE(view.has_element(reference, thread) == (was != re::no_element));
      if (was != re::no_element) REQUIRE(view.element(reference, thread) == old[was]);
    }
}

template <class Index>
void run_shared(const launch& original, const re::shared_blocks& result,
                const std::vector<long long>& old) {
  const auto data = reordered(old, result.data_order);
  const auto wide = joined(result.indices);
  std::vector<Index> indices;
  for (const std::uint32_t index : wide) indices.push_back(static_cast<Index>(index));
  const re::shared_view<long long, Index> view{
      data.data(),    result.block_begin.data(),     result.block_size.data(),
      indices.data(), order_of(result.thread_order), original.references.threads()};
  const auto threads = static_cast<std::uint32_t>(original.references.block);
  for (std::uint32_t block = 0; block < original.references.blocks(); ++block) {
    std::vector<long long> tile(result.block_size[block]);
    for (std::uint32_t thread = 0; thread < threads; ++thread)
      view.load(tile.data(), block, thread, threads);
    for (std::uint32_t reference = 0; reference < original.indices.size(); ++reference)
      for (std::uint64_t thread = std::uint64_t{block} * threads;
           thread < std::min<std::uint64_t>(view.threads, std::uint64_t{block + 1} * threads);
           ++thread) {
        const std::uint32_t was = original.indices[reference][view.old_thread(thread)];
        REQUIRE(view.has_element(reference, thread) == (was != re::no_element));
        if (was != re::no_element)
          REQUIRE(view.element(tile.data(), reference, thread) == old[was]);
      }
  }
}

}  // namespace

TEST_CASE("views of each result") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    dice dice{std::mt19937_64(seed)};
    INFO("seed " << seed);
    const launch original = random_launch(dice, 400);
    const auto old = values(original.references.elements);
    for (const auto& result : {re::pad(original.references), re::reposition(original.references),
                               re::swap_threads(original.references)}) {
      const auto data = result.data_order.empty() ? old : reordered(old, result.data_order);
      const auto indices = joined(result.indices);
      run_reordered(
          original,
          re::reordered_view<long long>{data.data(), indices.data(), order_of(result.thread_order),
                                        original.references.threads()},
          old);
    }
    for (const double ratio : {1.0, 0.4}) {
      const auto copied = re::duplicate(original.references, ratio);
      const auto data = reordered(old, copied.data_order);
      const auto indices = joined(original.indices);
      const re::duplicated_view<long long> view{
          data.data(),           old.data(),   indices.data(), original.references.threads(),
          copied.copied_threads, copied.stride};
      for (std::uint32_t reference = 0; reference < original.indices.size(); ++reference)
        for (std::uint64_t thread = 0; thread < view.threads; ++thread)
          if (const auto was = original.indices[reference][thread]; was != re::no_element)
            REQUIRE(view.element(reference, thread) == old[was]);
    }
    for (const auto method : {re::clustering::none, re::clustering::first_come}) {
      const auto result =
          re::share(original.references, {.clusters = method, .shared_bytes = 1 << 20});
      run_shared<std::uint32_t>(original, result, old);
      run_shared<std::uint16_t>(original, result, old);
    }
  }
}

static_assert([] {
  const int old[2] = {5, 6};
  const std::uint32_t order[2] = {1, re::no_element};
  return re::element_of_place(old, order, 0) == 6 && re::element_of_place(old, order, 1) == 0;
}());
