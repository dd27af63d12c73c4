// SPDX-License-Identifier: MIT
// Conditions on loops up to the ends of 64 bits, against counting in closed form with 128 bits; and
// that explain() explains what total() counts.
#include <bankmodel/explain.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/report.hpp>

#include "catch.hpp"

#include <algorithm>
#include <random>
#include <string>

namespace bm = bankmodel;
using bm::index::i, bm::index::j, bm::index::k, bm::index::m, bm::index::tx;
using bm::nvidia::sm_35;
using bm::nvidia::sm_90;

namespace {

__extension__ typedef __int128 wide;
constexpr long long highest = 0x7fffffffffffffff, lowest = -highest - 1;
constexpr auto line = bm::shared_array<float>("line", 4096);

struct counted_lanes {
  wide requests = 0, lanes = 0;
  bool operator==(const counted_lanes&) const = default;
};

// for (j = first; j < last; j += step) if (j op a * tx + c) line[32 * tx], where each active lane
// is a wavefront.
struct loop {
  long long first, last, step, a, c;
  int op;  // 0 <, 1 <=, 2 >, 3 >=, 4 ==, 5 !=

  wide trips() const {
    return first >= last ? 0 : (static_cast<wide>(last) - first - 1) / step + 1;
  }
  // The positions before the first value of v or more.
  wide rank(wide v) const {
    const wide distance = v - first;
    return std::clamp<wide>(distance <= 0 ? 0 : (distance - 1) / step + 1, 0, trips());
  }
  counted_lanes counted() const {
    counted_lanes sum;
    wide maximum = 0, union_of_equal = 0, start = trips(), last_of_different = 0;
    for (int lane = 0; lane < 32; ++lane) {
      const wide right = static_cast<wide>(a) * lane + c;
      const wide smaller = rank(right), equal = rank(right + 1) - smaller, total = trips();
      const wide passing[] = {smaller,         smaller + equal, total - smaller - equal,
                              total - smaller, equal,           total - equal};
      sum.lanes += passing[op];
      maximum = std::max(maximum, passing[op]);
      union_of_equal += a == 0 && lane > 0 ? 0 : equal;
      start = std::min(start, smaller);
      last_of_different = std::max(last_of_different, equal);
    }
    // Lanes pass at the first positions or at the last ones; other than one position in each.
    sum.requests = op < 4 ? maximum : op == 4 ? union_of_equal : a == 0 ? maximum : trips();
    return sum;
  }
};

// The library's count; -1 requests if it is refused.
counted_lanes by_library(const loop& tested) {
  const auto iterations = bm::range(tested.first, tested.last, tested.step);
  const auto sum = [&](const auto& condition) -> counted_lanes {
    try {
      const bm::cost cost = bm::total(
          sm_90, {32}, bm::for_loop(j, iterations, bm::if_threads(condition, line[32 * tx])));
      return {cost.requests, cost.wavefronts};
    } catch (const bm::error&) {
      return {-1, -1};
    }
  };
  const auto right = tested.a * tx + tested.c;
  switch (tested.op) {
    case 0: return sum(j < right);
    case 1: return sum(j <= right);
    case 2: return sum(j > right);
    case 3: return sum(j >= right);
    case 4: return sum(j == right);
    default: return sum(j != right);
  }
}

long long any_number(std::mt19937_64& random) {
  const auto small = static_cast<long long>(random() % 100);
  switch (random() % 5) {
    case 0: return highest - small;
    case 1: return lowest + small;
    case 2: return (1ll << (random() % 63)) + small - 50;
    case 3: return -(1ll << (random() % 63)) + small;
    default: return small - 50;
  }
}

}  // namespace

