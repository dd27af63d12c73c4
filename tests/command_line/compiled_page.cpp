// SPDX-License-Identifier: MIT
// Compiled kernels: prices of recorded requests, rows, launches from the options and from the
// source, plans of arrays, places.
#include "examples/bankmodel/compiled/launch_arguments.hpp"
#include "examples/bankmodel/compiled/page/cycle_bounds.hpp"
#include "examples/bankmodel/compiled/page/lane_distances.hpp"
#include "examples/bankmodel/compiled/page/page.hpp"
#include "examples/bankmodel/compiled/page/side_by_side.hpp"
#include "examples/bankmodel/compiled/plan/array_plans.hpp"

#include <bankmodel/count/request_classes.hpp>
#include <bankmodel/global.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/machines/products.hpp>

#include <bit>
#include <random>

#include "catch.hpp"
#include "copied_tile.hpp"
#include "examples/bankmodel/search_options.hpp"
#include "examples/bankmodel/source.hpp"

namespace bm = bankmodel;
namespace cc = compiled;

namespace {

using copied_tile::lanes_of;

cc::recorded_access access_of(bool global, int line, const bm::request& lanes,
                              const std::map<long long, std::uint64_t>& times) {
  return copied_tile::access_of(global, {0, line, 3}, lanes, times);
}

const cc::kernel_code& kernel() {
  static const cc::kernel_code code = copied_tile::kernel("copy", "/nowhere/copy.cu");
  return code;
}

cc::page page_of(const bm::machine& m, const cc::recording& recorded) {
  return {&kernel(), &recorded, {.block = {32, 8}}, m, cc::priced_on(m, recorded)};
}

std::string refusal_of(const cc::question& asked,
                       const std::vector<cc::found_launch>& launches = {}) {
  try {
    (void)cc::launch_of(asked, kernel(), launches);
  } catch (const command_line::refusal& failure) {
    return failure.wrong + "; " + failure.right;
  }
  return "";
}

}  // namespace

TEST_CASE("recorded requests cost what each of them costs") {
  std::mt19937_64 dice(1);
  const auto draw = [&](std::uint64_t n) { return static_cast<long long>(dice() % n); };
  for (int round = 0; round < 400; ++round) {
    const int bytes = 1 << draw(5);
    const bool regular = draw(2) == 0;
    std::map<long long, std::uint64_t> times;
    for (int count = 1 + static_cast<int>(draw(12)); count > 0; --count)
      times[bytes * (regular ? 16ll * count : draw(2000))] =
          regular ? 3 : 1 + static_cast<std::uint64_t>(draw(3));
    const bm::request lanes = lanes_of(1 + static_cast<int>(draw(32)), bytes, bytes * draw(40));
    const bm::request load = lanes;
    for (const bm::machine& m : {bm::nvidia::sm_90, bm::nvidia::sm_35, bm::nvidia::sm_20}) {
      bm::cost cost;
      bm::memory_traffic traffic;
      for (const auto& [base, often] : times) {
        bm::request moved = load;
        for (long long& address : moved.address) address += base;
        cost = cost + bm::total(m, moved) * often;
        traffic = traffic + bm::traffic(m, moved) * often;
      }
      cc::recording recorded;
      recorded.accesses = {access_of(false, 1, load, times), access_of(true, 2, load, times)};
      const cc::priced costs = cc::priced_on(m, recorded);
      CHECK(costs.cost == cost);
      CHECK(costs.shared.at(0).cost == cost);
      CHECK(costs.traffic == traffic);
      CHECK(costs.global.at(0).traffic == traffic);
    }
  }
}

TEST_CASE("loads past the first cache are sectors where it moves lines") {
  cc::recording recorded;
  recorded.accesses = {access_of(true, 1, lanes_of(1, 4, 0), {{0, 1}})};
  CHECK(cc::priced_on(bm::nvidia::sm_20, recorded).traffic.bytes_moved == 128);
  recorded.accesses[0].memory.uncached = true;
  CHECK(cc::priced_on(bm::nvidia::sm_20, recorded).traffic.bytes_moved == 32);
  CHECK(cc::priced_on(bm::nvidia::sm_90, recorded).traffic.bytes_moved == 32);
}

TEST_CASE("accesses that do the same at one place share a row") {
  const bm::request row = lanes_of(32, 4, 4);
  cc::recording recorded;
  for (int copy = 0; copy < 4; ++copy)
    recorded.accesses.push_back(access_of(false, 7, row, {{1024 * copy, 1}}));
  recorded.accesses.push_back(access_of(false, 5, row, {{0, 1}}));
  recorded.accesses.push_back(access_of(false, 7, lanes_of(32, 8, 8), {{0, 1}}));
  // An access whose address was never known, and one of the same place.
  cc::recorded_access unknown;
  unknown.location = {0, 9, 3};
  unknown.is_global = unknown.is_partial = true;
  unknown.reason = "n";
  recorded.accesses.push_back(unknown);
  recorded.accesses.push_back(access_of(true, 9, row, {{0, 1}}));
  const cc::priced costs = cc::priced_on(bm::nvidia::sm_90, recorded);
  REQUIRE(costs.shared.size() == 3);
  CHECK(costs.shared[0].first->location.line == 5);
  CHECK(costs.shared[1].cost.requests == 4);
  CHECK(costs.shared[2].cost.wavefronts == 2);
  REQUIRE(costs.global.size() == 1);
  CHECK(costs.global[0].first->array == 0);
  CHECK((costs.global[0].is_partial && costs.global[0].reason == "n" && costs.is_partial_global));
  CHECK(costs.global[0].traffic.requests == 1);
}

