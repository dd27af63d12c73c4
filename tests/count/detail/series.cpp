// SPDX-License-Identifier: MIT
// The closed forms of count/detail/series.hpp against adding up term by term: every small case,
// and large ones in 128 bits.
#include <bankmodel/count/detail/series.hpp>

#include "catch.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace bm = bankmodel;
using bm::detail::moving_trips;
using bm::detail::sum_below;
using bm::detail::sum_of_quotients;

namespace {

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

constexpr unsigned long long max_count = ~0ull;
constexpr long long highest = 0x7fffffffffffffff;
const std::string too_many = "counts_must_fit_in_64_bits",
                  too_far = "index_arithmetic_must_fit_in_64_bits";

// The name of the rule that the call breaks, or an empty one.
template <class Call>
std::string rule_of(const Call& call) {
  try {
    (void)call();
  } catch (const bm::error& e) {
    return e.rule();
  }
  return "";
}

// True if the call returns this number, or is an error because the number exceeds 64 bits.
template <class Call>
bool gives(const unsigned_wide& expected, const Call& call) {
  if (expected > max_count) return rule_of(call) == too_many;
  return rule_of(call).empty() && call() == static_cast<unsigned long long>(expected);
}

wide floor_divided(wide a, wide b) { return a / b - (a % b < 0 ? 1 : 0); }

// The sum of min(cap, max(0, at(x))).
unsigned_wide added_up(const moving_trips& t, long long first, long long count, long long cap) {
  wide sum = 0;
  for (long long index = 0; index < count; ++index) {
    const wide term =
        floor_divided(t.start + static_cast<wide>(t.slope) * (first + index), t.divisor);
    sum += term <= 0 || cap <= 0 ? 0 : term < cap ? term : cap;
  }
  return static_cast<unsigned_wide>(sum);
}

std::string text(const moving_trips& t) {
  return "(" + std::to_string(t.start) + " + " + std::to_string(t.slope) + " x) / " +
         std::to_string(t.divisor);
}

// Numbers of all lengths.
class numbers {
 public:
  explicit numbers(unsigned seed) : random_(seed) {}
  unsigned long long up_to(unsigned long long limit) {
    const auto length = random_() % 64;
    const auto value = random_() >> length;
    return limit == max_count ? value : value % (limit + 1);
  }
  long long signed_number(long long limit) {  // of either sign
    const auto value = static_cast<long long>(up_to(static_cast<unsigned long long>(limit)));
    return random_() % 2 == 0 ? value : -value;
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace

TEST_CASE("the sum of the numbers below a count", "[series]") {
  unsigned long long sum = 0;
  for (unsigned long long count = 0; count <= 4096; ++count) {
    if (sum_below(count) != sum) FAIL(count);
    sum += count;
  }
  numbers random(1);
  for (int trial = 0; trial < 10000; ++trial) {
    const auto count = random.up_to(max_count);
    if (!gives(count == 0 ? 0 : static_cast<unsigned_wide>(count) * (count - 1) / 2,
               [&] { return sum_below(count); }))
      FAIL(count);
  }
  // 2^64 - 1 is between the sums of these two.
  CHECK(sum_below(6'074'001'000) == 3'037'000'500ull * 6'074'000'999ull);
  CHECK(rule_of([] { return sum_below(6'074'001'001); }) == too_many);
  CHECK(rule_of([] { return sum_below(max_count); }) == too_many);
  static_assert(sum_below(6'074'001'000) == 3'037'000'500ull * 6'074'000'999ull);
}

TEST_CASE("sums of quotients: all small ones", "[series]") {
  for (unsigned divisor = 1; divisor <= 14; ++divisor)
    for (unsigned slope = 0; slope <= 30; ++slope)
      for (unsigned start = 0; start <= 30; ++start) {
        unsigned long long sum = 0;
        for (unsigned count = 0; count <= 30; ++count) {
          if (sum_of_quotients(count, start, slope, divisor) != sum)
            FAIL(count << " terms of (" << start << " + " << slope << " x) / " << divisor);
          sum += (start + slope * count) / divisor;
        }
      }
  SUCCEED();
}

TEST_CASE("sums of quotients: large ones, errors exactly if the sum does not fit", "[series]") {
  numbers random(2);
  int refused = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const auto count = random.up_to(60), divisor = 1 + random.up_to(max_count - 1),
               start = random.up_to(max_count);
    // no dividend needs more
    const auto slope = random.up_to(count == 0 ? max_count : (max_count - start) / count);
    unsigned_wide sum = 0;
    for (unsigned long long x = 0; x < count; ++x) sum += (start + slope * x) / divisor;
    if (!gives(sum, [&] { return sum_of_quotients(count, start, slope, divisor); }))
      FAIL(count << " terms of (" << start << " + " << slope << " x) / " << divisor);
    refused += sum > max_count;
  }
  CHECK(refused > 100);
  // Too many terms to add up: the sums of two parts are that of the whole.
  for (int trial = 0; trial < 20000; ++trial) {
    const auto first = random.up_to(1ull << 50), other = random.up_to(1ull << 50),
               divisor = 1 + first + other + random.up_to(1ull << 50);
    const auto start = random.up_to(1ull << 61), slope = random.up_to((1ull << 61) / divisor);
    const auto parts = sum_of_quotients(first, start, slope, divisor) +
                       sum_of_quotients(other, start + slope * first, slope, divisor);
    if (sum_of_quotients(first + other, start, slope, divisor) != parts)
      FAIL(first << " + " << other << " terms of (" << start << " + " << slope << " x) / "
                 << divisor);
  }
  // The sum of x / 2 below 2^33 is 2^64 - 2^32, the next x brings 2^32.
  CHECK(sum_of_quotients(1ull << 33, 0, 1, 2) == 0 - (1ull << 32));
  CHECK(rule_of([] { return sum_of_quotients((1ull << 33) + 1, 0, 1, 2); }) == too_many);
  CHECK(sum_of_quotients(0xffffffff, 0x100000001, 0, 1) == max_count);
  CHECK(rule_of([] { return sum_of_quotients(0x100000000, 0x100000000, 0, 1); }) == too_many);
  CHECK(sum_of_quotients(max_count, 0, 0, 1) == 0);
  static_assert(sum_of_quotients(1ull << 33, 0, 1, 2) == 0 - (1ull << 32));
}

TEST_CASE("trips that move: all small ones, clipped at 0 and at a cap", "[series]") {
  long long clipped_at_0 = 0, clipped_at_cap = 0;
  for (long long divisor = 1; divisor <= 4; ++divisor)
    for (long long slope = -5; slope <= 5; ++slope)
      for (long long start = -13; start <= 26; ++start) {
        const moving_trips t{start, slope, divisor};
        for (long long first = 0; first <= 4; ++first) {
          for (long long count = 0; count <= 9; ++count) {
            const long long end = first + count;
            const bool never_negative =
                start + slope * first >= 0 && (count == 0 || start + slope * (end - 1) >= 0);
            if (divisor > 1 && !never_negative) break;
            if (count > 0 && t.trips(end - 1) != floor_divided(start + slope * (end - 1), divisor))
              FAIL(text(t) << " at " << end - 1);
            for (long long cap = -1; cap <= 11; ++cap)
              if (t.sum(first, count, cap) != added_up(t, first, count, cap))
                FAIL(text(t) << " in [" << first << ", " << end << ") up to " << cap);
            clipped_at_0 += !never_negative;
            clipped_at_cap += count > 0 && t.trips(end - 1) > 11;
          }
        }
      }
  CHECK(clipped_at_0 > 1000);
  CHECK(clipped_at_cap > 1000);
}

TEST_CASE("trips that move: large ones", "[series]") {
  constexpr long long limit = 1ll << 61;  // of loop variables
  numbers random(3);
  int refused = 0, summed = 0;
  for (int trial = 0; trial < 100000; ++trial) {
    moving_trips t{random.signed_number(limit), 0,
                   trial % 2 == 0 ? 1 : 1 + static_cast<long long>(random.up_to(1u << 20))};
    const auto first = static_cast<long long>(random.up_to(1u << 20)),
               count = static_cast<long long>(random.up_to(40));
    t.slope = random.signed_number(limit / (first + count + 1));
    const auto cap =
        static_cast<long long>(random.up_to(static_cast<unsigned long long>(limit / t.divisor)));
    if (t.divisor > 1 && (t.start + t.slope * first < 0 || t.start + t.slope * (first + count) < 0))
      t.start = -t.start, t.slope = -t.slope;
    if (t.divisor > 1 && (t.start + t.slope * first < 0 || t.start + t.slope * (first + count) < 0))
      continue;
    const auto expected = added_up(t, first, count, cap);
    if (!gives(expected, [&] { return t.sum(first, count, cap); }))
      FAIL(text(t) << ", " << count << " from " << first << " on, up to " << cap);
    refused += expected > max_count;
    summed += expected > 0 && expected <= max_count;
  }
  CHECK(refused > 100);
  CHECK(summed > 20000);
}

TEST_CASE("trips that move: the largest sums that fit, and the first that do not", "[series]") {
  const auto sum = [](const moving_trips& t, long long count, long long cap) {
    return [=] { return t.sum(0, count, cap); };
  };
  // Between the caps: as sum_below(), upwards and downwards.
  CHECK(sum({0, 1, 1}, 6'074'001'000, highest)() == 3'037'000'500ull * 6'074'000'999ull);
  CHECK(rule_of(sum({0, 1, 1}, 6'074'001'001, highest)) == too_many);
  CHECK(sum({6'074'000'999, -1, 1}, 6'074'001'000, highest)() ==
        3'037'000'500ull * 6'074'000'999ull);
  CHECK(sum({6'074'000'999, -1, 1}, 1ll << 62, 1ll << 61)() == 3'037'000'500ull * 6'074'000'999ull);
  CHECK(rule_of(sum({6'074'001'000, -1, 1}, 6'074'001'000, highest)) == too_many);
  // All the same, and all at the cap.
  CHECK(sum({0xffffffff, 0, 1}, 0x100000001, highest)() == max_count);
  CHECK(rule_of(sum({0x100000000, 0, 1}, 0x100000000, highest)) == too_many);
  CHECK(sum({1ll << 40, 3, 1}, 0x100000001, 0xffffffff)() == max_count);
  CHECK(rule_of(sum({1ll << 40, 3, 1}, 0x100000002, 0xffffffff)) == too_many);
  CHECK(sum({0, 1, 1}, 0x100000001, 0x7fffffff)() ==
        0x3fffffffull * 0x7fffffff + 0x80000002ull * 0x7fffffff);
  // Halves.
  CHECK(sum({0, 1, 2}, 1ll << 33, 1ll << 40)() == 0 - (1ull << 32));
  CHECK(rule_of(sum({0, 1, 2}, (1ll << 33) + 1, 1ll << 40)) == too_many);
  // Dividends past 64 bits.
  CHECK(moving_trips{highest - 6, 3, 1}.trips(2) == highest);
  CHECK(rule_of([] { return moving_trips{highest - 6, 3, 1}.trips(3); }) == too_far);
  CHECK(rule_of([] { return moving_trips{0, 1ll << 32, 1}.trips(1ll << 31); }) == too_far);
  CHECK(rule_of(sum({0, 1, 2}, 9, highest)) == too_far);  // so is the cap's dividend
  static_assert(moving_trips{0, 1, 1}.sum(0, 6'074'001'000, highest) ==
                3'037'000'500ull * 6'074'000'999ull);
}

TEST_CASE("loops split into whole cycles: all small ones", "[series]") {
  int wrong = 0;
  for (long long cycle = 1; cycle <= 4; ++cycle)
    for (long long step = -2 * cycle; step <= 2 * cycle; step += cycle)
      for (long long first = -6; first <= 9; ++first)
        for (long long count = 1; count <= 5; ++count)
          for (long long low = 0; low <= 3; ++low)
            for (long long high = low + 1; high <= 9; ++high) {
              std::vector<unsigned long long> expected(static_cast<std::size_t>(cycle)),
                  actual(expected);
              for (long long k = 0; k < count; ++k)
                for (long long position = low; position < std::min(high, first + step * k);
                     ++position)
                  ++expected[static_cast<std::size_t>((position - low) % cycle)];
              bm::detail::repeated_trips parts[3];
              bm::detail::split_into_cycles(first, step, count, low, high, cycle, parts);
              for (const auto& part : parts)
                for (long long position = 0; position < part.trips; ++position)
                  actual[static_cast<std::size_t>(position % cycle)] += part.times;
              wrong += actual != expected;
            }
  CHECK(wrong == 0);
}

TEST_CASE("loops split into whole cycles: large ones, and counts that do not fit", "[series]") {
  bm::detail::repeated_trips parts[3];
  // 4 k + 3 iterations for each k below 10^9, in cycles of 4.
  bm::detail::split_into_cycles(3, 4, 1'000'000'000, 0, 1ll << 60, 4, parts);
  CHECK(parts[0].trips == 3);
  CHECK(parts[0].times == 1'000'000'000);
  CHECK(parts[1].times == 499'999'999'500'000'000ull);
  CHECK(parts[2].times == 0);
  CHECK(rule_of([&] { bm::detail::split_into_cycles(0, 1, 1ll << 60, 0, 1ll << 62, 1, parts); }) ==
        too_many);
}
