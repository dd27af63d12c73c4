// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_SPREAD_COORDINATES_HPP
#define BANKMODEL_SEARCH_DETAIL_SPREAD_COORDINATES_HPP

#include <bankmodel/core/arithmetic.hpp>
#include <bankmodel/layout/layout.hpp>

// Coordinates of an array as one number, from which differences of coordinates can be read too.
namespace bankmodel::detail {

// A step of each coordinate of an array.
struct coordinate_step {
  int coordinate[max_rank];
};

// The strides of an array, in elements or in bytes.
struct element_strides {
  int rank;
  long long stride[max_rank];

  BANKMODEL_FN long long distance(const coordinate_step& step) const {
    if (rank == 2) return step.coordinate[0] * stride[0] + step.coordinate[1] * stride[1];
    long long sum = step.coordinate[0] * stride[0];
    for (int d = 1; d < rank; ++d) sum += step.coordinate[d] * stride[d];
    return sum;
  }
  BANKMODEL_FN element_strides times(int bytes) const {
    element_strides result = *this;
    for (int d = 0; d < rank; ++d) result.stride[d] *= bytes;
    return result;
  }
};
// The strides of a layout. Requires: it is strided.
BANKMODEL_FN element_strides strides_of(const layout& array_layout) {
  return {array_layout.rank,
          {array_layout.stride[0], array_layout.stride[1], array_layout.stride[2],
           array_layout.stride[3]}};
}

// The numbers of an array in rows so far apart that 64 times any difference of coordinates fits
// between them: then lanes or iterations in equal steps of the number are in equal steps of each
// coordinate.
//
// Example: float a[20][30] has rows of 128 * 32 numbers. Two elements -4095 numbers apart are one
// row up (-4096) and one column to the right (+1).
class spread_coordinates {
 public:
  BANKMODEL_FN spread_coordinates() {}
  // Requires: fits(array).
  BANKMODEL_FN explicit spread_coordinates(const layout& array) : rank_(array.rank) {
    for (int d = 1; d < rank_; ++d) bits_[d] = 7 + bits_of_numbers_below(array.extent[d]);
  }
  // True if the numbers, multiplied by any element's size, fit in 64 bits.
  BANKMODEL_FN static bool fits(const layout& array) {
    int bits = bits_of_numbers_below(array.extent[0]);
    for (int d = 1; d < array.rank; ++d) bits += 7 + bits_of_numbers_below(array.extent[d]);
    return bits <= 56;
  }

  // The array with these numbers as its layout.
  BANKMODEL_FN layout spread(const layout& array) const {
    layout result = array;
    result.permutation = {};
    result.interval = result.interval_padding = 0;
    for (int d = rank_ - 2; d >= 0; --d) result.stride[d] = result.stride[d + 1] << bits_[d + 1];
    return result;
  }

  // The coordinates of a number, or of the difference between two numbers.
  BANKMODEL_FN coordinate_step step(long long number) const {
    coordinate_step result{};
    for (int d = rank_ - 1; d > 0; --d) {
      const long long half = 1ll << (bits_[d] - 1), low = ((number + half) & (2 * half - 1)) - half;
      result.coordinate[d] = static_cast<int>(low);
      number = (number - low) >> bits_[d];
    }
    result.coordinate[0] = static_cast<int>(number);
    return result;
  }

 private:
  BANKMODEL_FN static int bits_of_numbers_below(long long extent) {
    return extent < 2 ? 0 : highest_bit(static_cast<std::uint64_t>(extent - 1)) + 1;
  }

  int rank_ = 1;
  int bits_[max_rank] = {};
};

}  // namespace bankmodel::detail

#endif
