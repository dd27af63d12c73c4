// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_GLOBAL_TRANSACTIONS_HPP
#define BANKMODEL_GLOBAL_TRANSACTIONS_HPP

#include <bankmodel/global/detail/units.hpp>
#include <bankmodel/global/memory_traffic.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The model of global memory: the transactions of one request.
//
// Memory is moved in aligned units: sectors of 32 bytes and lines of 128 bytes on NVIDIA's
// machines. Which units a request moves depends on the generation (coalescing, in
// model/machine.hpp):
//
//   sectors    5.0 and later, AMD, and 3.x: each sector that its lanes touch, once. Before 5.0,
//   lanes
//              of 8 and 16 bytes are served in two and four groups, each by itself.
//   lines      2.x: the same for loads, in whole lines.
//   shrinking  1.2 and 1.3, for each half-warp: the segment of the lowest lane that is not served,
//              32, 64 or 128 bytes for words of 1, 2 or more bytes, with all lanes in it; if only
//              one half of the segment is used, only this half, twice at most, not below 32 bytes.
//   in_order   1.0 and 1.1, for each half-warp: one segment (two for 16 bytes) if lane k accesses
//              word k of it, words of 4, 8 or 16 bytes; else 16 transactions of 32 bytes.
//
// Source: CUDA C Programming Guide 4.2, F.3.2 and F.4.2; for sectors NVIDIA's answer in forum
// thread 285476.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void sectors_and_lines_must_be_powers_of_two(long long sector,
                                                                       long long line) {
  detail::fail(__func__,
               "the machine's global memory has sectors of % bytes in lines of %; set "
               ".global.sector_bytes and .global.line_bytes to powers of two of 4 to 256, the line "
               "not below the sector",
               sector, line);
}
[[noreturn]] BANKMODEL_FN void global_memory_has_loads_stores_and_atomics_only(long long kind) {
  detail::fail(__func__,
               "an access of kind % (ldmatrix, stmatrix, ds_read2 and ds_read_tr) is one of shared "
               "memory; describe its array with shared_array()",
               kind);
}
}  // namespace rule

