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
                   const bm::request_class& of, const bm::request_place& place, long long base) {
  const int lane = bm::detail::trailing_zeros(of.lanes.active);
  const int thread = place.warp * m.lanes + lane;
  long long values[bm::variables] = {};
  const auto set = [&](bm::variable which, long long to) { values[static_cast<int>(which)] = to; };
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
    long long here = 0;
    if (w.kind == bm::wrapper_kind::values) {
      REQUIRE(trip < w.first.size);
      here = access.nodes[w.first.first + trip].value;
    } else {
      const long long first = value(w.first), step = value(w.step);
      CHECK(trip < bm::detail::trips_of(w.kind, first, value(w.last), step));
      here = first + (w.kind == bm::wrapper_kind::range ? trip * step : 0);
      for (long long k = 0; w.kind != bm::wrapper_kind::range && k < trip; ++k)
        here = bm::detail::next(w.kind, here, step);
    }
    set(w.variable, here);
  }
  bm::detail::four at;
  for (int d = 0; d < access.subscripts; ++d) at[d] = value(access.subscript[d]);
  CHECK(access.array.base_bytes + access.array.layout(at) * access.array.element_bytes ==
        base + of.lanes.address[lane]);
}

// The classes, and each of their requests.
void compare(const bm::machine& m, const bm::block_dim& block, const auto& access) {
  const bm::cost expected = bm::total(m, block, access);
  bm::cost by_class, one_by_one;
  bm::for_each_request_class(m, block, access, [&](const bm::request_class& one) {
    by_class = by_class + bm::total(m, one);
    long long requests = 1;
    for (int loop = 0; loop < one.loops; ++loop) requests *= one.loop[loop].trips;
    for (long long number = 0; number < requests; ++number) {
      bm::request r = one.lanes;
      long long base = one.base, steps[bm::request_class::max_loops] = {};
      for (long long loop = 0, rest = number; loop < one.loops;
           rest /= one.loop[loop].trips, ++loop) {
        steps[loop] = rest % one.loop[loop].trips;
        base += steps[loop] * one.loop[loop].step;
      }
      if (number < 50) compare_place(m, block, access, one, one.place(steps), base);
      for (int lane = 0; lane < m.lanes; ++lane) r.address[lane] += base;
      one_by_one = one_by_one + bm::total(m, r) * one.times;
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
  constexpr void operator()(const bm::request_class& one) { ++classes, last = one; }
};

constexpr counter classes_of(const bm::block_dim& block, const auto& access) {
  counter all;
  bm::for_each_request_class(bm::nvidia::sm_90, block, access, all);
  return all;
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
  for (const auto& on : {bm::nvidia::sm_90, bm::nvidia::sm_35, bm::nvidia::sm_13, bm::amd::gfx942})
    kernels::for_each_kernel([&](const char* name, const auto& described) {
      INFO(name);
      const auto& block = described.block;
      if (block.x * block.y * block.z > on.limits.threads_per_block) return;
      bm::for_each_access(described, [&](const auto& access) { compare(on, block, access); });
    });
}

TEST_CASE("classes of filters, wide accesses and layouts", "[classes]") {
  for (const auto& on : {bm::nvidia::sm_90, bm::nvidia::sm_35, bm::amd::gfx942}) {
    compare(on, {32}, bm::for_loop(i, bm::range(0, 40), bm::if_threads(tx < i, a[2 * tx])));
    compare(on, {48, 2},
            bm::for_loop(i, bm::range(tx, 100), bm::for_loop(j, bm::range(0, 3), a[3 * i + j])));
    compare(on, {64}, bm::for_loop(i, bm::range(0, 5), bm::vectorized<4>(a[8 * tx + 4 * i])));
    compare(on, {32, 4},
            bm::for_loop(i, bm::range(0, 4),
                         bm::shared_array<float>("t", 32, 32)[tx][(ty + 4 * i) ^ tx]));
    const auto tile = bm::shared_array<float>("t", 32, 32);
    compare(on, {32, 4},
            bm::for_loop(i, bm::range(0, 4),
                         tile.with(tile.layout.permuted(bm::rotation(1)))[tx][ty + 4 * i]));
    compare(on, {33, 3}, bm::if_threads(tx > 40, a[tx]));
  }
}

TEST_CASE("a class is relative to its lowest active lane", "[classes]") {
  const auto rows = bm::shared_array<float>("rows", 2, 33);
  const auto all =
      bm::request_classes_of<1>(bm::nvidia::sm_90, {16, 2}, bm::if_threads(tx >= 3, rows[ty][tx]));
  REQUIRE(all.is_complete());
  CHECK(all.each[0].lanes.active == 0xfff8fff8);
  CHECK(all.each[0].base == 12);
  CHECK(all.each[0].lanes.address[3] == 0);
  CHECK(all.each[0].lanes.address[4] == 4);
  CHECK(all.each[0].lanes.address[19] == 132);
}

TEST_CASE("classes as values, and invalid classes", "[classes]") {
  const auto access = bm::for_loop(i, bm::range(1, 33), bm::if_threads(tx < i, a[2 * tx]));
  const auto all = bm::request_classes_of<32>(bm::nvidia::sm_90, {32}, access);
  CHECK(all.count == 32);
  CHECK(all.is_complete());
  CHECK(bm::total(bm::nvidia::sm_90, all.each, 32).wavefronts ==
        bm::total(bm::nvidia::sm_90, {32}, access).wavefronts);
  CHECK_FALSE(bm::request_classes_of<31>(bm::nvidia::sm_90, {32}, access).is_complete());

  const auto rule_of = [](const bm::request_class& one) -> std::string {
    try {
      (void)bm::total(bm::nvidia::sm_90, one);
    } catch (const bm::error& e) {
      return e.rule();
    }
    return "";
  };
  bm::request_class one = of_example.last;
  CHECK(rule_of(one) == "");
  one.base += 2;
  CHECK(rule_of(one) == "accesses_must_be_aligned_to_their_width");
  one = of_example.last;
  one.loop[0].step = 6;
  CHECK(rule_of(one) == "accesses_must_be_aligned_to_their_width");
  one = of_example.last;
  one.loop[0].trips = 0;
  CHECK(rule_of(one) == "a_request_class_must_have_requests");
  one = of_example.last;
  one.times = 0;
  CHECK(rule_of(one) == "a_request_class_must_have_requests");
  one.times = 1, one.loops = 10;
  CHECK(rule_of(one) == "a_request_class_must_have_requests");
  one = of_example.last;
  one.times = ~0ull;
  CHECK(rule_of(one) == "counts_must_fit_in_64_bits");
  one = {};
  CHECK(bm::total(bm::nvidia::sm_90, one) == bm::cost{});

  // The errors of a request, for each of the class: lanes that the machine has not, and the lowest
  // address of all loops.
  one = {.lanes = {.active = 1ull << 32 | 1, .bytes = 4}};
  CHECK(rule_of(one) == "active_lanes_must_be_of_the_warp");
  CHECK(bm::total(bm::amd::gfx942, one).requests == 1);
  one.lanes.active = 3;
  one.lanes.address[1] = -8;
  one.base = 4;
  CHECK(rule_of(one) == "addresses_of_a_request_must_not_be_negative");
  one.base = 8;
  CHECK(rule_of(one) == "");
  one.base = 108;
  one.loops = 2;
  one.loop[0] = {-20, 6};
  one.loop[1] = {4, 9};
  CHECK(rule_of(one) == "");
  one.loop[0].trips = 7;
  CHECK(rule_of(one) == "addresses_of_a_request_must_not_be_negative");
  one.loop[0] = {1ll << 62, 2};
  CHECK(rule_of(one) == "");
  one.loop[1] = one.loop[0];
  CHECK(rule_of(one) == "index_arithmetic_must_fit_in_64_bits");
}

TEST_CASE("classes on machines on which the cost may differ at each base", "[classes]") {
  bm::machine many;  // a layer of 512 bytes, in bytes
  many.lanes = 32;
  many.loads.up_to_4 = many.stores.up_to_4 = {.bank_num = 64, .W = 8, .N = 4};
  bm::machine rows = many;  // 32 rows of words in a layer
  rows.loads.up_to_4 = rows.stores.up_to_4 = {.bank_num = 4, .W = 64, .N = 2};
  for (const bm::machine& m : {many, rows}) {
    bm::request_class one{.lanes = {.active = 0b1011, .bytes = 1}};
    one.lanes.address[1] = 256;
    one.lanes.address[3] = 130;
    one.times = 3;
    one.loops = 2;
    for (const long long step : {0, 1, 4, 7, 64, 100, 512, 1000})
      for (const long long trips : {1, 2, 5, 128, 600}) {
        one.loop[0] = {step, trips};
        one.loop[1] = {36, 11};
        bm::cost each;
        for (long long k = 0; k < trips; ++k)
          for (long long l = 0; l < 11; ++l) {
            bm::request r = one.lanes;
            for (const int lane : {0, 1, 3}) r.address[lane] += one.base + k * step + l * 36;
            each = each + bm::total(m, r) * 3;
          }
        CHECK(bm::total(m, one) == each);
      }
    one.loop[0] = {1, 1ll << 40};
    CHECK(bm::total(m, one).requests == 33ull << 40);
  }
  // 512 residues of each of three loops are too many.
  bm::request_class nest{.lanes = {.active = 1, .bytes = 1}};
  nest.loops = 3;
  for (int loop = 0; loop < 3; ++loop) nest.loop[loop] = {1, 512};
  const auto rule_of = [&]() -> std::string {
    try {
      (void)bm::total(many, nest);
    } catch (const bm::error& e) {
      return e.rule();
    }
    return "";
  };
  CHECK(rule_of() == "iterations_must_be_few_enough_to_count");
}
