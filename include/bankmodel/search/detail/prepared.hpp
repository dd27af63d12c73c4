// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_PREPARED_HPP
#define BANKMODEL_SEARCH_DETAIL_PREPARED_HPP

#include <bankmodel/layout/layout.hpp>

namespace bankmodel::detail {

// Packs an array's coordinates into one number, each in bits of its own: the number in an array
// whose strides are powers of two.
BANKMODEL_FN layout packed(const layout& array) {
  layout result = array;
  result.permutation = {};
  result.interval = result.interval_padding = 0;
  for (int d = array.rank - 2; d >= 0; --d) {
    const long long inside = result.stride[d + 1] * array.extent[d + 1];
    result.stride[d] =
        is_power_of_two(inside) ? inside : 2ll << highest_bit(static_cast<std::uint64_t>(inside));
  }
  return result;
}

// A layout with everything precomputed that does not depend on the element: a search evaluates
// thousands of elements.
class prepared_layout {
 public:
  // Elements are given by their packed coordinates.
  // Requires: neither these nor element numbers have more than 31 bits.
  BANKMODEL_FN explicit prepared_layout(const layout& as)
      : family_(as.permutation.family),
        form_(as.permutation.form),
        rank_(as.rank),
        group_(static_cast<unsigned>(as.permutation.group)),
        number_(as.permutation.number) {
    const layout from = packed(as);
    for (int d = 0; d < rank_; ++d) {
      bits_[d] = trailing_zeros(static_cast<std::uint64_t>(from.stride[d]));
      to_[d] = static_cast<unsigned>(as.stride[d]);
      extent_[d] = static_cast<unsigned>(as.extent[d]);
    }
    width_ = static_cast<int>(extent_[rank_ - 1] / group_);
    if (family_ == layout_family::xor_swizzle) {
      const xor_numbers bits = numbers_of_xor(as.permutation);
      xor_from_ = bits.from;
      xor_to_ = bits.to;
      xor_mask_ = static_cast<int>(bits.mask);
    }
    // Permutations within a row, at a * column + b * row, in 32 bits if they fit.
    const bool in_rows =
        family_ == layout_family::rotation ||
        (family_ == layout_family::modular && form_ == 0 && number_[2] == 0 && number_[3] == 1);
    if (in_rows && width_ <= 32768) {
      a_ = static_cast<unsigned>(
          family_ == layout_family::rotation ? 1 : least_remainder(number_[0], width_));
      b_ = static_cast<unsigned>(
          least_remainder(number_[family_ == layout_family::rotation ? 0 : 1], width_));
    }
    if (family_ == layout_family::rotation) number_[0] = least_remainder(number_[0], width_);
    if (family_ == layout_family::modular && form_ == 1)
      box_ = steps_in_box(as.permutation, as.stride[0] / group_);
  }

  // The approximate number of steps of clang for an element, beyond those for rows or an XOR
  // swizzle.
  BANKMODEL_FN long long more_steps() const {
    return family_ == layout_family::linear       ? 120
           : family_ == layout_family::triangular ? (form_ == 2 ? 120 : 25)
           : a_ != 0                              ? 5
                                                  : 10;
  }

  // The storage element of these coordinates.
  BANKMODEL_FN int place_of(int coordinates) const {
    auto column = static_cast<unsigned>(coordinates);
    unsigned row = 0, begin = 0;
    if (rank_ == 2) {
      row = column >> bits_[0];
      column -= row << bits_[0];
      begin = row * to_[0];
    } else {
      for (int d = 0; d < rank_ - 1; ++d) {
        const unsigned at = column >> bits_[d];
        column -= at << bits_[d];
        row = row * extent_[d] + at;
        begin += at * to_[d];
      }
    }
    const auto number = static_cast<int>(begin + column);
    if (family_ == layout_family::xor_swizzle)
      return number ^ ((number >> xor_from_ & xor_mask_) << xor_to_);
    if (family_ == layout_family::rows) return number;
    if (family_ == layout_family::linear) return static_cast<int>(moved_by({number_}, number));
    const unsigned of_groups = group_ == 1 ? column : column / group_,
                   within = column - of_groups * group_;
    if (a_ != 0)
      return static_cast<int>(
          begin + (a_ * of_groups + b_ * row) % static_cast<unsigned>(width_) * group_ + within);
    return static_cast<int>(to_group(row, of_groups, begin) * group_ + within);
  }

 private:
  // Layouts without a precomputed form; counted in groups, `begin` is the first element of a
  // row.
  BANKMODEL_FN long long to_group(long long row, long long group, long long begin) const {
    const long long first = begin / static_cast<long long>(group_);
    switch (family_) {
      case layout_family::rotation: return first + rotated(row, group, number_[0], width_);
      case layout_family::triangular:
        return first + (form_ == 0   ? with_triangle_of_columns(row, group, width_)
                        : form_ == 1 ? with_triangle_of_rows(row, group, width_)
                        : form_ == 2 ? triangular_root(least_remainder(group - row, width_), width_)
                                     : without_triangle_of_rows(row, group, width_));
      default: break;
    }
    if (form_ == 1) return box_.columns * group + box_.rows * row;
    const long long to_column = least_remainder(number_[0] * group + number_[1] * row, width_);
    return least_remainder(number_[2] * group + number_[3] * row, extent_[0]) * (to_[0] / group_) +
           to_column;
  }

  layout_family family_;
  int form_, rank_;
  unsigned group_, a_ = 0, b_ = 0;
  int width_ = 1;
  int xor_from_ = 0, xor_to_ = 0, xor_mask_ = 0;
  int bits_[max_rank] = {};
  unsigned to_[max_rank] = {}, extent_[max_rank] = {};
  four number_;
  box_steps box_ = {};
};

}  // namespace bankmodel::detail

#endif
