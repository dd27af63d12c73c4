// SPDX-License-Identifier: MIT
// The trip counts of loops and the values of their variables, against running them: small bounds
// and steps of either sign, and the ends of 64 bits.
#include <bankmodel/count/detail/trips.hpp>

#include "catch.hpp"

#include <random>
#include <string>

namespace bm = bankmodel;
using bm::wrapper_kind;
using bm::detail::next;
using bm::detail::trips_of;

namespace {

__extension__ typedef __int128 wide;

constexpr long long highest = 0x7fffffffffffffff, lowest = -highest - 1;
const std::string too_far = "index_arithmetic_must_fit_in_64_bits";

// The loop as written in C, in 128 bits; at most `limit` trips.
long long run(wrapper_kind kind, wide first, wide last, wide step, long long limit) {
  const bool falls = kind == wrapper_kind::powers_down || (kind == wrapper_kind::range && step < 0);
  long long trips = 0;
  for (wide value = first; (falls ? value > last : value < last) && trips <= limit; ++trips)
    value = kind == wrapper_kind::range         ? value + step
            : kind == wrapper_kind::powers_down ? value / step
                                                : value * step;
  return trips;
}

// The rule that the call breaks, or its result.
template <class Call>
std::string said(const Call& call) {
  try {
    return std::to_string(call());
  } catch (const bm::error& e) {
    return e.rule();
  }
}

std::string trips(wrapper_kind kind, long long first, long long last, long long step) {
  return said([=] { return trips_of(kind, first, last, step); });
}

std::string text(wrapper_kind kind, long long first, long long last, long long step) {
  return "kind " + std::to_string(static_cast<int>(kind)) + " from " + std::to_string(first) +
         " to " + std::to_string(last) + " by " + std::to_string(step);
}

}  // namespace

TEST_CASE("small loops of every kind", "[trips]") {
  for (long long first = -12; first <= 40; ++first)
    for (long long last = -12; last <= 40; ++last)
      for (long long step = -7; step <= 7; ++step)
        for (const auto kind : {wrapper_kind::range, wrapper_kind::powers, wrapper_kind::powers_up,
                                wrapper_kind::powers_down}) {
          const bool falls = kind == wrapper_kind::powers_down,
                     enters = falls ? first > last : first < last;
          std::string expected;
          if (kind == wrapper_kind::range && step == 0)
            expected = "step_must_not_be_zero";
          else if (kind != wrapper_kind::range && step < 2)
            expected = "factor_must_be_two_or_more";
          else if (kind == wrapper_kind::powers && first > last)
            expected = "powers_must_have_a_direction";
          else if (kind != wrapper_kind::range && enters && (falls ? last < 0 : first < 1))
            expected = "powers_must_end";
          else
            expected = std::to_string(run(kind, first, last, step, 1000));
          if (trips(kind, first, last, step) != expected)
            FAIL(text(kind, first, last, step) << ": not " << expected);
        }
  SUCCEED();
}

TEST_CASE("the values of a loop's variable", "[trips]") {
  for (long long value = -20; value <= 20; ++value)
    for (long long step = 2; step <= 5; ++step) {
      CHECK(next(wrapper_kind::range, value, step) == value + step);
      CHECK(next(wrapper_kind::range, value, -step) == value - step);
      CHECK(next(wrapper_kind::powers, value, step) == value * step);
      CHECK(next(wrapper_kind::powers_up, value, step) == value * step);
      CHECK(next(wrapper_kind::powers_down, value, step) == value / step);
    }
}

