// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_SERVED_SHAPE_HPP
#define BANKMODEL_SEARCH_DETAIL_SERVED_SHAPE_HPP

#include <bankmodel/model/phase.hpp>
#include <bankmodel/search/detail/effort.hpp>
#include <bankmodel/search/detail/touched_elements.hpp>

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

// Pairs of elements of one phase that were in one group of banks, which often rule out further
// layouts at once.
class colliding_pairs {
 public:
  BANKMODEL_FN void clear() { count_ = 0; }

  // True if such a pair is in one group in this layout too.
  BANKMODEL_FN bool collide(const prepared_layout& as, effort_left& effort) {
    for (int at = 0; at < count_; ++at) {
      effort.spend(22 + 2 * as.more_steps());
      const pair both = pair_[at];
      if (((as.place_of(both.one) - as.place_of(both.other)) & both.group_mask) != 0) continue;
      if (at > 0) {
        pair_[at] = pair_[at / 2];
        pair_[at / 2] = both;
      }
      return true;
    }
    return false;
  }
  // Stores the first two of these elements that are in one group. Returns false if there are none.
  // Requires: they are apart.
  BANKMODEL_FN bool keep(const served_shape& served, const prepared_layout& as, int element_bytes,
                         int number, const int* each, int count) {
    int who[max_banks];
    for (int group = 0; group < served.groups; ++group) who[group] = -1;
    const int bits = served.group_bits - trailing_zeros(static_cast<std::uint64_t>(element_bytes));
    for (int at = 0; at < count; ++at) {
      const int element = number + each[at];
      int& here = who[as.place_of(element) >> bits & (served.groups - 1)];
      if (here >= 0) {
        if (count_ < most) ++count_;
        pair_[count_ - 1] = {here, element, (served.groups - 1) << bits};
        return true;
      }
      here = element;
    }
    return false;
  }

 private:
  struct pair {
    int one, other, group_mask;
  };
  static constexpr int most = 16;

  int count_ = 0;
  pair pair_[most];
};

}  // namespace bankmodel::detail

#endif