TEST_CASE("conditions on loops up to the ends of 64 bits") {
  std::mt19937_64 random(1);
  int served = 0, large = 0, passing = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    loop tested{any_number(random),
                any_number(random),
                1 + static_cast<long long>(random() % 5),
                static_cast<long long>(random() % 7) - 3,
                any_number(random),
                static_cast<int>(random() % 6)};
    if (random() % 4 == 0) tested.step = std::max(1ll, any_number(random));
    if (random() % 2 == 0) tested.c = tested.first < 0 ? tested.first + 40 : tested.first - 40;
    const counted_lanes actual = by_library(tested);
    if (actual.requests < 0) continue;
    ++served;
    large += tested.trips() > 1ll << 61;
    const counted_lanes wanted = tested.counted();
    passing += wanted.lanes != 0;
    if (!(actual == wanted))
      FAIL(tested.first << " " << tested.last << " " << tested.step << " " << tested.a << " "
                        << tested.c << " op " << tested.op << ": "
                        << static_cast<long long>(actual.requests) << ", "
                        << static_cast<long long>(actual.lanes) << "; wanted "
                        << static_cast<long long>(wanted.requests) << ", "
                        << static_cast<long long>(wanted.lanes));
  }
  CHECK(served > 700);
  CHECK(large > 30);
  CHECK(passing > 200);
}

TEST_CASE("a condition of one lane in a loop of 2^63 - 1 iterations is not walked") {
  const auto iterations = bm::range(0, highest);
  CHECK(bm::total(sm_90, {32}, bm::for_loop(j, iterations, bm::if_threads(j == tx, line[tx])))
            .requests == 32);
  CHECK(bm::total(sm_90, {32},
                  bm::for_loop(j, iterations, bm::if_threads(j == highest - 40 + tx, line[tx])))
            .requests == 32);
  CHECK(bm::total(sm_90, {32},
                  bm::for_loop(j, bm::range(highest - 1, 0, -1),
                               bm::if_threads(j == tx && j < 5, line[tx])))
            .requests == 4);
}

TEST_CASE("comparisons whose sides move by more than 64 bits hold") {
  const auto requests = [](int threads, const auto& access) {
    return bm::total(sm_90, {threads}, access).requests;
  };
  // Two positions, from one end of the numbers to the other.
  constexpr long long far = 3ll << 60;
  const auto ends = bm::range(-far, far + 1, 2 * far);
  CHECK(requests(32, bm::for_loop(j, ends, bm::if_threads(2 * j < tx, line[tx]))) == 1);
  CHECK(requests(32, bm::for_loop(j, ends, bm::if_threads(j + j < tx, line[tx]))) == 1);
  CHECK(requests(32, bm::for_loop(j, bm::range(-(1ll << 61), (1ll << 61) + 1, 1ll << 62),
                                  bm::if_threads(2 * j < tx, line[tx]))) == 1);
  // Sides that are not large, but whose difference moves by 2^63.
  CHECK(requests(32, bm::for_loop(j, bm::range(-(1ll << 61), (1ll << 61) + 1, 1ll << 62),
                                  bm::if_threads(j < 0 - j, line[tx]))) == 1);
  // The same from lane to lane: lane 0 passes.
  const auto side = (2 * tx - 1) * (1ll << 61);
  CHECK(bm::total(sm_90, {2}, bm::if_threads(side + side + side < 0, line[32 * tx])).wavefronts ==
        1);
  CHECK(requests(32, bm::for_loop(j, bm::range(0, 10),
                                  bm::if_threads((tx - 16) * ((1ll << 59) - 1) < j, line[tx]))) ==
        10);
  // Constants as well: compilers refuse what overflows.
  STATIC_REQUIRE(bm::total(sm_90, {32}, bm::if_threads(tx > highest, line[tx])).requests == 0);
  STATIC_REQUIRE(bm::total(sm_90, {32},
                           bm::for_loop(j, bm::range(-(3ll << 60), (3ll << 60) + 1, 6ll << 60),
                                        bm::if_threads(j + j < tx, line[tx])))
                     .requests == 1);
  STATIC_REQUIRE(bm::total(sm_90, {32},
                           bm::for_loop(j, bm::range(1ll << 61, -(1ll << 61) - 1, -(1ll << 62)),
                                        bm::if_threads(j + j < tx, line[tx])))
                     .requests == 1);
  // Two positions, from steps that fit in 64 bits to those that do not, both ways.
  for (const long long step : {(1ll << 62) - 1, 1ll << 62, (1ll << 62) + 1})
    for (const long long first : {-step / 2, -step / 2 - 20, -step + 5}) {
      const long long second = first + step;
      std::uint64_t less = 0, more = 0, equal = 0;
      for (const long long value : {first, second}) {
        const wide sum = static_cast<wide>(value) + value;
        less += sum < 31;
        more += sum > 0;
        equal += sum >= 0 && sum < 32;
      }
      for (const auto& positions :
           {bm::range(first, second + 1, step), bm::range(second, first - 1, -step)}) {
        CHECK(requests(32, bm::for_loop(j, positions, bm::if_threads(j + j < tx, line[tx]))) ==
              less);
        CHECK(requests(32, bm::for_loop(j, positions, bm::if_threads(tx < j + j, line[tx]))) ==
              more);
        CHECK(requests(32, bm::for_loop(j, positions, bm::if_threads(tx == j + j, line[tx]))) ==
              equal);
      }
    }
  CHECK(requests(32, bm::for_loop(i, bm::range(-1, 1),
                                  line[((i * (1ll << 62) + i * (1ll << 62)) & 31) + tx])) == 2);
}

