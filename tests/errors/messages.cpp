// SPDX-License-Identifier: MIT
// Each rule, broken at run time: its name, its values and its advice.
#include <bankmodel/analyze.hpp>
#include <bankmodel/count/request_classes.hpp>
#include <bankmodel/explain.hpp>
#include <bankmodel/interop.hpp>
#include <bankmodel/interop/mdspan.hpp>
#include <bankmodel/interop/offsets.hpp>
#include <bankmodel/kernel/instructions.hpp>
#include <bankmodel/layout/in_rows.hpp>
#include <bankmodel/machines/arithmetic_rates.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/machines/products.hpp>
#include <bankmodel/machines/validated.hpp>
#include <bankmodel/model/occupancy.hpp>

#include "breaks.hpp"
#include "catch.hpp"

#include <functional>
#include <initializer_list>
#include <string>

namespace bm = bankmodel;
using namespace bm::index;
using bm::nvidia::sm_90;

namespace {

// A value that the optimizer cannot fold.
template <class T>
T runtime(T value) {
  volatile T hidden = value;
  return hidden;
}

const auto line = bm::shared_array<float>("line", 64);
const auto tile = bm::shared_array<float>("tile", 32, 32);
const bm::block_dim one_warp{32};

template <class Access>
void count(const Access& access, const bm::block_dim& block = one_warp) {
  (void)bm::total(sm_90, block, access);
}

}  // namespace

TEST_CASE("geometry") {
  breaks("bank_num_must_be_a_power_of_two_up_to_256", {"31", "32"},
         [] { (void)bm::geometry{runtime(31), 4, 4, 4}.bank(0); });
  breaks("bank_num_must_be_a_power_of_two_up_to_256", {"512"},
         [] { (void)bm::geometry{runtime(512), 4, 4, 4}.bank(0); });
  breaks("bank_num_must_be_a_power_of_two_up_to_256", {"-32"},
         [] { (void)bm::geometry{runtime(-32), 4, 4, 4}.layer(0); });
  breaks("W_N_and_M_must_be_powers_of_two_up_to_1024", {"12, 4, 2", "power of two"},
         [] { (void)bm::geometry{32, runtime(12), 4, 2}.mapping(); });
  breaks("W_N_and_M_must_be_powers_of_two_up_to_1024", {"2048", "1024"},
         [] { (void)bm::geometry{32, runtime(2048), 4, 4}.mapping(); });
  breaks("N_must_not_exceed_W", {"N = 8", "W = 4", "N <= W"},
         [] { (void)bm::geometry{32, 4, runtime(8), 4}.bank(0); });
  breaks("M_must_not_exceed_W", {"M = 8", "W = 4", "total()"},
         [] { (void)bm::geometry{32, 4, 4, runtime(8)}.bank(0); });
}

TEST_CASE("strided patterns") {
  const bm::geometry g{32, 4, 4, 4};
  breaks("lanes_must_be_1_to_256", {"257", "1 to 256"},
         [&] { (void)bm::degree(g, bm::access_1d{1, 0, runtime(257)}); });
  breaks("lanes_must_be_1_to_256", {"-1"},
         [&] { (void)bm::degree(g, bm::access_1d{1, 0, runtime(-1)}); });
  breaks("lanes_must_be_1_to_256", {"272"},
         [&] { (void)bm::degree(g, bm::access_2d{1, 16, 1, runtime(17), 0}); });
  breaks("strides_and_offsets_must_lie_within_2_to_the_40",
         {"1099511627777", "5", "modulo a layer"},
         [&] { (void)bm::degree(g, bm::access_1d{runtime((1ll << 40) + 1), 5}); });
  breaks("strides_and_offsets_must_lie_within_2_to_the_40", {"-1099511627777"},
         [&] { (void)bm::degree(g, bm::access_1d{1, runtime(-(1ll << 40) - 1)}); });
  breaks("a_warp_must_be_whole_rows_of_the_block_or_lie_in_one", {"24", "32", "divide"},
         [] { (void)bm::stride_pattern({1, 0, 0, 0, 1, 0}, 24, runtime(24), 32); });
}

TEST_CASE("arrays and layouts") {
  breaks("array_names_must_have_at_most_32_characters", {"32", "shorten"},
         [] { (void)bm::shared_array<float>("a_name_of_thirty_three_characters", 32); });
  struct pixel {
    char red, green, blue;
  };
  breaks("elements_must_have_1_2_4_8_or_16_bytes", {"3 bytes", "array of"},
         [] { (void)bm::shared_array<pixel>("p", runtime(32)); });
  breaks("array_base_must_be_aligned_to_its_element", {".at(6)", "4 bytes", "multiple"},
         [] { (void)line.at(runtime(6)); });
  breaks("array_base_must_be_aligned_to_its_element", {".at(-4)", "not negative"},
         [] { (void)line.at(runtime(-4)); });
  breaks("an_array_must_have_one_to_four_extents", {"0 extents", "one"},
         [] { (void)bm::shared_array<float>("a"); });
  breaks("an_array_must_have_one_to_four_extents", {"5 extents", "one"},
         [] { (void)bm::row_major(2, 2, 2, 2, runtime(2)); });
  breaks("extents_must_be_positive", {"extent 1", "is 0", "1 or more"},
         [] { (void)bm::shared_array<float>("a", 32, runtime(0)); });
  breaks("padding_must_not_be_negative", {"-1", "0 or more"},
         [] { (void)bm::row_major(32, 32).padded(runtime(-1)); });
  breaks("coordinates_must_match_the_rank", {"1 coordinates", "2 dimensions", "one for each"},
         [] { (void)bm::row_major(32, 32)(runtime(33)); });
  breaks("index_arithmetic_must_fit_in_64_bits", {"4294967296", "smaller"},
         [] { (void)bm::row_major(runtime(1ll << 32), 1ll << 32); });
}

