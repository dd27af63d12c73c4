// SPDX-License-Identifier: MIT
// The transactions of one request to global memory, written a second time from the rules alone
// (CUDA C Programming Guide 4.2, F.3.2 and F.4.2); it includes nothing of the library.
#ifndef BANKMODEL_TESTS_TRANSACTION_ORACLE_HPP
#define BANKMODEL_TESTS_TRANSACTION_ORACLE_HPP
#include <map>
#include <set>

namespace global_oracle {

// How lanes share transactions, by the first compute capability of each rule.
enum class sharing { of_1_0, of_1_2, of_2_0, of_3_0 };

struct memory {
  sharing rule;
  long long sector = 32, line = 128;  // bytes
  long long group_bytes = 0;  // bytes of lanes that are served together, 128 in 2.x and 3.x; 0: all
};
struct moved {
  long long requests = 0, transactions = 0, ideal = 0, lines = 0, used = 0, bytes = 0;
  bool operator==(const moved&) const = default;
};
using addresses = std::map<int, long long>;  // of the active lanes, by lane
inline long long start_of(long long address, long long unit) {
  return address - (address % unit + unit) % unit;
}

// The aligned units that the lanes touch, by their first bytes.
inline std::set<long long> units(const addresses& lanes, long long bytes, long long unit) {
  std::set<long long> result;
  for (const auto& [lane, address] : lanes)
    for (long long start = start_of(address, unit); start < address + bytes; start += unit)
      result.insert(start);
  return result;
}
inline long long count(const addresses& lanes, long long bytes, long long unit) {
  return static_cast<long long>(units(lanes, bytes, unit).size());
}
// Addresses are multiples of 4, or of 1 or 2 if accesses are that narrow.
inline long long different_bytes(const addresses& lanes, long long bytes) {
  return bytes < 4 ? count(lanes, bytes, bytes) * bytes : count(lanes, bytes, 4) * 4;
}
// The fewest units that could hold the different bytes.
inline long long fewest(const addresses& lanes, long long bytes, long long unit) {
  return (different_bytes(lanes, bytes) + unit - 1) / unit;
}

// A half-warp from lane `first` on.
inline void serve_1_0(moved& sum, const addresses& lanes, long long bytes, int first) {
  const bool word = bytes == 4 || bytes == 8 || bytes == 16;
  const long long segment = bytes == 4 ? 64 : 128, segments = bytes == 16 ? 2 : 1;
  const long long begin = lanes.begin()->second - (lanes.begin()->first - first) * bytes;
  bool in_order = word && start_of(begin, segment) == begin;
  for (const auto& [lane, address] : lanes)
    in_order = in_order && address == begin + (lane - first) * bytes;
  sum.transactions += in_order ? segments : 16;
  sum.ideal += word ? segments : 16;
  sum.bytes += in_order ? segments * segment : 16 * 32;
}

// A half-warp.
inline void serve_1_2(moved& sum, addresses lanes, long long bytes) {
  const long long segment = bytes == 1 ? 32 : bytes == 2 ? 64 : 128;
  sum.ideal += fewest(lanes, bytes, segment);
  for (; !lanes.empty(); ++sum.transactions) {
    const long long begin = start_of(lanes.begin()->second, segment);
    std::set<long long> used;  // pieces of 32 bytes
    std::erase_if(lanes, [&](const auto& lane) {
      if (start_of(lane.second, segment) != begin) return false;
      used.merge(units({lane}, bytes, 32));
      return true;
    });
    long long size = segment;
    while (size > 32 && start_of(*used.begin(), size / 2) == start_of(*used.rbegin(), size / 2))
      size /= 2;
    sum.bytes += size;
  }
}

inline moved request(const memory& rules, const addresses& lanes, long long bytes, bool load) {
  moved sum{lanes.empty() ? 0 : 1, 0, 0, 0, different_bytes(lanes, bytes), 0};
  const bool halves = rules.rule == sharing::of_1_0 || rules.rule == sharing::of_1_2;
  const long long unit = rules.rule == sharing::of_2_0 && load ? rules.line : rules.sector;
  const int group = halves                   ? 16
                    : rules.group_bytes != 0 ? static_cast<int>(rules.group_bytes / bytes)
                                             : 64;
  for (int first = 0; first < 64; first += group) {
    const addresses served(lanes.lower_bound(first), lanes.lower_bound(first + group));
    if (served.empty()) continue;
    if (rules.rule == sharing::of_1_0) serve_1_0(sum, served, bytes, first);
    if (rules.rule == sharing::of_1_2) serve_1_2(sum, served, bytes);
    if (halves) continue;
    sum.transactions += count(served, bytes, unit);
    sum.bytes += count(served, bytes, unit) * unit;
    sum.ideal += fewest(served, bytes, unit);
    sum.lines += count(served, bytes, rules.line);
  }
  return sum;
}

}  // namespace global_oracle

#endif
