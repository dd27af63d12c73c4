// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_GLOBAL_DETAIL_UNITS_HPP
#define BANKMODEL_GLOBAL_DETAIL_UNITS_HPP

#include <bankmodel/model/request.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The aligned units of memory that lanes touch.
namespace bankmodel::detail {

// The different units of a request's lanes, in the order of the lowest lane of each.
class touched_units {
 public:
  // Of these active lanes; `unit` is a power of two, in bytes.
  BANKMODEL_FN touched_units(const request& warp_request, std::uint64_t lanes, int unit) {
    for (; lanes != 0; lanes &= lanes - 1) {
      const long long address = warp_request.address[trailing_zeros(lanes)];
      for (long long begin = address & -unit; begin < address + warp_request.bytes; begin += unit) {
        const int index = place_of(begin);
        lanes_[index] |= lanes & (0 - lanes);
      }
    }
  }

  BANKMODEL_FN int count() const { return count_; }
  BANKMODEL_FN long long begin(int index) const { return begin_[index]; }
  BANKMODEL_FN std::uint64_t lanes(int index) const { return lanes_[index]; }

 private:
  BANKMODEL_FN int place_of(long long begin) {
    // Most often the addresses of the lanes ascend or descend.
    if (count_ > 0 && begin <= highest_ && begin >= lowest_)
      for (int index = count_ - 1; index >= 0; --index)
        if (begin_[index] == begin) return index;
    if (count_ == 0 || begin < lowest_) lowest_ = begin;
    if (count_ == 0 || begin > highest_) highest_ = begin;
    begin_[count_] = begin;
    lanes_[count_] = 0;
    return count_++;
  }

  // A lane touches at most four units: accesses have at most 16 bytes, units at least 4 or, for
  // accesses below 4 bytes, the bytes of an access.
  static constexpr int capacity = 4 * max_lanes;

  int count_ = 0;
  long long lowest_ = 0, highest_ = 0;  // of begin_
  long long begin_[capacity];
  std::uint64_t lanes_[capacity];
};

// The number of different bytes that these lanes touch. Accesses are aligned to their width, those
// of 12 bytes to 4.
BANKMODEL_FN long long different_bytes(const request& warp_request, std::uint64_t lanes) {
  const int piece = warp_request.bytes == 12 ? 4 : warp_request.bytes;
  return static_cast<long long>(touched_units(warp_request, lanes, piece).count()) * piece;
}

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