TEST_CASE("accesses") {
  breaks("too_many_subscripts", {"2 subscripts", "2 dimensions"}, [] { (void)tile[tz][ty][tx]; });
  breaks("too_few_subscripts", {"1 subscripts", "2 dimensions", "one for each"},
         [] { (void)bm::load(tile[tx]); });
  breaks("too_few_subscripts", {"1 subscripts", "2 dimensions", "one for each"},
         [] { count(tile[tx]); });
  breaks("subscripts_must_stand_inside_loops_and_filters", {"for_loop(.., array[a][b])"},
         [] { (void)bm::for_loop(j, bm::range(0, 4), tile[j])[tx]; });
  breaks("for_loop_must_be_given_a_loop_variable", {"i, j, k, l, m, n"},
         [] { (void)bm::for_loop(tx, bm::range(0, 4), line[tx]); });
  breaks("an_access_must_be_a_load_or_a_store_not_both", {"two accesses"},
         [] { (void)bm::load(bm::store(line[tx])); });
  breaks("an_access_must_be_a_load_or_a_store_not_both", {"two accesses"},
         [] { (void)bm::store(bm::load(line[tx])); });
  breaks("accesses_must_have_1_2_4_8_12_or_16_bytes_a_lane",
         {"vectorized<8>", "4 bytes", "16 bytes"}, [] { (void)bm::vectorized<8>(line[tx]); });
  breaks("an_access_must_be_vectorized_once", {"once"},
         [] { (void)bm::vectorized<2>(bm::vectorized<2>(line[4 * tx])); });
}

TEST_CASE("subscripts") {
  breaks("subscripts_must_lie_within_their_extent",
         {"subscript 0", "reaches 64", "extent is 64", "if_threads"},
         [] { count(line[tx + runtime(33)]); });
  breaks("subscripts_must_lie_within_their_extent", {"subscript 1", "reaches -1", "extent is 32"},
         [] { count(tile[ty][tx - runtime(1)]); });
  breaks("subscripts_must_lie_within_their_extent", {"reaches 61", "extent is 64", "wide access"},
         [] { count(bm::vectorized<4>(line[tx + runtime(30)])); });
  breaks("index_arithmetic_must_fit_in_64_bits", {"1152921504606846976", "smaller"},
         [] { count(line[tx * runtime(1ll << 60)]); });
  breaks("constants_must_fit_in_63_bits", {"2^63", "smaller"},
         [] { (void)line[tx + runtime(~0ull)]; });
  breaks("division_must_be_of_values_that_are_not_negative", {"-1", "32", "add a multiple"},
         [] { count(line[(tx - runtime(1)) % 32]); });
  breaks("division_must_be_of_values_that_are_not_negative", {"-2", "add a multiple"},
         [] { count(line[tx / runtime(-2)]); });
  breaks("divisor_must_not_be_zero", {"32", "if_threads"}, [] { count(line[runtime(32) / tx]); });
  breaks("shifts_must_be_by_0_to_62", {"63", "0 to 62"}, [] { count(line[tx >> runtime(63)]); });
  breaks("shifts_must_be_by_0_to_62", {"-1"}, [] { count(line[tx << (tx - runtime(1))]); });
  const auto deeper = [](const auto& inner) {
    return tx + (tx + (tx + (tx + (tx + (tx + (tx + (tx + inner)))))));
  };
  breaks("index_must_nest_at_most_32_deep", {"32", "(a + b) + c"},
         [&] { count(line[deeper(deeper(deeper(deeper(tx))))]); });
  breaks("loop_variable_must_be_one_of_six", {"loop_variable(6)", "loop_variable(5)"},
         [] { (void)bm::loop_variable(runtime(6)); });
  breaks("loop_variable_must_be_one_of_six", {"loop_variable(-1)"},
         [] { (void)bm::loop_variable(runtime(-1)); });
}

TEST_CASE("loops") {
  breaks("step_must_not_be_zero", {"1 or more", "-1 or less"},
         [] { (void)bm::range(0, 32, runtime(0)); });
  breaks("step_must_not_be_zero", {"1 or more"},
         [] { count(bm::for_loop(i, bm::range(0, 32, tx), line[i])); });
  breaks("factor_must_be_two_or_more", {"is 1", "2 or more"},
         [] { (void)bm::powers(1, 32, runtime(1)); });
  breaks("factor_must_be_two_or_more", {"is 0", "2 or more"},
         [] { count(bm::for_loop(i, bm::powers(1, 32, tx), line[i])); });
  breaks("loop_variables_must_stand_inside_their_for_loop",
         {"variable 1", "j is 1", "add the loop"}, [] { count(line[tx + j]); });
  breaks("nested_loops_must_have_different_variables", {"variable 2", "another"}, [] {
    count(bm::for_loop(k, bm::range(0, 2), bm::for_loop(k, bm::range(0, 2), line[tx + k])));
  });
  breaks("powers_must_have_a_direction", {"from 8 to 1", "powers_down"}, [] {
    count(bm::for_loop(i, bm::values(8), bm::for_loop(j, bm::powers(i, 1, 2), line[tx + j])));
  });
  breaks("powers_must_end", {"from 0 to 8", "1 or more"},
         [] { count(bm::for_loop(j, bm::powers(runtime(0), 8, 2), line[tx + j])); });
  breaks("powers_must_end", {"from 8 to -1", "0 or more"},
         [] { count(bm::for_loop(j, bm::powers(8, runtime(-1), 2), line[tx + j])); });
  const std::string limit = std::to_string(bm::most_iterations);
  breaks("iterations_must_be_few_enough_to_count", {limit.c_str(), "shorten"}, [] {
    const auto large = bm::shared_array<float>("large", 1ll << 40);
    count(bm::for_loop(i, bm::range(0, runtime(5'000'000)), large[i * i * tx]));
  });
  const std::string work = std::to_string(bm::most_work());
  breaks(
      "iterations_must_be_few_enough_to_count", {work.c_str(), "iterations or steps", "shorten"},
      [] { count(bm::for_loop(i, bm::range(0, runtime(4'000'000)), line[((i * i) ^ tx) % 33])); });
  breaks("counts_must_fit_in_64_bits", {"64 bits", "fewer"}, [] {
    count(bm::for_loop(i, bm::range(0, 1ll << 62),
                       bm::for_loop(j, bm::range(0, runtime(8)), line[tx])));
  });
}

