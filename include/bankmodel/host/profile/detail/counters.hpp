// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_PROFILE_DETAIL_COUNTERS_HPP
#define BANKMODEL_HOST_PROFILE_DETAIL_COUNTERS_HPP

#include <bankmodel/count/totals.hpp>
#include <bankmodel/host/profile/detail/requested_bytes.hpp>
#include <bankmodel/host/profile/exact_number.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

#include <bankmodel/core/hide_macros.hpp>

// The meaning of each profiler counter in this library's terms. examples/guide/counters.md has
// the same as a table, with sources.
namespace bankmodel {

// The expected cost of a launch in shared memory, in the parts that counters separate.
struct expected_launch {
  cost_by_kind by_kind = {};
  cost matrix_loads = {}, matrix_stores = {};  // parts of loads and stores: ldmatrix and stmatrix
  // Requests that are half a ds_read2; the profiler counts both as one instruction.
  std::uint64_t paired_halves = 0;
  // The bytes that active lanes ask for, those of equal addresses too. Empty: they are not known,
  // and counters of efficiency are not compared.
  std::optional<std::uint64_t> requested_bytes = 0;
};

namespace detail {

enum class counted_part : unsigned char {
  loads,
  stores,
  atomics,
  all,
  loads_but_matrices,
  stores_but_matrices,
  matrix_loads
};
enum class counted_quantity : unsigned char {
  requests,
  wavefronts,
  ideal,
  conflicts,
  replays,
  wavefronts_per_request,
  lds_instructions,
  efficiency,           // requested bytes in percent of those that the wavefronts could return
  bytes_per_wavefront,  // requested
  replays_per_instruction,
  instructions  // of all kinds: not compared, other counters are rates of it
};

struct known_counter {
  std::string_view name;  // for Nsight Compute without .sum
  counted_part part;
  counted_quantity quantity;
};

inline constexpr known_counter known_counters[] = {
    // Nsight Compute, hardware counters: Kernel Profiling Guide, table of shared memory. op_ld
    // includes ldmatrix; the instruction counters of loads do not (Nsight's own rule
    // SharedMemoryConflicts.py adds op_ldsm to them).
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared", counted_part::all, counted_quantity::wavefronts},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld", counted_part::loads,
     counted_quantity::wavefronts},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st", counted_part::stores,
     counted_quantity::wavefronts},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom", counted_part::atomics,
     counted_quantity::wavefronts},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared", counted_part::all,
     counted_quantity::conflicts},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld", counted_part::loads,
     counted_quantity::conflicts},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st", counted_part::stores,
     counted_quantity::conflicts},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom", counted_part::atomics,
     counted_quantity::conflicts},
    {"smsp__inst_executed_op_shared_ld", counted_part::loads_but_matrices,
     counted_quantity::requests},
    {"smsp__inst_executed_op_shared_st", counted_part::stores_but_matrices,
     counted_quantity::requests},
    {"smsp__sass_inst_executed_op_shared_ld", counted_part::loads_but_matrices,
     counted_quantity::requests},
    {"smsp__sass_inst_executed_op_shared_st", counted_part::stores_but_matrices,
     counted_quantity::requests},
    {"sm__sass_inst_executed_op_shared_ld", counted_part::loads_but_matrices,
     counted_quantity::requests},
    {"sm__sass_inst_executed_op_shared_st", counted_part::stores_but_matrices,
     counted_quantity::requests},
    {"sass__inst_executed_shared_loads", counted_part::loads_but_matrices,
     counted_quantity::requests},
    {"sass__inst_executed_shared_stores", counted_part::stores_but_matrices,
     counted_quantity::requests},
    {"smsp__inst_executed_op_ldsm", counted_part::matrix_loads, counted_quantity::requests},
    // Nsight Compute, computed from the addresses of each instruction: the sums of the source
    // page.
    {"memory_l1_wavefronts_shared", counted_part::all, counted_quantity::wavefronts},
    {"memory_l1_wavefronts_shared_ideal", counted_part::all, counted_quantity::ideal},
    {"derived__memory_l1_wavefronts_shared_excessive", counted_part::all,
     counted_quantity::conflicts},
    // nvprof, metrics.
    {"shared_load_transactions", counted_part::loads, counted_quantity::wavefronts},
    {"shared_store_transactions", counted_part::stores, counted_quantity::wavefronts},
    {"shared_load_transactions_per_request", counted_part::loads,
     counted_quantity::wavefronts_per_request},
    {"shared_store_transactions_per_request", counted_part::stores,
     counted_quantity::wavefronts_per_request},
    {"inst_executed_shared_loads", counted_part::loads, counted_quantity::requests},
    {"inst_executed_shared_stores", counted_part::stores, counted_quantity::requests},
    // The bytes of active threads beside those that the interface returns in these cycles: 256 a
    // cycle on Kepler, also with banks of 4 bytes, 128 on others (NVIDIA's answer in forum thread
    // 65168; the shared memory efficiencies of Mungiello's presentation, 3 % of a transpose on a
    // TK1
    // and 6.1 % on a TX2, are these). NVIDIA's table of nvprof's metrics has the second name.
    {"shared_efficiency", counted_part::all, counted_quantity::efficiency},
    {"smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct", counted_part::all,
     counted_quantity::efficiency},
    {"smsp__sass_average_data_bytes_per_wavefront_mem_shared", counted_part::all,
     counted_quantity::bytes_per_wavefront},
    {"shared_replay_overhead", counted_part::all, counted_quantity::replays_per_instruction},
    {"inst_executed", counted_part::all, counted_quantity::instructions},
    // nvprof, events: since Maxwell, then before Maxwell.
    {"shared_ld_transactions", counted_part::loads, counted_quantity::wavefronts},
    {"shared_st_transactions", counted_part::stores, counted_quantity::wavefronts},
    {"shared_ld_bank_conflict", counted_part::loads, counted_quantity::conflicts},
    {"shared_st_bank_conflict", counted_part::stores, counted_quantity::conflicts},
    {"shared_load", counted_part::loads, counted_quantity::requests},
    {"shared_store", counted_part::stores, counted_quantity::requests},
    {"l1_shared_load_transactions", counted_part::loads, counted_quantity::wavefronts},
    {"l1_shared_store_transactions", counted_part::stores, counted_quantity::wavefronts},
    {"shared_load_replay", counted_part::loads, counted_quantity::replays},
    {"shared_store_replay", counted_part::stores, counted_quantity::replays},
    // rocprof: cycles that conflicts add, and instructions. (SQ_LDS_IDX_ACTIVE includes cycles
    // that are not passes.)
    {"SQ_LDS_BANK_CONFLICT", counted_part::all, counted_quantity::conflicts},
    {"SQC_LDS_BANK_CONFLICT", counted_part::all, counted_quantity::conflicts},
    {"SQ_INSTS_LDS", counted_part::all, counted_quantity::lds_instructions}};

