// SPDX-License-Identifier: MIT
// The cost of one request with addresses from a trace, a profiler or a compiler instead of an
// expression.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/report.hpp>
#include <cstdio>

namespace bm = bankmodel;

int main() {
  // Byte addresses of a warp that reads from a lookup table; its last four lanes are inactive.
  constexpr int traced[28] = {0,   128,  512,  4,   8,   8,   260, 1024, 132,  12,
                              640, 516,  1028, 16,  384, 388, 20,  768,  1032, 392,
                              24,  1536, 28,   896, 32,  900, 36,  2048};
  bm::request request{.active = 0x0fffffff, .bytes = 4, .kind = bm::access_kind::load};
  for (int lane = 0; lane < 28; ++lane) request.address[lane] = traced[lane];

  for (const auto& machine :
       {bm::nvidia::sm_35, bm::nvidia::sm_35.with_bank_width(8), bm::nvidia::sm_90})
    std::printf("%-20s %2d wavefronts\n", bm::text(machine).c_str(),
                bm::wavefronts(machine, request));

  // The same as a float4 per lane: addresses must be multiples of 16, and a quarter of the warp
  // is served at a time.
  request.bytes = 16;
  for (int lane = 0; lane < 28; ++lane) request.address[lane] = traced[lane] / 16 * 16;
  const auto wide = bm::total(bm::nvidia::sm_90, request);
  std::printf("16 bytes a lane on sm_90: %d wavefronts, at least %d, worst phase %d-way\n",
              static_cast<int>(wide.wavefronts), static_cast<int>(wide.ideal), wide.degree);
}
