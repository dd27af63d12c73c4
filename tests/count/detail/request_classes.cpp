// SPDX-License-Identifier: MIT
// Request classes: their cost is that of total(), and their requests are those of running every
// thread.
#include <bankmodel/count/request_classes.hpp>
#include <bankmodel/layout/families.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <string>

#include "catch.hpp"
#include "examples/kernels.hpp"

namespace bm = bankmodel;
using namespace bm::index;

namespace {

constexpr auto a = bm::shared_array<float>("a", 4096);

// Runs the lowest active lane to its access at this place: it must get there, to this address.
void compare_place(const bm::machine& m, const bm::block_dim& block, const auto& access,
                   const bm::request_class& pattern, const bm::request_place& place,
                   long long base) {
  const int lane = bm::detail::trailing_zeros(pattern.lanes.active);
  const int thread = place.warp * m.lanes + lane;
  long long values[bm::variables] = {};
  const auto set = [&](bm::variable name, long long number) {
    values[static_cast<int>(name)] = number;
  };
  set(bm::variable::tx, thread % block.x);
  set(bm::variable::ty, thread / block.x % block.y);
  set(bm::variable::tz, thread / block.x / block.y);
  set(bm::variable::tid, thread);
  set(bm::variable::lane, lane);
  set(bm::variable::warp, place.warp);
  const auto value = [&](const bm::slice& of_program) {
    return bm::detail::evaluate(access.nodes + of_program.first, of_program.size, values);
  };
  for (int level = 0; level < access.depth; ++level) {
    const bm::wrapper& w = access.wrappers[level];
    if (w.kind == bm::wrapper_kind::filter) {
      CHECK(value(w.first) != 0);
      continue;
    }
    const long long trip =
        place.trip[static_cast<int>(w.variable) - static_cast<int>(bm::variable::loop_0)];
    long long current = 0;
    if (w.kind == bm::wrapper_kind::values) {
      REQUIRE(trip < w.first.size);
      current = access.nodes[w.first.first + trip].value;
    } else {
      const long long first = value(w.first), step = value(w.step);
      CHECK(trip < bm::detail::trips_of(w.kind, first, value(w.last), step));
      current = first + (w.kind == bm::wrapper_kind::range ? trip * step : 0);
      for (long long k = 0; w.kind != bm::wrapper_kind::range && k < trip; ++k)
        current = bm::detail::next(w.kind, current, step);
    }
    set(w.variable, current);
  }
  bm::detail::four subscripts;
  for (int d = 0; d < access.subscripts; ++d) subscripts[d] = value(access.subscript[d]);
  CHECK(access.array.base_bytes + access.array.layout(subscripts) * access.array.element_bytes ==
        base + pattern.lanes.address[lane]);
}

// The classes, and each of their requests.
void compare(const bm::machine& m, const bm::block_dim& block, const auto& access) {
  const bm::cost expected = bm::total(m, block, access);
  bm::cost by_class, one_by_one;
  bm::for_each_request_class(m, block, access, [&](const bm::request_class& pattern) {
    by_class = by_class + bm::total(m, pattern);
    long long requests = 1;
    for (int loop = 0; loop < pattern.loops; ++loop) requests *= pattern.loop[loop].trips;
    for (long long number = 0; number < requests; ++number) {
      bm::request r = pattern.lanes;
      long long base = pattern.base, steps[bm::request_class::max_loops] = {};
      for (long long loop = 0, rest = number; loop < pattern.loops;
           rest /= pattern.loop[loop].trips, ++loop) {
        steps[loop] = rest % pattern.loop[loop].trips;
        base += steps[loop] * pattern.loop[loop].step;
      }
      if (number < 50) compare_place(m, block, access, pattern, pattern.place(steps), base);
      for (int lane = 0; lane < m.lanes; ++lane) r.address[lane] += base;
      one_by_one = one_by_one + bm::total(m, r) * pattern.times;
    }
  });
  for (const auto& cost : {by_class, one_by_one}) {
    CHECK(cost.requests == expected.requests);
    CHECK(cost.wavefronts == expected.wavefronts);
    CHECK(cost.ideal == expected.ideal);
    CHECK(cost.degree == expected.degree);
  }
}

struct counter {
  int classes = 0;
  bm::request_class last;
  constexpr void operator()(const bm::request_class& pattern) { ++classes, last = pattern; }
};

constexpr counter classes_of(const bm::block_dim& block, const auto& access) {
  counter result;
  bm::for_each_request_class(bm::nvidia::sm_90, block, access, result);
  return result;
}

constexpr auto example = bm::for_loop(i, bm::range(0, 8), a.at(1024)[2 * tx + 64 * i]);
constexpr counter of_example = classes_of({32}, example);
static_assert(of_example.classes == 1 && of_example.last.base == 1024 &&
              of_example.last.lanes.address[31] == 248);
static_assert(of_example.last.loops == 1 && of_example.last.loop[0].step == 256 &&
              of_example.last.loop[0].trips == 8);
static_assert(bm::total(bm::nvidia::sm_90, of_example.last).wavefronts == 16 &&
              bm::total(bm::nvidia::sm_90, of_example.last).ideal == 8);

}  // namespace

