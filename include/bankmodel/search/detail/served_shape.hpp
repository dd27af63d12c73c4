// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_SERVED_SHAPE_HPP
#define BANKMODEL_SEARCH_DETAIL_SERVED_SHAPE_HPP

#include <bankmodel/model/phase.hpp>
#include <bankmodel/search/detail/effort.hpp>
#include <bankmodel/search/detail/touched_elements.hpp>

#include <bankmodel/core/hide_macros.hpp>

// How a machine serves the lanes of a request, whatever layout their array has.
namespace bankmodel::detail {

// Banks in groups: accesses are aligned, so each touches the banks of one group, in one layer. A
// group has one bank, or those of a wide access. Trivial: not set, it costs nothing in a constant
// expression.
struct served_shape {
  int least;                           // wavefronts, below which no layout gets
  bool never_conflicts;                // each phase touches one element
  bool in_groups;                      // passes_of_phase() counts a phase
  bool apart;                          // two elements are never in one layer of a group
  int group_bits, groups, layer_bits;  // shifts of an address in bytes; the number of groups
  int bank_num, W, N;

  BANKMODEL_FN void set(const machine& m, const shape_of_lanes& shape) {
    const geometry banks = m.banks(shape.bytes, shape.kind);
    const int bytes = shape.bytes > banks.N ? shape.bytes : banks.N, row = banks.bank_num * banks.N;
    bank_num = banks.bank_num;
    W = banks.W;
    N = banks.N;
    least = shape.phases;
    in_groups = m.served(shape.bytes, shape.kind).is_plain() && is_power_of_two(shape.bytes) &&
                bytes <= row;
    never_conflicts = in_groups && shape.most_in_a_phase == 1;
    apart = banks.W == banks.N && bytes == shape.bytes;
    groups = in_groups ? row / bytes : 1;
    group_bits = trailing_zeros(static_cast<std::uint64_t>(bytes));
    layer_bits = trailing_zeros(static_cast<std::uint64_t>(banks.bank_num) *
                                static_cast<std::uint64_t>(banks.W));
  }

  BANKMODEL_FN int group_of(long long address) const {
    return static_cast<int>(address >> group_bits) & (groups - 1);
  }

  // The passes of a phase of `count` elements, where address(k) is the place of the k-th one in
  // bytes; at most `too_many`, at which it stops. Adds the number of elements to `looked_at`.
  // Requires: in_groups.
  template <class Address>
  BANKMODEL_FN int passes_of_phase(int count, int too_many, int& looked_at,
                                   const Address& address) const {
    unsigned char in_group[max_banks] = {};
    int most = 0, at = 0;
    if (apart) {
      for (; at < count && most < too_many; ++at) {
        const int in_this = ++in_group[group_of(address(at))];
        if (in_this > most) most = in_this;
      }
      looked_at += at;
      return most;
    }
    // The layers of each group, as a list.
    long long layer[max_lanes];
    unsigned char before[max_lanes], last[max_banks];
    for (; at < count && most < too_many; ++at) {
      const long long here = address(at);
      const int group = group_of(here), seen = in_group[group];
      layer[at] = here >> layer_bits;
      int left = seen, other = seen == 0 ? 0 : last[group];
      while (left > 0 && layer[other] != layer[at])
        if (--left > 0) other = before[other];
      if (left > 0) continue;
      if (seen > 0) before[at] = last[group];
      last[group] = static_cast<unsigned char>(at);
      in_group[group] = static_cast<unsigned char>(seen + 1);
      if (seen + 1 > most) most = seen + 1;
    }
    looked_at += at;
    return most;
  }
};

// Pairs of elements of one phase that were in one group of banks, in different layers. They often
// rule out further layouts at once.
class colliding_pairs {
 public:
  BANKMODEL_FN void clear() { count_ = 0; }
  // Sets the rows of the layouts that follow.
  BANKMODEL_FN void set_rows(const prepared_layout& rows) {
    for (int at = 0; at < count_; ++at)
      pair_[at].differ = rows.number_of(pair_[at].one) ^ rows.number_of(pair_[at].other);
  }

  // True if such a pair conflicts in this layout too.
  BANKMODEL_FN bool collide(const prepared_layout& as, effort_left& effort) {
    int at = 0;
    while (at < count_ &&
           !pair_[at].collides(as.place_of(pair_[at].one) ^ as.place_of(pair_[at].other)))
      ++at;
    effort.spend((24 + 2 * as.more_steps()) * (at + 1));
    return is_one(at);
  }
  // The same with this XOR swizzle of the rows: it moves the XOR of two numbers as it moves them.
  BANKMODEL_FN bool collide(const xor_numbers& by, effort_left& effort) {
    const auto mask = static_cast<int>(by.mask);
    int at = 0;
    while (at < count_ &&
           !pair_[at].collides(pair_[at].differ ^ ((pair_[at].differ >> by.from & mask) << by.to)))
      ++at;
    effort.spend(10 + 8 * at);
    return is_one(at);
  }
  // Stores the first two of these elements that conflict. Returns false if there are none.
  BANKMODEL_FN bool keep(const served_shape& served, const prepared_layout& as, int element_bytes,
                         int number, const int* each, int count) {
    int who[max_banks];
    for (int group = 0; group < served.groups; ++group) who[group] = -1;
    const int element_bits = trailing_zeros(static_cast<std::uint64_t>(element_bytes)),
              bits = served.group_bits - element_bits,
              layer_bits = served.layer_bits - element_bits;
    for (int at = 0; at < count; ++at) {
      const int element = number + each[at], place = as.place_of(element);
      int& here = who[place >> bits & (served.groups - 1)];
      if (here >= 0 && (as.place_of(here) ^ place) >> layer_bits != 0) {
        if (count_ < most) ++count_;
        pair_[count_ - 1] = {here, element, as.number_of(here) ^ as.number_of(element),
                             (served.groups - 1) << bits, layer_bits};
        return true;
      }
      here = element;
    }
    return false;
  }

 private:
  struct pair {
    int one, other;              // their packed coordinates
    int differ;                  // the XOR of their numbers in the rows
    int group_mask, layer_bits;  // of places in storage

    // True for places with this XOR.
    BANKMODEL_FN bool collides(int differing) const {
      return (differing & group_mask) == 0 && differing >> layer_bits != 0;
    }
  };
  static constexpr int most = 16;

  // False if `at` is none. The pair that rules out a layout is likely to rule out the next one.
  BANKMODEL_FN bool is_one(int at) {
    if (at == count_) return false;
    const pair found = pair_[at];
    pair_[at] = pair_[at / 2];
    pair_[at / 2] = found;
    return true;
  }

  int count_ = 0;
  pair pair_[most];
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
