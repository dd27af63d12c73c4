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
  instruction opcode = instruction::load_4;
  bankmodel::request asked = {};
};

inline std::uint64_t checksum(const pattern& p) {
  return checksum(static_cast<std::uint64_t>(p.opcode), p.asked);
}

namespace detail {

// The element that each lane accesses; elements are as wide as the instruction.
struct elements {
  long long element[32] = {};
};

class generator {
 public:
  explicit generator(std::uint64_t seed) : seed_(seed) {}
  std::vector<pattern> take() { return std::move(patterns_); }

  void strides(instruction opcode, int limit, int offset_at_each) {
    for (int stride = 0; stride <= limit; ++stride) {
      add(opcode, "strides", label("stride", stride, "offset", 0), line(stride, 0));
      if (stride % offset_at_each != 0) continue;
      const int offset = 1 + roll().draw(63);
      add(opcode, "strides", label("stride", stride, "offset", offset), line(stride, offset));
    }
  }

  // A warp of x columns and 32 / x rows of threads.
  void warps_2d(instruction opcode) {
    constexpr int pitches[] = {8,  9,  16, 17, 31, 32, 33,  34,  36, 40,
                               48, 63, 64, 65, 72, 96, 128, 129, 130};
    for (int x = 2; x <= 16; x *= 2)
      for (int time = 0; time < 6; ++time) {
        dice random = roll();
        const int pitch = pitches[random.draw(19)], step = 1 + random.draw(3),
                  offset = random.draw(40);
        elements positions;
        for (int lane = 0; lane < 32; ++lane)
          positions.element[lane] = offset + lane / x * pitch + lane % x * step;
        add(opcode, "2D warps", label("columns", x, "pitch", pitch, "step", step, "offset", offset),
            positions);
      }
  }

  void permutations(instruction opcode) {
    for (int time = 0; time < 8; ++time) {
      dice random = roll();
      const int stride = 1 + random.draw(time < 4 ? 1 : 33), offset = random.draw(64);
      int order[32];
      shuffle(order, random);
      elements positions;
      for (int lane = 0; lane < 32; ++lane) positions.element[lane] = offset + order[lane] * stride;
      add(opcode, "permutations", label("stride", stride, "offset", offset), positions);
    }
  }

  void random_addresses(instruction opcode) {
    for (int range = 2; range <= 2048; range *= 2) {
      dice random = roll();
      elements positions;
      for (long long& position : positions.element) position = random.draw(range);
      add(opcode, "random addresses", label("below", range), positions);
    }
  }

  // A column, a row or a block of a tile whose columns are permuted by the row: XOR in the
  // even, rotation in the odd ones.
  void swizzles(instruction opcode) {
    for (int time = 0; time < 12; ++time) {
      dice random = roll();
      const int columns = 8 << random.draw(3), walk = time % 3, fixed = random.draw(columns),
                shift = random.draw(2);
      const bool rotated = time % 2 == 1;
      elements positions;
      for (int lane = 0; lane < 32; ++lane) {
        const int row = walk == 0   ? lane
                        : walk == 1 ? fixed
                                    : lane / 4,
                  column = walk == 0   ? fixed
                           : walk == 1 ? lane % columns
                                       : lane % 4 * 2;
        const int by_row = row >> shift;
        positions.element[lane] =
            row * columns + (rotated ? (column + by_row) % columns : column ^ by_row % columns);
      }
      constexpr const char* walks[] = {"column", "row", "block"};
      add(opcode, "swizzles",
          label(rotated ? "rotated, columns" : "xor, columns", columns, "shift", shift, walks[walk],
                fixed),
          positions);
    }
  }

  // Neighbours that access one element, or few elements in all.
  void shared_elements(instruction opcode) {
    for (int group = 2; group <= 16; group *= 2)
      for (const bool interleaved : {false, true}) {
        const int stride = 1 + roll().draw(40);
        elements positions;
        for (int lane = 0; lane < 32; ++lane)
          positions.element[lane] = (interleaved ? lane % group : lane / group) * stride;
        add(opcode, "shared elements",
            label(interleaved ? "different" : "together", group, "stride", stride), positions);
      }
  }

  void masks(instruction opcode) {
    for (int time = 0; time < 28; ++time) {
      dice random = roll();
      const int stride = random.draw(4) == 0 ? 32 : random.draw(70), range = 16 << random.draw(6);
      elements positions;
      for (int lane = 0; lane < 32; ++lane)
        positions.element[lane] = time % 2 == 0 ? lane * stride : random.draw(range);
      const std::uint32_t mask = some_lanes(time / 2, random);
      add(opcode, "partial masks", time % 2 == 0 ? label("stride", stride) : label("below", range),
          positions, mask);
    }
  }

  // Patterns that decide whether phases of 8 and 16 bytes merge: lanes i and i ^ 1, or i and i
  // ^ 2, share an address or one of them is inactive; and patterns that are nearly like that.
  void pairs(instruction opcode) {
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
        const int range = 4 << time % 7, wide = time % 3 == 2 ? 128 / describe(opcode).bytes : 1;
        elements positions;
        for (long long& position : positions.element)
          position = random.draw(range) * wide % (window / describe(opcode).bytes);
        const int partner = kind == 1 || (kind > 3 && time % 2 == 1) ? 2 : kind == 2 ? 4 : 1;
        std::uint32_t mask = 0xffffffff;
        if (kind == 3)
          pair_up(positions, 1, 0, 16), pair_up(positions, 2, 16, 32);
        else if (kind != 5)
          pair_up(positions, partner, 0, 32);
        if (kind == 4) positions.element[random.draw(32)] += range * wide;
        if (kind >= 5) mask = one_of_each_pair(partner, kind == 6, random);
        add(opcode, families[kind], label("below", range, "times", wide, "partner", partner),
            positions, mask);
      }
  }

