// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_ONE_SCREEN_HPP
#define BANKMODEL_EXAMPLES_ONE_SCREEN_HPP

#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>
#include <bankmodel/report.hpp>
#include <cstdio>
#include <string>

#include "kernels.hpp"

// The demo without arguments: the 13 kernels on one machine, as in the source and as planned. At
// most 45 lines of 100 columns, so that nothing scrolls away.
namespace one_screen {

namespace bm = bankmodel;

inline constexpr bm::machine machine = bm::nvidia::sm_90;

// A permuted array as where an element is stored, `tile[r][c ^ r]`; else as it is declared.
inline std::string layout_of(const std::string& array, const bm::layout& layout) {
  const std::string text = bm::text(layout), mark = " at ";
  const auto place = text.rfind(mark);
  return array + (place == std::string::npos ? text : text.substr(place + mark.size()));
}

template <class Kernel>
void print_kernel(const char* name, const Kernel& kernel) {
  const auto source = bm::optimize(machine, kernel, {.layouts = bm::layouts::as_declared});
  const auto plan = bm::optimize(machine, kernels::without_padding(kernel));
  std::string layouts;
  for (int index = 0; index < plan.arrays(); ++index)
    if (plan.layout(index) != source.layout(index))
      layouts += (layouts.empty() ? "" : ", ") +
                 layout_of(bm::text(plan.array(index).declared.name), plan.layout(index));
  const bm::cost cost = source.before();
  const std::string degree = cost.degree == 1 ? "-" : std::to_string(cost.degree) + "-way";
  std::printf("%-24s | %8s | %10s %9s %6s | %10s %s\n", name, bm::grouped(cost.requests).c_str(),
              bm::grouped(cost.wavefronts).c_str(), bm::grouped(cost.conflicts()).c_str(),
              degree.c_str(), bm::grouped(plan.after().wavefronts).c_str(),
              layouts.empty() ? "as in the source" : layouts.c_str());
  if (!plan.is_optimal()) std::printf("%-24s   perhaps not the best layout\n", "");
}

inline void print() {
  std::printf("Shared memory of one thread block of 13 kernels (CUDA samples, Rodinia) on %s\n\n",
              bm::text(machine).c_str());
  std::printf("%-24s | %8s | %-27s | %s\n", "", "", "as in the source", "as optimize() plans it");
  std::printf("%-24s | %8s | %10s %9s %6s | %10s %s\n", "kernel", "requests", "wavefronts",
              "conflicts", "worst", "wavefronts", "layout");
  std::printf("%s\n", std::string(100, '-').c_str());
  kernels::for_each_kernel(
      [](const char* name, const auto& kernel) { print_kernel(name, kernel); });
  std::printf(
      "\n"
      "requests    load and store instructions that the block's warps issue for shared memory\n"
      "wavefronts  passes through shared memory that these take; the best layout gives each one\n"
      "conflicts   wavefronts beyond that one; worst: the n of the worst n-way conflict\n"
      "layout      tile[16][17]: declare it so; tile[r][c ^ r]: unpadded, [r][c] is stored "
      "there\n");
}

}  // namespace one_screen

#endif