TEST_CASE("machines and blocks") {
  breaks("the_block_must_have_threads", {"32 x 0 x 1", "1 or more"},
         [] { count(line[tx], {32, runtime(0)}); });
  breaks("the_block_must_have_threads", {"-32 x -1 x 1"},
         [] { count(line[tx], {-32, runtime(-1)}); });
  breaks("the_block_must_fit_the_machine", {"1056", "1024"},
         [] { count(line[tx], {32, runtime(33)}); });
  breaks("accesses_must_be_aligned_to_their_width", {"16 bytes", "byte 12", "multiple"},
         [] { count(bm::vectorized<4>(bm::shared_array<float>("a", 128)[runtime(3) * tx])); });
  breaks("accesses_must_be_aligned_to_their_width", {"4 bytes", "byte 2", "multiple"}, [] {
    bm::request r{.active = 1, .bytes = 4};
    r.address[0] = runtime(2);
    (void)bm::wavefronts(sm_90, r);
  });
  breaks("active_lanes_must_be_of_the_warp", {"lane 32 ", "32 lanes", ".active"},
         [] { (void)bm::wavefronts(sm_90, bm::request{.active = runtime(0x300000000u)}); });
  breaks("active_lanes_must_be_of_the_warp", {"lane 63 "},
         [] { (void)bm::total(sm_90, bm::request{.active = runtime(0x80000000ffffffffu)}); });
  breaks("addresses_of_a_request_must_not_be_negative",
         {"lane 3 ", "byte -128", "start of shared memory"}, [] {
           bm::request r{.active = 0xffffffff};
           for (int thread = 0; thread < 32; ++thread)
             r.address[thread] = runtime(128) * (thread - 4) + 128 * (thread < 3 ? 4 : 0);
           (void)bm::wavefronts(sm_90, r);
         });
  // lanes with a constant stride
  breaks("addresses_of_a_request_must_not_be_negative", {"lane 31 ", "byte -4"}, [] {
    bm::request r{.active = 0xffffffff};
    for (int thread = 0; thread < 32; ++thread) r.address[thread] = runtime(120) - 4 * thread;
    (void)bm::wavefronts(sm_90, r);
  });
  breaks("the_machine_must_have_accesses_of_this_width", {"12 bytes", "1, 2, 4, 8 and 16"},
         [] { count(bm::vectorized<3>(line[tx])); });
  breaks("the_machine_must_have_accesses_of_this_width", {"5 bytes"},
         [] { (void)bm::wavefronts(sm_90, bm::request{.active = 1, .bytes = runtime(5)}); });
  breaks("bank_width_must_be_one_that_the_machine_offers", {"8 bytes", "it has 4"},
         [] { (void)sm_90.with_bank_width(runtime(8)); });
  breaks("bank_width_must_be_one_that_the_machine_offers", {"0 bytes", "it has 4"},
         [] { (void)sm_90.with_bank_width(runtime(0)); });
  breaks("minor_of_a_compute_capability_must_be_0_to_9", {"compute_capability(9, 10)"},
         [] { (void)bm::nvidia::compute_capability(9, runtime(10)); });
  breaks("compute_capability_must_be_a_known_one", {"capability 91", "sm_90", "sm_100"},
         [] { (void)bm::nvidia::compute_capability(9, runtime(1)); });
  breaks("compute_capability_must_be_a_known_one", {"capability 22", "sm_21", "sm_30"},
         [] { (void)bm::nvidia::compute_capability(runtime(2), 2); });
  breaks("the_product_of_a_machine_must_be_known", {"no product is known", "multiprocessors"},
         [] { (void)bm::product_of(bm::nvidia::sm_35).cycles_of(8192); });
  breaks("the_rate_must_be_known", {"a rate of 0 in a cycle", "since 7.0", ".per_cycle = 128"},
         [] { (void)bm::arithmetic_rates_of(bm::nvidia::sm_35).floats.cycles_of(1000); });
  breaks("the_product_of_a_machine_must_be_known", {"no product is known", "cache_bytes_per_cycle"},
         [] { (void)bm::product_of(bm::nvidia::sm_90).cache_cycles_of(8192); });
}

