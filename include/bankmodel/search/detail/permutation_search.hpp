// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_PERMUTATION_SEARCH_HPP
#define BANKMODEL_SEARCH_DETAIL_PERMUTATION_SEARCH_HPP

#include <bankmodel/search/detail/linear_candidate.hpp>
#include <bankmodel/search/detail/padding_search.hpp>
#include <bankmodel/search/detail/permutations.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The search for permutations of one array, of one family. If costs depend on the base, permuted
// arrays begin at a whole period.
namespace bankmodel::detail {

class permutation_search {
 public:
  BANKMODEL_FN permutation_search(const search_input& input, array_options& options,
                                  layout_family family, bool without_conflict, long long most_bytes,
                                  effort_left& effort)
      : input_(input),
        options_(options),
        family_(family),
        without_conflict_(without_conflict),
        enough_(options.ideal() + (without_conflict ? 0 : 1)),
        most_bytes_(most_bytes),
        effort_(effort) {
    option_.index = static_cast<signed char>(index_of_family(family));
  }

  // Returns true if there are new options.
  BANKMODEL_FN bool run() {
    if (!options_.may_be_permuted() ||
        options_.least_wavefronts(options_.least_bytes(), option_.index) <= enough_)
      return false;
    if (!effort_.allows(permutation_steps) ||
        !input_.touched.collect(input_.m, input_.accesses, options_.number(), options_.array(),
                                effort_)) {
      options_.leave_out();
      return false;
    }
    input_.touched.set_machine(input_.m);
    if (each_of(options_.array().layout)) look_at_padded_rows();
    return is_found_;
  }

  // For permutations::enumerate().
  // Requires: the permutation is one to one. Returns false if nothing more can be found, or the
  // effort is spent.
  BANKMODEL_FN bool look(const permutation& candidate) {
    placed_.set_permutation(candidate);
    option_.bytes = placed_.size() * options_.array().element_bytes;
    effort_.spend(90 + 10 * options_.count());
    // The cost of an option with as few bytes and as simple an index function.
    const std::uint64_t known = options_.least_wavefronts(option_.bytes, option_.index);
    // Rows that do not fit have no permutation that does.
    if (option_.bytes > most_bytes_ || known <= enough_)
      return placed_.size() > placed_.size_of_rows();
    if (!effort_.allows(2'000)) {
      options_.leave_out();
      return false;
    }
    const std::uint64_t limit = without_conflict_ ? options_.ideal() : known - 1;
    option_.wavefronts = input_.touched.wavefronts(input_.m, placed_, limit, effort_);
    if (option_.wavefronts > limit) return true;
    is_found_ = true;
    if (!options_.has_permutation())
      effort_.spend(input_.touched.steps());  // the plan counts them again
    options_.add(candidate, option_);
    return true;
  }

 private:
  // Tries them all for rows with this layout. Returns false if nothing more can be found, or the
  // effort is spent.
  BANKMODEL_FN bool each_of(const layout& rows) {
    if (!options_.has_stride(strides_of(rows))) return true;
    placed_.set_rows(rows);
    input_.touched.set_rows(placed_);
    if (family_ == layout_family::linear) return look_at_linear();
    const bool complete = permutations(placed_, options_.group_size(), options_.has_rotations(),
                                       input_.touched.pairs(without_conflict_), effort_)
                              .enumerate(family_, input_.touched.bank_bits(), *this);
    if (!effort_.allows(0)) options_.leave_out();
    return complete;
  }
  BANKMODEL_FN bool look_at_linear() {
    bit_matrix matrix;
    bool complete = true;
    if (synthesize(input_.m, options_.array(), options_.group_size(), input_.touched, effort_,
                   complete, matrix))
      (void)look(linear(matrix));
    if (!complete) options_.leave_out();
    return true;
  }
  BANKMODEL_FN void look_at_padded_rows() {
    const array_description& array = options_.array();
    const int d = array.layout.rank - 2, group_size = options_.group_size();
    if (!options_.may_be_padded() || d < 0) return;
    int end = family_ == layout_family::xor_swizzle || family_ == layout_family::rotation
                  ? above_all_paddings
                  : 0;  // other families are not better in padded rows
    if (family_ == layout_family::rotation && !options_.needs_stride())
      end = padding_that_rotates(input_.touched.banks(), array.layout);
    for (int padding = group_size; padding < end && padding < options_.elements_of_a_layer();
         padding += group_size) {
      option_.padding.elements[d] = padding;
      const layout rows = padded_as(array.layout, option_.padding);
      const long long bytes = rows.required_size() * array.element_bytes;
      effort_.spend(300);
      if (bytes > most_bytes_ || options_.least_wavefronts(bytes, option_.index) <= enough_ ||
          !each_of(rows))
        break;
    }
  }

  const search_input& input_;
  array_options& options_;
  layout_family family_;
  // True if only layouts without a conflict are accepted; true if a layout was found.
  bool without_conflict_, is_found_ = false;
  // With this many wavefronts or fewer nothing is left to find: layouts without a conflict are
  // searched before others.
  std::uint64_t enough_;
  long long most_bytes_;
  effort_left& effort_;
  array_option option_ = {};
  prepared_layout placed_;
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
