// SPDX-License-Identifier: MIT
// The limits of counting: the largest nests whose counts fit in 64 bits and the first that do
// not, and work above the stated limit, which is an error before it starts. refused.cpp and
// errors/cases/limits.cpp have the same in constant expressions.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include "catch.hpp"

#include <chrono>
#include <string>

namespace bm = bankmodel;
using namespace bm::index;
using bm::nvidia::sm_90;

namespace {

constexpr bm::block_dim one_warp{32};
constexpr unsigned long long max_count = ~0ull;  // 2^64 - 1 = 0xffffffff * 0x100000001
const auto a = bm::shared_array<float>("a", 64);

bm::cost total_cost(const auto& access, const bm::block_dim& block = one_warp) {
  return bm::total(sm_90, block, access);
}

// The name of the broken rule, or an empty one.
std::string rule_of(const auto& access, const bm::block_dim& block = one_warp) {
  try {
    (void)total_cost(access, block);
  } catch (const bm::error& e) {
    return e.rule();
  }
  return "";
}

// True if more than most_iterations iterations are refused, and not for their work.
bool has_too_many_iterations(const auto& access, const bm::block_dim& block) {
  try {
    (void)total_cost(access, block);
  } catch (const bm::error& e) {
    return std::string(e.what()).find(std::to_string(bm::most_iterations)) != std::string::npos;
  }
  return false;
}

const std::string too_many = "counts_must_fit_in_64_bits",
                  too_far = "index_arithmetic_must_fit_in_64_bits",
                  too_much = "iterations_must_be_few_enough_to_count";

auto twice(long long outer, long long inner, const auto& body) {
  return bm::for_loop(i, bm::range(0, outer), bm::for_loop(j, bm::range(0, inner), body));
}

}  // namespace

TEST_CASE("rectangular nests up to 2^64 - 1", "[limits]") {
  CHECK(total_cost(twice(0xffffffff, 0x100000001, a[tx])).wavefronts == max_count);
  CHECK(rule_of(twice(0x100000000, 0x100000000, a[tx])) == too_many);
  // Two passes each: half as many requests.
  CHECK(total_cost(twice(0x7fffffff, 0x100000002, a[2 * tx])).wavefronts == max_count - 3);
  CHECK(rule_of(twice(0x80000000, 0x100000000, a[2 * tx])) == too_many);
  // Over several warps, and over loops of which only one is used.
  CHECK(total_cost(twice(0xffffffff, 0x80000000, a[tx % 32]), {64}).requests ==
        2 * (0xffffffffull * 0x80000000ull));
  CHECK(rule_of(twice(0x100000000, 0x80000000, a[tx % 32]), {64}) == too_many);
  CHECK(total_cost(bm::for_loop(k, bm::range(0, 3), twice(0x55555555, 0x100000001, a[tx])))
            .requests == max_count);
  CHECK(rule_of(bm::for_loop(k, bm::range(0, 5), twice(0x55555555, 0x100000001, a[tx]))) ==
        too_many);
  // No iteration in the end.
  CHECK(total_cost(twice(0x100000000, 0x100000000, bm::if_threads(tx > 40, a[tx]))).requests == 0);
  CHECK(total_cost(bm::for_loop(k, bm::range(0, 0), twice(0x100000000, 0x100000000, a[tx])))
            .requests == 0);
}

TEST_CASE("filtered nests up to 2^64 - 1", "[limits]") {
  constexpr long long trips = 0x100000001;
  // One iteration of i passes nothing.
  CHECK(total_cost(twice(0xffffffffll + 1, trips, bm::if_threads(tx < i, a[tx]))).requests ==
        max_count);
  CHECK(rule_of(twice(0xffffffffll + 2, trips, bm::if_threads(tx < i, a[tx]))) == too_many);
  CHECK(total_cost(twice(0xffffffffll, trips, bm::if_threads(i >= 0, a[tx]))).wavefronts ==
        max_count);
  CHECK(rule_of(twice(0xffffffffll + 1, trips, bm::if_threads(i >= 0, a[tx]))) == too_many);
  const auto ragged = [](long long outer) {
    return bm::for_loop(j, bm::range(0, outer),
                        bm::for_loop(i, bm::range(tx, 0x100000001ll), a[tx]));
  };
  CHECK(total_cost(ragged(0xffffffff)).requests == max_count);
  CHECK(rule_of(ragged(0x100000000)) == too_many);
}

