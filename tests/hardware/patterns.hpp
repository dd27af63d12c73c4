// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_HARDWARE_PATTERNS_HPP
#define BANKMODEL_TESTS_HARDWARE_PATTERNS_HPP

#include "dice.hpp"
#include "file_head.hpp"
#include "instructions.hpp"

#include <string>
#include <utility>
#include <vector>

// The measured access patterns: the same on every platform, from a seed.
//
// A measured file identifies its patterns by number and contains a checksum of their addresses.
// So that it remains evidence, existing patterns are never changed: new ones are added at the
// end of all_patterns(), and first_seed stays.
namespace hardware {

// Bytes that every block gets without opting in; a multiple of every row of banks up to 4 KB.
constexpr int window = 49152;

struct pattern {
  int id = 0;
  std::string family;  // the class under which a disagreement is reported
  std::string label;   // its parameters
  instruction by = instruction::load_4;
  bankmodel::request asked = {};
};

inline std::uint64_t checksum(const pattern& p) {
  return checksum(static_cast<std::uint64_t>(p.by), p.asked);
}

namespace detail {

// The element that each lane accesses; elements are as wide as the instruction.
struct elements {
  long long of[32] = {};
};

class generator {
 public:
  explicit generator(std::uint64_t seed) : seed_(seed) {}
  std::vector<pattern> take() { return std::move(patterns_); }

  void strides(instruction by, int most, int offset_at_each) {
    for (int stride = 0; stride <= most; ++stride) {
      add(by, "strides", label("stride", stride, "offset", 0), line(stride, 0));
      if (stride % offset_at_each != 0) continue;
      const int offset = 1 + roll().below(63);
      add(by, "strides", label("stride", stride, "offset", offset), line(stride, offset));
    }
  }

  // A warp of x columns and 32 / x rows of threads.
  void warps_2d(instruction by) {
    constexpr int pitches[] = {8,  9,  16, 17, 31, 32, 33,  34,  36, 40,
                               48, 63, 64, 65, 72, 96, 128, 129, 130};
    for (int x = 2; x <= 16; x *= 2)
      for (int time = 0; time < 6; ++time) {
        dice random = roll();
        const int pitch = pitches[random.below(19)], step = 1 + random.below(3),
                  offset = random.below(40);
        elements where;
        for (int lane = 0; lane < 32; ++lane)
          where.of[lane] = offset + lane / x * pitch + lane % x * step;
        add(by, "2D warps", label("columns", x, "pitch", pitch, "step", step, "offset", offset),
            where);
      }
  }

  void permutations(instruction by) {
    for (int time = 0; time < 8; ++time) {
      dice random = roll();
      const int stride = 1 + random.below(time < 4 ? 1 : 33), offset = random.below(64);
      int order[32];
      shuffle(order, random);
      elements where;
      for (int lane = 0; lane < 32; ++lane) where.of[lane] = offset + order[lane] * stride;
      add(by, "permutations", label("stride", stride, "offset", offset), where);
    }
  }

  void random_addresses(instruction by) {
    for (int range = 2; range <= 2048; range *= 2) {
      dice random = roll();
      elements where;
      for (long long& one : where.of) one = random.below(range);
      add(by, "random addresses", label("below", range), where);
    }
  }

  // A column, a row or a block of a tile whose columns are permuted by the row: XOR in the
  // even, rotation in the odd ones.
  void swizzles(instruction by) {
    for (int time = 0; time < 12; ++time) {
      dice random = roll();
      const int columns = 8 << random.below(3), walk = time % 3, at = random.below(columns),
                shift = random.below(2);
      const bool rotated = time % 2 == 1;
      elements where;
      for (int lane = 0; lane < 32; ++lane) {
        const int row = walk == 0   ? lane
                        : walk == 1 ? at
                                    : lane / 4,
                  column = walk == 0   ? at
                           : walk == 1 ? lane % columns
                                       : lane % 4 * 2;
        const int by_row = row >> shift;
        where.of[lane] =
            row * columns + (rotated ? (column + by_row) % columns : column ^ by_row % columns);
      }
      constexpr const char* walks[] = {"column", "row", "block"};
      add(by, "swizzles",
          label(rotated ? "rotated, columns" : "xor, columns", columns, "shift", shift, walks[walk],
                at),
          where);
    }
  }

