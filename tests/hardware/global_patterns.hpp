// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_HARDWARE_GLOBAL_PATTERNS_HPP
#define BANKMODEL_TESTS_HARDWARE_GLOBAL_PATTERNS_HPP

#include "dice.hpp"
#include "file_head.hpp"

#include <vector>

// The measured instructions and access patterns of global memory. As in patterns.hpp, existing
// patterns are never changed: new ones are added at the end of all_global_patterns().
namespace hardware {

// Each is a kernel of global_kernels.cuh with the same name.
// clang-format off
enum class global_instruction : unsigned char {
  global_load_1, global_load_2, global_load_4, global_load_8, global_load_16,
  global_load_cg_4, global_load_cg_16,  // past the first cache
  global_store_1, global_store_2, global_store_4, global_store_8, global_store_16,
  global_atomic_4,                      // returns the old value: ATOMG
  global_reduction_4                    // does not: RED
};
// clang-format on
constexpr int global_instruction_count =
    static_cast<int>(global_instruction::global_reduction_4) + 1;

struct global_description {
  const char* name;
  bankmodel::access_kind kind;
  int bytes;              // per lane
  const char* operation;  // at the end of the counters' names
};

inline const global_description& describe(global_instruction opcode) {
  using bankmodel::access_kind;
  static constexpr global_description table[global_instruction_count] = {
      {"global_load_1", access_kind::load, 1, "ld"},
      {"global_load_2", access_kind::load, 2, "ld"},
      {"global_load_4", access_kind::load, 4, "ld"},
      {"global_load_8", access_kind::load, 8, "ld"},
      {"global_load_16", access_kind::load, 16, "ld"},
      {"global_load_cg_4", access_kind::load, 4, "ld"},
      {"global_load_cg_16", access_kind::load, 16, "ld"},
      {"global_store_1", access_kind::store, 1, "st"},
      {"global_store_2", access_kind::store, 2, "st"},
      {"global_store_4", access_kind::store, 4, "st"},
      {"global_store_8", access_kind::store, 8, "st"},
      {"global_store_16", access_kind::store, 16, "st"},
      {"global_atomic_4", access_kind::atomic, 4, "atom"},
      {"global_reduction_4", access_kind::atomic, 4, "red"},
  };
  return table[static_cast<int>(opcode)];
}

inline global_instruction nth_global_instruction(int number) {
  return static_cast<global_instruction>(number);
}

inline bool find_instruction(std::string_view name, global_instruction& result) {
  for (int number = 0; number < global_instruction_count; ++number)
    if (name == describe(nth_global_instruction(number)).name) {
      result = nth_global_instruction(number);
      return true;
    }
  return false;
}

constexpr int global_window = 65536;  // bytes that the patterns access

struct global_pattern {
  int id = 0;
  std::string family, label;  // as in struct pattern
  global_instruction opcode = global_instruction::global_load_4;
  bankmodel::request asked = {};
};

inline std::uint64_t checksum(const global_pattern& p) {
  return checksum(static_cast<std::uint64_t>(p.opcode), p.asked);
}

namespace detail {

// The first byte that each lane accesses, from the start of the buffer.
struct places {
  long long offset[32] = {};
};

class global_generator {
 public:
  explicit global_generator(std::uint64_t seed) : seed_(seed) {}
  std::vector<global_pattern> take() { return std::move(patterns_); }

  // From the start of a line, and from one other element in it.
  void strides(global_instruction opcode) {
    for (int stride = 0; stride <= 40; ++stride) {
      add(opcode, "strides", label("stride", stride, "offset", 0), line(opcode, stride, 0));
      const int width = describe(opcode).bytes, offset = (1 + roll().draw(128 / width - 1)) * width;
      add(opcode, "strides", label("stride", stride, "offset", offset),
          line(opcode, stride, offset));
    }
  }

  // From every word of a line: neighbours, and with a stride that is odd and one that is even.
  void offsets(global_instruction opcode) {
    const int step = describe(opcode).bytes > 4 ? describe(opcode).bytes : 4;
    for (const int stride : {1, 3, 8})
      for (int offset = step; offset < 128; offset += step)
        add(opcode, "offsets in a line", label("stride", stride, "offset", offset),
            line(opcode, stride, offset));
  }

