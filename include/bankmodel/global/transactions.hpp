// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_GLOBAL_TRANSACTIONS_HPP
#define BANKMODEL_GLOBAL_TRANSACTIONS_HPP

#include <bankmodel/global/detail/units.hpp>
#include <bankmodel/global/memory_traffic.hpp>

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
BANKMODEL_FN void require_global_memory(const global_memory& of) {
  const auto is_unit = [](int bytes) {
    return bytes >= 4 && bytes <= 256 && is_power_of_two(bytes);
  };
  if (!is_unit(of.sector_bytes) || !is_unit(of.line_bytes) || of.sector_bytes > of.line_bytes)
    rule::sectors_and_lines_must_be_powers_of_two(of.sector_bytes, of.line_bytes);
}

// True on machines that serve half-warps by segments, without a cache.
BANKMODEL_FN bool serves_half_warps(const global_memory& memory) {
  return same(memory.rule, coalescing::shrinking) || same(memory.rule, coalescing::in_order);
}
// Does nothing if a lane can access this many bytes of global memory: 1, 2, 4, 8 or 16, and 12 on
// machines that load 12 bytes from shared memory.
BANKMODEL_FN void require_width(const machine& m, int bytes) {
  const bool is_width = bytes == 12 ? m.has(12, access_kind::load)
                                    : bytes >= 1 && bytes <= 16 && is_power_of_two(bytes);
  if (!is_width) rule::the_machine_must_have_accesses_of_this_width(bytes);
}

// The transactions of lanes that are served together, and their bytes.
struct served_lanes {
  int transactions = 0, ideal = 0;
  long long bytes = 0;
};

BANKMODEL_FN served_lanes served_in_units(const touched_bytes& lanes, int unit) {
  served_lanes result;
  result.transactions = lanes.units(unit);
  result.ideal = static_cast<int>((lanes.different_bytes() + unit - 1) / unit);
  result.bytes = static_cast<long long>(result.transactions) * unit;
  return result;
}

BANKMODEL_FN served_lanes served_shrinking(const touched_bytes& lanes) {
  const int bytes = lanes.bytes(), segment = bytes == 1 ? 32 : bytes == 2 ? 64 : 128;
  served_lanes result;
  result.ideal = static_cast<int>((lanes.different_bytes() + segment - 1) / segment);
  for (std::uint64_t left = lanes.all(); left != 0;) {
    long long begin = lanes.address(trailing_zeros(left)) & -segment, size = segment;
    std::uint64_t served = 0;
    long long lowest = begin + segment, highest = begin;
    for (std::uint64_t rest = left; rest != 0; rest &= rest - 1) {
      const long long address = lanes.address(trailing_zeros(rest));
      if ((address & -segment) != begin) continue;
      served |= rest & -rest;
      if (address < lowest) lowest = address;
      if (address + bytes > highest) highest = address + bytes;
    }
    while (size > 32 && (lowest >= begin + size / 2 || highest <= begin + size / 2)) {
      size /= 2;
      if (lowest >= begin + size) begin += size;
    }
    ++result.transactions;
    result.bytes += size;
    left &= ~served;
  }
  return result;
}

// `first`: the lowest lane of the half-warp.
BANKMODEL_FN served_lanes served_in_order(const touched_bytes& lanes, int first) {
  const int bytes = lanes.bytes(), segment = bytes == 4 ? 64 : 128, segments = bytes == 16 ? 2 : 1;
  bool in_order = bytes >= 4 && bytes != 12;
  const int low = trailing_zeros(lanes.all());
  const long long begin = lanes.address(low) - static_cast<long long>(low - first) * bytes;
  in_order = in_order && (begin & (segment - 1)) == 0;
  for (std::uint64_t rest = lanes.all(); rest != 0 && in_order; rest &= rest - 1) {
    const int lane = trailing_zeros(rest);
    in_order = lanes.address(lane) == begin + static_cast<long long>(lane - first) * bytes;
  }
  served_lanes result;
  result.ideal = bytes >= 4 && bytes != 12 ? segments : 16;
  result.transactions = in_order ? segments : 16;
  result.bytes = in_order ? static_cast<long long>(segments) * segment : 16 * 32;
  return result;
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

// Requires: the machine's global memory is described.
BANKMODEL_FN memory_traffic count_transactions(const machine& m, const request& r) {
  const global_memory& memory = m.global;
  memory_traffic result;
  const std::uint64_t active = r.active & ~std::uint64_t{0} >> (max_lanes - m.lanes);
  if (active == 0) return result;
  result.requests = 1;
  const bool by_halves = serves_half_warps(memory);
  const int group = lanes_together(m, r.bytes);
  for (int first = 0; first < m.lanes; first += group) {
    const std::uint64_t together = ~std::uint64_t{0} >> (max_lanes - group) << first;
    if ((active & together) == 0) continue;
    const touched_bytes lanes(r, active & together);
    served_lanes one;
    if (same(memory.rule, coalescing::shrinking))
      one = served_shrinking(lanes);
    else if (same(memory.rule, coalescing::in_order))
      one = served_in_order(lanes, first);
    else
      one = served_in_units(lanes, unit_of(memory, r.kind));
    result.transactions += static_cast<std::uint64_t>(one.transactions);
    result.ideal += static_cast<std::uint64_t>(one.ideal);
    result.bytes_moved += static_cast<std::uint64_t>(one.bytes);
    if (!by_halves) result.lines += static_cast<std::uint64_t>(lanes.units(memory.line_bytes));
  }
  result.bytes_used = static_cast<std::uint64_t>(touched_bytes(r, active).different_bytes());
  return result;
}

}  // namespace detail

// Returns the traffic of one request to global memory on `m`; nothing if no lane is active.
// Error: the machine's global memory is not described; a request that only shared memory has, or
// of a width that the machine does not have; an access that is not aligned to its width; a negative
// address.
// Example: request r{.active = 0xffffffff, .bytes = 4} with r.address[lane] = 128 * lane on sm_90:
// 32 transactions, ideal 4.
BANKMODEL_FN memory_traffic traffic(const machine& m, const request& r) {
  m.require_valid();
  detail::require_global_memory(m.global);
  if (static_cast<int>(r.kind) > static_cast<int>(access_kind::atomic))
    rule::global_memory_has_loads_stores_and_atomics_only(static_cast<int>(r.kind));
  detail::require_width(m, r.bytes);
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

#endif
