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
const auto line = bm::shared_array<float>("line", 4096);

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
  wide below(wide v) const {
    const wide apart = v - first;
    return std::clamp<wide>(apart <= 0 ? 0 : (apart - 1) / step + 1, 0, trips());
  }
  counted_lanes counted() const {
    counted_lanes sum;
    wide most = 0, union_of_equal = 0, from = trips(), last_of_different = 0;
    for (int lane = 0; lane < 32; ++lane) {
      const wide right = static_cast<wide>(a) * lane + c;
      const wide less = below(right), equal = below(right + 1) - less, all = trips();
      const wide passing[] = {less,       less + equal, all - less - equal,
                              all - less, equal,        all - equal};
      sum.lanes += passing[op];
      most = std::max(most, passing[op]);
      union_of_equal += a == 0 && lane > 0 ? 0 : equal;
      from = std::min(from, less);
      last_of_different = std::max(last_of_different, equal);
    }
    // Lanes pass at the first positions or at the last ones; other than one position in each.
    sum.requests = op < 4 ? most : op == 4 ? union_of_equal : a == 0 ? most : trips();
    return sum;
  }
};

// The library's count; -1 requests if it is refused.
counted_lanes by_library(const loop& of) {
  const auto over = bm::range(of.first, of.last, of.step);
  const auto sum = [&](const auto& condition) -> counted_lanes {
    try {
      const bm::cost all =
          bm::total(sm_90, {32}, bm::for_loop(j, over, bm::if_threads(condition, line[32 * tx])));
      return {all.requests, all.wavefronts};
    } catch (const bm::error&) {
      return {-1, -1};
    }
  };
  const auto right = of.a * tx + of.c;
  switch (of.op) {
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
  for (int each = 0; each < 1500; ++each) {
    loop of{any_number(random),
            any_number(random),
            1 + static_cast<long long>(random() % 5),
            static_cast<long long>(random() % 7) - 3,
            any_number(random),
            static_cast<int>(random() % 6)};
    if (random() % 4 == 0) of.step = std::max(1ll, any_number(random));
    if (random() % 2 == 0) of.c = of.first < 0 ? of.first + 40 : of.first - 40;
    const counted_lanes here = by_library(of);
    if (here.requests < 0) continue;
    ++served;
    large += of.trips() > 1ll << 61;
    const counted_lanes wanted = of.counted();
    passing += wanted.lanes != 0;
    if (!(here == wanted))
      FAIL(of.first << " " << of.last << " " << of.step << " " << of.a << " " << of.c << " op "
                    << of.op << ": " << static_cast<long long>(here.requests) << ", "
                    << static_cast<long long>(here.lanes) << "; wanted "
                    << static_cast<long long>(wanted.requests) << ", "
                    << static_cast<long long>(wanted.lanes));
  }
  CHECK(served > 700);
  CHECK(large > 30);
  CHECK(passing > 200);
}

TEST_CASE("a condition of one lane in a loop of 2^63 - 1 iterations is not walked") {
  const auto all = bm::range(0, highest);
  CHECK(bm::total(sm_90, {32}, bm::for_loop(j, all, bm::if_threads(j == tx, line[tx]))).requests ==
        32);
  CHECK(
      bm::total(sm_90, {32}, bm::for_loop(j, all, bm::if_threads(j == highest - 40 + tx, line[tx])))
          .requests == 32);
  CHECK(bm::total(sm_90, {32},
                  bm::for_loop(j, bm::range(highest - 1, 0, -1),
                               bm::if_threads(j == tx && j < 5, line[tx])))
            .requests == 4);
}

TEST_CASE("powers from the highest number on are explained") {
  for (const long long first : {highest, highest - 1}) {
    const auto why =
        bm::explain(sm_90, {32}, bm::for_loop(m, bm::powers_down(first, 0, 2), line[2 * tx]));
    CHECK(why.degree == 2);
    CHECK(why.loop[0].trip == 0);
    CHECK(why.loop[0].value == first);
    const auto apart =
        bm::explain(sm_90, {32}, bm::for_loop(m, bm::powers_down(first - tx, 0, 2), line[2 * tx]));
    CHECK(apart.loop[0].trip == 0);
    CHECK(apart.loop[0].value == first);
    const auto later = bm::explain(
        sm_90, {32},
        bm::for_loop(m, bm::powers_down(first, 0, 2), bm::if_threads(m < 100, line[2 * tx])));
    CHECK(later.loop[0].value == 63);
  }
  // A step of its own in each lane.
  const auto both = bm::explain(
      sm_90, {2},
      bm::for_loop(i, bm::range(highest - tx, highest - 40 * tx - 100, -1 - tx), line[32 * tx]));
  CHECK(both.degree == 2);
  CHECK(both.loop[0].value == highest);
}

TEST_CASE("explain() explains what total() counts: requests of almost 2^64") {
  const auto nest = bm::load(
      bm::for_loop(i, bm::range(0, highest), bm::for_loop(j, bm::range(0, 2), line[31 * tx])));
  for (const bm::machine* const on : {&sm_90, &sm_35}) {
    const auto why = bm::explain(*on, {32}, nest);
    CHECK(why.all == bm::total(*on, {32}, nest));
    CHECK(why.remedy.has_too_many_requests);
    CHECK(!why.remedy.found);
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
