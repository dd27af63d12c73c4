// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_CANDIDATES_HPP
#define BANKMODEL_SEARCH_DETAIL_CANDIDATES_HPP

#include <bankmodel/kernel/copy_engine.hpp>
#include <bankmodel/search/detail/array_bases.hpp>
#include <bankmodel/search/detail/kept_options.hpp>
#include <bankmodel/search/detail/linear_candidate.hpp>
#include <bankmodel/search/detail/permutations.hpp>

// The candidate layouts of one array of a kernel, and their costs.
namespace bankmodel::detail {

// The layouts that one array may have, tried one after the other, and the options that they give.
class array_options {
 public:
  BANKMODEL_FN array_options() {}

  // Sets the array with this number in `accesses`, on this machine.
  BANKMODEL_FN void set(const machine& m, const kernel_accesses& accesses, int number,
                        const array_description& declared, const search& how) {
    array_ = declared;
    declared_base_ = declared.base_bytes;
    array_.base_bytes = 0;
    number_ = number;
    bases_ = bases_of(m, accesses, number, declared.element_bytes);
    kept_.clear();
    complete_ = false;
    enough_bytes_ = int64_max;
    is_for_copy_engine_ = how.copy_engine_bytes != 0 && !how.keep.contain(declared.name);
    if (!is_for_copy_engine_) return;
    array_ = through_copy_engine(array_, how.copy_engine_bytes);
    bases_.align = copy_engine_period(how.copy_engine_bytes);
  }

  BANKMODEL_FN int align() const { return bases_.align; }
  // Bases that are equal modulo this number of bytes cost the same.
  BANKMODEL_FN int period() const { return bases_.period(); }

  // True if look_at_declared() counts the array's accesses at its declared base, so no one else
  // needs to.
  BANKMODEL_FN bool counts_declared() const {
    return !__builtin_is_constant_evaluated() && period() != bases_.align && bases_.are_few() &&
           declared_base_ == 0 && array_.layout.is_strided();
  }

  // The options found so far that no other option beats, in the order of wavefronts.
  BANKMODEL_FN int count() const { return kept_.count(); }
  BANKMODEL_FN const array_option& operator[](int at) const { return kept_[at]; }
  // True if every option that could matter was tried.
  BANKMODEL_FN bool complete() const { return complete_; }

  BANKMODEL_FN long long least_bytes() const {
    return array_.layout.required_size() * array_.element_bytes;
  }
  BANKMODEL_FN std::uint64_t ideal() const { return ideal_; }
  BANKMODEL_FN std::uint64_t least_wavefronts() const { return kept_.least_wavefronts(); }

  BANKMODEL_FN layout layout_of(const array_option& option) const {
    layout result = padded_as(array_.layout, option.padding);
    if (option.permuted != as_declared) result.permutation = kept_.permutation_of(option);
    return result;
  }

  // Tries the declared layout. `with_before`: the costs that were counted as declared may be used.
  // In a constant expression, bases that are not a whole period are tried if few requests must be
  // evaluated, or if `at_all_bases`.
  BANKMODEL_FN void look_at_declared(const machine& m, const kernel_accesses& accesses,
                                     const search& how, bool with_before, bool at_all_bases,
                                     effort_left& effort) {
    option_ = {};
    option_.permuted = as_declared;
    option_.family = array_.layout.permutation.family;
    kept_.clear();
    option_.bytes = least_bytes();
    fixed_ = !how.layouts.contain(layouts::padding) || how.keep.contain(array_.name);
    stride_bytes_ = fixed_ ? 0 : how.row_stride_bytes;
    all_bases_ = period() == bases_.align ||
                 (bases_.are_few() && (!__builtin_is_constant_evaluated() || at_all_bases ||
                                       accesses.requests_of(number_) <= few_requests));
    // The declared cost of the access is known if its base is one that is tried, or makes no
    // difference.
    look(m, accesses,
         with_before && !is_for_copy_engine_ &&
             (period() == bases_.align || (!all_bases_ && declared_base_ % period() == 0)),
         effort);
    declared_steps_ = last_steps_;
  }

