// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_DETAIL_LIGHTEST_COVER_HPP
#define BANKMODEL_LAYOUT_DETAIL_LIGHTEST_COVER_HPP

#include <bankmodel/core/arithmetic.hpp>

// A bit matrix as an XOR of few terms, each a few instructions of shifts, masks and products.
//
// Entry (place, bit) of the matrix moves a bit by the distance place - bit. A term moves a set of
// bits by a set of distances: one distance is a shift and a mask, x >> 2 & 7; one bit is a product
// with all its places, 31 * (x >> 5 & 1); several of both are a field that is stored several times,
// 9 * (x >> 6 & 7), where no two of the copies overlap. All entries of one distance are at most one
// term, and so are all entries of one bit. So the terms cover a grid of distances and bits by whole
// lines, and the fewest instructions are the lightest cover: a minimum cut.
namespace bankmodel::detail {

// ((x >> s ^ x >> t ^ ..) & places) * copies, with a shift to the left if s is negative.
struct linear_term {
  static constexpr int origin = 15;

  unsigned places;       // those of the lowest copy
  std::uint32_t copies;  // odd; no two copies overlap
  std::uint32_t shifts;  // bit origin + s for a shift by s
};

// Terms, each with the distances by which it moves bits (bit origin + distance) and its
// instructions.
struct linear_lines {
  struct {
    linear_term term;
    std::uint32_t distances;
    int instructions;
  } line[48] = {};
  int count = 0;
};

// A minimum cut between the distances and the bits of a grid: which lines cover all its entries
// with the least weight. Of equal covers it takes that with most distances.
class lightest_cover {
 public:
  BANKMODEL_FN lightest_cover(const linear_lines& distances, const linear_lines& bits) {
    for (int d = 0; d < distances.count; ++d) {
      left_[d] = distances.line[d].instructions;
      for (int b = 0; b < bits.count; ++b)
        if ((distances.line[d].distances & bits.line[b].distances) != 0) crossed_[d] |= 1u << b;
    }
    for (int b = 0; b < bits.count; ++b) left_of_bit_[b] = bits.line[b].instructions;
    distances_ = (1u << distances.count) - 1;
    while (augment()) {
    }
  }

  // Sets of line numbers.
  BANKMODEL_FN std::uint32_t distances() const { return distances_ & ~reached_; }
  BANKMODEL_FN std::uint32_t bits() const { return reached_bits_; }

 private:
  // Finds the lines that a distance with weight left reaches; on a bit with weight left it moves
  // the weight of the path.
  BANKMODEL_FN bool augment() {
    reached_ = reached_bits_ = 0;
    int queue[31], queued = 0;
    for (std::uint32_t rest = distances_; rest != 0; rest &= rest - 1) {
      const int d = trailing_zeros(rest);
      if (left_[d] == 0) continue;
      reached_ |= 1u << d;
      from_bit_[d] = -1;
      queue[queued++] = d;
    }
    for (int head = 0; head < queued; ++head)
      for (std::uint32_t rest = crossed_[queue[head]] & ~reached_bits_; rest != 0;
           rest &= rest - 1) {
        const int b = trailing_zeros(rest);
        reached_bits_ |= 1u << b;
        source_[b] = queue[head];
        if (left_of_bit_[b] != 0) return move_along(b), true;
        for (std::uint32_t pending = users_[b] & ~reached_; pending != 0; pending &= pending - 1) {
          const int d = trailing_zeros(pending);
          reached_ |= 1u << d;
          from_bit_[d] = b;
          queue[queued++] = d;
        }
      }
    return false;
  }
  BANKMODEL_FN void move_along(int last) {
    int flow = left_of_bit_[last];
    for (int b = last;;) {
      const int d = source_[b], previous = from_bit_[d];
      const int capacity = previous < 0 ? left_[d] : moved_[d][previous];
      if (capacity < flow) flow = capacity;
      if (previous < 0) break;
      b = previous;
    }
    left_of_bit_[last] -= flow;
    for (int b = last;;) {
      const int d = source_[b], previous = from_bit_[d];
      if ((users_[b] >> d & 1) == 0) moved_[d][b] = 0;
      moved_[d][b] += flow;
      users_[b] |= 1u << d;
      if (previous < 0) return void(left_[d] -= flow);
      moved_[d][previous] -= flow;
      if (moved_[d][previous] == 0) users_[previous] &= ~(1u << d);
      b = previous;
    }
  }

  std::uint32_t distances_ = 0, reached_ = 0, reached_bits_ = 0;
  std::uint32_t crossed_[31] = {}, users_[16] = {};
  int left_[31] = {}, left_of_bit_[16] = {}, source_[16] = {}, from_bit_[31] = {};
  int moved_[31][16];  // read only where users_ says so
};

}  // namespace bankmodel::detail

#endif