TEST_CASE("ranges at the ends of 64 bits", "[trips]") {
  const auto range = [](long long first, long long last, long long step) {
    return trips(wrapper_kind::range, first, last, step);
  };
  CHECK(range(0, highest, 1) == std::to_string(highest));
  CHECK(range(0, highest, highest) == "1");
  CHECK(range(0, highest, highest - 1) == "2");
  CHECK(range(-1, highest - 1, 1) == std::to_string(highest));
  CHECK(range(-1, highest, 1) == too_far);
  CHECK(range(lowest, -1, 1) == std::to_string(highest));
  CHECK(range(lowest, 0, 1) == too_far);
  CHECK(range(highest, lowest, 1) == "0");
  CHECK(range(highest, highest, 1) == "0");
  CHECK(range(highest, 0, -1) == std::to_string(highest));
  CHECK(range(highest, -1, -1) == too_far);
  CHECK(range(-1, lowest, -1) == std::to_string(highest));
  CHECK(range(highest, 0, lowest) == "1");
  CHECK(range(-1, lowest, lowest) == "1");
  CHECK(range(-1, lowest, lowest + 1) == "1");
  CHECK(range(-1, lowest, lowest + 2) == "2");
  CHECK(range(lowest, highest, lowest) == "0");
  CHECK(range(highest, lowest, lowest) == too_far);
}

TEST_CASE("powers at the ends of 64 bits", "[trips]") {
  const auto rise = [](long long first, long long last, long long factor) {
    return trips(wrapper_kind::powers_up, first, last, factor);
  };
  const auto fall = [](long long first, long long last, long long factor) {
    return trips(wrapper_kind::powers_down, first, last, factor);
  };
  CHECK(rise(1, highest, 2) == "63");
  CHECK(rise(1, (1ll << 62) + 1, 2) == "63");
  CHECK(rise(1, 1ll << 62, 2) == "62");
  CHECK(rise(1, highest, highest) == "1");
  CHECK(rise(1, highest, highest - 1) == "2");
  CHECK(rise(2, highest, highest) == "1");
  CHECK(rise(highest - 1, highest, 2) == "1");
  CHECK(rise(lowest, lowest, 2) == "0");
  CHECK(rise(0, lowest, 2) == "0");
  CHECK(rise(lowest, 0, 2) == "powers_must_end");
  CHECK(rise(lowest, highest, 2) == "powers_must_end");
  CHECK(fall(highest, 0, 2) == "63");
  CHECK(fall(highest, 0, highest) == "2");  // highest and 1
  CHECK(fall(highest, 1, highest) == "1");
  CHECK(fall(highest, highest, 2) == "0");
  CHECK(fall(lowest, lowest, 2) == "0");
  CHECK(fall(lowest, highest, 2) == "0");
  CHECK(fall(0, lowest, 2) == "powers_must_end");
}

TEST_CASE("loops with large bounds", "[trips]") {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 200000; ++trial) {
    const auto draw = [&] { return static_cast<long long>(random()) >> random() % 60; };
    const long long first = draw(), last = draw();
    const wide distance = static_cast<wide>(last) - first;
    if (distance > highest || distance < -highest) continue;
    // A step with which the loop has few trips.
    const long long step =
        static_cast<long long>(distance / (1 + static_cast<long long>(random() % 30))) +
        (random() % 2 == 0 ? 1 : -1);
    if (step != 0) {
      const auto expected = run(wrapper_kind::range, first, last, step, 1000);
      if (expected < 1000 && trips_of(wrapper_kind::range, first, last, step) != expected)
        FAIL(text(wrapper_kind::range, first, last, step));
    }
    const long long factor = 2 + static_cast<long long>(random() >> (2 + random() % 61));
    if (first >= 1 || first >= last)
      if (trips_of(wrapper_kind::powers_up, first, last, factor) !=
          run(wrapper_kind::powers_up, first, last, factor, 1000))
        FAIL(text(wrapper_kind::powers_up, first, last, factor));
    if (last >= 0 || first <= last)
      if (trips_of(wrapper_kind::powers_down, first, last, factor) !=
          run(wrapper_kind::powers_down, first, last, factor, 1000))
        FAIL(text(wrapper_kind::powers_down, first, last, factor));
  }
  SUCCEED();
}