  // Tries all paddings of at most most_bytes() bytes. most_bytes() is called again whenever one
  // without a conflict was found.
  //
  // Paddings are tried in the order of their bytes, independent of the limit: a tighter limit
  // with the same effort tries fewer of them, never different ones.
  template <class MostBytes>
  BANKMODEL_FN void look_further(const machine& m, const kernel_accesses& accesses,
                                 effort_left& effort, MostBytes& most_bytes) {
    // Three elements do not fit intervals of a power of two, and other intervals are not tried.
    complete_ = all_bases_ && (bases_.takes_intervals || fixed_);
    if (fixed_ || !array_.layout.is_strided() ||
        (array_.layout.rank == 1 && !bases_.takes_intervals))
      return;
    most_bytes_ = most_bytes(number_);
    // If rows must be a multiple of stride_bytes_ apart, paddings are tried modulo that and a
    // layer.
    const long long element = array_.element_bytes;
    long long layer = bases_.align > bases_.layer ? bases_.align : bases_.layer,
              stride = 1;  // both powers of two
    if (stride_bytes_ > 0) {
      layer *= stride_bytes_ / greatest_common_divisor(stride_bytes_, layer);
      stride = stride_bytes_ / greatest_common_divisor(stride_bytes_, element);
    }
    layer /= element;
    const auto look_at = [&](const padding_choice& choice) {
      return look_if_worth_it(m, accesses, choice, effort, most_bytes);
    };
    paddings(array_.layout, bases_.align / array_.element_bytes, layer, stride).each(look_at);
  }

  // Tries the permutations of one family too, of at most `most_bytes` bytes. Simpler families
  // come first. XOR swizzles and rotations may be of padded rows. If costs depend on the base,
  // permuted arrays begin at a whole period. Returns true if there are new options. The first
  // round accepts only layouts without a conflict: a conflict usually shows in the first
  // request.
  BANKMODEL_FN bool look_at_family(const machine& m, const kernel_accesses& accesses,
                                   const search& how, layout_family family, bool without_conflict,
                                   long long most_bytes, footprints& touched, effort_left& effort) {
    if (is_for_copy_engine_ || how.keep.contain(array_.name) || array_.layout.interval != 0 ||
        !bases_.takes_intervals || kept_.least_wavefronts(least_bytes(), family) <= ideal_)
      return false;
    if (!effort.allows(permutation_steps) ||
        !touched.collect(m, accesses, number_, array_, effort)) {
      complete_ = false;
      return false;
    }
    touched.set_machine(m);
    if (!reserved_) {  // the plan counts them once more
      if (!effort.allows(touched.steps())) {
        complete_ = false;
        return false;
      }
      effort.reserve += touched.steps() + touched.steps() / 4;
      reserved_ = true;
    }
    most_bytes_ = most_bytes;
    without_conflict_ = without_conflict;
    is_found_ = false;
    option_.padding = {};
    rows_ = array_.layout;
    if (family == layout_family::linear) {
      bit_matrix found;
      if (has_stride(rows_) && synthesize(m, array_, together(), touched, effort, complete_, found))
        (void)look_at_one(m, linear(found), touched, effort);
      return is_found_;
    }
    const auto look_at = [&](const permutation& p) { return look_at_one(m, p, touched, effort); };
    const bool all = !has_stride(rows_) ||
                     permutations(rows_, together()).each(family, touched.bank_bits(), look_at);
    const bool may_be_padded =
        !fixed_ && rows_.rank > 1 &&
        (family == layout_family::xor_swizzle || family == layout_family::rotation);
    if (!may_be_padded || !all) return is_found_;
    const int d = rows_.rank - 2;
    for (int more = together(); more * array_.element_bytes < bases_.layer; more += together()) {
      option_.padding.more[d] = more;
      rows_ = padded_as(array_.layout, option_.padding);
      const long long bytes = rows_.required_size() * array_.element_bytes;
      if (bytes > most_bytes_ || kept_.least_wavefronts(bytes, family) <= ideal_) break;
      if (has_stride(rows_) &&
          !permutations(rows_, together()).each(family, touched.bank_bits(), look_at))
        break;
    }
    return is_found_;
  }

 private:
  // Returns false if it is too large; then all later ones are too large as well.
  template <class MostBytes>
  BANKMODEL_FN bool look_if_worth_it(const machine& m, const kernel_accesses& accesses,
                                     const padding_choice& padding, effort_left& effort,
                                     MostBytes& most_bytes) {
    option_.padding = padding;
    const layout laid_out = layout_of(option_);
    option_.bytes = laid_out.required_size() * array_.element_bytes;
    if (option_.bytes > most_bytes_ || option_.bytes >= enough_bytes_) return false;
    if (laid_out == array_.layout) return true;
    // A layout with intervals is counted once more for the plan, and takes longer than the
    // declared one.
    const long long steps =
        padding.interval == 0
            ? last_steps_
            : 2 * (last_steps_ > 8 * declared_steps_ ? last_steps_ : 8 * declared_steps_);
    if (!effort.allows(steps)) {
      complete_ = false;
      return false;
    }
    const long long before = enough_bytes_;
    look(m, accesses, false, effort);
    if (enough_bytes_ < before) most_bytes_ = most_bytes(number_);
    return true;
  }

