// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_PLANNED_HPP
#define BANKMODEL_EXAMPLES_PLANNED_HPP

#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>
#include <bankmodel/report.hpp>
#include <cstdio>
#include <string>

#include "kernels.hpp"

// A table of the demo: each kernel before and after optimize(), which searches every
// layout family, placement and bank width.
namespace planned {

namespace bm = bankmodel;

inline void print_head() {
  std::printf("\n\n%-24s %-5s | %26s | %5s | %14s | %6s |\n", "", "", "wavefronts", "", "bytes",
              "blocks");
  std::printf("%-24s %-5s | %8s %9s %7s | %5s | %6s %7s | %6s | %s\n", "kernel", "", "unpadded",
              "in source", "planned", "rate", "source", "planned", "", "layout");
  std::printf("%s\n", std::string(119, '-').c_str());
}

// The bytes of all arrays as they are declared.
template <class Kernel>
long long bytes_of(const bm::machine& m, const Kernel& kernel) {
  return bm::optimize(m, kernel, {.layouts = bm::layouts::as_declared}).bytes_before();
}

template <class Kernel>
void print_kernel(const char* name, const Kernel& kernel) {
  const int threads = kernel.block.x * kernel.block.y * kernel.block.z;
  for (const bm::machine& m : {bm::nvidia::sm_35, bm::nvidia::sm_90}) {
    const auto plan = bm::optimize(m, kernels::without_padding(kernel));
    const auto unpadded = plan.before().wavefronts, planned = plan.after().wavefronts;
    const std::string rate = std::to_string((100 * planned + unpadded / 2) / unpadded) + " %";
    const long long bytes = bytes_of(m, kernel);
    const std::string blocks = std::to_string(bm::resident(m, {threads, bytes}).blocks) + " " +
                               std::to_string(plan.resident_blocks());
    std::string declare;
    for (int index = 0; index < plan.arrays(); ++index)
      if (plan.layout(index) != plan.array(index).declared.layout)
        declare += (declare.empty() ? "" : ", ") + bm::text(plan.array(index).declared.name) +
                   bm::text(plan.layout(index));
    if (declare.empty()) declare = "as declared";
    if (plan.bank_width() != m.bank_width)
      declare += ", " + std::to_string(plan.bank_width()) + "-byte banks";
    std::printf("%-24s sm_%2d | %8s %9s %7s | %5s | %6lld %7lld | %6s | %s%s\n", name, m.model,
                bm::grouped(unpadded).c_str(), bm::grouped(bm::total(m, kernel).wavefronts).c_str(),
                bm::grouped(planned).c_str(), rate.c_str(), bytes, plan.bytes(), blocks.c_str(),
                declare.c_str(), plan.is_optimal() ? "" : ", perhaps not the best");
  }
}

inline void print() {
  print_head();
  kernels::for_each_kernel(
      [](const char* name, const auto& kernel) { print_kernel(name, kernel); });
}

}  // namespace planned

#endif
