// SPDX-License-Identifier: MIT
// total() and wavefronts() of single requests with any addresses, against the oracle.
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/model/wavefronts.hpp>

#include "catch.hpp"
#include "machines.hpp"

#include <random>

namespace bm = bankmodel;

namespace {

class dice {
 public:
  explicit dice(unsigned seed) : random_(seed) {}
  long long uniform(long long low, long long high) {
    return std::uniform_int_distribution<long long>(low, high)(random_);
  }

 private:
  std::mt19937_64 random_;
};

// Addresses of many kinds: scattered, strided, pairs of lanes that agree, few distinct ones.
bm::request random_request(dice& roll, int lanes, int bytes) {
  bm::request r;
  r.bytes = bytes;
  r.kind = roll.uniform(0, 2) == 0 ? bm::access_kind::store : bm::access_kind::load;
  const auto kind = roll.uniform(0, 5), stride = roll.uniform(-70, 70),
             base = roll.uniform(0, 3000) + 70 * 64, range = 1ll << roll.uniform(0, 12);
  const int shared = static_cast<int>(roll.uniform(0, 3));
  for (int lane = 0; lane < lanes; ++lane) {
    const int source = kind == 1   ? lane & ~1
                       : kind == 2 ? lane & ~2
                       : kind == 3 ? lane >> shared
                                   : lane;
    const long long element = kind <= 3 ? base + stride * source : roll.uniform(0, range);
    r.address[lane] = element * (bytes == 12 ? 4 : bytes);
    if (roll.uniform(0, 9) != 0 || kind == 5) r.active |= std::uint64_t{1} << lane;
  }
  if (roll.uniform(0, 3) == 0)
    r.active &= roll.uniform(0, 1) == 0 ? 0x5555555555555555u : 0x3333333333333333u;
  if (roll.uniform(0, 9) == 0) r.active = 0;
  return r;
}

std::map<int, long long> active_addresses(const bm::request& r, int lanes) {
  std::map<int, long long> result;
  for (int lane = 0; lane < lanes; ++lane)
    if ((r.active >> lane & 1) != 0) result[lane] = r.address[lane];
  return result;
}

void require_equal(const bm::cost& a, const oracle::counts& b, const bm::request& r) {
  if (a.requests != b.requests || a.wavefronts != b.wavefronts || a.ideal != b.ideal ||
      a.degree != b.degree) {
    std::string addresses;
    for (int lane = 0; lane < 64; ++lane)
      if ((r.active >> lane & 1) != 0)
        addresses += " " + std::to_string(lane) + ":" + std::to_string(r.address[lane]);
    FAIL("bytes " << r.bytes << addresses << ": " << a.wavefronts << " / " << a.ideal << " / "
                  << a.degree << ", counted " << b.wavefronts << " / " << b.ideal << " / "
                  << b.degree);
  }
}

}  // namespace

TEST_CASE("requests with any addresses on the real machines", "[request]") {
  dice roll(20260803);
  for (int round = 0; round < 200000; ++round) {
    const auto& m = tested_machines[round % tested_machine_count];
    const int bytes = 1 << roll.uniform(0, 4);
    const auto r = random_request(roll, m.lanes, bytes);
    const auto expected =
        counted(m, active_addresses(r, m.lanes), bytes, r.kind == bm::access_kind::load);
    require_equal(bm::total(m.machine, r), expected, r);
    REQUIRE(bm::wavefronts(m.machine, r) == static_cast<int>(expected.wavefronts));
  }
}