TEST_CASE("the worst request to global memory is the one with the most to save") {
  cc::recording recorded;
  recorded.accesses = {access_of(true, 1, lanes_of(32, 4, 4), {{0, 5}, {4, 1}, {32, 2}})};
  const cc::priced costs = cc::priced_on(bm::nvidia::sm_90, recorded);
  CHECK(bm::traffic(bm::nvidia::sm_90, costs.global[0].worst).transactions == 5);
  // Two lanes that are far apart could be in one segment; a whole row is in the fewest.
  cc::recording two;
  two.accesses = {access_of(true, 1, lanes_of(32, 4, 4), {{0, 1}})};
  cc::recorded_class group = two.accesses[0].classes[0];
  group.lanes = lanes_of(32, 4, 4096);
  group.lanes.active = 3;
  two.accesses[0].classes.push_back(group);
  CHECK(cc::priced_on(bm::nvidia::sm_90, two).global[0].worst.active == 3);
  cc::source_lines lines("");
  CHECK(cc::as_text(page_of(bm::nvidia::sm_90, recorded), lines)
            .find("moves 5 segments of 32 bytes") != std::string::npos);
}

TEST_CASE("padding of an array from its own requests") {
  cc::recording recorded;
  recorded.accesses = {access_of(false, 1, lanes_of(32, 4, 4), {{0, 1}, {128, 1}}),
                       access_of(false, 2, lanes_of(32, 4, 128), {{0, 1}, {4, 1}})};
  const auto plans = cc::array_plans(page_of(bm::nvidia::sm_90, recorded));
  REQUIRE(plans.size() == 1);
  CHECK(plans[0].text ==
        "tile declared as tile[32][33] takes 4 wavefronts instead of 66, in 4,224 bytes instead of "
        "4,096.");
  CHECK((plans[0].is_a_declaration && plans[0].fix.empty() && plans[0].refusal.empty()));
  SECTION("not if some of them are unknown") {
    recorded.accesses[0].is_partial = true;
    CHECK(cc::array_plans(page_of(bm::nvidia::sm_90, recorded)).empty());
  }
  SECTION("not if an access is to several arrays") {
    recorded.accesses[0].array = -1;
    CHECK(cc::array_plans(page_of(bm::nvidia::sm_90, recorded)).empty());
  }
  SECTION("not if nothing helps") {
    recorded.accesses.pop_back();
    CHECK(cc::array_plans(page_of(bm::nvidia::sm_90, recorded)).empty());
  }
}

TEST_CASE("limits of plans") {
  cc::recording recorded;
  recorded.accesses = {access_of(false, 1, lanes_of(32, 4, 4), {{0, 1}, {128, 1}}),
                       access_of(false, 2, lanes_of(32, 4, 128), {{0, 1}, {4, 1}})};
  const cc::page page = page_of(bm::nvidia::sm_90, recorded);
  std::vector<std::string> omissions;
  const auto plans_within = [&](bm::search constraints) {
    omissions.clear();
    return cc::array_plans(page, &omissions, cc::candidates::known, constraints);
  };
  bm::search options = cc::default_search;
  options.layouts = bm::layouts::xor_swizzle;
  auto plans = plans_within(options);
  REQUIRE(plans.size() == 1);
  CHECK((!plans[0].is_a_declaration && plans[0].planned.required_size() == 1024));
  // The padded rows take 4,224 bytes.
  options = cc::default_search;
  options.shared_bytes = 4223;
  plans = plans_within(options);
  REQUIRE(plans.size() == 1);
  CHECK(!plans[0].is_a_declaration);
  options.shared_bytes = 4224;
  CHECK(plans_within(options).at(0).is_a_declaration);
  options.shared_bytes = 4095;
  CHECK(plans_within(options).empty());
  CHECK(omissions.at(0).find("the arrays take 4,096 bytes, and") != std::string::npos);
  // A multiprocessor has 2048 threads, in blocks of 256.
  options = cc::default_search;
  options.resident_blocks = 9;
  CHECK_THROWS_AS(plans_within(options), bm::error);
  options.resident_blocks = 8;
  CHECK(plans_within(options).at(0).is_a_declaration);
  options.keep.name[options.keep.count++] = command_line::array_name_of("tile");
  CHECK(plans_within(options).empty());
  CHECK(omissions.at(0).find("--keep keeps it") != std::string::npos);
  options = cc::default_search;
  options.effort = 1;
  CHECK(plans_within(options).empty());
  CHECK(omissions.at(0).find("; the search ended early, raise --effort") != std::string::npos);
  options.effort = 0;
  options.shared_bytes = 1'000'000;
  CHECK_THROWS_AS(plans_within(options), bm::error);
}

TEST_CASE("a plan saves of a copy only what its source does not take") {
  const auto plans = [](long long source_stride) {
    bm::request column = lanes_of(32, 4, 128);
    column.kind = bm::access_kind::copy;
    cc::recording recorded;
    recorded.accesses = {access_of(false, 1, column, {{0, 1}})};
    recorded.accesses[0].memory.operation = cc::access_does::copy;
    recorded.accesses[0].classes[0].source = lanes_of(32, 4, static_cast<int>(source_stride));
    const cc::page page = page_of(bm::nvidia::sm_90, recorded);
    CHECK(page.costs.cost.wavefronts == 32);
    return cc::array_plans(page);
  };
  CHECK(plans(4).at(0).planned_cost.wavefronts == 1);
  CHECK(plans(8).at(0).planned_cost.wavefronts == 2);
  CHECK(plans(8).at(0).declared_cost.wavefronts == 32);
  CHECK(plans(64).at(0).planned_cost.wavefronts == 16);
  CHECK(plans(128).empty());
}

