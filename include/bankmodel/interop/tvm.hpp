// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_INTEROP_TVM_HPP
#define BANKMODEL_INTEROP_TVM_HPP

#include <bankmodel/interop/detail/one_padding.hpp>

namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void storage_align_must_name_an_axis_and_a_factor(long long axis,
                                                                            long long factor,
                                                                            long long offset) {
  detail::fail(__func__,
               "storage_align(%, %, %); use an axis of the array (-1 is the last one), a factor of "
               "1 or more, an offset of 0 or more",
               axis, factor, offset);
}
[[noreturn]] BANKMODEL_FN void tvm_must_align_the_stride_of_one_axis(long long number,
                                                                     long long place,
                                                                     long long expected) {
  detail::fail(__func__,
               "element number % is stored at %, but the only stride of one axis that fits the "
               "elements before it would store it at %; use padding along one axis and no "
               "permutation",
               number, place, expected);
}
}  // namespace rule

namespace tvm {

// storage_align(axis, factor, offset): the stride of the axis, in elements, is the least one that
// equals `offset` modulo `factor` and is large enough for the axes after it. The strides of the
// axes before it follow. A negative axis counts from the last one, -1.
// Requires: -rank <= axis < rank; factor is 1 or more; offset is 0 or more (TVM allows less).
// Example: rows with a stride of 33, and of 72:
//
//   static_assert(from_tvm({0, 2, 1}, row_major(32, 32))(1, 0) == 33);
//   static_assert(from_tvm({0, 32, 8}, row_major(64, 64))(1, 0) == 72);
//
// Source: apache/tvm, python/tvm/tir/schedule/schedule.py, storage_align(): a stride of k * factor
// + offset; which k: src/tir/transforms/compact_buffer_region.cc, CalcStrides(); requirements:
// src/tir/schedule/primitive/block_annotate.cc.
struct storage_align {
  int axis = 0;
  long long factor = 1, offset = 0;
  bool operator==(const storage_align&) const = default;
};

}  // namespace tvm

// Returns the alignment that stores each element where the layout does. Its factor is the least
// power of two above the padding; {0, 1, 0} without padding.
// Error: two dimensions are padded (call storage_align() for each); the padding is at intervals
// that are not an axis; the layout is permuted.
// Example:
//
//   static_assert(to_tvm(row_major(32, 32).padded(1)) == tvm::storage_align{0, 2, 1});
//   static_assert(to_tvm(row_major(64, 64).padded(8)) == tvm::storage_align{0, 16, 8});
BANKMODEL_FN tvm::storage_align to_tvm(const layout& l) {
  const bool is_sum = l.is_strided();
  // The last axis whose stride is larger than the axes after it determines the padding.
  int axis = -1;
  detail::padding_at_intervals pad{detail::numbers_of(l), 0};
  long long volume = 1, wrong = -1;
  for (int d = l.rank - 1; d >= 0 && wrong < 0; volume *= l.extent[d--]) {
    if (l.extent[d] == 1) continue;
    const long long stride = detail::place_of_number(l, volume);
    if (axis < 0 && stride > volume) axis = d, pad = {volume, stride - volume};
    if (stride != pad(volume)) wrong = volume;
  }
  if (wrong < 0 && !is_sum) wrong = detail::disagreement(l, pad);
  if (wrong >= 0)
    rule::tvm_must_align_the_stride_of_one_axis(wrong, detail::place_of_number(l, wrong),
                                                pad(wrong));
  if (axis < 0) return {};
  long long factor = 2;
  while (factor <= pad.padding) factor *= 2;
  return {axis, factor, (pad.interval + pad.padding) % factor};
}

// Returns the array with this axis aligned.
// Error: the array has no such axis; the factor is below 1 or the offset below 0; the array is
// padded or permuted already; the last of three or more axes would get a stride above 1.
// Example:
//
//   static_assert(from_tvm({0, 32, 8}, row_major(64, 64)) == row_major(64, 64).padded(8));
BANKMODEL_FN layout from_tvm(const tvm::storage_align& alignment, const layout& array) {
  detail::require_plain(array);
  if (alignment.axis < -array.rank || alignment.axis >= array.rank || alignment.factor < 1 ||
      alignment.offset < 0)
    rule::storage_align_must_name_an_axis_and_a_factor(alignment.axis, alignment.factor,
                                                       alignment.offset);
  const long long stride =
      array.stride[alignment.axis < 0 ? alignment.axis + array.rank : alignment.axis];
  return detail::padded_by_numbers(
      array, {stride, detail::least_remainder(alignment.offset % alignment.factor - stride,
                                              alignment.factor)});
}

}  // namespace bankmodel

#endif
