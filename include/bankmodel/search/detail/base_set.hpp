// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_BASE_SET_HPP
#define BANKMODEL_SEARCH_DETAIL_BASE_SET_HPP

#include <bankmodel/core/arithmetic.hpp>

// A set of bases of one array.
namespace bankmodel::detail {

// Trivial: sets that are not set cost nothing. Bases are counted in units of the array's alignment,
// modulo its period: 0 to 255.
struct base_set {
  static constexpr int capacity = 256;
  std::uint64_t bits[4];

  BANKMODEL_FN void add(int base) { bits[base / 64] |= std::uint64_t{1} << base % 64; }
  BANKMODEL_FN bool contains(int base) const { return (bits[base / 64] >> base % 64 & 1) != 0; }
  BANKMODEL_FN bool is_empty() const { return (bits[0] | bits[1] | bits[2] | bits[3]) == 0; }
  BANKMODEL_FN void remove(const base_set& other) {
    for (int word = 0; word < 4; ++word) bits[word] &= ~other.bits[word];
  }
  // The first base of the set from `first` on; `capacity` if there is none.
  BANKMODEL_FN int next(long long first) const {
    for (int word = first < capacity ? static_cast<int>(first / 64) : 4; word < 4; ++word) {
      const std::uint64_t left =
          word == first / 64 ? bits[word] >> first % 64 << first % 64 : bits[word];
      if (left != 0) return 64 * word + trailing_zeros(left);
    }
    return capacity;
  }
};
constexpr std::uint64_t all_64_bits = ~std::uint64_t{0};
constexpr base_set all_bases{{all_64_bits, all_64_bits, all_64_bits, all_64_bits}};

}  // namespace bankmodel::detail

#endif