  // Neighbours that access one element, or few elements in all.
  void shared_elements(instruction by) {
    for (int together = 2; together <= 16; together *= 2)
      for (const bool interleaved : {false, true}) {
        const int stride = 1 + roll().below(40);
        elements where;
        for (int lane = 0; lane < 32; ++lane)
          where.of[lane] = (interleaved ? lane % together : lane / together) * stride;
        add(by, "shared elements",
            label(interleaved ? "different" : "together", together, "stride", stride), where);
      }
  }

  void masks(instruction by) {
    for (int time = 0; time < 28; ++time) {
      dice random = roll();
      const int stride = random.below(4) == 0 ? 32 : random.below(70),
                range = 16 << random.below(6);
      elements where;
      for (int lane = 0; lane < 32; ++lane)
        where.of[lane] = time % 2 == 0 ? lane * stride : random.below(range);
      const std::uint32_t mask = some_lanes(time / 2, random);
      add(by, "partial masks", time % 2 == 0 ? label("stride", stride) : label("below", range),
          where, mask);
    }
  }

  // Patterns that decide whether phases of 8 and 16 bytes merge: lanes i and i ^ 1, or i and i
  // ^ 2, share an address or one of them is inactive; and patterns that are nearly like that.
  void pairs(instruction by) {
    constexpr const char* families[] = {"pairs at 1",
                                        "pairs at 2",
                                        "pairs at 4",
                                        "half the pairs at 1, half at 2",
                                        "all pairs but one",
                                        "pairs by mask",
                                        "pairs by mask and address"};
    for (int kind = 0; kind < 7; ++kind)
      for (int time = 0; time < 14; ++time) {
        dice random = roll();
        // Few elements, many, or columns of rows of banks, so that merging has effects of many
        // sizes.
        const int range = 4 << time % 7, wide = time % 3 == 2 ? 128 / describe(by).bytes : 1;
        elements where;
        for (long long& one : where.of)
          one = random.below(range) * wide % (window / describe(by).bytes);
        const int partner = kind == 1 || (kind > 3 && time % 2 == 1) ? 2 : kind == 2 ? 4 : 1;
        std::uint32_t mask = 0xffffffff;
        if (kind == 3)
          pair_up(where, 1, 0, 16), pair_up(where, 2, 16, 32);
        else if (kind != 5)
          pair_up(where, partner, 0, 32);
        if (kind == 4) where.of[random.below(32)] += range * wide;
        if (kind >= 5) mask = one_of_each_pair(partner, kind == 6, random);
        add(by, families[kind], label("below", range, "times", wide, "partner", partner), where,
            mask);
      }
  }

  // Rows of matrices: of a tile with any row length, 16 rows of it next to the following 16
  // columns as in a matrix product, swizzled, random.
  void matrices(instruction by) {
    const int lanes = describe(by).lanes;
    for (int pitch = 0; pitch <= 24; ++pitch) {
      const int offset = pitch % 4 == 3 ? roll().below(16) : 0;
      add(by, "matrix rows", label("pitch", pitch, "offset", offset), line(pitch, offset));
    }
    for (const int pitch : {1, 2, 3, 4, 5, 8, 9, 12, 16, 17}) {
      elements where;
      for (int lane = 0; lane < 32; ++lane) where.of[lane] = lane % 16 * pitch + lane / 16;
      if (lanes > 16) add(by, "matrix tiles", label("pitch", pitch), where);
    }
    for (int chunk = 0; chunk < 8; ++chunk) {
      elements where;
      for (int lane = 0; lane < 32; ++lane)
        where.of[lane] = lane * 8 + (chunk ^ (chunk % 2 == 0 ? lane % 8 : lane / 2 % 4));
      add(by, "matrix swizzles", label("chunk", chunk, "modulo", chunk % 2 == 0 ? 8 : 4), where);
    }
    constexpr const char* families[] = {"matrix random rows", "matrix pairs at 1",
                                        "matrix pairs at 2", "all matrix pairs but one"};
    for (int kind = 0; kind < 4; ++kind)
      for (int time = 0; time < 10; ++time) {
        dice random = roll();
        const int range = 4 << time % 5, wide = time < 5 ? 1 : 8,
                  partner = kind == 2 || (kind == 3 && time % 2 == 1) ? 2 : 1;
        elements where;
        for (long long& one : where.of) one = random.below(range) * wide;
        if (kind > 0) pair_up(where, partner, 0, 32);
        if (kind == 3) where.of[random.below(lanes)] += range * wide;
        add(by, families[kind], label("below", range, "times", wide, "partner", partner), where);
      }
  }

