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
  int minimum;                         // wavefronts, below which no layout gets
  bool never_conflicts;                // each phase touches one element
  bool in_groups;                      // passes_of_phase() counts a phase
  bool never_meets;                    // two elements are never in one layer of a group
  int group_bits, groups, layer_bits;  // shifts of an address in bytes; the number of groups
  int bank_num, W, N;

  BANKMODEL_FN void set(const machine& m, const shape_of_lanes& shape) {
    const geometry banks = m.banks(shape.bytes, shape.kind);
    const int bytes = shape.bytes > banks.N ? shape.bytes : banks.N, row = banks.bank_num * banks.N;
    bank_num = banks.bank_num;
    W = banks.W;
    N = banks.N;
    minimum = shape.phases;
    in_groups = m.served(shape.bytes, shape.kind).is_plain() && is_power_of_two(shape.bytes) &&
                bytes <= row;
    never_conflicts = in_groups && shape.most_in_a_phase == 1;
    never_meets = banks.W == banks.N && bytes == shape.bytes;
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
    int highest = 0, index = 0;
    if (never_meets) {
      for (; index < count && highest < too_many; ++index) {
        const int in_this = ++in_group[group_of(address(index))];
        if (in_this > highest) highest = in_this;
      }
      looked_at += index;
      return highest;
    }
    // The layers of each group, as a list.
    long long layer[max_lanes];
    unsigned char previous[max_lanes], last[max_banks];
    for (; index < count && highest < too_many; ++index) {
      const long long byte = address(index);
      const int group = group_of(byte), seen = in_group[group];
      layer[index] = byte >> layer_bits;
      int left = seen, other = seen == 0 ? 0 : last[group];
      while (left > 0 && layer[other] != layer[index])
        if (--left > 0) other = previous[other];
      if (left > 0) continue;
      if (seen > 0) previous[index] = last[group];
      last[group] = static_cast<unsigned char>(index);
      in_group[group] = static_cast<unsigned char>(seen + 1);
      if (seen + 1 > highest) highest = seen + 1;
    }
    looked_at += index;
    return highest;
  }
};

// Pairs of elements of one phase that were in one group of banks, in different layers. They often
// rule out further layouts at once.
class colliding_pairs {
 public:
  BANKMODEL_FN void clear() {
    count_ = 0;
    end_ = 0;
  }
  // Sets the rows of the layouts that follow.
  BANKMODEL_FN void set_rows(const prepared_layout& rows) {
    for (int index = 0; index < count_; ++index)
      pair_[index].place(rows, pair_[index].first.coordinates, pair_[index].other.coordinates);
  }

  // True if such a pair conflicts with this XOR swizzle of the rows too: it moves the XOR of two
  // numbers as it moves them.
  BANKMODEL_FN bool collide(const xor_numbers& swizzle, effort_left& effort) {
    const auto mask = static_cast<int>(swizzle.mask);
    int index = 0;
    while (index < count_ &&
           !pair_[index].collides(
               pair_[index].differ ^
               ((pair_[index].differ >> swizzle.source_bit & mask) << swizzle.target_bit)))
      ++index;
    effort.spend(10 + 8 * index);
    return is_one(index);
  }
  // Sets the permutations that follow: those that move group number g of row r to a * g + b * r in
  // its row. Returns true if such pairs conflict with each `b` below `end`. (False for columns of
  // which no power of two is a divisor to speak of: then a pair is not quicker than pricing.)
  // Requires: `a` is below the number of groups, or 1.
  BANKMODEL_FN bool set_factor(const prepared_layout& rows, int group, long long a, long long end,
                               effort_left& effort) {
    group_bits_ = trailing_zeros(static_cast<std::uint64_t>(group));
    const unsigned width = rows.columns() >> group_bits_;
    end_ = 0;
    ruled_out_[0] = ruled_out_[1] = ruled_out_[2] = ruled_out_[3] = 0;
    if (rows.columns() % 4 != 0 || width > prepared_layout::most_groups) return false;
    factor_ = static_cast<unsigned>(a);
    left_ = end_ = end;
    for (int index = 0; index < count_; ++index) {
      rule_out(rows, pair_[index], effort);
      if (left_ == 0) return is_one(index);
    }
    return false;
  }
  // True if such a pair conflicts in the permutation with this factor of the rows.
  // Requires: set_factor() returned false.
  BANKMODEL_FN bool collide(long long b) const {
    return b < most_factors && (ruled_out_[b / 64] >> b % 64 & 1) != 0;
  }
  // Stores the first two of these elements that conflict. Returns false if there are none.
  BANKMODEL_FN bool keep(const served_shape& served, const prepared_layout& candidate,
                         int element_bytes, int number, const int* offsets, int count,
                         effort_left& effort) {
    int who[max_banks];
    for (int group = 0; group < served.groups; ++group) who[group] = -1;
    const int element_bits = trailing_zeros(static_cast<std::uint64_t>(element_bytes)),
              bits = served.group_bits - element_bits,
              layer_bits = served.layer_bits - element_bits;
    for (int index = 0; index < count; ++index) {
      const int element = number + offsets[index], place = candidate.place_of(element);
      int& holder = who[place >> bits & (served.groups - 1)];
      if (holder >= 0 && (candidate.place_of(holder) ^ place) >> layer_bits != 0) {
        if (count_ < capacity) ++count_;
        pair& kept = pair_[count_ - 1];
        kept.place(candidate, holder, element);
        kept.group = 1 << bits;
        kept.group_mask = (served.groups - 1) << bits;
        kept.layer_bits = layer_bits;
        if (end_ != 0) rule_out(candidate, kept, effort);
        return true;
      }
      holder = element;
    }
    return false;
  }

