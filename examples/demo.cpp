// SPDX-License-Identifier: MIT
// The dissertation's 13 kernels on Kepler, with both bank widths, and on a current GPU; the
// plans for them; one tile on nine machines; and both memories side by side.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/report.hpp>
#include <cstdio>
#include <string>

#include "both_memories.hpp"
#include "kernels.hpp"
#include "lecture_transposes.hpp"
#include "one_kernel_on_nine.hpp"
#include "planned.hpp"
#include "presentation.hpp"

namespace bm = bankmodel;

namespace {

constexpr int machines = 3;
constexpr bm::machine machine[machines] = {bm::nvidia::sm_35, bm::nvidia::sm_35.with_bank_width(8),
                                           bm::nvidia::sm_90};

// Indexed by the set of machines, the first one in bit 0.
constexpr const char* short_name[1 << machines] = {
    "",      "sm_35 4-byte",           "sm_35 8-byte",           "sm_35",
    "sm_90", "sm_35 4-byte and sm_90", "sm_35 8-byte and sm_90", "all machines"};

struct worst_access {
  std::uint64_t conflicts = 0;
  std::string text;
};

void print_head() {
  std::printf("%-24s %8s %9s ", "", "", "");
  for (const auto& m : machine) std::printf(" | %-22s", bm::text(m).c_str());
  std::printf("\n%-24s %8s %9s ", "", "", "");
  for (int at = 0; at < machines; ++at) std::printf(" | %7s %6s %7s", "wave-", "con-", "");
  std::printf("\n%-24s %8s %9s ", "kernel", "accesses", "requests");
  for (int at = 0; at < machines; ++at) std::printf(" | %7s %6s %7s", "fronts", "flicts", "worst");
  std::printf("\n%s\n", std::string(119, '-').c_str());
}

// Prints one line for each access that is the worst on some machine.
void print_worst(const worst_access (&worst)[machines]) {
  int printed = 0;
  for (int at = 0; at < machines; ++at) {
    if ((printed >> at & 1) != 0 || worst[at].conflicts == 0) continue;
    int alike = 0;
    for (int other = at; other < machines; ++other)
      if (worst[other].conflicts != 0 && worst[other].text == worst[at].text) alike |= 1 << other;
    printed |= alike;
    std::printf("  %-23s %s\n", short_name[alike], worst[at].text.c_str());
  }
}

template <class Kernel>
void print_kernel(const char* name, const Kernel& kernel) {
  int accesses = 0;
  worst_access worst[machines];
  bm::for_each_access(kernel, [&](const auto& access) {
    ++accesses;
    for (int at = 0; at < machines; ++at) {
      const auto conflicts = bm::total(machine[at], kernel.block, access).conflicts();
      if (conflicts > worst[at].conflicts) worst[at] = {conflicts, bm::text(access)};
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

}  // namespace

int main() {
  print_head();
  kernels::for_each_kernel(
      [](const char* name, const auto& kernel) { print_kernel(name, kernel); });
  std::printf(
      "\n"
      "For one thread block; stencil_3D_16x16_order8 over %d planes.\n"
      "accesses    loads and stores of shared memory in the source\n"
      "requests    load and store instructions that the block's warps issue for them\n"
      "wavefronts  passes through shared memory that these take; the best layout gives each "
      "request one\n"
      "conflicts   wavefronts beyond that one\n"
      "worst       the n of the worst n-way conflict; below: for each machine the access with the "
      "most conflicts\n",
      kernels::fd3d::planes);
  planned::print();
  std::printf(
      "\n"
      "unpadded    without the padding column that six of the sources have\n"
      "in source   as in the source; Kepler starts with 4-byte banks\n"
      "planned     proven fewest over all layout families and bank widths; rate: planned / "
      "unpadded\n"
      "blocks      resident on one multiprocessor, by threads and shared memory, as in the source "
      "and as planned\n");
  one_kernel_on_nine::print();
  std::printf(
      "\n"
      "            16 rows of 64 halves, written row by row and read by the lanes of a matrix "
      "unit, 16 bytes each, by 64 threads.\n"
      "            Rows padded by 16 bytes suit NVIDIA's quarters of a warp, but not CDNA's phases "
      "of lanes 0-3 with 20-23\n"
      "how sure    these phases are: documented or measured there (high), measured on a related "
      "machine (medium), inferred (low)\n");
  presentation::print();
  std::printf(
      "\n"
      "            the kernels of I. Mungiello's presentation (2018): shared memory per block and "
      "registers per thread as given there,\n"
      "            resident blocks by this library; the permuted DCT has 12 of 16 blocks on the "
      "TX2 because of 37 registers, not memory\n");
  both_memories::print();
  std::printf(
      "\n"
      "            the kernels whose samples state their launch: wavefronts of shared memory and "
      "transactions of global memory, of one\n"
      "            block (the mean of the grid), and the fewest of each. A transaction has 32 to "
      "128 "
      "bytes on sm_13, 32 on the others.\n"
      "            All global accesses are coalesced, so only conflicts in shared memory are left "
      "to avoid\n");
  std::printf("\n\n");
  lecture_transposes::print(machine[2]);
  std::printf(
      "\n"
      "            8192 x 8192 floats, 256 x 256 blocks of 32 x 32 threads; of a lecture by S. Dey "
      "and of CUDA's samples\n"
      "sectors     millions of 32 bytes that all requests to global memory move; ideal: that hold "
      "the bytes they use\n"
      "slower      the memory that takes more cycles of a multiprocessor, as far as rates are "
      "published\n");
}
