// SPDX-License-Identifier: MIT
// Resident blocks: the examples of the header, published tables, an oracle that places one
// block after another, and the inverse.
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/model/occupancy.hpp>

#include "catch.hpp"
#include "examples/presentation.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace bm = bankmodel;
using bm::block_limit;
using bm::largest_shared_bytes;
using bm::resident;
using bm::nvidia::sm_32;
using bm::nvidia::sm_62;
using bm::nvidia::sm_90;

// The examples of the header.
constexpr bm::occupancy native = resident(sm_62, {.threads = 128, .shared_bytes = 4096});
static_assert(native.blocks == 16 && native.warps == 64 && native.fits() && !native.needs_opt_in);
static_assert(native.limited_by == block_limit::warps && native.by_warps == 16 &&
              native.by_shared_memory == 16);
static_assert(native.by_block_slots == 32 && native.by_threads == 16 &&
              native.by_registers == bm::unlimited_blocks);
constexpr bm::occupancy padded = resident(sm_62, {.threads = 128, .shared_bytes = 4224});
static_assert(padded.blocks == 15 && padded.warps == 60 &&
              padded.limited_by == block_limit::shared_memory);
constexpr bm::occupancy permuted =
    resident(sm_62, {.threads = 128, .shared_bytes = 4096, .registers_per_thread = 37});
static_assert(permuted.blocks == 12 && permuted.limited_by == block_limit::registers);
constexpr bm::occupancy large = resident(sm_90, {.threads = 256, .shared_bytes = 65536});
static_assert(large.blocks == 3 && large.needs_opt_in &&
              large.limited_by == block_limit::shared_memory);
static_assert(largest_shared_bytes(sm_90, 256, 8) == 28160 &&
              largest_shared_bytes(sm_90, 256, 1) == 232448);

// The system's KiB counts from 8.0 on (a GeForce RTX 5090 reports 1024 of 102400 bytes), and
// units are 256 or 128 bytes.
static_assert(resident(bm::nvidia::sm_120, {.threads = 32, .shared_bytes = 50176}).blocks == 2);
static_assert(resident(bm::nvidia::sm_120, {.threads = 32, .shared_bytes = 50177}).blocks == 1);
static_assert(resident(bm::nvidia::sm_70, {.threads = 32, .shared_bytes = 49152}).blocks == 2);
static_assert(resident(bm::nvidia::sm_70, {.threads = 32, .shared_bytes = 49153}).blocks == 1);
static_assert(resident(bm::nvidia::sm_120, {.threads = 32}).by_shared_memory == 100 &&
              resident(bm::nvidia::sm_70, {.threads = 32}).fits());

// A block may have its opt-in bytes, and no byte more.
static_assert(!resident(sm_90, {.threads = 32, .shared_bytes = 49152}).needs_opt_in);
static_assert(resident(sm_90, {.threads = 32, .shared_bytes = 49153}).needs_opt_in);
static_assert(resident(sm_90, {.threads = 32, .shared_bytes = 232448}).blocks == 1);
static_assert(!resident(sm_90, {.threads = 32, .shared_bytes = 232449}).fits());
static_assert(resident(sm_90, {.threads = 32, .shared_bytes = 232449}).limited_by ==
              block_limit::shared_memory);
static_assert(resident(sm_32, {.threads = 32, .shared_bytes = 49152}).blocks == 1);
static_assert(!resident(sm_32, {.threads = 32, .shared_bytes = 49153}).fits());
static_assert(!resident(sm_90, {.threads = 32, .shared_bytes = 0x7fffffffffffffff}).fits());

// Each limit, and the order in which limits are named.
static_assert(resident(sm_90, {.threads = 32}).blocks == 32 &&
              resident(sm_90, {.threads = 32}).limited_by == block_limit::block_slots);
// all but threads: 32
static_assert(resident(sm_90, {.threads = 64, .shared_bytes = 6272}).limited_by ==
              block_limit::block_slots);
// whole warps
static_assert(resident(sm_90, {.threads = 33}).blocks == 32 &&
              resident(sm_90, {.threads = 65}).blocks == 21);
static_assert(resident(sm_90, {.threads = 1024}).blocks == 2 &&
              resident(sm_90, {.threads = 1024}).limited_by == block_limit::warps);
