// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MODEL_COST_HPP
#define BANKMODEL_MODEL_COST_HPP

#include <bankmodel/core/arithmetic.hpp>

namespace bankmodel {

// How a total was counted. Both are exact.
enum class method : unsigned char {
  // requests that can only cost the same were counted together; the work does not grow with trips
  distinct_requests,
  each_request  // a loop had to be walked iteration by iteration
};

// What accesses cost. A column of float tile[32][32] read by one warp: 1 request, 32 wavefronts,
// ideal 1, degree 32.
struct cost {
  std::uint64_t requests = 0;    // load and store instructions that warps issue
  std::uint64_t wavefronts = 0;  // passes through shared memory that they take
  std::uint64_t ideal = 0;       // the fewest that the same requests could take with any layout
  // the worst n of an n-way conflict within one phase; 0 without requests
  int degree = 0;
  bankmodel::method method = bankmodel::method::distinct_requests;

  // Passes that a better layout could save: what the dissertation calls replays.
  BANKMODEL_FN std::uint64_t conflicts() const { return wavefronts - ideal; }

  // This `times` over. Refused if a count overflows.
  BANKMODEL_FN cost operator*(std::uint64_t times) const {
    if (times == 0) return {};
    return {detail::checked_count_product(requests, times),
            detail::checked_count_product(wavefronts, times),
            detail::checked_count_product(ideal, times), degree, method};
  }

  // Both, one after the other. Refused if a count overflows.
  BANKMODEL_FN cost operator+(const cost& other) const {
    return {detail::checked_count_sum(requests, other.requests),
            detail::checked_count_sum(wavefronts, other.wavefronts),
            detail::checked_count_sum(ideal, other.ideal),
            degree > other.degree ? degree : other.degree,
            method > other.method ? method : other.method};
  }

  bool operator==(const cost&) const = default;
};

}  // namespace bankmodel

#endif
