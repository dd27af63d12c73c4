// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_SYNTHESIS_HPP
#define BANKMODEL_SEARCH_DETAIL_SYNTHESIS_HPP

#include <bankmodel/core/arithmetic.hpp>
#include <bankmodel/layout/families/linear.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The synthesis of a linear layout for given requests.
//
// The bank of an element is a linear map of the bits of its number. The lanes of a phase are in
// different banks if and only if no difference between two of them is mapped to 0. So the search is
// for a kernel of that map: a space of differences with one dimension for each bit that does not
// select the bank, which has only 0 in common with the differences of each phase. Each kernel is
// the graph of a map from the upper bits to the bank's bits, for some choice of these bits. So the
// search chooses for one upper bit after the other which bank bits it adds, and drops a choice at
// once if the kernel then contains a difference of a phase.
namespace bankmodel::detail {

// The span of linearly independent vectors of bits, stored so that no vector has the highest bit of
// another one.
class bit_space {
 public:
  BANKMODEL_FN int dimensions() const { return count_; }

  // The remainder of a vector after reduction by those of the space; 0 if it is in the space.
  BANKMODEL_FN unsigned rest_of(unsigned vector) const {
    for (int dimension = 0; dimension < count_; ++dimension)
      if ((vector >> highest_bit(vectors_[dimension]) & 1) != 0) vector ^= vectors_[dimension];
    return vector;
  }
  // Adds a vector. Returns false if it is in the space already.
  BANKMODEL_FN bool add(unsigned vector) {
    vector = rest_of(vector);
    if (vector == 0) return false;
    const int bit = highest_bit(vector);
    for (int dimension = 0; dimension < count_; ++dimension)
      if ((vectors_[dimension] >> bit & 1) != 0) vectors_[dimension] ^= vector;
    vectors_[count_++] = vector;
    return true;
  }
  BANKMODEL_FN unsigned operator[](int dimension) const { return vectors_[dimension]; }
  BANKMODEL_FN bool contains(const bit_space& other) const {
    for (int dimension = 0; dimension < other.count_; ++dimension)
      if (rest_of(other.vectors_[dimension]) != 0) return false;
    return true;
  }

 private:
  int count_ = 0;
  unsigned vectors_[16] = {};
};

class synthesis {
 public:
  // For element numbers of `bits` bits. The lowest `fixed` bits are not changed; the next
  // `bank_bits` bits of an element's place in storage select its bank.
  BANKMODEL_FN synthesis(int bits, int fixed, int bank_bits)
      : bits_(bits), fixed_(fixed), bank_bits_(bank_bits) {
    if (bank_bits_ > bits_ - fixed_) bank_bits_ = bits_ - fixed_;
  }

  // Adds elements that must be in different banks; those that differ only in the lowest `unit_bits`
  // bits are stored together. Returns false if their differences span too many dimensions: then no
  // such layout is found, although one may exist if the elements are not the whole span.
  // Requires: unit_bits is at most `fixed`.
  BANKMODEL_FN bool add(const long long* number, int count, int unit_bits) {
    bit_space space;
    for (int element = 1; element < count; ++element)
      (void)space.add(static_cast<unsigned>(number[element] ^ number[0]) >> unit_bits);
    space = without_lowest_bits(space, fixed_ - unit_bits);
    if (space.dimensions() > bank_bits_) return false;
    for (int index = 0; index < spaces_; ++index)
      if (space_[index].contains(space)) return true;
    int left = 0;
    for (int index = 0; index < spaces_; ++index)
      if (!space.contains(space_[index])) space_[left++] = space_[index];
    spaces_ = left;
    if (spaces_ == most_spaces) return false;
    space_[spaces_++] = space;
    return true;
  }

  BANKMODEL_FN long long tries_left() const { return tries_; }
  // Finds a layout for all of them. Returns false if there is none, or if none was found in `tries`
  // tries.
  BANKMODEL_FN bool run(long long tries, bit_matrix& matrix) {
    tries_ = tries;
    const int free = bits_ - fixed_;
    // The bits that select only a bank, the lowest ones first.
    for (unsigned own = (1u << bank_bits_) - 1; own < 1u << free;) {
      if (choose(own, 0)) {
        write(own, matrix);
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

  // The vectors of the space whose lowest bits are 0, shifted right by them. The lowest bits are
  // reduced first, as the highest ones.
  BANKMODEL_FN static bit_space without_lowest_bits(const bit_space& space, int lowest) {
    bit_space turned, result;
    const unsigned low = (1u << lowest) - 1;
    for (int dimension = 0; dimension < space.dimensions(); ++dimension)
      (void)turned.add((space[dimension] & low) << 16 | space[dimension] >> lowest);
    for (int dimension = 0; dimension < turned.dimensions(); ++dimension)
      if (turned[dimension] >> 16 == 0) (void)result.add(turned[dimension]);
    return result;
  }

  BANKMODEL_FN static int bit_number(unsigned set, int ordinal) {
    for (; ordinal > 0; --ordinal) set &= set - 1;
    return trailing_zeros(set);
  }

  // Chooses the bank bits that each upper bit adds, from number `ordinal` on, so that the kernel
  // has only 0 in common with each space.
  BANKMODEL_FN bool choose(unsigned own, int ordinal) {
    const int free = bits_ - fixed_;
    if (ordinal == free - bank_bits_) return true;
    const unsigned upper = ~own & ((1u << free) - 1);
    const unsigned bit = 1u << bit_number(upper, ordinal);
    for (unsigned banks = 0; banks < 1u << bank_bits_; ++banks) {
      if (--tries_ <= 0) return false;
      unsigned vector = bit;
      for (int b = 0; b < bank_bits_; ++b)
        if ((banks >> b & 1) != 0) vector |= 1u << bit_number(own, b);
      bool clear = true;
      for (int index = 0; index < spaces_ && clear; ++index) {
        bit_space span = space_[index];
        for (int previous = 0; previous < ordinal && clear; ++previous)
          clear = span.add(kernel_[previous]);
        clear = clear && span.add(vector);
      }
      if (!clear) continue;
      kernel_[ordinal] = vector;
      added_[ordinal] = banks;
      if (choose(own, ordinal + 1)) return true;
      if (tries_ <= 0) return false;
    }
    return false;
  }

  BANKMODEL_FN void write(unsigned own, bit_matrix& matrix) const {
    matrix = identity_matrix(fixed_);
    const int free = bits_ - fixed_;
    const unsigned upper = ~own & ((1u << free) - 1);
    for (int b = 0; b < bank_bits_; ++b)
      matrix.set(fixed_ + bit_number(own, b), 1u << (fixed_ + b));
    for (int ordinal = 0; ordinal < free - bank_bits_; ++ordinal)
      matrix.set(fixed_ + bit_number(upper, ordinal),
                 1u << (fixed_ + bank_bits_ + ordinal) | added_[ordinal] << fixed_);
  }

  int bits_, fixed_, bank_bits_;
  int spaces_ = 0;
  long long tries_ = 0;
  bit_space space_[most_spaces];
  unsigned kernel_[16] = {}, added_[16] = {};
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
