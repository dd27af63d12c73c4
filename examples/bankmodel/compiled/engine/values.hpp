// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "../code/code.hpp"

// The values of a warp's lanes, which are known or unknown.
namespace compiled {

constexpr int most_lanes = 64;

// A mask of the low bits: low_bits(3) is 7.
constexpr std::uint64_t low_bits(int count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}
constexpr std::uint64_t sign_extended(std::uint64_t value, int bits) {
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  return ((value & low_bits(bits)) ^ sign) - sign;
}
constexpr bool has(std::uint64_t mask, int lane) { return (mask >> lane & 1) != 0; }

// Calls do_for(lane) for the lanes of a mask, lowest first. All lanes are a plain loop.
template <class Do>
void for_each_lane(std::uint64_t mask, const Do& do_for) {
  if ((mask & (mask + 1)) == 0) {
    const int count = std::popcount(mask);
    for (int lane = 0; lane < count; ++lane) do_for(lane);
    return;
  }
  for (; mask != 0; mask &= mask - 1) do_for(std::countr_zero(mask));
}

// The lanes of a mask for which the condition holds.
template <class Condition>
std::uint64_t lanes_where(std::uint64_t mask, const Condition& holds) {
  std::uint64_t result = 0;
  for_each_lane(mask, [&](int lane) {
    if (holds(lane)) result |= std::uint64_t{1} << lane;
  });
  return result;
}
template <class Condition>
bool is_true_for_all(std::uint64_t mask, const Condition& holds) {
  return lanes_where(mask, holds) == mask;
}

// One value in each lane, to read.
struct lane_values {
  const std::uint64_t* value = nullptr;
  std::uint64_t unknown = 0;  // a mask of lanes
  int origin = 0;             // of the unknown ones

  std::uint64_t operator[](int lane) const { return value[lane]; }
  // True if these lanes have the same value.
  bool is_same(std::uint64_t lanes) const {
    return is_true_for_all(lanes,
                           [&](int lane) { return value[lane] == value[std::countr_zero(lanes)]; });
  }
};

// The lanes whose values are one unknown number, the base, and a known distance, which
// register_file has as their value.
struct unknown_base {
  std::uint64_t lanes = 0;   // a mask
  std::uint64_t number = 0;  // registers with the same number have the same base
  int zeros = 0;             // its lowest bits that are 0
};

// The registers of a warp.
class register_file {
 public:
  register_file(int registers, int lanes, int never_written)
      : lanes_(static_cast<std::size_t>(lanes)),
        values_(static_cast<std::size_t>(registers) * lanes_),
        unknown_(static_cast<std::size_t>(registers), ~std::uint64_t{0}),
        origins_(static_cast<std::size_t>(registers), never_written),
        bases_(static_cast<std::size_t>(registers)) {}

  lane_values operator[](int number) const {
    const auto index = static_cast<std::size_t>(number);
    return {values_.data() + index * lanes_, unknown_[index], origins_[index]};
  }
  std::uint64_t* values(int number) {
    return values_.data() + static_cast<std::size_t>(number) * lanes_;
  }

  // Of the lanes in `written`, those in `unknown` became unknown, the others known.
  void mark(int number, std::uint64_t written, std::uint64_t unknown, int origin) {
    const auto index = static_cast<std::size_t>(number);
    unknown_[index] = (unknown_[index] & ~written) | (unknown & written);
    if ((unknown & written) != 0) origins_[index] = origin;
    bases_[index].lanes &= ~written;
  }
  // Of lanes that are unknown.
  void set_base(int number, const unknown_base& base) { bases_[slot(number)] = base; }
  const unknown_base& base(int number) const { return bases_[slot(number)]; }

 private:
  std::size_t lanes_;
  std::vector<std::uint64_t> values_, unknown_;
  std::vector<int> origins_;
  std::vector<unknown_base> bases_;
};

// Values that no lane writes: constants, thread numbers.
struct fixed_values {
  std::vector<std::uint64_t> value;
  std::uint64_t unknown = 0;
  int origin = 0;

  operator lane_values() const { return {value.data(), unknown, origin}; }
};

}  // namespace compiled
