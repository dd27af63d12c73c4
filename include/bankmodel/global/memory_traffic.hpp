// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_GLOBAL_MEMORY_TRAFFIC_HPP
#define BANKMODEL_GLOBAL_MEMORY_TRAFFIC_HPP

#include <bankmodel/model/cost.hpp>

namespace bankmodel {

// The cost of accesses to global memory. A column of float in[1024][1024] read by one warp on
// sm_90: 1 request, 32 transactions, ideal 4, 32 lines, 128 bytes used of 1024 moved.
struct memory_traffic {
  std::uint64_t requests = 0;      // load, store and atomic instructions that warps issue
  std::uint64_t transactions = 0;  // sectors, lines or segments that they move
  std::uint64_t ideal = 0;         // the fewest that could hold the bytes that each request uses
  std::uint64_t lines = 0;         // lines that the first cache looks up; 0 on machines without one
  // The different bytes that the lanes of each request touch, and the bytes of all transactions.
  std::uint64_t bytes_used = 0, bytes_moved = 0;
  bankmodel::method method = bankmodel::method::distinct_requests;

  // The traffic of doing this `times` times. Error: a count overflows 64 bits.
  BANKMODEL_FN memory_traffic operator*(std::uint64_t times) const {
    if (times == 0) return {};
    const auto product = [times](std::uint64_t count) {
      return detail::checked_count_product(count, times);
    };
    return {product(requests),   product(transactions), product(ideal), product(lines),
            product(bytes_used), product(bytes_moved),  method};
  }
  // The traffic of both. Error: a count overflows 64 bits.
  BANKMODEL_FN memory_traffic operator+(const memory_traffic& other) const {
    return {detail::checked_count_sum(requests, other.requests),
            detail::checked_count_sum(transactions, other.transactions),
            detail::checked_count_sum(ideal, other.ideal),
            detail::checked_count_sum(lines, other.lines),
            detail::checked_count_sum(bytes_used, other.bytes_used),
            detail::checked_count_sum(bytes_moved, other.bytes_moved),
            static_cast<int>(method) > static_cast<int>(other.method) ? method : other.method};
  }
  // True if both are the same, however they were counted.
  BANKMODEL_FN bool operator==(const memory_traffic& other) const {
    return requests == other.requests && transactions == other.transactions &&
           ideal == other.ideal && lines == other.lines && bytes_used == other.bytes_used &&
           bytes_moved == other.bytes_moved;
  }
};

}  // namespace bankmodel

#endif
