// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REPORT_SEGMENTS_HPP
#define BANKMODEL_REPORT_SEGMENTS_HPP

#include <bankmodel/global/transactions.hpp>

// The transactions of one request to global memory one by one, with the lanes that each serves.
namespace bankmodel {

// One transaction: `bytes` bytes from address `begin` on.
struct segment {
  long long begin = 0;
  int bytes = 0;
  int used = 0;             // the different bytes of it that its lanes touch
  std::uint64_t lanes = 0;  // lane 0 in bit 0
};

// The transactions of a request, in the order of the lowest lane of each.
struct request_segments {
  static constexpr int most = 4 * max_lanes;
  int count = 0;
  segment each[most] = {};
};

namespace detail {

class segment_list {
 public:
  BANKMODEL_FN segment_list(const request& of) : of_(of) {}
  BANKMODEL_FN const request_segments& found() const { return found_; }

  BANKMODEL_FN void add(long long begin, int bytes, std::uint64_t lanes) {
    bool touched[256] = {};
    segment& one = found_.each[found_.count++];
    one = {begin, bytes, 0, lanes};
    for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
      const long long address = of_.address[trailing_zeros(rest)];
      for (long long byte = address; byte < address + of_.bytes; ++byte) {
        if (byte < begin || byte >= begin + bytes || touched[byte - begin]) continue;
        touched[byte - begin] = true;
        ++one.used;
      }
    }
  }

  // Each aligned unit that these lanes touch, once.
  BANKMODEL_FN void add_units(std::uint64_t lanes, int unit) {
    for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
      const long long address = of_.address[trailing_zeros(rest)];
      for (long long begin = address & -unit; begin < address + of_.bytes; begin += unit)
        if (!touches(lanes & ~rest, begin, unit)) add(begin, unit, touching(lanes, begin, unit));
    }
  }

  // Compute capability 1.2 and 1.3: as served_shrinking() of transactions.hpp.
  BANKMODEL_FN void add_shrinking(std::uint64_t left) {
    const int whole = of_.bytes == 1 ? 32 : of_.bytes == 2 ? 64 : 128;
    while (left != 0) {
      long long begin = of_.address[trailing_zeros(left)] & -whole;
      int bytes = whole;
      std::uint64_t served = 0;
      for (std::uint64_t rest = left; rest != 0; rest &= rest - 1)
        if ((of_.address[trailing_zeros(rest)] & -whole) == begin) served |= rest & (0 - rest);
      while (bytes > 32) {
        const bool low = touches(served, begin, bytes / 2),
                   high = touches(served, begin + bytes / 2, bytes / 2);
        if (low && high) break;
        bytes /= 2;
        if (high) begin += bytes;
      }
      add(begin, bytes, served);
      left &= ~served;
    }
  }

  // Compute capability 1.0 and 1.1: whole segments if they are as few as `transactions`, else 32
  // bytes for each lane.
  BANKMODEL_FN void add_in_order(std::uint64_t lanes, std::uint64_t transactions) {
    if (transactions <= 2) {
      add_units(lanes, of_.bytes == 4 ? 64 : 128);
      return;
    }
    for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1)
      add(of_.address[trailing_zeros(rest)] & -32, 32, rest & (0 - rest));
  }

 private:
  BANKMODEL_FN std::uint64_t touching(std::uint64_t lanes, long long begin, int bytes) const {
    std::uint64_t result = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
      const long long address = of_.address[trailing_zeros(lanes)];
      if (address < begin + bytes && address + of_.bytes > begin) result |= lanes & (0 - lanes);
    }
    return result;
  }
  BANKMODEL_FN bool touches(std::uint64_t lanes, long long begin, int bytes) const {
    return touching(lanes, begin, bytes) != 0;
  }

  const request& of_;
  request_segments found_;
};

}  // namespace detail

// Returns the transactions of one request on `m`: as many as traffic(m, r) counts, with as many
// bytes. (On compute capability 1.0 and 1.1 a half-warp that is not in order makes 16; here are
// those of its active lanes.)
// Error: as for traffic(m, r).
// Example: 32 lanes that load 4 bytes at 4 * lane + 4, on nvidia::sm_90: 5 sectors of 32 bytes, at
// bytes 0, 32, .. 128; the lanes of the first are 0 to 6, with 28 bytes used.
BANKMODEL_FN request_segments segments_of(const machine& m, const request& r) {
  const memory_traffic all = traffic(m, r);
  detail::segment_list list(r);
  if (all.requests == 0) return list.found();
  const global_memory& memory = m.global;
  const bool shrinks = memory.rule == coalescing::shrinking,
             in_order = memory.rule == coalescing::in_order,
             by_lines = memory.rule == coalescing::lines && r.kind == access_kind::load;
  int group = shrinks || in_order ? 16 : m.lanes;
  if (memory.bytes_together != 0 && group * r.bytes > memory.bytes_together)
    group = memory.bytes_together / r.bytes > 0 ? memory.bytes_together / r.bytes : 1;
  for (int first = 0; first < m.lanes; first += group) {
    const std::uint64_t lanes = r.active & ~std::uint64_t{0} >> (max_lanes - group) << first;
    if (lanes == 0) continue;
    if (shrinks) {
      list.add_shrinking(lanes);
    } else if (in_order) {
      request part = r;
      part.active = lanes;
      list.add_in_order(lanes, traffic(m, part).transactions);
    } else {
      list.add_units(lanes, by_lines ? memory.line_bytes : memory.sector_bytes);
    }
  }
  return list.found();
}

}  // namespace bankmodel

#endif
