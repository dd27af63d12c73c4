// SPDX-License-Identifier: MIT
// traffic() of single requests: whole small domains against the oracle, and numbers of the guide,
// the lecture and the report.
#include <bankmodel/global/transactions.hpp>

#include "catch.hpp"
#include "global_machines.hpp"

#include <random>

namespace bm = bankmodel;

namespace {

bm::request request_of(int bytes, std::uint64_t active, bool load, const auto& address) {
  bm::request r{.active = active, .bytes = bytes};
  r.kind = load ? bm::access_kind::load : bm::access_kind::store;
  for (int lane = 0; lane < bm::max_lanes; ++lane)
    r.address[lane] = (active >> lane & 1) != 0 ? address(lane) : -1;
  return r;
}

global_oracle::moved expected(const global_machine& m, const bm::request& r) {
  global_oracle::addresses lanes;
  for (int lane = 0; lane < bm::max_lanes; ++lane)
    if ((r.active >> lane & 1) != 0) lanes[lane] = r.address[lane];
  return global_oracle::request(m.memory, lanes, r.bytes, r.kind != bm::access_kind::store);
}

// Compares the library with the oracle.
void compare(const global_machine& m, const bm::request& r) {
  const bm::memory_traffic fast = bm::traffic(m.machine, r), slow = traffic_of(expected(m, r));
  if (fast == slow) return;
  std::string lanes;
  for (int lane = 0; lane < bm::max_lanes; ++lane)
    if ((r.active >> lane & 1) != 0)
      lanes += " " + std::to_string(lane) + ":" + std::to_string(r.address[lane]);
  FAIL(m.name << ", " << (r.kind == bm::access_kind::load ? "load" : "store") << " of " << r.bytes
              << " bytes: traffic() says " << text(fast) << "; the oracle " << text(slow)
              << "; lanes" << lanes);
}

std::uint64_t all_lanes(const global_machine& m) {
  return ~std::uint64_t{0} >> (bm::max_lanes - m.machine.lanes);
}

bool is_width(const global_machine& m, int bytes) {
  return bytes == 12 ? m.has_12_bytes : (bytes & (bytes - 1)) == 0;
}

// Calls visit(machine, bytes, is a load) for each machine and each size of an access. Loads and
// stores differ where lines are loaded.
void each_access(const auto& visit) {
  for (const global_machine& m : global_machines)
    for (const int bytes : {1, 2, 4, 8, 12, 16}) {
      if (!is_width(m, bytes)) continue;
      visit(m, bytes, true);
      if (m.memory.rule == global_oracle::sharing::of_2_0) visit(m, bytes, false);
    }
}

}  // namespace

TEST_CASE("lanes with any stride from any byte of a line, all of them or some", "[global]") {
  each_access([](const global_machine& m, int bytes, bool load) {
    const std::uint64_t full_mask = all_lanes(m);
    const int unit = bytes == 12 ? 4 : bytes;
    for (int stride = -40; stride <= 40; stride += m.is_like_another ? 5 : 1)
      for (long long offset = 0; offset < m.machine.global.line_bytes; offset += unit) {
        const auto address = [&](int lane) { return 65536 + offset + stride * lane * unit; };
        for (const std::uint64_t active :
             {full_mask, full_mask & 0xaaaaaaaaaaaaaaaa, full_mask & 0x3ffc0001ffe0f00f})
          if (active != 0) compare(m, request_of(bytes, active, load, address));
      }
  });
}

TEST_CASE("the first lanes of a warp, the last ones, and every third one", "[global]") {
  each_access([](const global_machine& m, int bytes, bool load) {
    const int unit = bytes == 12 ? 4 : bytes;
    for (const int stride : {-33, -4, -2, -1, 0, 1, 2, 3, 9})
      for (const long long offset : {0, 1, 2, 15, 16}) {
        if (m.is_like_another && offset > 1) continue;
        const auto address = [&](int lane) { return 65536 + offset * unit + stride * lane * unit; };
        for (int lanes = 1; lanes <= m.machine.lanes; ++lanes) {
          const std::uint64_t first = ~std::uint64_t{0} >> (bm::max_lanes - lanes),
                              last = first << (m.machine.lanes - lanes),
                              third = first & 0x9249249249249249;
          for (const std::uint64_t active : {first, last, third})
            compare(m, request_of(bytes, active, load, address));
        }
      }
  });
}

TEST_CASE("any addresses, scattered over few lines or many", "[global]") {
  std::mt19937_64 random(15);
  each_access([&](const global_machine& m, int bytes, bool load) {
    const long long unit = bytes == 12 ? 4 : bytes;
    for (int trial = 0; trial < 3000; ++trial) {
      const auto places = 1ull << random() % (trial % 8 == 0 ? 40 : 12);
      std::uint64_t active = random() & all_lanes(m);
      if (trial % 3 == 0) active &= random();
      const bool in_order = trial % 5 == 0;  // but for a few lanes
      const auto base = static_cast<long long>(random() % places) & -16;
      compare(m, request_of(bytes, active, load, [&](int lane) {
                const auto place = static_cast<long long>(random() % places);
                return unit * (in_order && random() % 32 != 0 ? base + lane : place);
              }));
    }
  });
}

