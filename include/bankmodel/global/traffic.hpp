// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_GLOBAL_TRAFFIC_HPP
#define BANKMODEL_GLOBAL_TRAFFIC_HPP

#include <bankmodel/count/total.hpp>
#include <bankmodel/global/detail/on_grid.hpp>
#include <bankmodel/global/detail/traffic_price.hpp>

// The traffic of accesses to global memory: of a thread block, or of all blocks of a grid.
//
// It is counted as total() counts the passes of accesses to shared memory: the same request classes
// (count/total.hpp says which loops are enumerated), another price. A request's traffic depends on
// its base modulo a line, so requests are counted once for each lane pattern and each residue of
// the base. The blocks of a grid are loops. As trips and warps, they are enumerated only where
// total() would enumerate them: p[256 * ((bx + by) % 32) + tx] is not affine in bx and by.
namespace bankmodel {

namespace detail {

// The traffic of an access as if its array's layout were strided. If it is not, only the subscripts
// are checked against the extents. `work`: the steps that were taken before; it is increased.
BANKMODEL_FN memory_traffic traffic_in_rows(const machine& m, const block_dim& block,
                                            const access_view& view, const block_index& grid_index,
                                            long long& work) {
  traffic_price costs(m, view.bytes(), view.kind, view.array.element_bytes);
  splitter row_splitter(m, block, view, grid_index, costs);
  if (!view.array.layout.is_strided() && row_splitter.stays_within()) return {};
  const method chosen_method = row_splitter.run(work);
  work = row_splitter.work();
  memory_traffic sum = costs.sum();
  sum.method = chosen_method;
  return sum;
}

BANKMODEL_FN memory_traffic counted_traffic(const machine& m, const block_dim& block,
                                            const access_view& view,
                                            const block_index& grid_index) {
  m.require_valid();
  if (view.array.memory == memory_space::shared) return {};
  require_global_access(m, view.kind, view.bytes());
  long long work = 0;
  const memory_traffic plain = traffic_in_rows(m, block, view, grid_index, work);
  if (view.array.layout.is_strided()) return plain;
  const access_as_laid_out laid_out(view, view.array.layout);
  return traffic_in_rows(m, block, laid_out.view(), grid_index, work);
}

// The types of the last argument of traffic().
template <class T>
inline constexpr bool is_of_blocks = false;
template <>
inline constexpr bool is_of_blocks<block_index> = true;
template <>
inline constexpr bool is_of_blocks<grid_dim> = true;
template <class T>
concept of_blocks = is_of_blocks<T>;

}  // namespace detail

// Returns the traffic of one access to global memory, with its loops and filters, for a block of
// threads on `m`; nothing for an access to shared memory. `grid_index` is the block's index.
// Error: the machine's global memory is not described; an instruction that only shared memory has;
// otherwise as for total().
// Example:
//
//   constexpr auto in = global_array<float>("in", 1024, 1024);
//   constexpr auto moved = traffic(nvidia::sm_90, block_dim{32, 8}, load(in[ty][2 * tx]));
//   static_assert(moved.requests == 8 && moved.transactions == 64 && moved.ideal == 32);
//   static_assert(moved.bytes_used == 1024 && moved.bytes_moved == 2048);
template <int Wrappers, int Nodes>
BANKMODEL_FN memory_traffic traffic(const machine& m, const block_dim& block,
                                    const access_expression<Wrappers, Nodes>& access,
                                    const block_index& grid_index = {}) {
  return detail::counted_traffic(m, block, detail::view_of(access), grid_index);
}

// Returns the sum over all blocks of a grid.
// Error: a grid without blocks; all six loop variables are used, so none is left for the blocks;
// otherwise as above.
// Example:
//
//   constexpr auto in = global_array<float>("in", 1024, 1024);
//   constexpr auto moved =
//       traffic(nvidia::sm_90, block_dim{32, 8}, load(in[ty][2 * tx]), grid_dim{4});
//   static_assert(moved.requests == 32 && moved.transactions == 256);
template <int Wrappers, int Nodes>
BANKMODEL_FN memory_traffic traffic(const machine& m, const block_dim& block,
                                    const access_expression<Wrappers, Nodes>& access,
                                    const grid_dim& grid) {
  if (access.array.memory == memory_space::shared) return traffic(m, block, access) * grid.blocks();
  const auto everywhere = detail::on_grid(access, grid);
  return traffic(m, block, everywhere.access) * everywhere.times;
}

// Returns the sum over several accesses: a list, single accesses, or a kernel; of one block, or of
// a grid. Accesses to shared memory count nothing.
template <detail::of_blocks Where>
BANKMODEL_FN memory_traffic traffic(const machine&, const block_dim&, const access_list<>&,
                                    const Where&) {
  return {};
}
template <class First, class... Rest, detail::of_blocks Where = block_index>
BANKMODEL_FN memory_traffic traffic(const machine& m, const block_dim& block,
                                    const access_list<First, Rest...>& list,
                                    const Where& blocks = {}) {
  return traffic(m, block, list.first, blocks) + traffic(m, block, list.rest, blocks);
}

template <detail::accesses First, detail::accesses Second, detail::accesses... Rest>
BANKMODEL_FN memory_traffic traffic(const machine& m, const block_dim& block, const First& first,
                                    const Second& second, const Rest&... rest) {
  return traffic(m, block, detail::list_of(first, second, rest...));
}

template <class... Accesses, detail::of_blocks Where = block_index>
BANKMODEL_FN memory_traffic traffic(const machine& m, const kernel_description<Accesses...>& kernel,
                                    const Where& blocks = {}) {
  return traffic(m, kernel.block, kernel.accesses, blocks);
}

// Error: a call without a machine, or without a block. It does not compile, and the text says what
// to write.
template <detail::not_a_machine First, class... Rest>
BANKMODEL_FN memory_traffic traffic(const First&, const Rest&...) {
  static_assert(
      detail::is_never<First>,
      "bankmodel: there is no machine; write traffic(nvidia::sm_90, block_dim{32, 8}, access)");
  return {};
}
template <detail::accesses First, class... Rest>
BANKMODEL_FN memory_traffic traffic(const machine&, const First&, const Rest&...) {
  static_assert(detail::is_never<First>,
                "bankmodel: there is no block; write traffic(machine, block_dim{32, 8}, access)");
  return {};
}

}  // namespace bankmodel

#endif
