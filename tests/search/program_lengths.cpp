// SPDX-License-Identifier: MIT
// The search tries permutations with short programs first, so it must know their lengths: those of
// index_instructions(), for each permutation of small arrays and of some usual ones.
#include <bankmodel/layout/instruction_count.hpp>
#include <bankmodel/search/detail/permutations.hpp>

#include "catch.hpp"

#include <utility>
#include <vector>

namespace bm = bankmodel;

namespace {

std::vector<bm::layout> arrays() {
  std::vector<bm::layout> result = {bm::row_major(2048),
                                    bm::row_major(1000),
                                    bm::row_major(32, 32),
                                    bm::row_major(36, 64),
                                    bm::row_major(64, 16),
                                    bm::row_major(24, 20),
                                    bm::row_major(1, 64),
                                    bm::row_major(20, 48),
                                    bm::row_major(12, 31).padded(1),
                                    bm::row_major(3, 60).padded(4),
                                    bm::row_major(8, 8, 8),
                                    bm::row_major(4, 12, 16),
                                    bm::row_major(16, 1).padded(3),
                                    bm::row_major(16, 3).padded(5),
                                    bm::row_major(8, 1, 4),
                                    bm::row_major(3, 4, 5, 8),
                                    bm::row_major(2, 2, 8, 16)};
  for (int rows = 2; rows <= 9; ++rows)
    for (int columns = 2; columns <= 17; ++columns) result.push_back(bm::row_major(rows, columns));
  return result;
}

int length_of(const bm::layout& rows, const bm::permutation& mapping) {
  bm::layout array_layout = rows;
  array_layout.permutation = mapping;
  return bm::index_instructions(array_layout);
}

// Gives each permutation that the search tries to a function, which returns whether to go on.
template <class Visit>
struct visitor {
  const Visit& visit;
  bool look(const bm::permutation& mapping) const { return visit(mapping); }
};
template <class Visit>
void enumerate(const bm::layout& rows, int group, bm::layout_family family, int bank_bits,
               const Visit& visit) {
  bm::detail::prepared_layout placed;
  placed.set_rows(rows);
  bm::detail::colliding_pairs none;
  none.clear();
  bm::detail::effort_left effort(1ll << 40);
  const visitor<Visit> search{visit};
  bm::detail::permutations(placed, group, false, none, effort).enumerate(family, bank_bits, search);
}

}  // namespace

TEST_CASE("lengths of XOR swizzles", "[plan][layout]") {
  int compared = 0;
  for (const bm::layout& rows : arrays()) {
    const bm::detail::swizzle_lengths lengths(rows);
    const int total_bits = lengths.bits();
    for (int bits = 1; bits <= total_bits; ++bits)
      for (int target_bit = 0; target_bit + bits <= total_bits; ++target_bit)
        for (int source_bit = 0; source_bit + bits <= total_bits; ++source_bit) {
          const int shift = source_bit - target_bit;
          if (shift < bits && shift > -bits) continue;
          INFO(rows.extent[0] << " rows of " << rows.stride[0] << ", " << bits << " bits from "
                              << source_bit << " into " << target_bit);
          REQUIRE(
              lengths.length(bits, target_bit, source_bit) ==
              length_of(rows, bm::xor_swizzle(bits, shift > 0 ? target_bit : source_bit, shift)));
          ++compared;
        }
  }
  CHECK(compared > 4000);
}

// Rotations and modular layouts of two dimensions; modular ones of single columns.
TEST_CASE("short programs are tried first", "[plan][layout]") {
  for (const bm::layout& rows : arrays())
    for (const int group : {1, 2, 4})
      for (const auto family : {bm::layout_family::xor_swizzle, bm::layout_family::rotation,
                                bm::layout_family::modular}) {
        const bool is_xor = family == bm::layout_family::xor_swizzle;
        if (rows.extent[rows.rank - 1] % group != 0 || (!is_xor && rows.rank > 2)) continue;
        int longest = 0;
        const auto visit = [&](const bm::permutation& mapping) {
          if (family == bm::layout_family::modular && (mapping.group > 1 || rows.extent[0] == 1))
            return true;
          const int length = length_of(rows, mapping);
          INFO(rows.extent[0] << " rows of " << rows.stride[0] << ", family "
                              << static_cast<int>(family) << ", numbers " << mapping.number[0]
                              << ", " << mapping.number[1] << ", group " << mapping.group);
          CHECK(length >= longest);
          longest = std::max(longest, length);
          return true;
        };
        enumerate(rows, group, family, 30, visit);
      }
}

// If rows are a multiple of all banks, factors with the same remainder put each element into the
// same bank.
TEST_CASE("one factor of each remainder is tried, in its shortest program", "[plan][layout]") {
  struct tried {
    bm::permutation permutation;
    int length;
  };
  int compared = 0;
  for (const auto& [columns, bank_bits] : {std::pair{16, 2}, {48, 4}, {32, 3}, {24, 3}, {420, 2}})
    for (const auto family : {bm::layout_family::rotation, bm::layout_family::modular}) {
      const bm::layout rows = bm::row_major(5, columns);
      std::vector<tried> complete, some;
      const auto collect = [&](std::vector<tried>& list) {
        return [&](const bm::permutation& mapping) {
          list.push_back({mapping, columns > 100 ? 0 : length_of(rows, mapping)});
          return true;
        };
      };
      enumerate(rows, 1, family, 30, collect(complete));
      enumerate(rows, 1, family, bank_bits, collect(some));
      for (const tried& entry : complete) {
        const long long banks = (1 << bank_bits) / entry.permutation.group;
        if (banks <= 1) continue;
        const auto remainder = [&](const bm::permutation& candidate, int number) {
          return candidate.number[number] % banks;
        };
        if (family == bm::layout_family::rotation && remainder(entry.permutation, 0) == 0) continue;
        bool is_tried = false;
        for (const tried& other : some)
          is_tried =
              is_tried ||
              (other.permutation.group == entry.permutation.group && other.length <= entry.length &&
               remainder(other.permutation, 0) == remainder(entry.permutation, 0) &&
               remainder(other.permutation, 1) == remainder(entry.permutation, 1));
        INFO(columns << " columns, " << banks << " banks, numbers " << entry.permutation.number[0]
                     << ", " << entry.permutation.number[1] << ", group "
                     << entry.permutation.group);
        REQUIRE(is_tried);
        ++compared;
      }
      CHECK(some.size() < complete.size());
    }
  CHECK(compared > 10'000);
}
