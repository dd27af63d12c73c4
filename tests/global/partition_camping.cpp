// SPDX-License-Identifier: MIT
// The transactions of concurrent blocks by partition, compared with a count of every half-warp.
#include "catch.hpp"

#include <bankmodel/analyze.hpp>
#include <bankmodel/global.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include <cstdlib>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "breaks.hpp"
#include "dice.hpp"
#include "run_plainly.hpp"

namespace bm = bankmodel;
using namespace bm::index;
using bm::axis;

namespace {

constexpr auto input = bm::global_array<float>("in", 2048, 2048);
constexpr auto output = bm::global_array<float>("out", 2048, 2048);
constexpr auto block = bm::block_dim{32, 8};

// A transpose without shared memory: rows are read, columns are written; 64 x 64 blocks.
constexpr auto rows_read =
    bm::load(bm::for_loop(j, bm::range(0, 32, 8), input[32 * by + ty + j][32 * bx + tx]));
constexpr auto rows_written =
    bm::store(bm::for_loop(j, bm::range(0, 32, 8), output[32 * bx + ty + j][32 * by + tx]));
// Block (bx, by) does the work of block ((bx + by) % 64, bx).
constexpr auto diagonal_read = bm::load(
    bm::for_loop(j, bm::range(0, 32, 8), input[32 * bx + ty + j][32 * ((bx + by) % 64) + tx]));
constexpr auto diagonal_written = bm::store(
    bm::for_loop(j, bm::range(0, 32, 8), output[32 * ((bx + by) % 64) + ty + j][32 * bx + tx]));

// At run time: no constant that a compiler would try to compute.
template <class... Accesses>
bm::partition_load runtime_load(const bm::machine& gpu, const bm::block_dim& threads,
                                const bm::blocks_along& blocks, const Accesses&... accesses) {
  return bm::partition_camping(gpu, threads, blocks, accesses...);
}

// ---- the rules of 1.x, F.3.2 of the guide 4.2, one half-warp at a time ----

using addresses = std::map<int, long long>;  // by lane of the half-warp

void add_shrinking(const addresses& half, int bytes, std::vector<std::uint64_t>& in_partition) {
  addresses left = half;
  while (!left.empty()) {
    const long long segment = bytes == 1   ? 32
                              : bytes == 2 ? 64
                                           : 128,
                    begin = left.begin()->second / segment * segment;
    long long lowest = begin + segment;
    for (auto lane = left.begin(); lane != left.end();)
      if (lane->second / segment * segment == begin) {
        lowest = std::min(lowest, lane->second);
        lane = left.erase(lane);
      } else {
        ++lane;
      }
    // However far it shrinks, it holds the lowest byte.
    ++in_partition[static_cast<std::size_t>(lowest / 256) % in_partition.size()];
  }
}

void add_in_order(const addresses& half, int bytes, std::vector<std::uint64_t>& in_partition) {
  const auto count = [&](long long address) {
    ++in_partition[static_cast<std::size_t>(address / 256) % in_partition.size()];
  };
  bool coalesced = bytes >= 4;
  const long long first = half.begin()->second - half.begin()->first * bytes,
                  segment = bytes == 4 ? 64 : 128;
  coalesced = coalesced && first >= 0 && first % segment == 0;
  for (const auto& [lane, address] : half) coalesced = coalesced && address == first + lane * bytes;
  if (coalesced) {
    count(first);
    if (bytes == 16) count(first + 128);
  } else {
    for (const auto& [lane, address] : half) count(address);
  }
}

template <class Access>
std::vector<std::uint64_t> counted(const bm::machine& gpu, const bm::block_dim& threads,
                                   const bm::blocks_along& blocks, const Access& access) {
  std::vector<std::uint64_t> result(static_cast<std::size_t>(gpu.global.partitions));
  const int bytes = access.array.element_bytes * access.vector;
  for (long long number = 0; number < blocks.count; ++number)
    for (int warp = 0; warp * 32 < threads.x * threads.y * threads.z; ++warp) {
      const auto touches = plainly::run_warp(32, threads, access, warp, blocks.block(number));
      plainly::each_request(touches, [&](const plainly::request& lanes) {
        addresses halves[2];
        for (const plainly::touch& lane : lanes)
          halves[lane.lane / 16][lane.lane % 16] =
              access.array.base_bytes +
              plainly::element_of(access, lane) * access.array.element_bytes;
        for (const addresses& half : halves)
          if (!half.empty() && gpu.model >= 12)
            add_shrinking(half, bytes, result);
          else if (!half.empty())
            add_in_order(half, bytes, result);
      });
    }
  return result;
}

struct four_floats {
  float values[4];
};

int cases() {
  const char* const text = std::getenv("BANKMODEL_CAMPS");
  return text == nullptr ? 4000 : std::atoi(text);
}

}  // namespace

