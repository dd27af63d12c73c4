// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_GLOBAL_CACHED_LOADS_HPP
#define BANKMODEL_GLOBAL_CACHED_LOADS_HPP

#include <bankmodel/model/machine.hpp>

// Loads of global memory through the first cache and past it. On compute capability 2.x and 3.x the
// first moves lines of 128 bytes, the second sectors of 32 bytes; the records have the default of
// each: through it on 2.x, past it on 3.x. Since 5.0 both move sectors.
// Source: CUDA C Programming Guide 4.2, F.4.2.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void the_first_cache_must_hold_global_memory(long long model) {
  detail::fail(__func__,
               "machine % has no loads of global memory through a first cache and past it that "
               "differ as they do on NVIDIA's since 2.0; use the record as it is",
               model);
}
}  // namespace rule

namespace detail {
BANKMODEL_FN machine with_rule_of_loads(machine m, coalescing loads) {
  if (m.made_by != vendor::nvidia || m.model < 20)
    rule::the_first_cache_must_hold_global_memory(m.model);
  if (m.model < 50) m.global.rule = loads;
  return m;
}
}  // namespace detail

// Returns the machine with loads through the first cache (ld.global.ca, -Xptxas -dlcm=ca).
// Requires: an NVIDIA record of compute capability 2.0 or later. Error: another machine.
// Example: one lane's 4 bytes:
//
//   constexpr request lane{.active = 1, .bytes = 4};
//   static_assert(traffic(nvidia::sm_35, lane).bytes_moved == 32);
//   static_assert(traffic(with_cached_loads(nvidia::sm_35), lane).bytes_moved == 128);
BANKMODEL_FN machine with_cached_loads(const machine& m) {
  return detail::with_rule_of_loads(m, coalescing::lines);
}

// Returns the machine with loads past the first cache (ld.global.cg, -Xptxas -dlcm=cg).
// Requires: an NVIDIA record of compute capability 2.0 or later. Error: another machine.
// Example: one lane's 4 bytes:
//
//   constexpr request lane{.active = 1, .bytes = 4};
//   constexpr machine fermi = nvidia::compute_capability(2, 0);
//   static_assert(traffic(fermi, lane).bytes_moved == 128);
//   static_assert(traffic(with_uncached_loads(fermi), lane).bytes_moved == 32);
BANKMODEL_FN machine with_uncached_loads(const machine& m) {
  return detail::with_rule_of_loads(m, coalescing::sectors);
}

}  // namespace bankmodel

#endif
