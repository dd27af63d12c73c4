// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_PERMUTATIONS_HPP
#define BANKMODEL_SEARCH_DETAIL_PERMUTATIONS_HPP

#include <bankmodel/layout/families.hpp>
#include <bankmodel/search/detail/served_shape.hpp>
#include <bankmodel/search/detail/swizzle_lengths.hpp>
#include <bankmodel/search/options.hpp>

// The permutations that one array may have, family by family. XOR swizzles with the shortest
// programs come first, of two dimensions also rotations, and modular ones of single columns: so the
// first of several with the same cost is the one to take.
namespace bankmodel::detail {

class permutations {
 public:
  // The permutations of these rows that keep `group_size` neighbours together, without those that
  // `pairs` rule out. Modular ones are without rotations if these are searched too. `effort` pays
  // for finding them; for more, see enumerate().
  // Requires: `group_size` is a power of two.
  BANKMODEL_FN permutations(const prepared_layout& rows, int group_size, bool with_rotations,
                            colliding_pairs& pairs, effort_left& effort)
      : rows_(rows),
        array_(rows.unprepared()),
        group_size_(group_size),
        with_rotations_(with_rotations),
        pairs_(pairs),
        effort_(effort) {}

  // Calls search.look(permutation) for each of that family, until it returns false or the effort is
  // spent, and then returns false.
  // `bank_bits` is the number of bits of an element's number that select its bank; all others only
  // select its layer.
  template <class Search>
  BANKMODEL_FN bool enumerate(layout_family family, int bank_bits, Search& search) const {
    switch (family) {
      case layout_family::xor_swizzle: return each_swizzle(bank_bits, search);
      case layout_family::triangular: return each_triangular(search);
      case layout_family::rotation:
      case layout_family::modular:
        return each_modular(family == layout_family::rotation, bank_bits, search);
      default: return true;
    }
  }

 private:
  // Each XOR swizzle whose bits are within the array and that changes a bank: one that only moves
  // elements of a bank to other layers leaves as many of them in conflict. So bits above those that
  // select the bank are added only where the program gets shorter: c ^ r instead of c ^ (r & 31).
  // Among equally long ones the first XOR the lowest bits of the row into the column, which most
  // arrays need. Most are ruled out, so that is asked first, and lengths are of the others only.
  template <class Search>
  BANKMODEL_FN bool each_swizzle(int bank_bits, Search& search) const {
    const swizzle_lengths lengths(array_);
    const int bit_count = lengths.bits(), highest = bank_bits < bit_count ? bank_bits : bit_count,
              lowest = trailing_zeros(static_cast<std::uint64_t>(group_size_));
    int left[most_swizzles];  // length, whether other bits than the row's are read, and numbers
    int count = 0;
    // The bits that are read are none of those that change.
    for (int bits = (bit_count - lowest) / 2; bits > 0 && effort_.allows(0); --bits)
      for (int target = lowest; target < highest && target + bits <= bit_count; ++target)
        for (int source = lowest; source + bits <= bit_count; ++source) {
          effort_.spend(10);
          if ((source > target - bits && source < target + bits) ||
              pairs_.collide(numbers_of_xor(bits, target, source), effort_))
            continue;
          effort_.spend(50);  // and to find it in the order
          const int length = lengths.length(bits, target, source);
          if (target + bits <= highest || length < lengths.length(highest - target, target, source))
            left[count++] = (2 * length + (source != lengths.row_bits())) << 15 | bits << 10 |
                            target << 5 | source;
        }
    for (int order = 2 * lengths.minimum(); order < 8; ++order)
      for (int number = 0; number < count && effort_.allows(0); ++number) {
        if (left[number] >> 15 != order) continue;
        const int bits = left[number] >> 10 & 31, target = left[number] >> 5 & 31,
                  source = left[number] & 31, shift = source - target;
        if (!pairs_.collide(numbers_of_xor(bits, target, source), effort_) &&
            !search.look(xor_swizzle(bits, shift > 0 ? target : source, shift)))
          return false;
      }
    return effort_.allows(0);
  }
  // In 30 bits, the sum of (31 - 2 n) (32 - 2 n) over each number n of bits.
  static constexpr int most_swizzles = 4720;