TEST_CASE("user-defined machines: 64 lanes, phases that are not contiguous, other widths",
          "[request]") {
  // AMD's groups, hardware facts 5.2, lane by lane for the oracle and as parities for the
  // library.
  struct grouping {
    bm::lane_groups groups;
    std::vector<int> phase_of;
  };
  const auto grouped = [](bm::lane_groups groups, auto phase) {
    grouping result{groups, {}};
    for (int lane = 0; lane < 64; ++lane) result.phase_of.push_back(phase(lane));
    return result;
  };
  std::vector<int> x64(64), y64(64);
  const int x[4][8] = {{0, 1, 2, 3, 20, 21, 22, 23},
                       {4, 5, 6, 7, 16, 17, 18, 19},
                       {8, 9, 10, 11, 28, 29, 30, 31},
                       {12, 13, 14, 15, 24, 25, 26, 27}};
  const int y[2][16] = {{0, 1, 2, 3, 12, 13, 14, 15, 20, 21, 22, 23, 24, 25, 26, 27},
                        {4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19, 28, 29, 30, 31}};
  for (std::size_t half = 0; half < 2; ++half) {
    for (std::size_t p = 0; p < 4; ++p)
      for (const int lane : x[p])
        x64[static_cast<std::size_t>(lane) + 32 * half] = static_cast<int>(p + 4 * half);
    for (std::size_t p = 0; p < 2; ++p)
      for (const int lane : y[p])
        y64[static_cast<std::size_t>(lane) + 32 * half] = static_cast<int>(p + 2 * half);
  }
  const grouping groupings[] = {grouped({}, [](int) { return 0; }),
                                grouped({32}, [](int lane) { return lane / 32; }),
                                grouped({16, 32}, [](int lane) { return lane / 16; }),
                                grouped({8, 16, 32}, [](int lane) { return lane / 8; }),
                                {{20, 8, 32}, x64},
                                {{28, 32}, y64}};
  // The parities give exactly those groups, in any order.
  for (const auto& g : groupings)
    for (int a = 0; a < 64; ++a)
      for (int b = 0; b < 64; ++b) {
        bool is_common = false;
        for (int phase = 0; phase < 1 << g.groups.bits(); ++phase)
          is_common = is_common || ((g.groups.lanes_of(phase) >> a & 1) != 0 &&
                                    (g.groups.lanes_of(phase) >> b & 1) != 0);
        REQUIRE(is_common == (g.phase_of[static_cast<std::size_t>(a)] ==
                              g.phase_of[static_cast<std::size_t>(b)]));
      }

  dice roll(20260804);
  for (int round = 0; round < 60000; ++round) {
    const auto& g = groupings[round % 6];
    const auto bank_num = static_cast<short>(1 << roll.uniform(3, 6)),
               W = static_cast<short>(1 << roll.uniform(2, 4)),
               N = static_cast<short>(W >> roll.uniform(0, 2));
    bm::machine m;
    m.lanes = 64;
    const bm::service rules{.bank_num = bank_num, .W = W, .N = N, .phases = g.groups};
    m.loads = m.stores = {rules, rules, rules, rules};
    const int widths[] = {1, 2, 4, 8, 12, 16};
    const int bytes = widths[roll.uniform(0, 5)];
    const auto r = random_request(roll, 64, bytes);
    require_equal(
        bm::total(m, r),
        oracle::request({bank_num, W, N}, g.phase_of, false, active_addresses(r, 64), bytes), r);
  }
}

// progression.hpp against count_passes(), which does not use it: on every real machine, and on
// user-defined machines with banks, words and phases of each kind, including those without a closed
// form.
TEST_CASE("the closed form of lanes with a constant stride equals counting", "[request]") {
  dice roll(20261122);
  long long cases = 0, in_closed_form = 0;
  const auto compare = [&](const bm::machine& m, int bytes, long long base, long long stride,
                           std::uint64_t active) {
    bm::request r{.active = active, .bytes = bytes};
    for (const bm::access_kind kind :
         {bm::access_kind::load, bm::access_kind::store, bm::access_kind::atomic}) {
      if (!m.has(bytes, kind)) continue;
      r.kind = kind;
      const long long unit = bytes == 12 ? 4 : bytes,
                      first = stride < 0 ? base - stride * (m.lanes - 1) : base;
      for (int lane = 0; lane < m.lanes; ++lane) r.address[lane] = (first + lane * stride) * unit;
      const bm::cost expected = bm::detail::count_passes(m, m.served(bytes, kind),
                                                         m.banks(bytes, kind), r),
                     result = bm::total(m, r);
      if (result != expected)
        FAIL(m.model << ", " << m.lanes << " lanes of " << bytes << " bytes, base " << base
                     << ", stride " << stride << ": " << result.wavefronts << " / " << result.degree
                     << ", counted " << expected.wavefronts << " / " << expected.degree);
      bm::cost ignored;
      in_closed_form +=
          bm::detail::cost_of_progression(m, m.served(bytes, kind), r, ignored) ? 1 : 0;
      ++cases;
    }
  };
  for (const int bytes : {1, 2, 4, 8, 12, 16})
    for (const bm::machine& m :
         {bm::nvidia::sm_10, bm::nvidia::sm_20, bm::nvidia::sm_35,
          bm::nvidia::sm_35.with_bank_width(8), bm::nvidia::sm_75, bm::nvidia::sm_90,
          bm::amd::gfx90a, bm::amd::gfx950, bm::amd::gfx1100, bm::amd::gfx1250, bm::amd::gfx600})
      for (long long stride = -140; stride <= 140; ++stride)
        for (const long long base : {0, 1, 7, 33})
          compare(m, bytes, base, stride, ~std::uint64_t{0} >> (64 - m.lanes));

  const bm::lane_groups groupings[] = {{},          {16},       {8, 16}, {32},        {16, 32},
                                       {8, 16, 32}, {4, 8, 16}, {16, 8}, {20, 8, 32}, {6}};
  for (int round = 0; round < 60000; ++round) {
    bm::machine m;
    const int lanes[] = {32, 64, 32, 64, 16, 12, 2};
    m.lanes = lanes[roll.uniform(0, 6)];
    const auto N = static_cast<short>(1 << roll.uniform(0, 5));
    const auto W = static_cast<short>(roll.uniform(0, 2) == 0 ? N << roll.uniform(1, 3) : N);
    const bm::service rules{.bank_num = static_cast<short>(1 << roll.uniform(0, 8)),
                            .W = W,
                            .N = N,
                            .phases = groupings[roll.uniform(0, 9)],
                            .phases_overlap = roll.uniform(0, 9) == 0};
    m.loads = m.stores = {rules, rules, rules, rules};
    m.special.atomics_4 = m.special.atomics_8 = rules;
    m.special.atomics_4.serves = bm::serving::by_lane;
    m.merges_loads = roll.uniform(0, 1) == 0 ? bm::merging::pairs : bm::merging::none;
    const std::uint64_t active = ~std::uint64_t{0} >> (64 - m.lanes);
    const long long scale = 1ll << roll.uniform(0, 42);
    compare(m, 1 << roll.uniform(0, 4), roll.uniform(0, scale),
            roll.uniform(0, 9) == 0 ? 0 : roll.uniform(-scale, scale),
            roll.uniform(0, 4) == 0 ? active >> 1 : active);
  }
  CHECK(cases > 290000);
  CHECK(in_closed_form > 90000);
}

