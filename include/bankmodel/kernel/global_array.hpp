// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_KERNEL_GLOBAL_ARRAY_HPP
#define BANKMODEL_KERNEL_GLOBAL_ARRAY_HPP

#include <bankmodel/kernel/array.hpp>

// Arrays in global memory.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void row_strides_must_hold_their_rows(long long bytes,
                                                                long long row_bytes,
                                                                long long element_bytes) {
  detail::fail(__func__,
               "rows % bytes apart do not hold rows of % bytes with elements of %; use a multiple "
               "of the element size that is at least a row, for an array of two dimensions or more",
               bytes, row_bytes, element_bytes);
}
}  // namespace rule

// The first extent of an array of which only a pointer is known. `float (*in)[1024]` has the
// extents unknown_extent, 1024. Subscripts of this dimension must not be negative; no other check
// is possible. It is 2^40: the array, 2^40 times the bytes of its inner extents, must keep below
// 2^63 bytes, so these have less than 2^23 bytes.
constexpr long long unknown_extent = 1ll << 40;

// Returns the description of an array in global memory, with one to four extents. Its base counts
// as aligned to 256 bytes, as cudaMalloc() aligns it, unless .at() sets it. As with shared_array(),
// each call describes an array of its own.
// Requires: T has 1, 2, 4, 8 or 16 bytes; only the first extent is unknown_extent.
// Error: as for shared_array().
// Example:
//
//   constexpr auto in = global_array<float>("in", 1024, 1024);
//   constexpr auto tile_of_block = load(in[32 * by + ty][32 * bx + tx]);
//   static_assert(traffic(nvidia::sm_90, block_dim{32, 8}, tile_of_block).transactions == 32);
template <class T, detail::number... Extents>
BANKMODEL_FN array_description global_array(const detail::name_of_a_call& name,
                                            Extents... extents) {
  array_description result = shared_array<T>(name, extents...);
  result.memory = memory_space::global;
  return result;
}

// Returns the same array with its rows `bytes` bytes apart, as cudaMallocPitch() returns them (of
// three dimensions or more, planes have as many rows as before).
// Error: `bytes` is not a multiple of the element size, or less than a row; the array has one
// dimension.
// Example: rows of 1000 floats, 1024 floats apart:
//
//   constexpr auto in = with_row_stride(global_array<float>("in", 1000, 1000), 4096);
//   static_assert(in.layout(1, 0) == 1024 && in.layout.extent[1] == 1000);
BANKMODEL_FN array_description with_row_stride(const array_description& array, long long bytes) {
  const layout& rows = array.layout;
  const long long element = array.element_bytes, row = rows.extent[rows.rank - 1] * element;
  if (rows.rank < 2 || bytes % element != 0 || bytes < row)
    rule::row_strides_must_hold_their_rows(bytes, row, element);
  return array.with(rows.padded(bytes / element - rows.extent[rows.rank - 1]));
}

}  // namespace bankmodel

#endif
