// SPDX-License-Identifier: MIT
// total() by hand: the operators of the index language, counts that can be computed on paper,
// loops that are too long to enumerate, and errors.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include "catch.hpp"
#include "machines.hpp"

namespace bm = bankmodel;
using namespace bm::index;
using bm::nvidia::sm_35;
using bm::nvidia::sm_90;

namespace {

// Compares a[f(tx, ty, tz, i)] for i in [0, 6) with counting, where f is one function for the
// library and for numbers.
template <class Function>
void same_as_numbers(const Function& f) {
  const auto a = bm::shared_array<int>("a", 1 << 20);
  const auto access = bm::for_loop(i, bm::range(0, 6), bm::store(a[f(tx, ty, tz, i)]));
  for (const auto& tested : tested_machines)
    for (const auto& block : {bm::block_dim{32, 8}, bm::block_dim{16, 16}, bm::block_dim{33, 5},
                              bm::block_dim{7, 5, 3}, bm::block_dim{64, 2, 2}, bm::block_dim{48, 3},
                              bm::block_dim{2, 4, 8}, bm::block_dim{1, 70}}) {
      oracle::counts expected;
      const int threads = block.x * block.y * block.z;
      for (int first = 0; first < threads; first += 32)
        for (int trip = 0; trip < 6; ++trip) {
          std::map<int, long long> address;
          for (int lane = 0; lane < 32 && first + lane < threads; ++lane) {
            const int t = first + lane;
            address[lane] = 4 * f(t % block.x, t / block.x % block.y, t / block.x / block.y, trip);
          }
          const auto cost = counted(tested, address, 4, false);
          expected.requests += cost.requests;
          expected.wavefronts += cost.wavefronts;
          expected.degree = std::max(expected.degree, cost.degree);
        }
      const auto sum = bm::total(tested.machine, block, access);
      CHECK(sum.requests == expected.requests);
      CHECK(sum.wavefronts == expected.wavefronts);
      CHECK(sum.degree == expected.degree);
    }
}

template <class Call>
std::string rule_of(const Call& call) {
  try {
    call();
  } catch (const bm::error& e) {
    return e.rule();
  }
  return "";
}

}  // namespace

TEST_CASE("each operator of the index language has its C meaning", "[index]") {
  same_as_numbers([](auto x, auto y, auto z, auto t) { return 2 * x + 33 * y + z * 7 + t; });
  same_as_numbers([](auto x, auto y, auto, auto t) { return (x + 80) - y + 3 * t; });
  same_as_numbers([](auto x, auto y, auto, auto t) { return (x + 8 * y) / 3 + t; });
  same_as_numbers([](auto x, auto y, auto z, auto t) { return (5 * x + y + z) % 37 + t * 32; });
  same_as_numbers([](auto x, auto y, auto, auto t) { return (x << 3) + (y >> 1) + t; });
  same_as_numbers([](auto x, auto y, auto, auto t) { return ((x ^ y) & 31) + 32 * (t | 1); });
  same_as_numbers([](auto x, auto y, auto, auto t) { return bm::min(x, 9) * 32 + bm::max(y, t); });
  same_as_numbers([](auto x, auto y, auto, auto t) { return -(-x) + +y * (t + 1); });
  same_as_numbers([](auto x, auto y, auto z, auto t) { return x * y + z * t + 7 * x; });
}

TEST_CASE("conditions filter lanes, and inactive lanes are not checked", "[index]") {
  const auto a = bm::shared_array<float>("a", 32);
  const bm::block_dim block{64};
  const auto active = [&](const auto& condition) {
    return bm::total(sm_90, block, bm::if_threads(condition, a[tx % 32])).requests;
  };
  CHECK(active(tx < 32) == 1);
  CHECK(active(tx >= 31) == 2);
  CHECK(active(tx > 63) == 0);
  CHECK(active(tx <= 31 && tx != 5) == 1);
  CHECK(active(tx == 0 || tx == 63) == 2);
  CHECK(active(!(tx < 32)) == 1);
  CHECK(active(lane == 3 && warp == 1) == 1);
  CHECK(active(5 < tid && 6 > tid) == 0);
  // The right side is not evaluated if the left one decides: no division by zero.
  CHECK(active(tx != 0 && 64 / tx > 60) == 1);
  CHECK(active(tx == 0 || 64 / tx > 60) == 1);
  CHECK(rule_of([&] { (void)active(64 / tx > 60 && tx != 0); }) == "divisor_must_not_be_zero");
  // Subscripts of inactive lanes may have any value.
  CHECK(bm::total(sm_90, block, bm::if_threads(tx < 32, a[tx])).requests == 1);
  CHECK(bm::total(sm_90, block, bm::if_threads(tx >= 1 && tx < 33, a[tx - 1])).requests == 2);
  CHECK(rule_of([&] { (void)bm::total(sm_90, block, a[tx]); }) ==
        "subscripts_must_lie_within_their_extent");
}

