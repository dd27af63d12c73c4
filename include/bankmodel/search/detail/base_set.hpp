// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_BASE_SET_HPP
#define BANKMODEL_SEARCH_DETAIL_BASE_SET_HPP

#include <bankmodel/core/arithmetic.hpp>

// A set of bases of one array.
namespace bankmodel::detail {

// Trivial: sets that are not set cost nothing. Bases are counted in units of the array's alignment,
// modulo its period: 0 to 255.
struct base_set {
  static constexpr int most = 256;
  std::uint64_t bits[4];

  BANKMODEL_FN void add(int base) { bits[base / 64] |= std::uint64_t{1} << base % 64; }
  BANKMODEL_FN bool contains(int base) const { return (bits[base / 64] >> base % 64 & 1) != 0; }
  BANKMODEL_FN bool is_empty() const { return (bits[0] | bits[1] | bits[2] | bits[3]) == 0; }
  BANKMODEL_FN void remove(const base_set& other) {
    for (int at = 0; at < 4; ++at) bits[at] &= ~other.bits[at];
  }
  // The first base of the set from `from` on; `most` if there is none.
  BANKMODEL_FN int next(long long from) const {
    for (int at = from < most ? static_cast<int>(from / 64) : 4; at < 4; ++at) {
      const std::uint64_t left = at == from / 64 ? bits[at] >> from % 64 << from % 64 : bits[at];
      if (left != 0) return 64 * at + trailing_zeros(left);
    }
    return most;
  }
};
constexpr std::uint64_t all_64_bits = ~std::uint64_t{0};
constexpr base_set all_bases{{all_64_bits, all_64_bits, all_64_bits, all_64_bits}};

}  // namespace bankmodel::detail

#endif
