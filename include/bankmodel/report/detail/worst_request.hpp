// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REPORT_DETAIL_WORST_REQUEST_HPP
#define BANKMODEL_REPORT_DETAIL_WORST_REQUEST_HPP

#include <bankmodel/count/degrees_by_base.hpp>
#include <bankmodel/count/request_classes.hpp>
#include <bankmodel/report/detail/worst_base.hpp>

// The worst request of a request class.
namespace bankmodel::detail {

// The cost of a class, and its first request with the class's highest degree, in the order of
// nested loops, loop[0] being the outermost.
struct worst_of_class {
  cost all;
  long long steps[request_class::max_loops] = {};  // of each loop to that request

  // Error: as for total(m, request_class).
  BANKMODEL_FN worst_of_class(const machine& m, const request_class& of) {
    lane_pattern lanes;
    if (!read_lanes(m, of, lanes)) return;
    const int bytes = of.lanes.bytes, element_bytes = bytes == 12 ? 4 : bytes;
    degrees_by_base degrees(m, bytes, of.lanes.kind, element_bytes);
    price& costs = degrees.costs();
    costs.add(lanes, 0, of.loop, of.loops, of.times);
    int order[request_class::max_loops] = {}, depth = 0;
    for (int at = 0; at < of.loops; ++at)
      if (of.loop[at].trips > 1) order[depth++] = at;
    worst_base<degrees_by_base> worst(degrees, costs.residues(), costs.modulus(), element_bytes);
    (void)worst.find(0, of.loop, order, depth);
    for (int at = 0; at < of.loops; ++at) steps[at] = worst.steps[at];
    all = degrees.sum();
  }

  // Returns that request. Requires: `of` is the class.
  BANKMODEL_FN request worst(const request_class& of) const {
    long long base = of.base;
    for (int at = 0; at < of.loops; ++at) base += steps[at] * of.loop[at].step;
    request result;
    result.bytes = of.lanes.bytes;
    result.kind = of.lanes.kind;
    result.active = of.lanes.active;
    for (std::uint64_t rest = result.active; rest != 0; rest &= rest - 1)
      result.address[trailing_zeros(rest)] = base + of.lanes.address[trailing_zeros(rest)];
    return result;
  }
};

}  // namespace bankmodel::detail

#endif
