// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_GLOBAL_DETAIL_TRANSACTION_PLACES_HPP
#define BANKMODEL_GLOBAL_DETAIL_TRANSACTION_PLACES_HPP

#include <bankmodel/global/transactions.hpp>

// The addresses of the transactions that global/transactions.hpp counts.
namespace bankmodel::detail {

// visit(address) for each unit of `unit` bytes that these lanes touch, once.
template <class Visit>
BANKMODEL_FN void visit_units(const request& r, std::uint64_t lanes, int unit, Visit& visit) {
  long long seen[4 * max_lanes];  // in ascending order
  int count = 0;
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const long long first = r.address[trailing_zeros(rest)], last = first + r.bytes - 1;
    for (long long one = first & -unit; one <= last; one += unit) {
      int at = count;
      while (at > 0 && seen[at - 1] > one) --at;
      if (at > 0 && seen[at - 1] == one) continue;
      for (int move = count++; move > at; --move) seen[move] = seen[move - 1];
      seen[at] = one;
      visit(one);
    }
  }
}

// visit(address) for each segment of a half-warp on 1.2 and 1.3. Shrinking moves a segment's
// beginning at most within the segment, so it stays in its partition.
template <class Visit>
BANKMODEL_FN void visit_segments(const request& r, std::uint64_t lanes, Visit& visit) {
  visit_units(r, lanes, r.bytes == 1 ? 32 : r.bytes == 2 ? 64 : 128, visit);
}

// visit(address) for each transaction of a half-warp on 1.0 and 1.1 that starts with lane `first`;
// those of inactive lanes are left out.
template <class Visit>
BANKMODEL_FN void visit_in_order(const request& r, std::uint64_t lanes, int first, Visit& visit) {
  const int segments = r.bytes == 16 ? 2 : 1;
  if (served_in_order(touched_bytes(r, lanes), first).transactions == segments) {
    const int low = trailing_zeros(lanes);
    const long long begin = r.address[low] - static_cast<long long>(low - first) * r.bytes;
    for (int at = 0; at < segments; ++at) visit(begin + 128 * at);
    return;
  }
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1)
    visit(r.address[trailing_zeros(rest)] & -32ll);
}

// Calls visit(address) for each transaction of a request, with an address in it.
// Requires: the machine's global memory is described.
template <class Visit>
BANKMODEL_FN void for_each_transaction(const machine& m, const request& r, Visit&& visit) {
  const global_memory& memory = m.global;
  const bool by_halves =
      same(memory.rule, coalescing::shrinking) || same(memory.rule, coalescing::in_order);
  const bool by_lines = same(memory.rule, coalescing::lines) && same(r.kind, access_kind::load);
  int group = m.lanes;
  if (by_halves) group = 16;
  if (memory.bytes_together != 0 && group * r.bytes > memory.bytes_together)
    group = memory.bytes_together / r.bytes > 0 ? memory.bytes_together / r.bytes : 1;
  for (int first = 0; first < m.lanes; first += group) {
    const std::uint64_t lanes = r.active & ~std::uint64_t{0} >> (max_lanes - group) << first;
    if (lanes == 0) continue;
    if (same(memory.rule, coalescing::shrinking))
      visit_segments(r, lanes, visit);
    else if (same(memory.rule, coalescing::in_order))
      visit_in_order(r, lanes, first, visit);
    else
      visit_units(r, lanes, by_lines ? memory.line_bytes : memory.sector_bytes, visit);
  }
}

}  // namespace bankmodel::detail

#endif
