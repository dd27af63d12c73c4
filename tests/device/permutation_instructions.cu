// SPDX-License-Identifier: MIT
// Kernels that compute one index function and nothing else, each with the result of
// index_instructions() as a variable. permutation_instructions.sh compares it with nvcc's code
// for this file.
#include <bankmodel/layout/instruction_count.hpp>

namespace bm = bankmodel;
using bm::inverse_triangular, bm::linear, bm::modular, bm::modular_in_a_box, bm::rotation;
using bm::row_major, bm::triangle, bm::triangular, bm::xor_swizzle;

namespace {

// True if its program reads the element's number.
template <bm::layout L>
constexpr bool reads_number = [] {
  bm::detail::index_program program{};
  bm::detail::write_program(L, program, true);
  bool reads = false;
  for (int at = 0; at < program.steps; ++at)
    reads = reads || program.step[at].kind == bm::detail::step_kind::number;
  return reads;
}();

// Maps an element's number and coordinates to its place: in one dimension, or if rows do not stay
// rows, to the number in storage.
template <bm::layout L, int Along>
__device__ int place(int number, int a, int b, int c, int d) {
  bm::detail::place at;
  if constexpr (reads_number<L>)
    at = bm::detail::result_of<L>(bm::detail::place{a, b, c, d}, number);
  else if constexpr (L.rank == 1)
    at = bm::detail::placed<L>(a);
  else if constexpr (L.rank == 2)
    at = bm::detail::placed<L>(a, b);
  else if constexpr (L.rank == 3)
    at = bm::detail::placed<L>(a, b, c);
  else
    at = bm::detail::placed<L>(a, b, c, d);
  return at[bm::detail::is_placed_as_a_whole<L>() ? 0 : Along];
}

// A number in storage that is not computed from the element's number includes the multiple of the
// row's stride, which index_instructions() does not count. A claim is visible in the PTX if it is
// not 0.
template <bm::layout L>
constexpr int claim =
    bm::index_instructions(L) + (bm::detail::is_placed_as_a_whole<L>() && !reads_number<L> ? 1 : 0);

// Each bit of a row to some of a column.
constexpr bm::bit_matrix shear(int bits, int by, int also) {
  bm::bit_matrix of = bm::identity_matrix(bits);
  for (int bit = by; bit < bits; ++bit)
    of.set(bit, of[bit] | 1u << (bit - by) | (bit >= also ? 1u << (bit - also) : 0));
  return of;
}
constexpr bm::bit_matrix with(int bits, int bit, unsigned to, int other, unsigned other_to) {
  bm::bit_matrix of = bm::identity_matrix(bits);
  of.set(bit, to);
  of.set(other, other_to);
  return of;
}
constexpr bm::bit_matrix reversed(int bits) {
  bm::bit_matrix of;
  for (int bit = 0; bit < bits; ++bit) of.set(bit, 1u << (bits - 1 - bit));
  return of;
}
constexpr bm::bit_matrix turned(int bits, int by) {
  bm::bit_matrix of;
  for (int bit = 0; bit < bits; ++bit) of.set(bit, 1u << ((bit + by) % bits));
  return of;
}

// Additions of one column to another.
constexpr bm::bit_matrix mixed(int bits) {
  bm::bit_matrix of = bm::identity_matrix(bits);
  for (int k = 0; k < 2 * bits; ++k) {
    const int to = 7 * k % bits, from = (to + 1 + k * k % (bits - 1)) % bits;
    of.set(to, of[to] ^ of[from]);
  }
  return of;
}
constexpr bm::bit_matrix rows_mixed(int bits, int columns) {
  bm::bit_matrix of = bm::identity_matrix(bits);
  for (int bit = columns; bit < bits; ++bit)
    of.set(bit, 1u << bit | (bit * 2654435761u >> 7 & ((1u << columns) - 1)));
  return of;
}

}  // namespace

// A kernel's name ends with its layout's; of a modular layout there are two, and their
// instructions are added.
#define KERNEL(name, output, layout, along)                                              \
  extern "C" __global__ void output##name(int* out, int e, int a, int b, int c, int d) { \
    *out = place<layout, along>(e, a, b, c, d);                                          \
  }
