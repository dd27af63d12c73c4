// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_KERNEL_COPY_ENGINE_HPP
#define BANKMODEL_KERNEL_COPY_ENGINE_HPP

#include <bankmodel/kernel/array.hpp>
#include <bankmodel/layout/families/xor_swizzle.hpp>

// Arrays that the copy engine (NVIDIA's TMA) fills in one of its swizzle modes.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void rows_for_a_copy_engine_must_fit_its_mode(long long row_bytes,
                                                                        long long stride_bytes,
                                                                        long long mode_bytes) {
  detail::fail(__func__,
               "rows of % bytes, % apart, do not fit a copy engine's mode of % bytes; use dense "
               "rows of a multiple of 16 bytes, at most the mode's, without a permutation of "
               "their own (in a search, name arrays that the engine does not fill in "
               "search.keep)",
               row_bytes, stride_bytes, mode_bytes);
}
[[noreturn]] BANKMODEL_FN void arrays_for_a_copy_engine_must_begin_at_its_pattern(
    long long base, long long period) {
  detail::fail(__func__,
               "an array .at(%) does not begin at the start of a copy engine's pattern, a "
               "multiple of % bytes; move it to one, or declare the preceding rows too",
               base, period);
}
}  // namespace rule

// Returns the period of the engine's pattern in bytes: 256, 512 and 1024 in its modes of 32, 64
// and 128.
BANKMODEL_FN int copy_engine_period(int mode_bytes) { return 8 * mode_bytes; }

// Returns the array as the copy engine stores a box of these rows in its mode of `mode_bytes`
// bytes (32, 64 or 128). A subscript of the result selects the same element as in `array`; its
// cost is that of the place where the engine stored it. See copy_engine_swizzle().
// Requires: the rows are dense, not permuted, and have a multiple of 16 bytes and at most
// `mode_bytes`; the array begins at a multiple of copy_engine_period() (CUDA C++ programming
// guide, tensor memory access).
// Error: another mode; a requirement is not met.
// Example: 8 lanes that read a column have an 8-way conflict. If the copy engine stored the array,
// they have none:
//
//   constexpr auto t = shared_array<float>("t", 8, 32);
//   constexpr auto stored = through_copy_engine(t, 128);
//   static_assert(total(nvidia::sm_90, block_dim{8}, t[tx][0 * tx]).wavefronts == 8);
//   static_assert(total(nvidia::sm_90, block_dim{8}, stored[tx][0 * tx]).wavefronts == 1);
BANKMODEL_FN array_description through_copy_engine(const array_description& array, int mode_bytes) {
  const permutation swizzle = copy_engine_swizzle(mode_bytes, array.element_bytes);
  const layout& rows = array.layout;
  const long long row = rows.extent[rows.rank - 1] * array.element_bytes,
                  stride = rows.rank == 1 ? row : rows.stride[rows.rank - 2] * array.element_bytes;
  if (row % 16 != 0 || row > mode_bytes || stride != row || !rows.is_strided())
    rule::rows_for_a_copy_engine_must_fit_its_mode(row, stride, mode_bytes);
  if (array.base_bytes % copy_engine_period(mode_bytes) != 0)
    rule::arrays_for_a_copy_engine_must_begin_at_its_pattern(array.base_bytes,
                                                             copy_engine_period(mode_bytes));
  return array.with(rows.permuted(swizzle));
}

}  // namespace bankmodel

#endif