TEST_CASE("resident blocks") {
  constexpr const char* block = "a_block_must_have_threads_and_nothing_negative";
  breaks(block, {"0 threads", "1 thread or more"},
         [] { (void)bm::resident(sm_90, {.threads = runtime(0)}); });
  breaks(block, {"-32 threads"}, [] { (void)bm::resident(sm_90, {.threads = runtime(-32)}); });
  breaks(block, {"32 threads", "-1 bytes", "0 or more"},
         [] { (void)bm::resident(sm_90, {.threads = 32, .shared_bytes = runtime(-1)}); });
  breaks(block, {"-2 registers"},
         [] { (void)bm::resident(sm_90, {.threads = 32, .registers_per_thread = runtime(-2)}); });
  const char* const registers = "a_thread_must_have_at_most_the_registers_of_the_machine";
  breaks(registers, {"256 registers", "limit of 255", "0 if it is unknown"},
         [] { (void)bm::resident(sm_90, {.threads = 32, .registers_per_thread = runtime(256)}); });
  breaks(registers, {"64 registers", "limit of 63"},
         [] { (void)bm::largest_shared_bytes(bm::nvidia::sm_30, 32, 1, runtime(64)); });
  breaks(registers, {"300 registers"}, [] {
    (void)bm::optimize(sm_90, bm::kernel(one_warp, line[tx]),
                       bm::search{.registers_per_thread = runtime(300)});
  });
  breaks(block, {"0 threads"}, [] { (void)bm::largest_shared_bytes(sm_90, runtime(0), 1); });
  breaks("the_machine_must_state_its_limits", {"is 0", "1 or more"},
         [] { (void)bm::resident(bm::machine{.lanes = runtime(32)}, {32}); });
  breaks("the_machine_must_state_its_limits", {"is -1", "shared_reserved"}, [] {
    bm::machine mine = sm_90;
    mine.limits.shared_reserved = runtime(-1);
    (void)bm::resident(mine, {32});
  });
  breaks("the_machine_must_state_its_registers", {"is 0", "sub_partitions", "leave out"}, [] {
    bm::machine mine = sm_90;
    mine.limits.sub_partitions = runtime(0);
    (void)bm::resident(mine, {32, 0, 16});
  });
  constexpr const char* blocks = "so_many_blocks_must_be_able_to_be_resident";
  breaks(blocks, {"9 resident blocks", "256 threads", "at most the 8"},
         [] { (void)bm::largest_shared_bytes(sm_90, 256, runtime(9)); });
  breaks(blocks, {"0 resident blocks", "1 or more"},
         [] { (void)bm::largest_shared_bytes(sm_90, 256, runtime(0)); });
  breaks(blocks, {"1 resident blocks", "at most the 0"},
         [] { (void)bm::largest_shared_bytes(sm_90, runtime(1025), 1); });
  breaks("lanes_of_a_machine_must_be_1_to_32_or_64", {"0 lanes"}, [] {
    bm::machine mine = sm_90;
    mine.lanes = runtime(0);
    (void)bm::resident(mine, {32});
  });
}

TEST_CASE("an error is a std::exception") {
  CHECK_THROWS_AS(bm::range(0, 1, runtime(0)), std::exception);
  const bm::error copy = [] {
    try {
      (void)bm::range(0, 1, runtime(0));
    } catch (const bm::error& e) {
      return e;
    }
    return bm::error("none", "none", 0, 0, 0);
  }();
  CHECK(std::string(copy.what()).find("step_must_not_be_zero") != std::string::npos);
}

TEST_CASE("lanes of a machine") {
  bm::machine mine = sm_90;
  mine.lanes = runtime(65);
  const char* const rule = "lanes_of_a_machine_must_be_1_to_32_or_64";
  breaks(rule, {"65", "32", "64"}, [&] { (void)bm::total(mine, one_warp, line[tx]); });
  mine.lanes = runtime(33);
  breaks(rule, {"33 lanes", "32 as on NVIDIA"}, [&] { (void)bm::total(mine, one_warp, line[tx]); });
  breaks(rule, {"33 lanes"}, [&] { (void)bm::wavefronts(mine, bm::request{.active = 1}); });
  breaks(rule, {"33 lanes"}, [&] { (void)bm::resident(mine, {.threads = 32}); });
  breaks(rule, {"33 lanes"}, [&] { (void)bm::optimize(mine, bm::kernel(one_warp, line[tx])); });
  breaks(rule, {"33 lanes"}, [&] { (void)bm::validated(mine); });
  breaks("lanes_of_a_warp_must_be_1_to_32_or_64", {"33 lanes", "32 as on NVIDIA"},
         [] { (void)bm::stride_pattern({1, 0, 0, 0, 1, 0}, 24, runtime(33), 33); });
}

namespace {
template <int Terms>
constexpr auto sum() {
  if constexpr (Terms == 1)
    return tx;
  else
    return sum<Terms / 2>() + sum<Terms - Terms / 2>();
}
// A constant: clang takes a minute to compile it as code.
constexpr auto plain_line = bm::shared_array<float>("long", 65536);
constexpr auto long_subscript = plain_line.with(plain_line.layout.padded_every(32, 1))[sum<400>()];
}  // namespace

TEST_CASE("layouts that are chosen") {
  breaks("padding_must_be_of_a_dimension_of_rows", {"dimension 1", "of 2"},
         [] { (void)bm::row_major(32, 32).padded(runtime(1), 1); });
  breaks("padding_must_be_of_a_dimension_of_rows", {"dimension -1"},
         [] { (void)bm::row_major(32, 32).padding(runtime(-1)); });
  breaks("intervals_must_be_of_one_dimension_and_positive", {"padded_every(0", "of 1 dim"},
         [] { (void)bm::row_major(32).padded_every(runtime(0), 1); });
  breaks("intervals_must_be_of_one_dimension_and_positive", {"of 2 dim"},
         [] { (void)bm::row_major(32, 32).padded_every(runtime(8), 1); });
  breaks("only_one_dimension_without_a_permutation_has_rows_of_a_width", {"of 1 dim", "rows of 64"},
         [] { (void)bm::in_rows_of(bm::row_major(1024).padded_every(32, 1), runtime(64)); });
  breaks("only_one_dimension_without_a_permutation_has_rows_of_a_width", {"of 2 dim"},
         [] { (void)bm::in_rows_of(bm::row_major(32, 32), runtime(32)); });
  breaks("padding_must_not_be_negative", {"-1"},
         [] { (void)bm::row_major(32).padded_every(runtime(8), -1); });
  breaks("a_layout_must_have_the_extents_of_its_array", {"1 dim", "for an array of 2"},
         [] { (void)tile.with(bm::row_major(runtime(1024))); });
  breaks("a_layout_must_have_the_extents_of_its_array", {"other extents"},
         [] { (void)tile.with(bm::row_major(runtime(32), 33)); });
  breaks("subscripts_of_this_layout_must_be_shorter", {"2048"}, [] { count(long_subscript); });
}

