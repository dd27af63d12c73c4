// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_HARDWARE_DICE_HPP
#define BANKMODEL_TESTS_HARDWARE_DICE_HPP

#include <bankmodel/model/request.hpp>

#include <cstdint>
#include <string>
#include <utility>

// Random numbers, permutations and masks that are the same on every platform, and the checksum of
// a request. Measured files depend on all of them: never change one.
namespace hardware {

// splitmix64, since the distributions of <random> differ between libraries.
class dice {
 public:
  explicit dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  int draw(int end) { return static_cast<int>(next() % static_cast<std::uint64_t>(end)); }

 private:
  std::uint64_t state_;
};

// FNV-1a of the instruction's number, the active lanes and their addresses.
inline std::uint64_t checksum(std::uint64_t instruction, const bankmodel::request& asked) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&](std::uint64_t value) {
    for (int byte = 0; byte < 8; ++byte)
      hash = (hash ^ (value >> 8 * byte & 0xff)) * 0x100000001b3u;
  };
  add(instruction);
  add(asked.active);
  for (int lane = 0; lane < 32; ++lane)
    if ((asked.active >> lane & 1) != 0) add(static_cast<std::uint64_t>(asked.address[lane]));
  return hash;
}

inline void shuffle(int (&order)[32], dice& random) {
  for (int lane = 0; lane < 32; ++lane) order[lane] = lane;
  for (int end = 31; end > 0; --end) std::swap(order[end], order[random.draw(end + 1)]);
}

// At least one lane. `kind`: from 0 on; all above 10 are random.
inline std::uint32_t some_lanes(int kind, dice& random) {
  const int lane = random.draw(32);
  switch (kind) {
    case 0: return 1u << lane;
    case 1: return 0xffffffffu >> lane;
    case 2: return 0xffffffffu << lane;
    case 3: return 0x55555555;
    case 4: return 0xaaaaaaaa;
    case 5: return 0x0000ffff;
    case 6: return 0xffff0000;
    case 7: return 0xffu << lane / 8 * 8;
    case 8: return 0x33333333;
    case 9: return ~(1u << lane);
    case 10: return 0x11111111u << lane % 4;
    default: return static_cast<std::uint32_t>(random.next()) | 1u << lane;
  }
}

// "stride 3, offset 5"
template <class... Rest>
std::string label(const char* name, int value, Rest... rest) {
  std::string text = std::string(name) + " " + std::to_string(value);
  if constexpr (sizeof...(rest) > 0) text += ", " + label(rest...);
  return text;
}

}  // namespace hardware

#endif
