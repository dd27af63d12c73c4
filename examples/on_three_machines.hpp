// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_ON_THREE_MACHINES_HPP
#define BANKMODEL_EXAMPLES_ON_THREE_MACHINES_HPP

#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/report.hpp>
#include <cstdio>
#include <string>

#include "kernels.hpp"

// A table of the demo: the 13 kernels on Kepler, with both bank widths, and on a current GPU.
namespace on_three_machines {

namespace bm = bankmodel;

inline constexpr int machines = 3;
inline constexpr bm::machine machine[machines] = {
    bm::nvidia::sm_35, bm::nvidia::sm_35.with_bank_width(8), bm::nvidia::sm_90};

// Indexed by the set of machines, the first one in bit 0.
inline constexpr const char* short_name[1 << machines] = {
    "",      "sm_35 4-byte",           "sm_35 8-byte",           "sm_35",
    "sm_90", "sm_35 4-byte and sm_90", "sm_35 8-byte and sm_90", "all machines"};

struct worst_access {
  std::uint64_t conflicts = 0;
  std::string text;
};

inline void print_head() {
  std::printf("%-24s %8s %9s ", "", "", "");
  for (const auto& m : machine) std::printf(" | %-22s", bm::text(m).c_str());
  std::printf("\n%-24s %8s %9s ", "", "", "");
  for (int column = 0; column < machines; ++column)
    std::printf(" | %7s %6s %7s", "wave-", "con-", "");
  std::printf("\n%-24s %8s %9s ", "kernel", "accesses", "requests");
  for (int column = 0; column < machines; ++column)
    std::printf(" | %7s %6s %7s", "fronts", "flicts", "worst");
  std::printf("\n%s\n", std::string(119, '-').c_str());
}

// Prints one line for each access that is the worst on some machine.
inline void print_worst(const worst_access (&worst)[machines]) {
  int printed = 0;
  for (int index = 0; index < machines; ++index) {
    if ((printed >> index & 1) != 0 || worst[index].conflicts == 0) continue;
    int alike = 0;
    for (int other = index; other < machines; ++other)
      if (worst[other].conflicts != 0 && worst[other].text == worst[index].text)
        alike |= 1 << other;
    printed |= alike;
    std::printf("  %-23s %s\n", short_name[alike], worst[index].text.c_str());
  }
}

template <class Kernel>
void print_kernel(const char* name, const Kernel& kernel) {
  int accesses = 0;
  worst_access worst[machines];
  bm::for_each_access(kernel, [&](const auto& access) {
    ++accesses;
    for (int index = 0; index < machines; ++index) {
      const auto conflicts = bm::total(machine[index], kernel.block, access).conflicts();
      if (conflicts > worst[index].conflicts) worst[index] = {conflicts, bm::text(access)};
    }
  });

  std::printf("%-24s %8d %9s ", name, accesses,
              bm::grouped(bm::total(machine[0], kernel).requests).c_str());
  for (const auto& m : machine) {
    const bm::cost cost = bm::total(m, kernel);
    const std::string degree = cost.degree == 1 ? "-" : std::to_string(cost.degree) + "-way";
    std::printf(" | %7s %6s %7s", bm::grouped(cost.wavefronts).c_str(),
                bm::grouped(cost.conflicts()).c_str(), degree.c_str());
  }
  std::printf("\n");
  print_worst(worst);
}

inline void print() {
  print_head();
  kernels::for_each_kernel(
      [](const char* name, const auto& kernel) { print_kernel(name, kernel); });
}

}  // namespace on_three_machines

#endif
