// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MODEL_PATTERN_HPP
#define BANKMODEL_MODEL_PATTERN_HPP

#include <bankmodel/core/arithmetic.hpp>

// One warp's access as the dissertation describes it (section 4.3). Strides and offsets are in
// elements and may be negative; a stride of zero is a broadcast.
namespace bankmodel {

// Lane i reads element offset + i * stride, for i in [0, lanes); lanes == 0 means one lane per
// bank.
// Example: elements 1, 3, 5, ..:
//
//   constexpr access_1d odd{.stride = 2, .offset = 1};
//   static_assert(degree(bank_geometry<32, 4, 4, 4>{}, odd) == 2);
struct access_1d {
  long long stride;
  long long offset = 0;
  int lanes = 0;
  BANKMODEL_FN bool operator==(const access_1d& other) const {
    return stride == other.stride && offset == other.offset && lanes == other.lanes;
  }
};

// Lane x + repeat_x * y reads element offset + x * stride_x + y * stride_y, for x in [0,
// repeat_x) and y in [0, repeat_y).
// Example: elements 0 to 15 and 24 to 39:
//
//   constexpr access_2d two_rows{.stride_x = 1, .repeat_x = 16, .stride_y = 24, .repeat_y = 2};
//   static_assert(degree(bank_geometry<32, 4, 4, 4>{}, two_rows) == 2);
struct access_2d {
  long long stride_x;
  int repeat_x;
  long long stride_y;
  int repeat_y;
  long long offset = 0;
  BANKMODEL_FN bool operator==(const access_2d& other) const {
    return stride_x == other.stride_x && repeat_x == other.repeat_x && stride_y == other.stride_y &&
           repeat_y == other.repeat_y && offset == other.offset;
  }
};

// An affine map from a thread to the element that it reads in a two-dimensional array
// (dissertation, section 4.3.2):
//
//   column = a11 * threadIdx.x + a12 * threadIdx.y + c1
//   row    = a21 * threadIdx.x + a22 * threadIdx.y + c2
struct affine_transform {
  long long a11, a12, c1;
  long long a21, a22, c2;
  BANKMODEL_FN bool operator==(const affine_transform& other) const {
    return a11 == other.a11 && a12 == other.a12 && c1 == other.c1 && a21 == other.a21 &&
           a22 == other.a22 && c2 == other.c2;
  }
};

namespace rule {
[[noreturn]] BANKMODEL_FN void a_warp_must_be_whole_rows_of_the_block_or_lie_in_one(
    long long block_x, long long lanes) {
  detail::fail(__func__,
               "in a block with rows of % threads a warp of % lanes has no 2D stride; make one "
               "divide the other, or call total(), which accepts any block",
               block_x, lanes);
}
[[noreturn]] BANKMODEL_FN void lanes_of_a_warp_must_be_1_to_32_or_64(long long lanes) {
  detail::fail(__func__,
               "a warp of % lanes; use 32 as on NVIDIA, 64 as on many of AMD's machines, or fewer "
               "than 32 for the lanes of a phase",
               lanes);
}
}  // namespace rule

// Returns the 2D stride of the block's first warp, in elements (dissertation, table 4.3):
//
//   stride_x = a21 * array_width + a11    repeat_x = block_x
//   stride_y = a22 * array_width + a12    repeat_y = lanes / block_x
//
// `array_width` is the distance of the array's rows in elements, `block_x` the width of the
// block in threads. If block_x is a multiple of `lanes`, the warp is within one row: repeat_x =
// lanes, repeat_y = 1.
// Requires: block_x >= 1, lanes is 1 to 32 or 64, and one divides the other.
// Error: a requirement is not met; a stride overflows 64 bits.
// Example:
//
//   static_assert(stride_pattern({1, 0, 0, 0, 1, 0}, 24, 16, 32) ==
//                 access_2d{.stride_x = 1, .repeat_x = 16, .stride_y = 24, .repeat_y = 2});
BANKMODEL_FN access_2d stride_pattern(const affine_transform& t, long long array_width, int block_x,
                                      int lanes) {
  if (block_x < 1 || lanes < 1 || (lanes % block_x != 0 && block_x % lanes != 0))
    rule::a_warp_must_be_whole_rows_of_the_block_or_lie_in_one(block_x, lanes);
  if (lanes > 32 && lanes != 64) rule::lanes_of_a_warp_must_be_1_to_32_or_64(lanes);
  const auto element = [&](long long row, long long column) {
    return detail::checked_add(detail::checked_multiply(row, array_width), column);
  };
  const bool one_row = block_x >= lanes;
  return {.stride_x = element(t.a21, t.a11),
          .repeat_x = one_row ? lanes : block_x,
          .stride_y = element(t.a22, t.a12),
          .repeat_y = one_row ? 1 : lanes / block_x,
          .offset = element(t.c2, t.c1)};
}

}  // namespace bankmodel

#endif