static_assert(!resident(sm_90, {.threads = 1025}).fits() &&
              resident(sm_90, {.threads = 1025}).limited_by == block_limit::threads);
static_assert(!resident(sm_90, {.threads = 0x7fffffff, .registers_per_thread = 255}).fits());
static_assert(resident(sm_90, {.threads = 256, .registers_per_thread = 255}).blocks == 1);
static_assert(!resident(sm_90, {.threads = 288, .registers_per_thread = 255}).fits());
static_assert(resident(sm_90, {.threads = 288, .registers_per_thread = 255}).limited_by ==
              block_limit::registers);
// 72 after rounding, 73728 for the block
static_assert(!resident(sm_90, {.threads = 1024, .registers_per_thread = 65}).fits());

// Compute capability 1.x takes a block's warps in pairs: of 3 warps, which count as 4, 6 fit
// into 24, and 8 of 512 bytes or less.
static_assert(resident(bm::nvidia::sm_10, {.threads = 96}).blocks == 6 &&
              resident(bm::nvidia::sm_10, {.threads = 96}).warps == 18);
static_assert(resident(bm::nvidia::sm_10, {.threads = 32, .shared_bytes = 2049}).blocks == 6 &&
              resident(bm::nvidia::sm_13, {.threads = 32}).blocks == 8);
static_assert(!resident(bm::nvidia::sm_10, {.threads = 513}).fits() &&
              resident(bm::nvidia::sm_21, {.threads = 1024, .shared_bytes = 49152}).blocks == 1);

// AMD: 16 blocks that need a barrier, any number of a single warp; gfx950 gives shared memory
// in units of 1280 bytes.
static_assert(resident(bm::amd::gfx942, {.threads = 128}).blocks == 16 &&
              resident(bm::amd::gfx942, {.threads = 64}).blocks == 32);
static_assert(resident(bm::amd::gfx90a, {.threads = 256, .shared_bytes = 32768}).blocks == 2 &&
              resident(bm::amd::gfx90a, {.threads = 256, .shared_bytes = 32769}).blocks == 1);
static_assert(resident(bm::amd::gfx950, {.threads = 256, .shared_bytes = 20480}).blocks == 8 &&
              resident(bm::amd::gfx950, {.threads = 256, .shared_bytes = 20481}).blocks == 7);

// NMS of Apache TVM (pull request 7623): 1024 threads with 35 registers do not start on a
// Jetson TX2, 512 do.
static_assert(!resident(sm_62, {.threads = 1024, .registers_per_thread = 35}).fits());
static_assert(resident(sm_62, {.threads = 512, .registers_per_thread = 35}).blocks == 3);
static_assert(resident(bm::nvidia::sm_61, {.threads = 1024, .registers_per_thread = 35}).blocks ==
              1);

// 21 warps with 88 registers a thread fit two sub-partitions of 6.0, but not the limit for all
// Pascals.
static_assert(!resident(bm::nvidia::sm_60, {.threads = 672, .registers_per_thread = 88}).fits());
static_assert(resident(bm::nvidia::sm_60, {.threads = 32, .registers_per_thread = 72}).blocks ==
              28);
static_assert(resident(bm::nvidia::sm_61, {.threads = 32, .registers_per_thread = 72}).blocks ==
              28);
static_assert(resident(bm::nvidia::sm_60, {.threads = 32, .registers_per_thread = 88}).blocks ==
              22);
static_assert(resident(bm::nvidia::sm_61, {.threads = 32, .registers_per_thread = 88}).blocks ==
              20);

