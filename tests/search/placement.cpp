// SPDX-License-Identifier: MIT
// Orders, options and offsets of arrays, against all of them: random options of up to five
// arrays, under every limit that makes a difference.
#include <bankmodel/search/detail/placement.hpp>

#include "catch.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>
#include <set>
#include <tuple>
#include <vector>

namespace bm = bankmodel;
using bm::detail::array_choice;
using bm::detail::array_option;
using bm::detail::placement;
using bm::detail::placement_cost;

namespace {

struct options {
  std::vector<array_option> all;  // those of fewest wavefronts first
  int period_bytes, align_bytes;
  long long fewest_bytes;
  int count() const { return static_cast<int>(all.size()); }
  const array_option& operator[](int at) const { return all[static_cast<std::size_t>(at)]; }
  int period() const { return period_bytes; }
  int align() const { return align_bytes; }
  std::uint64_t least_wavefronts() const {
    return all.empty() ? ~std::uint64_t{0} : all.front().wavefronts;
  }
  long long least_bytes() const { return fewest_bytes; }
};

class generator {
 public:
  explicit generator(unsigned long long seed) : random_(seed) {}
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }

  options array(int most_options) {
    options result;
    result.align_bytes = 1 << below(3);
    result.period_bytes = result.align_bytes << below(4);
    result.fewest_bytes = 1 + below(20);
    for (int left = 1 + below(most_options); left > 0; --left) {
      array_option option{};
      option.bytes = result.fewest_bytes + below(12);
      option.wavefronts = static_cast<std::uint64_t>(1 + below(9));
      constexpr bm::layout_family families[] = {
          bm::layout_family::rows, bm::layout_family::rows, bm::layout_family::xor_swizzle,
          bm::layout_family::rotation, bm::layout_family::linear};
      option.index = static_cast<signed char>(bm::detail::index_of_family(families[below(5)]));
      const int bases = result.period_bytes / result.align_bytes;
      for (int more = below(4); more >= 0; --more) option.bases.add(below(bases));
      if (below(4) == 0) option.bases = bm::detail::all_bases;
      result.all.push_back(option);
    }
    std::stable_sort(result.all.begin(), result.all.end(),
                     [](const auto& a, const auto& b) { return a.wavefronts < b.wavefronts; });
    return result;
  }

 private:
  std::mt19937_64 random_;
};

bool may_begin(const options& array, const array_option& option, long long at) {
  return at % array.align_bytes == 0 &&
         option.bases.contains(static_cast<int>(at % array.period_bytes / array.align_bytes));
}

// The number of arrays with an index function of each family, the least simple first.
using index_functions = std::array<int, 7>;

struct whole_plan {
  std::uint64_t wavefronts = ~0ull;
  long long bytes = bm::detail::int64_max;
  index_functions indices{};
};

// The preference, as options.hpp defines it.
bool is_better(const whole_plan& a, const whole_plan& b, bm::preference first,
               const bm::residency& limits, int most_blocks) {
  const auto blocks = [&](long long bytes) {
    if (bytes == bm::detail::int64_max) return -1;
    return std::min(most_blocks,
                    static_cast<int>(bytes == 0 ? 1000 : limits.shared_per_multiprocessor / bytes));
  };
  const auto order = [&](const whole_plan& of) {
    const long long lost = most_blocks == 0 ? 0 : -blocks(of.bytes), end = of.bytes;
    using bm::preference;
    return first == preference::few_bytes ? std::tuple(of.wavefronts, end, lost, of.indices, end)
           : first == preference::simple_indices
               ? std::tuple(of.wavefronts, 0ll, 0ll, of.indices, end)
               : std::tuple(of.wavefronts, lost, 0ll, of.indices, end);
  };
  return order(a) < order(b);
}