TEST_CASE("triangular nests up to 2^64 - 1", "[limits]") {
  // The sum of i below n is n (n - 1) / 2: 2^64 - 1 is between those of 6074001000 and 6074001001.
  const auto triangle = [](long long trips) {
    return bm::for_loop(i, bm::range(0, trips), bm::for_loop(j, bm::range(0, i), a[tx]));
  };
  CHECK(total_cost(triangle(6'074'001'000)).requests == 3'037'000'500ull * 6'074'000'999ull);
  CHECK(rule_of(triangle(6'074'001'001)) == too_many);
  CHECK(rule_of(triangle(1ll << 62)) == too_many);
  const auto up_to_the_end = [](long long trips) {
    return bm::for_loop(i, bm::range(0, trips), bm::for_loop(j, bm::range(i, trips), a[tx]));
  };
  CHECK(total_cost(up_to_the_end(6'074'000'999)).requests == 3'037'000'500ull * 6'074'000'999ull);
  CHECK(rule_of(up_to_the_end(6'074'001'000)) == too_many);
  const auto filtered = [](long long trips) {
    return bm::for_loop(i, bm::range(0, trips),
                        bm::for_loop(j, bm::range(0, i), bm::if_threads(tx < i, a[tx])));
  };
  CHECK(total_cost(filtered(6'074'001'000)).requests == 3'037'000'500ull * 6'074'000'999ull);
  CHECK(rule_of(filtered(6'074'001'001)) == too_many);
  // In steps of two: floor(n / 2) * floor((n + 1) / 2) over all.
  const auto halves = [](long long trips) {
    return bm::for_loop(i, bm::range(0, trips), bm::for_loop(j, bm::range(0, i, 2), a[tx]));
  };
  CHECK(total_cost(halves(8'589'934'591)).requests == 4'294'967'295ull * 4'294'967'296ull);
  CHECK(rule_of(halves(8'589'934'592)) != "");
}

TEST_CASE("variables and addresses up to 2^63 - 1", "[limits]") {
  constexpr long long highest = 0x7fffffffffffffff;
  CHECK(total_cost(bm::for_loop(i, bm::range(0, highest), a[tx])).requests ==
        static_cast<unsigned long long>(highest));
  CHECK(total_cost(bm::for_loop(i, bm::range(0, highest, highest - 1), a[tx])).requests == 2);
  CHECK(rule_of(bm::for_loop(i, bm::range(-1, highest), a[tx])) == too_far);
  CHECK(rule_of(bm::for_loop(i, bm::range(highest - 4, highest), a[(tx + i) % 64])) == too_far);
  CHECK(total_cost(bm::for_loop(i, bm::range(highest - 40, highest - 32), a[(tx + i) % 64]))
            .requests == 8);
  CHECK(rule_of(bm::for_loop(i, bm::range(0, highest),
                             bm::for_loop(j, bm::range(0, i + i), a[tx]))) != "");
}

TEST_CASE("most_iterations are enumerated, one more is an error before it starts", "[limits]") {
  const auto walked = [](long long trips) {
    return bm::for_loop(i, bm::range(0, trips), a[bm::min(tx, i * i / 7 % 64)]);
  };
  CHECK(total_cost(walked(1000)).method == bm::method::each_request);
  const auto start = std::chrono::steady_clock::now();
  CHECK(rule_of(walked(bm::most_iterations + 1)) == too_much);
  CHECK(rule_of(walked(1'000'000'000'000'000)) == too_much);
  CHECK(rule_of(bm::for_loop(j, bm::range(tx, 1'000'000'000'000, tx + 1), a[j % 64])) == too_much);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::milliseconds(100));
  // All warps share the limit: four of them have a quarter each.
  CHECK(has_too_many_iterations(bm::for_loop(i, bm::range(0, bm::most_iterations / 4 + 1),
                                             bm::if_threads(i * i == 3 + warp * warp % 7, a[lane])),
                                {128}));
}

TEST_CASE("work of more than about a second is an error", "[limits]") {
  const auto evaluated = [](long long trips) {
    return bm::for_loop(i, bm::range(0, trips), a[((i * i) ^ tx) % 33]);
  };
  CHECK(total_cost(evaluated(20'000)).requests == 20'000);
  const auto start = std::chrono::steady_clock::now();
  CHECK(rule_of(evaluated(4'000'000)) == too_much);  // fewer than most_iterations
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::milliseconds(100));
  // Lane sets are work too, and so is what was counted before.
  const auto cut = bm::for_loop(i, bm::range(0, 100), bm::if_threads(tx < i, a[2 * tx]));
  const auto spend = [&](long long work) {
    return bm::detail::counted(sm_90, one_warp, bm::detail::view_of(cut), {}, work).work;
  };
  const long long needed = spend(0);
  CHECK(spend(bm::most_work() - needed) == bm::most_work());
  CHECK_THROWS_AS(spend(bm::most_work() - needed + 1), bm::error);
}

TEST_CASE("loops that are not enumerated have no such limit", "[limits]") {
  constexpr long long trips = 1ll << 50;
  CHECK(
      total_cost(bm::for_loop(i, bm::range(0, trips), bm::if_threads(tx < i, a[2 * tx]))).method ==
      bm::method::distinct_requests);
  CHECK(total_cost(bm::for_loop(i, bm::range(0, trips), a[(tx + i) % 64])).requests ==
        static_cast<unsigned long long>(trips));
  CHECK(total_cost(bm::for_loop(i, bm::range(tx, trips, 32), a[(tx + i) % 64])).requests ==
        static_cast<unsigned long long>(trips) / 32);
}
