// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_ONE_KERNEL_ON_NINE_HPP
#define BANKMODEL_EXAMPLES_ONE_KERNEL_ON_NINE_HPP

#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>
#include <bankmodel/report.hpp>
#include <cstdio>
#include <string>

// A table of the demo: the operand tile of a matrix product, 16 rows of 64 halves, on
// nine machines.
namespace one_kernel_on_nine {

namespace bm = bankmodel;
using bm::index::i, bm::index::k, bm::index::tid;

// 64 threads write 16 bytes each, row by row; then each reads 16 bytes of row tid % 16, as the
// lanes of a matrix unit do.
inline auto kernel_with(const bm::array_description& tile) {
  return bm::kernel(bm::block_dim{64},
                    bm::store(bm::for_loop(i, bm::range(0, 16, 8),
                                           bm::vectorized<8>(tile[i + tid / 8][tid % 8 * 8]))),
                    bm::load(bm::for_loop(k, bm::range(0, 64, 32),
                                          bm::vectorized<8>(tile[tid % 16][k + tid / 16 * 8]))));
}

inline const char* sureness(bm::confidence sure) {
  return sure == bm::confidence::high ? "high" : sure == bm::confidence::medium ? "medium" : "low";
}

inline void print_machine(const bm::machine& m) {
  const auto unpadded = kernel_with(bm::shared_array<short>("tile", 16, 64)),
             padded = kernel_with(bm::shared_array<short>("tile", 16, 72));
  const auto plan = bm::optimize(m, unpadded);
  const bm::cost previous = bm::total(m, unpadded), changed = plan.after();
  const bm::confidence load = m.loads.bytes_16.sure, store = m.stores.bytes_16.sure;
  std::string declare = bm::text(plan.layout(0));
  if (plan.bank_width() != m.bank_width)
    declare += ", " + std::to_string(plan.bank_width()) + "-byte banks";
  std::printf("%-21s | %8s %5s | %8s %9s %9s | %6lld | %-6s | tile%s%s\n", bm::text(m).c_str(),
              bm::grouped(previous.requests).c_str(), bm::grouped(previous.ideal).c_str(),
              bm::grouped(previous.wavefronts).c_str(),
              bm::grouped(bm::total(m, padded).wavefronts).c_str(),
              bm::grouped(changed.wavefronts).c_str(), plan.bytes(),
              sureness(load < store ? load : store), declare.c_str(),
              plan.is_optimal() ? "" : ", perhaps not the best");
}

inline void print() {
  std::printf("\n\n%-21s | %8s %5s | %28s | %6s | %-6s |\n", "", "", "", "wavefronts", "bytes",
              "how");
  std::printf("%-21s | %8s %5s | %8s %9s %9s | %6s | %-6s | %s\n", "operand tile", "requests",
              "ideal", "[16][64]", "[16][72]", "planned", "", "sure", "layout");
  std::printf("%s\n", std::string(119, '-').c_str());
  for (const bm::machine& m :
       {bm::nvidia::sm_13, bm::nvidia::sm_20, bm::nvidia::sm_35, bm::nvidia::sm_75,
        bm::nvidia::sm_90, bm::amd::gfx("gfx90a"), bm::amd::gfx("gfx942"), bm::amd::gfx("gfx950"),
        bm::amd::gfx("gfx1201")})
    print_machine(m);
}

}  // namespace one_kernel_on_nine

#endif
