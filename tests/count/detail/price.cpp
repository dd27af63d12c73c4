// SPDX-License-Identifier: MIT
// Requests of the same lanes counted by the residues of their bases, against the oracle for each
// request: every small geometry and the real machines, with random lanes and nests.
#include <bankmodel/count/price_at_all_bases.hpp>

#include "catch.hpp"
#include "machines.hpp"

#include <algorithm>
#include <random>
#include <string>

namespace bm = bankmodel;
using bm::progression;
using bm::detail::lane_pattern;
using bm::detail::price;
using bm::detail::price_at_all_bases;

namespace {

struct counted_machine {
  tested_machine tested;
  int bytes, element_bytes;
};

// Lanes and the distance of each from the base.
struct pattern {
  std::uint64_t active = 0;
  long long relative[bm::max_lanes] = {};
};

tested_machine small_machine(short bank_num, short W, short N) {
  bm::machine m;
  m.lanes = 6;
  m.loads.up_to_4 = {.bank_num = bank_num, .W = W, .N = N};
  return {m, m.lanes, {bank_num, W, N}, false};
}

std::vector<counted_machine> all_machines() {
  std::vector<counted_machine> result;
  for (short bank_num = 1; bank_num <= 8; bank_num = static_cast<short>(bank_num * 2))
    for (short W = 1; W <= 8; W = static_cast<short>(W * 2))
      for (short N = 1; N <= W; N = static_cast<short>(N * 2))
        for (const int bytes : {1, 2, 4}) {
          result.push_back({small_machine(bank_num, W, N), bytes, bytes});
          if (bytes == 4) result.push_back({small_machine(bank_num, W, N), bytes, 1});
        }
  for (const auto& m : tested_machines)
    for (const int bytes : {1, 4, 8, 16}) result.push_back({m, bytes, bytes == 16 ? 4 : bytes});
  return result;
}

oracle::counts of_one(const counted_machine& m, const pattern& p, long long base) {
  std::map<int, long long> address;
  for (int lane = 0; lane < m.tested.lanes; ++lane)
    if ((p.active >> lane & 1) != 0) address[lane] = base + p.relative[lane];
  if (m.tested.lanes == 32) return counted(m.tested, address, m.bytes, true);
  return oracle::request(m.tested.banks, std::vector<int>(bm::max_lanes, 0), false, address,
                         m.bytes);
}

void add(oracle::counts& sum, const oracle::counts& part, unsigned long long times) {
  sum.requests += part.requests * times;
  sum.wavefronts += part.wavefronts * times;
  sum.ideal += part.ideal * times;
  sum.degree = std::max(sum.degree, part.degree);
}

void add_nest(oracle::counts& sum, const counted_machine& m, const pattern& p, long long base,
              const progression* nest, int depth, unsigned long long times) {
  if (depth == 0) return add(sum, of_one(m, p, base), times);
  for (long long trip = 0; trip < nest->trips; ++trip)
    add_nest(sum, m, p, base + trip * nest->step, nest + 1, depth - 1, times);
}

bool same(const bm::cost& a, const oracle::counts& b) {
  return a.requests == b.requests && a.wavefronts == b.wavefronts && a.ideal == b.ideal &&
         a.degree == b.degree;
}

std::string text(const counted_machine& m) {
  const auto& b = m.tested.banks;
  return std::to_string(b.bank_num) + " banks, W " + std::to_string(b.W) + ", N " +
         std::to_string(b.N) + ", " + std::to_string(m.bytes) + " bytes of elements of " +
         std::to_string(m.element_bytes);
}

price counter(const counted_machine& m) {
  return {m.tested.machine, m.bytes, bm::access_kind::load, m.element_bytes};
}

// One by one, or as a line if they are one.
lane_pattern lanes_of(const pattern& p) {
  lane_pattern result;
  result.active = p.active;
  result.in_line = false;
  std::copy(p.relative, p.relative + bm::max_lanes, result.offset);
  return result;
}
lane_pattern line_of(std::uint64_t active, long long stride) {
  lane_pattern result;
  result.active = active;
  result.in_line = true;
  result.stride = stride;
  return result;
}

class generator {
 public:
  explicit generator(const counted_machine& machine) : m_(machine), random_(seed++) {}
  int draw(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  // a multiple of the access
  long long bytes(int limit) { return static_cast<long long>(draw(2 * limit) - limit) * m_.bytes; }
  pattern lanes() {
    pattern p;
    do p.active = random_() & random_() >> draw(20);
    while ((p.active << (bm::max_lanes - m_.tested.lanes)) == 0);
    p.active = p.active << (bm::max_lanes - m_.tested.lanes) >> (bm::max_lanes - m_.tested.lanes);
    const int kind = draw(3);
    const long long stride = bytes(20);
    for (int lane = 0; lane < m_.tested.lanes; ++lane)
      p.relative[lane] = kind == 0 ? bytes(100) : kind == 1 ? stride * lane : stride * (lane / 2);
    return p;
  }

 private:
  static inline unsigned seed = 1;
  const counted_machine& m_;
  std::mt19937_64 random_;
};

}  // namespace

TEST_CASE("nests of requests, convolved and one by one", "[price]") {
  for (const auto& m : all_machines()) {
    generator random(m);
    for (int trial = 0; trial < 40; ++trial) {
      auto total = counter(m);
      oracle::counts expected;
      REQUIRE(total.residues() > 0);
      pattern p;
      for (int shapes = 1 + random.draw(3); shapes > 0; --shapes) {
        const auto previous = p.active;
        p = random.lanes();
        // the same lanes at other distances
        if (previous != 0 && random.draw(2) == 0) p.active = previous;
        for (int nests = 1 + random.draw(3); nests > 0; --nests) {
          const long long base = random.bytes(1000);
          const auto times = static_cast<unsigned long long>(1 + random.draw(3));
          const int depth = random.draw(4);
          progression nest[3];
          for (auto& loop : nest)
            loop = {random.bytes(40), 1 + random.draw(depth == 1 ? 100 : depth == 2 ? 16 : 6)};
          total.add(lanes_of(p), base, nest, depth, times);
          add_nest(expected, m, p, base, nest, depth, times);
        }
      }
      if (!same(total.sum(), expected)) FAIL(text(m) << ", trial " << trial);
      if (!same(total.sum(), expected)) FAIL(text(m) << ", trial " << trial << ": asked twice");
    }
  }
  SUCCEED();
}

TEST_CASE("nests too long to count one by one", "[price]") {
  constexpr long long rounds = 1'000'000'000'000;
  for (const auto& m : all_machines()) {
    generator random(m);
    for (int trial = 0; trial < 10; ++trial) {
      const auto p = random.lanes();
      const long long base = random.bytes(1000), step = random.bytes(300);
      // The residues of a loop repeat after a layer of all banks.
      const long long round = m.tested.banks.bank_num * m.tested.banks.W,
                      rest = random.draw(static_cast<int>(round) + 2);
      auto total = counter(m), some = counter(m), of_round = counter(m);
      const progression long_one{step, rounds * round + rest}, short_one{step, rest},
          one_round{step, round};
      total.add(lanes_of(p), base, &long_one, 1, 1);
      if (rest > 0) some.add(lanes_of(p), base, &short_one, 1, 1);
      of_round.add(lanes_of(p), base, &one_round, 1, 1);
      const auto short_sum = some.sum(), round_sum = of_round.sum(), long_sum = total.sum();
      oracle::counts expected;
      add_nest(expected, m, p, base, &one_round, 1, 1);
      const bool right =
          same(round_sum, expected) &&
          long_sum.requests == short_sum.requests + round_sum.requests * rounds &&
          long_sum.ideal == short_sum.ideal + round_sum.ideal * rounds &&
          long_sum.wavefronts == short_sum.wavefronts + round_sum.wavefronts * rounds &&
          long_sum.degree == round_sum.degree;
      if (!right) FAIL(text(m) << ", trial " << trial);
    }
  }
  SUCCEED();
}

TEST_CASE("requests at all bases of a layer, and each residue evaluated once", "[price]") {
  for (const auto& m : all_machines()) {
    generator random(m);
    const auto p = random.lanes();
    auto total = counter(m);
    oracle::counts expected;
    const long long layers = 2 * m.tested.banks.bank_num * m.tested.banks.W;
    for (long long base = -layers; base < layers; base += m.bytes) {
      total.add(lanes_of(p), base, nullptr, 0, 3);  // no other pattern
      add(expected, of_one(m, p, base), 3);
    }
    CHECK(same(total.sum(), expected));
    CHECK(total.evaluated() <= static_cast<unsigned>(total.residues()));
  }
}

TEST_CASE("lanes in a line and one by one, in turn, at one base and at all", "[price]") {
  int machines = 0;
  for (const auto& m : all_machines()) {
    ++machines;
    generator random(m);
    for (int trial = 0; trial < 20; ++trial) {
      auto total = counter(m);
      std::uint64_t sums[price::most_residues];
      price_at_all_bases everywhere(m.tested.machine, m.bytes, bm::access_kind::load,
                                    m.element_bytes, sums);
      std::vector<oracle::counts> expected(static_cast<std::size_t>(total.residues()));
      for (int shapes = 1 + random.draw(5); shapes > 0; --shapes) {
        auto p = random.lanes();
        const bool in_line = random.draw(3) != 0;
        const long long stride = random.bytes(random.draw(2) == 0 ? 6 : 70),
                        base = random.bytes(1000);
        if (in_line) {
          if (random.draw(3) != 0)
            p.active = ~std::uint64_t{0} >> (bm::max_lanes - 1 - random.draw(m.tested.lanes));
          const int low = bm::detail::trailing_zeros(p.active);
          for (int lane = 0; lane < m.tested.lanes; ++lane)
            p.relative[lane] = stride * (lane - low);
        }
        const progression loop{random.bytes(50), 1 + random.draw(9)};
        const int depth = random.draw(2);
        const auto lanes = in_line ? line_of(p.active, stride) : lanes_of(p);
        total.add(lanes, base, &loop, depth, 3);
        everywhere.taker().add(lanes, base, &loop, depth, 3);
        for (int r = 0; r < total.residues(); ++r)
          if (r * m.element_bytes % m.bytes == 0)
            add_nest(expected[static_cast<std::size_t>(r)], m, p, base + r * m.element_bytes, &loop,
                     depth, 3);
      }
      if (!same(total.sum(), expected[0]) || !same(everywhere.sum_and_all(), expected[0]))
        FAIL(text(m) << ", trial " << trial);
      for (int r = 0; r < total.residues(); ++r)
        if (r * m.element_bytes % m.bytes == 0 &&
            sums[r] != expected[static_cast<std::size_t>(r)].wavefronts)
          FAIL(text(m) << ", trial " << trial << ", " << r << " elements further");
    }
  }
  CHECK(machines > 100);
}

TEST_CASE("counts up to 2^64 - 1", "[price]") {
  const auto refused = [](const auto& call) {
    try {
      call();
    } catch (const bm::error& e) {
      return e.rule() == std::string("counts_must_fit_in_64_bits");
    }
    return false;
  };
  const counted_machine m{tested_machines[0], 4, 4};
  constexpr auto maximum = ~std::uint64_t{0};
  const auto full = line_of(0xffffffff, 4), column = line_of(0xffffffff, 128);  // 1 pass, 32 passes
  {
    auto total = counter(m);
    total.add(full, 0, nullptr, 0, maximum);
    CHECK(total.sum().wavefronts == maximum);
    CHECK(refused([&] { total.add(full, 0, nullptr, 0, 1); }));
  }
  {
    auto total = counter(m), other = counter(m);
    CHECK(refused([&] { other.add(column, 0, nullptr, 0, 1ull << 59); }));
    total.add(column, 0, nullptr, 0, (1ull << 40) - 1);
    total.add(full, 0, nullptr, 0, maximum - 32 * ((1ull << 40) - 1));
    CHECK(total.sum().wavefronts == maximum);
  }
  const counted_machine two_rows{tested_machines[1], 4, 4};
  for (const auto& machine : {m, two_rows}) {
    auto total = counter(machine);
    pattern p;
    p.active = 1;
    const progression nest[2] = {{4, 0xffffffff}, {12, 0x100000001}};
    total.add(lanes_of(p), 0, nest, 2, 1);
    CHECK(total.sum().wavefronts == maximum);
    CHECK(refused([&] {
      total.add(lanes_of(p), 0, nullptr, 0, 1);
      (void)total.sum();
    }));
    CHECK(refused([&] { total.add(lanes_of(p), 0, nest, 2, 2); }));
  }
}

TEST_CASE("too many residues to keep, or rows of words in a layer", "[price]") {
  const auto fits = [](short bank_num, short W, short N, int bytes) {
    return counter({small_machine(bank_num, W, N), bytes, bytes}).residues() != 0;
  };
  CHECK(fits(64, 16, 4, 4));
  CHECK_FALSE(fits(64, 16, 4, 2));
  CHECK_FALSE(fits(128, 16, 4, 4));
  CHECK(fits(4, 64, 4, 1));
  CHECK_FALSE(fits(4, 128, 4, 4));
  CHECK(fits(256, 256, 256, 1));
  CHECK_FALSE(fits(256, 512, 512, 1));
  CHECK(counter({small_machine(128, 16, 4), 4, 4}).residues() == 0);
}
