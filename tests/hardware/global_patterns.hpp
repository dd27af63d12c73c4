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

inline const global_description& describe(global_instruction which) {
  using bankmodel::access_kind;
  static constexpr global_description all[global_instruction_count] = {
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
  return all[static_cast<int>(which)];
}

inline global_instruction nth_global_instruction(int at) {
  return static_cast<global_instruction>(at);
}

inline bool find_instruction(std::string_view name, global_instruction& found) {
  for (int at = 0; at < global_instruction_count; ++at)
    if (name == describe(nth_global_instruction(at)).name) {
      found = nth_global_instruction(at);
      return true;
    }
  return false;
}

constexpr int global_window = 65536;  // bytes that the patterns access

struct global_pattern {
  int id = 0;
  std::string family, label;  // as in struct pattern
  global_instruction by = global_instruction::global_load_4;
  bankmodel::request asked = {};
};

inline std::uint64_t checksum(const global_pattern& p) {
  return checksum(static_cast<std::uint64_t>(p.by), p.asked);
}

namespace detail {

// The first byte that each lane accesses, from the start of the buffer.
struct places {
  long long of[32] = {};
};

class global_generator {
 public:
  explicit global_generator(std::uint64_t seed) : seed_(seed) {}
  std::vector<global_pattern> take() { return std::move(patterns_); }

  // From the start of a line, and from one other element in it.
  void strides(global_instruction by) {
    for (int stride = 0; stride <= 40; ++stride) {
      add(by, "strides", label("stride", stride, "offset", 0), line(by, stride, 0));
      const int width = describe(by).bytes, offset = (1 + roll().below(128 / width - 1)) * width;
      add(by, "strides", label("stride", stride, "offset", offset), line(by, stride, offset));
    }
  }

  // From every word of a line: neighbours, and with a stride that is odd and one that is even.
  void offsets(global_instruction by) {
    const int step = describe(by).bytes > 4 ? describe(by).bytes : 4;
    for (const int stride : {1, 3, 8})
      for (int offset = step; offset < 128; offset += step)
        add(by, "offsets in a line", label("stride", stride, "offset", offset),
            line(by, stride, offset));
  }

  // A warp of x columns and 32 / x rows of threads.
  void warps_2d(global_instruction by) {
    for (int x = 2; x <= 16; x *= 2)
      for (int time = 0; time < 4; ++time) {
        dice random = roll();
        const int pitch = 17 + random.below(500), offset = random.below(64);
        places where;
        for (int lane = 0; lane < 32; ++lane)
          where.of[lane] = (offset + lane / x * pitch + lane % x) * describe(by).bytes;
        add(by, "2D warps", label("columns", x, "pitch", pitch, "offset", offset), where);
      }
  }

  void permutations(global_instruction by) {
    for (int time = 0; time < 8; ++time) {
      dice random = roll();
      const int stride = 1 + random.below(time < 4 ? 1 : 33), offset = random.below(64);
      int order[32];
      shuffle(order, random);
      places where;
      for (int lane = 0; lane < 32; ++lane)
        where.of[lane] = (offset + order[lane] * stride) * describe(by).bytes;
      add(by, "permutations", label("stride", stride, "offset", offset), where);
    }
  }

  void random_addresses(global_instruction by) {
    for (int range = 2; range <= 4096; range *= 2)
      for (int time = 0; time < 2; ++time) {
        dice random = roll();
        add(by, "random addresses", label("below", range), anywhere(by, range, random));
      }
  }

  // Groups of lanes with the same element: neighbours, or every n-th lane.
  void shared_elements(global_instruction by) {
    for (int together = 2; together <= 32; together *= 2)
      for (const bool interleaved : {false, true}) {
        const int stride = 1 + roll().below(40);
        places where;
        for (int lane = 0; lane < 32; ++lane)
          where.of[lane] = (interleaved ? lane % together : lane / together) * stride *
                           static_cast<long long>(describe(by).bytes);
        add(by, "shared elements",
            label(interleaved ? "different" : "together", together, "stride", stride), where);
      }
  }

  void masks(global_instruction by) {
    for (int time = 0; time < 28; ++time) {
      dice random = roll();
      const int stride = random.below(40), range = 16 << random.below(7);
      const bool in_line = time % 2 == 0;
      const places where = in_line ? line(by, stride, 0) : anywhere(by, range, random);
      add(by, "partial masks", in_line ? label("stride", stride) : label("below", range), where,
          some_lanes(time / 2, random));
    }
  }

 private:
  dice roll() const { return dice(dice(seed_ + patterns_.size()).next()); }

  void add(global_instruction by, const char* family, std::string text, const places& where,
           std::uint32_t mask = 0xffffffff) {
    global_pattern p;
    p.id = static_cast<int>(patterns_.size());
    p.family = family;
    p.label = std::move(text);
    p.by = by;
    p.asked.bytes = describe(by).bytes;
    p.asked.kind = describe(by).kind;
    p.asked.active = mask;
    for (int lane = 0; lane < 32; ++lane) p.asked.address[lane] = where.of[lane] % global_window;
    patterns_.push_back(std::move(p));
  }

  // `stride` in elements, `offset` in bytes.
  static places line(global_instruction by, int stride, int offset) {
    places where;
    for (int lane = 0; lane < 32; ++lane)
      where.of[lane] = offset + static_cast<long long>(lane) * stride * describe(by).bytes;
    return where;
  }
  static places anywhere(global_instruction by, int range, dice& random) {
    places where;
    for (long long& one : where.of) one = random.below(range) * describe(by).bytes;
    return where;
  }

  std::uint64_t seed_;
  std::vector<global_pattern> patterns_;
};

}  // namespace detail

inline std::vector<global_pattern> all_global_patterns(std::uint64_t seed = first_seed) {
  detail::global_generator all(seed);
  for (int at = 0; at < global_instruction_count; ++at) {
    const global_instruction by = nth_global_instruction(at);
    all.strides(by);
    all.offsets(by);
    all.warps_2d(by);
    all.permutations(by);
    all.random_addresses(by);
    all.shared_elements(by);
    all.masks(by);
  }
  return all.take();
}

}  // namespace hardware

#endif