TEST_CASE("plans fit with the gaps between arrays") {
  // tile[33][32], an array of 16-byte elements, and 12 bytes: 132 bytes are free, which padding of
  // the rows takes; but it moves the others by 144.
  cc::kernel_code code = kernel();
  code.shared[0].extents = {33, 32};
  code.shared[0].bytes = 4224;
  cc::code_array rest, tail;
  rest.name = "rest";
  rest.bytes = 44784;
  rest.alignment = 16;
  tail.name = "tail";
  tail.bytes = 12;
  code.shared.insert(code.shared.end(), {rest, tail});
  cc::recording recorded;
  recorded.accesses = {access_of(false, 1, lanes_of(32, 4, 128), {{0, 1}})};
  cc::page page = page_of(bm::nvidia::sm_90, recorded);
  page.kernel = &code;
  for (const cc::array_plan& plan : cc::array_plans(page)) CHECK_FALSE(plan.is_a_declaration);
  code.shared[1].bytes -= 16;
  CHECK(cc::array_plans(page).at(0).text.find("tile[33][33]") != std::string::npos);
  // Dynamic arrays count from their own alignment, and declared ones may not take their place.
  code.shared[1].bytes += 16;
  code.shared.resize(1);
  page.settings.dynamic_shared_bytes = 49152 - 4224 - 128;
  CHECK_FALSE(cc::array_plans(page).at(0).is_a_declaration);
  page.settings.dynamic_shared_bytes -= 4;
  CHECK(cc::array_plans(page).at(0).is_a_declaration);
  // More than a block has without opting in: all that the machine has.
  page.settings.dynamic_shared_bytes = 60000;
  CHECK(cc::array_plans(page).at(0).is_a_declaration);
  rest.bytes = 44800;  // declared arrays may not have more all the same
  code.shared.push_back(rest);
  CHECK_FALSE(cc::array_plans(page).at(0).is_a_declaration);
  code.shared.pop_back();
  page.settings.dynamic_shared_bytes = bm::nvidia::sm_90.limits.shared_per_block_opt_in - 4224;
  CHECK_FALSE(cc::array_plans(page).at(0).is_a_declaration);
}

TEST_CASE("plans of several arrays fit together") {
  cc::kernel_code code = kernel();
  code.shared.push_back(code.shared[0]);
  code.shared[1].name = "second";
  cc::code_array rest;
  rest.name = "rest";
  rest.bytes = 49152 - 2 * 4096 - 128;
  code.shared.push_back(rest);
  cc::recording recorded;
  for (int array = 0; array < 2; ++array) {
    recorded.accesses.push_back(
        access_of(false, 1 + array, lanes_of(32, 4, 128), {{4096 * array, 1}}));
    recorded.accesses.back().array = array;
  }
  cc::page page = page_of(bm::nvidia::sm_90, recorded);
  page.kernel = &code;
  std::vector<cc::array_plan> plans = cc::array_plans(page);
  REQUIRE(plans.size() == 2);
  CHECK((plans[0].is_a_declaration && !plans[1].is_a_declaration && plans[1].array == 1));
  code.shared[2].bytes -= 128;
  plans = cc::array_plans(page);
  REQUIRE(plans.size() == 2);
  CHECK((plans[0].is_a_declaration && plans[1].is_a_declaration));
}

TEST_CASE("arrays whose extents are not all of them have no plan") {
  cc::recording recorded;
  recorded.accesses = {access_of(false, 1, lanes_of(32, 4, 8), {{0, 1}})};
  cc::kernel_code code = kernel();
  cc::page page = page_of(bm::nvidia::sm_90, recorded);
  page.kernel = &code;
  CHECK_FALSE(cc::array_plans(page).empty());
  code.shared[0].extents = {64};  // as of tile[][64] in dynamic memory
  CHECK(cc::array_plans(page).empty());
  code.shared[0].bytes = 0;
  page.settings.dynamic_shared_bytes = 256;
  CHECK(cc::array_plans(page).empty());
}

TEST_CASE("plans of accesses that are issued otherwise say so") {
  // Two words of each row become one instruction of 8 bytes.
  cc::recording recorded;
  for (const long long base : {0ll, 4ll})
    recorded.accesses.push_back(access_of(false, 1, lanes_of(32, 4, 128), {{base, 1}}));
  recorded.accesses[0].issued_bytes = recorded.accesses[1].issued_bytes = 8;
  recorded.accesses[1].issued_with = 0;
  const auto plans = cc::array_plans(page_of(bm::nvidia::sm_90, recorded));
  REQUIRE(plans.size() == 1);
  CHECK(plans[0].is_as_issued);
  CHECK(plans[0].text ==
        "tile declared as tile[32][34] takes 2 wavefronts instead of 32 as issued, in 4,352 bytes "
        "instead of 4,096; accesses of 8 bytes stay aligned and in one piece.");
  // The rules are nvcc's: on other machines the same code is counted as written.
  const auto written = cc::array_plans(page_of(bm::amd::gfx1030, recorded));
  REQUIRE_FALSE(written.empty());
  CHECK_FALSE(written[0].is_as_issued);
  CHECK(written[0].declared_cost == cc::priced_on(bm::amd::gfx1030, recorded).cost);
}

TEST_CASE("launches") {
  cc::question asked;
  asked.block = "32x8x2";
  asked.grid = "5";
  asked.grid_index = "4";
  asked.arguments = {"n=-1", "m=0x10"};
  asked.assumed = {"3=taken", "4=not-taken", "5=7"};
  asked.dynamic_shared_bytes = 12;
  const cc::launch options = cc::launch_of(asked, kernel(), {});
  CHECK((options.block.x == 32 && options.block.y == 8 && options.block.z == 2));
  CHECK((options.grid.x == 5 && options.grid.y == 1 && options.grid_index.x == 4 &&
         options.grid_index.z == 0));
  CHECK(options.arguments == std::map<std::string, std::uint64_t>{{"m", 16}, {"n", ~0ull}});
  CHECK(options.assumed ==
        std::map<int, cc::assumption>{{3, {true, {}}}, {4, {false, {}}}, {5, {false, {{7, 7}}}}});
  CHECK(options.dynamic_shared_bytes == 12);

  CHECK(cc::launch_of({}, kernel(), {}).unknown_block == "PTX does not say it");
  for (const char* block : {"0", "x", "32x", "1x2x3x4", "-1", "99999999999", "32 x 8"}) {
    INFO(block);
    cc::question wrong;
    wrong.block = block;
    CHECK(refusal_of(wrong).find("--block 32x8") != std::string::npos);
  }
  for (const char* block : {"0x8", "2x1025", "99999999999999999999"}) {
    cc::question wrong;
    wrong.block = block;
    CHECK(refusal_of(wrong).find("; use 1 to 1024") != std::string::npos);
  }
  asked.grid_index = "5";
  CHECK(refusal_of(asked) == "--at 5 is not a block of the grid; raise --grid");
}

