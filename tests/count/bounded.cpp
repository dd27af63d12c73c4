// SPDX-License-Identifier: MIT
// The work of total() does not grow with trip counts: from 10^3 iterations to 10^15 the same
// number of requests is evaluated. Costs of at most 10^3 iterations are compared with running
// every thread, those of more with the known cost of each iteration in the steady state.
#include <bankmodel/analyze.hpp>

#include "catch.hpp"
#include "run_plainly.hpp"

#include <string>

namespace bm = bankmodel;
using bm::index::tx, bm::index::ty, bm::index::tz, bm::index::tid, bm::index::lane, bm::index::warp;
// M and n are machines and iterations here.
using bm::index::i, bm::index::j, bm::index::k, bm::index::l;

namespace {

const auto& sm_90 = tested_machines[0];
const auto& sm_35 = tested_machines[1];
const bm::block_dim one_warp{32};

constexpr long long thousand = 1000, max_trips = 1'000'000'000'000'000;
const auto a = bm::shared_array<float>("a", 4096);
const auto tile = bm::shared_array<float>("tile", 64, 64);
const auto endless = bm::shared_array<float>("endless", 300 * max_trips);

// From iteration `start` on, every `period` iterations add this many requests and wavefronts.
struct settled {
  long long start, period;
  unsigned long long requests, wavefronts;
};

bool same(const bm::cost& cost, const oracle::counts& expected) {
  return cost.requests == expected.requests && cost.wavefronts == expected.wavefronts &&
         cost.ideal == expected.ideal && cost.degree == expected.degree;
}

// make(n) is a nest whose loop runs n times.
template <class Make>
void stays_bounded(const tested_machine& m, const bm::block_dim& block, const settled& expected,
                   std::uint64_t most_evaluated, const Make& make) {
  const auto at_thousand = bm::detail::counted(m.machine, block, make(thousand));
  CHECK(at_thousand.evaluated <= most_evaluated);
  for (const long long n : {0, 1, 2, 3, 31, 33, 65, 130}) {
    INFO(n << " iterations");
    CHECK(same(bm::total(m.machine, block, make(n)), plainly::total(m, block, make(n))));
  }
  for (const long long n : {thousand, thousand + (1ll << 20), thousand + (1ll << 40),
                            max_trips + thousand, 1'000'000'007ll, max_trips, max_trips - 1}) {
    INFO(n << " iterations");
    const auto current = bm::detail::counted(m.machine, block, make(n));
    CHECK(current.evaluated <= most_evaluated);
    // Other loops may end in another lane.
    if (n % 1024 == thousand % 1024) CHECK(current.evaluated == at_thousand.evaluated);
    CHECK(current.sum.method == bm::method::distinct_requests);
    const auto initial =
        plainly::total(m, block, make(expected.start + (n - expected.start) % expected.period));
    const auto periods = static_cast<unsigned long long>((n - expected.start) / expected.period);
    CHECK(current.sum.requests == initial.requests + periods * expected.requests);
    CHECK(current.sum.wavefronts == initial.wavefronts + periods * expected.wavefronts);
    CHECK(current.sum.degree == at_thousand.sum.degree);
  }
}

}  // namespace

TEST_CASE("loops with constant bounds and steps", "[bounded]") {
  const auto one_way = [](const auto& range, const auto& access) {
    return bm::for_loop(i, range, access);
  };
  stays_bounded(sm_90, one_warp, {0, 1, 1, 2}, 1,
                [&](long long n) { return one_way(bm::range(0, n), a[2 * tx]); });
  stays_bounded(sm_90, one_warp, {0, 1, 1, 2}, 1,
                [&](long long n) { return one_way(bm::range(0, n), endless[2 * tx + i]); });
  stays_bounded(sm_90, one_warp, {0, 1, 1, 1}, 1, [&](long long n) {
    return one_way(bm::range(5, 5 + 3 * n, 3), endless[3 * tx + 33 * i]);
  });
  stays_bounded(sm_90, one_warp, {0, 1, 1, 32}, 1, [&](long long n) {
    return one_way(bm::range(4 * n, 0, -4), endless[32 * tx + i]);
  });
  stays_bounded(sm_90, {64, 4}, {0, 1, 8, 8}, 1,
                [&](long long n) { return one_way(bm::range(0, n), endless[tid + 256 * i]); });
  // Layers of two rows: a column of pairs is conflict-free if it begins in the first row of
  // words of a layer, and costs two passes if it begins in the second or crosses over.
  stays_bounded(sm_35, one_warp, {0, 2, 2, 3}, 3,
                [&](long long n) { return one_way(bm::range(0, n), endless[2 * tx + 32 * i]); });
  stays_bounded(sm_35, one_warp, {0, 1, 1, 2}, 1, [&](long long n) {
    return one_way(bm::range(0, n), endless[2 * tx + 32 + 64 * i]);
  });
}

TEST_CASE("a loop in the middle of others", "[bounded]") {
  stays_bounded(sm_90, one_warp, {0, 1, 12, 12 * 32}, 1, [&](long long n) {
    return bm::for_loop(
        j, bm::range(0, 4),
        bm::for_loop(i, bm::range(0, n),
                     bm::for_loop(k, bm::range(9, 0, -3), endless[32 * tx + i + 5 * j + k])));
  });
  stays_bounded(sm_90, one_warp, {0, 1, 5, 5 * 32}, 1, [&](long long n) {
    return bm::for_loop(i, bm::range(0, n), bm::for_loop(k, bm::powers(1, 32, 2), tile[tx][k]));
  });
  stays_bounded(sm_90, one_warp, {0, 1, 3, 1 + 2 + 4}, 3, [&](long long n) {
    return bm::for_loop(i, bm::range(0, n), bm::for_loop(k, bm::values(1, 2, 4), a[tx * k]));
  });
}

TEST_CASE("a filter that depends on one loop: each comparison", "[bounded]") {
  const auto filtered = [](const auto& condition) {
    return [=](long long n) {
      return bm::for_loop(i, bm::range(0, n), bm::if_threads(condition, a[2 * tx]));
    };
  };
  stays_bounded(sm_90, one_warp, {32, 1, 1, 2}, 33, filtered(tx < i));
  stays_bounded(sm_90, one_warp, {32, 1, 1, 2}, 33, filtered(tx <= i));
  stays_bounded(sm_90, one_warp, {32, 1, 0, 0}, 33, filtered(tx > i));
  stays_bounded(sm_90, one_warp, {32, 1, 0, 0}, 33, filtered(tx >= i));
  stays_bounded(sm_90, one_warp, {32, 1, 0, 0}, 33, filtered(tx == i));
  stays_bounded(sm_90, one_warp, {32, 1, 1, 2}, 33, filtered(tx != i));
  stays_bounded(sm_90, one_warp, {32, 1, 1, 2}, 33, filtered(!(tx >= i)));
  stays_bounded(sm_90, one_warp, {32, 1, 0, 0}, 65, filtered(tx > i && tx < i + 4));
  stays_bounded(sm_90, one_warp, {64, 1, 1, 2}, 65, filtered(tx < i || tx + i >= 40));
  stays_bounded(sm_90, one_warp, {64, 1, 1, 2}, 65, filtered(tx < i && tx < 2 * i));
  stays_bounded(sm_90, one_warp, {64, 1, 0, 0}, 65,
                filtered(tx == i || tx == i - 16 || i == 2 * tx));
  stays_bounded(sm_90, one_warp, {64, 1, 1, 2}, 65, filtered(!(tx == i || tx + 3 == i)));
  stays_bounded(sm_90, one_warp, {64, 1, 1, 2}, 65, filtered(tx < 40 && (i > tx || tx != 3)));
  stays_bounded(sm_90, one_warp, {64, 1, 1, 1}, 65, filtered(tx < 16 && i < thousand * max_trips));
  stays_bounded(sm_90, one_warp, {100, 1, 0, 0}, 65, filtered(3 * tx + 5 > 2 * i));
  // Downwards.
  stays_bounded(sm_90, one_warp, {65, 1, 1, 2}, 33, [](long long n) {
    return bm::for_loop(i, bm::range(20, 20 - 2 * n, -2), bm::if_threads(tx > i, a[2 * tx]));
  });
}

TEST_CASE("filters of many warps, in all of the thread's variables", "[bounded]") {
  const auto filtered = [](const auto& condition) {
    return [=](long long n) {
      return bm::for_loop(i, bm::range(0, n), bm::if_threads(condition, a[2 * tid]));
    };
  };
  const bm::block_dim flat{256}, solid{8, 4, 4}, ragged{33, 7};
  stays_bounded(sm_90, flat, {256, 1, 8, 16}, 33, filtered(tx < i));
  stays_bounded(sm_90, flat, {256, 1, 8, 16}, 33, filtered(tid < i));
  stays_bounded(sm_90, flat, {64, 1, 8, 16}, 33, filtered(lane < i));
  stays_bounded(sm_90, flat, {64, 1, 8, 16}, 33, filtered(warp <= i));
  stays_bounded(sm_90, flat, {64, 1, 0, 0}, 33, filtered(warp == i));
  stays_bounded(sm_90, flat, {300, 1, 0, 0}, 33, filtered(tid >= i + 3));
  stays_bounded(sm_90, flat, {300, 1, 8, 16}, 65, filtered(lane + warp < i));
  stays_bounded(sm_90, solid, {64, 1, 4, 8}, 65, filtered(tx + ty < i));
  stays_bounded(sm_90, solid, {64, 1, 0, 0}, 65, filtered(ty + tz >= i));
  stays_bounded(sm_90, solid, {64, 1, 4, 8}, 65, filtered(tz < i && ty < i));
  stays_bounded(sm_90, solid, {64, 1, 4, 8}, 65, filtered(ty * 2 != i && tx + tz != i));
  stays_bounded(sm_90, ragged, {300, 1, 8, 15}, 8 * 65, filtered(tx + ty < i));
  stays_bounded(sm_90, ragged, {300, 1, 8, 15}, 8 * 65, filtered(tid <= 2 * i || ty == i));
}

TEST_CASE("a filter that depends on two loops", "[bounded]") {
  stays_bounded(sm_90, one_warp, {64, 1, 9, 18}, 40, [](long long n) {
    return bm::for_loop(i, bm::range(0, n),
                        bm::for_loop(j, bm::range(0, 9), bm::if_threads(tx < i + j, a[2 * tx])));
  });
  stays_bounded(sm_90, one_warp, {200, 1, 9, 18}, 40, [](long long n) {
    return bm::for_loop(
        j, bm::range(0, 9),
        bm::for_loop(i, bm::range(0, n), bm::if_threads(tx + 4 * j <= i, a[2 * tx])));
  });
  // i < j + tx with both long: half of the pairs pass, and about 32 lane sets occur.
  const auto nest = [](long long n) {
    return bm::for_loop(i, bm::range(0, n),
                        bm::for_loop(j, bm::range(0, n), bm::if_threads(i < j + tx, a[2 * tx])));
  };
  const auto small = bm::detail::counted(sm_90.machine, one_warp, nest(40));
  CHECK(same(small.sum, plainly::total(sm_90, one_warp, nest(40))));
  CHECK(small.evaluated <= 33);
  for (const long long n : {1000ll, 1'000'000ll, 1'000'000'000ll}) {
    const auto large = bm::detail::counted(sm_90.machine, one_warp, nest(n));
    CHECK(large.evaluated == small.evaluated);
    CHECK(large.sum.method == bm::method::distinct_requests);
    // i - j < tx. From 31 on no lane passes, from 30 down to 0 the lanes i - j + 1 .. 31: 1 ..
    // 31 of them, more than 16 of which cost two passes; below 0 all. n - d pairs differ by d.
    unsigned long long requests = 0, wavefronts = 0;
    for (unsigned long long distance = 0; distance <= 30; ++distance) {
      requests += static_cast<unsigned long long>(n) - distance;
      wavefronts += (static_cast<unsigned long long>(n) - distance) * (31 - distance > 16 ? 2 : 1);
    }
    const auto pairs =
        static_cast<unsigned long long>(n) * static_cast<unsigned long long>(n - 1) / 2;
    CHECK(large.sum.requests == requests + pairs);
    CHECK(large.sum.wavefronts == wavefronts + 2 * pairs);
  }
}

TEST_CASE("two filters that depend on different loops: 528 lane sets in a warp", "[bounded]") {
  const auto nest = [](long long n) {
    return bm::for_loop(i, bm::range(0, n),
                        bm::if_threads(tx >= i, bm::for_loop(j, bm::range(0, n),
                                                             bm::if_threads(tx < j, a[2 * tx]))));
  };
  const auto small = bm::detail::counted(sm_90.machine, one_warp, nest(100));
  CHECK(same(small.sum, plainly::total(sm_90, one_warp, nest(100))));
  CHECK(small.evaluated <= 528);
  for (const long long n : {1000ll, 30'000'000ll, 4'000'000'000'000ll}) {
    const auto large = bm::detail::counted(sm_90.machine, one_warp, nest(n));
    CHECK(large.evaluated == small.evaluated);
    CHECK(large.sum.method == bm::method::distinct_requests);
    // For i = 0 .. 31 lanes i .. min(j, 32) - 1: 1 .. 31 - i of them while j grows, then 32 - i
    // for the rest of the loop.
    unsigned long long requests = 0, wavefronts = 0;
    const auto passes = [](unsigned long long lanes) { return lanes > 16 ? 2u : 1u; };
    for (unsigned long long first = 0; first < 32; ++first) {
      for (unsigned long long lanes = 1; lanes <= 31 - first; ++lanes)
        ++requests, wavefronts += passes(lanes);
      requests += static_cast<unsigned long long>(n) - 32;
      wavefronts += (static_cast<unsigned long long>(n) - 32) * passes(32 - first);
    }
    CHECK(large.sum.requests == requests);
    CHECK(large.sum.wavefronts == wavefronts);
  }
  // In one condition, and in two of one loop.
  stays_bounded(sm_90, one_warp, {64, 1, 4, 4}, 200, [](long long n) {
    return bm::for_loop(
        i, bm::range(0, 4),
        bm::for_loop(j, bm::range(0, n),
                     bm::if_threads(tx < 4 && (tx < i || tx == 2) && tx < j, a[2 * tx])));
  });
}

TEST_CASE("bounds that depend on the thread: lanes in lockstep", "[bounded]") {
  // Lane 0 runs longest. The active lanes are all, then 31, 30, .. 1: 16 of those cost two
  // passes.
  const auto ragged = [](long long n) { return bm::for_loop(i, bm::range(tx, n), a[2 * tx]); };
  const auto small = bm::detail::counted(sm_90.machine, one_warp, ragged(thousand));
  CHECK(same(small.sum, plainly::total(sm_90, one_warp, ragged(thousand))));
  CHECK(small.evaluated <= 33);
  for (const long long n : {thousand, 1'000'000ll, max_trips}) {
    const auto large = bm::detail::counted(sm_90.machine, one_warp, ragged(n));
    CHECK(large.evaluated == small.evaluated);
    CHECK(large.sum.method == bm::method::distinct_requests);
    CHECK(large.sum.requests == static_cast<unsigned long long>(n));
    CHECK(large.sum.conflicts() == static_cast<unsigned long long>(n - 16));
  }

  // A grid-stride loop of one block: the first n % 256 of 256 threads run once more.
  const auto strided = [](long long n) {
    return bm::for_loop(i, bm::range(tx, n, 256), endless[i]);
  };
  const bm::block_dim block{256};
  for (const long long n : {0ll, 1ll, 255ll, 256ll, 257ll, 1000ll, 1023ll})
    CHECK(same(bm::total(sm_90.machine, block, strided(n)),
               plainly::total(sm_90, block, strided(n))));
  const auto at_thousand = bm::detail::counted(sm_90.machine, block, strided(thousand));
  CHECK(at_thousand.evaluated <= 2);
  for (const long long n : {thousand, 1'000'000'007ll, max_trips, max_trips + 24}) {
    const auto large = bm::detail::counted(sm_90.machine, block, strided(n));
    CHECK(large.evaluated <= 2);  // whole warps, and the one in which n ends
    CHECK(large.sum.method == bm::method::distinct_requests);
    CHECK(large.sum.requests == static_cast<unsigned long long>((n + 31) / 32));
    CHECK(large.sum.conflicts() == 0);
  }

  // Inside a long loop, and with a long loop inside.
  stays_bounded(sm_90, one_warp, {0, 1, 31, 46}, 33, [](long long n) {
    return bm::for_loop(j, bm::range(0, n), bm::for_loop(i, bm::range(0, tx), a[2 * tx]));
  });
  stays_bounded(sm_90, one_warp, {0, 1, 31, 46}, 33, [](long long n) {
    return bm::for_loop(i, bm::range(0, tx), bm::for_loop(j, bm::range(0, n), a[2 * tx]));
  });
  stays_bounded(sm_90, {16, 4}, {64, 1, 2, 4}, 65,
                [](long long n) { return bm::for_loop(i, bm::range(ty + tx, n), a[2 * tid]); });
  stays_bounded(sm_90, {16, 4}, {64, 2, 2, 4}, 65,
                [](long long n) { return bm::for_loop(i, bm::range(n, tx, -2), a[2 * tid]); });
  stays_bounded(sm_90, {64}, {128, 64, 2, 4}, 65,
                [](long long n) { return bm::for_loop(i, bm::range(tid, n, 64), endless[2 * i]); });
}

TEST_CASE("triangular loops whose requests cost the same at every base", "[bounded]") {
  // 4 * 10^7 times as many: 10^15 iterations.
  const auto check = [](std::uint64_t most_evaluated, const auto& make, const auto& trips) {
    for (const long long n : {0, 1, 2, 5, 8, 9, 33}) {
      INFO("n = " << n);
      CHECK(same(bm::total(sm_90.machine, one_warp, make(n)),
                 plainly::total(sm_90, one_warp, make(n))));
    }
    const auto small = bm::detail::counted(sm_90.machine, one_warp, make(45));
    CHECK(same(small.sum, plainly::total(sm_90, one_warp, make(45))));
    CHECK(small.evaluated <= most_evaluated);
    for (const long long n : {1000ll, 45'000'001ll, 1'000'000'000ll}) {
      INFO("n = " << n);
      const auto large = bm::detail::counted(sm_90.machine, one_warp, make(n));
      CHECK(large.evaluated == small.evaluated);
      CHECK(large.sum.method == bm::method::distinct_requests);
      CHECK(large.sum.requests == trips(static_cast<unsigned long long>(n)));
      CHECK(large.sum.wavefronts == 2 * large.sum.requests);
    }
  };
  const auto nest = [](long long n, const auto& inner, const auto& access) {
    return bm::for_loop(i, bm::range(0, n), bm::for_loop(j, inner, access));
  };
  check(
      1, [&](long long n) { return nest(n, bm::range(0, i), a[2 * tx]); },
      [](auto n) { return n * (n - 1) / 2; });
  check(
      1, [&](long long n) { return nest(n, bm::range(0, i), endless[2 * tx + j]); },
      [](auto n) { return n * (n - 1) / 2; });
  check(
      1, [&](long long n) { return nest(n, bm::range(0, i), endless[2 * tx + 5 * i + 3 * j]); },
      [](auto n) { return n * (n - 1) / 2; });
  check(
      1, [&](long long n) { return nest(n, bm::range(i, n), a[2 * tx]); },
      [](auto n) { return n * (n + 1) / 2; });
  check(
      1, [&](long long n) { return nest(n, bm::range(i, n), endless[2 * tx + j]); },
      [](auto n) { return n * (n + 1) / 2; });
  check(
      1, [&](long long n) { return nest(n, bm::range(i + 1, n), a[2 * tx]); },
      [](auto n) { return n * (n - 1) / 2; });
  check(
      1, [&](long long n) { return nest(n, bm::range(i, -1, -1), a[2 * tx]); },
      [](auto n) { return n * (n + 1) / 2; });
  check(
      1, [&](long long n) { return nest(n, bm::range(0, i + i), a[2 * tx]); },
      [](auto n) { return n * (n - 1); });
  // Steps: i / 2 and i / 3, rounded up, for i = 0 .. n - 1; and the same backwards.
  const auto halves = [](auto n) { return n / 2 * ((n + 1) / 2); };  // 0 1 1 2 2 3 3 ..
  const auto thirds = [](auto n) {                                   // 0 1 1 1 2 2 2 3 ..
    const auto rounds = n == 0 ? 0 : (n - 1) / 3;
    return 3 * (rounds * (rounds + 1) / 2) + (n == 0 ? 0 : (n - 1 - 3 * rounds) * (rounds + 1));
  };
  check(1, [&](long long n) { return nest(n, bm::range(0, i, 2), a[2 * tx]); }, halves);
  check(1, [&](long long n) { return nest(n, bm::range(0, i, 3), a[2 * tx]); }, thirds);
  check(
      1, [&](long long n) { return nest(n, bm::range(i, n, 2), a[2 * tx]); },
      [&](auto n) { return halves(n + 1); });
  check(
      1, [&](long long n) { return nest(n, bm::range(i, n, 3), a[2 * tx]); },
      [&](auto n) { return thirds(n + 1); });
  // The same number of trips each time, from another start.
  check(
      1, [&](long long n) { return nest(n, bm::range(i, i + 8), a[2 * tx]); },
      [](auto n) { return 8 * n; });
  check(
      1, [&](long long n) { return nest(n, bm::range(i, i + 8), endless[2 * tx + j]); },
      [](auto n) { return 8 * n; });
  check(
      1,
      [&](long long n) { return nest(n, bm::range(3 * i, 3 * i + 8, 5), endless[2 * tx + j + i]); },
      [](auto n) { return 2 * n; });
  // With a loop around, between and inside.
  check(
      1,
      [&](long long n) {
        return bm::for_loop(k, bm::range(0, 3), nest(n, bm::range(0, i), a[2 * tx]));
      },
      [](auto n) { return 3 * (n * (n - 1) / 2); });
  check(
      1,
      [&](long long n) {
        return bm::for_loop(
            i, bm::range(0, n),
            bm::for_loop(k, bm::range(0, 3),
                         bm::for_loop(j, bm::range(0, i), endless[2 * tx + k + j])));
      },
      [](auto n) { return 3 * (n * (n - 1) / 2); });
  check(
      1,
      [&](long long n) {
        return nest(n, bm::range(0, i), bm::for_loop(k, bm::range(0, 3), endless[2 * tx + k + j]));
      },
      [](auto n) { return 3 * (n * (n - 1) / 2); });
}

TEST_CASE("triangular loops whose requests cost something else at other bases", "[bounded]") {
  const auto halves = bm::shared_array<short>("h", 1ll << 50);
  const auto check = [](const tested_machine& m, const auto& make) {
    for (const long long n : {0, 1, 2, 5, 33, 63, 64, 65, 130, 300}) {
      INFO("n = " << n);
      CHECK(same(bm::total(m.machine, one_warp, make(n)), plainly::total(m, one_warp, make(n))));
    }
    const auto small = bm::detail::counted(m.machine, one_warp, make(300)),
               large = bm::detail::counted(m.machine, one_warp, make(1'000'000'000));
    CHECK(large.evaluated == small.evaluated);
    CHECK(small.sum.method == bm::method::distinct_requests);
    CHECK(large.sum.method == bm::method::distinct_requests);
  };
  const auto nest = [](long long n, const auto& inner, const auto& access) {
    return bm::for_loop(i, bm::range(0, n), bm::for_loop(j, inner, access));
  };
  check(sm_35, [&](long long n) { return nest(n, bm::range(0, i), endless[2 * tx + j]); });
  check(sm_35,
        [&](long long n) { return nest(n, bm::range(i, n), endless[2 * tx + 5 * j + 7 * i]); });
  check(sm_35, [&](long long n) {
    return nest(n, bm::range(0, 3 * i + 1, 2),
                bm::if_threads(tx < j, endless[2 * tx + 16 * i + 7 * j]));
  });
  check(sm_35, [&](long long n) {
    return nest(n, bm::range(i, -1, -3),
                bm::for_loop(k, bm::range(0, 5), endless[2 * tx + 16 * j + 32 * k + 3 * i]));
  });
  check(sm_90, [&](long long n) { return nest(n, bm::range(0, i), halves[3 * tx + 2 * j + i]); });
  check(sm_90, [&](long long n) { return nest(n, bm::range(0, n - i, 5), halves[tx + i + j]); });
}

TEST_CASE("triangular loops and filters", "[bounded]") {
  const auto nest = [](long long n, const auto& condition) {
    return bm::for_loop(i, bm::range(0, n),
                        bm::for_loop(j, bm::range(0, i), bm::if_threads(condition, a[2 * tx])));
  };
  const auto check = [&](const auto& condition, const auto& wavefronts) {
    const auto small = bm::detail::counted(sm_90.machine, one_warp, nest(45, condition));
    CHECK(same(small.sum, plainly::total(sm_90, one_warp, nest(45, condition))));
    CHECK(small.evaluated <= 33);
    for (const long long n : {1000ll, 1'000'000'000ll}) {
      INFO("n = " << n);
      const auto large = bm::detail::counted(sm_90.machine, one_warp, nest(n, condition));
      CHECK(large.evaluated <= 33);
      CHECK(large.sum.method == bm::method::distinct_requests);
      CHECK(large.sum.wavefronts == wavefronts(static_cast<unsigned long long>(n)));
    }
  };
  // For i = 1 .. 31 i lanes, i times; then all of them.
  check(tx < i, [](auto n) {
    unsigned long long sum = 0;
    for (unsigned long long lanes = 1; lanes < 32; ++lanes) sum += lanes * (lanes > 16 ? 2 : 1);
    return sum + 2 * (n * (n - 1) / 2 - 31 * 32 / 2);
  });
  // j lanes for each i above j.
  check(tx < j, [](auto n) {
    unsigned long long sum = 0, pairs = n - 1;  // those of j = 0, which never pass
    for (unsigned long long lanes = 1; lanes < 32; ++lanes) {
      sum += (n - 1 - lanes) * (lanes > 16 ? 2 : 1);
      pairs += n - 1 - lanes;
    }
    return sum + 2 * (n * (n - 1) / 2 - pairs);
  });
}

TEST_CASE("powers of two are not enumerated: remainder, quotient, bits and shifts", "[bounded]") {
  const auto loop = [](const auto& access) {
    return [=](long long n) { return bm::for_loop(i, bm::range(0, n), access); };
  };
  stays_bounded(sm_90, one_warp, {0, 1, 1, 1}, 64, loop(a[(tx + i) % 64]));
  stays_bounded(sm_90, one_warp, {0, 1, 1, 32}, 32, loop(tile[tx][(ty + 2 * i) % 64]));
  stays_bounded(sm_90, one_warp, {0, 1, 1, 2}, 1, loop(endless[2 * tx + i / 4]));
  stays_bounded(sm_90, one_warp, {0, 1, 1, 1}, 1, loop(tile[i / 8 % 64][tx]));
  stays_bounded(sm_90, one_warp, {0, 1, 1, 1}, 1, loop(tile[i % 64][tx ^ (i % 64)]));
  stays_bounded(sm_90, one_warp, {0, 1, 1, 1}, 32, loop(tile[tx][tx ^ (i % 32)]));
  stays_bounded(sm_90, one_warp, {0, 1, 1, 1}, 64, loop(a[(tx + i) & 63]));
  stays_bounded(sm_90, one_warp, {0, 1, 1, 2}, 1, loop(a[2 * tx + (i >> 3 & 7) * 33]));
  stays_bounded(sm_90, one_warp, {0, 1, 1, 2}, 1, loop(a[2 * tx + (i << 1) % 64]));
  stays_bounded(sm_90, one_warp, {0, 1, 1, 1}, 64, loop(a[(i ^ tx) & 63]));
  stays_bounded(sm_90, one_warp, {0, 1, 1, 1}, 64, loop(endless[i ^ tx]));
  stays_bounded(sm_90, {32, 8}, {0, 1, 8, 8}, 64, loop(tile[ty + i % 4][(tx + i) % 32]));
  stays_bounded(sm_90, one_warp, {0, 1, 1, 1}, 1, loop(tile[(i | 3) % 64][tx]));
  stays_bounded(sm_35, one_warp, {0, 2, 2, 3}, 3, loop(a[2 * tx + i % 2 * 32]));
  stays_bounded(sm_35, one_warp, {0, 64, 64, 96}, 64, loop(a[2 * tx + i / 32 % 2 * 32]));
  // In conditions and bounds.
  stays_bounded(sm_90, one_warp, {0, 8, 7, 7}, 8, loop(bm::if_threads(tx < i % 8, a[2 * tx])));
  stays_bounded(sm_90, one_warp, {0, 2, 2, 2}, 2, loop(bm::if_threads(tx % 2 == i % 2, a[tx])));
  stays_bounded(sm_90, one_warp, {128, 1, 1, 2}, 4 * 33,
                loop(bm::if_threads(tx < i / 4, a[2 * tx])));
  stays_bounded(sm_90, one_warp, {0, 4, 6, 12}, 1,
                loop(bm::for_loop(j, bm::range(0, i % 4), a[2 * tx])));
}

TEST_CASE("warps with equal requests are evaluated once", "[bounded]") {
  const auto nest = bm::for_loop(i, bm::range(0, max_trips),
                                 bm::if_threads(lane < i, endless[2 * tx + 64 * ty + i]));
  for (int warps = 1; warps <= 32; ++warps) {
    INFO(warps << " warps");
    const auto count = [&](const bm::block_dim& block, const auto& access) {
      return bm::detail::counted(sm_90.machine, block, access);
    };
    const bm::block_dim line{32 * warps}, rows{32, warps}, half_rows{16, 2 * warps},
        planes{8, 4, warps};
    const auto times = static_cast<unsigned long long>(warps);
    for (const auto& block : {line, rows, half_rows, planes}) {
      CHECK(count(block, a[2 * tid]).evaluated == 1);
      CHECK(count(block, a[2 * tid]).sum.wavefronts == 2 * times);
    }
    CHECK(count(rows, nest).evaluated == count(one_warp, nest).evaluated);
    CHECK(count(rows, nest).sum.wavefronts == times * count(one_warp, nest).sum.wavefronts);
    CHECK(count(line, bm::if_threads(tx < 1000, a[tx])).evaluated <= 2);
    CHECK(count(rows, bm::if_threads(tx < ty, a[tx])).evaluated ==
          times - 1);  // 0 .. warps - 1 lanes
  }
}

TEST_CASE("blocks whose rows are not warps have one pattern for each start of a row", "[bounded]") {
  const auto evaluate = [&](const bm::block_dim& block) {
    const auto access = bm::for_loop(i, bm::range(0, max_trips), endless[tx + 100 * ty + i]);
    const auto result = bm::detail::counted(sm_90.machine, block, access);
    const auto single =
        plainly::total(sm_90, block, bm::for_loop(i, bm::range(0, 1), endless[tx + 100 * ty + i]));
    CHECK(result.sum.wavefronts == single.wavefronts * max_trips);
    CHECK(result.sum.method == bm::method::distinct_requests);
    return result.evaluated;
  };
  CHECK(evaluate({33, 31}) <= 32);  // 31 rows of 33: 31 starts, and the last warp
  CHECK(evaluate({48, 16}) <= 3);   // a row and a half
  CHECK(evaluate({48, 20}) <= 3);
  CHECK(evaluate({16, 64}) == 1);
  CHECK(evaluate({24, 32}) <= 3);
  CHECK(evaluate({40, 25}) <= 6);
}

TEST_CASE("nesting grows the work by one level at a time", "[bounded]") {
  // With layers of two rows each loop has residues of its own.
  const auto evaluate = [](const auto& access) {
    const auto result = bm::detail::counted(sm_35.machine, {32, 4}, access);
    CHECK(result.sum.method == bm::method::distinct_requests);
    return result.evaluated;
  };
  const auto access =
      endless[2 * tx + 7 * ty + i + 3 * j + 5 * k + 9 * l + 11 * bm::index::m + 13 * bm::index::n];
  const auto repeat = [](const auto& variable, const auto& body) {
    return bm::for_loop(variable, bm::range(0, 100), body);
  };
  const auto six = repeat(
      i, repeat(j, repeat(k, repeat(l, repeat(bm::index::m, repeat(bm::index::n, access))))));
  const auto five =
      repeat(i, repeat(j, repeat(k, repeat(l, repeat(bm::index::m,
                                                     endless[2 * tx + 7 * ty + i + 3 * j + 5 * k +
                                                             9 * l + 11 * bm::index::m])))));
  const auto four = repeat(
      i, repeat(j, repeat(k, repeat(l, endless[2 * tx + 7 * ty + i + 3 * j + 5 * k + 9 * l]))));
  const auto three = repeat(i, repeat(j, repeat(k, endless[2 * tx + 7 * ty + i + 3 * j + 5 * k])));
  const auto two = repeat(i, repeat(j, endless[2 * tx + 7 * ty + i + 3 * j]));
  const auto single = repeat(i, endless[2 * tx + 7 * ty + i]);
  const auto first = evaluate(single);
  CHECK(evaluate(two) <= 2 * first);
  CHECK(evaluate(three) <= 3 * first);
  CHECK(evaluate(four) <= 4 * first);
  CHECK(evaluate(five) <= 5 * first);
  CHECK(evaluate(six) <= 6 * first);
  const auto count = [&](const auto& body) {
    return bm::detail::counted(sm_35.machine, {32, 4}, body).sum;
  };
  CHECK(count(six).requests == 4'000'000'000'000ull);
  CHECK(count(repeat(bm::index::n, single)).wavefronts == 100 * count(single).wavefronts);
}

TEST_CASE("loops without a closed form are enumerated and reported so", "[bounded]") {
  const auto count = [](const auto& access) { return bm::total(sm_90.machine, one_warp, access); };
  CHECK(count(bm::for_loop(i, bm::range(0, 30), a[bm::min(tx, i * i / 7 % 64)])).method ==
        bm::method::each_request);
  CHECK(count(bm::for_loop(i, bm::range(0, 30), bm::for_loop(j, bm::range(0, 3), a[i * j * tx])))
            .method == bm::method::each_request);
  CHECK(count(bm::for_loop(i, bm::range(0, 32, tx + 1), endless[32 * i])).method ==
        bm::method::each_request);
  CHECK(count(a[tx * tx]).method == bm::method::distinct_requests);
}
