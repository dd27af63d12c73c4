// SPDX-License-Identifier: MIT
// Extents, padding, permutations and copy-engine modes that are errors.
#include <bankmodel/kernel/copy_engine.hpp>
#include <bankmodel/layout/families.hpp>
#include <bankmodel/layout/in_rows.hpp>
#include <bankmodel/layout/instruction_count.hpp>
#include <bankmodel/layout/layout.hpp>

#include "refused.hpp"

namespace bm = bankmodel;

namespace {

constexpr bm::layout square = bm::row_major(32, 32);

constexpr bm::bit_matrix identity_but_for_column_3(unsigned column) {
  bm::bit_matrix result = bm::identity_matrix(4);
  result.set(3, column);
  return result;
}

// An index function with `Terms` different terms.
template <int Terms>
struct long_family : bm::detail::family<long_family<Terms>> {
  BANKMODEL_FN static void place(const bm::layout&, bm::detail::element_to_place& symbols) {
    bm::detail::term sum = symbols.number();
    for (int shift = 1; shift <= Terms; ++shift)
      sum = sum ^ ((symbols.number() * (2 * shift + 1)) & 7);
    symbols.set_number(sum);
  }
  BANKMODEL_FN static bm::permutation inverse(const bm::permutation& p) { return p; }
};
template <int Terms>
constexpr bm::permutation long_permutation() {
  return {
      bm::layout_family::other, 0, 1, {}, &bm::detail::any_family::functions<long_family<Terms>>};
}

}  // namespace

