// SPDX-License-Identifier: MIT
// Built with -fno-exceptions: without_exceptions <step>.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include <cstdio>
#include <cstdlib>

#if defined(__cpp_exceptions)
#error "this program is to be compiled with -fno-exceptions"
#endif

namespace bm = bankmodel;
using namespace bm::index;

int main(int argc, char** argv) {
  const int step = argc > 1 ? std::atoi(argv[1]) : 0;
  const auto a = bm::shared_array<float>("a", 64);
  const auto cost = bm::total(bm::nvidia::sm_90, bm::block_dim{32},
                              bm::for_loop(j, bm::range(0, 32, step), a[tx + j]));
  std::printf("still here, %d\n", static_cast<int>(cost.requests));
  return cost.requests == 4 ? 0 : 1;
}
