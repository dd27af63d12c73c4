// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXPLAIN_SEGMENTS_HPP
#define BANKMODEL_EXPLAIN_SEGMENTS_HPP

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
  static constexpr int capacity = 4 * max_lanes;
  int count = 0;
  segment each[capacity] = {};
};

namespace detail {

// The different bytes of a transaction that its lanes touch.
BANKMODEL_FN int used_bytes(const request& r, const transaction& transfer) {
  bool touched[256] = {};
  int used = 0;
  for (std::uint64_t rest = transfer.lanes; rest != 0; rest &= rest - 1) {
    const long long address = r.address[trailing_zeros(rest)] - transfer.begin;
    for (long long byte = address; byte < address + r.bytes; ++byte) {
      if (byte < 0 || byte >= transfer.bytes || touched[byte]) continue;
      touched[byte] = true;
      ++used;
    }
  }
  return used;
}

}  // namespace detail

// Returns the transactions of one request on `m`: as many as traffic(m, r) counts, with as many
// bytes. (On compute capability 1.0 and 1.1 a half-warp that is not in order makes 16; here are
// those of its active lanes.)
// Error: as for traffic(m, r).
// Example: 32 lanes that load 4 bytes at 4 * lane + 4:
//
//   request r{.active = 0xffffffff, .bytes = 4};
//   for (int lane = 0; lane < 32; ++lane) r.address[lane] = 4 * lane + 4;
//   const auto found = segments_of(nvidia::sm_90, r);
//   assert(found.count == 5 && found.each[4].begin == 128 && found.each[4].bytes == 32);
//   assert(found.each[0].lanes == 0x7f && found.each[0].used == 28);
BANKMODEL_FN request_segments segments_of(const machine& m, const request& r) {
  request_segments result;
  if (traffic(m, r).requests == 0) return result;
  detail::for_each_transaction(m, r, [&](const detail::transaction& transfer) {
    if (transfer.begin >= 0)
      result.each[result.count++] = {transfer.begin, transfer.bytes,
                                     detail::used_bytes(r, transfer), transfer.lanes};
  });
  return result;
}

}  // namespace bankmodel

#endif
