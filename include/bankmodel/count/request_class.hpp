// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_REQUEST_CLASS_HPP
#define BANKMODEL_COUNT_REQUEST_CLASS_HPP

#include <bankmodel/core/arithmetic.hpp>
#include <bankmodel/model/request.hpp>

namespace bankmodel {

// `trips` bases, each `step` bytes after the previous one.
struct progression {
  long long step = 0, trips = 1;
};

// Requests with the same lanes that differ only in their base. Counting, a search and a picture
// need no more than this of a loop nest, whether it comes from an expression, a compiled kernel or
// a trace.
//
// for (i < 8) a[2 * tx + 64 * i] of float by one warp of 32 lanes, a at byte 1024, is one class:
// lanes.active 0xffffffff, lanes.address[lane] = 8 * lane, base 1024, loop[0] = {256, 8}, loops 1,
// times 1. It stands for 8 requests.
struct request_class {
  // Active lanes, bytes and kind of access; address[lane] is the distance in bytes from the base.
  request lanes = {};
  long long base = 0;  // of the first request, in bytes from the start of shared memory
  // The bases are base + k * loop[0].step + l * loop[1].step + .. for k in [0, loop[0].trips) and
  // so on.
  static constexpr int max_loops = 9;
  progression loop[max_loops] = {};
  int loops = 0;
  std::uint64_t times = 1;  // how often each of these requests is made; 1 or more
};

namespace detail {
#if defined(__CUDACC__)
#pragma nv_exec_check_disable  // a visitor may be for the host alone
#endif
template <class Visit>
BANKMODEL_FN bool visit_bases(const progression* loop, int loops, long long base,
                              std::uint64_t times, Visit& visit) {
  if (loops == 0) return visit(base, times);
  if (loop->step == 0)
    return visit_bases(loop + 1, loops - 1, base,
                       checked_count_product(times, static_cast<std::uint64_t>(loop->trips)),
                       visit);
  for (long long trip = 1;; ++trip, base += loop->step) {
    if (!visit_bases(loop + 1, loops - 1, base, times, visit)) return false;
    if (trip >= loop->trips) return true;
  }
}
}  // namespace detail

// Calls visit(base, times) for the base of each request of a class, until it returns false. `times`
// is how often that request is made: loops of step 0 repeat it. Two loops may give one base twice.
// Requires: each loop has 1 or more trips.
// Error: `times` overflows 64 bits.
// Example: base 64, loops {4, 2} and {0, 3}, times 5: visit(64, 15) and visit(68, 15).
template <class Visit>
BANKMODEL_FN void for_each_base(const request_class& of, Visit&& visit) {
  (void)detail::visit_bases(of.loop, of.loops, of.base, of.times, visit);
}

}  // namespace bankmodel

#endif
