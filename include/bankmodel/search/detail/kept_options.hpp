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
  BANKMODEL_FN permutation unpacked() const {
    return {family, form, group, {a, b, c, d}, functions};
  }
};

class kept_options {
 public:
  BANKMODEL_FN kept_options() {}

  BANKMODEL_FN void clear() { count_ = 0; }
  // The options in the order of wavefronts.
  BANKMODEL_FN int count() const { return count_; }
  BANKMODEL_FN const array_option& operator[](int position) const { return options_[position]; }
  // Requires: the option has a permutation.
  BANKMODEL_FN permutation permutation_of(const array_option& option) const {
    return permutation_[option.permuted].unpacked();
  }

  // The fewest wavefronts of all options; of those at base 0 with at most `bytes` bytes and an
  // index function that is at least as simple as `index`.
  BANKMODEL_FN std::uint64_t least_wavefronts() const {
    return count_ == 0 ? ~std::uint64_t{0} : options_[0].wavefronts;
  }
  BANKMODEL_FN std::uint64_t least_wavefronts(long long bytes, int index) const {
    for (int position = 0; position < count_; ++position)
      if (options_[position].bytes <= bytes && options_[position].index <= index &&
          options_[position].bases.contains(0))
        return options_[position].wavefronts;
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
    for (int position = 0; position < count_ && options_[position].wavefronts <= option.wavefronts;
         ++position) {
      if (options_[position].index > option.index) continue;
      option.bases.remove(better_bases(options_[position], option, detour));
      if (option.bases.is_empty()) return true;
    }
    drop_what_is_beaten_by(option, detour);
    if (count_ == most_options) return false;
    int slot = count_++;
    for (; slot > 0 && options_[slot - 1].wavefronts > option.wavefronts; --slot)
      options_[slot] = options_[slot - 1];
    options_[slot] = option;
    return true;
  }

 private:
  // The bases at which `option` takes no more bytes than `other`, wherever it is placed.
  BANKMODEL_FN static base_set better_bases(const array_option& option, const array_option& other,
                                            long long detour) {
    if (option.bytes + detour <= other.bytes) return all_bases;
    return option.bytes <= other.bytes ? option.bases : base_set{};
  }
  BANKMODEL_FN void drop_what_is_beaten_by(const array_option& option, long long detour) {
    int left = 0;
    for (int position = 0; position < count_; ++position) {
      array_option& stored = options_[position];
      if (stored.wavefronts >= option.wavefronts && stored.index >= option.index)
        stored.bases.remove(better_bases(option, stored, detour));
      if (stored.bases.is_empty()) continue;
      if (left != position) options_[left] = stored;
      ++left;
    }
    count_ = left;
  }
  BANKMODEL_FN void drop_permutations_beaten_by(const array_option& option) {
    int left = 0;
    for (int position = 0; position < count_; ++position) {
      const array_option& stored = options_[position];
      const bool beaten = stored.permuted != as_declared &&
                          stored.wavefronts >= option.wavefronts && stored.bytes >= option.bytes &&
                          stored.index >= option.index;
      if (!beaten) options_[left++] = stored;
    }
    count_ = left;
  }
  // The index of a permutation that no option uses; most_permutations if there is none.
  BANKMODEL_FN int free_place() const {
    int place = 0;
    for (bool occupied = true; occupied && place < most_permutations; place += occupied) {
      occupied = false;
      for (int position = 0; position < count_; ++position)
        occupied = occupied || options_[position].permuted == place;
    }
    return place;
  }

  static constexpr int most_options = 128, most_permutations = 32;

  int count_ = 0;
  array_option options_[most_options];
  kept_permutation permutation_[most_permutations];
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
