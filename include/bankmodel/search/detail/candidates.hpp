// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_CANDIDATES_HPP
#define BANKMODEL_SEARCH_DETAIL_CANDIDATES_HPP

#include <bankmodel/kernel/copy_engine.hpp>
#include <bankmodel/search/detail/footprints.hpp>
#include <bankmodel/search/detail/paddings.hpp>
#include <bankmodel/search/detail/permutations.hpp>
#include <bankmodel/search/detail/synthesis.hpp>

// The options for one array of a kernel, and their costs.
namespace bankmodel {

namespace detail {

// A layout at the bases of one residue, or at any base.
struct array_option {
  padding_choice padding;
  long long bytes;
  std::uint64_t wavefronts;
  int residue;  // it begins at residue * align, modulo the period; or at any multiple of align
  layout_family family;
  signed char permuted;  // the index of a stored permutation, or none
};
constexpr int any_residue = -1, as_declared = -1;

// Trivial: options that are not set cost nothing in a constant expression.
struct kept_permutation {
  layout_family family;
  unsigned char form;
  int group;
  long long a, b, c, d;
  family_pointer functions;
  BANKMODEL_FN permutation whole() const { return {family, form, group, {a, b, c, d}, functions}; }
};

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
    align_ = declared.element_bytes;
    layer_ = modulus_ = 1;
    for (int at = 0; at < accesses.count; ++at) {
      const kernel_access& access = accesses.each[at];
      if (access.array != number) continue;
      const int bytes = access.vector * declared.element_bytes, aligned = bytes == 12 ? 4 : bytes;
      if (aligned > align_) align_ = aligned;
      // Three elements do not fit intervals of a power of two.
      if (bytes == 12) takes_intervals_ = false;
      const geometry banks = m.banks(bytes, access.kind);
      if (banks.bank_num * banks.W > layer_) layer_ = banks.bank_num * banks.W;
      const int modulus = banks.W == banks.N ? banks.N : banks.bank_num * banks.W;
      if (modulus > modulus_) modulus_ = modulus;
    }
    count_ = 0;
    complete_ = false;
    enough_bytes_ = int64_max;
    if (how.copy_engine_bytes != 0 && !how.keep.contain(declared.name))
      lay_out_for_copy_engine(how.copy_engine_bytes);
  }

  BANKMODEL_FN int align() const { return align_; }
  // Bases that are equal modulo this many bytes cost the same.
  BANKMODEL_FN int period() const { return modulus_ > align_ ? modulus_ : align_; }

  // True if look_at_declared() counts the array's accesses at its declared base, so no one else
  // needs to.
  BANKMODEL_FN bool counts_declared() const {
    return !__builtin_is_constant_evaluated() && period() != align_ && few_bases() &&
           declared_base_ == 0 && array_.layout.is_strided();
  }

  // The options found so far that no other option beats, in the order of wavefronts.
  BANKMODEL_FN int count() const { return count_; }
  BANKMODEL_FN const array_option& operator[](int at) const { return all_[at]; }
  // True if every option that could matter was tried.
  BANKMODEL_FN bool complete() const { return complete_; }
  // The approximate number of compiler steps for one more layout.
  BANKMODEL_FN long long steps() const { return last_steps_; }

  BANKMODEL_FN long long least_bytes() const {
    return array_.layout.required_size() * array_.element_bytes;
  }
  BANKMODEL_FN std::uint64_t ideal() const { return ideal_; }
  BANKMODEL_FN std::uint64_t least_wavefronts() const {
    return count_ == 0 ? ~std::uint64_t{0} : all_[0].wavefronts;
  }

  BANKMODEL_FN layout layout_of(const array_option& option) const {
    layout result = padded_as(array_.layout, option.padding);
    if (option.permuted != as_declared) result.permutation = permutation_[option.permuted].whole();
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
    count_ = 0;
    option_.bytes = least_bytes();
    fixed_ = !how.layouts.contain(layouts::padding) || how.keep.contain(array_.name);
    stride_bytes_ = fixed_ ? 0 : how.row_stride_bytes;
    all_bases_ =
        period() == align_ || (few_bases() && (!__builtin_is_constant_evaluated() || at_all_bases ||
                                               accesses.requests_of(number_) <= few_requests));
    // The declared cost of the access is known if its base is one that is tried, or makes no
    // difference.
    look(m, accesses,
         with_before && !is_for_copy_engine_ &&
             (period() == align_ || (!all_bases_ && declared_base_ % period() == 0)),
         effort);
    declared_steps_ = last_steps_;
  }

