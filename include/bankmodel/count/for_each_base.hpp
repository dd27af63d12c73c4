// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_FOR_EACH_BASE_HPP
#define BANKMODEL_COUNT_FOR_EACH_BASE_HPP

#include <bankmodel/core/arithmetic.hpp>
#include <bankmodel/count/request_class.hpp>

// The requests of a request class one by one.
namespace bankmodel {

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
// Example:
//
//   const request_class requests{.base = 64, .loop = {{4, 2}, {0, 3}}, .loops = 2, .times = 5};
//   std::map<long long, std::uint64_t> visited;
//   for_each_base(requests, [&](long long base, std::uint64_t times) {
//     visited[base] += times;
//     return true;
//   });
//   assert((visited == std::map<long long, std::uint64_t>{{64, 15}, {68, 15}}));
template <class Visit>
BANKMODEL_FN void for_each_base(const request_class& requests, Visit&& visit) {
  (void)detail::visit_bases(requests.loop, requests.loops, requests.base, requests.times, visit);
}

}  // namespace bankmodel

#endif
