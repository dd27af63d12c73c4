// SPDX-License-Identifier: MIT
// Searches and plans that are refused.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>
#include <bankmodel/search/optimize_requests.hpp>

#include "refused.hpp"

namespace bm = bankmodel;
using namespace bm::index;
using bm::nvidia::sm_90;

namespace {

constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
constexpr auto column = bm::kernel(bm::block_dim{32, 8}, bm::load(tile[tx][ty]));
constexpr auto plan = bm::optimize(sm_90, column);

constexpr auto with_another(const char* name) {
  const auto other = bm::shared_array<float>(name, 32, 33);
  return bm::kernel(bm::block_dim{32, 8}, bm::load(tile[tx][ty]), bm::load(other[tx][ty]));
}

constexpr auto row_of_tiles(int columns) {
  const auto a = bm::shared_array<float>("a", 32, columns);
  return bm::kernel(bm::block_dim{32}, bm::load(a[tx][0]));
}

constexpr auto load_array(const char* name) {
  return bm::load(bm::shared_array<float>(name, 32)[tx]);
}
constexpr auto sixteen_arrays_and(const char* last) {
  return bm::kernel(bm::block_dim{32}, load_array("a"), load_array("b"), load_array("c"),
                    load_array("d"), load_array("e"), load_array("f"), load_array("g"),
                    load_array("h"), load_array("i"), load_array("j"), load_array("k"),
                    load_array("l"), load_array("m"), load_array("n"), load_array("o"),
                    load_array("p"), load_array(last));
}

// One lane that reads `bytes` bytes of an array of 4 rows of 5 floats, `trips` times.
constexpr auto rows = bm::shared_array<float>("rows", 4, 5);
constexpr bm::request_class lane_at(long long base, int bytes, long long step = 0,
                                    long long trips = 1) {
  bm::request_class requests{.lanes = {.active = 1, .bytes = bytes}, .base = base};
  requests.loops = 1;
  requests.loop[0] = {step, trips};
  return requests;
}
constexpr long long passes_of(const bm::request_class& requests, int count = 1,
                              const bm::array_description& array = rows) {
  return static_cast<long long>(
      bm::optimize(sm_90, {32}, array, &requests, count).after().wavefronts);
}

}  // namespace

const refusal refusals_of_searches[] = {
    refused(
        "arrays_of_one_name_must_be_declared_alike",
        [] { (void)bm::optimize(sm_90, with_another("tile")); },
        [] { return bm::optimize(sm_90, with_another("other")).arrays() == 2; }),
    refused(
        "a_kernel_to_plan_must_have_at_most_16_arrays",
        [] { (void)bm::optimize(sm_90, sixteen_arrays_and("q")); },
        [] { return bm::optimize(sm_90, sixteen_arrays_and("a")).bytes() == 16 * 128; }),
    refused(
        "the_arrays_of_a_kernel_must_fit",
        [] {
          (void)bm::optimize(sm_90, column,
                             {.layouts = bm::layouts::padding, .shared_bytes = 4095});
        },
        [] {
          return bm::optimize(sm_90, column,
                              {.layouts = bm::layouts::padding, .shared_bytes = 4096})
                     .bytes() == 4096;
        }),
    refused(
        "rows_that_are_not_padded_must_be_the_row_stride_apart",
        [] {
          (void)bm::optimize(sm_90, column,
                             {.layouts = bm::layouts::permutations, .row_stride_bytes = 48});
        },
        [] {
          return bm::optimize(sm_90, column,
                              {.layouts = bm::layouts::permutations, .row_stride_bytes = 64})
                     .bytes() == 4096;
        }),
    refused(
        "shared_bytes_must_be_what_a_block_can_have",
        [] { (void)bm::optimize(sm_90, column, {.shared_bytes = 232449}); },
        [] { return bm::optimize(sm_90, column, {.shared_bytes = 232448}).bytes() == 4224; }),
    refused(
        "a_search_must_have_limits_that_are_not_negative",
        [] { (void)bm::optimize(sm_90, column, {.row_stride_bytes = -16}); },
        [] {
          return bm::optimize(sm_90, column, {.row_stride_bytes = 16}).layout(tile).padding() % 4 ==
                 0;
        }),
    refused(
        "kept_arrays_must_be_of_the_kernel",
        [] {
          const auto table = bm::shared_array<float>("table", 256);
          (void)bm::optimize(sm_90, column, {.keep = bm::arrays(tile, table)});
        },
        [] {
          return bm::optimize(sm_90, column, {.keep = bm::arrays(tile)}).layout(tile) ==
                 tile.layout;
        }),
    refused(
        "at_most_8_arrays_can_be_kept",
        [] { (void)bm::arrays(tile, tile, tile, tile, tile, tile, tile, tile, tile); },
        [] {
          return bm::arrays(tile, tile, tile, tile, tile, tile, tile, tile).contain(tile.name);
        }),
    refused(
        "rows_for_a_copy_engine_must_fit_its_mode",
        [] { (void)bm::optimize(sm_90, row_of_tiles(64), {.copy_engine_bytes = 128}); },
        [] {
          return bm::optimize(sm_90, row_of_tiles(32), {.copy_engine_bytes = 128}).bytes() == 4096;
        }),

    refused(
        "an_array_to_plan_must_have_requests", [] { (void)passes_of(lane_at(0, 4), 0); },
        [] { return passes_of(lane_at(0, 4)) == 1; }),
    refused(
        "requests_must_be_of_whole_elements", [] { (void)passes_of(lane_at(0, 2)); },
        [] { return passes_of(lane_at(0, 8)) == 1; }),
    refused(
        "requests_must_begin_at_an_element", [] { (void)passes_of(lane_at(2, 4)); },
        [] { return passes_of(lane_at(4, 4)) == 1; }),
    refused(
        "requests_must_lie_within_their_array", [] { (void)passes_of(lane_at(0, 4, 4, 21)); },
        [] { return passes_of(lane_at(0, 4, 4, 20)) == 20; }),
    refused(
        "wide_requests_must_lie_in_one_row", [] { (void)passes_of(lane_at(16, 8)); },
        [] { return passes_of(lane_at(8, 8)) == 1; }),
    refused_by_compilers(
        "request_classes_must_have_few_enough_progressions",
        [] {
          const auto columns = bm::shared_array<char>("columns", 2, 5000);
          (void)passes_of(lane_at(0, 1, 3, 3333), 1, columns);
        },
        [] {
          const auto columns = bm::shared_array<char>("columns", 2, 5000);
          return passes_of(lane_at(0, 1, 5000, 2), 1, columns) == 2;
        }),

    refused(
        "a_plan_must_have_the_array_that_it_is_asked_for", [] { (void)plan.offset_bytes("title"); },
        [] { return plan.offset_bytes("tile") == 0; }),
    refused(
        "a_plan_must_have_the_access_that_it_is_asked_for", [] { (void)plan.after(1); },
        [] { return plan.after(0).conflicts() == 0; }),
    {},
};
