// SPDX-License-Identifier: MIT
// The functions for kernels, run on the host thread by thread: the same values reach the same
// threads.
#include "irregular.hpp"

using namespace irregular;

namespace {

std::vector<std::uint32_t> joined(const std::vector<std::vector<std::uint32_t>>& indices) {
  std::vector<std::uint32_t> result;
  for (const auto& one : indices) result.insert(result.end(), one.begin(), one.end());
  return result;
}
const std::uint32_t* order_of(const std::vector<std::uint32_t>& order) {
  return order.empty() ? nullptr : order.data();
}

// The new data, made place by place as a kernel does.
std::vector<long long> made(const std::vector<long long>& old,
                            const std::vector<std::uint32_t>& order) {
  std::vector<long long> result;
  for (std::size_t place = 0; place < order.size(); ++place)
    result.push_back(re::element_of_place(old.data(), order.data(), place));
  REQUIRE(result == re::in_order(old, order));
  return result;
}

template <class View>
void run_reordered(const launch& from, const View& view, const std::vector<long long>& old) {
  for (std::uint32_t reference = 0; reference < from.indices.size(); ++reference)
    for (std::uint64_t thread = 0; thread < view.threads; ++thread) {
      const std::uint32_t was = from.indices[reference][view.old_thread(thread)];
      REQUIRE(view.has_element(reference, thread) == (was != re::no_element));
      if (was != re::no_element) REQUIRE(view.element(reference, thread) == old[was]);
    }
}

template <class Index>
void run_shared(const launch& from, const re::shared_blocks& result,
                const std::vector<long long>& old) {
  const auto data = made(old, result.data_order);
  const auto wide = joined(result.indices);
  std::vector<Index> indices;
  for (const std::uint32_t one : wide) indices.push_back(static_cast<Index>(one));
  const re::shared_view<long long, Index> view{
      data.data(),    result.block_begin.data(),     result.block_size.data(),
      indices.data(), order_of(result.thread_order), from.of.threads()};
  const auto threads = static_cast<std::uint32_t>(from.of.block);
  for (std::uint32_t block = 0; block < from.of.blocks(); ++block) {
    std::vector<long long> tile(result.block_size[block]);
    for (std::uint32_t thread = 0; thread < threads; ++thread)
      view.load(tile.data(), block, thread, threads);
    for (std::uint32_t reference = 0; reference < from.indices.size(); ++reference)
      for (std::uint64_t at = std::uint64_t{block} * threads;
           at < std::min<std::uint64_t>(view.threads, std::uint64_t{block + 1} * threads); ++at) {
        const std::uint32_t was = from.indices[reference][view.old_thread(at)];
        REQUIRE(view.has_element(reference, at) == (was != re::no_element));
        if (was != re::no_element) REQUIRE(view.element(tile.data(), reference, at) == old[was]);
      }
  }
}

}  // namespace

TEST_CASE("views of each result") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    dice dice{std::mt19937_64(seed)};
    INFO("seed " << seed);
    const launch from = random_launch(dice, 400);
    const auto old = values(from.of.elements);
    for (const auto& result :
         {re::pad(from.of), re::reposition(from.of), re::swap_threads(from.of)}) {
      const auto data = result.data_order.empty() ? old : made(old, result.data_order);
      const auto indices = joined(result.indices);
      run_reordered(from,
                    re::reordered_view<long long>{data.data(), indices.data(),
                                                  order_of(result.thread_order), from.of.threads()},
                    old);
    }
    for (const double ratio : {1.0, 0.4}) {
      const auto copied = re::duplicate(from.of, ratio);
      const auto data = made(old, copied.data_order);
      const auto indices = joined(from.indices);
      const re::duplicated_view<long long> view{data.data(),           old.data(),
                                                indices.data(),        from.of.threads(),
                                                copied.copied_threads, copied.stride};
      for (std::uint32_t reference = 0; reference < from.indices.size(); ++reference)
        for (std::uint64_t thread = 0; thread < view.threads; ++thread)
          if (const auto was = from.indices[reference][thread]; was != re::no_element)
            REQUIRE(view.element(reference, thread) == old[was]);
    }
    for (const auto how : {re::clustering::none, re::clustering::first_come}) {
      const auto result = re::share(from.of, {.clusters = how, .shared_bytes = 1 << 20});
      run_shared<std::uint32_t>(from, result, old);
      run_shared<std::uint16_t>(from, result, old);
    }
  }
}

static_assert([] {
  const int old[2] = {5, 6};
  const std::uint32_t order[2] = {1, re::no_element};
  return re::element_of_place(old, order, 0) == 6 && re::element_of_place(old, order, 1) == 0;
}());
