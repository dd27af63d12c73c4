// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_LAID_OUT_HPP
#define BANKMODEL_COUNT_DETAIL_LAID_OUT_HPP

#include <bankmodel/count/detail/written.hpp>

namespace bankmodel::detail {

// An access of an array whose layout is no sum of pitches, as one of an array whose layout is:
// what the layout does to the coordinates becomes part of the subscripts. So nothing else needs to
// know of intervals and permutations. The new array may be larger: who has not yet seen that
// subscripts stay inside asks the array with the pitches alone first.
class access_as_laid_out {
 public:
  BANKMODEL_FN access_as_laid_out(const access_view& access, const layout& as)
      : of_(access), array_(access.array), programs_(access) {
    require_whole_groups(as);
    const auto family = as.permutation.family;
    if (as.interval != 0)
      divide_at_intervals(as);
    else if (family == layout_family::xor_swizzle)
      swizzle(as);
    else if (family == layout_family::linear)
      set(0, linear_of(number_of(as), as), plain(1ll << bits_of(as)), 1);
    else if (family == layout_family::modular)
      transform(as);
    else
      permute_columns(as);
  }
  access_as_laid_out(const access_as_laid_out&) = delete;  // views of it keep pointers

  BANKMODEL_FN access_view view() const {
    return {array_,   count_,       subscript_, of_.vector,
            of_.kind, of_.wrappers, of_.depth,  programs_.nodes()};
  }

 private:
  // A wide access is aligned to its width: so it lies in one group, if rows are multiples of it.
  BANKMODEL_FN void require_whole_groups(const layout& as) const {
    if (of_.vector == 1 || as.interval != 0) return;
    bool whole = as.permutation.family != layout_family::linear
                     ? as.permutation.group % of_.vector == 0
                     : keeps_neighbours(as);
    for (int d = 0; d < as.rank - 1; ++d) whole = whole && as.stride[d] % of_.vector == 0;
    if (!whole)
      rule::permuted_groups_must_hold_whole_wide_accesses(of_.vector, as.permutation.group);
  }
  BANKMODEL_FN bool keeps_neighbours(const layout& as) const {
    const bit_matrix by{as.permutation.number};
    for (int bit = 0; bit < bits_of(as); ++bit)
      if (1 << bit < of_.vector ? by[bit] != 1u << bit
                                : by[bit] % static_cast<unsigned>(of_.vector) != 0)
        return false;
    return is_power_of_two(of_.vector);
  }

  BANKMODEL_FN written subscript(int d) { return {programs_, of_.subscript[d]}; }
  BANKMODEL_FN static int bits_of(const layout& as) {
    return trailing_zeros(static_cast<std::uint64_t>(as.extent[0] * as.stride[0]));
  }

  // Rows, all dimensions but the last counted through. Required: two dimensions or more.
  BANKMODEL_FN written row_of(const layout& as) {
    written row = subscript(0);
    for (int d = 1; d < as.rank - 1; ++d) row = row * as.extent[d] + subscript(d);
    return row;
  }
  // What the pitches give.
  BANKMODEL_FN written number_of(const layout& as) {
    written number = subscript(0) * as.stride[0];
    for (int d = 1; d < as.rank; ++d) number = number + subscript(d) * as.stride[d];
    return number;
  }

  // ---- the new array ----

  // Of one dimension, and of which nothing is known but that all indices are below `size`.
  BANKMODEL_FN static layout plain(long long size) {
    layout result = row_major(size);
    while (!is_power_of_two(result.extent[0]))
      result.extent[0] += result.extent[0] & -result.extent[0];
    return result;
  }
  BANKMODEL_FN void set(int d, const written& program, const layout& in, int count) {
    subscript_[d] = program.program();
    array_.layout = in;
    count_ = count;
  }
  // All subscripts but the last as they are.
  BANKMODEL_FN void set_column(const layout& as, const written& column) {
    layout in = as;
    in.permutation = {};
    in.extent[as.rank - 1] = int64_max;  // only by the pitch do other dimensions know of it
    for (int d = 0; d < as.rank - 1; ++d) subscript_[d] = of_.subscript[d];
    set(as.rank - 1, column, in, as.rank);
  }

