// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_PROFILE_DETAIL_GLOBAL_COUNTERS_HPP
#define BANKMODEL_HOST_PROFILE_DETAIL_GLOBAL_COUNTERS_HPP

#include <bankmodel/global/traffic.hpp>
#include <bankmodel/host/profile/detail/requested_bytes.hpp>
#include <bankmodel/host/profile/exact_number.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

#include <bankmodel/core/hide_macros.hpp>

// The meaning of each profiler counter of global memory in this library's terms.
// examples/guide/counters.md has the same as a table, with sources.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void global_accesses_that_read_the_block_need_the_grid() {
  detail::fail(__func__,
               "a global access reads the index of the block, so blocks may differ; set .grid to "
               "the launch's grid, for example {128, 128} (in a kernel file: the line `grid`)");
}
}  // namespace rule

// The expected traffic of a launch, in the parts that counters separate.
struct expected_traffic {
  memory_traffic loads = {}, stores = {}, atomics = {};
  // As expected_launch::requested_bytes.
  std::optional<std::uint64_t> bytes_of_loads = 0, bytes_of_stores = 0;

  memory_traffic sum() const { return loads + stores + atomics; }
};

namespace detail {

enum class traffic_part : unsigned char { loads, stores, all };
enum class traffic_quantity : unsigned char {
  requests,
  transactions,
  transactions_per_request,
  efficiency,            // requested bytes in percent of those that move
  bytes_per_transaction  // requested
};
inline bool is_rate(traffic_quantity quantity) {
  return quantity >= traffic_quantity::transactions_per_request;
}

struct known_global_counter {
  std::string_view name;  // for Nsight Compute without .sum or .ratio
  traffic_part part;
  traffic_quantity quantity;
  // The compute capability, 10 * major + minor, from which it has this meaning.
  int first_capability = 0;
};

inline constexpr known_global_counter known_global_counters[] = {
    // Nsight Compute, hardware counters of the first cache: since 7.0 an instruction of a warp is
    // one request, and its sectors are those of the model (NVIDIA's answers in forum threads 285476
    // and 312884). Atomics are counted as op_atom or op_red, as compiled, so they are left out.
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld", traffic_part::loads,
     traffic_quantity::requests},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st", traffic_part::stores,
     traffic_quantity::requests},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld", traffic_part::loads,
     traffic_quantity::transactions},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st", traffic_part::stores,
     traffic_quantity::transactions},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld", traffic_part::loads,
     traffic_quantity::transactions_per_request},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st", traffic_part::stores,
     traffic_quantity::transactions_per_request},
    // The second cache serves sectors that the first one does not have, so reads are fewer by the
    // sectors that hit there; local memory and textures are counted too. Stores are written
    // through.
    {"lts__t_sectors_srcunit_tex_op_read", traffic_part::loads, traffic_quantity::transactions},
    {"lts__t_sectors_srcunit_tex_op_write", traffic_part::stores, traffic_quantity::transactions},
    {"smsp__inst_executed_op_global_ld", traffic_part::loads, traffic_quantity::requests},
    {"smsp__inst_executed_op_global_st", traffic_part::stores, traffic_quantity::requests},
    {"smsp__sass_inst_executed_op_global_ld", traffic_part::loads, traffic_quantity::requests},
    {"smsp__sass_inst_executed_op_global_st", traffic_part::stores, traffic_quantity::requests},
    {"sm__sass_inst_executed_op_global_ld", traffic_part::loads, traffic_quantity::requests},
    {"sm__sass_inst_executed_op_global_st", traffic_part::stores, traffic_quantity::requests},
    {"sass__inst_executed_global_loads", traffic_part::loads, traffic_quantity::requests},
    {"sass__inst_executed_global_stores", traffic_part::stores, traffic_quantity::requests},
    // Computed from the addresses of each instruction. Its ideal counts the bytes of each thread,
    // which may be more than the different bytes of the model, so _ideal and _excessive are left
    // out. The bytes per sector are those of each thread too.
    {"memory_l2_theoretical_sectors_global", traffic_part::all, traffic_quantity::transactions},
    // nvprof. NVIDIA's table of nvprof's metrics in Nsight Compute equates them since 7.0 with the
    // sectors and requests above. Before, they are others: a coalesced load of floats has 16
    // transactions on 6.1 (stackoverflow.com/questions/56142674).
    {"gld_transactions", traffic_part::loads, traffic_quantity::transactions, 70},
    {"gst_transactions", traffic_part::stores, traffic_quantity::transactions, 70},
    {"gld_transactions_per_request", traffic_part::loads,
     traffic_quantity::transactions_per_request, 70},
    {"gst_transactions_per_request", traffic_part::stores,
     traffic_quantity::transactions_per_request, 70},
    {"gld_efficiency", traffic_part::loads, traffic_quantity::efficiency, 70},
    {"gst_efficiency", traffic_part::stores, traffic_quantity::efficiency, 70},
    {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", traffic_part::loads,
     traffic_quantity::efficiency},
    {"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct", traffic_part::stores,
     traffic_quantity::efficiency},
    {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld", traffic_part::loads,
     traffic_quantity::bytes_per_transaction},
    {"smsp__sass_average_data_bytes_per_sector_mem_global_op_st", traffic_part::stores,
     traffic_quantity::bytes_per_transaction},
    {"global_load_requests", traffic_part::loads, traffic_quantity::requests, 70},
    {"global_store_requests", traffic_part::stores, traffic_quantity::requests, 70},
    {"inst_executed_global_loads", traffic_part::loads, traffic_quantity::requests},
    {"inst_executed_global_stores", traffic_part::stores, traffic_quantity::requests}};