namespace {

using presentation::block_of;
using presentation::column;
using presentation::tk1;
using presentation::tx2;

template <int Columns>
constexpr bool agrees(const bm::machine& m, const column (&table)[Columns]) {
  for (const column& c : table)
    for (int mapping = 0; mapping < 4; ++mapping)
      if (resident(m, block_of(c, mapping)).blocks != c.blocks[mapping]) return false;
  return true;
}
static_assert(agrees(sm_32, tk1) && agrees(sm_62, tx2));

class dice {
 public:
  explicit dice(unsigned seed) : random_(seed) {}
  int uniform(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

 private:
  std::mt19937_64 random_;
};

// Places one block after another on a multiprocessor, each warp into the sub-partition with
// most registers left.
int placed(const bm::machine& m, const bm::block_resources& block) {
  const bm::residency& l = m.limits;
  const auto rounded_up = [](long long value, long long unit) {
    return value % unit == 0 ? value : value - value % unit + unit;
  };
  const long long warps = rounded_up(block.threads, m.lanes) / m.lanes;
  const long long of_a_warp =
      rounded_up(block.registers_per_thread * m.lanes, l.register_granularity);
  if (block.threads > l.threads_per_block || block.shared_bytes > l.shared_per_block_opt_in)
    return 0;
  if (rounded_up(warps, l.register_check_warps) * of_a_warp > l.registers_per_block) return 0;

  std::vector<long long> registers_left(static_cast<std::size_t>(l.sub_partitions),
                                        l.registers_per_multiprocessor / l.sub_partitions);
  long long bytes_left = l.shared_per_multiprocessor, warps_left = l.warps_per_multiprocessor,
            threads_left = l.threads_per_multiprocessor;
  for (int blocks = 0; blocks < l.blocks_per_multiprocessor; ++blocks) {
    bytes_left -= rounded_up(block.shared_bytes + l.shared_reserved, l.shared_granularity);
    warps_left -= warps;
    threads_left -= block.threads;
    if (bytes_left < 0 || warps_left < 0 || threads_left < 0) return blocks;
    for (long long warp = 0; warp < warps; ++warp) {
      auto roomiest = std::max_element(registers_left.begin(), registers_left.end());
      if ((*roomiest -= of_a_warp) < 0) return blocks;
    }
  }
  return l.blocks_per_multiprocessor;
}

bm::machine of_ones_own(dice& roll) {
  bm::machine m;
  const int lanes = roll.uniform(1, 33);
  m.lanes = lanes == 33 ? 64 : lanes;
  m.limits = {.shared_per_multiprocessor = roll.uniform(1, 3000),
              .shared_per_block = roll.uniform(1, 500),
              .shared_per_block_opt_in = roll.uniform(1, 1500),
              .shared_granularity = roll.uniform(1, 40),
              .shared_reserved = roll.uniform(0, 1) * roll.uniform(0, 50),
              .threads_per_block = roll.uniform(1, 300),
              .threads_per_multiprocessor = roll.uniform(1, 1000),
              .warps_per_multiprocessor = roll.uniform(1, 40),
              .blocks_per_multiprocessor = roll.uniform(1, 20),
              .registers_per_multiprocessor = roll.uniform(1, 20000),
              .registers_per_block = roll.uniform(1, 20000),
              .registers_per_thread = roll.uniform(1, 30),
              .register_granularity = roll.uniform(1, 100),
              .register_check_warps = roll.uniform(1, 5),
              .sub_partitions = roll.uniform(1, 5)};
  return m;
}

constexpr int models[] = {30, 32, 35, 37, 50, 52, 53,  60,  61,  62,  70, 72,
                          75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121};
bm::machine machine_of(int model) { return bm::nvidia::compute_capability(model / 10, model % 10); }

}  // namespace

// Achieved occupancy is an average over time, so it cannot exceed the resident warps. Two
// numbers of the table do: with its one resident block, the padded convolutions on the TX2
// could have reached 25 and 12.5 per cent.
TEST_CASE(
    "no measured occupancy of the presentation exceeds the resident warps, except two errors of "
    "its own",
    "[occupancy]") {
  std::string excess;
  const auto look = [&](const bm::machine& m, const column& c) {
    for (int mapping = 0; mapping < 4; ++mapping)
      if (c.measured[mapping] >
          100.0 * resident(m, block_of(c, mapping)).warps / m.limits.warps_per_multiprocessor)
        excess += std::string(c.kernel) + " " + std::to_string(m.model) + " " +
                  std::to_string(mapping) + "; ";
  };
  for (const column& c : tk1) look(sm_32, c);
  for (const column& c : tx2) look(sm_62, c);
  CHECK(excess == "Convolution Col 62 1; Convolution Row 62 1; ");
}

TEST_CASE("resident() places as many blocks as fit one after the other", "[occupancy]") {
  dice roll(1);
  int reached[5] = {}, none = 0;
  for (int round = 0; round < 300'000; ++round) {
    const bm::machine m = of_ones_own(roll);
    const bm::block_resources block{roll.uniform(1, 330), roll.uniform(0, 2) * roll.uniform(0, 800),
                                    roll.uniform(1, m.limits.registers_per_thread)};
    const bm::occupancy result = resident(m, block);
    if (result.blocks != placed(m, block)) {
      INFO("seed 1, round " << round);
      REQUIRE(result.blocks == placed(m, block));
    }
    REQUIRE(result.warps == result.blocks * ((block.threads + m.lanes - 1) / m.lanes));
    REQUIRE(result.needs_opt_in == (block.shared_bytes > m.limits.shared_per_block));

    // The first of those that allow no more.
    const int limits[] = {result.by_block_slots, result.by_warps, result.by_threads,
                          result.by_registers, result.by_shared_memory};
    const int first = static_cast<int>(std::find(limits, limits + 5, result.blocks) - limits);
    REQUIRE(static_cast<int>(result.limited_by) == first);
    REQUIRE(*std::min_element(limits, limits + 5) == result.blocks);
    ++reached[first];
    none += result.fits() ? 0 : 1;
  }
  for (const int times : reached) CHECK(times > 1000);
  CHECK(none > 10'000);
  CHECK(none < 290'000);
}

TEST_CASE("largest_shared_bytes() is enough for the given blocks, and one byte more is not",
          "[occupancy]") {
  const auto holds = [](const bm::machine& m, int threads, int registers) {
    const int maximum = resident(m, {threads, 0, registers}).blocks;
    for (int blocks = 1; blocks <= maximum; ++blocks) {
      const long long bytes = largest_shared_bytes(m, threads, blocks, registers);
      REQUIRE(bytes >= 0);
      REQUIRE(bytes <= m.limits.shared_per_block_opt_in);
      REQUIRE(resident(m, {threads, bytes, registers}).blocks >= blocks);
      if (bytes < m.limits.shared_per_block_opt_in)
        REQUIRE(resident(m, {threads, bytes + 1, registers}).blocks < blocks);
    }
    return maximum;
  };
  for (const int model : models)
    for (int threads = 16; threads <= 1024; threads += 16)
      for (const int registers : {0, 37}) holds(machine_of(model), threads, registers);

  dice roll(2);
  int some = 0;
  for (int round = 0; round < 20'000; ++round) {
    const bm::machine m = of_ones_own(roll);
    const int threads = roll.uniform(1, 330);
    some += holds(m, threads, roll.uniform(0, m.limits.registers_per_thread)) > 0 ? 1 : 0;
  }
  CHECK(some > 2000);
}

TEST_CASE("more bytes, registers or warps never give more blocks", "[occupancy]") {
  for (const int model : models) {
    const bm::machine m = machine_of(model);
    int previous = 1 << 30;
    for (int bytes = 0; bytes <= m.limits.shared_per_block_opt_in + 2;
         bytes += bytes < 3000 ? 1 : 31) {
      const int blocks = resident(m, {64, bytes}).blocks;
      REQUIRE(blocks <= previous);
      previous = blocks;
    }
    previous = 1 << 30;
    for (int registers = 1; registers <= m.limits.registers_per_thread; ++registers) {
      const int blocks = resident(m, {96, 0, registers}).blocks;
      REQUIRE(blocks <= previous);
      previous = blocks;
    }
    CHECK_THROWS_AS(resident(m, {96, 0, m.limits.registers_per_thread + 1}), bm::error);
    previous = 1 << 30;
    for (int threads = 1; threads <= 1025; ++threads) {
      const int blocks = resident(m, {threads, 512, 16}).blocks;
      REQUIRE(blocks <= previous);
      previous = blocks;
    }
    CHECK(previous == 0);
  }
}

// A machine without registers gives results for blocks whose registers are unknown.
TEST_CASE("a user's machine without registers", "[occupancy]") {
  bm::machine m = sm_90;
  m.limits.registers_per_multiprocessor = m.limits.registers_per_block =
      m.limits.registers_per_thread = 0;
  m.limits.register_granularity = m.limits.register_check_warps = m.limits.sub_partitions = 0;
  CHECK(resident(m, {256, 16384}) == resident(sm_90, {256, 16384}));
  CHECK(largest_shared_bytes(m, 256, 8) == 28160);
  CHECK_THROWS_AS(resident(m, {256, 16384, 32}), bm::error);
}
