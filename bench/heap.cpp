// SPDX-License-Identifier: MIT
#include "heap.hpp"

#include <cstdlib>
#include <new>

namespace {
long allocations = 0;  // one thread measures
}

void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace bench {

long heap_allocations() { return allocations; }

}  // namespace bench
