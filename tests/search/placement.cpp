// SPDX-License-Identifier: MIT
// Orders, options and offsets of arrays, against all of them: random options of up to five
// arrays, under every limit that makes a difference.
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>

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
  std::vector<array_option> list;  // those of fewest wavefronts first
  int period_bytes, align_bytes;
  long long fewest_bytes;
  int count() const { return static_cast<int>(list.size()); }
  const array_option& operator[](int number) const {
    return list[static_cast<std::size_t>(number)];
  }
  int period() const { return period_bytes; }
  int align() const { return align_bytes; }
  std::uint64_t least_wavefronts() const {
    return list.empty() ? ~std::uint64_t{0} : list.front().wavefronts;
  }
  long long least_bytes() const { return fewest_bytes; }
};

class generator {
 public:
  explicit generator(unsigned long long seed) : random_(seed) {}
  int draw(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }

  // `packs`: the array may begin at every multiple of its alignment, and its options end at one.
  options array(int most_options, bool packs = false) {
    options result;
    result.align_bytes = 1 << draw(3);
    // Periods of more bases than a set has room for have none of the later ones.
    result.period_bytes = result.align_bytes << (draw(12) == 0 ? 8 + draw(3) : draw(4));
    if (packs) result.period_bytes = result.align_bytes;
    result.fewest_bytes = 1 + draw(20);
    for (int left = 1 + draw(most_options); left > 0; --left) {
      array_option option{};
      option.bytes = result.fewest_bytes + draw(12);
      if (packs) option.bytes = (option.bytes + draw(2)) * result.align_bytes;
      option.wavefronts = static_cast<std::uint64_t>(1 + draw(9));
      constexpr bm::layout_family families[] = {
          bm::layout_family::rows, bm::layout_family::rows, bm::layout_family::xor_swizzle,
          bm::layout_family::rotation, bm::layout_family::linear};
      option.index = static_cast<signed char>(bm::detail::index_of_family(families[draw(5)]));
      const int bases = std::min(256, result.period_bytes / result.align_bytes);
      for (int remaining = draw(4); remaining >= 0; --remaining) option.bases.add(draw(bases));
      if (packs || (draw(4) == 0 && result.period_bytes / result.align_bytes <= 256))
        option.bases = bm::detail::all_bases;
      result.list.push_back(option);
    }
    std::stable_sort(result.list.begin(), result.list.end(),
                     [](const auto& a, const auto& b) { return a.wavefronts < b.wavefronts; });
    return result;
  }

 private:
  std::mt19937_64 random_;
};

bool may_begin(const options& array, const array_option& option, long long offset) {
  const long long base = offset % array.period_bytes / array.align_bytes;
  return offset % array.align_bytes == 0 && base < 256 &&
         option.bases.contains(static_cast<int>(base));
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
  const auto order = [&](const whole_plan& plan) {
    const long long lost = most_blocks == 0 ? 0 : -blocks(plan.bytes), end = plan.bytes;
    using bm::preference;
    return first == preference::few_bytes
               ? std::tuple(plan.wavefronts, end, lost, plan.indices, end)
           : first == preference::simple_indices
               ? std::tuple(plan.wavefronts, 0ll, 0ll, plan.indices, end)
               : std::tuple(plan.wavefronts, lost, 0ll, plan.indices, end);
  };
  return order(a) < order(b);
}

// Every end and its cost, of all orders and options, one array after the other.
void each_plan(const std::vector<options>& arrays, std::vector<int>& order, std::size_t placed,
               std::uint64_t wavefronts, long long end, index_functions indices,
               std::vector<whole_plan>& result) {
  if (placed == arrays.size()) {
    result.push_back({wavefronts, end, indices});
    return;
  }
  const options& next = arrays[static_cast<std::size_t>(order[placed])];
  for (const array_option& option : next.list) {
    long long begin = end;
    while (!may_begin(next, option, begin)) ++begin;
    index_functions changed = indices;
    if (option.index != 0) ++changed[7 - static_cast<std::size_t>(option.index)];
    each_plan(arrays, order, placed + 1, wavefronts + option.wavefronts, begin + option.bytes,
              changed, result);
  }
}

}  // namespace