TEST_CASE("lanes that leave a constant stride are seen, whichever they are", "[request]") {
  // One lane, every second one to the end of its 16, or all from that lane on.
  const auto leaves = [](int kind, int begin, int lane) {
    return kind == 0   ? lane == begin
           : kind == 1 ? lane >= begin && (lane - begin) % 2 == 0 && lane / 16 == begin / 16
                       : lane >= begin && begin > 0;
  };
  for (const bm::machine& m : {bm::nvidia::sm_90, bm::nvidia::sm_35, bm::amd::gfx90a})
    for (const int bytes : {1, 4, 8})
      for (const long long stride : {0, 1, 2, -3, 32})
        for (int first = 0; first < m.lanes; ++first)
          for (const long long away : {-32, -1, 1, 2, 64})
            for (const int kind : {0, 1, 2}) {
              if (kind == 2 && first == 0) continue;
              bm::request r{.active = ~std::uint64_t{0} >> (64 - m.lanes), .bytes = bytes};
              for (int lane = 0; lane < m.lanes; ++lane)
                r.address[lane] =
                    (1000 + lane * stride + (leaves(kind, first, lane) ? away : 0)) * bytes;
              bm::cost ignored;
              if (bm::detail::cost_of_progression(m, m.served(bytes, r.kind), r, ignored))
                FAIL(m.model << ", stride " << stride << ", from lane " << first << ", kind "
                             << kind);
            }
}

TEST_CASE("the forum's 128-bit loads: 32 wavefronts each in the bad layout, 4 in the good one",
          "[request]") {
  bm::request r{.active = 0xffffffff, .bytes = 16};
  for (int lane = 0; lane < 32; ++lane) r.address[lane] = 128 * lane;
  CHECK(bm::total(bm::nvidia::sm_75, r).wavefronts == 32);
  CHECK(bm::total(bm::nvidia::sm_75, r).conflicts() == 28);
  for (int lane = 0; lane < 32; ++lane) r.address[lane] = 16 * lane;
  CHECK(bm::total(bm::nvidia::sm_75, r).wavefronts == 4);
  CHECK(bm::total(bm::nvidia::sm_75, r).conflicts() == 0);
}

TEST_CASE("phases of loads merge in pairs, those of stores do not", "[request]") {
  bm::request r{.active = 0xffffffff, .bytes = 16};
  for (int lane = 0; lane < 32; ++lane) r.address[lane] = 16 * (lane / 2);
  CHECK(bm::wavefronts(bm::nvidia::sm_75, r) == 2);
  r.kind = bm::access_kind::store;
  CHECK(bm::wavefronts(bm::nvidia::sm_75, r) == 4);
  // Half of the warp agreeing at distance 1 and half at distance 2 is not enough (hardware
  // facts 2.4).
  r.kind = bm::access_kind::load;
  for (int lane = 16; lane < 32; ++lane) r.address[lane] = 16 * (lane & ~2);
  CHECK(bm::wavefronts(bm::nvidia::sm_75, r) == 4);
  // Odd lanes off: ideal is 2, since the phases could merge.
  for (int lane = 0; lane < 32; ++lane) r.address[lane] = 16 * lane;
  r.active = 0x55555555;
  CHECK(bm::total(bm::nvidia::sm_75, r).ideal == 2);
}
