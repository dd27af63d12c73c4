// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_KERNEL_COPY_ENGINE_HPP
#define BANKMODEL_KERNEL_COPY_ENGINE_HPP

#include <bankmodel/kernel/array.hpp>

// Arrays that the copy engine (TMA) fills in one of its swizzle modes.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void rows_for_a_copy_engine_must_fit_its_mode(long long row_bytes,
                                                                        long long stride_bytes,
                                                                        long long mode_bytes) {
  detail::fail(__func__,
               "rows of % bytes, % apart, for a copy engine's mode of % bytes; use rows of a "
               "multiple of 16 bytes, at most that many and one behind "
               "the other, without a permutation of their own (in a search, name arrays that the "
               "engine does not fill in search.keep)",
               row_bytes, stride_bytes, mode_bytes);
}
[[noreturn]] BANKMODEL_FN void arrays_for_a_copy_engine_must_begin_at_its_pattern(
    long long base, long long period) {
  detail::fail(__func__,
               "an array .at(%) that the copy engine fills, whose pattern counts from multiples of "
               "% bytes; begin there, or declare the rows in "
               "front of it too",
               base, period);
}
}  // namespace rule

// After how many bytes the engine's pattern begins again: 256, 512 and 1024 in its modes of 32, 64
// and 128.
BANKMODEL_FN int copy_engine_period(int mode_bytes) { return 8 * mode_bytes; }

// The array as the copy engine lays out a box of these rows in its mode of 32, 64 or 128 bytes: a
// subscript of the result says, as it does of the array, which element is meant, and its cost is
// that of where the engine has put it. See copy_engine_swizzle(). Refused: another mode; rows of
// more bytes than the mode, of no multiple of 16, or padded or permuted; an array that does not
// begin at a multiple of copy_engine_period(), from which the engine counts (CUDA C++ programming
// guide, tensor memory access).
//
// A column of float t[8][32] is an 8-way conflict of 8 lanes; of through_copy_engine(t, 128) it
// has none:
//   total(nvidia::sm_90, block_dim{8}, through_copy_engine(t, 128)[tx][0 * tx]).wavefronts == 1
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
