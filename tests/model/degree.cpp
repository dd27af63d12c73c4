// SPDX-License-Identifier: MIT
// degree() against counting: whole small domains, then real geometries.
#include <bankmodel/model/degree.hpp>

#include "catch.hpp"
#include "oracle.hpp"

#include <algorithm>
#include <array>
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

// The model's definition for elements that are added one by one: the degree after each of them.
class growing_degree {
 public:
  explicit growing_degree(const bm::geometry& g) : g_(g) {}
  void clear() {
    ++round_;
    maximum_ = 0;
    for (int& layers : layers_) layers = 0;
  }
  int add(long long element) {
    const long long first = oracle::floor_divided(element * g_.M, g_.N),
                    last = oracle::floor_divided(element * g_.M + g_.M - 1, g_.N);
    for (long long word = first; word <= last; ++word) {
      const auto bank =
          static_cast<std::size_t>(word - oracle::floor_divided(word, g_.bank_num) * g_.bank_num);
      const long long layer = oracle::floor_divided(word * g_.N, g_.bank_num * g_.W);
      long long& seen = seen_[bank].at(static_cast<std::size_t>(layer + 512));
      if (seen == round_) continue;
      seen = round_;
      maximum_ = std::max(maximum_, ++layers_[bank]);
    }
    return maximum_;
  }

 private:
  bm::geometry g_;
  long long round_ = 0;
  std::array<std::array<long long, 1024>, 8> seen_{};  // the last round that touched the layer
  std::array<int, 8> layers_{};
  int maximum_ = 0;
};

// FAIL's text for every case would cost more than the case.
template <class Access>
void require_equal(const bm::geometry& g, const Access& a, int expected) {
  const int result = bm::degree(g, a);
  if (result != expected)
    FAIL(text(g, a) << ": degree() says " << result << ", counting " << expected);
}

}  // namespace

TEST_CASE("one-dimensional degree equals counting for every small geometry", "[degree]") {
  long long cases = 0;
  for (const auto& g : all_geometries(8, 8)) {
    growing_degree counting(g);
    const int layer = g.bank_num * g.W / g.M;
    for (int stride = -2 * layer - 3; stride <= 2 * layer + 3; ++stride)
      for (int offset = -1; offset < layer; ++offset) {
        counting.clear();
        for (int lanes = 1; lanes <= 64; ++lanes, ++cases) {
          const int expected = counting.add(offset + static_cast<long long>(stride) * (lanes - 1));
          require_equal(g, bm::access_1d{stride, offset, lanes}, expected);
        }
      }
    compare(g, bm::access_1d{3, 1}, cases);  // one lane per bank
  }
  CHECK(cases == 9991800);
}

TEST_CASE("two-dimensional degree equals counting for every small geometry", "[degree]") {
  long long cases = 0;
  for (const auto& g : all_geometries(8, 4)) {
    growing_degree counting(g);
    const int layer = g.bank_num * g.W / g.M, longest = g.bank_num < 8 ? 8 : 6;
    for (int x = -layer - 1; x <= layer + 1; ++x)
      for (int y = -layer - 1; y <= layer + 1; ++y)
        for (int offset = 0; offset < layer; ++offset)
          for (int repeat_x = 1; repeat_x <= longest; ++repeat_x) {
            counting.clear();
            for (int repeat_y = 1; repeat_y <= longest; ++repeat_y, ++cases) {
              int expected = 0;
              for (int lane = 0; lane < repeat_x; ++lane)
                expected = counting.add(offset + x * lane + y * (repeat_y - 1));
              require_equal(g, bm::access_2d{x, repeat_x, y, repeat_y, offset}, expected);
            }
          }
  }
  CHECK(cases == 25419904);
}

TEST_CASE("degree equals counting on any geometry, with up to 256 lanes", "[degree]") {
  long long cases = 0;
  std::mt19937_64 random(20261122);
  const auto draw = [&](long long low, long long high) {
    return std::uniform_int_distribution<long long>(low, high)(random);
  };
  for (int round = 0; round < 60000; ++round) {
    const int W = static_cast<int>(draw(0, 10)), N = static_cast<int>(draw(0, W)),
              M = static_cast<int>(draw(0, std::min(W, N + 3)));
    const bm::geometry g{1 << draw(0, 8), 1 << W, 1 << N, 1 << M};
    const auto number = [&] {
      const long long scale = 1ll << draw(0, round % 8 == 0 ? 39 : 12);
      return draw(-scale, scale);
    };
    const int repeat_x = static_cast<int>(draw(1, 1ll << draw(0, 8))),
              repeat_y = static_cast<int>(draw(1, 256 / repeat_x));
    compare(g, bm::access_1d{number(), number(), repeat_x}, cases);
    compare(g, bm::access_2d{number(), repeat_x, number(), repeat_y, number()}, cases);
  }
  CHECK(cases == 120000);
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
  const auto draw = [&](long long low, long long high) {
    return std::uniform_int_distribution<long long>(low, high)(random);
  };
  for (int round = 0; round < 50000; ++round) {
    const auto& g = real[static_cast<std::size_t>(draw(0, 13))];
    const long long scale = 1ll << draw(0, 39);
    compare(g,
            bm::access_1d{draw(-scale, scale), draw(-scale, scale), static_cast<int>(draw(1, 256))},
            cases);
  }
  CHECK(cases > 100000);
}

TEST_CASE("two-dimensional degree equals counting on real geometries", "[degree]") {
  long long cases = 0;
  std::mt19937_64 random(20260802);
  const auto draw = [&](long long low, long long high) {
    return std::uniform_int_distribution<long long>(low, high)(random);
  };
  for (int round = 0; round < 100000; ++round) {
    const auto& g = real[static_cast<std::size_t>(draw(0, 13))];
    const int repeat_x = 1 << draw(0, 5);
    compare(g,
            bm::access_2d{draw(-70, 70), repeat_x, draw(-200, 200),
                          static_cast<int>(draw(1, 64 / repeat_x)), draw(-500, 500)},
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
