// SPDX-License-Identifier: MIT
// Arrays, subscripts, loops and accesses that are errors when they are described.
#include <bankmodel/analyze.hpp>
#include <bankmodel/kernel/copy_engine.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>

#include "refused.hpp"

namespace bm = bankmodel;
using namespace bm::index;

namespace {

struct three_bytes {
  char red, green, blue;
};
struct four_bytes {
  char red, green, blue, alpha;
};
constexpr auto line = bm::shared_array<float>("line", 64);
constexpr auto doubles = bm::shared_array<double>("doubles", 64);
constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
constexpr auto described_again = bm::shared_array<float>("tile", 32, 32);

constexpr auto planned_with(const decltype(tile)& other) {
  return bm::optimize(bm::nvidia::sm_90, bm::kernel(bm::block_dim{32, 8}, bm::load(tile[tx][ty]),
                                                    bm::load(other[ty][tx])));
}

}  // namespace

const refusal refusals_of_kernels[] = {
    refused(
        "an_array_must_have_one_to_four_extents",
        [] { (void)bm::shared_array<float>("a", 2, 2, 2, 2, 2); },
        [] { return bm::shared_array<float>("a", 2, 2, 2, 2).layout.rank == 4; }),
    refused(
        "an_array_must_have_one_to_four_extents", [] { (void)bm::shared_array<float>("a"); },
        [] { return bm::shared_array<float>("a", 1).layout.rank == 1; }),
    refused(
        "arrays_of_one_name_must_be_one_array", [] { (void)planned_with(described_again); },
        [] { return planned_with(tile).arrays() == 1; }),
    refused(
        "extents_must_be_positive", [] { (void)bm::shared_array<float>("a", 32, 0); },
        [] { return bm::shared_array<float>("a", 32, 1).layout.rank == 2; }),
    refused(
        "elements_must_have_1_2_4_8_or_16_bytes",
        [] { (void)bm::shared_array<three_bytes>("a", 64); },
        [] { return bm::shared_array<four_bytes>("a", 64).element_bytes == 4; }),
    refused(
        "array_names_must_have_at_most_32_characters",
        [] { (void)bm::shared_array<float>("a_name_of_thirty_three_characters", 64); },
        [] {
          return bm::shared_array<float>("a_name_of_thirty_two_characters_", 64).name[0] == 'a';
        }),
    refused(
        "array_base_must_be_aligned_to_its_element", [] { (void)line.at(6); },
        [] { return line.at(8).base_bytes == 8; }),
    refused(
        "array_base_must_be_aligned_to_its_element", [] { (void)line.at(-8); },
        [] { return line.at(0).base_bytes == 0; }),
    refused(
        "a_layout_must_have_the_extents_of_its_array",
        [] { (void)tile.with(bm::row_major(32, 33).padded(1)); },
        [] { return tile.with(bm::row_major(32, 32).padded(1)).layout.padding() == 1; }),
    refused(
        "arrays_for_a_copy_engine_must_begin_at_its_pattern",
        [] { (void)bm::through_copy_engine(bm::shared_array<float>("a", 8, 32).at(128), 128); },
        [] {
          const auto a = bm::shared_array<float>("a", 8, 32).at(1024);
          return bm::through_copy_engine(a, 128).base_bytes == 1024;
        }),

    refused(
        "too_many_subscripts", [] { (void)tile[tz][ty][tx]; },
        [] { return tile[ty][tx].subscripts == 2; }),
    refused(
        "too_few_subscripts", [] { (void)bm::load(tile[tx]); },
        [] { return bm::load(tile[ty][tx]).subscripts == 2; }),
    refused(
        "constants_must_fit_in_63_bits", [] { (void)line[tx + ~0ull]; },
        [] { return line[tx + 7ull].subscripts == 1; }),
    refused(
        "loop_variable_must_be_one_of_six", [] { (void)bm::loop_variable(6); },
        [] { return bm::loop_variable(5).nodes[0].op == bm::operation::variable; }),

    refused(
        "step_must_not_be_zero", [] { (void)bm::for_loop(j, bm::range(0, 32, 0), line[tx + j]); },
        [] { return bm::for_loop(j, bm::range(0, 32, 8), line[tx + j]).depth == 1; }),
    refused(
        "factor_must_be_two_or_more",
        [] { (void)bm::for_loop(j, bm::powers(1, 16, 1), line[tx + j]); },
        [] { return bm::for_loop(j, bm::powers(1, 16, 2), line[tx + j]).depth == 1; }),
    refused(
        "for_loop_must_be_given_a_loop_variable",
        [] { (void)bm::for_loop(tx, bm::range(0, 8), line[tx]); },
        [] { return bm::for_loop(i, bm::range(0, 8), line[tx]).depth == 1; }),
    refused(
        "subscripts_must_stand_inside_loops_and_filters",
        [] { (void)bm::for_loop(j, bm::range(0, 32), tile[j])[tx]; },
        [] { return bm::for_loop(j, bm::range(0, 32), tile[j][tx]).subscripts == 2; }),

    refused(
        "an_access_must_be_a_load_or_a_store_not_both", [] { (void)bm::load(bm::store(line[tx])); },
        [] { return bm::store(bm::store(line[tx])).depth == 0; }),
    refused(
        "accesses_must_have_1_2_4_8_12_or_16_bytes_a_lane",
        [] { (void)bm::vectorized<4>(doubles[4 * tx]); },
        [] { return bm::vectorized<2>(doubles[4 * tx]).vector == 2; }),
    refused(
        "an_access_must_be_vectorized_once",
        [] { (void)bm::vectorized<2>(bm::vectorized<2>(line[4 * tx])); },
        [] { return bm::vectorized<4>(line[4 * tx]).vector == 4; }),
    {},
};
