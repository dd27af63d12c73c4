// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXPLAIN_WORST_REQUEST_HPP
#define BANKMODEL_EXPLAIN_WORST_REQUEST_HPP

#include <bankmodel/count/degrees_by_base.hpp>
#include <bankmodel/count/request_classes.hpp>
#include <bankmodel/explain/detail/worst_base.hpp>

// The worst request of a request class.
namespace bankmodel::detail {

// The cost of a class, and its first request with the class's highest degree, in the order of
// nested loops, loop[0] being the outermost.
struct worst_of_class {
  cost sum;
  long long steps[request_class::max_loops] = {};  // of each loop to that request

  // Error: as for total(m, request_class).
  BANKMODEL_FN worst_of_class(const machine& m, const request_class& requests) {
    lane_pattern lanes;
    if (!read_lanes(m, requests, lanes)) return;
    const int bytes = requests.lanes.bytes, element_bytes = bytes == 12 ? 4 : bytes;
    degrees_by_base degrees(m, bytes, requests.lanes.kind, element_bytes);
    price& costs = degrees.costs();
    costs.add(lanes, 0, requests.loop, requests.loops, requests.times);
    int order[request_class::max_loops] = {}, depth = 0;
    for (int loop = 0; loop < requests.loops; ++loop)
      if (requests.loop[loop].trips > 1) order[depth++] = loop;
    worst_base<degrees_by_base> worst(degrees, costs.residues(), costs.modulus(), element_bytes);
    (void)worst.find(0, requests.loop, order, depth);
    for (int loop = 0; loop < requests.loops; ++loop) steps[loop] = worst.steps[loop];
    sum = degrees.sum();
  }

  // Returns that request. Requires: `requests` is the class.
  BANKMODEL_FN request worst(const request_class& requests) const {
    long long base = requests.base;
    for (int loop = 0; loop < requests.loops; ++loop)
      base += steps[loop] * requests.loop[loop].step;
    request result;
    result.bytes = requests.lanes.bytes;
    result.kind = requests.lanes.kind;
    result.active = requests.lanes.active;
    for (std::uint64_t rest = result.active; rest != 0; rest &= rest - 1)
      result.address[trailing_zeros(rest)] = base + requests.lanes.address[trailing_zeros(rest)];
    return result;
  }
};

}  // namespace bankmodel::detail

#endif