TEST_CASE("lanes that exchange their words", "[global]") {
  each_access([&](const global_machine& m, int bytes, bool load) {
    const long long unit = bytes == 12 ? 4 : bytes;
    for (int mask = 0; mask < m.machine.lanes; ++mask)
      for (const int shift : {0, 1, 5})
        for (const long long base : {0, 1, 4, 8, 16})
          compare(m, request_of(bytes, all_lanes(m), load, [&](int lane) {
                    return unit * (base + ((lane + shift) % m.machine.lanes ^ mask));
                  }));
  });
}

// Figure F-1 of the CUDA C Programming Guide 4.2: 4 bytes for each of 32 lanes.
TEST_CASE("the examples of the guide", "[global]") {
  const auto count_traffic = [](const bm::machine& m, const auto& address) {
    const auto sum = bm::traffic(m, request_of(4, 0xffffffff, true, address));
    return std::pair(sum.transactions, sum.bytes_moved);
  };
  using numbers = std::pair<std::uint64_t, std::uint64_t>;
  const auto aligned = [](int lane) { return 128 + 4 * lane; };
  CHECK(count_traffic(bm::nvidia::sm_10, aligned) == numbers{2, 2 * 64});
  CHECK(count_traffic(bm::nvidia::sm_13, aligned) == numbers{2, 2 * 64});
  CHECK(count_traffic(bm::nvidia::sm_20, aligned) == numbers{1, 128});
  CHECK(count_traffic(bm::nvidia::sm_35, aligned) ==
        numbers{4, 4 * 32});  // as 2.x without the first cache
  // two lanes of a half-warp exchange their words
  const auto exchanged = [](int lane) {
    return 128 + 4 * (lane % 16 == 6 || lane % 16 == 7 ? lane ^ 1 : lane);
  };
  CHECK(count_traffic(bm::nvidia::sm_10, exchanged) == numbers{32, 32 * 32});
  CHECK(count_traffic(bm::nvidia::sm_13, exchanged) == numbers{2, 2 * 64});
  CHECK(count_traffic(bm::nvidia::sm_20, exchanged) == numbers{1, 128});
  CHECK(count_traffic(bm::nvidia::sm_35, exchanged) == numbers{4, 4 * 32});
  const auto misaligned = [](int lane) { return 132 + 4 * lane; };
  CHECK(count_traffic(bm::nvidia::sm_10, misaligned) == numbers{32, 32 * 32});
  CHECK(count_traffic(bm::nvidia::sm_13, misaligned) == numbers{3, 128 + 64 + 32});
  CHECK(count_traffic(bm::nvidia::sm_20, misaligned) == numbers{2, 2 * 128});
  CHECK(count_traffic(bm::nvidia::sm_35, misaligned) == numbers{5, 5 * 32});
}

// The lecture's transposes (papers/001) on a K40, 3.5: warps read and write rows of float, but the
// naive one writes a column of float out[][8192].
TEST_CASE("the requests of the lecture's transposes", "[global]") {
  const auto count_traffic = [](const auto& address) {
    return bm::traffic(bm::nvidia::sm_35, request_of(4, 0xffffffff, false, address));
  };
  CHECK(count_traffic([](int lane) { return 4 * lane; }).transactions == 4);
  CHECK(count_traffic([](int lane) { return 4 * 8192 * lane; }).transactions == 32);
}

// Figure 1 of the report (papers/002): four lanes, segments of four positions of 16 bytes. Places
// 8, 9, 10 and 11 are of one segment, 9, 103, 23 and 67 of four.
TEST_CASE("the segments of the report's irregular reference", "[global]") {
  const bm::machine m = own_global_machine(4, {.sector_bytes = 64, .line_bytes = 64});
  const auto count_traffic = [&](const int(&place)[4]) {
    return bm::traffic(m, request_of(16, 0xf, true, [&](int lane) { return 16 * place[lane]; }));
  };
  CHECK(count_traffic({8, 11, 10, 9}).transactions == 1);
  CHECK(count_traffic({9, 103, 23, 67}).transactions == 4);
  CHECK(count_traffic({9, 103, 23, 67}).ideal == 1);
}

TEST_CASE("a request without lanes is none, atomics count as stores", "[global]") {
  for (const global_machine& m : global_machines) {
    CHECK(bm::traffic(m.machine, bm::request{}) == bm::memory_traffic{});
    bm::request r = request_of(4, all_lanes(m), false, [](int lane) { return 8 * lane; });
    const auto stored = bm::traffic(m.machine, r);
    r.kind = bm::access_kind::atomic;
    CHECK(bm::traffic(m.machine, r) == stored);
  }
}