TEST_CASE("loops too long to enumerate are counted", "[total]") {
  constexpr long long trips = 1'000'000'000'000;
  const auto a = bm::shared_array<float>("a", 64, 64);
  // Nothing inside reads k.
  const auto repeated = bm::for_loop(k, bm::range(0, trips), bm::load(a[tx][ty]));
  CHECK(bm::total(sm_90, bm::block_dim{32, 8}, repeated).wavefronts == 8ull * 32 * trips);
  // The subscript stays within its extent, over a whole long array: 33 elements per step.
  const auto row = bm::shared_array<float>("row", 34 * trips);
  const auto moving = bm::for_loop(k, bm::range(0, trips), bm::load(row[2 * tx + 33 * k]));
  const auto sum = bm::total(sm_90, bm::block_dim{32}, moving);
  CHECK(sum.requests == static_cast<unsigned long long>(trips));
  CHECK(sum.wavefronts == 2ull * trips);
  // On Kepler the 64 residues of a layer differ: stride 2 from an even word in the lower half
  // is conflict-free.
  unsigned long long of_64_bases = 0;
  for (int base = 0; base < 64; ++base)
    of_64_bases +=
        static_cast<unsigned>(bm::degree(bm::geometry{32, 8, 4, 4}, bm::access_1d{2, base}));
  CHECK(bm::total(sm_35, bm::block_dim{32}, moving).wavefronts == of_64_bases * (trips / 64));
  CHECK(trips % 64 == 0);
  // 10^15 iterations of two loops, one of them without effect.
  const auto nest = bm::for_loop(l, bm::range(0, 1000), moving);
  CHECK(bm::total(sm_90, bm::block_dim{32}, nest).requests == 1000ull * trips);
  // One iteration too many for the array is detected.
  const auto outside =
      bm::for_loop(k, bm::range(0, trips + trips / 33 + 100), bm::load(row[2 * tx + 33 * k]));
  CHECK(rule_of([&] { (void)bm::total(sm_90, bm::block_dim{32}, outside); }) ==
        "subscripts_must_lie_within_their_extent");
}

TEST_CASE("the largest count that fits in 64 bits, and the first that does not", "[total]") {
  const auto a = bm::shared_array<float>("a", 32);
  const auto times = [&](long long outer, long long inner) {
    return bm::total(
        sm_90, bm::block_dim{32},
        bm::for_loop(i, bm::range(0, outer), bm::for_loop(j, bm::range(0, inner), a[tx])));
  };
  CHECK(times(0xffffffffll, 0x100000001ll).wavefronts == 0xffffffffffffffffull);
  CHECK(rule_of([&] { (void)times(0x100000000ll, 0x100000000ll); }) ==
        "counts_must_fit_in_64_bits");
  const auto two = bm::shared_array<float>("two", 64);
  CHECK(rule_of([&] {
          (void)bm::total(sm_90, bm::block_dim{32},
                          bm::for_loop(i, bm::range(0, 0xffffffffll),
                                       bm::for_loop(j, bm::range(0, 0x100000001ll), two[2 * tx])));
        }) == "counts_must_fit_in_64_bits");
}

