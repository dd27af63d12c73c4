// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_DRAW_DETAIL_MAP_SHAPE_HPP
#define BANKMODEL_HOST_DRAW_DETAIL_MAP_SHAPE_HPP

#include <bankmodel/host/text/style.hpp>
#include <bankmodel/host/text/text.hpp>

#include <string>

#include <bankmodel/core/hide_macros.hpp>

// The elements of an array as rows and planes in C's order. Each cell has the storage element
// to which a permutation moves it; without a permutation this is storage order.
namespace bankmodel::detail {

// Error: an array that shared_array() would not make.
class map_shape {
 public:
  map_shape(const array_description& array, const geometry& banks, const picture_part& part)
      : layout_(array.layout) {
    const int rank = layout_.rank;
    if (rank < 1 || rank > max_rank) rule::an_array_must_have_one_to_four_extents(rank);
    for (int d = 0; d < rank; ++d)
      if (layout_.extent[d] < 1) rule::extents_must_be_positive(d, layout_.extent[d]);
    for (int d = 0; d < rank - 1; ++d)
      if (layout_.padding(d) < 0) rule::padding_must_not_be_negative(layout_.padding(d));
    if (layout_.interval < 0 || (layout_.interval > 0 && rank != 1))
      rule::intervals_must_be_of_one_dimension_and_positive(rank, layout_.interval);
    if (layout_.interval_padding < 0) rule::padding_must_not_be_negative(layout_.interval_padding);
    rows_ = layout_.permuted(layout_.permutation).permuted({});
    if (is_in_a_box()) rows_ = rows_.padded(0);
    if (!is_power_of_two(array.element_bytes) || array.element_bytes > 16)
      rule::elements_must_have_1_2_4_8_or_16_bytes(array.element_bytes);
    (void)array.at(array.base_bytes);
    (void)checked_add(array.base_bytes,
                      checked_multiply(layout_.required_size(), array.element_bytes));

    if (rank > 1)
      row_length_ = rows_.stride[rank - 2];
    else if (part.row_length != 0)
      row_length_ = part.row_length;
    else
      row_length_ = part_of_a_layer(
          static_cast<long long>(banks.bank_num) * banks.W / array.element_bytes,
          part.columns == picture_part::automatic ? picture_part::many_columns : part.columns);
    if (rank == 1 && row_length_ > layout_.required_size()) row_length_ = layout_.required_size();
  }

  long long planes() const {
    long long result = 1;
    for (int d = 0; d < layout_.rank - 2; ++d) result *= layout_.extent[d];
    return result;
  }
  long long rows(long long plane) const {
    return (start(plane + 1) - start(plane) + row_length_ - 1) / row_length_;
  }
  long long row_length() const { return row_length_; }

  // Cells are numbered in C's order. The first cell of a row; the cell after the last one of
  // its plane.
  long long start(long long plane, long long row) const { return start(plane) + row * row_length_; }
  long long end(long long plane) const { return start(plane + 1); }

  // The storage element that a cell shows. An unused one keeps its place, or moves as an XOR
  // swizzle moves all.
  long long place(long long cell) const {
    const layout_family family = layout_.permutation.family;
    if (family == layout_family::rows) return cell;
    if (family == layout_family::xor_swizzle)
      return row_major(layout_.required_size()).permuted(layout_.permutation)(cell);
    const four subscripts = rows_.coordinates(cell);
    return subscripts[0] < 0 ? cell : layout_(subscripts);
  }

  // Where a picture has the cell of a storage element: the inverse of place(). Returns false if it
  // has none.
  struct position {
    long long plane = 0, row = 0, column = 0;
  };
  bool find(long long element, position& target) const {
    long long cell = element;
    if (layout_.permutation.family != layout_family::rows) {
      const four subscripts = layout_.coordinates(element);
      if (subscripts[0] >= 0)
        cell = rows_(subscripts);
      else if (is_in_a_box())
        return false;
      else if (layout_.permutation.family == layout_family::xor_swizzle)
        cell = place(element);  // XOR is its own inverse
    }
    // The last plane that begins before it: unused elements after a plane are drawn below it.
    for (long long end = planes(); end - target.plane > 1;) {
      const long long middle = target.plane + (end - target.plane) / 2;
      (start(middle) <= cell ? target.plane : end) = middle;
    }
    target.row = (cell - start(target.plane)) / row_length_;
    target.column = (cell - start(target.plane)) % row_length_;
    return true;
  }

  bool is_unused(long long row, long long column) const {
    const int rank = layout_.rank;
    if (rank > 1) return row >= layout_.extent[rank - 2] || column >= layout_.extent[rank - 1];
    const long long cell = row * row_length_ + column;
    return layout_.interval == 0
               ? cell >= layout_.extent[0]
               : cell % (layout_.interval + layout_.interval_padding) >= layout_.interval;
  }

  // True if there are unused elements between others for which there is no cell.
  bool is_in_a_box() const {
    const permutation& p = layout_.permutation;
    return p.family == layout_family::table || (p.family == layout_family::modular && p.form == 1);
  }

  // In one dimension a row is labelled with the storage index of its first element. Rows after
  // a plane's last row have no label.
  std::string row_label(long long row) const {
    if (layout_.rank == 1) return std::to_string(row * row_length_);
    return row < layout_.extent[layout_.rank - 2] ? std::to_string(row) : "";
  }
  std::string plane_label(const std::string& name, long long plane) const {
    if (layout_.rank < 3) return "";
    if (layout_.rank == 3) return line_of(name, "[", std::to_string(plane), "]");
    return line_of(name, "[", std::to_string(plane / layout_.extent[1]), "][",
                   std::to_string(plane % layout_.extent[1]), "]");
  }

 private:
  static long long part_of_a_layer(long long elements, long long limit) {
    while (elements > limit && elements > 1) elements /= 2;
    return elements > 1 ? elements : 1;
  }

  // The first cell of a plane.
  long long start(long long plane) const {
    if (plane == planes()) return is_in_a_box() ? rows_.required_size() : layout_.required_size();
    if (layout_.rank < 3) return 0;
    if (layout_.rank == 3) return plane * layout_.stride[0];
    return plane / layout_.extent[1] * layout_.stride[0] +
           plane % layout_.extent[1] * layout_.stride[1];
  }

  layout layout_, rows_;  // rows_: without its permutation
  long long row_length_ = 1;
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
