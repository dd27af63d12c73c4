// SPDX-License-Identifier: MIT
// degree() against counting: whole small domains, then real geometries.
#include <bankmodel/model/degree.hpp>

#include "catch.hpp"
#include "oracle.hpp"

#include <random>

namespace bm = bankmodel;

namespace {

int counted(const bm::geometry& g, const bm::access_1d& a) {
  std::vector<long long> addresses;
  const int lanes = a.lanes == 0 ? g.bank_num : a.lanes;
  for (int lane = 0; lane < lanes; ++lane) addresses.push_back((a.offset + a.stride * lane) * g.M);
  return oracle::degree({g.bank_num, g.W, g.N}, addresses, g.M);
}

int counted(const bm::geometry& g, const bm::access_2d& a) {
  std::vector<long long> addresses;
  for (int y = 0; y < a.repeat_y; ++y)
    for (int x = 0; x < a.repeat_x; ++x)
      addresses.push_back((a.offset + a.stride_x * x + a.stride_y * y) * g.M);
  return oracle::degree({g.bank_num, g.W, g.N}, addresses, g.M);
}

template <class Access>
std::string text(const bm::geometry& g, const Access& a) {
  std::string result = "bank_num " + std::to_string(g.bank_num) + " W " + std::to_string(g.W) +
                       " N " + std::to_string(g.N) + " M " + std::to_string(g.M) + " offset " +
                       std::to_string(a.offset);
  if constexpr (requires { a.stride; })
    return result + " stride " + std::to_string(a.stride) + " lanes " + std::to_string(a.lanes);
  else
    return result + " x " + std::to_string(a.stride_x) + " * " + std::to_string(a.repeat_x) +
           " y " + std::to_string(a.stride_y) + " * " + std::to_string(a.repeat_y);
}

// REQUIRE for every case would cost more than the case.
template <class Access>
void compare(const bm::geometry& g, const Access& a, long long& cases) {
  ++cases;
  const int fast = bm::degree(g, a), slow = counted(g, a);
  if (fast != slow) FAIL(text(g, a) << ": degree() says " << fast << ", counting " << slow);
}

std::vector<bm::geometry> all_geometries(int most_banks, int most_W) {
  std::vector<bm::geometry> result;
  for (int bank_num = 1; bank_num <= most_banks; bank_num *= 2)
    for (int W = 1; W <= most_W; W *= 2)
      for (int N = 1; N <= W; N *= 2)
        for (int M = 1; M <= W; M *= 2) result.push_back({bank_num, W, N, M});
  return result;
}

const bm::geometry real[] = {{32, 4, 4, 4}, {32, 8, 4, 4}, {32, 8, 4, 8}, {32, 8, 8, 4},
                             {32, 8, 8, 8}, {32, 4, 4, 1}, {32, 4, 4, 2}, {32, 8, 4, 1},
                             {32, 8, 4, 2}, {32, 8, 8, 1}, {32, 8, 8, 2}, {16, 4, 4, 4},
                             {64, 4, 4, 4}, {64, 4, 4, 2}};

}  // namespace

TEST_CASE("one-dimensional degree equals counting for every small geometry", "[degree]") {
  long long cases = 0;
  for (const auto& g : all_geometries(8, 8))
    for (long long stride = -36; stride <= 36; ++stride)
      for (long long offset = -5; offset <= 18; offset += 1)
        for (int lanes = 0; lanes <= 9; ++lanes)
          compare(g, bm::access_1d{stride, offset, lanes}, cases);
  INFO(cases << " cases");
  CHECK(cases > 2000000);
}

TEST_CASE("two-dimensional degree equals counting for every small geometry", "[degree]") {
  long long cases = 0;
  for (const auto& g : all_geometries(8, 4))
    for (long long x = -5; x <= 9; ++x)
      for (long long y = -9; y <= 17; ++y)
        for (int repeat_x = 1; repeat_x <= 4; ++repeat_x)
          for (int repeat_y = 1; repeat_y <= 3; ++repeat_y)
            compare(g, bm::access_2d{x, repeat_x, y, repeat_y, (x * 7 + y) % 13}, cases);
  CHECK(cases == 272160);
}

TEST_CASE("one-dimensional degree equals counting on real geometries", "[degree]") {
  long long cases = 0;
  for (const auto& g : real)
    for (long long stride = -300; stride <= 300; ++stride)
      for (long long offset : {0, 1, 2, 3, 5, 31, 32, 33, 63, 64, 100, 255, -1, -64}) {
        compare(g, bm::access_1d{stride, offset}, cases);
        compare(g, bm::access_1d{stride, offset, 1 + static_cast<int>((stride + 300) % 67)}, cases);
      }
  std::mt19937_64 random(20260801);
  const auto between = [&](long long low, long long high) {
    return std::uniform_int_distribution<long long>(low, high)(random);
  };
  for (int at = 0; at < 50000; ++at) {
    const auto& g = real[static_cast<std::size_t>(between(0, 13))];
    const long long scale = 1ll << between(0, 39);
    compare(g,
            bm::access_1d{between(-scale, scale), between(-scale, scale),
                          static_cast<int>(between(1, 256))},
            cases);
  }
  CHECK(cases > 100000);
}

TEST_CASE("two-dimensional degree equals counting on real geometries", "[degree]") {
  long long cases = 0;
  std::mt19937_64 random(20260802);
  const auto between = [&](long long low, long long high) {
    return std::uniform_int_distribution<long long>(low, high)(random);
  };
  for (int at = 0; at < 100000; ++at) {
    const auto& g = real[static_cast<std::size_t>(between(0, 13))];
    const int repeat_x = 1 << between(0, 5);
    compare(g,
            bm::access_2d{between(-70, 70), repeat_x, between(-200, 200),
                          static_cast<int>(between(1, 64 / repeat_x)), between(-500, 500)},
            cases);
  }
  CHECK(cases == 100000);
}

TEST_CASE("bank and layer of an address", "[geometry]") {
  for (const auto& g : all_geometries(8, 8))
    for (long long address = -200; address <= 400; ++address) {
      const long long word = oracle::floor_divided(address, g.N);
      if (g.bank(address) != word - oracle::floor_divided(word, g.bank_num) * g.bank_num ||
          g.layer(address) !=
              oracle::floor_divided(address, static_cast<long long>(g.bank_num) * g.W))
        FAIL(address << " in " << g.bank_num << " banks of " << g.W << ", words of " << g.N);
    }
}

TEST_CASE("the same degree in a constant expression and at run time", "[degree]") {
  constexpr auto table = [] {
    struct {
      int degree[14][20];
    } result{};
    for (int g = 0; g < 14; ++g)
      for (int stride = 0; stride < 20; ++stride) {
        const bm::geometry geometries[] = {
            {32, 4, 4, 4}, {32, 8, 4, 4}, {32, 8, 4, 8}, {32, 8, 8, 4}, {32, 8, 8, 8},
            {32, 4, 4, 1}, {32, 4, 4, 2}, {32, 8, 4, 1}, {32, 8, 4, 2}, {32, 8, 8, 1},
            {32, 8, 8, 2}, {16, 4, 4, 4}, {64, 4, 4, 4}, {64, 4, 4, 2}};
        result.degree[g][stride] = bm::degree(geometries[g], bm::access_1d{stride, stride % 5});
      }
    return result;
  }();
  for (int g = 0; g < 14; ++g)
    for (int stride = 0; stride < 20; ++stride)
      CHECK(table.degree[g][stride] == bm::degree(real[g], bm::access_1d{stride, stride % 5}));
}
