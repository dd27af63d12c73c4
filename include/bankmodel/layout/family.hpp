// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_FAMILY_HPP
#define BANKMODEL_LAYOUT_FAMILY_HPP

#include <bankmodel/layout/program_writer.hpp>

// The parts of a family of layouts. A new family is a file with a structure like this, and a
// function that returns a permutation of it:
//
//   struct mirrored_family : family<mirrored_family> {  // column c is stored at width - 1 - c
//     static constexpr void place(const layout& rows, element_to_place& element) {
//       const long long last = rows.groups() - 1;
//       element.set_group((element.group() * last + element.constant(last)) % rows.groups());
//     }
//     static constexpr permutation inverse(const permutation& p) { return p; }
//   };
//   constexpr permutation mirrored() {
//     return {layout_family::other, 0, 1, {}, &any_family::functions<mirrored_family>};
//   }
//   static_assert(row_major(4, 8).permuted(mirrored())(1, 0) == 15);
//
// place() is the index function. It reads coordinates and sets the coordinates in storage, with
// + * / % ^ & >> <<, triangle_of() and triangular_root(); all values are 0 or more, and constants
// are computed from the layout first. It is called with numbers (layout::operator()) and with terms
// of a program, which is substituted into subscripts, run by kernels, counted in instructions and
// printed.
namespace bankmodel::detail {

// An element that an index function places: its coordinates in the array and in storage, as numbers
// or as terms of a program.
class element_to_place {
 public:
  BANKMODEL_FN element_to_place(const layout& array_layout, const four& position)
      : layout_(array_layout), writer_(nullptr), source_(position), target_(position) {}
  BANKMODEL_FN element_to_place(const layout& array_layout, program_writer& writer)
      : layout_(array_layout), writer_(&writer) {}

  BANKMODEL_FN bool is_written() const { return writer_ != nullptr; }

  BANKMODEL_FN term constant(long long value) const {
    return writer_ != nullptr ? writer_->constant(value) : term{nullptr, value};
  }
  BANKMODEL_FN term coordinate(int d) const {
    return writer_ != nullptr ? writer_->coordinate(d) : term{nullptr, source_[d]};
  }
  BANKMODEL_FN term column() const { return coordinate(layout_.rank - 1); }
  // The number of the group in the row.
  BANKMODEL_FN term group() const { return column() / layout_.permutation.group; }
  // The number of the row, counted over all dimensions but the last.
  BANKMODEL_FN term row() const {
    term row = coordinate(0);
    for (int d = 1; d < layout_.rank - 1; ++d) row = row * layout_.extent[d] + coordinate(d);
    return row;
  }
  // The number of the element: the sum of its coordinates times their strides.
  BANKMODEL_FN term number() const {
    return writer_ != nullptr ? writer_->number() : term{nullptr, number_of(source_)};
  }

  BANKMODEL_FN void set_coordinate(int d, const term& result) {
    if (writer_ != nullptr) return writer_->set_coordinate(d, result);
    target_[d] = result.value;
  }
  BANKMODEL_FN void set_column(const term& result) { set_coordinate(layout_.rank - 1, result); }
  BANKMODEL_FN void set_group(const term& result) {
    if (layout_.groups() != 1) set_column(in_group(result, column(), layout_.permutation.group));
  }
  BANKMODEL_FN void set_number(const term& result) {
    if (writer_ != nullptr) return writer_->set_number(result);
    number_ = result.value;
  }

  // The place in storage (for numbers only).
  BANKMODEL_FN long long place() const { return number_ >= 0 ? number_ : number_of(target_); }

 private:
  BANKMODEL_FN long long number_of(const four& position) const {
    long long number = 0;
    for (int d = 0; d < layout_.rank; ++d) number += position[d] * layout_.stride[d];
    return number;
  }

  const layout& layout_;
  program_writer* writer_;
  four source_, target_;
  long long number_ = -1;
};

BANKMODEL_FN layout without_permutation(const layout& array_layout) {
  layout rows = array_layout;
  rows.permutation = {};
  return rows;
}

// The functions that all families share, and defaults for families that move groups within rows and
// whose inverse is in the same family.
template <class Family>
struct family {
  BANKMODEL_FN static family_functions functions() {
    return {element, Family::coordinates, Family::size, Family::kept_together, Family::require,
            write};
  }

  BANKMODEL_FN static long long element(const layout& array_layout, const four& position) {
    element_to_place item(array_layout, position);
    Family::place(array_layout, item);
    return item.place();
  }
  BANKMODEL_FN static void write(const layout& array_layout, index_program& program,
                                 bool for_kernels) {
    program_writer writer(array_layout, program, for_kernels);
    element_to_place item(array_layout, writer);
    Family::place(array_layout, item);
    drop_unread(program);
  }

  BANKMODEL_FN static four coordinates(const layout& array_layout, long long place) {
    const layout rows = without_permutation(array_layout);
    const four position = rows.coordinates(place);
    if (position[0] < 0) return position;
    layout back = array_layout;
    back.permutation = Family::inverse(array_layout.permutation);
    return rows.coordinates(element(back, position));
  }
  BANKMODEL_FN static long long size(const layout& array_layout) {
    return checked_multiply(array_layout.extent[0], array_layout.stride[0]);
  }
  BANKMODEL_FN static long long kept_together(const layout& array_layout) {
    return array_layout.permutation.group;
  }
  BANKMODEL_FN static void require(const layout& array_layout) {
    if (array_layout.rank < 2) rule::permutations_must_be_of_rows(array_layout.rank);
    if (array_layout.extent[array_layout.rank - 1] % array_layout.permutation.group != 0)
      rule::groups_must_be_powers_of_two_that_fit_the_rows(
          array_layout.permutation.group, array_layout.extent[array_layout.rank - 1]);
  }
};

}  // namespace bankmodel::detail

#endif