TEST_CASE("launches that the source states") {
  cc::found_launch first;
  first.linkage = "copy";
  first.block = {16, 4, 1};
  first.grid = {7, 2, 1};
  first.dynamic_shared_bytes = 64;
  first.line = 40;
  cc::kernel_code code = kernel();
  code.linkage = "copy";
  const cc::launch options = cc::launch_of({}, code, {first});
  CHECK((options.block.x == 16 && options.block.y == 4 && options.grid.x == 7 &&
         options.grid.y == 2));
  CHECK(options.dynamic_shared_bytes == 64);
  cc::found_launch other = first;
  other.linkage = "another";
  other.block = {1, 1, 1};
  CHECK(cc::launch_of({}, code, {other, first}).block.x == 16);
  other.linkage = "copy";
  CHECK(cc::launch_of({}, code, {first, other}).block.x == 16);
  CHECK(cc::launch_of({}, code, {other, first}).block.x == 1);
  cc::question asked;
  asked.block = "8";
  CHECK(cc::launch_of(asked, code, {first, other}).block.x == 8);
}

TEST_CASE("arguments that the source states, and what is given instead") {
  cc::kernel_code code = kernel();
  code.linkage = "copy";
  code.parameters.push_back({"n", "int", 8, 4, false, cc::value_kind::integer});
  code.parameters.push_back({"scale", "float", 12, 4, false, cc::value_kind::floating});
  cc::found_launch stated;
  stated.linkage = "copy";
  stated.block = {16, 4, 1};
  stated.grid = {7, 2, 1};
  stated.line = 40;
  stated.arguments = {std::nullopt, 1024, std::bit_cast<std::uint32_t>(0.5f)};
  std::string note;
  cc::launch options = cc::launch_of({}, code, {stated}, &note);
  CHECK(options.arguments ==
        std::map<std::string, std::uint64_t>{{"p1", 1024}, {"p2", 0x3f000000}});
  CHECK(note == "launched as in line 40: grid 7x2, n=1024, scale=0.5");

  cc::question asked;
  asked.arguments = {"n=5"};
  options = cc::launch_of(asked, code, {stated}, &note);
  CHECK(options.arguments == std::map<std::string, std::uint64_t>{{"n", 5}, {"p2", 0x3f000000}});
  // The grid belongs to the block.
  asked.block = "8";
  options = cc::launch_of(asked, code, {stated}, &note);
  CHECK((options.block.x == 8 && options.grid.x == 1));
  CHECK(note == "launched as in line 40: scale=0.5");
  // What the options do not say is named, the block of the heading too if there is nothing else.
  asked = {};
  asked.arguments = {"n=5", "scale=1"};
  asked.grid = "3";
  (void)cc::launch_of(asked, code, {stated}, &note);
  CHECK(note == "launched as in line 40: block 16x4");
  cc::found_launch without_grid = stated;
  without_grid.grid.reset();
  without_grid.file = "host.cu";
  options = cc::launch_of(asked, code, {without_grid}, &note);
  CHECK(note == "launched as in line 40 of host.cu: block 16x4");
  asked.grid = "";
  options = cc::launch_of(asked, code, {without_grid}, &note);
  CHECK((options.block.x == 16 && options.grid.x == 1));
  CHECK(note ==
        "launched as in line 40 of host.cu: block 16x4; its grid is not known, and 1 is assumed");
  asked.block = "16x4";
  (void)cc::launch_of(asked, code, {without_grid}, &note);
  CHECK(note.empty());
  // PTX may require a block.
  cc::kernel_code required = code;
  required.required_block = {16, 4, 1};
  asked = {};
  options = cc::launch_of(asked, required, {stated}, &note);
  CHECK((options.block.x == 16 && options.grid.x == 7));
  required.required_block = {8, 1, 1};
  options = cc::launch_of(asked, required, {stated}, &note);
  CHECK((options.block.x == 8 && options.grid.x == 1));
  asked.arguments = {"n=5"};
  asked.block = "8";

  // A launch that the program comes to is preferred, and of several the one with the given block.
  cc::found_launch other = stated;
  other.block = {32, 1, 1};
  other.arguments[1] = 7;
  stated.is_passed_over = true;
  CHECK(cc::launch_of({}, code, {stated, other}).block.x == 32);
  CHECK(cc::launch_of({}, code, {other, stated}).block.x == 32);
  asked = {};
  asked.block = "32";
  CHECK(cc::launch_of(asked, code, {stated, other}).arguments.at("p1") == 7);
  other.line = 50;
  (void)cc::launch_of({}, code, {other, stated}, &note);
  CHECK(note.find("other numbers") == std::string::npos);  // the program does not come there
  stated.is_passed_over = false;
  stated.block = other.block;
  (void)cc::launch_of({}, code, {stated, other}, &note);
  CHECK(note == "launched as in line 40: grid 7x2, n=1024, scale=0.5; other numbers in line 50");
  other.arguments = stated.arguments;
  (void)cc::launch_of({}, code, {stated, other}, &note);
  CHECK(note == "launched as in line 40: grid 7x2, n=1024, scale=0.5");
  stated.is_passed_over = true;
  (void)cc::launch_of({}, code, {stated}, &note);
  CHECK(note.find("line 40, where the program does not come") != std::string::npos);
}