// rocprof has no counter of lines: TCP_TOTAL_ACCESSES counts groups of four lanes (16 for a
// coalesced load of 64 floats, 64 for the worst), and its instruction counters include others.

// The counter of this name, or nothing.
inline const known_global_counter* global_counter_named(std::string_view name) {
  for (const std::string_view ending : {".sum", ".ratio"})
    if (name.size() > ending.size() && name.substr(name.size() - ending.size()) == ending)
      name.remove_suffix(ending.size());
  for (const known_global_counter& counter : known_global_counters)
    if (counter.name == name) return &counter;
  return nullptr;
}

inline bool has_meaning(const known_global_counter& counter, const machine& m) {
  return m.made_by != vendor::nvidia || m.model >= counter.first_capability;
}

// The expected value of the counter; a ratio has as many decimal places as `measured`. Empty: the
// requested bytes are not known.
inline std::optional<exact_number> expected_of(const expected_traffic& launch,
                                               const known_global_counter& counter,
                                               const exact_number& measured) {
  const memory_traffic part = counter.part == traffic_part::loads    ? launch.loads
                              : counter.part == traffic_part::stores ? launch.stores
                                                                     : launch.sum();
  const std::optional<std::uint64_t>& requested =
      counter.part == traffic_part::loads ? launch.bytes_of_loads : launch.bytes_of_stores;
  switch (counter.quantity) {
    case traffic_quantity::requests: return count(part.requests);
    case traffic_quantity::transactions: return count(part.transactions);
    case traffic_quantity::efficiency:
      if (!requested) return std::nullopt;
      return ratio(checked_count_product(*requested, 100), part.bytes_moved, measured);
    case traffic_quantity::bytes_per_transaction:
      if (!requested) return std::nullopt;
      return ratio(*requested, part.transactions, measured);
    default: return ratio(part.transactions, part.requests, measured);
  }
}

// Adds the traffic of an access: of all blocks of `grid`, or if it has none of `blocks` equal ones.
template <int Wrappers, int Nodes>
void add_traffic(expected_traffic& result, const machine& m, const block_dim& block,
                 const access_expression<Wrappers, Nodes>& access, std::uint64_t blocks,
                 const grid_dim& grid) {
  if (access.array.memory != memory_space::global) return;
  const bool has_grid = grid != grid_dim{0, 0, 0};
  for (int index = 0; index < Nodes && !has_grid; ++index) {
    const node& entry = access.nodes[index];
    if (entry.op == operation::variable && entry.value >= static_cast<long long>(variable::bx) &&
        entry.value <= static_cast<long long>(variable::bz))
      rule::global_accesses_that_read_the_block_need_the_grid();
  }
  const memory_traffic sum =
      has_grid ? traffic(m, block, access, grid) : traffic(m, block, access) * blocks;
  memory_traffic& part = access.kind == access_kind::load    ? result.loads
                         : access.kind == access_kind::store ? result.stores
                                                             : result.atomics;
  part = part + sum;
  if (access.kind != access_kind::load && access.kind != access_kind::store) return;
  std::optional<std::uint64_t>& bytes =
      access.kind == access_kind::load ? result.bytes_of_loads : result.bytes_of_stores;
  std::uint64_t requested = 0;
  if (has_grid) {
    const auto everywhere = on_grid(access, grid);
    requested =
        checked_count_product(requested_bytes(m, block, everywhere.access), everywhere.times);
  } else {
    requested = checked_count_product(requested_bytes(m, block, access), blocks);
  }
  bytes = sum_of_both(bytes, requested);
}

}  // namespace detail
}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