// The counter of this name, or nothing.
inline const known_counter* counter_named(std::string_view name) {
  for (const std::string_view ending : {".sum", ".ratio"})
    if (name.size() > ending.size() && name.substr(name.size() - ending.size()) == ending)
      name.remove_suffix(ending.size());
  for (const known_counter& counter : known_counters)
    if (counter.name == name) return &counter;
  return nullptr;
}

inline cost difference(cost sum, const cost& part) {
  sum.requests -= part.requests, sum.wavefronts -= part.wavefronts, sum.ideal -= part.ideal;
  return sum;
}

inline cost part_of(const expected_launch& launch, counted_part part) {
  switch (part) {
    case counted_part::loads: return launch.by_kind.loads;
    case counted_part::stores: return launch.by_kind.stores;
    case counted_part::atomics: return launch.by_kind.atomics;
    case counted_part::loads_but_matrices:
      return difference(launch.by_kind.loads, launch.matrix_loads);
    case counted_part::stores_but_matrices:
      return difference(launch.by_kind.stores, launch.matrix_stores);
    case counted_part::matrix_loads: return launch.matrix_loads;
    default: return launch.by_kind.all();
  }
}

inline bool is_rate(counted_quantity quantity) {
  switch (quantity) {
    case counted_quantity::wavefronts_per_request:
    case counted_quantity::efficiency:
    case counted_quantity::bytes_per_wavefront:
    case counted_quantity::replays_per_instruction: return true;
    default: return false;
  }
}

// The bytes that a wavefront can return.
inline std::uint64_t bytes_of_wavefront(const machine& m) {
  const geometry banks = m.banks(4, access_kind::load);
  return static_cast<std::uint64_t>(banks.bank_num) * static_cast<std::uint64_t>(banks.W);
}

// The expected value of the counter; a ratio has as many decimal places as `measured`.
// `instructions`: of all kinds, as the profile has them; 0 if it does not. Empty: what the counter
// is a rate of is not known.
inline std::optional<exact_number> expected_of(const machine& m, const expected_launch& launch,
                                               const known_counter& counter,
                                               const exact_number& measured,
                                               std::uint64_t instructions) {
  const cost part = part_of(launch, counter.part);
  switch (counter.quantity) {
    case counted_quantity::instructions: return std::nullopt;
    case counted_quantity::replays_per_instruction:
      if (instructions == 0) return std::nullopt;
      return ratio(part.wavefronts - part.requests, instructions, measured);
    case counted_quantity::efficiency:
      if (!launch.requested_bytes) return std::nullopt;
      return ratio(checked_count_product(*launch.requested_bytes, 100),
                   checked_count_product(part.wavefronts, bytes_of_wavefront(m)), measured);
    case counted_quantity::bytes_per_wavefront:
      if (!launch.requested_bytes) return std::nullopt;
      return ratio(*launch.requested_bytes, part.wavefronts, measured);
    case counted_quantity::requests: return count(part.requests);
    case counted_quantity::wavefronts: return count(part.wavefronts);
    case counted_quantity::ideal: return count(part.ideal);
    case counted_quantity::conflicts: return count(part.conflicts());
    case counted_quantity::replays: return count(part.wavefronts - part.requests);
    case counted_quantity::lds_instructions: return count(part.requests - launch.paired_halves / 2);
    default: return ratio(part.wavefronts, part.requests, measured);
  }
}

// The expected cost of one block, `times` times.
template <int Wrappers, int Nodes>
expected_launch expected(const machine& m, const block_dim& block,
                         const access_expression<Wrappers, Nodes>& access, std::uint64_t times) {
  expected_launch result;
  result.by_kind = totals(m, block, access) * times;
  if (access.kind == access_kind::load_matrix) result.matrix_loads = result.by_kind.loads;
  if (access.kind == access_kind::store_matrix) result.matrix_stores = result.by_kind.stores;
  if (access.kind == access_kind::load_pair) result.paired_halves = result.by_kind.loads.requests;
  if (access.array.memory == memory_space::shared)
    result.requested_bytes = checked_count_product(requested_bytes(m, block, access), times);
  return result;
}
inline void add(expected_launch& sum, const expected_launch& launch) {
  sum = {sum.by_kind + launch.by_kind, sum.matrix_loads + launch.matrix_loads,
         sum.matrix_stores + launch.matrix_stores,
         checked_count_sum(sum.paired_halves, launch.paired_halves),
         sum_of_both(sum.requested_bytes, launch.requested_bytes)};
}

}  // namespace detail
}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