TEST_CASE("values of arguments have the types of their parameters") {
  using cc::value_kind;
  cc::kernel_code code = kernel();
  code.linkage = "k";
  code.parameters = {{"n", "int", 0, 4, false, value_kind::integer},
                     {"scale", "real", 4, 4, false, value_kind::floating},
                     {"wide", "double", 8, 8, false, value_kind::floating},
                     {"small", "unsigned char", 16, 1, false, value_kind::integer},
                     {"any", "", 20, 4, false, value_kind::unknown},
                     {"all", "size", 24, 24, false, value_kind::unknown},
                     {"p0", "int", 48, 4, false, value_kind::integer}};
  const auto bits = [&](const std::string& argument) {
    cc::question asked;
    asked.block = "32";
    asked.arguments = {argument};
    return cc::launch_of(asked, code, {}).arguments.begin()->second;
  };
  CHECK(bits("n=2147483647") == 0x7fffffffu);
  CHECK(bits("n=0xffffffff") == 0xffffffffu);
  CHECK(bits("n=-2147483648") == 0xffffffff80000000u);
  CHECK(bits("n=0x7fffffff") == 0x7fffffffu);
  CHECK(bits("small=255") == 255);
  CHECK(bits("small=-128") == ~std::uint64_t{127});
  CHECK(bits("scale=1") == 0x3f800000u);
  CHECK(bits("p1=-2.5e0") == 0xc0200000u);
  CHECK(bits("wide=0.5") == 0x3fe0000000000000u);
  CHECK(bits("any=1") == 1);
  CHECK(bits("any=1.0") == 0x3f800000u);

  const auto refused = [&](const std::vector<std::string>& arguments) {
    cc::question asked;
    asked.block = "32";
    asked.arguments = arguments;
    try {
      (void)cc::launch_of(asked, code, {});
    } catch (const command_line::refusal& failure) {
      return failure.wrong + "; " + failure.right;
    }
    return std::string();
  };
  for (const char* wrong : {"n=2147483648", "n=4294967296", "n=-2147483649", "n=0.5",
                            "n=18446744073709551615", "n=-18446744073709551615"})
    CHECK(refused({wrong}) == std::string("--arg is ") + wrong +
                                  ", which is no value of int; give -2147483648 to 2147483647");
  CHECK(refused({"small=256"}).find("no value of unsigned char") != std::string::npos);
  CHECK(refused({"scale=1e99"}).find("no value of real") != std::string::npos);
  CHECK(refused({"all=1"}).find("give its members, as p2+8") != std::string::npos);
  for (const char* wrong : {"n", "n=", "=1", "n=x", "n=1x", "n=--1"})
    CHECK(refused({wrong}).find("write --arg n=1024") != std::string::npos);
  CHECK(refused({"n=1", "n=2"}) == "--arg n=2 is the second value of this argument; give one");
  CHECK(refused({"scale=1", "k_param_1=1"}).find("second value") != std::string::npos);
  // A name is the parameter that has it, before a number.
  CHECK(refused({"n=1", "p0=2"}).empty());
  CHECK(refused({"p6=1", "p0=2"}).find("second value") != std::string::npos);
}

TEST_CASE("lines with assumptions") {
  const auto refused = [&](const std::vector<std::string>& assumptions) {
    cc::question asked;
    asked.block = "32";
    asked.assumed = assumptions;
    return refusal_of(asked);
  };
  CHECK(refused({"3=taken", "4=taken"}).empty());
  CHECK(refused({"3=taken", "3=not-taken"}).find("second for this line") != std::string::npos);
  for (const char* wrong : {"0=taken", "4294967297=taken", "3", "3=maybe", "=taken", "-1=taken"})
    CHECK(refused({wrong}).find("write --assume 17=taken") != std::string::npos);
}

TEST_CASE("a block that the code requires") {
  cc::kernel_code code = kernel();
  code.required_block = {16, 4, 1};
  CHECK(cc::launch_of({}, code, {}).block.y == 4);
  cc::question asked;
  asked.block = "16x4";
  CHECK(cc::launch_of(asked, code, {}).block.x == 16);
  asked.block = "64";
  CHECK_THROWS_AS(cc::launch_of(asked, code, {}), command_line::refusal);
}

TEST_CASE("requests that are not known exactly have limits") {
  cc::recording recorded;
  cc::recorded_access access = access_of(false, 1, lanes_of(32, 4, 0), {{0, 1}});
  // Lanes without addresses: 1 wavefront if all are at one place, 32 if all are in one bank.
  bm::request lanes = lanes_of(32, 4, 0);
  access.bounded = {{{lanes, {{0, 3}}}, false}};
  recorded.accesses = {access};
  cc::priced costs = cc::priced_on(bm::nvidia::sm_90, recorded);
  CHECK(costs.cost.wavefronts == 1);
  CHECK(costs.minimum == 3);
  CHECK(costs.maximum == 96);
  // 16 bytes are four phases of eight lanes.
  lanes = lanes_of(32, 16, 0);
  recorded.accesses[0].bounded = {{{lanes, {{0, 1}}}, false}};
  costs = cc::priced_on(bm::nvidia::sm_90, recorded);
  CHECK(costs.minimum == bm::total(bm::nvidia::sm_90, lanes).wavefronts);
  CHECK(costs.maximum == 32);
  // Atomic operations on one address take turns.
  lanes = lanes_of(32, 4, 0);
  lanes.kind = bm::access_kind::atomic;
  recorded.accesses[0].bounded = {{{lanes, {{0, 1}}}, false}};
  costs = cc::priced_on(bm::nvidia::sm_90, recorded);
  CHECK((costs.minimum == 1 && costs.maximum == 32));
  // With addresses: not at all, or as they are.
  recorded.accesses[0].bounded = {{{lanes_of(32, 4, 8), {{0, 1}, {4, 2}}}, true, true}};
  costs = cc::priced_on(bm::nvidia::sm_90, recorded);
  CHECK((costs.minimum == 0 && costs.maximum == 6));
  CHECK(costs.shared.at(0).maximum == 6);
}