TEST_CASE("powers from the highest number on are explained") {
  for (const long long first : {highest, highest - 1}) {
    const auto explained =
        bm::explain(sm_90, {32}, bm::for_loop(m, bm::powers_down(first, 0, 2), line[2 * tx]));
    CHECK(explained.degree == 2);
    CHECK(explained.loop[0].trip == 0);
    CHECK(explained.loop[0].value == first);
    const auto spread =
        bm::explain(sm_90, {32}, bm::for_loop(m, bm::powers_down(first - tx, 0, 2), line[2 * tx]));
    CHECK(spread.loop[0].trip == 0);
    CHECK(spread.loop[0].value == first);
    const auto later = bm::explain(
        sm_90, {32},
        bm::for_loop(m, bm::powers_down(first, 0, 2), bm::if_threads(m < 100, line[2 * tx])));
    CHECK(later.loop[0].value == 63);
  }
  // A step of its own in each lane.
  const auto explained = bm::explain(
      sm_90, {2},
      bm::for_loop(i, bm::range(highest - tx, highest - 40 * tx - 100, -1 - tx), line[32 * tx]));
  CHECK(explained.degree == 2);
  CHECK(explained.loop[0].value == highest);
}

TEST_CASE("explain() explains what total() counts: requests of almost 2^64") {
  const auto nest = bm::load(
      bm::for_loop(i, bm::range(0, highest), bm::for_loop(j, bm::range(0, 2), line[31 * tx])));
  for (const bm::machine* const machine : {&sm_90, &sm_35}) {
    const auto explained = bm::explain(*machine, {32}, nest);
    CHECK(explained.all == bm::total(*machine, {32}, nest));
    CHECK(explained.remedy.has_too_many_requests);
    CHECK(!explained.remedy.found);
  }
  const auto conflicts =
      bm::explain(sm_90, {32}, bm::for_loop(i, bm::range(0, 1ll << 58), line[2 * tx]));
  CHECK(conflicts.remedy.has_too_many_requests);
  CHECK(text(conflicts).find("Other layouts were not tried") != std::string::npos);
  const auto fewer =
      bm::explain(sm_90, {32}, bm::for_loop(i, bm::range(0, (1ll << 57) - 1), line[2 * tx]));
  CHECK(!fewer.remedy.has_too_many_requests);
  CHECK(fewer.remedy.removes_all());
}
