// SPDX-License-Identifier: MIT
// Where an access has its conflicts, and how to remove them.
#include <bankmodel/analyze.hpp>
#include <bankmodel/explain.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/report.hpp>
#include <cstdio>
#include <string>

namespace bm = bankmodel;
using namespace bm::index;

constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
constexpr auto column = bm::load(bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j]));

constexpr auto explanation = bm::explain(bm::nvidia::sm_90, bm::block_dim{32, 8}, column);
static_assert(explanation.bank == 0 && explanation.lanes == 32 &&
              explanation.remedy.more_bytes == 128);

int main() {
  std::string text = bm::text(explanation);
  constexpr std::size_t widest = 100;
  while (text.size() > widest) {
    const std::size_t end = text.rfind(' ', widest);
    std::printf("%s\n", text.substr(0, end).c_str());
    text.erase(0, end + 1);
  }
  std::printf("%s\n", text.c_str());
}