TEST_CASE("work above the limit is an error before it starts", "[total]") {
  const auto a = bm::shared_array<float>("a", 64);
  const auto walked = [&](long long trips) {
    return bm::total(sm_90, bm::block_dim{32},
                     bm::for_loop(i, bm::range(0, trips), bm::load(a[bm::min(tx, i * i / 7 % 64)])))
        .requests;
  };
  CHECK(walked(1000) == 1000);
  CHECK(rule_of([&] { (void)walked(bm::most_iterations + 1); }) ==
        "iterations_must_be_few_enough_to_count");
  CHECK(rule_of([&] { (void)walked(1'000'000'000'000'000); }) ==
        "iterations_must_be_few_enough_to_count");
}

TEST_CASE("blocks whose last warp is not full, and warps that wrap around rows", "[total]") {
  const auto a = bm::shared_array<float>("a", 64, 64);
  CHECK(bm::total(sm_90, bm::block_dim{33}, a[0][tx]).requests == 2);
  CHECK(bm::total(sm_90, bm::block_dim{48, 16}, a[ty][tx]).requests == 24);
  CHECK(bm::total(sm_90, bm::block_dim{33, 31}, a[ty][tx]).requests == 32);
  CHECK(bm::total(sm_90, bm::block_dim{1, 1, 1}, a[ty][tx]).wavefronts == 1);
}

TEST_CASE("a block index is 0 unless it is given", "[total]") {
  const auto a = bm::shared_array<float>("a", 4096);
  const auto access = bm::load(a[tx * (bx + 1)]);
  CHECK(bm::total(sm_90, bm::block_dim{32}, access).degree == 1);
  CHECK(bm::total(sm_90, bm::block_dim{32}, access, bm::block_index{.x = 7}).degree == 8);
}

TEST_CASE("an array's base", "[total]") {
  const auto a = bm::shared_array<float>("a", 256);
  const bm::block_dim block{32};
  // Stride 2 on Kepler is free from the start of a layer and two-way from its middle.
  CHECK(bm::total(sm_35, block, a[2 * tx]).degree == 1);
  CHECK(bm::total(sm_35, block, a.at(128)[2 * tx]).degree == 2);
  CHECK(bm::total(sm_90, block, a.at(128)[2 * tx]).degree == 2);
  CHECK(bm::total(sm_90, block, bm::vectorized<4>(a.at(16)[4 * tx])).wavefronts == 4);
  CHECK(rule_of([&] { (void)bm::total(sm_90, block, bm::vectorized<4>(a.at(8)[4 * tx])); }) ==
        "accesses_must_be_aligned_to_their_width");
  CHECK(rule_of([&] { (void)a.at(2); }) == "array_base_must_be_aligned_to_its_element");
}

TEST_CASE("wide accesses must be aligned in each iteration and stay in their row", "[total]") {
  const auto a = bm::shared_array<float>("a", 8, 130);
  const bm::block_dim block{32};
  CHECK(bm::total(sm_90, block, bm::vectorized<2>(a[0][2 * tx])).requests == 1);
  CHECK(rule_of([&] {
          (void)bm::total(sm_90, block,
                          bm::for_loop(i, bm::range(0, 2), bm::vectorized<4>(a[i][4 * tx])));
        }) == "accesses_must_be_aligned_to_their_width");  // row 1 begins at byte 520
  CHECK(
      bm::total(sm_90, block, bm::for_loop(i, bm::range(0, 8, 2), bm::vectorized<4>(a[i][4 * tx])))
          .requests == 4);
  CHECK(rule_of([&] {
          (void)bm::total(sm_90, bm::block_dim{33}, bm::vectorized<4>(a[0][4 * tx]));
        }) == "subscripts_must_lie_within_their_extent");
  CHECK(rule_of([&] {
          const auto doubles = bm::shared_array<double>("d", 64);
          (void)bm::vectorized<4>(doubles[tx]);
        }) == "accesses_must_have_1_2_4_8_12_or_16_bytes_a_lane");
  const auto floats = bm::shared_array<float>("f", 128);
  CHECK(rule_of([&] { (void)bm::total(sm_90, block, bm::vectorized<3>(floats[4 * tx])); }) ==
        "the_machine_must_have_accesses_of_this_width");
}

TEST_CASE("kernels, lists and shared nests add up", "[total]") {
  const auto a = bm::shared_array<float>("a", 32, 32);
  const auto row = bm::store(a[ty][tx]), col = bm::load(a[tx][ty]);
  const bm::block_dim block{32, 32};
  const auto sum = bm::total(sm_90, block, row) + bm::total(sm_90, block, col);
  CHECK(bm::total(sm_90, bm::kernel(block, row, col)) == sum);
  const auto nest = bm::for_loop(
      i, bm::range(0, 10), bm::if_threads(tx < 16, row, bm::for_loop(j, bm::range(0, 3), col)));
  const auto first =
      bm::total(sm_90, block, bm::for_loop(i, bm::range(0, 10), bm::if_threads(tx < 16, row)));
  const auto other =
      bm::total(sm_90, block, bm::for_loop(i, bm::range(0, 30), bm::if_threads(tx < 16, col)));
  CHECK(bm::total(sm_90, block, nest) == first + other);
  int accesses = 0;
  bm::for_each_access(bm::kernel(block, nest, row), [&](const auto&) { ++accesses; });
  CHECK(accesses == 3);
  // load() and store() around a nest reach every access inside.
  const auto stores = bm::store(bm::for_loop(i, bm::range(0, 2), a[i][tx], a[tx][i]));
  bm::for_each_access(stores,
                      [](const auto& access) { CHECK(access.kind == bm::access_kind::store); });
}

TEST_CASE("ranges, powers and values run like their loops", "[total]") {
  const auto a = bm::shared_array<float>("a", 1 << 16);
  const auto trips = [&](const auto& range) {
    return bm::total(sm_90, bm::block_dim{32}, bm::for_loop(i, range, a[tx + i % 7])).requests;
  };
  CHECK(trips(bm::range(0, 10)) == 10);
  CHECK(trips(bm::range(0, 10, 3)) == 4);
  CHECK(trips(bm::range(10, 0, -3)) == 4);
  CHECK(trips(bm::range(5, 5)) == 0);
  CHECK(trips(bm::range(5, 4)) == 0);
  CHECK(trips(bm::powers(1, 256, 2)) == 8);
  CHECK(trips(bm::powers(1, 257, 2)) == 9);
  CHECK(trips(bm::powers(128, 0, 2)) == 8);
  CHECK(trips(bm::powers(100, 3, 3)) == 3);  // 100, 33, 11; 3 is not above 3
  CHECK(trips(bm::powers_up(5, 5, 2)) == 0);
  CHECK(trips(bm::powers_up(9, 5, 2)) == 0);
  CHECK(trips(bm::powers_up(1, 0x7fffffffffffffff, 2)) == 63);
  CHECK(trips(bm::values(4, 4, 9)) == 3);
  CHECK(rule_of([&] { (void)trips(bm::powers_up(0, 5, 2)); }) == "powers_must_end");
  CHECK(rule_of([&] { (void)trips(bm::powers_down(5, -1, 2)); }) == "powers_must_end");
  CHECK(rule_of([&] { (void)trips(bm::powers(tx + 8, 5, 2)); }) == "powers_must_have_a_direction");
  CHECK(rule_of([&] { (void)trips(bm::range(0, 10, tx)); }) == "step_must_not_be_zero");
  CHECK(rule_of([&] { (void)bm::range(0, 10, 0); }) == "step_must_not_be_zero");
}

TEST_CASE("bounds that depend on the thread: lanes in lockstep", "[total]") {
  const auto a = bm::shared_array<float>("a", 4096);
  // for (i = threadIdx.x; i < 1024; ++i) a[2 * threadIdx.x]: 1024 requests, the last 31 of them
  // with ever fewer lanes.
  const auto ragged =
      bm::total(sm_90, bm::block_dim{32}, bm::for_loop(i, bm::range(tx, 1024), a[2 * tx]));
  CHECK(ragged.requests == 1024);
  CHECK(ragged.conflicts() == 1008);
  // for (i = 0; i < threadIdx.x; ++i): lane 0 never enters.
  CHECK(bm::total(sm_90, bm::block_dim{32}, bm::for_loop(i, bm::range(0, tx), a[tx])).requests ==
        31);
  // Steps of the thread's own.
  CHECK(bm::total(sm_90, bm::block_dim{32}, bm::for_loop(i, bm::range(0, 32, tx + 1), a[32 * i]))
            .requests == 32);
}

TEST_CASE("loops around a filter or an empty loop are not enumerated", "[total]") {
  const auto a = bm::shared_array<float>("a", 64);
  constexpr long long trips = 1'000'000'000'000;
  const auto never = bm::for_loop(i, bm::range(bx, trips), bm::if_threads(i < 0, a[tx]));
  CHECK(bm::total(sm_90, bm::block_dim{32}, never).requests == 0);
  const auto in_lockstep = bm::for_loop(i, bm::range(tx, trips), bm::if_threads(i < 0, a[tx]));
  CHECK(bm::total(sm_90, bm::block_dim{32}, in_lockstep).requests == 0);
  const auto empty =
      bm::for_loop(i, bm::range(bx, trips), bm::for_loop(j, bm::range(i, i), a[(tx ^ i) & 63]));
  CHECK(bm::total(sm_90, bm::block_dim{32}, empty).requests == 0);
}

TEST_CASE("filtered code causes no errors", "[total]") {
  const auto a = bm::shared_array<float>("a", 4096);
  const bm::block_dim block{32};
  CHECK(bm::total(sm_90, block,
                  bm::if_threads(tx > 100, bm::for_loop(i, bm::powers_up(0, 10, 2), a[i])))
            .requests == 0);
  CHECK(bm::total(
            sm_90, block,
            bm::if_threads(tx > 100, bm::for_loop(i, bm::range(0, 1'000'000'000'000), a[i % 7])))
            .requests == 0);
  CHECK(bm::total(sm_90, block,
                  bm::if_threads(tx > 100,
                                 bm::for_loop(i, bm::range(0, 10), bm::vectorized<4>(a[tx * 3]))))
            .requests == 0);
}

TEST_CASE("the ends of 64 bits", "[total]") {
  constexpr long long huge = 1ll << 62, lowest = -huge - huge;
  const auto a = bm::shared_array<float>("a", 4096);
  const bm::block_dim block{32};
  const auto rule = [&](const auto& access) {
    return rule_of([&] { (void)bm::total(sm_90, block, access); });
  };
  CHECK(rule(a[tx % 2 * -huge * 2 + (1 - tx % 2)]) == "subscripts_must_lie_within_their_extent");
  CHECK(rule(a[tx % 2 * -huge * 2]) == "subscripts_must_lie_within_their_extent");
  CHECK(rule(a[tx * huge]) == "index_arithmetic_must_fit_in_64_bits");
  CHECK(rule(a[tx + huge + huge]) == "index_arithmetic_must_fit_in_64_bits");
  CHECK(rule(bm::vectorized<4>(a[tx % 2 * (huge - 1 + huge)])) ==
        "subscripts_must_lie_within_their_extent");
  CHECK(bm::total(sm_90, block, bm::for_loop(i, bm::range(5, 0, lowest), a[tx + i])).requests == 1);
  CHECK(bm::total(sm_90, block, bm::for_loop(i, bm::range(-huge, huge - 1, huge), a[tx + i * 0]))
            .requests == 2);
  CHECK(rule(bm::for_loop(i, bm::range(lowest, huge), a[tx + i * 0])) ==
        "index_arithmetic_must_fit_in_64_bits");
  bm::request r{.active = 1, .bytes = 4};
  r.address[0] = huge - 4 + huge;
  CHECK(rule_of([&] { (void)bm::total(sm_90, r); }) == "index_arithmetic_must_fit_in_64_bits");
  CHECK(rule_of([&] { (void)bm::shared_array<double>("d", huge); }) == "");
  CHECK(rule_of([&] { (void)bm::total(sm_90, block, bm::shared_array<double>("d", huge)[tx]); }) ==
        "index_arithmetic_must_fit_in_64_bits");
}

TEST_CASE("user-defined machines: many rows in a layer, and lanes above the warp's", "[total]") {
  const auto a = bm::shared_array<char>("a", 4096);
  bm::machine mine;
  mine.lanes = 32;
  mine.loads.up_to_4 = {.bank_num = 4, .W = 64, .N = 1};
  const auto access = bm::for_loop(j, bm::range(0, 300), a[7 * tx + j]);
  unsigned long long expected = 0;
  for (int trip = 0; trip < 300; ++trip)
    expected +=
        static_cast<unsigned>(bm::degree(bm::geometry{4, 64, 1, 1}, bm::access_1d{7, trip, 32}));
  CHECK(bm::total(mine, bm::block_dim{32}, access).wavefronts == expected);
  for (const int lanes : {0, -1, 33, 48, 63, 65, 128}) {
    mine.lanes = lanes;
    CHECK(rule_of([&] { (void)bm::total(mine, bm::block_dim{32}, access); }) ==
          "lanes_of_a_machine_must_be_1_to_32_or_64");
    CHECK(rule_of([&] { (void)bm::total(mine, bm::request{.active = 1, .bytes = 1}); }) ==
          "lanes_of_a_machine_must_be_1_to_32_or_64");
  }
}

TEST_CASE("an expression built by hand may share and scatter its programs", "[total]") {
  using bm::operation;
  bm::access_expression<1, 16> e{};
  e.array = bm::shared_array<float>("a", 64);
  e.subscripts = 1;
  e.nodes[0] = {operation::constant, 0};
  e.nodes[1] = {operation::constant, 1};
  e.nodes[3] = {operation::variable, static_cast<long long>(bm::variable::loop_0)};
  e.nodes[4] = {operation::variable, static_cast<long long>(bm::variable::tx)};
  e.subscript[0] = {3, 1};
  // for (i = 0; i < tx; i += 1) a[i]
  e.wrappers[0] = {bm::wrapper_kind::range, bm::variable::loop_0, {0, 1}, {4, 1}, {1, 1}};
  const auto sum = bm::total(sm_90, bm::block_dim{32}, e);
  CHECK(sum.requests == 31);
  CHECK(sum.wavefronts == 31);
}