namespace detail {

// Does nothing if the machine's global memory is described.
BANKMODEL_FN void require_global_memory(const global_memory& memory) {
  const auto is_unit = [](int bytes) {
    return bytes >= 4 && bytes <= 256 && is_power_of_two(bytes);
  };
  if (!is_unit(memory.sector_bytes) || !is_unit(memory.line_bytes) ||
      memory.sector_bytes > memory.line_bytes)
    rule::sectors_and_lines_must_be_powers_of_two(memory.sector_bytes, memory.line_bytes);
}

// True on machines that serve half-warps by segments, without a cache.
BANKMODEL_FN bool serves_half_warps(const global_memory& memory) {
  return same(memory.rule, coalescing::shrinking) || same(memory.rule, coalescing::in_order);
}
// Does nothing if the machine's global memory is described and has accesses of this kind and width:
// 1, 2, 4, 8 or 16 bytes per lane, 32 since 10.0, and 12 on machines that load 12 bytes from shared
// memory. (There is no rule for 12 bytes on 1.2 and 1.3, which have no such access.)
BANKMODEL_FN void require_global_access(const machine& m, access_kind kind, int bytes) {
  require_global_memory(m.global);
  if (static_cast<int>(kind) > static_cast<int>(access_kind::atomic))
    rule::global_memory_has_loads_stores_and_atomics_only(static_cast<int>(kind));
  const bool is_width =
      bytes == 12 ? m.has(12, access_kind::load) && !same(m.global.rule, coalescing::shrinking)
                  : bytes >= 1 && bytes <= m.global.most_bytes && is_power_of_two(bytes);
  if (!is_width) rule::the_machine_must_have_accesses_of_this_width(bytes);
}

// The lanes that are served together.
BANKMODEL_FN int lanes_together(const machine& m, int bytes) {
  const global_memory& memory = m.global;
  const int lanes = serves_half_warps(memory) ? 16 : m.lanes;
  if (memory.bytes_together == 0 || lanes * bytes <= memory.bytes_together) return lanes;
  return memory.bytes_together > bytes ? memory.bytes_together / bytes : 1;
}
// The bytes of a transaction, except of half-warps.
BANKMODEL_FN int unit_of(const global_memory& memory, access_kind kind) {
  const bool by_lines = same(memory.rule, coalescing::lines) && same(kind, access_kind::load);
  return by_lines ? memory.line_bytes : memory.sector_bytes;
}

// One transaction: `bytes` bytes from `begin` on, for these lanes. If `begin` is negative, its
// address is not known.
struct transaction {
  long long begin;
  int bytes;
  std::uint64_t lanes;
};

template <class Visit>
BANKMODEL_FN void visit_units(const request& r, std::uint64_t lanes, int unit, Visit& visit) {
  const touched_units units(r, lanes, unit);
  for (int index = 0; index < units.count(); ++index)
    visit(transaction{units.begin(index), unit, units.lanes(index)});
}

BANKMODEL_FN int shrinking_segment(int bytes) { return bytes == 1 ? 32 : bytes == 2 ? 64 : 128; }
template <class Visit>
BANKMODEL_FN void visit_shrinking(const request& r, std::uint64_t lanes, Visit& visit) {
  const int segment = shrinking_segment(r.bytes);
  while (lanes != 0) {
    transaction transfer{r.address[trailing_zeros(lanes)] & -segment, segment, 0};
    long long lowest = transfer.begin + segment, highest = transfer.begin;
    for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
      const long long address = r.address[trailing_zeros(rest)];
      if ((address & -segment) != transfer.begin) continue;
      transfer.lanes |= rest & (0 - rest);
      if (address < lowest) lowest = address;
      if (address + r.bytes > highest) highest = address + r.bytes;
    }
    lanes &= ~transfer.lanes;
    while (transfer.bytes > 32 && (lowest >= transfer.begin + transfer.bytes / 2 ||
                                   highest <= transfer.begin + transfer.bytes / 2)) {
      transfer.bytes /= 2;
      if (lowest >= transfer.begin + transfer.bytes) transfer.begin += transfer.bytes;
    }
    visit(static_cast<const transaction&>(transfer));
  }
}

// The segments of a half-warp in order; 0 for widths that are never in order.
BANKMODEL_FN int segments_in_order(int bytes) {
  return bytes < 4 || bytes == 12 ? 0 : bytes == 16 ? 2 : 1;
}
// `first`: the lowest lane of the half-warp.
template <class Visit>
BANKMODEL_FN void visit_in_order(const request& r, std::uint64_t lanes, int first, Visit& visit) {
  const int segments = segments_in_order(r.bytes), segment = r.bytes == 4 ? 64 : 128,
            low = trailing_zeros(lanes);
  const long long begin = r.address[low] - static_cast<long long>(low - first) * r.bytes;
  bool in_order = segments != 0 && (begin & (segment - 1)) == 0;
  for (std::uint64_t rest = lanes; rest != 0 && in_order; rest &= rest - 1) {
    const int lane = trailing_zeros(rest);
    in_order = r.address[lane] == begin + static_cast<long long>(lane - first) * r.bytes;
  }
  const int count = in_order ? segments : 16, part_lanes = 16 / count;  // lanes of a transaction
  for (int part = 0; part < count; ++part) {
    const std::uint64_t own = lanes & ~std::uint64_t{0} >> (64 - part_lanes)
                                                               << (first + part * part_lanes);
    if (in_order)
      visit(transaction{begin + part * segment, segment, own});
    else
      visit(transaction{own == 0 ? -1 : r.address[first + part] & -32, 32, own});
  }
}