TEST_CASE("plans") {
  const auto kernel = bm::kernel(bm::block_dim{32, 8}, bm::load(tile[tx][ty]), bm::load(line[tx]));
  const auto plan = bm::optimize(sm_90, kernel);
  breaks("a_plan_must_have_the_array_that_it_is_asked_for", {"2 arrays"},
         [&] { (void)plan.layout("title"); });
  breaks("a_plan_must_have_the_array_that_it_is_asked_for", {"2 arrays"},
         [&] { (void)plan.offset_bytes(runtime(2)); });
  breaks("a_plan_must_have_the_access_that_it_is_asked_for", {"access 2", "of 2"},
         [&] { (void)plan.after(runtime(2)); });
  breaks("rows_for_a_copy_engine_must_fit_its_mode", {"128 bytes", "128 apart", "mode of 64 bytes"},
         [&] {
           (void)bm::optimize(sm_90, bm::kernel(bm::block_dim{32, 8}, bm::load(tile[tx][ty])),
                              bm::search{.copy_engine_bytes = 64});
         });
  breaks("arrays_of_one_name_must_be_declared_alike", {"access 1"}, [] {
    (void)bm::optimize(sm_90, bm::kernel(one_warp, bm::load(line[tx]),
                                         bm::load(bm::shared_array<float>("line", 65)[tx])));
  });
  breaks("arrays_of_one_name_must_be_one_array",
         {"access 1", "is described in line", "use one description"}, [] {
           (void)bm::optimize(sm_90, bm::kernel(one_warp, bm::load(line[tx]),
                                                bm::load(bm::shared_array<float>("line", 64)[tx])));
         });
  breaks("the_arrays_of_a_kernel_must_fit", {"4352 bytes", "4351 are"},
         [&] { (void)bm::optimize(sm_90, kernel, bm::search{.shared_bytes = runtime(4351)}); });
  breaks("the_arrays_of_a_kernel_must_fit", {"49152 are"}, [] {
    (void)bm::optimize(
        sm_90,
        bm::kernel(one_warp, bm::load(bm::shared_array<float>("large", runtime(20000))[tx])));
  });
  breaks("a_search_must_have_limits_that_are_not_negative", {"is -1"},
         [&] { (void)bm::optimize(sm_90, kernel, bm::search{.resident_blocks = runtime(-1)}); });
  breaks("shared_bytes_must_be_what_a_block_can_have", {"300000", "232448"},
         [&] { (void)bm::optimize(sm_90, kernel, bm::search{.shared_bytes = runtime(300000)}); });
  breaks("so_many_blocks_must_be_able_to_be_resident", {"9", "256"},
         [&] { (void)bm::optimize(sm_90, kernel, bm::search{.resident_blocks = runtime(9)}); });
  breaks("kept_arrays_must_be_of_the_kernel", {"array 1", "search.keep"}, [&] {
    (void)bm::optimize(sm_90, bm::kernel(one_warp, bm::load(line[tx])),
                       bm::search{.keep = bm::arrays(line, bm::shared_array<float>("l", 4))});
  });
  breaks("rows_that_are_not_padded_must_be_the_row_stride_apart", {"array 0", "48"}, [] {
    (void)bm::optimize(sm_90, bm::kernel(bm::block_dim{32}, tile[tx][ty]),
                       {.layouts = bm::layouts::permutations, .row_stride_bytes = 48});
  });
  breaks("at_most_8_arrays_can_be_kept", {"9"},
         [] { (void)bm::arrays(line, line, line, line, line, line, line, line, line); });
  breaks("a_kernel_to_plan_must_have_at_most_16_arrays", {"16"}, [] {
    const auto named = [](const char* name) {
      return bm::load(bm::shared_array<float>(name, runtime(32))[tx]);
    };
    (void)bm::optimize(
        sm_90, bm::kernel(one_warp, named("a"), named("b"), named("c"), named("d"), named("e"),
                          named("f"), named("g"), named("h"), named("i"), named("j"), named("k"),
                          named("l"), named("m"), named("n"), named("o"), named("p"), named("q")));
  });
}

TEST_CASE("dialects") {
  const bm::layout rows = bm::row_major(32, 32);
  breaks("a_dialect_must_be_given_a_plain_array", {"1024 elements", "row_major("},
         [&] { (void)bm::from_cute({5, 0, 5}, rows.padded(runtime(1))); });
  breaks("a_swizzle_of_a_dialect_must_not_pad", {"number 1023 is stored at 1054", "to_tvm()"},
         [&] { (void)bm::to_cute(rows.padded(runtime(1))); });
  breaks("a_swizzle_of_a_dialect_must_be_one_xor", {"number 33 is stored at 34", "store it at 32"},
         [&] { (void)bm::to_cute(rows.permuted(bm::rotation(runtime(1)))); });
  breaks("padding_of_a_dialect_must_follow_whole_rows", {"4 elements after every 16", "rows of 32"},
         [&] { (void)bm::from_triton(bm::triton::padded_shared{runtime(16), 4}, rows); });
  breaks("cuda_oxide_must_read_bits_above_those_it_changes", {"Swizzle<5, 0, 4>", "M + B <= S"},
         [&] { (void)bm::from_cuda_oxide({5, 0, runtime(4)}, rows); });
  breaks("cuda_oxide_must_read_bits_above_those_it_changes", {"Swizzle<2, 5, 0>"},
         [&] { (void)bm::to_cuda_oxide(rows.permuted(bm::xor_swizzle(2, 0, runtime(-5)))); });
  breaks("arrays_of_triton_must_have_extents_of_powers_of_two", {"extent 1", "is 48"},
         [] { (void)bm::to_triton_swizzled(bm::row_major(32, runtime(48))); });
  breaks("triton_must_swizzle_by_powers_of_two", {"vec = 6, perPhase = 2, maxPhase = 4"},
         [&] { (void)bm::from_triton({runtime(6), 2, 4}, rows); });
  breaks("triton_must_swizzle_columns_by_rows", {"bit 3 of", "changes bit 0, in rows of 32"},
         [&] { (void)bm::to_triton_swizzled(rows.permuted(bm::xor_swizzle(2, 0, runtime(3)))); });
  breaks("triton_must_pad_by_powers_of_two", {"32 elements with a padding of 3"},
         [&] { (void)bm::to_triton_padded(rows.padded(runtime(3))); });
  breaks("triton_must_pad_at_one_interval", {"number 256 is stored at 266", "store it at 264"}, [] {
    (void)bm::to_triton_padded(bm::row_major(4, 8, 32).padded(1, 1).padded(runtime(2), 0));
  });
  breaks("storage_align_must_name_an_axis_and_a_factor", {"storage_align(2, 32, 1)"},
         [&] { (void)bm::from_tvm({runtime(2), 32, 1}, rows); });
  breaks("tvm_must_align_the_stride_of_one_axis",
         {"number 256 is stored at 266", "store it at 264"},
         [] { (void)bm::to_tvm(bm::row_major(4, 8, 32).padded(1, 1).padded(runtime(2), 0)); });
}