 private:
  struct pair {
    prepared_layout::place_in_rows first, other;
    int differ;                         // the XOR of their numbers in the rows
    int group, group_mask, layer_bits;  // of places in storage: elements of a group of banks, bits

    BANKMODEL_FN void place(const prepared_layout& rows, int first_one, int other_one) {
      first = rows.in_rows(first_one);
      other = rows.in_rows(other_one);
      differ = static_cast<int>(first.number() ^ other.number());
    }

    // True for places with this XOR.
    BANKMODEL_FN bool collides(int differing) const {
      return (differing & group_mask) == 0 && differing >> layer_bits != 0;
    }
  };
  static constexpr int capacity = 64;

  // False if `index` is none. The pair that rules out a layout is likely to rule out the next one.
  BANKMODEL_FN bool is_one(int index) {
    if (index == count_) return false;
    const pair hit = pair_[index];
    pair_[index] = pair_[index / 2];
    pair_[index / 2] = hit;
    return true;
  }

  // Finds the factors of the rows with which this pair conflicts. Each moves the two elements
  // apart by a multiple of it, modulo a power of two that divides the columns, and in one bank they
  // are less than the elements of a group of banks apart, modulo those of all banks. That is a
  // congruence for each distance, and each solution is tried.
  BANKMODEL_FN void rule_out(const prepared_layout& rows, const pair& p, effort_left& effort) {
    const int bits = trailing_zeros(static_cast<unsigned>(p.group_mask + p.group) | rows.columns());
    const unsigned step = (p.first.row - p.other.row) << group_bits_,
                   apart = static_cast<unsigned>(rows.place_of(p.first, factor_, 0, group_bits_) -
                                                 rows.place_of(p.other, factor_, 0, group_bits_));
    const long long end = end_ < most_factors ? end_ : most_factors;
    const int common = trailing_zeros(step | 1u << bits);
    // Modulo a power of two each step doubles the correct bits, from the 3 of an odd number itself.
    unsigned inverse = step >> common | 1;
    const unsigned odd = inverse;
    for (int correct = 3; correct < bits; correct *= 2) inverse *= 2 - odd * inverse;
    effort.spend(50);
    for (int distance = 1 - p.group; distance < p.group; ++distance) {
      const unsigned target = (static_cast<unsigned>(distance) - apart) & ((1u << bits) - 1),
                     period = 1u << (bits - common);
      if ((target & ((1u << common) - 1)) != 0) continue;
      for (unsigned b = (target >> common) * inverse & (period - 1); b < end; b += period) {
        effort.spend(6);
        if (collide(b)) continue;
        effort.spend(24);
        if (!p.collides(rows.place_of(p.first, factor_, b, group_bits_) ^
                        rows.place_of(p.other, factor_, b, group_bits_)))
          continue;
        ruled_out_[b / 64] |= std::uint64_t{1} << b % 64;
        --left_;
      }
    }
  }

  static constexpr long long most_factors = 256;

  int count_ = 0, group_bits_ = 0;
  unsigned factor_ = 1;              // of set_factor()
  std::uint64_t ruled_out_[4] = {};  // factors of the rows, as bits
  long long end_ = 0, left_ = 0;     // all are below end_; the number of others
  pair pair_[capacity];
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