#define LAYOUT(name, ...)                             \
  constexpr bm::layout layout_##name = __VA_ARGS__;   \
  __device__ int claim_##name = claim<layout_##name>; \
  KERNEL(name, column_, layout_##name, layout_##name.rank - 1)
#define TWO_OF(name, ...)   \
  LAYOUT(name, __VA_ARGS__) \
  KERNEL(name, row_, layout_##name, 0)

LAYOUT(padded_every_32, row_major(1024).padded_every(32, 1))
LAYOUT(padded_every_32_by_3, row_major(1024).padded_every(32, 3))
LAYOUT(padded_every_32_by_4, row_major(1024).padded_every(32, 4))
LAYOUT(padded_every_32_by_32, row_major(1024).padded_every(32, 32))
LAYOUT(padded_every_33, row_major(1024).padded_every(33, 1))
LAYOUT(padded_every_24_by_8, row_major(1024).padded_every(24, 8))
LAYOUT(padded_every_7_of_many, row_major(1 << 30).padded_every(7, 5))
LAYOUT(padded_every_24_of_many, row_major(1 << 30).padded_every(24, 16))
LAYOUT(padded_beyond_the_end, row_major(1024).padded_every(2048, 1))

LAYOUT(xor_row, row_major(32, 32).permuted(xor_swizzle(5, 0, 5)))
LAYOUT(xor_some_of_row, row_major(32, 32).permuted(xor_swizzle(3, 0, 5)))
LAYOUT(xor_upper_of_row, row_major(32, 32).permuted(xor_swizzle(3, 0, 7)))
LAYOUT(xor_middle_of_row, row_major(32, 32).permuted(xor_swizzle(2, 0, 6)))
LAYOUT(xor_few_rows, row_major(8, 32).permuted(xor_swizzle(3, 2, 3)))
LAYOUT(xor_chunks, row_major(32, 32).permuted(xor_swizzle(3, 2, 3)))
LAYOUT(xor_same_bits, row_major(64, 4).permuted(xor_swizzle(2, 0, 4)))
LAYOUT(xor_bits_in_place, row_major(64, 4).permuted(xor_swizzle(1, 1, 2)))
LAYOUT(xor_padded_to_a_power, row_major(32, 24).padded(8).permuted(xor_swizzle(3, 0, 5)))
LAYOUT(xor_width_24, row_major(32, 24).permuted(xor_swizzle(3, 0, 5)))
LAYOUT(xor_width_33, row_major(32, 33).permuted(xor_swizzle(3, 0, 5)))
LAYOUT(xor_width_7, row_major(32, 7).permuted(xor_swizzle(2, 1, 3)))
LAYOUT(xor_width_3, row_major(100, 3).permuted(xor_swizzle(4, 0, 4)))
LAYOUT(xor_upwards, row_major(32, 32).permuted(xor_swizzle(3, 2, -4)))
LAYOUT(xor_upwards_in_rows, row_major(32, 32).permuted(xor_swizzle(2, 0, -3)))
LAYOUT(xor_line, row_major(1024).permuted(xor_swizzle(5, 0, 5)))
LAYOUT(xor_line_of_more, row_major(4096).permuted(xor_swizzle(5, 0, 5)))
LAYOUT(xor_planes, row_major(4, 8, 32).permuted(xor_swizzle(3, 2, 3)))
LAYOUT(xor_across_planes, row_major(4, 8, 32).permuted(xor_swizzle(3, 0, 7)))
LAYOUT(xor_of_planes, row_major(4, 8, 32).permuted(xor_swizzle(2, 0, 8)))
LAYOUT(xor_four, row_major(2, 4, 8, 16).permuted(xor_swizzle(2, 1, 6)))
LAYOUT(xor_copy_engine, row_major(64, 64).permuted(bm::copy_engine_swizzle(128, 2)))

LAYOUT(rotation_1, row_major(32, 32).permuted(rotation(1)))
LAYOUT(rotation_back, row_major(32, 32).permuted(rotation(-1)))
LAYOUT(rotation_3, row_major(32, 32).permuted(rotation(3)))
LAYOUT(rotation_4, row_major(32, 32).permuted(rotation(4)))
LAYOUT(rotation_back_4, row_major(32, 32).permuted(rotation(-4)))
LAYOUT(rotation_16, row_major(32, 32).permuted(rotation(16)))
LAYOUT(rotation_0, row_major(32, 32).permuted(rotation(0)))
LAYOUT(rotation_of_2, row_major(32, 2).permuted(rotation(-1)))
LAYOUT(rotation_of_1, row_major(32, 1).permuted(rotation(1)))
LAYOUT(rotation_of_4_rows, row_major(4, 32).permuted(rotation(-1)))
LAYOUT(rotation_of_1_row, row_major(1, 32).permuted(rotation(1)))
LAYOUT(rotation_groups, row_major(32, 32).permuted(rotation(1).in_groups_of(4)))
LAYOUT(rotation_back_groups, row_major(32, 32).permuted(rotation(-1).in_groups_of(4)))
LAYOUT(rotation_3_groups, row_major(32, 32).permuted(rotation(3).in_groups_of(4)))
LAYOUT(rotation_3_wide, row_major(32, 3).permuted(rotation(1)))
LAYOUT(rotation_7_wide, row_major(32, 7).permuted(rotation(1)))
LAYOUT(rotation_24_wide, row_major(32, 24).permuted(rotation(1)))
LAYOUT(rotation_back_24_wide, row_major(32, 24).permuted(rotation(-1)))
LAYOUT(rotation_2_24_wide, row_major(32, 24).permuted(rotation(2)))
LAYOUT(rotation_33_wide, row_major(32, 33).permuted(rotation(1)))
LAYOUT(rotation_back_33_wide, row_major(32, 33).permuted(rotation(-1)))
LAYOUT(rotation_48_wide_groups, row_major(32, 48).permuted(rotation(1).in_groups_of(4)))
LAYOUT(rotation_48_wide_5_groups, row_major(32, 48).permuted(rotation(5).in_groups_of(4)))
LAYOUT(rotation_7_wide_many, row_major(200000000, 7).permuted(rotation(3)))
LAYOUT(rotation_641_wide_many, row_major(3000000, 641).permuted(rotation(5)))
LAYOUT(rotation_24_wide_many, row_major(80000000, 24).permuted(rotation(1)))
LAYOUT(rotation_planes, row_major(3, 4, 32).permuted(rotation(1)))
LAYOUT(rotation_planes_of_5, row_major(3, 5, 24).permuted(rotation(-1)))
LAYOUT(rotation_four, row_major(3, 5, 7, 32).permuted(rotation(1).in_groups_of(4)))
LAYOUT(rotation_planes_alike, row_major(3, 48, 16).permuted(rotation(1)))
LAYOUT(rotation_planes_alike_by_2, row_major(3, 5, 6, 24).permuted(rotation(4).in_groups_of(2)))
LAYOUT(columns_planes_alike, row_major(3, 48, 8).permuted(triangular()))
LAYOUT(rows_planes_alike, row_major(5, 48, 24).permuted(triangular(triangle::of_rows)))
LAYOUT(rotation_four_of_1, row_major(3, 1, 4, 33).permuted(rotation(2)))

LAYOUT(columns, row_major(32, 32).permuted(triangular()))
LAYOUT(columns_of_2, row_major(32, 2).permuted(triangular()))
LAYOUT(columns_of_1, row_major(32, 1).permuted(triangular()))
LAYOUT(columns_groups_2, row_major(32, 32).permuted(triangular().in_groups_of(2)))
LAYOUT(columns_groups_4, row_major(32, 64).permuted(triangular().in_groups_of(4)))
LAYOUT(columns_groups_8, row_major(32, 64).permuted(triangular().in_groups_of(8)))
LAYOUT(columns_planes, row_major(2, 3, 16).permuted(triangular()))
LAYOUT(rows, row_major(32, 32).permuted(triangular(triangle::of_rows)))
LAYOUT(rows_groups_2, row_major(32, 32).permuted(triangular(triangle::of_rows).in_groups_of(2)))
LAYOUT(rows_groups_4, row_major(32, 32).permuted(triangular(triangle::of_rows).in_groups_of(4)))
LAYOUT(rows_3_wide, row_major(32, 3).permuted(triangular(triangle::of_rows)))
LAYOUT(rows_24_wide, row_major(32, 24).permuted(triangular(triangle::of_rows)))
LAYOUT(rows_33_wide, row_major(33, 33).permuted(triangular(triangle::of_rows)))
LAYOUT(rows_48_wide_groups_2,
       row_major(32, 48).permuted(triangular(triangle::of_rows).in_groups_of(2)))
LAYOUT(rows_48_wide_groups_4,
       row_major(32, 48).permuted(triangular(triangle::of_rows).in_groups_of(4)))
LAYOUT(rows_wide, row_major(32, 1024).permuted(triangular(triangle::of_rows)))
LAYOUT(rows_33_wide_many, row_major(40000, 33).permuted(triangular(triangle::of_rows)))
LAYOUT(rows_planes, row_major(2, 3, 24).permuted(triangular(triangle::of_rows)))
LAYOUT(rows_many, row_major(30000, 7).permuted(triangular(triangle::of_rows)))
LAYOUT(inverse_rows, row_major(32, 32).permuted(inverse_triangular(triangle::of_rows)))
LAYOUT(inverse_rows_groups_2,
       row_major(32, 32).permuted(inverse_triangular(triangle::of_rows).in_groups_of(2)))
LAYOUT(inverse_rows_groups_4,
       row_major(32, 32).permuted(inverse_triangular(triangle::of_rows).in_groups_of(4)))
LAYOUT(inverse_rows_24_wide, row_major(32, 24).permuted(inverse_triangular(triangle::of_rows)))
LAYOUT(inverse_rows_48_wide_groups_2,
       row_major(32, 48).permuted(inverse_triangular(triangle::of_rows).in_groups_of(2)))
LAYOUT(inverse_rows_48_wide_groups_4,
       row_major(32, 48).permuted(inverse_triangular(triangle::of_rows).in_groups_of(4)))
LAYOUT(inverse_rows_1_row, row_major(1, 24).permuted(inverse_triangular(triangle::of_rows)))
LAYOUT(inverse_rows_many, row_major(30000, 7).permuted(inverse_triangular(triangle::of_rows)))
LAYOUT(inverse_columns_of_1, row_major(32, 1).permuted(inverse_triangular()))
LAYOUT(inverse_columns_of_2, row_major(32, 2).permuted(inverse_triangular()))
LAYOUT(inverse_columns_of_4, row_major(32, 4).permuted(inverse_triangular()))
LAYOUT(inverse_columns_of_8, row_major(32, 8).permuted(inverse_triangular()))
LAYOUT(inverse_columns_of_16, row_major(32, 16).permuted(inverse_triangular()))
LAYOUT(inverse_columns_of_32, row_major(32, 32).permuted(inverse_triangular()))
LAYOUT(inverse_columns_of_64, row_major(32, 64).permuted(inverse_triangular()))
LAYOUT(inverse_columns_of_128, row_major(32, 128).permuted(inverse_triangular()))
LAYOUT(inverse_columns_of_256, row_major(32, 256).permuted(inverse_triangular()))
LAYOUT(inverse_columns_of_512, row_major(32, 512).permuted(inverse_triangular()))
LAYOUT(inverse_columns_of_1024, row_major(32, 1024).permuted(inverse_triangular()))
LAYOUT(inverse_columns_of_4096, row_major(32, 4096).permuted(inverse_triangular()))
LAYOUT(inverse_columns_of_2048, row_major(32, 2048).permuted(inverse_triangular()))
LAYOUT(inverse_columns_of_8192, row_major(32, 8192).permuted(inverse_triangular()))
LAYOUT(inverse_columns_of_16384, row_major(32, 16384).permuted(inverse_triangular()))
LAYOUT(inverse_columns_planes, row_major(4, 53, 8).permuted(inverse_triangular().in_groups_of(4)))
LAYOUT(inverse_columns_groups_2, row_major(32, 4).permuted(inverse_triangular().in_groups_of(2)))
LAYOUT(inverse_columns_groups_4, row_major(32, 128).permuted(inverse_triangular().in_groups_of(4)))

TWO_OF(modular_rotation, row_major(32, 32).permuted(modular({1, 1, 0, 1})))
TWO_OF(modular_rows, row_major(32, 32).permuted(modular({1, 0, 1, 1})))
TWO_OF(modular_rotation_groups, row_major(32, 32).permuted(modular({1, 1, 0, 1}).in_groups_of(4)))
TWO_OF(modular_rotation_36_wide, row_major(32, 36).permuted(modular({1, 1, 0, 1}).in_groups_of(4)))
TWO_OF(modular_mirrored, row_major(32, 32).permuted(modular({-1, -1, 0, -1})))
TWO_OF(modular_like_factors, row_major(32, 33).permuted(modular({2, 2, 0, 1})))
TWO_OF(modular_shifts, row_major(32, 33).permuted(modular({2, 4, 0, 1})))
TWO_OF(modular_groups_by_4, row_major(32, 32).permuted(modular({1, 1, 4, 1}).in_groups_of(4)))
TWO_OF(modular_groups_like_4, row_major(32, 36).permuted(modular({4, 4, 0, 1}).in_groups_of(4)))
TWO_OF(modular_groups_4_and_1, row_major(32, 36).permuted(modular({4, 1, 0, 1}).in_groups_of(4)))
TWO_OF(modular_0, row_major(32, 32).permuted(modular({11, 6, 6, -3})))
TWO_OF(modular_1, row_major(32, 33).permuted(modular({-2, 2, 0, 11})))
TWO_OF(modular_2, row_major(24, 24).permuted(modular({11, 11, 4, 3})))
TWO_OF(modular_3, row_major(33, 33).permuted(modular({-1, 5, 0, 2})))
TWO_OF(modular_4, row_major(7, 7).permuted(modular({4, 8, -2, 4})))
TWO_OF(modular_5, row_major(32, 128).permuted(modular({4, 3, 1, 11}).in_groups_of(4)))
TWO_OF(modular_6, row_major(12, 48).permuted(modular({7, 4, 2, 1}).in_groups_of(4)))
TWO_OF(modular_7, row_major(33, 96).permuted(modular({11, 5, 0, 1}).in_groups_of(4)))
TWO_OF(modular_8, row_major(16, 64).permuted(modular({5, 4, 1, -1}).in_groups_of(2)))
TWO_OF(modular_9, row_major(32, 32).permuted(modular({5, 1, 0, 5})))
TWO_OF(modular_10, row_major(32, 33).permuted(modular({4, 1, 0, 7})))
TWO_OF(modular_11, row_major(24, 24).permuted(modular({-2, -3, -1, 11})))
TWO_OF(modular_12, row_major(33, 33).permuted(modular({3, 4, 8, 6})))
TWO_OF(modular_13, row_major(7, 7).permuted(modular({-3, 3, 7, 3})))
TWO_OF(modular_14, row_major(32, 128).permuted(modular({11, 6, 6, 3}).in_groups_of(4)))
TWO_OF(modular_15, row_major(12, 48).permuted(modular({4, -3, 1, -2}).in_groups_of(4)))
TWO_OF(modular_16, row_major(33, 96).permuted(modular({3, 8, 8, 4}).in_groups_of(4)))
TWO_OF(modular_17, row_major(16, 64).permuted(modular({5, 5, -2, -3}).in_groups_of(2)))
TWO_OF(modular_18, row_major(32, 32).permuted(modular({-3, -2, 5, 5})))
TWO_OF(modular_19, row_major(32, 33).permuted(modular({-2, 6, 0, -1})))
TWO_OF(modular_20, row_major(24, 24).permuted(modular({7, 4, 4, -3})))
TWO_OF(modular_21, row_major(33, 33).permuted(modular({6, -2, 1, -1})))
TWO_OF(modular_22, row_major(7, 7).permuted(modular({-1, 3, 8, 7})))
TWO_OF(modular_23, row_major(32, 128).permuted(modular({2, -1, 5, 11}).in_groups_of(4)))

LAYOUT(box, row_major(28, 52).permuted(modular_in_a_box({2, 1, 0, 1})))
LAYOUT(box_rows, row_major(28, 52).permuted(modular_in_a_box({1, 1, 0, 1})))
LAYOUT(box_columns, row_major(28, 24).permuted(modular_in_a_box({3, 0, 0, 3})))
LAYOUT(box_up_to_a_power, row_major(28, 31).permuted(modular_in_a_box({1, 1, 0, 1})))
LAYOUT(box_groups, row_major(28, 52).permuted(modular_in_a_box({2, 0, 0, 2}).in_groups_of(4)))
LAYOUT(box_rows_groups, row_major(28, 52).permuted(modular_in_a_box({1, 1, 0, 1}).in_groups_of(4)))
LAYOUT(box_groups_by_4, row_major(28, 52).permuted(modular_in_a_box({4, 1, 0, 4}).in_groups_of(4)))
LAYOUT(box_across, row_major(3, 7).permuted(modular_in_a_box({0, 1, 1, 0})))
LAYOUT(box_of_1_column, row_major(32, 1).permuted(modular_in_a_box({0, 1, 0, 2})))

LAYOUT(linear_none, row_major(32, 32).permuted(linear(bm::identity_matrix(10))))
LAYOUT(linear_xor, row_major(32, 32).permuted(linear(shear(10, 5, 10))))
LAYOUT(linear_xor_of_some, row_major(32, 32).permuted(linear(shear(10, 7, 10))))
LAYOUT(linear_two, row_major(32, 32).permuted(linear(shear(10, 5, 6))))
LAYOUT(linear_two_more, row_major(64, 64).permuted(linear(shear(12, 3, 8))))
LAYOUT(linear_reversed, row_major(4, 4).permuted(linear(reversed(4))))
LAYOUT(linear_reversed_10, row_major(32, 32).permuted(linear(reversed(10))))
LAYOUT(linear_transposed, row_major(4, 4).permuted(linear(turned(4, 2))))
LAYOUT(linear_transposed_32, row_major(32, 32).permuted(linear(turned(10, 5))))
LAYOUT(linear_turned, row_major(2, 4, 16).permuted(linear(turned(7, 3))))
LAYOUT(linear_exchanged, row_major(8).permuted(linear(with(3, 1, 4, 2, 2))))
LAYOUT(linear_exchanged_and_more, row_major(8).permuted(linear(with(3, 0, 5, 2, 1))))
LAYOUT(linear_two_to_one, row_major(32).permuted(linear(with(5, 0, 17, 1, 18))))
LAYOUT(linear_one_to_two, row_major(8, 16).permuted(linear(with(7, 4, 30, 2, 4))))
LAYOUT(linear_to_those_that_stay, row_major(8).permuted(linear(with(3, 0, 6, 1, 7))))
LAYOUT(linear_one_to_many, row_major(1024).permuted(linear(with(10, 5, 63, 9, 512))))
LAYOUT(linear_one_to_many_above, row_major(1024).permuted(linear(with(10, 5, 992, 9, 512))))
LAYOUT(linear_last_to_many, row_major(1024).permuted(linear(with(10, 9, 543, 8, 256))))
LAYOUT(linear_two_to_many, row_major(1024).permuted(linear(with(10, 5, 63, 7, 159))))
LAYOUT(linear_row_bit_to_many, row_major(32, 32).permuted(linear(with(10, 5, 63, 9, 512))))
LAYOUT(linear_last_row_bit_to_many, row_major(32, 32).permuted(linear(with(10, 9, 543, 5, 32))))
LAYOUT(linear_field_twice, row_major(32, 32).permuted(linear(with(10, 5, 41, 6, 82))))
LAYOUT(linear_row_twice, row_major(4, 16).permuted(linear(with(6, 4, 21, 5, 42))))
LAYOUT(linear_same_bits, row_major(64).permuted(linear(with(6, 2, 6, 3, 14))))
LAYOUT(linear_exchanged_fields, row_major(32, 32).permuted(linear(with(10, 0, 4, 2, 1))))
LAYOUT(linear_mixed, row_major(64, 64).permuted(linear(mixed(12))))
LAYOUT(linear_rows_mixed, row_major(64, 64).permuted(linear(rows_mixed(12, 6))))
LAYOUT(linear_rows_mixed_of_planes, row_major(4, 16, 32).permuted(linear(rows_mixed(11, 5))))
LAYOUT(linear_gray, row_major(1024).permuted(linear(shear(10, 1, 10))))
LAYOUT(linear_of_16_bits, row_major(65536).permuted(linear(shear(16, 9, 11))))
LAYOUT(linear_of_1_bit, row_major(2).permuted(linear(bm::identity_matrix(1))))

int main() {}