const refusal refusals_of_layouts[] = {
    refused(
        "coordinates_must_match_the_rank", [] { (void)square(33); },
        [] { return square(1, 1) == 33; }),
    refused(
        "index_arithmetic_must_fit_in_64_bits", [] { (void)bm::row_major(1ll << 32, 1ll << 31); },
        [] { return bm::row_major(1ll << 30, 1ll << 31).required_size() == 1ll << 61; }),

    refused(
        "padding_must_not_be_negative", [] { (void)square.padded(-1); },
        [] { return square.padded(1).padding() == 1; }),
    refused(  // the last dimension is the row
        "padding_must_be_of_a_dimension_of_rows", [] { (void)square.padded(1, 1); },
        [] { return square.padded(1, 0).padding() == 1; }),
    refused(
        "intervals_must_be_of_one_dimension_and_positive",
        [] { (void)bm::row_major(1024).padded_every(0, 1); },
        [] { return bm::row_major(1024).padded_every(32, 1)(32) == 33; }),

    refused(
        "permutations_must_be_of_rows", [] { (void)bm::row_major(1024).permuted(bm::rotation(1)); },
        [] { return square.permuted(bm::rotation(1)).required_size() == 1024; }),
    refused(  // padded after it was permuted
        "permutations_must_be_of_rows",
        [] { (void)bm::row_major(1024).permuted(bm::xor_swizzle(5, 0, 5)).padded_every(32, 1); },
        [] {
          return bm::row_major(1024)
                     .permuted(bm::xor_swizzle(5, 0, 5))
                     .padded_every(32, 0)
                     .required_size() == 1024;
        }),
    refused(  // padded every other number of elements
        "only_one_dimension_without_a_permutation_has_rows_of_a_width",
        [] { (void)bm::in_rows_of(bm::row_major(1024).padded_every(32, 1), 64); },
        [] {
          return bm::in_rows_of(bm::row_major(1024).padded_every(64, 1), 64) ==
                 bm::row_major(16, 64).padded(1);
        }),
    refused(
        "only_one_dimension_without_a_permutation_has_rows_of_a_width",
        [] { (void)bm::in_rows_of(bm::row_major(32, 32), 32); },
        [] { return bm::in_rows_of(bm::row_major(1024), 32) == bm::row_major(32, 32); }),
    refused(
        "only_one_dimension_without_a_permutation_has_rows_of_a_width",
        [] { (void)bm::in_rows_of(bm::row_major(1024).permuted(bm::xor_swizzle(5, 0, 5)), 32); },
        [] { return bm::in_rows_of(bm::row_major(1000), 32) == bm::row_major(32, 32); }),
    refused(
        "only_one_dimension_without_a_permutation_has_rows_of_a_width",
        [] { (void)bm::in_rows_of(bm::row_major(1024), 0); },
        [] { return bm::in_rows_of(bm::row_major(1024), 1) == bm::row_major(1024, 1); }),
    refused(  // a rotation without its functions
        "permutations_must_come_from_a_family",
        [] { (void)square.permuted({bm::layout_family::rotation, 0, 1, {1, 0, 0, 0}}); },
        [] { return square.permuted(bm::rotation(1)).required_size() == 1024; }),
    refused(
        "index_functions_must_have_at_most_160_steps",
        [] { (void)bm::index_instructions(square.permuted(long_permutation<60>())); },
        [] { return bm::index_instructions(square.permuted(long_permutation<30>())) > 30; }),
    refused(
        "groups_must_be_powers_of_two_that_fit_the_rows",
        [] { (void)bm::row_major(32, 34).permuted(bm::rotation(1).in_groups_of(4)); },
        [] {
          return bm::row_major(32, 36).permuted(bm::rotation(1).in_groups_of(4)).padding() == 0;
        }),
    refused(
        "groups_must_be_powers_of_two_that_fit_the_rows",
        [] { (void)bm::xor_swizzle(3, 0, 3).in_groups_of(4); },
        [] { return bm::xor_swizzle(3, 2, 3).group == 4; }),

    refused(
        "a_swizzle_must_move_bits_from_elsewhere", [] { (void)bm::xor_swizzle(3, 0, 2); },
        [] { return bm::xor_swizzle(3, 0, 3).group == 1; }),
    refused(
        "a_swizzle_of_bytes_must_keep_elements_whole",
        [] { (void)bm::xor_swizzle_in_bytes(3, 2, 4, sizeof(double)); },
        [] {
          return bm::xor_swizzle_in_bytes(3, 3, 4, sizeof(double)) == bm::xor_swizzle(3, 0, 4);
        }),
    refused(
        "a_copy_engine_must_swizzle_32_64_or_128_bytes",
        [] { (void)bm::copy_engine_swizzle(256, 4); },
        [] { return bm::copy_engine_swizzle(128, 4) == bm::xor_swizzle(3, 2, 3); }),
    refused(
        "triangles_of_columns_must_have_a_width_of_a_power_of_two",
        [] {
          (void)bm::row_major(24, 24).permuted(bm::triangular(bm::triangle::of_columns))(0, 1);
        },
        [] {
          return bm::row_major(24, 24).permuted(bm::triangular(bm::triangle::of_rows))(0, 1) == 1;
        }),

    refused(
        "a_modular_layout_must_be_one_to_one",
        [] { (void)square.permuted(bm::modular({2, 1, 0, 1})); },
        [] { return square.permuted(bm::modular({3, 1, 0, 1})).required_size() == 1024; }),
    // One to one with the padding that it was made with, which is then taken away.
    refused(
        "a_modular_layout_must_be_one_to_one",
        [] {
          (void)bm::row_major(7, 20)
              .padded(21)
              .permuted(bm::modular_in_a_box({2, 0, 0, 1}))
              .padded(0);
        },
        [] {
          return bm::row_major(7, 20)
                     .padded(21)
                     .permuted(bm::modular_in_a_box({2, 0, 0, 1}))
                     .padded(21)
                     .padding() == 21;
        }),
    refused(
        "a_transformation_into_a_box_must_not_lead_below_0",
        [] { (void)bm::row_major(4, 4).permuted(bm::modular_in_a_box({-1, 0, 0, 1})); },
        [] { return bm::row_major(4, 4).permuted(bm::modular_in_a_box({1, 1, 0, 1}))(0, 0) == 0; }),
    refused(
        "entries_of_a_transformation_must_have_at_most_24_bits",
        [] { (void)square.permuted(bm::modular({1, 1 << 24, 0, 1})); },
        [] { return square.permuted(bm::modular({1, 0, 0, 1})).required_size() == 1024; }),
    refused(  // the sum of columns 1 and 2
        "a_linear_layout_must_be_one_to_one",
        [] { (void)bm::row_major(4, 4).permuted(bm::linear(identity_but_for_column_3(0b0110))); },
        [] {
          return bm::row_major(4, 4)
                     .permuted(bm::linear(identity_but_for_column_3(0b1110)))
                     .required_size() == 16;
        }),
    refused(
        "linear_layouts_must_be_of_powers_of_two_without_padding",
        [] { (void)bm::row_major(4, 4).permuted(bm::linear(bm::identity_matrix(4))).padded(1); },
        [] {
          return bm::row_major(4, 4)
                     .permuted(bm::linear(bm::identity_matrix(4)))
                     .padded(0)
                     .required_size() == 16;
        }),
    {},
};
