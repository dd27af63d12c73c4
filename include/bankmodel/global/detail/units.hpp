// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_GLOBAL_DETAIL_UNITS_HPP
#define BANKMODEL_GLOBAL_DETAIL_UNITS_HPP

#include <bankmodel/model/request.hpp>

// The aligned units of memory that lanes touch.
namespace bankmodel::detail {

class touched_bytes {
 public:
  // Of these active lanes of the request.
  BANKMODEL_FN touched_bytes(const request& of, std::uint64_t lanes) : of_(of), lanes_(lanes) {}

  BANKMODEL_FN std::uint64_t all() const { return lanes_; }
  BANKMODEL_FN int bytes() const { return of_.bytes; }  // of a lane
  BANKMODEL_FN long long address(int lane) const { return of_.address[lane]; }

  // The number of different units of `unit` bytes, a power of two.
  BANKMODEL_FN int units(int unit) const {
    const int shift = trailing_zeros(static_cast<std::uint64_t>(unit));
    // Each lane touches two at most, unless units are smaller than an access.
    constexpr int most = 4 * max_lanes;
    long long seen[most];
    int count = 0;
    for (std::uint64_t rest = lanes_; rest != 0; rest &= rest - 1) {
      const long long first = of_.address[trailing_zeros(rest)],
                      last = (first + of_.bytes - 1) >> shift;
      for (long long one = first >> shift; one <= last; ++one) {
        // Most often the units of the lanes are in order.
        int at = count;
        if (count > 0 && one <= seen[count - 1])
          for (at = count - 1; at >= 0 && seen[at] > one;) --at;
        if (at >= 0 && at < count && seen[at] == one) continue;
        const int place = count > 0 && one < seen[count - 1] ? at + 1 : count;
        for (int move = count++; move > place; --move) seen[move] = seen[move - 1];
        seen[place] = one;
      }
    }
    return count;
  }
  // Accesses are aligned to their width, those of 12 bytes to 4.
  BANKMODEL_FN long long different_bytes() const {
    const int piece = of_.bytes == 12 ? 4 : of_.bytes;
    return static_cast<long long>(units(piece)) * piece;
  }

 private:
  const request& of_;
  std::uint64_t lanes_;
};

}  // namespace bankmodel::detail

#endif
