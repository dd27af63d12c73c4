// SPDX-License-Identifier: MIT
// Resident blocks inside a kernel: in static_asserts, and with run-time numbers.
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/model/occupancy.hpp>

namespace bm = bankmodel;

template <int Threads, int Bytes>
__global__ void kernel(int bytes, int* blocks, long long* largest) {
  static_assert(
      bm::resident(bm::nvidia::sm_90, {.threads = Threads, .shared_bytes = Bytes}).blocks >= 8);
  static_assert(bm::largest_shared_bytes(bm::nvidia::sm_90, Threads, 8) >= Bytes);
  constexpr bm::machine machine = bm::nvidia::sm_90;
  const bm::occupancy found = bm::resident(machine, {Threads, bytes, 32});
  *blocks = found.fits() ? found.blocks : 0;
  *largest = bm::largest_shared_bytes(machine, Threads, *blocks);
}

int main() {
  int* blocks = nullptr;
  long long* largest = nullptr;
  kernel<256, 16384><<<1, 1>>>(16384, blocks, largest);
}
