// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_ARRAY_OPTIONS_HPP
#define BANKMODEL_SEARCH_DETAIL_ARRAY_OPTIONS_HPP

#include <bankmodel/kernel/copy_engine.hpp>
#include <bankmodel/layout/families/linear.hpp>
#include <bankmodel/search/detail/array_bases.hpp>
#include <bankmodel/search/detail/costs_by_base.hpp>
#include <bankmodel/search/detail/kept_options.hpp>
#include <bankmodel/search/detail/row_lengths.hpp>
#include <bankmodel/search/options.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The layouts that one array of a kernel may have, and those that the search has found.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void rows_that_are_not_padded_must_be_the_row_stride_apart(
    long long array, long long stride_bytes) {
  detail::fail(
      __func__,
      "the rows of array % (counted from 0) are not a multiple of search.row_stride_bytes, "
      "%, apart, and no padding of it is searched; search layouts::padding, or declare "
      "such rows",
      array, stride_bytes);
}
}  // namespace rule

namespace detail {

class array_options {
 public:
  BANKMODEL_FN array_options() {}

  // Sets the array with this number in `accesses`, on this machine.
  BANKMODEL_FN void set(const machine& m, const kernel_accesses& accesses, int number,
                        const array_description& declared, const search& options) {
    array_ = declared;
    array_.base_bytes = 0;
    number_ = number;
    bases_ = bases_of(m, accesses, number, declared.element_bytes);
    kept_.clear();
    rows_are_found_ = has_permutation_ = false;
    row_lengths_ = 0;
    const bool stays = options.keep.contain(declared.name),
               is_for_copy_engine = options.copy_engine_bytes != 0 && !stays;
    stride_bytes_ = stays ? 0 : options.row_stride_bytes;
    has_rotations_ = options.layouts.contain(layouts::rotation);
    if (is_for_copy_engine) {
      array_ = through_copy_engine(array_, options.copy_engine_bytes);
      bases_.align = copy_engine_period(options.copy_engine_bytes);
    }
    const bool may_change = !stays && !is_for_copy_engine;
    may_be_padded_ =
        may_change && options.layouts.contain(layouts::padding) && array_.layout.is_strided();
    // Three elements do not fit groups and intervals of a power of two; other intervals are not
    // tried.
    may_be_permuted_ = may_change && array_.layout.interval == 0 && bases_.takes_intervals;
    may_be_complete_ = bases_.are_all() && (bases_.takes_intervals || !may_be_padded_);
    complete_ = may_be_complete_;
    if (needs_stride() && !may_be_padded_)
      rule::rows_that_are_not_padded_must_be_the_row_stride_apart(number, stride_bytes_);
    may_be_padded_ = may_be_padded_ && (array_.layout.rank > 1 || bases_.takes_intervals);
  }

  // ---- the array ----

  BANKMODEL_FN const array_description& array() const { return array_; }
  BANKMODEL_FN int number() const { return number_; }
  BANKMODEL_FN int align() const { return bases_.align; }
  // Bases that are equal modulo this number of bytes cost the same.
  BANKMODEL_FN int period() const { return bases_.period(); }
  // bases(): the number of bases that are tried. bases_matter(): true if a base that is an element
  // later may have another cost.
  BANKMODEL_FN int bases() const { return bases_.count(); }
  BANKMODEL_FN bool bases_matter() const { return bases_.modulus > array_.element_bytes; }

  BANKMODEL_FN bool may_be_padded() const { return may_be_padded_; }
  BANKMODEL_FN bool may_be_permuted() const { return may_be_permuted_; }
  // True if a linear layout may move its elements: see layout/families/linear.hpp.
  BANKMODEL_FN bool may_be_linear() const {
    return may_be_permuted_ && fits_linear_layouts(array_.layout) &&
           array_.layout.required_size() > group_size();
  }
  BANKMODEL_FN bool has_rotations() const { return has_rotations_; }
  // The elements that an access needs together.
  BANKMODEL_FN int group_size() const { return bases_.align / array_.element_bytes; }
  // Paddings are tried modulo this number of elements, a layer of all banks; if rows must be a
  // multiple of stride_bytes_ apart, modulo both.
  BANKMODEL_FN long long elements_of_a_layer() const {
    long long layer = bases_.align > bases_.layer ? bases_.align : bases_.layer;
    if (stride_bytes_ > 0) layer *= stride_bytes_ / greatest_common_divisor(stride_bytes_, layer);
    return layer / array_.element_bytes;
  }
  BANKMODEL_FN paddings all_paddings() const {
    const long long element = array_.element_bytes,
                    stride = stride_bytes_ == 0
                                 ? 1
                                 : stride_bytes_ / greatest_common_divisor(stride_bytes_, element);
    return {array_.layout, group_size(), elements_of_a_layer(), stride, row_lengths_};
  }
  // If the kernel uses an array of one dimension as rows, padding after these rows is preferred.
  // Must be called before all_paddings() and index_of(); takes time once.
  BANKMODEL_FN void find_rows(const machine& m, const kernel_accesses& accesses,
                              effort_left& effort) {
    if (rows_are_found_) return;
    rows_are_found_ = true;
    row_lengths_ = row_lengths(m, accesses, number_, array_, effort);
  }
  BANKMODEL_FN int index_of(const padding_choice& choice) const {
    return choice.interval == 0 || is_row_length(choice.interval) ? no_index : index_of_intervals;
  }
  BANKMODEL_FN bool is_row_length(long long interval) const {
    return (row_lengths_ & static_cast<unsigned long long>(interval)) != 0;
  }
  // True if the rows are a multiple of search.row_stride_bytes apart.
  BANKMODEL_FN bool has_stride(const element_strides& rows) const {
    for (int d = 0; d < rows.rank - 1 && stride_bytes_ > 0; ++d)
      if (array_.layout.extent[d] > 1 && rows.stride[d] * array_.element_bytes % stride_bytes_ != 0)
        return false;
    return true;
  }
  BANKMODEL_FN bool needs_stride() const { return !has_stride(strides_of(array_.layout)); }

