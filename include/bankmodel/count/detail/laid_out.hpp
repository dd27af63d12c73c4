// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_LAID_OUT_HPP
#define BANKMODEL_COUNT_DETAIL_LAID_OUT_HPP

#include <bankmodel/kernel/access_view.hpp>
#include <bankmodel/layout/index_program.hpp>

// Layouts with intervals or a permutation, rewritten as a part of the subscripts.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void subscripts_of_this_layout_must_be_shorter(long long limit) {
  detail::fail(__func__,
               "an access of an array with padded_every() or a permutation needs more than % "
               "numbers and operators; shorten its subscripts or conditions",
               limit);
}
[[noreturn]] BANKMODEL_FN void permuted_groups_must_hold_whole_wide_accesses(long long elements,
                                                                             long long group) {
  detail::fail(
      __func__,
      "a wide access of % elements of an array whose permutation keeps groups of % together; "
      "use groups and row strides that are multiples of the access (XOR swizzle: a larger base)",
      elements, group);
}
}  // namespace rule

namespace detail {

// An access of an array with intervals or a permutation, as an access of an array whose layout is
// strided. So no other part of counting handles intervals and permutations. The new array may be
// larger than the old one: subscripts must be checked against the old extents first.
// Example: float a[128] with one element of padding after every 32 elements: a[s] becomes b[s /
// 32][s % 32] of float b[4][32] with rows of 33.
class access_as_laid_out {
 public:
  BANKMODEL_FN access_as_laid_out(const access_view& access, const layout& array_layout)
      : view_(access), array_(access.array) {
    copy_programs();
    if (array_layout.interval != 0)
      divide_at_intervals(array_layout);
    else
      permute(array_layout, functions_of(array_layout.permutation));
  }
  access_as_laid_out(const access_as_laid_out&) = delete;  // its views have pointers to it

  BANKMODEL_FN access_view view() const {
    return {array_,     count_,         subscript_,  view_.vector,
            view_.kind, view_.wrappers, view_.depth, nodes_};
  }

 private:
  // Subscript c becomes c / interval and c % interval; the last row may end after the array.
  BANKMODEL_FN void divide_at_intervals(const layout& array_layout) {
    for (int d = 0; d < 2; ++d) {
      subscript_[count_] = copied(view_.subscript[0]);
      append(d == 0 ? operation::divide : operation::remainder, array_layout.interval);
      subscript_[count_++].size += 2;
    }
    array_.layout =
        row_major((array_layout.extent[0] - 1) / array_layout.interval + 1, array_layout.interval)
            .padded(array_layout.interval_padding);
  }

  BANKMODEL_FN void permute(const layout& array_layout, const family_functions& family) {
    // Aligned wide accesses are within one group if row strides are multiples of their width.
    const long long group = family.kept_together(array_layout);
    bool fits = group % view_.vector == 0;
    for (int d = 0; d < array_layout.rank - 1; ++d)
      fits = fits && array_layout.stride[d] % view_.vector == 0;
    if (view_.vector > 1 && !fits)
      rule::permuted_groups_must_hold_whole_wide_accesses(view_.vector, group);

    index_program program;
    family.write(array_layout, program, false);
    for (int d = 0; d < program.results; ++d) {
      const int first = size_;
      append_step(program, program.result[d], array_layout);
      subscript_[d] = {first, size_ - first};
    }
    count_ = program.results;
    array_.layout = count_ == array_layout.rank && count_ > 1 ? with_any_column(array_layout)
                                                              : line(array_layout.required_size());
  }

  // ---- the new array ----

  // A layout of one dimension for indices below `size`, which is rounded up to a power of two.
  BANKMODEL_FN static layout line(long long size) {
    layout result = row_major(size);
    while (!is_power_of_two(result.extent[0]))
      result.extent[0] += result.extent[0] & -result.extent[0];
    return result;
  }
  BANKMODEL_FN static layout with_any_column(const layout& array_layout) {
    layout result = array_layout;
    result.permutation = {};
    result.extent[array_layout.rank - 1] = int64_max;  // no stride depends on it
    return result;
  }

  // ---- the new programs, stored after those of the access ----

  BANKMODEL_FN void copy_programs() {
    for (int d = 0; d < view_.subscripts; ++d) reach(view_.subscript[d]);
    for (int level = 0; level < view_.depth; ++level) {
      const wrapper& w = view_.wrappers[level];
      reach(w.first), reach(w.last), reach(w.step);
    }
    require_room(0);
    copy_nodes(nodes_, view_.nodes, size_);
  }
  BANKMODEL_FN void reach(const slice& program) {
    if (program.first + program.size > size_) size_ = program.first + program.size;
  }
  BANKMODEL_FN void require_room(int nodes) const {
    if (size_ + nodes > most_nodes) rule::subscripts_of_this_layout_must_be_shorter(most_nodes);
  }

  BANKMODEL_FN slice copied(const slice& program) {
    require_room(program.size);
    copy_nodes(nodes_ + size_, view_.nodes + program.first, program.size);
    size_ += program.size;
    return {size_ - program.size, program.size};
  }
  BANKMODEL_FN void append(operation op) {
    require_room(1);
    nodes_[size_++] = {op, 0};
  }
  BANKMODEL_FN void append(operation op, long long right) {
    require_room(2);
    nodes_[size_++] = {operation::constant, right};
    nodes_[size_++] = {op, 0};
  }

  BANKMODEL_FN void append_step(const index_program& program, int step,
                                const layout& array_layout) {
    const program_step& s = program.step[step];
    if (s.kind == step_kind::coordinate) return (void)copied(view_.subscript[s.value]);
    if (s.kind == step_kind::number) return append_number(array_layout);
    if (s.kind == step_kind::constant) {
      require_room(1);
      nodes_[size_++] = {operation::constant, s.value};
      return;
    }
    append_step(program, s.left, array_layout);
    switch (s.kind) {
      case step_kind::add:
      case step_kind::bit_xor:
        append_step(program, s.right, array_layout);
        return append(s.kind == step_kind::add ? operation::add : operation::bit_xor);
      case step_kind::multiply: return append(operation::multiply, s.value);
      case step_kind::divide: return append(operation::divide, s.value);
      case step_kind::remainder: return append(operation::remainder, s.value);
      case step_kind::bit_and: return append(operation::bit_and, s.value);
      case step_kind::shift_left: return append(operation::shift_left, s.value);
      case step_kind::shift_right: return append(operation::shift_right, s.value);
      case step_kind::triangular_root: return append(operation::triangular_root, s.value);
      case step_kind::triangle:
        append_step(program, s.left, array_layout);
        append(operation::add, 1);
        append(operation::multiply);
        return append(operation::divide, 2);
      default:  // in_group
        append(operation::multiply, s.value);
        append_step(program, s.right, array_layout);
        append(operation::remainder, s.value);
        return append(operation::add);
    }
  }
  // Appends the sum of subscript * stride.
  BANKMODEL_FN void append_number(const layout& array_layout) {
    for (int d = 0; d < array_layout.rank; ++d) {
      (void)copied(view_.subscript[d]);
      if (array_layout.stride[d] != 1) append(operation::multiply, array_layout.stride[d]);
      if (d > 0) append(operation::add);
    }
  }

  static constexpr int most_nodes = 2048;

  access_view view_;
  array_description array_;
  slice subscript_[max_rank];
  int count_ = 0;
  int size_ = 0;
  node nodes_[most_nodes];
};

}  // namespace detail
}  // namespace bankmodel

#endif