// Calls visit(first, lanes) for each group of active lanes that are served together; `first` is the
// lowest lane that the group may have.
template <class Visit>
BANKMODEL_FN void for_each_group(const machine& m, const request& r, Visit&& visit) {
  const int group = lanes_together(m, r.bytes);
  for (int first = 0; first < m.lanes; first += group) {
    const int group_lanes = group < m.lanes - first ? group : m.lanes - first;
    const std::uint64_t lanes = r.active & ~std::uint64_t{0} >> (max_lanes - group_lanes) << first;
    if (lanes != 0) visit(first, lanes);
  }
}
template <class Visit>
BANKMODEL_FN void visit_group(const global_memory& memory, const request& r, int first,
                              std::uint64_t lanes, Visit& visit) {
  if (same(memory.rule, coalescing::shrinking))
    visit_shrinking(r, lanes, visit);
  else if (same(memory.rule, coalescing::in_order))
    visit_in_order(r, lanes, first, visit);
  else
    visit_units(r, lanes, unit_of(memory, r.kind), visit);
}
// Calls visit(transaction) for each transaction of a request.
// Requires: the machine's global memory is described.
template <class Visit>
BANKMODEL_FN void for_each_transaction(const machine& m, const request& r, Visit&& visit) {
  for_each_group(
      m, r, [&](int first, std::uint64_t lanes) { visit_group(m.global, r, first, lanes, visit); });
}

// The fewest transactions that could hold the bytes of these lanes.
BANKMODEL_FN std::uint64_t fewest_transactions(const global_memory& memory, const request& r,
                                               std::uint64_t lanes) {
  if (same(memory.rule, coalescing::in_order)) {
    const int segments = segments_in_order(r.bytes);
    return static_cast<std::uint64_t>(segments != 0 ? segments : 16);
  }
  const int unit = same(memory.rule, coalescing::shrinking) ? shrinking_segment(r.bytes)
                                                            : unit_of(memory, r.kind);
  return static_cast<std::uint64_t>((different_bytes(r, lanes) + unit - 1) / unit);
}

// Requires: the machine's global memory is described; only lanes of the machine are active.
BANKMODEL_FN memory_traffic count_transactions(const machine& m, const request& r) {
  memory_traffic result;
  if (r.active == 0) return result;
  result.requests = 1;
  result.bytes_used = static_cast<std::uint64_t>(different_bytes(r, r.active));
  const auto count = [&](const transaction& transfer) {
    ++result.transactions;
    result.bytes_moved += static_cast<std::uint64_t>(transfer.bytes);
  };
  for_each_group(m, r, [&](int first, std::uint64_t lanes) {
    visit_group(m.global, r, first, lanes, count);
    result.ideal += fewest_transactions(m.global, r, lanes);
    if (!serves_half_warps(m.global))
      result.lines +=
          static_cast<std::uint64_t>(touched_units(r, lanes, m.global.line_bytes).count());
  });
  return result;
}

}  // namespace detail

// Returns the traffic of one request to global memory on `m`; nothing if no lane is active.
// Error: the machine's global memory is not described; a request that only shared memory has, or
// of a width that the machine does not have; an access that is not aligned to its width; a negative
// address.
// Example:
//
//   request r{.active = 0xffffffff, .bytes = 4};
//   for (int lane = 0; lane < 32; ++lane) r.address[lane] = 128 * lane;
//   assert(traffic(nvidia::sm_90, r).transactions == 32 && traffic(nvidia::sm_90, r).ideal == 4);
BANKMODEL_FN memory_traffic traffic(const machine& m, const request& r) {
  m.require_valid();
  detail::require_global_access(m, r.kind, r.bytes);
  const int aligned = r.bytes == 12 ? 4 : r.bytes;
  if (m.lanes < max_lanes && r.active >> m.lanes != 0)
    rule::active_lanes_must_be_of_the_warp(detail::highest_bit(r.active), m.lanes);
  for (std::uint64_t rest = r.active; rest != 0; rest &= rest - 1) {
    const int lane = detail::trailing_zeros(rest);
    if (r.address[lane] < 0)
      rule::addresses_of_a_request_must_not_be_negative(lane, r.address[lane]);
    if ((r.address[lane] & (aligned - 1)) != 0)
      rule::accesses_must_be_aligned_to_their_width(r.address[lane], r.bytes);
  }
  return detail::count_transactions(m, r);
}

}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
