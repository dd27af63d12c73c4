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
  BANKMODEL_FN permutation_search(const search_input& in, array_options& to, layout_family family,
                                  bool without_conflict, long long most_bytes, effort_left& effort)
      : in_(in),
        to_(to),
        family_(family),
        without_conflict_(without_conflict),
        most_bytes_(most_bytes),
        effort_(effort) {
    option_.index = static_cast<signed char>(index_of_family(family));
  }

  // Returns true if there are new options.
  BANKMODEL_FN bool run() {
    if (!to_.may_be_permuted() ||
        to_.least_wavefronts(to_.least_bytes(), option_.index) <= to_.ideal())
      return false;
    if (!effort_.allows(permutation_steps) ||
        !in_.touched.collect(in_.on, in_.accesses, to_.number(), to_.array(), effort_)) {
      to_.leave_out();
      return false;
    }
    in_.touched.set_machine(in_.on);
    if (!each_of(to_.array().layout)) return is_found_;
    if (may_be_better_in_padded_rows()) look_at_padded_rows();
    return is_found_;
  }

 private:
  // Tries them all for rows with this layout. Returns false if nothing more can be found, or the
  // effort is spent.
  BANKMODEL_FN bool each_of(const layout& rows) {
    if (!to_.has_stride(strides_of(rows))) return true;
    placed_.set_rows(rows);
    in_.touched.set_rows(placed_);
    if (family_ == layout_family::linear) return look_at_linear();
    const auto rules_out = [&](const xor_numbers& by) {
      return without_conflict_ && in_.touched.conflicts(by, effort_);
    };
    const auto look_at = [&](const permutation& by) { return look(by); };
    const bool all = permutations(rows, to_.together(), to_.has_rotations(), effort_)
                         .each(family_, in_.touched.bank_bits(), rules_out, look_at);
    if (!effort_.allows(0)) to_.leave_out();
    return all;
  }
  BANKMODEL_FN bool may_be_better_in_padded_rows() const {
    const layout& rows = to_.array().layout;
    if (!to_.may_be_padded() || rows.rank < 2) return false;
    return family_ == layout_family::xor_swizzle ||
           (family_ == layout_family::rotation &&
            (to_.needs_stride() || !permutations(rows, to_.together(), true, effort_)
                                        .rotate_as_padding_does(in_.touched.bank_bits())));
  }
  BANKMODEL_FN bool look_at_linear() {
    bit_matrix found;
    bool all = true;
    if (synthesize(in_.on, to_.array(), to_.together(), in_.touched, effort_, all, found))
      (void)look(linear(found));
    if (!all) to_.leave_out();
    return true;
  }
  BANKMODEL_FN void look_at_padded_rows() {
    const array_description& array = to_.array();
    const int d = array.layout.rank - 2, together = to_.together();
    for (int more = together; more < to_.elements_of_a_layer(); more += together) {
      option_.padding.more[d] = more;
      const layout rows = padded_as(array.layout, option_.padding);
      const long long bytes = rows.required_size() * array.element_bytes;
      effort_.spend(300);
      if (bytes > most_bytes_ || to_.least_wavefronts(bytes, option_.index) <= to_.ideal() ||
          !each_of(rows))
        break;
    }
  }

  // Requires: the permutation is one to one. Returns false if nothing more can be found, or the
  // effort is spent.
  BANKMODEL_FN bool look(const permutation& by) {
    placed_.set_permutation(by);
    option_.bytes = placed_.size() * to_.array().element_bytes;
    effort_.spend(90 + 10 * to_.count());
    // Rows that do not fit have no permutation that does.
    if (option_.bytes > most_bytes_) return placed_.size() > placed_.size_of_rows();
    // The cost of an option with as few bytes and as simple an index function.
    const std::uint64_t enough = to_.least_wavefronts(option_.bytes, option_.index);
    if (enough <= to_.ideal()) return placed_.size() > placed_.size_of_rows();
    if (!effort_.allows(2'000)) {
      to_.leave_out();
      return false;
    }
    const std::uint64_t most = without_conflict_ ? to_.ideal() : enough - 1;
    option_.wavefronts = in_.touched.wavefronts(in_.on, placed_, most, effort_);
    if (option_.wavefronts > most) return true;
    is_found_ = true;
    if (!to_.has_permutation()) effort_.spend(in_.touched.steps());  // the plan counts them again
    to_.add(by, option_);
    return true;
  }

  const search_input& in_;
  array_options& to_;
  layout_family family_;
  // True if only layouts without a conflict are accepted; true if a layout was found.
  bool without_conflict_, is_found_ = false;
  long long most_bytes_;
  effort_left& effort_;
  array_option option_ = {};
  prepared_layout placed_;
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