TEST_CASE("a naive transpose camps, in diagonal order it does not") {
  const auto& sm_13 = bm::nvidia::sm_13;
  const bm::blocks_along thirty{axis::x, 30};
  const auto read = runtime_load(sm_13, block, {axis::x, 32}, rows_read);
  CHECK(read.partitions == 8);
  CHECK(read.worst_over_mean() == 1);
  const auto written = runtime_load(sm_13, block, thirty, rows_written);
  CHECK(written.worst_over_mean() == 8);
  CHECK(written.most == written.transactions);
  CHECK(written.in[0] == written.most);
  CHECK(written.transactions == 30 * bm::traffic(sm_13, block, rows_written).transactions);
  const auto combined = runtime_load(sm_13, block, {axis::x, 32}, rows_read, rows_written);
  CHECK(combined.transactions == 2 * read.transactions);
  CHECK(combined.worst_over_mean() == 4.5);  // half of all in one, half evenly

  CHECK(runtime_load(sm_13, block, {axis::x, 32}, diagonal_read).worst_over_mean() == 1);
  CHECK(runtime_load(sm_13, block, {axis::x, 32}, diagonal_written).worst_over_mean() == 1);
  CHECK(runtime_load(sm_13, block, thirty, diagonal_read, diagonal_written).worst_over_mean() <
        1.2);
  // The block stride shows it too: 32 rows of 8192 bytes.
  const auto stride = bm::block_stride(block, axis::x, rows_written);
  CHECK(stride.bytes == 32 * 8192);
  CHECK(bm::stride_keeps_partition(sm_13, stride.bytes));
  CHECK_FALSE(bm::stride_keeps_partition(sm_13, bm::block_stride(block, axis::x, rows_read).bytes));
  // A row of 32 * 256 bytes moves on by 2 of 6 partitions.
  CHECK(runtime_load(bm::nvidia::sm_10, block, thirty, rows_written).worst_over_mean() == 2);
}

TEST_CASE("a kernel's accesses to shared memory are left out") {
  constexpr auto tile = bm::shared_array<float>("tile", 32, 33);
  const auto naive = bm::kernel(block, rows_read, bm::store(tile[tx][ty]), rows_written);
  const auto of_kernel = bm::partition_camping(bm::nvidia::sm_13, naive, axis::x);
  const auto of_two = runtime_load(bm::nvidia::sm_13, block, axis::x, rows_read, rows_written);
  CHECK(of_kernel.transactions == of_two.transactions);
  CHECK(of_kernel.most == of_two.most);
  const auto no_access = runtime_load(bm::nvidia::sm_13, block, axis::x, bm::store(tile[tx][ty]));
  CHECK(no_access.transactions == 0);
  CHECK(no_access.worst_over_mean() == 0);
}

TEST_CASE("constants and run time agree") {
  constexpr auto constant = bm::partition_camping(bm::nvidia::sm_13, bm::block_dim{32},
                                                  {axis::x, 3}, bm::load(input[32 * bx + tx][ty]));
  static_assert(constant.partitions == 8 && constant.most == 3 * 32 && constant.in[0] == 3 * 32);
  static_assert(constant.transactions == 96 && constant.worst_over_mean() == 8);
  const bm::machine gpu = bm::nvidia::compute_capability(1, 3);
  const auto at_run_time =
      runtime_load(gpu, bm::block_dim{32}, {axis::x, 3}, bm::load(input[32 * bx + tx][ty]));
  CHECK(at_run_time.most == constant.most);
  CHECK(at_run_time.transactions == constant.transactions);
}

TEST_CASE("generated accesses, half-warp by half-warp") {
  const bm::machine machines[] = {bm::nvidia::sm_10, bm::nvidia::sm_11, bm::nvidia::sm_12,
                                  bm::nvidia::sm_13};
  int coalesced = 0, camping = 0;
  for (int number = 0; number < cases(); ++number) {
    dice d{std::mt19937_64(static_cast<std::uint64_t>(number))};
    const bm::machine& gpu = machines[d.number(0, 3)];
    bm::array_description a = bm::global_array<float>("a", 600, 8192);
    switch (d.number(0, 5)) {
      case 0: a = bm::global_array<char>("a", 600, 8192); break;
      case 1: a = bm::global_array<short>("a", 600, 8192); break;
      case 2: a = bm::global_array<double>("a", 600, 8192); break;
      case 3: a = bm::global_array<four_floats>("a", 600, 8192); break;
      default: break;
    }
    if (d.number(0, 1) == 0)
      a = bm::with_row_stride(a, (8192 + d.number(0, 100)) * a.element_bytes);
    if (d.number(0, 1) == 0) a = a.at(d.number(0, 80) * a.element_bytes);
    const bm::block_dim threads{static_cast<int>(d.one_of({1, 7, 16, 20, 32, 33, 64})),
                                static_cast<int>(d.number(1, 3)), 1};
    const long long row_x = d.one_of({0, 0, 1, 32}), column_x = d.one_of({0, 1, 16, 32, 64, 512}),
                    t_row = d.one_of({0, 0, 1}), t_column = d.one_of({1, 1, 1, 0, 2, 3, 17}),
                    start = d.one_of({0, 0, 0, 1, 16, 64}), last = d.number(0, 64),
                    back = d.number(0, 1), trips = d.number(1, 3);
    const bm::blocks_along blocks{axis::x, d.number(2, 6), {d.number(0, 2), 0, 0}};
    const auto body =
        a[row_x * bx + t_row * tx + j + ty]
         [start + column_x * bx + (1 - 2 * back) * t_column * tx + back * t_column * 63 + 64 * j];
    const auto access =
        bm::load(bm::for_loop(j, bm::range(0, trips), bm::if_threads(tx <= last + j, body)));
    INFO("case " << number);
    const auto expected = counted(gpu, threads, blocks, access);
    const auto result = runtime_load(gpu, threads, blocks, access);
    std::uint64_t sum = 0, highest = 0;
    for (std::size_t partition = 0; partition < expected.size(); ++partition) {
      REQUIRE(result.in[partition] == expected[partition]);
      sum += expected[partition];
      highest = std::max(highest, expected[partition]);
    }
    REQUIRE(result.transactions == sum);
    REQUIRE(result.most == highest);
    std::uint64_t total = 0;
    for (long long block_number = 0; block_number < blocks.count; ++block_number)
      total += bm::traffic(gpu, threads, access, blocks.block(block_number)).transactions;
    if (gpu.model >= 12) REQUIRE(total == sum);
    if (gpu.model < 12) REQUIRE(total >= sum);
    coalesced += gpu.model < 12 && total == sum && t_column == 1;
    camping += highest == sum && sum > 10;
  }
  CHECK(coalesced > cases() / 50);
  CHECK(camping > cases() / 100);
}

