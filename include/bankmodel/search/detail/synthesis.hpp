// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_SYNTHESIS_HPP
#define BANKMODEL_SEARCH_DETAIL_SYNTHESIS_HPP

#include <bankmodel/core/arithmetic.hpp>
#include <bankmodel/layout/families/linear.hpp>

// A linear layout made for given requests.
//
// The bank of an element is a linear map of the bits of its number, and lanes of a phase lie in
// different banks exactly where no difference between two of them is mapped to 0. So what is
// wanted is a kernel: a space of differences, of as many dimensions as there are bits beyond the
// bank's, that has nothing but 0 in common with any phase's. Each kernel is the graph of a map
// from the bits above to the banks' bits, for some choice of which bits are which; so bit by bit
// each of those above is given what it adds to the banks, and what meets a phase's differences is
// left out at once.
namespace bankmodel::detail {

// Vectors of bits, none of which is a sum of others; kept so that the highest bit of each is in no
// other.
class bit_space {
 public:
  BANKMODEL_FN int dimensions() const { return count_; }

  // What is left of a vector when those of the space are taken out; 0 where it lies in the space.
  BANKMODEL_FN unsigned rest_of(unsigned vector) const {
    for (int at = 0; at < count_; ++at)
      if ((vector >> highest_bit(each_[at]) & 1) != 0) vector ^= each_[at];
    return vector;
  }
  // False if it lies in the space already.
  BANKMODEL_FN bool add(unsigned vector) {
    vector = rest_of(vector);
    if (vector == 0) return false;
    const int bit = highest_bit(vector);
    for (int at = 0; at < count_; ++at)
      if ((each_[at] >> bit & 1) != 0) each_[at] ^= vector;
    each_[count_++] = vector;
    return true;
  }
  BANKMODEL_FN unsigned operator[](int at) const { return each_[at]; }
  BANKMODEL_FN bool contains(const bit_space& other) const {
    for (int at = 0; at < other.count_; ++at)
      if (rest_of(other.each_[at]) != 0) return false;
    return true;
  }

 private:
  int count_ = 0;
  unsigned each_[16] = {};
};

class synthesis {
 public:
  // Of numbers of `bits` bits, the lowest `fixed` of which stay where they are; the next
  // `bank_bits` bits of where an element lies choose its bank.
  BANKMODEL_FN synthesis(int bits, int fixed, int bank_bits)
      : bits_(bits), fixed_(fixed), bank_bits_(bank_bits) {
    if (bank_bits_ > bits_ - fixed_) bank_bits_ = bits_ - fixed_;
  }

  // Elements that are to lie in different banks; those that differ in the lowest `unit_bits` alone
  // lie together. False where no linear layout does that: their differences span too much. (Where
  // they are not all that the differences span, another one might; that is not looked for.)
  // Required: unit_bits are among the fixed ones.
  BANKMODEL_FN bool add(const long long* number, int count, int unit_bits) {
    bit_space space;
    for (int at = 1; at < count; ++at)
      (void)space.add(static_cast<unsigned>(number[at] ^ number[0]) >> unit_bits);
    space = without_lowest_bits(space, fixed_ - unit_bits);
    if (space.dimensions() > bank_bits_) return false;
    for (int at = 0; at < spaces_; ++at)
      if (space_[at].contains(space)) return true;
    int left = 0;
    for (int at = 0; at < spaces_; ++at)
      if (!space.contains(space_[at])) space_[left++] = space_[at];
    spaces_ = left;
    if (spaces_ == most_spaces) return false;
    space_[spaces_++] = space;
    return true;
  }

  // A layout for all of them; false if there is none, or none was found with so many tries.
  BANKMODEL_FN bool run(long long tries, bit_matrix& to) {
    tries_ = tries;
    const int free = bits_ - fixed_;
    // Which bits are the banks' own: the lowest ones first.
    for (unsigned own = (1u << bank_bits_) - 1; own < 1u << free;) {
      if (choose(own, 0)) {
        write(own, to);
        return true;
      }
      if (tries_ <= 0) return false;
      const unsigned lowest = own & -own, ripple = own + lowest;  // the next one with as many bits
      own = ripple | ((own ^ ripple) >> 2) / lowest;
      if (bank_bits_ == 0) return false;
    }
    return false;
  }

 private:
  static constexpr int most_spaces = 64;

  // Sums of its vectors whose lowest bits are 0, without these: with them on top, what is left
  // below.
  BANKMODEL_FN static bit_space without_lowest_bits(const bit_space& of, int lowest) {
    bit_space turned, result;
    const unsigned low = (1u << lowest) - 1;
    for (int at = 0; at < of.dimensions(); ++at)
      (void)turned.add((of[at] & low) << 16 | of[at] >> lowest);
    for (int at = 0; at < turned.dimensions(); ++at)
      if (turned[at] >> 16 == 0) (void)result.add(turned[at]);
    return result;
  }

  BANKMODEL_FN static int bit_number(unsigned set, int which) {
    for (; which > 0; --which) set &= set - 1;
    return trailing_zeros(set);
  }

  // From the bit above number `which` on: what each adds to the banks, so that the kernel stays
  // clear of all spaces.
  BANKMODEL_FN bool choose(unsigned own, int which) {
    const int free = bits_ - fixed_;
    if (which == free - bank_bits_) return true;
    const unsigned above = ~own & ((1u << free) - 1);
    const unsigned bit = 1u << bit_number(above, which);
    for (unsigned banks = 0; banks < 1u << bank_bits_; ++banks) {
      if (--tries_ <= 0) return false;
      unsigned vector = bit;
      for (int b = 0; b < bank_bits_; ++b)
        if ((banks >> b & 1) != 0) vector |= 1u << bit_number(own, b);
      bool clear = true;
      for (int at = 0; at < spaces_ && clear; ++at) {
        bit_space with = space_[at];
        for (int before = 0; before < which && clear; ++before) clear = with.add(kernel_[before]);
        clear = clear && with.add(vector);
      }
      if (!clear) continue;
      kernel_[which] = vector;
      added_[which] = banks;
      if (choose(own, which + 1)) return true;
      if (tries_ <= 0) return false;
    }
    return false;
  }

  BANKMODEL_FN void write(unsigned own, bit_matrix& to) const {
    to = identity_matrix(fixed_);
    const int free = bits_ - fixed_;
    const unsigned above = ~own & ((1u << free) - 1);
    for (int b = 0; b < bank_bits_; ++b) to.set(fixed_ + bit_number(own, b), 1u << (fixed_ + b));
    for (int which = 0; which < free - bank_bits_; ++which)
      to.set(fixed_ + bit_number(above, which),
             1u << (fixed_ + bank_bits_ + which) | added_[which] << fixed_);
  }

  int bits_, fixed_, bank_bits_;
  int spaces_ = 0;
  long long tries_ = 0;
  bit_space space_[most_spaces];
  unsigned kernel_[16] = {}, added_[16] = {};
};

}  // namespace bankmodel::detail

#endif