  // Rows of matrices: of a tile with any row length, 16 rows of it next to the following 16
  // columns as in a matrix product, swizzled, random.
  void matrices(instruction opcode) {
    const int lanes = describe(opcode).lanes;
    for (int pitch = 0; pitch <= 24; ++pitch) {
      const int offset = pitch % 4 == 3 ? roll().draw(16) : 0;
      add(opcode, "matrix rows", label("pitch", pitch, "offset", offset), line(pitch, offset));
    }
    for (const int pitch : {1, 2, 3, 4, 5, 8, 9, 12, 16, 17}) {
      elements positions;
      for (int lane = 0; lane < 32; ++lane) positions.element[lane] = lane % 16 * pitch + lane / 16;
      if (lanes > 16) add(opcode, "matrix tiles", label("pitch", pitch), positions);
    }
    for (int chunk = 0; chunk < 8; ++chunk) {
      elements positions;
      for (int lane = 0; lane < 32; ++lane)
        positions.element[lane] = lane * 8 + (chunk ^ (chunk % 2 == 0 ? lane % 8 : lane / 2 % 4));
      add(opcode, "matrix swizzles", label("chunk", chunk, "modulo", chunk % 2 == 0 ? 8 : 4),
          positions);
    }
    constexpr const char* families[] = {"matrix random rows", "matrix pairs at 1",
                                        "matrix pairs at 2", "all matrix pairs but one"};
    for (int kind = 0; kind < 4; ++kind)
      for (int time = 0; time < 10; ++time) {
        dice random = roll();
        const int range = 4 << time % 5, wide = time < 5 ? 1 : 8,
                  partner = kind == 2 || (kind == 3 && time % 2 == 1) ? 2 : 1;
        elements positions;
        for (long long& position : positions.element) position = random.draw(range) * wide;
        if (kind > 0) pair_up(positions, partner, 0, 32);
        if (kind == 3) positions.element[random.draw(lanes)] += range * wide;
        add(opcode, families[kind], label("below", range, "times", wide, "partner", partner),
            positions);
      }
  }

 private:
  // Each pattern has a random generator of its own, so that none depends on the numbers that an
  // earlier one used.
  dice roll() const { return dice(dice(seed_ + patterns_.size()).next()); }

  void add(instruction opcode, const char* family, std::string text, const elements& positions,
           std::uint32_t mask = 0xffffffff) {
    const description& traits = describe(opcode);
    pattern p;
    p.id = static_cast<int>(patterns_.size());
    p.family = family;
    p.label = std::move(text);
    p.opcode = opcode;
    p.asked.bytes = traits.bytes;
    p.asked.kind = traits.kind;
    p.asked.active = traits.lanes == 32 ? mask : (1u << traits.lanes) - 1;
    // Lanes that give no address to ldmatrix repeat the others', as Turing requires.
    for (int lane = 0; lane < 32; ++lane)
      p.asked.address[lane] = positions.element[lane % traits.lanes] * traits.bytes % window;
    patterns_.push_back(std::move(p));
  }

  static elements line(int stride, int offset) {
    elements positions;
    for (int lane = 0; lane < 32; ++lane) positions.element[lane] = offset + lane * stride;
    return positions;
  }

  static void pair_up(elements& positions, int partner, int first_lane, int end_lane) {
    for (int lane = first_lane; lane < end_lane; ++lane)
      positions.element[lane] = positions.element[lane & ~partner];
  }

  // One lane of each pair, either, or (`or_both`) sometimes both.
  static std::uint32_t one_of_each_pair(int partner, bool or_both, dice& random) {
    std::uint32_t mask = 0;
    for (int lane = 0; lane < 32; ++lane) {
      if ((lane & partner) != 0) continue;
      const int outcome = random.draw(or_both ? 4 : 2);
      mask |= outcome == 0   ? 1u << lane
              : outcome == 1 ? 1u << (lane ^ partner)
                             : 1u << lane | 1u << (lane ^ partner);
    }
    return mask;
  }

  std::uint64_t seed_;
  std::vector<pattern> patterns_;
};

}  // namespace detail

inline std::vector<pattern> all_patterns(std::uint64_t seed = first_seed) {
  detail::generator builder(seed);
  for (int number = 0; number < instruction_count; ++number) {
    const instruction opcode = nth_instruction(number);
    if (is_matrix(opcode)) {
      builder.matrices(opcode);
      continue;
    }
    if (has_source_pattern(opcode)) {
      builder.strides(opcode, 40, 8);
      continue;
    }
    builder.strides(opcode, is_copy(opcode) ? 40 : 130, is_copy(opcode) ? 8 : 3);
    builder.warps_2d(opcode);
    builder.permutations(opcode);
    builder.random_addresses(opcode);
    builder.swizzles(opcode);
    builder.shared_elements(opcode);
    builder.masks(opcode);
    if (opcode != instruction::atomic_4 && describe(opcode).bytes >= 8) builder.pairs(opcode);
  }
  return builder.take();
}

// The patterns whose instructions a device of this compute capability has.
inline std::vector<pattern> patterns_for(int model, std::uint64_t seed = first_seed) {
  std::vector<pattern> result;
  for (pattern& p : all_patterns(seed))
    if (describe(p.opcode).capability <= model) result.push_back(std::move(p));
  return result;
}

}  // namespace hardware

#endif
