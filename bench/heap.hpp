// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_BENCH_HEAP_HPP
#define BANKMODEL_BENCH_HEAP_HPP

namespace bench {

// The number of calls of operator new that this program has made.
long heap_allocations();

// Those that one call makes.
template <class Call>
long allocations_of(const Call& call) {
  const long begin = heap_allocations();
  call();
  return heap_allocations() - begin;
}

}  // namespace bench

#endif