  BANKMODEL_FN int together() const { return bases_.align / array_.element_bytes; }

  // Requires: the permutation is one to one. Returns false if nothing more can be found, or the
  // effort is spent.
  BANKMODEL_FN bool look_at_one(const machine& m, const permutation& p, footprints& touched,
                                effort_left& effort) {
    layout as = rows_;
    as.permutation = p;
    option_.bytes = as.required_size() * array_.element_bytes;
    option_.family = p.family;
    if (option_.bytes > most_bytes_) return true;
    effort.steps -= 10 * count();
    // The cost of an option with as few bytes and as simple an index function.
    const std::uint64_t enough = kept_.least_wavefronts(option_.bytes, p.family);
    if (enough <= ideal_) return option_.bytes > rows_.required_size() * array_.element_bytes;
    if (!effort.allows(2'000)) {
      complete_ = false;
      return false;
    }
    const std::uint64_t most = without_conflict_ ? ideal_ : enough - 1;
    option_.wavefronts = touched.wavefronts(m, prepared_layout(as), most, effort);
    if (option_.wavefronts > most) return true;
    option_.residue = period() == bases_.align ? any_residue : 0;
    if (!kept_.keep(p, option_)) {
      complete_ = false;
      return false;
    }
    is_found_ = true;
    insert();
    return true;
  }

  BANKMODEL_FN bool has_stride(const layout& of) const {
    for (int d = 0; d < of.rank - 1 && stride_bytes_ > 0; ++d)
      if (of.extent[d] > 1 && of.stride[d] * array_.element_bytes % stride_bytes_ != 0)
        return false;
    return true;
  }

  BANKMODEL_FN void look(const machine& m, const kernel_accesses& accesses, bool with_before,
                         effort_left& effort) {
    costs_by_base costs;
    costs.count = all_bases_ ? period() / bases_.align : 1;
    // The cost of an option with as few bytes.
    const std::uint64_t enough = kept_.least_wavefronts(option_.bytes, layout_family::other);
    const layout laid_out = layout_of(option_);
    const long long steps = effort.steps;
    if (with_before)
      accesses.add_declared(number_, costs);
    else
      accesses.add(m, number_, array_.with(laid_out), bases_.align, enough, costs, effort);
    if (laid_out == array_.layout) ideal_ = costs.ideal;
    last_steps_ = steps - effort.steps;
    if (!costs.known) complete_ = false;
    if (!costs.known || !has_stride(laid_out)) return;
    bool alike = true;
    for (int r = 1; r < costs.count && alike; ++r)
      alike = costs.wavefronts[r] == costs.wavefronts[0];
    for (int r = 0; r < (alike ? 1 : costs.count); ++r) {
      option_.residue = !alike ? r : all_bases_ ? any_residue : 0;
      option_.wavefronts = costs.wavefronts[r];
      const long long bytes = option_.bytes + (alike ? 0 : bases_.detour());
      if (option_.wavefronts == ideal_ && bytes < enough_bytes_) enough_bytes_ = bytes;
      insert();
    }
  }

  // Stores the option just tried.
  BANKMODEL_FN void insert() {
    if (!kept_.insert(option_, bases_.detour())) complete_ = false;
  }

  static constexpr int few_requests = 8;

  array_description array_;
  array_bases bases_;
  int number_ = 0, stride_bytes_ = 0;
  long long most_bytes_ = 0, declared_base_ = 0;
  // From this many bytes on there is an option without a conflict at any base.
  long long enough_bytes_ = int64_max;
  std::uint64_t ideal_ = 0;
  bool complete_ = false, fixed_ = false, is_for_copy_engine_ = false, reserved_ = false;
  bool all_bases_ = true;  // or only whole periods, if a compiler has no time or there is no room
  long long last_steps_ = 0, declared_steps_ = 0;
  array_option option_ = {};
  layout rows_;  // the layout being tried, without its permutation
  // True if only layouts without a conflict are accepted; true if a layout was found.
  bool without_conflict_ = false, is_found_ = false;
  kept_options kept_;
};

}  // namespace bankmodel::detail

#endif