  // A warp of x columns and 32 / x rows of threads.
  void warps_2d(global_instruction opcode) {
    for (int x = 2; x <= 16; x *= 2)
      for (int time = 0; time < 4; ++time) {
        dice random = roll();
        const int pitch = 17 + random.draw(500), offset = random.draw(64);
        places positions;
        for (int lane = 0; lane < 32; ++lane)
          positions.offset[lane] = (offset + lane / x * pitch + lane % x) * describe(opcode).bytes;
        add(opcode, "2D warps", label("columns", x, "pitch", pitch, "offset", offset), positions);
      }
  }

  void permutations(global_instruction opcode) {
    for (int time = 0; time < 8; ++time) {
      dice random = roll();
      const int stride = 1 + random.draw(time < 4 ? 1 : 33), offset = random.draw(64);
      int order[32];
      shuffle(order, random);
      places positions;
      for (int lane = 0; lane < 32; ++lane)
        positions.offset[lane] = (offset + order[lane] * stride) * describe(opcode).bytes;
      add(opcode, "permutations", label("stride", stride, "offset", offset), positions);
    }
  }

  void random_addresses(global_instruction opcode) {
    for (int range = 2; range <= 4096; range *= 2)
      for (int time = 0; time < 2; ++time) {
        dice random = roll();
        add(opcode, "random addresses", label("below", range), anywhere(opcode, range, random));
      }
  }

  // Groups of lanes with the same element: neighbours, or every n-th lane.
  void shared_elements(global_instruction opcode) {
    for (int group = 2; group <= 32; group *= 2)
      for (const bool interleaved : {false, true}) {
        const int stride = 1 + roll().draw(40);
        places positions;
        for (int lane = 0; lane < 32; ++lane)
          positions.offset[lane] = (interleaved ? lane % group : lane / group) * stride *
                                   static_cast<long long>(describe(opcode).bytes);
        add(opcode, "shared elements",
            label(interleaved ? "different" : "together", group, "stride", stride), positions);
      }
  }

  void masks(global_instruction opcode) {
    for (int time = 0; time < 28; ++time) {
      dice random = roll();
      const int stride = random.draw(40), range = 16 << random.draw(7);
      const bool in_line = time % 2 == 0;
      const places positions = in_line ? line(opcode, stride, 0) : anywhere(opcode, range, random);
      add(opcode, "partial masks", in_line ? label("stride", stride) : label("below", range),
          positions, some_lanes(time / 2, random));
    }
  }

 private:
  dice roll() const { return dice(dice(seed_ + patterns_.size()).next()); }

  void add(global_instruction opcode, const char* family, std::string text, const places& positions,
           std::uint32_t mask = 0xffffffff) {
    global_pattern p;
    p.id = static_cast<int>(patterns_.size());
    p.family = family;
    p.label = std::move(text);
    p.opcode = opcode;
    p.asked.bytes = describe(opcode).bytes;
    p.asked.kind = describe(opcode).kind;
    p.asked.active = mask;
    for (int lane = 0; lane < 32; ++lane)
      p.asked.address[lane] = positions.offset[lane] % global_window;
    patterns_.push_back(std::move(p));
  }

  // `stride` in elements, `offset` in bytes.
  static places line(global_instruction opcode, int stride, int offset) {
    places positions;
    for (int lane = 0; lane < 32; ++lane)
      positions.offset[lane] =
          offset + static_cast<long long>(lane) * stride * describe(opcode).bytes;
    return positions;
  }
  static places anywhere(global_instruction opcode, int range, dice& random) {
    places positions;
    for (long long& position : positions.offset)
      position = random.draw(range) * describe(opcode).bytes;
    return positions;
  }

  std::uint64_t seed_;
  std::vector<global_pattern> patterns_;
};

}  // namespace detail

inline std::vector<global_pattern> all_global_patterns(std::uint64_t seed = first_seed) {
  detail::global_generator builder(seed);
  for (int number = 0; number < global_instruction_count; ++number) {
    const global_instruction opcode = nth_global_instruction(number);
    builder.strides(opcode);
    builder.offsets(opcode);
    builder.warps_2d(opcode);
    builder.permutations(opcode);
    builder.random_addresses(opcode);
    builder.shared_elements(opcode);
    builder.masks(opcode);
  }
  return builder.take();
}

}  // namespace hardware

#endif
