// SPDX-License-Identifier: MIT
// Generated accesses as accesses to global memory that depend on the block, and the oracle's
// traffic of a request on a machine of each rule.
#ifndef BANKMODEL_TESTS_GLOBAL_CASES_HPP
#define BANKMODEL_TESTS_GLOBAL_CASES_HPP

#include <bankmodel/global/traffic.hpp>

#include "generate.hpp"
#include "global_machines.hpp"

namespace generated {

// A tree over the case's nodes. The range of its values is not kept.
constexpr int added(one_case& c, char op, int left, int right, long long value = 0) {
  c.nodes[c.count] = {op, left, right, value, {}};
  return c.count++;
}
// tree + factor * (an axis of the block's index)
constexpr int plus_block(one_case& c, int tree, int axis, long long factor) {
  const int block = added(c, 'v', 0, 0, static_cast<int>(bm::variable::bx) + axis);
  const int number = added(c, 'c', 0, 0, factor);
  return added(c, '+', tree, added(c, '*', number, block));
}

constexpr expression for_global_memory(const one_case& c) {
  expression result = for_library(c);
  result.array.memory = bm::memory_space::global;
  return result;
}

// The rules by number: 1.0, 1.2, 2.x, 3.x, sectors.
constexpr int rules = 5;
inline constexpr global_oracle::memory memory_of_rule[rules] = {
    {global_oracle::sharing::of_1_0},
    {global_oracle::sharing::of_1_2},
    {global_oracle::sharing::of_2_0, 32, 128, 128},
    {global_oracle::sharing::of_3_0, 32, 128, 128},
    {global_oracle::sharing::of_3_0}};
constexpr bm::machine machine_of_rule(int rule, int lanes) {
  const bm::machine real[rules] = {bm::nvidia::sm_11, bm::nvidia::sm_13, bm::nvidia::sm_20,
                                   bm::nvidia::sm_35, bm::nvidia::sm_90};
  return own_global_machine(lanes, real[rule].global);
}

}  // namespace generated

#endif
