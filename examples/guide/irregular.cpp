// SPDX-License-Identifier: MIT
// The guide's part on irregular references.
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/reorganize.hpp>

#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

namespace bm = bankmodel;
namespace re = bankmodel::reorganize;

namespace {

template <class Result>
void print(const char* label, const re::irregular_references& kernel, const Result& result) {
  const re::reference_traffic changed = re::traffic_after(kernel, result);
  std::printf("%-16s %5llu transactions, %4llu non-coalesced, %6llu bytes\n", label,
              static_cast<unsigned long long>(changed.transactions),
              static_cast<unsigned long long>(changed.non_coalesced),
              static_cast<unsigned long long>(re::data_bytes(kernel, result)));
}

}  // namespace

int main() {
  // 4096 threads, each with two elements of 1024: those of a point and of a scattered neighbour.
  std::vector<int> P, Q;
  for (int thread = 0; thread < 4096; ++thread) {
    P.push_back(thread * 37 % 1024);
    Q.push_back((thread * 37 + thread % 11 * 5) % 1024);
  }

  const re::irregular_references kernel{
      .references = {std::span<const int>(P), std::span<const int>(Q)},
      .elements = 1024,
      .block = 128};
  const re::reference_traffic previous = re::traffic(kernel);
  std::printf("%-16s %5llu transactions, %4llu non-coalesced, %6d bytes\n", "as it is",
              static_cast<unsigned long long>(previous.transactions),
              static_cast<unsigned long long>(previous.non_coalesced), 4096);

  print("duplication", kernel, re::duplicate(kernel));
  print("padding", kernel, re::pad(kernel));
  re::shared_blocks shared = re::share(kernel);
  print("sharing", kernel, shared);
  print("repositioning", kernel, re::reposition(kernel));
  print("swapping threads", kernel, re::swap_threads(kernel));

  const bm::cost tiles = re::tile_cost(bm::nvidia::sm_90, kernel, shared);
  re::lower_conflicts(bm::nvidia::sm_90, kernel, shared);
  const bm::cost ordered = re::tile_cost(bm::nvidia::sm_90, kernel, shared);
  std::printf("tiles: %llu wavefronts, %llu after lower_conflicts(), ideal %llu\n",
              static_cast<unsigned long long>(tiles.wavefronts),
              static_cast<unsigned long long>(ordered.wavefronts),
              static_cast<unsigned long long>(ordered.ideal));

  const re::selection choice =
      re::select(bm::nvidia::sm_90, kernel,
                 {.runs = 100, .per_transaction = 100, .per_wavefront = 10, .per_byte = 40});
  std::printf("the least cost of 100 runs: %s\n",
              choice.best.kind == re::algorithm::sharing ? "sharing" : "another algorithm");
}