TEST_CASE("values at offsets") {
  const auto offset = [](int thread, int value) { return 8 * thread + 2 * value; };
  breaks("thread_values_must_not_be_empty", {"0 threads with 4 values each, of which 64 lanes"},
         [&] { (void)bm::total(bm::nvidia::sm_90, {runtime(0), 4}, offset); });
  breaks("thread_values_must_not_be_empty", {"32 threads with 0 values each"},
         [&] { (void)bm::total(bm::nvidia::sm_90, {32, runtime(0)}, offset); });
  breaks("thread_values_must_not_be_empty", {"of which 0 lanes"}, [&] {
    (void)bm::total(bm::nvidia::sm_90, {32, 4, 1, 32, bm::access_kind::load, runtime(0)}, offset);
  });
  breaks("values_must_fill_their_instructions", {"4 values of a thread are accessed 3 at a time"},
         [&] { (void)bm::total(bm::nvidia::sm_90, {32, 4, runtime(3)}, offset); });
  breaks("values_of_an_instruction_must_be_neighbours",
         {"value 1 of a thread has offset 2, and the one before it in the same instruction 0"},
         [&] { (void)bm::total(bm::nvidia::sm_90, {32, 4, runtime(4)}, offset); });
  breaks("elements_must_be_whole_bytes", {"of one instruction have 4 bits"},
         [&] { (void)bm::total(bm::nvidia::sm_90, {32, 1, 1, runtime(4)}, offset); });
}

// The part of std::extents that a mapping uses.
struct two_extents {
  using index_type = int;
  using size_type = unsigned;
  using rank_type = unsigned;
  static constexpr unsigned rank() { return 2; }
  int extent(unsigned d) const { return d == 0 ? rows : columns; }
  int rows, columns;
};

TEST_CASE("mdspans") {
  constexpr bm::layout square = bm::row_major(32, 32);
  using padded = bm::mdspan_layout<square.padded(1)>::mapping<two_extents>;
  using swizzled =
      bm::mdspan_layout<square.permuted(bm::xor_swizzle(5, 0, 5))>::mapping<two_extents>;
  breaks("an_mdspan_must_have_the_extents_of_its_layout",
         {"extent 1 of an mdspan is 33", "has 32 there", "plan a layout"},
         [] { (void)padded(two_extents{32, runtime(33)}); });
  breaks("an_mdspan_must_be_strided_for_its_strides", {"stride 1 of", "is_strided()"},
         [] { (void)swizzled(two_extents{32, 32}).stride(runtime(1u)); });
}