  BANKMODEL_FN long long least_bytes() const {
    return array_.layout.required_size() * array_.element_bytes;
  }
  BANKMODEL_FN std::uint64_t ideal() const { return ideal_; }
  // From this many bytes on there is an option without a conflict at any base.
  BANKMODEL_FN long long enough_bytes() const { return enough_bytes_; }

  // ---- the options ----

  // The options found that no other one beats, in the order of wavefronts.
  BANKMODEL_FN int count() const { return kept_.count(); }
  BANKMODEL_FN const array_option& operator[](int index) const { return kept_[index]; }
  BANKMODEL_FN std::uint64_t least_wavefronts() const { return kept_.least_wavefronts(); }
  // Of the options at base 0 with at most `bytes` bytes and an index function at least as simple as
  // `index`.
  BANKMODEL_FN std::uint64_t least_wavefronts(long long bytes, int index) const {
    return kept_.least_wavefronts(bytes, index);
  }
  BANKMODEL_FN layout layout_of(const array_option& option) const {
    layout result = padded_as(array_.layout, option.padding);
    if (option.permuted != as_declared) result.permutation = kept_.permutation_of(option);
    return result;
  }

  // Adds the declared layout. `costs`: of all accesses of the array.
  BANKMODEL_FN void add_declared(const costs_by_base& costs) {
    ideal_ = costs.ideal;
    if (!needs_stride())
      add({{},
           least_bytes(),
           0,
           {},
           static_cast<signed char>(index_of_family(array_.layout.permutation.family)),
           as_declared},
          costs);
  }
  // The same if only the cost at whole periods is known.
  BANKMODEL_FN void add_declared_at_first_base(const cost& known) {
    ideal_ = known.ideal;
    leave_out();
    if (needs_stride()) return;
    const int index = index_of_family(array_.layout.permutation.family);
    array_option option{
        {}, least_bytes(), known.wavefronts, {}, static_cast<signed char>(index), as_declared};
    option.bases.add(0);
    insert(option);
  }
  // Adds a layout as one option for each of its costs.
  BANKMODEL_FN void add(array_option option, const costs_by_base& costs) {
    base_set left{};
    for (int r = 0; r < costs.count; ++r) left.add(r);
    for (int r = 0; r < costs.count; r = left.next(r)) {
      option.wavefronts = costs.wavefronts[r];
      option.bases = {};
      bool alike = bases_.are_all();
      for (int other = 0; other < costs.count; ++other)
        if (costs.wavefronts[other] == costs.wavefronts[r])
          option.bases.add(other);
        else
          alike = false;
      left.remove(option.bases);
      if (alike) option.bases = all_bases;
      const long long bytes = option.bytes + (alike ? 0 : bases_.detour());
      if (option.wavefronts == ideal_ && bytes < enough_bytes_) enough_bytes_ = bytes;
      insert(option);
    }
  }
  // Adds a permutation that is priced at whole periods.
  BANKMODEL_FN void add(const permutation& mapping, array_option option) {
    option.bases = all_bases;
    if (period() != bases_.align) {
      option.bases = {};
      option.bases.add(0);
    }
    has_permutation_ = true;
    if (kept_.keep(mapping, option))
      insert(option);
    else
      leave_out();
  }

  // True if a permutation was added.
  BANKMODEL_FN bool has_permutation() const { return has_permutation_; }

  // ---- what was tried ----

  // Notes that options were left out for lack of effort or room.
  BANKMODEL_FN void leave_out() { complete_ = tried_all_ = false; }
  // A new round tries everything again that was left out before.
  BANKMODEL_FN void begin_round() { complete_ = may_be_complete_; }
  // True if every option that could have fewer wavefronts was tried; every option at all.
  BANKMODEL_FN bool complete() const { return complete_; }
  BANKMODEL_FN bool tried_all() const { return tried_all_; }

 private:
  BANKMODEL_FN void insert(const array_option& option) {
    if (!kept_.insert(option, bases_.detour())) leave_out();
  }

  array_description array_;
  array_bases bases_;
  int number_ = 0;
  long long stride_bytes_ = 0, enough_bytes_ = int64_max;
  std::uint64_t ideal_ = 0;
  bool may_be_padded_ = false, may_be_permuted_ = false, has_rotations_ = false;
  bool rows_are_found_ = false, has_permutation_ = false;
  unsigned row_lengths_ = 0;  // the sum of all
  bool may_be_complete_ = false, complete_ = false, tried_all_ = true;
  kept_options kept_;
};

}  // namespace detail
}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