TEST_CASE("places have the file's folder, as far as it is known") {
  CHECK(cc::text_with_path(kernel(), {0, 12, 5}) == "/nowhere/copy.cu:12:5");
  CHECK(cc::text_with_path(kernel(), {0, 12, 0}) == "/nowhere/copy.cu:12");
  CHECK(cc::text_with_path(kernel(), {}) == "copy");
}

TEST_CASE("the fewest instructions of a block of code") {
  using enum cc::floating_operation;
  cc::code_block block;
  const auto fewest = [&] { return cc::fewest_instructions(block); };
  const auto add_number = [&](cc::floating_operation operation, int bits) -> cc::instruction& {
    cc::instruction code;
    code.operation = cc::opcode::floating;
    code.floating = operation;
    code.bits = static_cast<std::uint8_t>(bits);
    block.instructions.push_back(code);
    return block.instructions.back();
  };
  CHECK(fewest() == cc::instruction_counts{});
  // A sum and two products: one of these is fused with it.
  add_number(add, 32), add_number(multiply, 32), add_number(multiply, 32);
  CHECK(fewest().floats == 2);
  add_number(subtract, 32), add_number(add, 32), add_number(fused, 32);
  CHECK(fewest().floats == 4);
  add_number(add, 64), add_number(fused, 64), add_number(multiply, 16), add_number(maximum, 32);
  CHECK(fewest().floats == 4);
  CHECK(fewest().doubles == 2);
  // What compilers may make of others, and what lanes are chosen for.
  add_number(fused, 32).is_doubt = true;
  add_number(fused, 32).guard = 0;
  CHECK(fewest().floats == 4);
  block = {};

  const auto add_named = [&](const std::string& description) {
    cc::instruction code;
    code.operation = cc::opcode::unknown;
    code.description = description;
    block.instructions.push_back(code);
  };
  for (const char* const name :
       {"__expf()", "rsqrtf()", "__powf()", "ex2.approx.ftz.f32", "lg2.approx.f32",
        "tanh.approx.f32", "inline assembly \"sin.approx.f32\""})
    add_named(name);
  CHECK(fewest().special_functions == 7);
  // Polynomials, halves of which one instruction may do two, names of others.
  for (const char* const name : {"sinf()", "expf()", "ex2.approx.f16x2", "tanh.approx.bf16x2",
                                 "rcp.approx.f32", "my__expf()"})
    add_named(name);
  CHECK(fewest().special_functions == 7);
  CHECK(fewest().matrices == 0);
  block = {};

  // Multiply-adds times the bits of a number.
  const auto matrix_bits_of = [&](const std::string& name) {
    block = {};
    add_named(name);
    CHECK(fewest().matrices == 1);
    return fewest().matrix_bits;
  };
  CHECK(matrix_bits_of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32") == 2048 * 16);
  CHECK(matrix_bits_of("inline assembly \"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32\"") ==
        1024 * 32);
  CHECK(matrix_bits_of("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32") == 4096 * 8);
  CHECK(matrix_bits_of("mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32") == 8192 * 4);
  CHECK(matrix_bits_of("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32") == 4096 * 8);
  CHECK(matrix_bits_of("mma.sp.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32") == 2048 * 16);
  CHECK(matrix_bits_of("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32") == 4096 * 16);
  CHECK(matrix_bits_of("wmma.mma.sync.aligned.row.col.m8n32k16.s32.s8.s8.s32") == 4096 * 8);
  // A quarter for each of four warps.
  CHECK(matrix_bits_of("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16") ==
        64 * 128 * 16 / 4 * 16);
  // Of rates that are not known.
  CHECK(matrix_bits_of("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64") == 0);
  CHECK(matrix_bits_of("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc") == 0);
  block = {};
  add_named("nvcuda::wmma::load_matrix_sync()");
  CHECK(fewest() == cc::instruction_counts{});
}

TEST_CASE("bounds in cycles of the arithmetic, and of the instructions that are issued") {
  cc::recording recorded;
  const bm::request column = lanes_of(32, 4, 128), row = lanes_of(32, 4, 4);
  recorded.accesses = {access_of(false, 1, column, {{0, 10}}), access_of(true, 2, row, {{0, 8}})};
  const auto bounds_on = [&](const bm::machine& m) {
    std::map<cc::cycle_bound::resource, std::uint64_t> result;
    for (const cc::cycle_bound& bound : cc::cycle_bounds_of(page_of(m, recorded))) {
      result[bound.component] = bound.cycles;
      if (bound.component >= cc::cycle_bound::resource::floats) CHECK(bound.cycles == bound.ideal);
    }
    return result;
  };
  using enum cc::cycle_bound::resource;
  CHECK(bounds_on(bm::nvidia::sm_90).size() == 3);
  recorded.instructions.emplace();
  CHECK(bounds_on(bm::nvidia::sm_90).size() == 3);
  recorded.instructions->floats = 1001;
  recorded.instructions->doubles = 7;
  recorded.instructions->special_functions = 5;
  recorded.instructions->matrices = 3;
  recorded.instructions->matrix_bits = 3 * 2048 * 16;
  std::map<cc::cycle_bound::resource, std::uint64_t> bounds = bounds_on(bm::nvidia::sm_90);
  CHECK(bounds.size() == 8);
  CHECK(bounds[floats] == 251);
  CHECK(bounds[doubles] == 4);
  CHECK(bounds[special_functions] == 10);
  CHECK(bounds[matrices] == 3);
  // 1001 + 7 + 5 + 3 that compute, and 18 accesses.
  CHECK(bounds[issue_slots] == 259);
  // Two floats in an instruction: 501.
  CHECK(bounds_on(bm::nvidia::sm_100)[issue_slots] == 134);
  bounds = bounds_on(bm::nvidia::sm_80);
  CHECK(bounds[floats] == 501);
  CHECK(bounds[matrices] == 6);
  // 1024 bytes for 108 multiprocessors, 5,120 in a cycle.
  CHECK(bounds[second_cache] == 22);
  // Tensor cores of Thor have no rate here, and no machine before 7.0 has any.
  CHECK(bounds_on(bm::nvidia::sm_110).count(matrices) == 0);
  CHECK(bounds_on(bm::nvidia::sm_61).count(issue_slots) == 0);
  // A copy is in both memories, and one instruction.
  recorded.accesses[1].memory.operation = cc::access_does::copy;
  CHECK(bounds_on(bm::nvidia::sm_90)[issue_slots] == 257);
}

TEST_CASE("bounds in cycles say if conflicts matter") {
  cc::recording recorded;
  const bm::request column = lanes_of(32, 4, 128), row = lanes_of(32, 4, 4);
  recorded.accesses = {access_of(false, 1, column, {{0, 10}}), access_of(true, 2, row, {{0, 8}})};
  const cc::page page = page_of(bm::nvidia::sm_90, recorded);
  std::vector<cc::cycle_bound> bounds = cc::cycle_bounds_of(page);
  REQUIRE(bounds.size() == 3);
  // A wavefront a cycle; a request of one line; 1024 bytes of 12.8 in a cycle.
  CHECK(bounds[0].cycles == 320);
  CHECK(bounds[0].ideal == 10);
  CHECK(bounds[1].cycles == 8);
  CHECK(bounds[1].ideal == 8);
  CHECK(bounds[2].cycles == 80);
  CHECK(bounds[2].ideal == 80);
  CHECK(cc::cycle_rows(page).size() == 4);
  CHECK(cc::cycle_notes(page).at(0) ==
        "The largest bound is that of the shared memory; without conflicts and with ideal "
        "transactions "
        "it falls from 320 cycles to 80, that of the memory.");
  CHECK(
      cc::cycle_notes(page).at(1) ==
      "These are bounds, not times: latency and other instructions add to them. That of the memory "
      "assumes that all multiprocessors move as many bytes, and that no cache has them.");
  cc::page assumed = page;
  assumed.assumed.push_back({"n", "1024", "--arg n=..", "a loop depends on it"});
  CHECK(cc::cycle_rows(page).at(0).text == "the block takes at least");
  CHECK(cc::cycle_rows(assumed).at(0).text == "with what is assumed the block takes at least");
  CHECK(cc::cycle_rows(page).at(3).text == "memory: H100 SXM, 3,350 GB/s for 132 at 1980 MHz");
  CHECK(
      cc::json_of_cycles(page).rfind(
          "[{\"resource\": \"shared memory\", \"rate\": \"1 wavefront a cycle\", \"cycles\": 320, "
          "\"ideal\": 10}, ",
          0) == 0);

  // Of what data decide the fewest.
  cc::page bounded = page;
  bounded.costs.issued_bounded = {.minimum = 7, .maximum = 90, .bounded_requests = 3};
  bounded.costs.bounded_traffic = {.minimum = 5, .maximum = 90, .bounded_requests = 3};
  bounds = cc::cycle_bounds_of(bounded);
  CHECK(bounds.at(0).cycles == 327);
  CHECK(bounds[0].ideal == 17);
  CHECK(bounds.at(2).cycles == bm::product_of(bm::nvidia::sm_90).cycles_of(1024 + 5 * 32));
  CHECK(bounds[2].ideal == bounds[2].cycles);

  // The same resource is the largest with and without conflicts.
  recorded.accesses = {access_of(false, 1, column, {{0, 20}}), access_of(true, 2, row, {{0, 1}})};
  const cc::page alone = page_of(bm::nvidia::sm_90, recorded);
  CHECK(cc::cycle_notes(alone).at(0) ==
        "The largest bound is that of the shared memory; without conflicts and with ideal "
        "transactions "
        "it falls from 640 cycles to 20.");

  // Conflicts of fewer cycles than the memory takes.
  recorded.accesses[1] = access_of(true, 2, row, {{0, 1000}});
  const cc::page hidden = page_of(bm::nvidia::sm_90, recorded);
  CHECK(cc::cycle_notes(hidden).at(0) ==
        "The largest bound is that of the memory, 9,987 cycles, and it stays without conflicts "
        "and with ideal transactions: those may cost no time.");
  // A column: 32 lines of a request, 4 in a cycle; the ideal is one line.
  recorded.accesses = {access_of(true, 2, column, {{0, 3}})};
  const cc::page scattered = page_of(bm::nvidia::sm_80, recorded);
  bounds = cc::cycle_bounds_of(scattered);
  REQUIRE(bounds.size() == 3);
  CHECK(bounds[0].cycles == 24);
  CHECK(bounds[0].ideal == 3);
  CHECK(bounds[1].cycles == bm::product_of(bm::nvidia::sm_80).cache_cycles_of(3 * 32 * 32));
  CHECK(bounds[1].ideal == bm::product_of(bm::nvidia::sm_80).cache_cycles_of(3 * 128));
  CHECK(bounds[2].cycles == bm::product_of(bm::nvidia::sm_80).cycles_of(3 * 32 * 32));
  CHECK(bounds[2].ideal == bm::product_of(bm::nvidia::sm_80).cycles_of(3 * 128));

  // Nothing to gain, and no rate: nothing is said.
  recorded.accesses = {access_of(false, 1, row, {{0, 10}})};
  const cc::page ideal = page_of(bm::nvidia::sm_90, recorded);
  CHECK(cc::cycle_bounds_of(ideal).size() == 1);
  CHECK(cc::cycle_rows(ideal).empty());
  CHECK(cc::cycle_notes(ideal).empty());
  recorded.accesses = {access_of(false, 1, column, {{0, 10}})};
  CHECK(cc::cycle_bounds_of(page_of(bm::nvidia::sm_35, recorded)).empty());
  CHECK(cc::cycle_rows(page_of(bm::nvidia::sm_35, recorded)).empty());
  // One resource has no largest.
  CHECK(cc::cycle_notes(page_of(bm::nvidia::sm_90, recorded)).size() == 1);
}

TEST_CASE("the distances of lanes are the cause of transactions") {
  // Of segments of 32 bytes, with the ideal of as many bytes.
  const auto text = [](const bm::request& lanes) {
    const auto bytes = static_cast<std::uint64_t>(std::popcount(lanes.active) * lanes.bytes);
    return cc::text_of_lane_distances(lanes, 32, (bytes + 31) / 32);
  };
  CHECK(text(lanes_of(32, 4, 4096)) == "neighbouring lanes are 4,096 bytes apart");
  CHECK(text(lanes_of(2, 1, 1 << 20)) == "neighbouring lanes are 1,048,576 bytes apart");
  CHECK(text(lanes_of(1, 4, 4)).empty());
  bm::request lanes = lanes_of(32, 4, 4);
  const auto describe = [&](const auto& address, std::uint64_t active = 0xffffffff) {
    lanes.active = active;
    for (int lane = 0; lane < 32; ++lane) lanes.address[lane] = address(lane);
    return text(lanes);
  };
  CHECK(describe([](int lane) { return 1024 - 8 * lane; }) ==
        "neighbouring lanes are 8 bytes apart");
  // Consecutive lanes, and groups of them, that would be ideal elsewhere.
  const std::string expected = "the first byte is 4 bytes after a multiple of 32";
  CHECK(describe([](int lane) { return 4 * lane + 36; }) == expected);
  CHECK(describe([](int lane) { return 160 - 4 * lane; }) == expected);
  CHECK(describe([](int lane) { return lane / 8 * 1024 + lane % 8 * 4 + 4; }) == expected);
  CHECK(describe([](int lane) { return lane / 2 * 4 + 4; }, 0xaaaaaaaa) == expected);
  // On a segment of 128 bytes.
  CHECK(describe([](int lane) { return 4 * lane + 32; }) == "neighbouring lanes are 4 bytes apart");
  CHECK(cc::text_of_lane_distances(lanes, 128, 1) ==
        "the first byte is 32 bytes after a multiple of 128");

  const auto grouped = [&](int group, long long step, long long stride, int offset = 0) {
    return describe([&](int lane) {
      return (lane + offset) % group * step + (lane + offset) / group * stride;
    });
  };
  CHECK(grouped(8, 4, 4096 + 4) == "groups of 8 lanes are 4,100 bytes apart");
  CHECK(grouped(8, 0, 4096) == "groups of 8 lanes with one address are 4,096 bytes apart");
  CHECK(grouped(16, 64, -1) ==
        "neighbouring lanes are 64 bytes apart, and groups of 16 lanes are 1 byte apart");
  CHECK(grouped(4, 1024, 0) ==
        "neighbouring lanes are 1,024 bytes apart, and groups of 4 lanes have the same addresses");
  // The first group and the last one may be parts.
  CHECK(grouped(5, 4, 128) == "groups of 5 lanes are 128 bytes apart");
  CHECK(grouped(12, 4, 400, 8) == "groups of 12 lanes are 400 bytes apart");
  CHECK(grouped(20, 4, 400) == "groups of 20 lanes are 400 bytes apart");
  const std::string none = "the lanes have no common distance";
  CHECK(grouped(31, 4, 4000) == none);
  CHECK(describe([](int lane) { return lane * lane * 4; }) == none);
  CHECK(describe([](int lane) { return lane == 9 ? 4000 : lane / 4 * 400 + lane % 4 * 4; }) ==
        none);
  CHECK(describe([](int lane) {
          return (lane < 4 ? 0 : lane < 12 ? 400 : lane < 24 ? 800 : 1200) + lane * 4;
        }) == none);
  // Lanes between the active ones count.
  CHECK(describe([](int lane) { return 32 * lane; }, 0x80000001) ==
        "neighbouring lanes are 32 bytes apart");
  CHECK(describe([](int lane) { return 256 * lane; }, 0x33333333) ==
        "neighbouring lanes are 256 bytes apart");
  CHECK(describe([](int lane) { return lane / 8 * 4096 + lane % 8 * 64; }, 0x0f0f0f0f) == none);
}

TEST_CASE("a kernel on several machines in one table") {
  cc::recording long_record, short_record;
  long_record.accesses = {access_of(false, 3, lanes_of(32, 4, 128), {{0, 2}}),
                          access_of(false, 4, lanes_of(32, 4, 128), {{0, 1}})};
  short_record.accesses = {access_of(false, 3, lanes_of(32, 4, 128), {{0, 2}})};
  const cc::page first = page_of(bm::nvidia::sm_90, long_record),
                 second = page_of(bm::nvidia::sm_35, short_record);
  const std::string table = cc::text_side_by_side({&first, &second}, {100, false});
  INFO(table);
  CHECK(table.find("wavefronts of shared memory") != table.npos);
  CHECK(table.find("  64 (32-way)  32 (16-way)\n") != table.npos);
  CHECK(table.find("  32 (32-way)            -\n") != table.npos);
  CHECK(table.find("  96 (32-way)  32 (16-way)\n") != table.npos);
  CHECK(cc::text_side_by_side({&first}, {100, false}).empty());
  CHECK(cc::text_side_by_side({&first, &second}, {40, false}).empty());
}
