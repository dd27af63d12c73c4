// SPDX-License-Identifier: MIT
// A pair of elements that was in conflict rules out permutations by their coefficients: exactly
// those with which the rule of banks and layers puts the two into one bank and different layers,
// and rotations and modular layouts only of rows of a multiple of 4 columns. All pairs of elements
// of all rows of at most 3 x 16 elements, and some others, in a few banks.
#include <bankmodel/search/detail/served_shape.hpp>

#include "catch.hpp"

namespace bm = bankmodel;

namespace {

struct conflict_rule {
  int group, groups, layer;  // elements of a group of banks, groups, elements of a layer

  bool holds(long long a, long long b) const {
    return a / group % groups == b / group % groups && a / layer != b / layer;
  }
  // Of elements of one byte.
  bm::detail::served_shape shape() const {
    bm::detail::served_shape result{};
    result.in_groups = true;
    result.groups = groups;
    result.group_bits = bm::detail::trailing_zeros(static_cast<std::uint64_t>(group));
    result.layer_bits = bm::detail::trailing_zeros(static_cast<std::uint64_t>(layer));
    return result;
  }
};
constexpr conflict_rule rules[] = {{1, 4, 4}, {2, 4, 8}, {1, 8, 16}, {2, 2, 8}, {4, 2, 8}};

// A layout of the rows in which two elements conflict, to keep them with.
bool keep(const conflict_rule& rule, const bm::layout& rows, int first, int other,
          bm::detail::prepared_layout& placed, bm::detail::colliding_pairs& pairs,
          bm::detail::effort_left& effort) {
  const int packed[] = {first, other};
  for (int step = 0; step < rows.extent[1]; ++step) {
    placed.set_permutation(bm::rotation(step));
    if (pairs.keep(rule.shape(), placed, 1, 0, packed, 2, effort)) return true;
  }
  return false;
}

// visit(rule, rows, placed, pairs, first, other) for each pair that some rotation has in conflict;
// the coordinates of the two are packed in `first` and `other`.
template <class Visit>
void each_pair(const Visit& visit) {
  bm::detail::effort_left effort(1ll << 40);
  for (const conflict_rule& rule : rules)
    for (int columns = 1; columns <= 16; ++columns)
      for (int padding = 0; padding <= 2; ++padding) {
        const bm::layout rows = bm::row_major(3, columns).padded(padding);
        bm::detail::prepared_layout placed;
        placed.set_rows(rows);
        const bm::layout packed = bm::detail::packed(rows);
        const int size = static_cast<int>(packed.required_size());
        for (int first = 0; first < size; ++first)
          for (int other = first + 1; other < size; ++other) {
            if (packed.coordinates(first)[1] >= columns ||
                packed.coordinates(other)[1] >= columns || packed.coordinates(first)[0] < 0 ||
                packed.coordinates(other)[0] < 0)
              continue;
            bm::detail::colliding_pairs pairs;
            pairs.clear();
            if (keep(rule, rows, first, other, placed, pairs, effort))
              visit(rule, rows, placed, pairs, packed.coordinates(first),
                    packed.coordinates(other));
          }
      }
}

}  // namespace

TEST_CASE("A pair rules out rotations and modular layouts by their factors", "[plan]") {
  long long tried = 0, ruled_out = 0, all_ruled_out = 0;
  bm::detail::effort_left effort(1ll << 50);
  each_pair([&](const conflict_rule& rule, const bm::layout& rows,
                const bm::detail::prepared_layout& placed, bm::detail::colliding_pairs& pairs,
                const bm::detail::four& first, const bm::detail::four& other) {
    const long long columns = rows.extent[1];
    for (const int group : {1, 2, 4}) {
      if (columns % group != 0 || rows.stride[0] % group != 0) continue;
      const long long width = columns / group;
      for (long long a = 1; a <= width; ++a) {
        if (bm::detail::greatest_common_divisor(a, width) != 1) continue;
        const bool all = pairs.set_factor(placed, group, a, width, effort);
        bool each = true, same = true;
        for (long long b = 0; b < width; ++b) {
          const bm::layout moved = rows.permuted(bm::modular({a, b, 0, 1}).in_groups_of(group));
          const bool conflicts = rule.holds(moved(first), moved(other));
          each = each && conflicts;
          same = same && pairs.collide(b) == (conflicts && columns % 4 == 0);
          ++tried;
          ruled_out += conflicts ? 1 : 0;
        }
        REQUIRE(same);
        REQUIRE(all == (each && columns % 4 == 0));
        all_ruled_out += all ? 1 : 0;
      }
    }
  });
  CHECK(tried > 1'000'000);
  CHECK(ruled_out > 100'000);
  CHECK(all_ruled_out > 1'000);
}

TEST_CASE("A pair rules out XOR swizzles by their bits", "[plan]") {
  long long ruled_out = 0, others = 0;
  bm::detail::effort_left effort(1ll << 50);
  each_pair([&](const conflict_rule& rule, const bm::layout& rows,
                const bm::detail::prepared_layout&, bm::detail::colliding_pairs& pairs,
                const bm::detail::four& first, const bm::detail::four& other) {
    bool same = true;
    for (int bits = 1; bits <= 3; ++bits)
      for (int target = 0; target < 5; ++target)
        for (int source = 0; source + bits <= 6; ++source) {
          const int shift = source - target;
          if (shift < bits && shift > -bits) continue;
          const bm::layout moved =
              rows.permuted(bm::xor_swizzle(bits, shift > 0 ? target : source, shift));
          const bool conflicts = rule.holds(moved(first), moved(other));
          same = same && pairs.collide(bm::detail::numbers_of_xor(bits, target, source), effort) ==
                             conflicts;
          ++(conflicts ? ruled_out : others);
        }
    REQUIRE(same);
  });
  CHECK(ruled_out > 20'000);
  CHECK(others > 10'000);
}
