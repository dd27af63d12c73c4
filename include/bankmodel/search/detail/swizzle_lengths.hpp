// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_SWIZZLE_LENGTHS_HPP
#define BANKMODEL_SEARCH_DETAIL_SWIZZLE_LENGTHS_HPP

#include <bankmodel/core/arithmetic.hpp>
#include <bankmodel/layout/layout.hpp>

namespace bankmodel::detail {

// The instructions of XOR swizzles of an array, as index_instructions() counts them: the XOR, a
// shift unless bits stay where they are, and a mask unless nothing else is left.
class swizzle_lengths {
 public:
  BANKMODEL_FN explicit swizzle_lengths(const layout& array) : rank_(array.rank) {
    bits_ = bits_below(array.required_size());
    for (int d = 0; d < rank_; ++d) {
      first_[d] = is_power_of_two(array.stride[d]) ? bits_below(array.stride[d]) : bits_;
      end_[d] = d == 0 ? bits_ : trailing_zeros(static_cast<std::uint64_t>(array.stride[d - 1]));
      used_[d] = d == 0 ? bits_ : first_[d] + bits_below(array.extent[d]);
    }
  }

  // The bits of an element's number; the first bit of its row; -1 or bits() if none is the row's
  // alone.
  BANKMODEL_FN int bits() const { return bits_; }
  BANKMODEL_FN int row_bits() const { return rank_ < 2 ? -1 : first_[rank_ - 2]; }

  // The least length of a swizzle that moves elements: in rows of one element the column need not
  // be read.
  BANKMODEL_FN int minimum() const { return used_[rank_ - 1] > 0 ? 1 : 0; }
  // Of the swizzle that XORs `bits` bits from number `source` on into those from number `target`
  // on.
  BANKMODEL_FN int length(int bits, int target, int source) const {
    // If one coordinate is XORed into the column, only the column is computed.
    const int column = rank_ - 1, by_xor = used_[column] > 0 ? 1 : 0;
    for (int d = 0; d < rank_ && target + bits <= end_[column]; ++d)
      if (source >= first_[d] && source + bits <= end_[d])
        return source >= used_[d]
                   ? 0
                   : by_xor + (source - first_[d] != target) +
                         (source + bits < used_[d] || (target != 0 && source != first_[d]));
    return 2 + (source + bits < bits_ || target != 0);
  }

 private:
  // The number of bits of the numbers below `size`.
  BANKMODEL_FN static int bits_below(long long size) {
    int bits = 0;
    while (1ll << bits < size) ++bits;
    return bits;
  }

  int rank_, bits_;
  // The bits of each coordinate: the first (all bits if it has none of its own), one past the
  // last, and one past those that are ever 1.
  int first_[max_rank] = {}, end_[max_rank] = {}, used_[max_rank] = {};
};

}  // namespace bankmodel::detail

#endif
