// SPDX-License-Identifier: MIT
// The swizzle of another library as a subscript. It XORs bits of an element's number into lower
// bits.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/report.hpp>
#include <cstdio>

namespace bm = bankmodel;
using namespace bm::index;

// cute::Swizzle<Bits, Base, Shift> for a positive Shift, of numbers and of subscripts.
template <int Bits, int Base, int Shift, class Element>
BANKMODEL_FN auto swizzled(Element element) {
  return element ^ ((element >> Shift) & (((1 << Bits) - 1) << Base));
}

static_assert(swizzled<5, 0, 5>(32) == 33);  // row 1, column 0 is stored at row 1, column 1

constexpr auto tile = bm::shared_array<float>("tile", 1024);  // 32 rows of 32
constexpr auto plain = bm::load(bm::for_loop(j, bm::range(0, 32, 8), tile[32 * tx + ty + j]));
constexpr auto permuted =
    bm::load(bm::for_loop(j, bm::range(0, 32, 8), tile[swizzled<5, 0, 5>(32 * tx + ty + j)]));

int main() {
  const auto block = bm::block_dim{32, 8};
  for (const auto& cost :
       {bm::total(bm::nvidia::sm_90, block, plain), bm::total(bm::nvidia::sm_90, block, permuted)})
    std::printf("%3d conflicts, %2d-way\n", static_cast<int>(cost.conflicts()), cost.degree);
  std::printf("%s\n", bm::text(permuted).c_str());
}
