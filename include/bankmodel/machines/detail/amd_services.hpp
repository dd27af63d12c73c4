// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MACHINES_DETAIL_AMD_SERVICES_HPP
#define BANKMODEL_MACHINES_DETAIL_AMD_SERVICES_HPP

#include <bankmodel/machines/sources.hpp>

#include <bankmodel/core/hide_macros.hpp>

// What the records of all AMD generations are made from: phases, banks and limits.
namespace bankmodel::amd::detail {

// The phases of 64 lanes, as parities of lane numbers (lane_groups). Functions, because device
// code cannot use the constants.
BANKMODEL_FN lane_groups halves() { return {32, 0, 0}; }     // 0-31, 32-63
BANKMODEL_FN lane_groups quarters() { return {16, 32, 0}; }  // 0-15, 16-31, ..
BANKMODEL_FN lane_groups eighths() { return {8, 16, 32}; }   // 0-7, 8-15, ..
// 0-3 with 20-23, 4-7 with 16-19, 8-11 with 28-31, ..
BANKMODEL_FN lane_groups crossed_eighths() { return {20, 8, 32}; }
// 0-3 with 12-15 and 20-27, 4-11 with 16-19 and 28-31, ..
BANKMODEL_FN lane_groups crossed_quarters() { return {28, 32, 0}; }

BANKMODEL_FN service banks_of_4(short bank_num, source banks_from, lane_groups phases,
                                source phases_from, confidence sure) {
  return {.bank_num = bank_num,
          .W = 4,
          .N = 4,
          .phases = phases,
          .sure = sure,
          .banks_from = banks_from,
          .phases_from = phases_from};
}

// The same with phases that this project copies from another machine.
BANKMODEL_FN service inferred(service rules, lane_groups phases) {
  rules.phases = phases;
  rules.phases_from = sources::inferred;
  rules.sure = confidence::low;
  return rules;
}

// Shared memory per multiprocessor and per block, its granularity, and the warps per
// multiprocessor. A compute unit has 16 barriers, so there are at most 16 blocks of two or more
// warps; blocks of a single warp need no barrier, so there can be as many as warps (LLVM's
// getMaxWorkGroupsPerCU). The facts that this file was written from do not contain registers.
BANKMODEL_FN residency limits_of(int shared, int of_a_block, int granularity, int warps,
                                 int lanes) {
  residency result;
  result.shared_per_multiprocessor = shared;
  result.shared_per_block = result.shared_per_block_opt_in = of_a_block;
  result.shared_granularity = granularity;
  result.threads_per_block = 1024;
  result.threads_per_multiprocessor = warps * lanes;
  result.warps_per_multiprocessor = warps;
  result.blocks_per_multiprocessor = 16;
  result.blocks_of_one_warp = warps;
  result.sure = confidence::medium;
  result.shared_from = result.granularity_from = result.residents_from = sources::llvm;
  return result;
}

// Facts that are not known for any generation in particular. Nobody describes phases that
// merge. That lanes of an atomic are served one after another is inferred from a counter
// (SQ_LDS_ADDR_CONFLICT). That atomics have the phases of stores, and that a half of ds_read2
// is served like a load of its own, is assumed.
BANKMODEL_FN machine with_the_rest(machine m, int model, int lanes) {
  m.made_by = vendor::amd;
  m.model = model;
  m.lanes = lanes;
  m.bank_width = 4;
  m.merges_from = sources::inferred;
  m.special.atomics_4 = inferred(m.stores.up_to_4, m.stores.up_to_4.phases);
  m.special.atomics_8 = inferred(m.stores.bytes_8, m.stores.bytes_8.phases);
  m.special.atomics_4.serves = m.special.atomics_8.serves = serving::by_lane;
  m.special.paired_loads_4 = inferred(m.loads.up_to_4, m.loads.up_to_4.phases);
  m.special.paired_loads_8 = inferred(m.loads.bytes_8, m.loads.bytes_8.phases);
  return m;
}

}  // namespace bankmodel::amd::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