  // ---- each kind of layout ----

  // Where c is the subscript, rows c / interval and columns c % interval; the last row may be
  // longer than the array.
  BANKMODEL_FN void divide_at_intervals(const layout& as) {
    const layout in =
        row_major((as.extent[0] - 1) / as.interval + 1, as.interval).padded(as.interval_padding);
    set(0, subscript(0) / as.interval, in, 2);
    set(1, subscript(0) % as.interval, in, 2);
  }

  BANKMODEL_FN void permute_columns(const layout& as) {
    const permutation& p = as.permutation;
    const written row = row_of(as), column = subscript(as.rank - 1);
    const written group = column / p.group;
    const long long width = as.groups();
    const written permuted = p.family == layout_family::rotation
                                 ? rotated(row, group, least_remainder(p.number[0], width), width)
                             : p.form == 0 ? with_triangle_of_columns(row, group, width)
                             : p.form == 1 ? with_triangle_of_rows(row, group, width)
                             : p.form == 2 ? ((width - 1) * row + group).triangular_root(width)
                                           : without_triangle_of_rows(row, group, width);
    set_column(as, p.group == 1 ? permuted : permuted * p.group + column % p.group);
  }

  // Where the bits that change are all of the column's, rows stay apart, so that more can be seen
  // of how loops move them.
  BANKMODEL_FN void swizzle(const layout& as) {
    const xor_numbers at = numbers_of_xor(as.permutation);
    bool stays_in_rows = as.rank > 1;
    for (int d = 0; d < as.rank - 1; ++d)
      stays_in_rows = stays_in_rows && as.stride[d] % at.block == 0;
    if (!stays_in_rows) {
      const written number = number_of(as);
      set(0, number ^ (((number >> at.from) & at.mask) << at.to), plain(as.size()), 1);
      return;
    }
    const long long pitch = as.stride[as.rank - 2];
    const int row_bits = as.rank == 2 && is_power_of_two(pitch)
                             ? trailing_zeros(static_cast<std::uint64_t>(pitch))
                             : 64;
    const written changing =
        at.from >= row_bits ? subscript(0) >> (at.from - row_bits) : number_of(as) >> at.from;
    set_column(as, subscript(as.rank - 1) ^ ((changing & at.mask) << at.to));
  }

  BANKMODEL_FN void transform(const layout& as) {
    const permutation& p = as.permutation;
    const written row = subscript(0), column = subscript(1);
    const written group = column / p.group;
    if (p.form == 1) {
      const box_steps step = steps_in_box(p, as.stride[0] / p.group);
      const written number = group * step.columns + row * step.rows;
      set(0, p.group == 1 ? number : number * p.group + column % p.group, plain(as.size()), 1);
      return;
    }
    const long long width = as.groups(), height = as.extent[0];
    const written to_row = (group * least_remainder(p.number[2], height) +
                            row * least_remainder(p.number[3], height)) %
                           height;
    const written to_column =
        (group * least_remainder(p.number[0], width) + row * least_remainder(p.number[1], width)) %
        width;
    set_column(as, p.group == 1 ? to_column : to_column * p.group + column % p.group);
    subscript_[0] = to_row.program();
  }

  // One shift and mask for each distance by which bits move.
  BANKMODEL_FN written linear_of(const written& number, const layout& as) {
    const int bits = bits_of(as);
    const bit_matrix by{as.permutation.number};
    written sum = number;
    bool is_first = true;
    for (int distance = 1 - bits; distance < bits; ++distance) {
      const long long mask = mask_of_distance(by, bits, distance);
      if (mask == 0) continue;
      const written part = (number & mask).shifted(distance);
      sum = is_first ? part : sum ^ part;
      is_first = false;
    }
    return sum;
  }

  access_view of_;
  array_description array_;
  written_programs programs_;
  slice subscript_[max_rank];
  int count_ = 0;
};

}  // namespace bankmodel::detail

#endif