TEST_CASE("the cheapest order, options and offsets within any limit", "[placement]") {
  const char* const cases = std::getenv("BANKMODEL_CASES");
  static bm::detail::placed_before cache;
  const long long last = cases == nullptr ? 3000 : std::atoll(cases) / 20;
  for (long long seed = 1; seed <= last; ++seed) {
    generator random(static_cast<unsigned long long>(seed));
    const int count = 1 + random.draw(5);
    std::vector<options> arrays;
    const int packs = random.draw(4);  // 0: all do, 1: some do
    for (int number = 0; number < count; ++number)
      arrays.push_back(
          random.array(count < 5 ? 4 : 3, packs == 0 || (packs == 1 && number % 2 == 0)));
    std::vector<whole_plan> plans;
    std::vector<int> order;
    for (int number = 0; number < count; ++number) order.push_back(number);
    do each_plan(arrays, order, 0, 0, 0, {}, plans);
    while (std::next_permutation(order.begin(), order.end()));

    std::set<long long> limits{bm::detail::int64_max};
    for (const whole_plan& plan : plans) limits.insert({plan.bytes - 1, plan.bytes});
    const auto prefer = static_cast<bm::preference>(random.draw(3));
    bm::residency capacity;
    capacity.shared_per_multiprocessor = capacity.shared_per_block_opt_in = 200;
    capacity.shared_granularity = 1;
    const int most_blocks = random.draw(4) == 0 ? 0 : 1 + random.draw(12);
    const bm::detail::ranking ranking(prefer, capacity, most_blocks);
    for (const long long limit : limits) {
      whole_plan expected;
      for (const whole_plan& plan : plans)
        if (plan.bytes <= limit && is_better(plan, expected, prefer, capacity, most_blocks))
          expected = plan;
      placement_cost best;
      std::vector<array_choice> current(arrays.size()), chosen(arrays.size());
      placement search(arrays.data(), count, 0, limit, ranking, current.data(), chosen.data(), best,
                       cache);
      INFO("seed " << seed << ", " << count << " arrays, prefer " << static_cast<int>(prefer)
                   << ", limit " << limit << ": " << best.wavefronts << " in " << best.bytes
                   << ", least " << expected.wavefronts << " in " << expected.bytes);
      REQUIRE(search.run(1 << 20));
      REQUIRE(best.wavefronts == expected.wavefronts);
      REQUIRE(best.bytes == expected.bytes);
      long long indices = 0;
      for (const int uses : expected.indices) indices = indices * 17 + uses;
      REQUIRE(best.indices == indices);
      if (expected.bytes == bm::detail::int64_max) continue;

      // The choice is such a plan.
      std::uint64_t wavefronts = 0;
      std::vector<std::pair<long long, long long>> places;
      for (std::size_t number = 0; number < arrays.size(); ++number) {
        wavefronts += chosen[number].option.wavefronts;
        REQUIRE(may_begin(arrays[number], chosen[number].option, chosen[number].offset_bytes));
        places.emplace_back(chosen[number].offset_bytes,
                            chosen[number].offset_bytes + chosen[number].option.bytes);
      }
      std::sort(places.begin(), places.end());
      REQUIRE(places.front().first >= 0);
      for (std::size_t number = 1; number < places.size(); ++number)
        REQUIRE(places[number - 1].second <= places[number].first);
      REQUIRE(places.back().second == best.bytes);
      REQUIRE(wavefronts == best.wavefronts);
    }
  }
}

TEST_CASE("exhausted tries are reported", "[placement]") {
  generator random(7);
  std::vector<options> arrays;
  for (int number = 0; number < 6; ++number) arrays.push_back(random.array(6));
  placement_cost best;
  static bm::detail::placed_before cache;
  array_choice current[6], chosen[6];
  const bm::residency none;
  const bm::detail::ranking ranking(bm::preference::resident_blocks, none, 0);
  placement search(arrays.data(), 6, 0, bm::detail::int64_max, ranking, current, chosen, best,
                   cache);
  CHECK_FALSE(search.run(3));
  CHECK(search.run(1 << 22));
}

namespace {

// Machines with any banks, and up to four arrays of any elements.
struct random_machine {
  std::mt19937_64 random;
  int draw(int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); }

  bm::service service() {
    bm::service rules;
    rules.bank_num = static_cast<short>(1 << draw(9));
    rules.N = static_cast<short>(1 << draw(4));
    rules.W = static_cast<short>(rules.N << draw(3));
    return rules;
  }
  bm::machine machine() {
    bm::machine m;
    m.lanes = draw(3) == 0 ? 64 : 32;
    const bm::service rules = service();
    for (bm::services* const group : {&m.loads, &m.stores}) {
      group->up_to_4 = group->bytes_8 = group->bytes_16 = rules;
      if (draw(4) == 0) group->bytes_8 = service();
    }
    m.stores.up_to_4.N = m.loads.up_to_4.N;
    m.bank_width = m.loads.up_to_4.N;
    return m;
  }
  bm::array_description array(const char* name) {
    auto result = bm::shared_array<char>(name, 1 + draw(40), 1 + draw(40));
    result.element_bytes = 1 << draw(4);
    return result;
  }
};

}  // namespace

