// SPDX-License-Identifier: MIT
// Permutations of an array's elements by the definitions of their papers, one element at a
// time, and at random.
#ifndef BANKMODEL_TESTS_PERMUTATIONS_HPP
#define BANKMODEL_TESTS_PERMUTATIONS_HPP

#include <bankmodel/layout/families.hpp>

#include <optional>
#include <random>
#include <vector>

namespace permuted {

namespace bm = bankmodel;

struct rows_of {
  std::vector<long long> extent;
  long long padding = 0;  // after each row, in two dimensions
  long long columns() const { return extent.back(); }
  long long rows() const {
    long long result = 1;
    for (std::size_t d = 0; d + 1 < extent.size(); ++d) result *= extent[d];
    return result;
  }
  bm::layout layout() const {
    return extent.size() == 1   ? bm::row_major(extent[0])
           : extent.size() == 2 ? bm::row_major(extent[0], extent[1]).padded(padding)
                                : bm::row_major(extent[0], extent[1], extent[2]);
  }
};

inline long long modulo(long long value, long long divisor) {
  long long rest = value % divisor;
  return rest < 0 ? rest + divisor : rest;
}

// The place of the element of a row and a column.
inline long long place_of(const rows_of& array, const bm::permutation& p, long long row,
                          long long column) {
  using family = bm::layout_family;
  const long long stride = array.columns() + array.padding, plain = row * stride + column;
  const long long g = p.group, group = column / g, width = array.columns() / g, rest = column % g;
  const auto& n = p.number;
  const auto address = [&](long long target) { return row * stride + target * g + rest; };
  // modulo the width: of many rows it has more than 64 bits
  const auto triangle = [&](long long number) {
    const long long even = number % 2 == 0 ? number : number + 1,
                    odd = number % 2 == 0 ? number + 1 : number;
    return even / 2 % width * (odd % width);
  };
  switch (p.family) {
    case family::rows: return plain;
    case family::xor_swizzle: {  // CuTe's: bits from base on, and as many `shift` away
      long long result = plain;
      for (long long bit = n[1]; bit < n[1] + n[0]; ++bit) {
        const long long source_bit = n[2] > 0 ? bit + n[2] : bit,
                        target_bit = n[2] > 0 ? bit : bit - n[2];
        if ((plain >> source_bit) % 2 == 1) result ^= 1ll << target_bit;
      }
      return result;
    }
    case family::rotation: return address(modulo(group + n[0] * row, width));
    case family::triangular:
      if (p.form == 0) return address(modulo(row + triangle(group), width));
      if (p.form == 1) return address(modulo(group + triangle(row), width));
      for (long long other = 0; other < width; ++other)  // the column that would be stored here
        if (modulo(p.form == 2 ? row + triangle(other) : other + triangle(row), width) == group)
          return address(other);
      return -1;
    case family::modular: {
      const long long x = n[0] * group + n[1] * row, y = n[2] * group + n[3] * row;
      if (p.form == 1) return (x + stride / g * y) * g + rest;
      return modulo(y, array.rows()) * stride + modulo(x, width) * g + rest;
    }
    case family::linear: {
      long long result = 0;
      for (int bit = 0; bit < 16; ++bit)
        if ((plain >> bit) % 2 == 1) result ^= (n[bit / 4] >> (bit % 4 * 16)) & 0xffff;
      return result;
    }
    default: return -1;
  }
}

// A random one that the array can have, or none. `unit`: elements of a row that stay
// neighbours.
template <class Random>
std::optional<bm::permutation> any_of(const rows_of& array, int unit, Random& random) {
  const auto draw = [&](long long end) {
    return static_cast<long long>(random() % static_cast<unsigned long long>(end));
  };
  const auto zeros = [](long long value) {
    int count = 0;
    while (value > 1) ++count, value /= 2;
    return count;
  };
  const bool one_row = array.extent.size() == 1;
  const long long kind = one_row ? draw(2) * 5 : draw(6);
  if (kind == 0 || kind == 1) {
    const int base = zeros(unit) + static_cast<int>(draw(4)), bits = 1 + static_cast<int>(draw(4)),
              shift = bits + static_cast<int>(draw(4));
    return bm::xor_swizzle(bits, base, draw(4) == 0 ? -shift : shift);
  }
  if (kind == 5) {
    bool fits = array.padding == 0;
    for (const long long extent : array.extent) fits = fits && (extent & (extent - 1)) == 0;
    const int bits = zeros(array.rows() * array.columns()), fixed = zeros(unit);
    if (!fits || bits < 1 || bits > 12 || bits <= fixed) return {};
    // additions of one column to another keep it one to one
    bm::bit_matrix columns = bm::identity_matrix(bits);
    for (int addition = 0; addition < 12; ++addition) {
      const int target = fixed + static_cast<int>(draw(bits - fixed)),
                source = fixed + static_cast<int>(draw(bits - fixed));
      if (target != source) columns.set(target, columns[target] ^ columns[source]);
    }
    return bm::linear(columns);
  }
  int group = unit;
  while (draw(3) == 0 && array.columns() % (2 * group) == 0) group *= 2;
  if (array.columns() % group != 0 || (array.columns() + array.padding) % group != 0) return {};
  const long long width = array.columns() / group;
  if (kind == 2) return bm::rotation(draw(2 * width + 3) - width).in_groups_of(group);
  if (kind == 3) {
    const auto direction = (width & (width - 1)) == 0 && draw(2) == 0 ? bm::triangle::of_columns
                                                                      : bm::triangle::of_rows;
    return (draw(2) == 0 ? bm::triangular(direction) : bm::inverse_triangular(direction))
        .in_groups_of(group);
  }
  if (array.extent.size() != 2) return {};
  for (int tries = 0; tries < 20; ++tries) {
    const bm::matrix t{draw(7) - 3, draw(7) - 3, draw(5) - 2, draw(5) - 2};
    const bm::permutation p =
        (draw(3) == 0 ? bm::modular_in_a_box(t) : bm::modular(t)).in_groups_of(group);
    if (p.form == 1) {
      const auto step = bm::detail::steps_in_box(p, (array.columns() + array.padding) / group);
      if (step.columns >= 0 && step.rows >= 0 &&
          !bm::detail::collision_in_box(step, array.rows(), width).exists())
        return p;
    } else if (!bm::detail::collision_of_modular(p, array.rows(), width).exists()) {
      return p;
    }
  }
  return {};
}

}  // namespace permuted

#endif
