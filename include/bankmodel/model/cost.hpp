// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MODEL_COST_HPP
#define BANKMODEL_MODEL_COST_HPP

#include <bankmodel/core/arithmetic.hpp>

namespace bankmodel {

// How a total was counted. Both methods are exact.
enum class method : unsigned char {
  // Requests of equal cost were counted once and multiplied; the work does not grow with trip
  // counts.
  distinct_requests,
  each_request  // a loop was enumerated iteration by iteration
};

// The cost of accesses. A column of float tile[32][32] read by one warp: 1 request, 32
// wavefronts, ideal 1, degree 32, 31 conflicts.
struct cost {
  std::uint64_t requests = 0;    // load and store instructions that warps issue
  std::uint64_t wavefronts = 0;  // passes through shared memory that they take
  std::uint64_t ideal = 0;       // the fewest that the same requests could take with any layout
  int degree = 0;  // the largest n of an n-way conflict in any phase; 0 without requests
  bankmodel::method method = bankmodel::method::distinct_requests;

  // The passes that a better layout could save: wavefronts - ideal (the dissertation's
  // replays).
  BANKMODEL_FN std::uint64_t conflicts() const { return wavefronts - ideal; }

  // The cost of doing this `times` times.
  // Error: a count overflows 64 bits.
  BANKMODEL_FN cost operator*(std::uint64_t times) const {
    if (times == 0) return {};
    return {detail::checked_count_product(requests, times),
            detail::checked_count_product(wavefronts, times),
            detail::checked_count_product(ideal, times), degree, method};
  }

  // The cost of both; the degree is the larger one.
  // Error: a count overflows 64 bits.
  BANKMODEL_FN cost operator+(const cost& other) const {
    return {detail::checked_count_sum(requests, other.requests),
            detail::checked_count_sum(wavefronts, other.wavefronts),
            detail::checked_count_sum(ideal, other.ideal),
            degree > other.degree ? degree : other.degree,
            static_cast<int>(method) > static_cast<int>(other.method) ? method : other.method};
  }

  // True if both cost the same, however they were counted.
  BANKMODEL_FN bool operator==(const cost& other) const {
    return requests == other.requests && wavefronts == other.wavefronts && ideal == other.ideal &&
           degree == other.degree;
  }
};

}  // namespace bankmodel

#endif