  // Tries all paddings of at most most_bytes() bytes. most_bytes() is called again whenever one
  // without a conflict was found.
  //
  // Why less than a layer of all banks per row is enough: rows that move apart by a whole layer
  // stay in their banks. Elements that were in different layers of a bank do not get into the
  // same one, because later rows only move further away from earlier ones. So a padding is
  // never better than its remainder modulo a layer. The same holds between intervals, which may
  // be any power of two: a stride of 2^s needs one of 2^s.
  //
  // Paddings are tried in the order of their bytes, independent of the limit: a tighter limit
  // with the same effort tries fewer of them, never different ones.
  template <class MostBytes>
  BANKMODEL_FN void look_further(const machine& m, const kernel_accesses& accesses,
                                 effort_left& effort, MostBytes& most_bytes) {
    // Three elements do not fit intervals of a power of two, and other intervals are not tried.
    complete_ = all_bases_ && (takes_intervals_ || fixed_);
    if (fixed_ || !array_.layout.is_strided() || (array_.layout.rank == 1 && !takes_intervals_))
      return;
    most_bytes_ = most_bytes(number_);
    // If rows must be a multiple of pitch_bytes_ apart, paddings are tried modulo that and a layer.
    const long long element = array_.element_bytes;
    long long layer = align_ > layer_ ? align_ : layer_, stride = 1;  // both powers of two
    if (stride_bytes_ > 0) {
      layer *= stride_bytes_ / greatest_common_divisor(stride_bytes_, layer);
      stride = stride_bytes_ / greatest_common_divisor(stride_bytes_, element);
    }
    layer /= element;
    const auto look_at = [&](const padding_choice& choice) {
      return look_if_worth_it(m, accesses, choice, effort, most_bytes);
    };
    paddings(array_.layout, align_ / array_.element_bytes, layer, stride).each(look_at);
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
        !takes_intervals_ || is_without_conflict(least_bytes(), family))
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
      synthesize(m, touched, effort);
      return is_found_;
    }
    const auto look_at = [&](const permutation& p) { return look_at_one(m, p, touched, effort); };
    const bool all =
        !has_stride(rows_) ||
        permutations(rows_, together()).each(family, bank_bits(touched.banks()), look_at);
    const bool may_be_padded =
        !fixed_ && rows_.rank > 1 &&
        (family == layout_family::xor_swizzle || family == layout_family::rotation);
    if (!may_be_padded || !all) return is_found_;
    const int d = rows_.rank - 2;
    for (int more = together(); more * array_.element_bytes < layer_; more += together()) {
      option_.padding.more[d] = more;
      rows_ = padded_as(array_.layout, option_.padding);
      const long long bytes = rows_.required_size() * array_.element_bytes;
      if (bytes > most_bytes_ || is_without_conflict(bytes, family)) break;
      if (has_stride(rows_) &&
          !permutations(rows_, together()).each(family, bank_bits(touched.banks()), look_at))
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

  BANKMODEL_FN void lay_out_for_copy_engine(int mode_bytes) {
    array_ = through_copy_engine(array_, mode_bytes);
    align_ = copy_engine_period(mode_bytes);
    is_for_copy_engine_ = true;
  }

  // To collect the accesses' elements, usually fewer.
  static constexpr long long permutation_steps = 30'000;

  // True if some option without a conflict has no more bytes and an index function that is at
  // most as simple.
  BANKMODEL_FN bool is_without_conflict(long long bytes, layout_family family) const {
    for (int at = 0; at < count_ && all_[at].wavefronts <= ideal_; ++at)
      if (all_[at].bytes <= bytes && all_[at].family <= family) return true;
    return false;
  }

  BANKMODEL_FN int together() const { return align_ / array_.element_bytes; }
  // The bits of an element's number that select its bank; all others only select its layer.
  BANKMODEL_FN int bank_bits(const geometry& banks) const {
    if (banks.bank_num == 0 || banks.W != banks.N ||
        banks.bank_num * banks.N < array_.element_bytes)
      return 30;
    return trailing_zeros(
        static_cast<std::uint64_t>(banks.bank_num * banks.N / array_.element_bytes));
  }

  // Requires: the permutation is one to one. Returns false if nothing more can be found, or the
  // effort is spent.
  BANKMODEL_FN bool look_at_one(const machine& m, const permutation& p, footprints& touched,
                                effort_left& effort) {
    layout as = rows_;
    as.permutation = p;
    option_.bytes = as.required_size() * array_.element_bytes;
    option_.family = p.family;
    if (option_.bytes > most_bytes_) return true;
    effort.steps -= 10 * count_;
    // The cost of an option with as few bytes and as simple an index function.
    std::uint64_t enough = ~std::uint64_t{0};
    for (int at = 0; at < count_; ++at)
      if (all_[at].bytes <= option_.bytes && all_[at].family <= p.family &&
          all_[at].wavefronts < enough)
        enough = all_[at].wavefronts;
    if (enough <= ideal_) return option_.bytes > rows_.required_size() * array_.element_bytes;
    if (!effort.allows(2'000)) {
      complete_ = false;
      return false;
    }
    const std::uint64_t most = without_conflict_ ? ideal_ : enough - 1;
    option_.wavefronts = touched.wavefronts(m, prepared_layout(as), most, effort);
    if (option_.wavefronts > most) return true;
    option_.residue = period() == align_ ? any_residue : 0;
    drop_what_is_beaten();
    const int place = free_place();
    if (place == most_permutations) {
      complete_ = false;
      return false;
    }
    option_.permuted = static_cast<signed char>(place);
    is_found_ = true;
    permutation_[place] = {p.family,    p.form,      p.group,     p.number[0],
                           p.number[1], p.number[2], p.number[3], p.functions};
    insert();
    return true;
  }

  // Removes permutations that are in no respect better than option_, which is added next.
  BANKMODEL_FN void drop_what_is_beaten() {
    int left = 0;
    for (int at = 0; at < count_; ++at) {
      const array_option& one = all_[at];
      const bool beaten = one.permuted != as_declared && one.wavefronts >= option_.wavefronts &&
                          one.bytes >= option_.bytes && one.family >= option_.family;
      if (!beaten) all_[left++] = one;
    }
    count_ = left;
  }
  // Makes room for one more stored permutation.
  BANKMODEL_FN int free_place() const {
    int place = 0;
    for (bool taken = true; taken && place < most_permutations; place += taken) {
      taken = false;
      for (int at = 0; at < count_; ++at) taken = taken || all_[at].permuted == place;
    }
    return place;
  }

  BANKMODEL_FN void synthesize(const machine& m, footprints& touched, effort_left& effort) {
    const long long size = array_.layout.required_size();
    bool fits = size >= 2 && size <= 65536;
    for (int d = 0; d < array_.layout.rank && fits; ++d)
      fits = is_power_of_two(array_.layout.extent[d]) &&
             (d == array_.layout.rank - 1 || array_.layout.padding(d) == 0);
    const geometry banks = touched.banks();
    const long long element = array_.element_bytes;
    if (!fits || !has_stride(rows_) || banks.bank_num * banks.N < element ||
        !effort.allows(permutation_steps))
      return;
    const auto bits_of = [](long long value) {
      return trailing_zeros(static_cast<std::uint64_t>(value));
    };
    const int in_word = banks.N > element ? bits_of(banks.N / element) : 0,
              kept = bits_of(together());
    const int fixed = in_word > kept ? in_word : kept;
    const int bank_bits = bits_of(banks.bank_num * banks.N / element) - fixed;
    if (bank_bits < 0 || fixed > bits_of(size)) return;
    synthesis one(bits_of(size), fixed, bank_bits);
    bool possible = true;
    const auto add = [&](const long long* numbers, int count, int bytes) {
      const int wide = bits_of(bytes / element);
      possible = one.add(numbers, count, wide > in_word ? wide : in_word);
      effort.steps -= 3'000;
      return possible;
    };
    if (!touched.plainly_served(m)) {
      complete_ = false;
      return;
    }
    touched.each_phase(m, add);
    bit_matrix found;
    if (!possible || !one.run(__builtin_is_constant_evaluated() ? 200 : 20'000, found)) return;
    effort.steps -= 40'000;
    (void)look_at_one(m, linear(found), touched, effort);
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
    costs.count = all_bases_ ? period() / align_ : 1;
    std::uint64_t enough = ~std::uint64_t{0};  // the cost of an option with as few bytes
    for (int at = 0; at < count_; ++at)
      if (all_[at].bytes <= option_.bytes && all_[at].wavefronts < enough)
        enough = all_[at].wavefronts;
    const layout laid_out = layout_of(option_);
    const long long steps = effort.steps;
    if (with_before)
      accesses.add_declared(number_, costs);
    else
      accesses.add(m, number_, array_.with(laid_out), align_, enough, costs, effort);
    if (laid_out == array_.layout) ideal_ = costs.ideal;
    last_steps_ = steps - effort.steps;
    if (!has_stride(laid_out)) return;
    bool alike = true;
    for (int r = 1; r < costs.count && alike; ++r)
      alike = costs.wavefronts[r] == costs.wavefronts[0];
    if (alike) {
      option_.residue = all_bases_ ? any_residue : 0;
      option_.wavefronts = costs.wavefronts[0];
      if (option_.wavefronts == ideal_ && option_.bytes < enough_bytes_)
        enough_bytes_ = option_.bytes;
      insert();
      return;
    }
    for (int r = 0; r < costs.count; ++r) {
      option_.residue = r;
      option_.wavefronts = costs.wavefronts[r];
      if (option_.wavefronts == ideal_ && option_.bytes + detour() < enough_bytes_)
        enough_bytes_ = option_.bytes + detour();
      insert();
    }
  }

  BANKMODEL_FN bool few_bases() const { return period() / align_ <= price::most_residues; }

  // The most bytes between any byte and the next base of a residue.
  BANKMODEL_FN long long detour() const { return period() - align_; }

  // Stores the option just tried, in the order of wavefronts, unless a stored one is as good at
  // every base.
  BANKMODEL_FN void insert() {
    for (int at = 0; at < count_ && all_[at].wavefronts <= option_.wavefronts; ++at)
      if (all_[at].family <= option_.family &&
          all_[at].bytes + (all_[at].residue == option_.residue || all_[at].residue == any_residue
                                ? 0
                                : detour()) <=
              option_.bytes)
        return;
    if (count_ == most_options) {
      complete_ = false;
      return;
    }
    int to = count_++;
    for (; to > 0 && all_[to - 1].wavefronts > option_.wavefronts; --to) all_[to] = all_[to - 1];
    all_[to] = option_;
  }

  static constexpr int most_options = 320, few_requests = 8, most_permutations = 32;

  array_description array_;
  int number_ = 0, align_ = 1, modulus_ = 1, layer_ = 1, stride_bytes_ = 0;
  long long most_bytes_ = 0, declared_base_ = 0;
  // From this many bytes on there is an option without a conflict at any base.
  long long enough_bytes_ = int64_max;
  std::uint64_t ideal_ = 0;
  bool complete_ = false, fixed_ = false, is_for_copy_engine_ = false, reserved_ = false;
  bool takes_intervals_ = true;  // and permutations
  bool all_bases_ = true;  // or only whole periods, if a compiler has no time or there is no room
  long long last_steps_ = 0, declared_steps_ = 0;
  array_option option_ = {};
  layout rows_;  // the layout being tried, without its permutation
  // Whether only such layouts are accepted; whether one was found.
  bool without_conflict_ = false, is_found_ = false;
  int count_ = 0;
  array_option all_[most_options];
  kept_permutation permutation_[most_permutations];
};

}  // namespace detail
}  // namespace bankmodel

#endif