TEST_CASE("layouts that permute") {
  constexpr const char* dimensions = "permutations_must_be_of_rows";
  breaks(dimensions, {"array of 1 dim", "2 or more"},
         [] { (void)bm::row_major(runtime(1024)).permuted(bm::rotation(1)); });
  breaks(dimensions, {"array of 3 dim", "modular() requires 2"},
         [] { (void)bm::row_major(runtime(2), 4, 4).permuted(bm::modular({})); });
  breaks(dimensions, {"padded_every()"}, [] {
    (void)bm::row_major(runtime(64)).padded_every(8, 1).permuted(bm::xor_swizzle(2, 0, 2));
  });
  breaks(dimensions, {"padded_every()"}, [] {
    (void)bm::row_major(64).permuted(bm::xor_swizzle(2, 0, 2)).padded_every(runtime(8), 1);
  });

  constexpr const char* groups = "groups_must_be_powers_of_two_that_fit_the_rows";
  breaks(groups, {"groups of 4", "rows of 34", "power of two"},
         [] { (void)bm::row_major(32, runtime(34)).permuted(bm::rotation(1).in_groups_of(4)); });
  breaks(groups, {"groups of 3", "power of two"},
         [] { (void)bm::rotation(1).in_groups_of(runtime(3)); });
  breaks(groups, {"groups of 4", "larger base"},
         [] { (void)bm::xor_swizzle(3, 0, 3).in_groups_of(runtime(4)); });
  breaks(groups, {"groups of 4", "linear()"},
         [] { (void)bm::linear(bm::identity_matrix(4)).in_groups_of(runtime(4)); });
  breaks(groups, {"rows of 32", "padding"}, [] {
    (void)bm::row_major(32, 32).padded(runtime(1)).permuted(bm::modular({}).in_groups_of(4));
  });
  breaks(groups, {"rows of 32", "padding"}, [] {
    (void)bm::row_major(32, 32).permuted(bm::modular({}).in_groups_of(4)).padded(runtime(1));
  });

  constexpr const char* bits = "a_swizzle_must_move_bits_from_elsewhere";
  breaks(bits, {"xor_swizzle(3, 0, 2)", "at least the number of bits"},
         [] { (void)bm::xor_swizzle(3, 0, runtime(2)); });
  breaks(bits, {"xor_swizzle(0, 0, 5)", "1 bit or more"},
         [] { (void)bm::xor_swizzle(runtime(0), 0, 5); });
  breaks(bits, {"xor_swizzle(3, -1, 5)", "0 or more"},
         [] { (void)bm::xor_swizzle(3, runtime(-1), 5); });
  breaks(bits, {"xor_swizzle(10, 0, -21)", "30 bits in total"},
         [] { (void)bm::xor_swizzle(10, 0, runtime(-21)); });
  constexpr const char* elements = "a_swizzle_of_bytes_must_keep_elements_whole";
  breaks(elements, {"base 2", "8 bytes", "logarithm"},
         [] { (void)bm::xor_swizzle_in_bytes(3, runtime(2), 4, 8); });
  breaks(elements, {"base 4", "12 bytes", "power of two"},
         [] { (void)bm::copy_engine_swizzle(128, runtime(12)); });
  breaks("a_copy_engine_must_swizzle_32_64_or_128_bytes", {"256 bytes", "32, 64 or 128"},
         [] { (void)bm::copy_engine_swizzle(runtime(256), 4); });

  breaks("triangles_of_columns_must_have_a_width_of_a_power_of_two", {"rows of 24", "of_rows"},
         [] { (void)bm::row_major(24, runtime(24)).permuted(bm::triangular()); });

  constexpr const char* one_to_one = "a_modular_layout_must_be_one_to_one";
  breaks(one_to_one, {"16 columns and 0 rows", "other entries", "divisor"},
         [] { (void)bm::row_major(32, 32).permuted(bm::modular({runtime(2), 1, 0, 1})); });
  breaks(one_to_one, {"larger stride"},
         [] { (void)bm::row_major(7, 20).permuted(bm::modular_in_a_box({runtime(2), 0, 0, 1})); });
  breaks(one_to_one, {"larger stride"}, [] {
    (void)bm::row_major(7, 20)
        .padded(21)
        .permuted(bm::modular_in_a_box({2, 0, 0, 1}))
        .padded(runtime(0));
  });
  breaks("a_transformation_into_a_box_must_not_lead_below_0", {"by -1 elements", "0 or more"},
         [] { (void)bm::row_major(4, 4).permuted(bm::modular_in_a_box({runtime(-1), 0, 0, 1})); });
  breaks("entries_of_a_transformation_must_have_at_most_24_bits", {"16777216", "remainder"},
         [] { (void)bm::row_major(4, 4).permuted(bm::modular({1, runtime(1 << 24), 0, 1})); });

  breaks("permutations_must_come_from_a_family", {"family 2", "rotation(..)"}, [] {
    (void)bm::row_major(4, runtime(4)).permuted({bm::layout_family::rotation, 0, 1, {1, 0, 0, 0}});
  });
  breaks("index_functions_must_have_at_most_160_steps", {"160"}, [] {
    bm::detail::index_program program;
    const bm::layout plain = bm::row_major(4, runtime(4));
    bm::detail::program_writer writer(plain, program, false);
    for (int step = 0; step < 200; ++step) (void)writer.constant(step);
  });

  constexpr const char* independent = "a_linear_layout_must_be_one_to_one";
  const auto permute = [](int bit, unsigned target) {
    bm::bit_matrix matrix = bm::identity_matrix(4);
    matrix.set(bit, target);
    return bm::row_major(4, 4).permuted(bm::linear(matrix));
  };
  breaks(independent, {"on 4 bits", "linearly independent"},
         [&] { (void)permute(runtime(3), 0b0110); });
  breaks(independent, {"on 4 bits", "exactly that many"},
         [&] { (void)permute(runtime(3), 0b11000); });
  breaks(independent, {"on 4 bits", "not invertible"}, [&] { (void)permute(runtime(4), 0b10000); });
  constexpr const char* powers = "linear_layouts_must_be_of_powers_of_two_without_padding";
  breaks(powers, {"24 elements", "powers of two"},
         [] { (void)bm::row_major(4, runtime(6)).permuted(bm::linear(bm::identity_matrix(4))); });
  breaks(powers, {"20 elements", "without padding"}, [] {
    (void)bm::row_major(4, 4).permuted(bm::linear(bm::identity_matrix(4))).padded(runtime(1));
  });
  breaks(powers, {"131072 elements", "65536"}, [] {
    (void)bm::row_major(runtime(1 << 17)).permuted(bm::linear(bm::identity_matrix(16)));
  });

  constexpr const char* wide = "permuted_groups_must_hold_whole_wide_accesses";
  breaks(wide, {"4 elements", "groups of 1 together", "multiples of the access"}, [] {
    count(bm::vectorized<4>(
        tile.with(tile.layout.permuted(bm::rotation(runtime(1))))[tx / 8][4 * (tx % 8)]));
  });
  // of a swizzle, bits from 2 on are XORed with those from 0 on
  breaks(wide, {"4 elements", "multiples of the access"}, [] {
    count(bm::vectorized<4>(
        tile.with(tile.layout.permuted(bm::xor_swizzle(2, runtime(0), -2)))[tx / 8][4 * (tx % 8)]));
  });
}

