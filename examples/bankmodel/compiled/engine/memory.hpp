// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_ENGINE_MEMORY_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_ENGINE_MEMORY_HPP

#include <cstdint>
#include <vector>

#include "../code/code.hpp"

// The content of memory, byte by byte known or unknown.
namespace compiled {

constexpr int no_origin = -1;  // the origin of a known value

class tracked_bytes {
 public:
  tracked_bytes() = default;
  tracked_bytes(std::uint64_t bytes, int never_stored)
      : value_(bytes), origin_(bytes, never_stored) {}

  std::uint64_t size() const { return value_.size(); }

  struct content {
    std::uint64_t value = 0;
    int origin = no_origin;
  };
  // Of 1 to 8 bytes.
  content load(std::uint64_t at, int bytes) const;
  void store(std::uint64_t at, int bytes, std::uint64_t value);
  // Any number of bytes becomes unknown.
  void forget(std::uint64_t at, std::uint64_t bytes, int origin);

 private:
  std::vector<std::uint8_t> value_;
  std::vector<int> origin_;
};

// Which warp stored the bytes last, and since which barrier: what another warp reads before the
// next barrier depends on which of them is first.
class store_times {
 public:
  explicit store_times(std::uint64_t bytes) : times_(bytes, 0) {}

  void note(std::uint64_t at, std::uint64_t bytes, std::uint32_t time, int warp);
  // True if another warp stored one of these bytes at this time.
  bool by_another(std::uint64_t at, int bytes, std::uint32_t time, int warp) const;

 private:
  std::vector<std::uint32_t> times_;  // time * 64 + warp
};

// Where arrays in shared memory are: one after the other from byte 0, dynamic ones last, which all
// start at the same byte.
struct shared_layout {
  std::vector<std::uint64_t> first;  // of each array
  std::vector<std::uint64_t> bytes;
  std::uint64_t total = 0;

  // The array that has all these bytes; -1 if there is none.
  int array_at(std::uint64_t at, std::uint64_t size) const;
};
shared_layout laid_out(const std::vector<code_array>& shared, std::uint64_t dynamic_bytes);
inline shared_layout laid_out(const kernel_code& kernel, std::uint64_t dynamic_bytes) {
  return laid_out(kernel.shared, dynamic_bytes);
}

// Global addresses: each pointer among the parameters, and after them each array of the module,
// has 2^40 of them, half of them before its first byte.
constexpr std::uint64_t global_base(std::uint64_t number) { return (number + 1) << 40; }
// The number; -1 if the address is of none.
constexpr int global_number(std::uint64_t address) {
  const std::uint64_t rounded = (address + (std::uint64_t{1} << 39)) >> 40;
  return rounded == 0 || rounded >= (1u << 16) ? -1 : static_cast<int>(rounded) - 1;
}

}  // namespace compiled

#endif
