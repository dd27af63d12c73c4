// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_PREPARED_HPP
#define BANKMODEL_SEARCH_DETAIL_PREPARED_HPP

#include <bankmodel/layout/families.hpp>

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
// thousands of elements. The families that most candidates belong to have a form of their own here;
// the others are evaluated as any layout is.
class prepared_layout {
 public:
  // Of a row, for the short form of rotations and modular layouts: in 32 bits.
  static constexpr unsigned most_groups = 32768;

  BANKMODEL_FN prepared_layout() {}
  // Sets the rows; set_permutation() must follow. Elements are given by their packed coordinates.
  // Requires: neither coordinates nor element numbers have more than 31 bits.
  BANKMODEL_FN void set_rows(const layout& array_layout) {
    layout_ = array_layout;
    rank_ = array_layout.rank;
    const layout packed_rows = packed(array_layout);
    is_packed_ = array_layout.interval == 0;
    for (int d = 0; d < rank_; ++d) {
      bits_[d] = trailing_zeros(static_cast<std::uint64_t>(packed_rows.stride[d]));
      target_[d] = static_cast<unsigned>(array_layout.stride[d]);
      extent_[d] = static_cast<unsigned>(array_layout.extent[d]);
      is_packed_ = is_packed_ && array_layout.stride[d] == packed_rows.stride[d];
    }
    rows_size_ = array_layout.extent[0] * array_layout.stride[0];
  }
  BANKMODEL_FN void set_permutation(const permutation& candidate) {
    layout_.permutation = candidate;
    family_ = candidate.family;
    a_ = 0;
    if (family_ == layout_family::xor_swizzle) {
      const xor_numbers bits = numbers_of_xor(candidate);
      xor_from_ = bits.source_bit;
      xor_to_ = bits.target_bit;
      xor_mask_ = static_cast<int>(bits.mask);
      size_ = (rows_size_ + bits.block - 1) / bits.block * bits.block;
      return;
    }
    size_ = family_ == layout_family::linear || layout_.interval != 0 ? layout_.required_size()
                                                                      : rows_size_;
    const auto group = static_cast<std::uint64_t>(candidate.group);
    group_bits_ = trailing_zeros(group);
    const unsigned width = columns() >> group_bits_;
    // Families that keep an element in its row, at a * column + b * row.
    const four& number = candidate.number;
    const bool is_rotation = family_ == layout_family::rotation;
    if ((is_rotation || (family_ == layout_family::modular && candidate.form == 0 &&
                         number[2] == 0 && number[3] == 1)) &&
        width <= most_groups) {
      a_ = static_cast<unsigned>(is_rotation ? 1 : least_remainder(number[0], width));
      b_ = static_cast<unsigned>(least_remainder(number[is_rotation ? 0 : 1], width));
    }
  }

  BANKMODEL_FN const layout& unprepared() const { return layout_; }
  // As unprepared().required_size(), and without its permutation.
  BANKMODEL_FN long long size() const { return size_; }
  BANKMODEL_FN long long size_of_rows() const { return rows_size_; }

  BANKMODEL_FN layout_family family() const { return family_; }
  // True if the rows are those of packed().
  BANKMODEL_FN bool is_packed() const { return is_packed_; }
  // True if the bits of an element's place are XORs of the bits of its packed coordinates.
  BANKMODEL_FN bool is_linear() const {
    return is_packed_ &&
           (family_ == layout_family::xor_swizzle || family_ == layout_family::linear);
  }

  // The approximate number of steps of clang for an element, beyond those for rows or an XOR
  // swizzle.
  BANKMODEL_FN long long more_steps() const {
    const int of_rank = rank_ > 2 ? 9 * (rank_ - 1) : 0;  // in_rows() has a short form for 2
    if (a_ != 0) return 9 + of_rank;
    return of_rank + (family_ == layout_family::linear       ? 120
                      : family_ == layout_family::triangular ? 135
                                                             : 10);
  }

  // An element in the rows, before it is permuted: `begin` is the first element of its row.
  struct place_in_rows {
    int coordinates;
    unsigned row, column, begin;
    BANKMODEL_FN unsigned number() const { return begin + column; }
  };
  BANKMODEL_FN place_in_rows in_rows(int coordinates) const {
    place_in_rows position{coordinates, 0, static_cast<unsigned>(coordinates), 0};
    if (rank_ == 2) {
      position.row = position.column >> bits_[0];
      position.column -= position.row << bits_[0];
      position.begin = position.row * target_[0];
      return position;
    }
    for (int d = 0; d < rank_ - 1; ++d) {
      const unsigned coordinate = position.column >> bits_[d];
      position.column -= coordinate << bits_[d];
      position.row = position.row * extent_[d] + coordinate;
      position.begin += coordinate * target_[d];
    }
    return position;
  }

  // The number of columns. Requires: set_rows().
  BANKMODEL_FN unsigned columns() const { return extent_[rank_ - 1]; }

  // The storage element of these coordinates.
  BANKMODEL_FN int place_of(int coordinates) const { return place_of(in_rows(coordinates)); }
  BANKMODEL_FN int place_of(const place_in_rows& position) const {
    const auto number = static_cast<int>(position.number());
    if (family_ == layout_family::xor_swizzle)
      return number ^ ((number >> xor_from_ & xor_mask_) << xor_to_);
    if (a_ == 0) return unprepared_place_of(position.coordinates);
    return place_of(position, a_, b_, group_bits_);
  }
  // The same if group number g of row r moves to a * g + b * r in its row.
  BANKMODEL_FN int place_of(const place_in_rows& position, unsigned a, unsigned b,
                            int group_bits) const {
    const unsigned width = columns() >> group_bits, group = position.column >> group_bits,
                   sum = a * group + b * position.row,
                   moved = (width & (width - 1)) == 0 ? sum & (width - 1) : sum % width;
    return static_cast<int>(position.number() - (group << group_bits) + (moved << group_bits));
  }

 private:
  [[gnu::noinline]] BANKMODEL_FN int unprepared_place_of(int coordinates) const {
    four unpacked;
    for (int d = 0; d < rank_; ++d) {
      unpacked[d] = coordinates >> bits_[d];
      coordinates -= static_cast<int>(unpacked[d]) << bits_[d];
    }
    return static_cast<int>(layout_(unpacked));
  }

  layout layout_;
  layout_family family_ = layout_family::rows;
  int rank_ = 1;
  bool is_packed_ = false;
  long long rows_size_ = 0, size_ = 0;
  int group_bits_ = 0;
  unsigned a_ = 0, b_ = 0;
  int xor_from_ = 0, xor_to_ = 0, xor_mask_ = 0;
  int bits_[max_rank] = {};
  unsigned target_[max_rank] = {}, extent_[max_rank] = {};
};

}  // namespace bankmodel::detail

#endif
