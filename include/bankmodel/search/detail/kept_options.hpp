// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_KEPT_OPTIONS_HPP
#define BANKMODEL_SEARCH_DETAIL_KEPT_OPTIONS_HPP

#include <bankmodel/search/detail/base_set.hpp>
#include <bankmodel/search/detail/paddings.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The options for one array that a search keeps: those that no other option beats.
namespace bankmodel::detail {

// A layout at the bases of a set.
struct array_option {
  padding_choice padding;
  long long bytes;
  std::uint64_t wavefronts;
  base_set bases;
  signed char index;     // how simple the index function is, see index_of_family()
  signed char permuted;  // the index of a stored permutation, or none
};
constexpr int as_declared = -1;

// Index functions in the order of preference: 0 for rows, padded or not, 1 for padding after
// intervals that are not rows of the kernel, and then the families of permutations.
constexpr int no_index = 0, index_of_intervals = 1;
BANKMODEL_FN int index_of_family(layout_family family) {
  return family == layout_family::rows ? no_index : static_cast<int>(family) + 1;
}

// Trivial: options that are not set cost nothing in a constant expression.
struct kept_permutation {
  layout_family family;
  unsigned char form;
  int group;
  long long a, b, c, d;
  family_pointer functions;
  BANKMODEL_FN permutation whole() const { return {family, form, group, {a, b, c, d}, functions}; }
};

class kept_options {
 public:
  BANKMODEL_FN kept_options() {}

  BANKMODEL_FN void clear() { count_ = 0; }
  // The options in the order of wavefronts.
  BANKMODEL_FN int count() const { return count_; }
  BANKMODEL_FN const array_option& operator[](int at) const { return all_[at]; }
  // Requires: the option has a permutation.
  BANKMODEL_FN permutation permutation_of(const array_option& option) const {
    return permutation_[option.permuted].whole();
  }

  // The fewest wavefronts of all options; of those at base 0 with at most `bytes` bytes and an
  // index function that is at least as simple as `index`.
  BANKMODEL_FN std::uint64_t least_wavefronts() const {
    return count_ == 0 ? ~std::uint64_t{0} : all_[0].wavefronts;
  }
  BANKMODEL_FN std::uint64_t least_wavefronts(long long bytes, int index) const {
    for (int at = 0; at < count_; ++at)
      if (all_[at].bytes <= bytes && all_[at].index <= index && all_[at].bases.contains(0))
        return all_[at].wavefronts;
    return ~std::uint64_t{0};
  }

  // Stores a permutation for `option`, which is inserted next. Removes permutations that are in no
  // respect better than it. Returns false if there is no room.
  BANKMODEL_FN bool keep(const permutation& p, array_option& option) {
    drop_permutations_beaten_by(option);
    const int place = free_place();
    if (place == most_permutations) return false;
    option.permuted = static_cast<signed char>(place);
    permutation_[place] = {p.family,    p.form,      p.group,     p.number[0],
                           p.number[1], p.number[2], p.number[3], p.functions};
    return true;
  }

  // Stores an option in the order of wavefronts, without the bases at which a stored one is as
  // good. `detour`: the most bytes between any byte and the next base that is given. Returns false
  // if there is no room.
  BANKMODEL_FN bool insert(array_option option, long long detour) {
    for (int at = 0; at < count_ && all_[at].wavefronts <= option.wavefronts; ++at) {
      if (all_[at].index > option.index) continue;
      option.bases.remove(better_bases(all_[at], option, detour));
      if (option.bases.is_empty()) return true;
    }
    drop_what_is_beaten_by(option, detour);
    if (count_ == most_options) return false;
    int to = count_++;
    for (; to > 0 && all_[to - 1].wavefronts > option.wavefronts; --to) all_[to] = all_[to - 1];
    all_[to] = option;
    return true;
  }

 private:
  // The bases at which `one` takes no more bytes than `other`, wherever it is placed.
  BANKMODEL_FN static base_set better_bases(const array_option& one, const array_option& other,
                                            long long detour) {
    if (one.bytes + detour <= other.bytes) return all_bases;
    return one.bytes <= other.bytes ? one.bases : base_set{};
  }
  BANKMODEL_FN void drop_what_is_beaten_by(const array_option& option, long long detour) {
    int left = 0;
    for (int at = 0; at < count_; ++at) {
      array_option& one = all_[at];
      if (one.wavefronts >= option.wavefronts && one.index >= option.index)
        one.bases.remove(better_bases(option, one, detour));
      if (one.bases.is_empty()) continue;
      if (left != at) all_[left] = one;
      ++left;
    }
    count_ = left;
  }
  BANKMODEL_FN void drop_permutations_beaten_by(const array_option& option) {
    int left = 0;
    for (int at = 0; at < count_; ++at) {
      const array_option& one = all_[at];
      const bool beaten = one.permuted != as_declared && one.wavefronts >= option.wavefronts &&
                          one.bytes >= option.bytes && one.index >= option.index;
      if (!beaten) all_[left++] = one;
    }
    count_ = left;
  }
  // The index of a permutation that no option uses; most_permutations if there is none.
  BANKMODEL_FN int free_place() const {
    int place = 0;
    for (bool taken = true; taken && place < most_permutations; place += taken) {
      taken = false;
      for (int at = 0; at < count_; ++at) taken = taken || all_[at].permuted == place;
    }
    return place;
  }

  static constexpr int most_options = 128, most_permutations = 32;

  int count_ = 0;
  array_option all_[most_options];
  kept_permutation permutation_[most_permutations];
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