 private:
  // Each pattern has a random generator of its own, so that none depends on the numbers that an
  // earlier one used.
  dice roll() const { return dice(dice(seed_ + patterns_.size()).next()); }

  void add(instruction by, const char* family, std::string text, const elements& where,
           std::uint32_t mask = 0xffffffff) {
    const description& how = describe(by);
    pattern p;
    p.id = static_cast<int>(patterns_.size());
    p.family = family;
    p.label = std::move(text);
    p.by = by;
    p.asked.bytes = how.bytes;
    p.asked.kind = how.kind;
    p.asked.active = how.lanes == 32 ? mask : (1u << how.lanes) - 1;
    // Lanes that give no address to ldmatrix repeat the others', as Turing requires.
    for (int lane = 0; lane < 32; ++lane)
      p.asked.address[lane] = where.of[lane % how.lanes] * how.bytes % window;
    patterns_.push_back(std::move(p));
  }

  static elements line(int stride, int offset) {
    elements where;
    for (int lane = 0; lane < 32; ++lane) where.of[lane] = offset + lane * stride;
    return where;
  }

  static void pair_up(elements& where, int partner, int from, int to) {
    for (int lane = from; lane < to; ++lane) where.of[lane] = where.of[lane & ~partner];
  }

  // One lane of each pair, either, or (`or_both`) sometimes both.
  static std::uint32_t one_of_each_pair(int partner, bool or_both, dice& random) {
    std::uint32_t mask = 0;
    for (int lane = 0; lane < 32; ++lane) {
      if ((lane & partner) != 0) continue;
      const int which = random.below(or_both ? 4 : 2);
      mask |= which == 0   ? 1u << lane
              : which == 1 ? 1u << (lane ^ partner)
                           : 1u << lane | 1u << (lane ^ partner);
    }
    return mask;
  }

  std::uint64_t seed_;
  std::vector<pattern> patterns_;
};

}  // namespace detail

inline std::vector<pattern> all_patterns(std::uint64_t seed = first_seed) {
  detail::generator all(seed);
  for (int at = 0; at < instruction_count; ++at) {
    const instruction by = nth_instruction(at);
    if (is_matrix(by)) {
      all.matrices(by);
      continue;
    }
    if (has_source_pattern(by)) {
      all.strides(by, 40, 8);
      continue;
    }
    all.strides(by, is_copy(by) ? 40 : 130, is_copy(by) ? 8 : 3);
    all.warps_2d(by);
    all.permutations(by);
    all.random_addresses(by);
    all.swizzles(by);
    all.shared_elements(by);
    all.masks(by);
    if (by != instruction::atomic_4 && describe(by).bytes >= 8) all.pairs(by);
  }
  return all.take();
}

// The patterns whose instructions a device of this compute capability has.
inline std::vector<pattern> patterns_for(int model, std::uint64_t seed = first_seed) {
  std::vector<pattern> result;
  for (pattern& p : all_patterns(seed))
    if (describe(p.by).since <= model) result.push_back(std::move(p));
  return result;
}

}  // namespace hardware

#endif
