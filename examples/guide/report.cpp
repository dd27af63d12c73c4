// SPDX-License-Identifier: MIT
// Prints the cost of each access of a kernel.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/report.hpp>
#include <cstdio>

namespace bm = bankmodel;
using namespace bm::index;

constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
constexpr auto line = bm::shared_array<float>("line", 1024);
constexpr auto kernel = bm::kernel(
    bm::block_dim{32, 8}, bm::store(bm::for_loop(j, bm::range(0, 32, 8), tile[ty + j][tx])),
    bm::load(bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j])),
    bm::load(bm::vectorized<4>(line[4 * tid])), bm::if_threads(tid < 48, bm::load(line[2 * tid])));

namespace {

void print(const char* label, const bm::cost& cost) {
  std::printf("%-50s  %8s  %10s  %5s  %9s  %6d\n", label, bm::grouped(cost.requests).c_str(),
              bm::grouped(cost.wavefronts).c_str(), bm::grouped(cost.ideal).c_str(),
              bm::grouped(cost.conflicts()).c_str(), cost.degree);
}

}  // namespace

int main() {
  const auto& machine = bm::nvidia::sm_90;
  std::printf("%-50s  requests  wavefronts  ideal  conflicts  degree\n", bm::text(machine).c_str());
  bm::for_each_access(kernel, [&](const auto& access) {
    print(bm::text(access).c_str(), bm::total(machine, kernel.block, access));
  });
  print("the kernel", bm::total(machine, kernel));
}
