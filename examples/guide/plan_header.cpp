// SPDX-License-Identifier: MIT
// A kernel's side of a plan that the command line wrote as a header.
#include <bankmodel/tile.hpp>

#include <cstdio>

#include "transpose_plan.hpp"  // bankmodel --plan-header transpose_plan.hpp transpose.kernel

namespace bm = bankmodel;

int main() {
  bm::tile<float, transpose_plan::tile_layout> t;  // float t[32][33]; in a kernel __shared__
  t(1, 0) = 1;
  std::printf("%d bytes, t(1, 0) is element %d\n", t.size_bytes,
              static_cast<int>(&t(1, 0) - t.data()));
}