TEST_CASE("other rules: as many transactions as traffic() counts") {
  for (bm::machine gpu :
       {bm::nvidia::sm_20, bm::nvidia::sm_35, bm::nvidia::sm_90, bm::amd::gfx942}) {
    gpu.global.partitions = 5;
    gpu.global.partition_bytes = 512;
    const auto wide = bm::global_array<double>("wide", 512, 512);
    const auto check = [&](const auto& access) {
      std::uint64_t total = 0;
      for (long long block_number = 0; block_number < 4; ++block_number)
        total += bm::traffic(gpu, block, access, bm::block_index{block_number, 0, 0}).transactions;
      const auto result = runtime_load(gpu, block, axis::x, access);
      CHECK(result.transactions == total);
      std::uint64_t sum = 0;
      for (const std::uint64_t count : result.in) sum += count;
      CHECK(sum == total);
    };
    check(rows_read);
    check(rows_written);
    check(bm::load(input[32 * bx + tx][ty]));
    check(bm::load(input[ty][32 * bx + tx + 1]));
    check(bm::load(wide[ty][32 * bx + 3 * tx]));
    if (gpu.has(12, bm::access_kind::load))
      check(bm::load(bm::vectorized<3>(input[ty][3 * tx])));  // some are in two sectors
    check(bm::load(bm::vectorized<2>(wide[ty][2 * tx])));
    check(bm::store(bm::vectorized<4>(input[ty][4 * tx + 128 * bx])));
  }
}

TEST_CASE("partition_camping() names what it refuses") {
  const auto camping = [](const bm::machine& gpu, const bm::blocks_along& blocks,
                          const auto& access) {
    return rule_of([&] { (void)runtime_load(gpu, block, blocks, access); });
  };
  CHECK(camping(bm::nvidia::sm_20, axis::x, rows_read) == "the_machine_must_have_partitions");
  CHECK(camping(bm::nvidia::sm_90, axis::x, rows_read) == "the_machine_must_have_partitions");
  CHECK(camping(bm::amd::gfx942, axis::x, rows_read) == "the_machine_must_have_partitions");
  CHECK(rule_of([] { (void)bm::stride_keeps_partition(bm::nvidia::sm_90, 256); }) ==
        "the_machine_must_have_partitions");
  bm::machine own = bm::nvidia::sm_13;
  own.global.partition_bytes = 64;  // a segment would be in two of them
  CHECK(camping(own, axis::x, rows_read) == "the_machine_must_have_partitions");
  own.global.partition_bytes = 300;
  CHECK(camping(own, axis::x, rows_read) == "the_machine_must_have_partitions");
  own = bm::nvidia::sm_13;
  own.global.partitions = 65;
  CHECK(camping(own, axis::x, rows_read) == "the_machine_must_have_partitions");
  CHECK(camping(bm::nvidia::sm_13, {axis::x, 0}, rows_read) ==
        "at_least_two_blocks_must_be_compared");
  CHECK(camping(bm::nvidia::sm_13, {axis::x, 65}, rows_read) ==
        "subscripts_must_lie_within_their_extent");
  const auto long_row = bm::global_array<float>("row", 1ll << 40);
  CHECK(camping(bm::nvidia::sm_13, axis::x,
                bm::load(bm::for_loop(j, bm::range(0, 1ll << 30), long_row[32 * j + tx]))) ==
        "the_requests_of_blocks_must_be_few_enough_to_place");
  CHECK(camping(bm::nvidia::sm_13, {axis::x, 4, {0, -1, 0}}, rows_read) ==
        "block_indices_must_not_be_negative");
  own = {};
  own.lanes = 32;
  CHECK(camping(own, axis::x, rows_read) == "sectors_and_lines_must_be_powers_of_two");
}
