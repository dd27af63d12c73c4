// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REPORT_DETAIL_WORST_REQUEST_HPP
#define BANKMODEL_REPORT_DETAIL_WORST_REQUEST_HPP

#include <bankmodel/count/request_classes.hpp>

// The worst request of request classes, and the worst phase of a request.
namespace bankmodel::detail {

// Returns the first request of a class with the class's highest degree, in the order of nested
// loops, loop[0] being the outermost. It computes totals of fewer and fewer bases, log2(trips) of
// them per loop. Error: as for total(m, request_class).
BANKMODEL_FN request worst_request_of(const machine& m, request_class of) {
  of.times = 1;
  const int degree = total(m, of).degree;
  for (int at = 0; at < of.loops; ++at) {
    progression& loop = of.loop[at];
    long long low = 1, high = loop.trips;
    while (low < high) {
      loop.trips = low + (high - low) / 2;
      if (total(m, of).degree == degree)
        high = loop.trips;
      else
        low = loop.trips + 1;
    }
    loop.trips = 1;
    of.base = checked_add(of.base, checked_multiply(low - 1, loop.step));
  }
  request result;
  result.bytes = of.lanes.bytes;
  result.kind = of.lanes.kind;
  result.active = of.lanes.active;
  for (std::uint64_t rest = result.active; rest != 0; rest &= rest - 1) {
    const int lane = trailing_zeros(rest);
    result.address[lane] = checked_add(of.base, of.lanes.address[lane]);
  }
  return result;
}

// Returns the number of the first class with the highest degree; 0 if none has a request.
BANKMODEL_FN int worst_class_of(const machine& m, const request_class* classes, int count) {
  int worst = 0, degree = 0;
  for (int at = 0; at < count; ++at) {
    const int here = total(m, classes[at]).degree;
    if (here > degree) degree = here, worst = at;
  }
  return worst;
}

// A phase of a request, and which piece of its accesses, as bytes after their start.
struct phase_of_request {
  int phase = 0, offset_bytes = 0;
};

// Returns the first phase of the highest degree, and in it the first piece.
BANKMODEL_FN phase_of_request worst_phase_of(const machine& m, const request& r) {
  const service how = m.served(r.bytes, r.kind);
  const geometry banks = m.banks(r.bytes, r.kind);
  const lane_groups phases = phases_of(m, how, r);
  const int piece = how.bytes_at_a_time(r.bytes);
  phase_of_request result;
  int worst = 0;
  for (int phase = 0; phase < 1 << phases.bits(); ++phase)
    for (int offset = 0; offset < r.bytes; offset += piece) {
      long long address[max_lanes] = {};
      int in_bank[max_banks];
      const int count = gather(r, r.active & phases.lanes_of(phase), offset, m.lanes, address);
      if (count == 0) break;
      const int degree = count_passes_of_phase(how.serves, banks, address, count, piece, in_bank);
      if (degree > worst) worst = degree, result = {phase, offset};
    }
  return result;
}

}  // namespace bankmodel::detail

#endif
