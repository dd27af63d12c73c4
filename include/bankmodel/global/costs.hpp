// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_GLOBAL_COSTS_HPP
#define BANKMODEL_GLOBAL_COSTS_HPP

#include <bankmodel/global/traffic.hpp>
#include <bankmodel/machines/sources.hpp>

// A kernel's costs in both memories, and the one that takes more cycles of a multiprocessor.
namespace bankmodel {

// What one multiprocessor serves in a cycle. 0: no source gives the number.
struct service_rates {
  int wavefronts = 0;  // of shared memory
  int lines = 0;       // of global memory: looked up by the first cache, one request per cycle
  confidence sure = confidence::low;
  source wavefronts_from = sources::own, lines_from = sources::own;
};

// Returns the rates of a machine of the library's records. The rate at which sectors come from
// outside the multiprocessor is not among them: no vendor publishes it.
// Sources: NVIDIA's answers in the forum for 7.0 (a wavefront is served in a cycle; four lines are
// looked up in one, of one request), assumed for later generations too. AMD's GCN and CDNA: 128
// bytes per cycle and compute unit (rocprofiler-compute's documentation), which is a wavefront of
// 32 banks. RDNA has none: a block may have the banks of two compute units. Example:
//
//   static_assert(rates_of(nvidia::sm_90).wavefronts == 1 && rates_of(nvidia::sm_90).lines == 4);
BANKMODEL_FN service_rates rates_of(const machine& m) {
  if (detail::same(m.made_by, vendor::nvidia) && m.model >= 70)
    return {1, 4, confidence::medium, sources::sectors, sources::tag_stage};
  if (detail::same(m.made_by, vendor::amd) && m.model < 0x1000 && m.has(4, access_kind::load) &&
      m.banks(4, access_kind::load).bank_num == 32)
    return {1, 0, confidence::medium, sources::rocprofiler, sources::own};
  return {};
}

// The memory that takes more cycles. unknown: the rate of one that the kernel accesses is 0.
enum class limiting_memory : unsigned char { unknown, neither, shared, global, both };

// The costs of a kernel's accesses in both memories.
struct kernel_costs {
  cost shared = {};
  memory_traffic global = {};
  // Lower bounds of the cycles that one multiprocessor serves each memory, if all blocks run on it;
  // 0 if the rate is unknown.
  std::uint64_t shared_cycles = 0, global_cycles = 0;
  limiting_memory limit = limiting_memory::unknown;
};

namespace detail {

// The cycles that serve `count` at this rate; 0 if the rate is unknown (0).
BANKMODEL_FN std::uint64_t cycles_of(std::uint64_t count, int per_cycle) {
  if (per_cycle < 1) return 0;
  const auto rate = static_cast<std::uint64_t>(per_cycle);
  return count / rate + (count % rate != 0 ? 1 : 0);
}

BANKMODEL_FN kernel_costs with_cycles(const cost& shared, const memory_traffic& global,
                                      const service_rates& rates) {
  kernel_costs result{shared, global};
  result.shared_cycles = cycles_of(shared.wavefronts, rates.wavefronts);
  result.global_cycles = cycles_of(global.lines, rates.lines);
  if (rates.lines > 0 && result.global_cycles < global.requests)
    result.global_cycles = global.requests;
  const bool are_known =
      (shared.wavefronts == 0 || rates.wavefronts > 0) && (global.requests == 0 || rates.lines > 0);
  if (!are_known) return result;
  if (shared.wavefronts == 0 && global.requests == 0)
    result.limit = limiting_memory::neither;
  else if (result.shared_cycles == result.global_cycles)
    result.limit = limiting_memory::both;
  else
    result.limit = result.shared_cycles > result.global_cycles ? limiting_memory::shared
                                                               : limiting_memory::global;
  return result;
}

}  // namespace detail

// Returns the cost of accesses to shared memory, of one access or of a list, for all blocks of a
// grid: total() of each block, added up.
// Error: as for total() and for traffic() of a grid.
// Example:
//
//   constexpr auto tile = shared_array<float>("tile", 32, 32);
//   constexpr cost four_blocks =
//       total(nvidia::sm_90, block_dim{32, 8}, load(tile[tx][ty]), grid_dim{4});
//   static_assert(four_blocks.requests == 32 && four_blocks.wavefronts == 1024);
template <int Wrappers, int Nodes>
BANKMODEL_FN cost total(const machine& m, const block_dim& block,
                        const access_expression<Wrappers, Nodes>& access, const grid_dim& grid) {
  const auto everywhere = detail::on_grid(access, grid);
  return total(m, block, everywhere.access) * everywhere.times;
}
BANKMODEL_FN cost total(const machine&, const block_dim&, const access_list<>&,
                        const grid_dim& grid) {
  (void)grid.blocks();  // its errors
  return {};
}
template <class First, class... Rest>
BANKMODEL_FN cost total(const machine& m, const block_dim& block,
                        const access_list<First, Rest...>& list, const grid_dim& grid) {
  return total(m, block, list.first, grid) + total(m, block, list.rest, grid);
}
template <class... Accesses>
BANKMODEL_FN cost total(const machine& m, const kernel_description<Accesses...>& kernel,
                        const grid_dim& grid) {
  return total(m, kernel.block, kernel.accesses, grid);
}

// Returns a kernel's costs for one block, that with index `grid_index`; or for all blocks of a
// grid.
//
//   rates   what a multiprocessor serves in a cycle; those of the machine's record, or measured
//   ones
//
// The cycles are bounds of throughput: no kernel can be faster, and latencies, other instructions
// and memory outside of the multiprocessor come on top.
// Error: as for total() and traffic().
// Example: the tiled transpose of one block of 32 x 8 threads:
//
//   constexpr auto in = global_array<float>("in", 1024, 1024);
//   constexpr auto out = global_array<float>("out", 1024, 1024);
//   const auto transpose = [=](const auto& tile) {
//     return kernel(block_dim{32, 8},
//                   for_loop(j, range(0, 32, 8), load(in[ty + j][tx]), store(tile[ty + j][tx])),
//                   for_loop(j, range(0, 32, 8), load(tile[tx][ty + j]), store(out[ty + j][tx])));
//   };
//   const auto slow = costs(nvidia::sm_90, transpose(shared_array<float>("tile", 32, 32)));
//   assert(slow.shared.wavefronts == 1056 && slow.shared_cycles == 1056);
//   assert(slow.global.requests == 64 && slow.global.lines == 64 && slow.global_cycles == 64);
//   assert(slow.limit == limiting_memory::shared);
//   const auto padded = costs(nvidia::sm_90, transpose(shared_array<float>("tile", 32, 33)));
//   assert(padded.shared_cycles == 64 && padded.limit == limiting_memory::both);
template <class... Accesses>
BANKMODEL_FN kernel_costs costs(const machine& m, const kernel_description<Accesses...>& kernel,
                                const service_rates& rates, const block_index& grid_index = {}) {
  return detail::with_cycles(total(m, kernel, grid_index), traffic(m, kernel, grid_index), rates);
}
template <class... Accesses>
BANKMODEL_FN kernel_costs costs(const machine& m, const kernel_description<Accesses...>& kernel,
                                const block_index& grid_index = {}) {
  return costs(m, kernel, rates_of(m), grid_index);
}
template <class... Accesses>
BANKMODEL_FN kernel_costs costs(const machine& m, const kernel_description<Accesses...>& kernel,
                                const service_rates& rates, const grid_dim& grid) {
  return detail::with_cycles(total(m, kernel, grid), traffic(m, kernel, grid), rates);
}
template <class... Accesses>
BANKMODEL_FN kernel_costs costs(const machine& m, const kernel_description<Accesses...>& kernel,
                                const grid_dim& grid) {
  return costs(m, kernel, rates_of(m), grid);
}

}  // namespace bankmodel

#endif
