// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_REQUEST_TAKER_HPP
#define BANKMODEL_COUNT_REQUEST_TAKER_HPP

#include <bankmodel/count/request_class.hpp>
#include <bankmodel/layout/layout.hpp>

// The interface between the split step and the pricing of its requests.
namespace bankmodel::detail {

// The lanes of a request, relative to a base. Members that are not set are not read.
struct lane_pattern {
  std::uint64_t active = 0;
  // true: the lowest active lane is at the base, and lanes are `stride` bytes apart;
  // false: each active lane is `offset` bytes after the base.
  bool in_line = false;
  long long stride = 0;
  long long offset[max_lanes];
};

struct interval;

// The amounts by which the subscripts of any request differ from each lane to the next. Not known
// if they differ between requests, or between lanes.
struct lane_steps {
  bool known = false;
  long long step[max_rank] = {};
};

// Where the requests of one add() are made.
struct request_source {
  request_place first;
  // The distances between lanes are those of the access's linear forms. Else they may be others
  // with the same costs: at another position, or without an XOR that permutes banks.
  bool is_linear = false;
  lane_steps lanes;                            // of all requests of the access
  place_step steps[request_class::max_loops];  // what a step of each progression advances
  // If the last progression is a loop whose trips vary with an outer one: both, and the positions
  // of the outer loop, begin + k * spacing. Else nullptr.
  const interval *inner = nullptr, *outer = nullptr;
  long long begin = 0, spacing = 1;
};

class request_taker {
 public:
  request_source* source = nullptr;  // set before each add(), if it is there
  long long work = 0;                // steps of clang that it took, if it counts them
  bool full = false;                 // it ignores all further requests

  // The number of different bases of a request, in elements, that may differ in cost; 0 if all may.
  BANKMODEL_FN int residues() const { return residues_; }
  // The bytes modulo which only the bases matter to the taker; 0 if it needs the bases themselves.
  BANKMODEL_FN int modulus() const { return modulus_; }

  // True if these lanes are known to be the same to the taker at every base.
  BANKMODEL_FN virtual bool ignores_base(const lane_pattern&) { return false; }

  // Takes requests with these lanes at base + k * step for k in [0, trips) of each progression, in
  // all combinations, each `times` times.
  BANKMODEL_FN virtual void add(const lane_pattern& lanes, long long base, const progression* loops,
                                int depth, std::uint64_t times) = 0;

 protected:
  ~request_taker() = default;
  int residues_ = 2, modulus_ = 0;
};

}  // namespace bankmodel::detail

#endif
