// SPDX-License-Identifier: MIT
// Compares a profiler's counters with the model, for the transpose of NVIDIA's training series
// with a tile of 32 x 32 doubles.
//
//   compare_with_profiler [file.csv [blocks]]
//
// Without a file it reads examples/profiles/transpose.csv, whose counters were measured and
// published by others. CMake defines BANKMODEL_PROFILES, the path of that folder.
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/profile.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace bm = bankmodel;
using namespace bm::index;

constexpr auto tile = bm::shared_array<double>("smemArray", 32, 32);
constexpr auto transpose =
    bm::kernel(bm::block_dim{32, 32}, bm::store(tile[tx][ty]), bm::load(tile[ty][tx]));

constexpr auto block = bm::totals(bm::nvidia::sm_70, transpose);
static_assert(block.loads.wavefronts == 64 && block.loads.conflicts() == 0);
static_assert(block.stores.wavefronts == 1024 && block.stores.conflicts() == 960);

int main(int arguments, char** argument) {
  const std::string path = arguments > 1 ? argument[1] : BANKMODEL_PROFILES "/transpose.csv";
  std::ifstream file(path);
  if (!file) {
    std::fprintf(stderr, "compare_with_profiler: cannot read %s\n", path.c_str());
    return 2;
  }
  const std::string csv((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());

  // The grid had 129 x 129 blocks for 4096 x 4096 elements; those of the last row and column do
  // nothing.
  const unsigned long long blocks =
      arguments > 2 ? std::strtoull(argument[2], nullptr, 10) : 128 * 128;
  try {
    const auto comparison =
        bm::compare_with_profile(bm::nvidia::sm_70, transpose, {.blocks = blocks}, csv);
    std::fputs(bm::text(comparison).c_str(), stdout);
  } catch (const bm::error& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 2;
  }
}