TEST_CASE("the classes of the dissertation's kernels have the cost of total()", "[classes]") {
  for (const auto& machine :
       {bm::nvidia::sm_90, bm::nvidia::sm_35, bm::nvidia::sm_13, bm::amd::gfx942})
    kernels::for_each_kernel([&](const char* name, const auto& described) {
      INFO(name);
      const auto& block = described.block;
      if (block.x * block.y * block.z > machine.limits.threads_per_block) return;
      bm::for_each_access(described, [&](const auto& access) { compare(machine, block, access); });
    });
}

TEST_CASE("classes of filters, wide accesses and layouts", "[classes]") {
  for (const auto& machine : {bm::nvidia::sm_90, bm::nvidia::sm_35, bm::amd::gfx942}) {
    compare(machine, {32}, bm::for_loop(i, bm::range(0, 40), bm::if_threads(tx < i, a[2 * tx])));
    compare(machine, {48, 2},
            bm::for_loop(i, bm::range(tx, 100), bm::for_loop(j, bm::range(0, 3), a[3 * i + j])));
    compare(machine, {64}, bm::for_loop(i, bm::range(0, 5), bm::vectorized<4>(a[8 * tx + 4 * i])));
    compare(machine, {32, 4},
            bm::for_loop(i, bm::range(0, 4),
                         bm::shared_array<float>("t", 32, 32)[tx][(ty + 4 * i) ^ tx]));
    const auto tile = bm::shared_array<float>("t", 32, 32);
    compare(machine, {32, 4},
            bm::for_loop(i, bm::range(0, 4),
                         tile.with(tile.layout.permuted(bm::rotation(1)))[tx][ty + 4 * i]));
    compare(machine, {33, 3}, bm::if_threads(tx > 40, a[tx]));
  }
}

TEST_CASE("a class is relative to its lowest active lane", "[classes]") {
  const auto rows = bm::shared_array<float>("rows", 2, 33);
  const auto classes =
      bm::request_classes_of<1>(bm::nvidia::sm_90, {16, 2}, bm::if_threads(tx >= 3, rows[ty][tx]));
  REQUIRE(classes.is_complete());
  CHECK(classes.each[0].lanes.active == 0xfff8fff8);
  CHECK(classes.each[0].base == 12);
  CHECK(classes.each[0].lanes.address[3] == 0);
  CHECK(classes.each[0].lanes.address[4] == 4);
  CHECK(classes.each[0].lanes.address[19] == 132);
}