TEST_CASE("instructions and user-defined machines") {
  const auto halves = bm::shared_array<short>("a", 32, 8);
  const auto floats = bm::shared_array<float>("b", 256);
  breaks("the_machine_must_have_such_instructions", {"16 bytes", "stmatrix", "9.0"}, [&] {
    (void)bm::total(bm::nvidia::sm_80, one_warp, bm::stmatrix<4>(halves[lane][0 * lane]));
  });
  breaks("the_machine_must_have_such_instructions", {"2 bytes", "4 or 8"},
         [&] { (void)bm::total(sm_90, one_warp, bm::atomic(halves[lane][0 * lane])); });
  breaks("cp_async_copies_4_8_or_16_bytes", {"cp_async<12>", "elements of 4 bytes", "4, 8 or 16"},
         [&] { (void)bm::cp_async<12>(floats[tx]); });
  breaks("matrix_rows_must_be_of_16_bytes", {"2 elements of 2 bytes", "leave out vectorized<>"},
         [&] { (void)bm::ldmatrix<4>(bm::vectorized<2>(halves[lane][0 * lane])); });
  breaks("arrays_for_a_copy_engine_must_begin_at_its_pattern", {".at(128)", "1024 bytes"},
         [&] { (void)bm::through_copy_engine(bm::shared_array<float>("t", 8, 32).at(128), 128); });
  breaks("ds_read2_reads_4_or_8_bytes_twice", {"2 bytes", "4 or 8"},
         [&] { (void)bm::ds_read2(halves[lane][0 * lane], halves[lane][0 * lane]); });
  breaks("ds_read_tr_reads_8_bytes", {"4 elements of 2 bytes"},
         [&] { (void)bm::ds_read_tr(bm::vectorized<4>(halves[lane][0 * lane])); });

  bm::machine gpu = bm::nvidia::sm_10;
  gpu.loads.bytes_8.piece_bytes = 8;
  breaks("accesses_must_divide_into_their_pieces",
         {"8 bytes in pieces of 8 on words of 4", ".piece_bytes"},
         [&] { (void)bm::total(gpu, bm::request{.address = {}, .active = 1, .bytes = 8}); });
  breaks("phases_must_partition_the_lanes", {"lane 3 is in 2 phases"},
         [] { (void)bm::phases_of_lanes({0xf, 0xf8}, 8); });
  breaks("phases_must_partition_the_lanes", {"lane 7 is in 0 phases"},
         [] { (void)bm::phases_of_lanes({0xf, 0x70}, 8); });
  breaks("phases_must_partition_the_lanes", {"lane 8 is in 1 phases"},
         [] { (void)bm::phases_of_lanes({0xf, 0x1f0}, 8); });
  breaks("phases_must_be_1_2_4_or_8_of_a_power_of_two_of_lanes", {"3 phases of a warp of 32"},
         [] { (void)bm::phases_of_lanes({1, 2, 4}, 32); });
  breaks("consecutive_lanes_must_be_powers_of_two",
         {"2 neighbouring lanes in a warp of 32", "an eighth"},
         [] { (void)bm::consecutive_lanes(2, 32); });
  breaks("consecutive_lanes_must_be_powers_of_two", {"64 neighbouring lanes in a warp of 32"},
         [] { (void)bm::consecutive_lanes(64, 32); });
  breaks("phases_must_leave_no_phase_empty", {"phase 1", "not empty"},
         [] { (void)bm::phases_of_lanes({0xffffffff, 0}, 32); });
  breaks("phases_must_be_cosets", {"phase 0", "lane 0 is not in phase 0"},
         [] { (void)bm::phases_of_lanes({0xffff0000, 0xffff}, 32); });
  breaks("phases_must_be_cosets", {"phase 1", "lane is 3"},
         [] { (void)bm::phases_of_lanes({0x17, 0xe8}, 8); });
  gpu = sm_90;
  gpu.loads.bytes_8.phases = {32};
  breaks("phases_must_leave_no_phase_empty", {"phase 1", "32 of the machine"},
         [&] { (void)bm::validated(gpu); });
  gpu.loads.bytes_8.phases = {0, 16, 0};
  breaks("phases_must_leave_no_phase_empty", {"after a 0"}, [&] { (void)bm::validated(gpu); });
  gpu.loads.bytes_8.phases = {8, 0, 16};
  breaks("phases_must_leave_no_phase_empty", {"after a 0"}, [&] { (void)bm::validated(gpu); });
  gpu.loads.bytes_8.phases = {8, 16, 24};
  breaks("phases_must_leave_no_phase_empty", {"none of them the XOR of others"},
         [&] { (void)bm::validated(gpu); });
  gpu = sm_90;
  gpu.bank_width = 8;
  breaks("words_must_be_as_wide_as_the_machines_banks", {"N = 4", ".bank_width is 8"},
         [&] { (void)bm::validated(gpu); });
  gpu = sm_90;
  gpu.other_bank_width = 4;
  breaks("words_must_be_as_wide_as_the_machines_banks", {}, [&] { (void)bm::validated(gpu); });
  gpu = bm::nvidia::sm_10;
  gpu.loads.bytes_12 = gpu.loads.bytes_8;
  breaks("accesses_must_divide_into_their_pieces", {"12 bytes"}, [&] { (void)bm::validated(gpu); });
  gpu = sm_90;
  gpu.limits.shared_reserved = -1;
  breaks("limits_of_a_machine_must_be_consistent", {"0 must not exceed -1"},
         [&] { (void)bm::validated(gpu); });
  gpu = sm_90;
  gpu.loads.up_to_4.bank_num = 24;
  breaks("bank_num_must_be_a_power_of_two_up_to_256", {"24"}, [&] { (void)bm::validated(gpu); });
  gpu = sm_90;
  gpu.limits.shared_per_block_opt_in += 1;
  breaks("limits_of_a_machine_must_be_consistent", {"233473 must not exceed 233472"},
         [&] { (void)bm::validated(gpu); });
}

TEST_CASE("request classes") {
  const auto price = [](int loops, long long trips, std::uint64_t times) {
    bm::request_class requests;
    requests.lanes.active = 1;
    requests.loops = loops;
    requests.loop[0].trips = trips;
    requests.times = times;
    (void)bm::total(sm_90, requests);
  };
  const char* const rule = "a_request_class_must_have_requests";
  breaks(rule, {"times of 0", "1 or more"}, [&] { price(0, 1, runtime(std::uint64_t{0})); });
  breaks(rule, {"of 10 ", "0 to 9 loops"}, [&] { price(runtime(10), 1, 1); });
  breaks(rule, {"of -1 ", "0 to 9 loops"}, [&] { price(runtime(-1), 1, 1); });
  breaks(rule, {"trips of 0 "}, [&] { price(1, runtime(0), 1); });
}