  template <class Search>
  BANKMODEL_FN bool each_triangular(Search& search) const {
    if (array_.rank < 2) return true;
    for (int group = group_size_; has_groups(group); group *= 2)
      for (int number = 0; number < 2; ++number) {
        const triangle orientation = number == 0 ? triangle::of_columns : triangle::of_rows;
        if (orientation == triangle::of_columns &&
            !is_power_of_two(array_.extent[array_.rank - 1] / group))
          continue;
        if (!search.look(triangular(orientation).in_groups_of(group)) ||
            !search.look(inverse_triangular(orientation).in_groups_of(group)))
          return false;
      }
    return true;
  }

  // Each one that maps column c of row r to a c + b r, with a coprime to the number of columns.
  // With a = 1 it is a rotation, and that of greater groups is one of smaller groups.
  template <class Search>
  BANKMODEL_FN bool each_modular(bool rotates, int bank_bits, Search& search) const {
    if (rotates ? array_.rank < 2 : array_.rank != 2) return true;
    for (int group = group_size_;
         has_groups(group) && (rotates ? group == group_size_ : array_.stride[0] % group == 0);
         group *= 2) {
      const long long width = array_.extent[array_.rank - 1] / group,
                      most_b = factors(group, bank_bits),
                      most_a = rotates                  ? 2
                               : is_power_of_two(width) ? most_b
                                                        : width;
      // Of 3 are sums of two powers of two, and no such factor is coprime to an even width.
      for (int length = 1; length <= (width % 2 == 0 ? 2 : 3); ++length)
        for (long long a = with_rotations_ && !rotates ? 2 : 1; a < most_a; ++a) {
          effort_.spend(60);
          const long long end = length == 1 && a > 1 && most_b > 2 ? 2 : most_b;  // of b
          if (greatest_common_divisor(a, width) != 1 ||
              pairs_.set_factor(rows_, group, a, end, effort_))
            continue;
          effort_.spend(30 * end);
          if (!effort_.allows(0)) return false;
          for (long long b = rotates ? 1 : 0; b < end; ++b)
            if (length_of_sum(a, rotates ? b * group : b) == length && !pairs_.collide(b) &&
                !search.look((rotates ? rotation(b) : modular({a, b, 0, 1})).in_groups_of(group)))
              return false;
        }
    }
    return true;
  }
  // The instructions of a c + b r: a product by a power of two and a sum are two, other products
  // and sums are one.
  BANKMODEL_FN static int length_of_sum(long long a, long long b) {
    if (a == 1 || b <= 1) return a * b > 1 && is_power_of_two(a * b) ? 2 : 1;
    return a != b && is_power_of_two(a) && is_power_of_two(b) ? 3 : 2;
  }

  // Factors of a row or a column from this number on are not tried: if rows are a multiple of all
  // banks, a smaller one puts each element into the same bank. It is in the second period of the
  // banks if the one in the first is a power of two, whose program is longer.
  BANKMODEL_FN long long factors(int group, int bank_bits) const {
    const long long width = array_.extent[array_.rank - 1], banks = 1ll << bank_bits,
                    limit = width % banks == 0 && banks > group ? 2 * banks : width;
    return (limit < width ? limit : width) / group;
  }
  // Requires: rows begin at a multiple of the neighbours that stay together.
  BANKMODEL_FN bool has_groups(int group) const {
    const long long width = array_.extent[array_.rank - 1];
    return width % group == 0 && width > group;
  }

  const prepared_layout& rows_;
  const layout& array_;
  int group_size_;
  bool with_rotations_;
  colliding_pairs& pairs_;
  effort_left& effort_;
};

}  // namespace bankmodel::detail

#endif