TEST_CASE("classes as values, and invalid classes", "[classes]") {
  const auto access = bm::for_loop(i, bm::range(1, 33), bm::if_threads(tx < i, a[2 * tx]));
  const auto classes = bm::request_classes_of<32>(bm::nvidia::sm_90, {32}, access);
  CHECK(classes.count == 32);
  CHECK(classes.is_complete());
  CHECK(bm::total(bm::nvidia::sm_90, classes.each, 32).wavefronts ==
        bm::total(bm::nvidia::sm_90, {32}, access).wavefronts);
  CHECK_FALSE(bm::request_classes_of<31>(bm::nvidia::sm_90, {32}, access).is_complete());

  const auto rule_of = [](const bm::request_class& tried) -> std::string {
    try {
      (void)bm::total(bm::nvidia::sm_90, tried);
    } catch (const bm::error& e) {
      return e.rule();
    }
    return "";
  };
  bm::request_class pattern = of_example.last;
  CHECK(rule_of(pattern) == "");
  pattern.base += 2;
  CHECK(rule_of(pattern) == "accesses_must_be_aligned_to_their_width");
  pattern = of_example.last;
  pattern.loop[0].step = 6;
  CHECK(rule_of(pattern) == "accesses_must_be_aligned_to_their_width");
  pattern = of_example.last;
  pattern.loop[0].trips = 0;
  CHECK(rule_of(pattern) == "a_request_class_must_have_requests");
  pattern = of_example.last;
  pattern.times = 0;
  CHECK(rule_of(pattern) == "a_request_class_must_have_requests");
  pattern.times = 1, pattern.loops = 10;
  CHECK(rule_of(pattern) == "a_request_class_must_have_requests");
  pattern = of_example.last;
  pattern.times = ~0ull;
  CHECK(rule_of(pattern) == "counts_must_fit_in_64_bits");
  pattern = {};
  CHECK(bm::total(bm::nvidia::sm_90, pattern) == bm::cost{});

  // The errors of a request, for each of the class: lanes that the machine has not, and the lowest
  // address of all loops.
  pattern = {.lanes = {.active = 1ull << 32 | 1, .bytes = 4}};
  CHECK(rule_of(pattern) == "active_lanes_must_be_of_the_warp");
  CHECK(bm::total(bm::amd::gfx942, pattern).requests == 1);
  pattern.lanes.active = 3;
  pattern.lanes.address[1] = -8;
  pattern.base = 4;
  CHECK(rule_of(pattern) == "addresses_of_a_request_must_not_be_negative");
  pattern.base = 8;
  CHECK(rule_of(pattern) == "");
  pattern.base = 108;
  pattern.loops = 2;
  pattern.loop[0] = {-20, 6};
  pattern.loop[1] = {4, 9};
  CHECK(rule_of(pattern) == "");
  pattern.loop[0].trips = 7;
  CHECK(rule_of(pattern) == "addresses_of_a_request_must_not_be_negative");
  pattern.loop[0] = {1ll << 62, 2};
  CHECK(rule_of(pattern) == "");
  pattern.loop[1] = pattern.loop[0];
  CHECK(rule_of(pattern) == "index_arithmetic_must_fit_in_64_bits");
}

TEST_CASE("classes on machines on which the cost may differ at each base", "[classes]") {
  bm::machine layered;  // a layer of 512 bytes, in bytes
  layered.lanes = 32;
  layered.loads.up_to_4 = layered.stores.up_to_4 = {.bank_num = 64, .W = 8, .N = 4};
  bm::machine rows = layered;  // 32 rows of words in a layer
  rows.loads.up_to_4 = rows.stores.up_to_4 = {.bank_num = 4, .W = 64, .N = 2};
  for (const bm::machine& m : {layered, rows}) {
    bm::request_class pattern{.lanes = {.active = 0b1011, .bytes = 1}};
    pattern.lanes.address[1] = 256;
    pattern.lanes.address[3] = 130;
    pattern.times = 3;
    pattern.loops = 2;
    for (const long long step : {0, 1, 4, 7, 64, 100, 512, 1000})
      for (const long long trips : {1, 2, 5, 128, 600}) {
        pattern.loop[0] = {step, trips};
        pattern.loop[1] = {36, 11};
        bm::cost sum;
        for (long long k = 0; k < trips; ++k)
          for (long long l = 0; l < 11; ++l) {
            bm::request r = pattern.lanes;
            for (const int lane : {0, 1, 3}) r.address[lane] += pattern.base + k * step + l * 36;
            sum = sum + bm::total(m, r) * 3;
          }
        CHECK(bm::total(m, pattern) == sum);
      }
    pattern.loop[0] = {1, 1ll << 40};
    CHECK(bm::total(m, pattern).requests == 33ull << 40);
  }
  // 512 residues of each of three loops are too many.
  bm::request_class nest{.lanes = {.active = 1, .bytes = 1}};
  nest.loops = 3;
  for (int loop = 0; loop < 3; ++loop) nest.loop[loop] = {1, 512};
  const auto rule_of = [&]() -> std::string {
    try {
      (void)bm::total(layered, nest);
    } catch (const bm::error& e) {
      return e.rule();
    }
    return "";
  };
  CHECK(rule_of() == "iterations_must_be_few_enough_to_count");
}
