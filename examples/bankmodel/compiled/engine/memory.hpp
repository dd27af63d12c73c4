// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../code/code.hpp"

// The content of memory, byte by byte known or unknown.
namespace compiled {

constexpr int no_origin = -1;  // the origin of a known value

// A value for each byte. All of them change in a time that does not grow with their number: an
// instruction that is not modelled may change all of a block's memory, once for each lane.
template <class Value>
class value_by_byte {
 public:
  value_by_byte() = default;
  value_by_byte(std::uint64_t bytes, Value initial)
      : fill_(initial), values_(bytes), written_((bytes + page - 1) / page) {}

  std::uint64_t size() const { return values_.size(); }
  Value operator[](std::uint64_t byte) const {
    return written_[byte / page] == time_ ? values_[byte] : fill_;
  }
  // Requires: first + count <= size().
  void fill(std::uint64_t first, std::uint64_t count, Value value) {
    if (count == size()) return fill_all(value);
    if (count == 0) return;
    for (std::uint64_t number = first / page; number <= (first + count - 1) / page; ++number)
      take(number);
    std::fill_n(values_.begin() + static_cast<std::ptrdiff_t>(first), count, value);
  }

 private:
  static constexpr std::uint64_t page = 256;  // bytes

  void fill_all(Value value) {
    fill_ = value;
    ++time_;
  }
  void take(std::uint64_t number) {
    if (written_[number] == time_) return;
    written_[number] = time_;
    std::fill_n(values_.begin() + static_cast<std::ptrdiff_t>(number * page),
                std::min(page, size() - number * page), fill_);
  }

  Value fill_{};                        // of the bytes of pages not written since fill_all()
  std::vector<Value> values_;           // of the others
  std::vector<std::uint64_t> written_;  // by page: time_ when it was written
  std::uint64_t time_ = 1;              // one more with each fill_all()
};

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
  content load(std::uint64_t first, int bytes) const;
  void store(std::uint64_t first, int bytes, std::uint64_t value);
  // Any number of bytes becomes unknown.
  void forget(std::uint64_t first, std::uint64_t bytes, int origin);

 private:
  std::vector<std::uint8_t> value_;
  value_by_byte<int> origin_;
};

// Which warp stored the bytes last, and since which barrier: what another warp reads before the
// next barrier depends on which of them is first.
class store_times {
 public:
  explicit store_times(std::uint64_t bytes) : times_(bytes, 0) {}

  void note(std::uint64_t first, std::uint64_t bytes, std::uint32_t time, int warp);
  // True if another warp stored one of these bytes at this time.
  bool by_another(std::uint64_t first, int bytes, std::uint32_t time, int warp) const;

 private:
  value_by_byte<std::uint32_t> times_;  // time * 64 + warp
};

// Where arrays in shared memory are: one after the other from byte 0, dynamic ones last, which all
// start at the same byte.
struct shared_layout {
  std::vector<std::uint64_t> first;  // of each array
  std::vector<std::uint64_t> bytes;
  std::uint64_t total = 0;

  // The array that has all these bytes; -1 if there is none.
  int array_at(std::uint64_t byte, std::uint64_t size) const;
};

// The array with the addresses of these lanes, -1 if they are in several, and the first lane
// without one, -1 if each has one. `derived_from`: the array that they must not leave; -1: any.
struct placed_lanes {
  int array = -1, outside = -1;
};
placed_lanes placed(const shared_layout& layout, int derived_from, std::uint64_t lanes,
                    const std::uint64_t* address, std::uint64_t size);

shared_layout laid_out(const std::vector<code_array>& shared, std::uint64_t dynamic_bytes);
inline shared_layout laid_out(const kernel_code& kernel, std::uint64_t dynamic_bytes) {
  return laid_out(kernel.shared, dynamic_bytes);
}

// Global addresses: each pointer among the parameters, and after them each array of the module,
// has 2^40 of them, half of them before its first byte.
// Of addresses in global memory: the arguments, and the arrays of the module behind them.
placed_lanes placed_in_global(int arrays, std::uint64_t lanes, const std::uint64_t* address);
inline int arrays_in_global(const kernel_code& kernel) {
  return static_cast<int>(kernel.parameters.size() + kernel.globals.size());
}

constexpr std::uint64_t global_base(std::uint64_t number) { return (number + 1) << 40; }
// The number; -1 if the address is of none.
constexpr int global_number(std::uint64_t address) {
  const std::uint64_t rounded = (address + (std::uint64_t{1} << 39)) >> 40;
  return rounded == 0 || rounded >= (1u << 16) ? -1 : static_cast<int>(rounded) - 1;
}

}  // namespace compiled
