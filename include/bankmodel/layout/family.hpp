// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_FAMILY_HPP
#define BANKMODEL_LAYOUT_FAMILY_HPP

#include <bankmodel/layout/program_writer.hpp>

// The parts of a family of layouts. A new family is a file with a structure like this, and a
// function that returns a permutation of it:
//
//   struct mirrored_family : family<mirrored_family> {  // column c is stored at width - 1 - c
//     static constexpr void place(const layout& of, element_to_place& at) {
//       const long long last = of.groups() - 1;
//       at.set_group((at.group() * last + at.constant(last)) % of.groups());
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
  BANKMODEL_FN element_to_place(const layout& of, const four& at)
      : of_(of), writer_(nullptr), from_(at), to_(at) {}
  BANKMODEL_FN element_to_place(const layout& of, program_writer& writer)
      : of_(of), writer_(&writer) {}

  BANKMODEL_FN bool is_written() const { return writer_ != nullptr; }

  BANKMODEL_FN term constant(long long value) const {
    return writer_ != nullptr ? writer_->constant(value) : term{nullptr, value};
  }
  BANKMODEL_FN term coordinate(int d) const {
    return writer_ != nullptr ? writer_->coordinate(d) : term{nullptr, from_[d]};
  }
  BANKMODEL_FN term column() const { return coordinate(of_.rank - 1); }
  // The number of the group in the row.
  BANKMODEL_FN term group() const { return column() / of_.permutation.group; }
  // The number of the row, counted over all dimensions but the last.
  BANKMODEL_FN term row() const {
    term row = coordinate(0);
    for (int d = 1; d < of_.rank - 1; ++d) row = row * of_.extent[d] + coordinate(d);
    return row;
  }
  // The number of the element: the sum of its coordinates times their strides.
  BANKMODEL_FN term number() const {
    return writer_ != nullptr ? writer_->number() : term{nullptr, number_of(from_)};
  }

  BANKMODEL_FN void set_coordinate(int d, const term& to) {
    if (writer_ != nullptr) return writer_->set_coordinate(d, to);
    to_[d] = to.value;
  }
  BANKMODEL_FN void set_column(const term& to) { set_coordinate(of_.rank - 1, to); }
  BANKMODEL_FN void set_group(const term& to) {
    if (of_.groups() != 1) set_column(in_group(to, column(), of_.permutation.group));
  }
  BANKMODEL_FN void set_number(const term& to) {
    if (writer_ != nullptr) return writer_->set_number(to);
    number_ = to.value;
  }

  // The place in storage (for numbers only).
  BANKMODEL_FN long long place() const { return number_ >= 0 ? number_ : number_of(to_); }

 private:
  BANKMODEL_FN long long number_of(const four& at) const {
    long long number = 0;
    for (int d = 0; d < of_.rank; ++d) number += at[d] * of_.stride[d];
    return number;
  }

  const layout& of_;
  program_writer* writer_;
  four from_, to_;
  long long number_ = -1;
};

BANKMODEL_FN layout without_permutation(const layout& of) {
  layout rows = of;
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

  BANKMODEL_FN static long long element(const layout& of, const four& at) {
    element_to_place each(of, at);
    Family::place(of, each);
    return each.place();
  }
  BANKMODEL_FN static void write(const layout& of, index_program& to, bool for_kernels) {
    program_writer writer(of, to, for_kernels);
    element_to_place each(of, writer);
    Family::place(of, each);
    to.drop_unread();
  }

  BANKMODEL_FN static four coordinates(const layout& of, long long place) {
    const layout rows = without_permutation(of);
    const four at = rows.coordinates(place);
    if (at[0] < 0) return at;
    layout back = of;
    back.permutation = Family::inverse(of.permutation);
    return rows.coordinates(element(back, at));
  }
  BANKMODEL_FN static long long size(const layout& of) {
    return checked_multiply(of.extent[0], of.stride[0]);
  }
  BANKMODEL_FN static long long kept_together(const layout& of) { return of.permutation.group; }
  BANKMODEL_FN static void require(const layout& of) {
    if (of.rank < 2) rule::permutations_must_be_of_rows(of.rank);
    if (of.extent[of.rank - 1] % of.permutation.group != 0)
      rule::groups_must_be_powers_of_two_that_fit_the_rows(of.permutation.group,
                                                           of.extent[of.rank - 1]);
  }
};

}  // namespace bankmodel::detail

#endif