TEST_CASE("arrays never overlap, whatever the machine", "[placement]") {
  using namespace bm::index;
  int excess = 0, arrays = 0;
  for (unsigned seed = 1; seed <= 1500; ++seed) {
    random_machine random{std::mt19937_64(seed)};
    const bm::machine drawn = random.machine();
    const auto a = random.array("a"), b = random.array("b"), c = random.array("c"),
               d = random.array("d");
    const auto access = [](const auto& array) {
      const auto& extent = array.layout.extent;
      return bm::load(array[(3 * tx + ty) % extent[0]][5 * tx % extent[1]]);
    };
    INFO("seed " << seed << ": " << drawn.loads.up_to_4.bank_num << " banks, W "
                 << drawn.loads.up_to_4.W << ", N " << drawn.loads.up_to_4.N);
    const auto kernel =
        bm::kernel(bm::block_dim{32, 2}, access(a), access(b), access(c), access(d));
    const auto plan = bm::optimize(drawn, kernel, {.effort = 2000});
    bm::cost sum;
    std::vector<std::pair<long long, long long>> places;
    for (int number = 0; number < plan.arrays(); ++number) {
      const bm::planned_array& placed = plan.array(number);
      places.emplace_back(placed.offset_bytes, placed.offset_bytes + placed.bytes());
      auto planned = access(placed.declared);
      planned.array = placed.planned();
      sum = sum + bm::total(drawn, kernel.block, planned);
      CHECK(placed.offset_bytes % placed.declared.element_bytes == 0);
      const bm::geometry banks = drawn.banks(placed.declared.element_bytes, bm::access_kind::load);
      excess +=
          banks.bank_num * banks.W > 256 * placed.declared.element_bytes && banks.W != banks.N;
      ++arrays;
    }
    CHECK(sum.wavefronts == plan.after().wavefronts);
    std::sort(places.begin(), places.end());
    CHECK(places.front().first >= 0);
    for (std::size_t number = 1; number < places.size(); ++number)
      CHECK(places[number - 1].second <= places[number].first);
    CHECK(places.back().second == plan.bytes());
  }
  CHECK(excess > arrays / 10);

  // 512 bytes after which costs repeat, of which arrays of char may begin at each.
  bm::machine own;
  own.loads.up_to_4 = own.loads.bytes_8 = own.loads.bytes_16 = {.bank_num = 64, .W = 8, .N = 4};
  own.stores = own.loads;
  own.bank_width = 4;
  own.lanes = 32;
  const auto a = bm::shared_array<char>("a", 400), b = bm::shared_array<char>("b", 300);
  const auto plan =
      bm::optimize(own, bm::kernel(bm::block_dim{32}, bm::load(a[tx]), bm::load(b[tx])));
  CHECK(plan.offset_bytes(a) == 0);
  CHECK(plan.offset_bytes(b) >= 400);
  CHECK(plan.bytes() == plan.offset_bytes(b) + 300);
}

// The order of arrays that may begin anywhere and take whole multiples of their alignment cannot
// matter. All orders of 12 took 15 milliseconds, and those of 11 tiles all tries: the plan was not
// complete, and 4 blocks were resident where 5 are possible.
TEST_CASE("many arrays whose order cannot matter", "[placement]") {
  using namespace bm::index;
  const char* const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
  const auto read = [&](std::size_t index) {
    return bm::load(bm::shared_array<float>(names[index], 32, 32)[tx][ty]);
  };
  const auto plan = [&]<std::size_t... At>(std::index_sequence<At...>) {
    return bm::optimize(bm::nvidia::sm_90, bm::kernel(bm::block_dim{32, 8}, read(At)...));
  }(std::make_index_sequence<11>{});
  CHECK(plan.after().conflicts() == 0);
  CHECK(plan.resident_blocks() == 5);
  CHECK(plan.is_complete());

  const auto mixed = [&](int bytes, long long elements, std::size_t number) {
    auto array = bm::shared_array<char>(names[number], elements);
    array.element_bytes = bytes;
    return bm::load(array[tx]);
  };
  const auto twelve = bm::kernel(bm::block_dim{32}, mixed(4, 32, 0), mixed(8, 33, 1),
                                 mixed(2, 33, 2), mixed(4, 33, 3), mixed(16, 32, 4),
                                 mixed(1, 33, 5), mixed(4, 64, 6), mixed(8, 32, 7), mixed(1, 35, 8),
                                 mixed(2, 34, 9), mixed(4, 32, 10), mixed(16, 33, 11));
  const auto small = bm::optimize(bm::nvidia::sm_90, twelve, {.effort = 2000});
  CHECK(small.is_complete());
  CHECK(small.after().conflicts() == 0);
  long long bytes = 0;
  for (int array = 0; array < small.arrays(); ++array) bytes += small.array(array).bytes();
  CHECK(small.bytes() == bytes);

  // In the order of first use, where that wastes nothing; else what ends at the largest alignment
  // comes first.
  const auto words = bm::kernel(bm::block_dim{32}, mixed(4, 32, 0), mixed(8, 33, 1),
                                mixed(4, 33, 2), mixed(16, 32, 3));
  const auto ordered = bm::optimize(bm::nvidia::sm_90, words);
  CHECK(ordered.offset_bytes("a") == 0);
  CHECK(ordered.offset_bytes("d") == 128);
  CHECK(ordered.offset_bytes("b") == 128 + 512);
  CHECK(ordered.offset_bytes("c") == 128 + 512 + 264);
}