// Every end and its cost, of all orders and options, one array after the other.
void each_plan(const std::vector<options>& arrays, std::vector<int>& order, std::size_t placed,
               std::uint64_t wavefronts, long long end, index_functions indices,
               std::vector<whole_plan>& to) {
  if (placed == arrays.size()) {
    to.push_back({wavefronts, end, indices});
    return;
  }
  const options& next = arrays[static_cast<std::size_t>(order[placed])];
  for (const array_option& option : next.all) {
    long long begin = end;
    while (!may_begin(next, option, begin)) ++begin;
    index_functions with = indices;
    if (option.index != 0) ++with[7 - static_cast<std::size_t>(option.index)];
    each_plan(arrays, order, placed + 1, wavefronts + option.wavefronts, begin + option.bytes, with,
              to);
  }
}

}  // namespace

TEST_CASE("the cheapest order, options and offsets within any limit", "[placement]") {
  const char* const cases = std::getenv("BANKMODEL_CASES");
  const long long last = cases == nullptr ? 3000 : std::atoll(cases) / 20;
  for (long long seed = 1; seed <= last; ++seed) {
    generator random(static_cast<unsigned long long>(seed));
    const int count = 1 + random.below(5);
    std::vector<options> arrays;
    for (int at = 0; at < count; ++at) arrays.push_back(random.array(count < 5 ? 4 : 3));
    std::vector<whole_plan> all;
    std::vector<int> order;
    for (int at = 0; at < count; ++at) order.push_back(at);
    do each_plan(arrays, order, 0, 0, 0, {}, all);
    while (std::next_permutation(order.begin(), order.end()));

    std::set<long long> limits{bm::detail::int64_max};
    for (const whole_plan& one : all) limits.insert({one.bytes - 1, one.bytes});
    const auto prefer = static_cast<bm::preference>(random.below(3));
    bm::residency on;
    on.shared_per_multiprocessor = on.shared_per_block_opt_in = 200;
    on.shared_granularity = 1;
    const int most_blocks = random.below(4) == 0 ? 0 : 1 + random.below(12);
    const bm::detail::ranking ranking(prefer, on, most_blocks);
    for (const long long limit : limits) {
      whole_plan least;
      for (const whole_plan& one : all)
        if (one.bytes <= limit && is_better(one, least, prefer, on, most_blocks)) least = one;
      placement_cost best;
      std::vector<array_choice> now(arrays.size()), chosen(arrays.size());
      placement search(arrays.data(), count, 0, limit, ranking, now.data(), chosen.data(), best);
      INFO("seed " << seed << ", " << count << " arrays, prefer " << static_cast<int>(prefer)
                   << ", limit " << limit << ": " << best.wavefronts << " in " << best.bytes
                   << ", least " << least.wavefronts << " in " << least.bytes);
      REQUIRE(search.run(1 << 20));
      REQUIRE(best.wavefronts == least.wavefronts);
      REQUIRE(best.bytes == least.bytes);
      long long indices = 0;
      for (const int each : least.indices) indices = indices * 17 + each;
      REQUIRE(best.indices == indices);
      if (least.bytes == bm::detail::int64_max) continue;

      // The choice is such a plan.
      std::uint64_t wavefronts = 0;
      std::vector<std::pair<long long, long long>> places;
      for (std::size_t at = 0; at < arrays.size(); ++at) {
        wavefronts += chosen[at].option.wavefronts;
        REQUIRE(may_begin(arrays[at], chosen[at].option, chosen[at].offset_bytes));
        places.emplace_back(chosen[at].offset_bytes,
                            chosen[at].offset_bytes + chosen[at].option.bytes);
      }
      std::sort(places.begin(), places.end());
      REQUIRE(places.front().first >= 0);
      for (std::size_t at = 1; at < places.size(); ++at)
        REQUIRE(places[at - 1].second <= places[at].first);
      REQUIRE(places.back().second == best.bytes);
      REQUIRE(wavefronts == best.wavefronts);
    }
  }
}

TEST_CASE("exhausted tries are reported", "[placement]") {
  generator random(7);
  std::vector<options> arrays;
  for (int at = 0; at < 6; ++at) arrays.push_back(random.array(6));
  placement_cost best;
  array_choice now[6], chosen[6];
  const bm::residency none;
  const bm::detail::ranking ranking(bm::preference::resident_blocks, none, 0);
  placement search(arrays.data(), 6, 0, bm::detail::int64_max, ranking, now, chosen, best);
  CHECK_FALSE(search.run(3));
  CHECK(search.run(1 << 22));
}
