// SPDX-License-Identifier: MIT
// What the programs share whose instructions run_cost.sh counts.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;
using bm::nvidia::sm_35;
using bm::nvidia::sm_90;

constexpr int calls = 10;

namespace {

// Hides a value from the optimizer.
template <class T>
T& hidden(T& value) {
  asm volatile("" : : "r"(&value) : "memory");
  return value;
}

template <class Call>
void repeat(const Call& call) {
  for (int at = 0; at < calls; ++at) {
    auto result = call();
    hidden(result);
  }
}

const auto square = bm::shared_array<float>("square", 32, 64);
const auto line = bm::shared_array<float>("line", 1ll << 50);
bm::block_dim block{32, 8}, one_warp{32}, eight_warps{256};

auto in_one_loop(long long trips) {
  return bm::for_loop(i, bm::range(0, trips), line[33 * tx + 2 * i]);
}

}  // namespace

#define ROW extern "C" __attribute__((noinline)) void
