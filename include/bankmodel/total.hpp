// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TOTAL_HPP
#define BANKMODEL_TOTAL_HPP

#include <bankmodel/counting/walk.hpp>

// What an expression costs for a whole thread block: the sum over its warps and iterations of what each request costs.
//
// Warps are walked one after the other through the loops and filters, as the hardware does. Three observations keep the
// work down without an approximation. A loop whose variable nothing inside reads is walked once and multiplied. Where
// the lanes' part of the subscripts is apart from the loops', iterations only move the base; a request then costs what
// another with the same lanes did whose base differs by a layer of all banks, or by words where W = N (whole words
// rotate the banks), so each residue is evaluated once. And inner loops and whole warps that move the base by the same
// amount each time need no walking: their residues are progressions.
namespace bankmodel {

namespace detail {
// The total of one access, and how many requests were evaluated for it: for tests.
template <int Wrappers, int Nodes>
BANKMODEL_FN constexpr counted_total counted(const machine& m, const block_dim& block, const access_expression<Wrappers, Nodes>& access,
                                             const block_index& at = {}) {
  const access_view view{access.array, access.subscripts, access.subscript, access.vector,
                         access.way,   access.wrappers,   access.depth,     access.nodes};
  return walk(m, block, view, at).run();
}
}  // namespace detail

// What one access with its loops and filters costs for a block of threads on `m`: requests, wavefronts, ideal,
// conflicts(), degree, exactly. `at` says which block, where a subscript reads bx, by or bz.
//
// Refused: a block without threads or with more than the machine takes; a subscript of an active lane outside its
// extent; a wide access that is not aligned; too few subscripts; a loop variable without its loop; more than
// most_iterations iterations to walk (in a constant expression, some hundred: most_steps_in_a_constant_expression); a
// count or an address that overflows.
//
// In a kernel ask it in a static_assert or a constant: as code that runs on a GPU it compiles, but slowly.
//
// total(nvidia::sm_90, block_dim{32, 8}, for_loop(j, range(0, 32, 8), tile[tx][ty + j])) of float tile[32][32]:
// 32 requests, 1024 wavefronts, ideal 32, degree 32.
template <int Wrappers, int Nodes>
BANKMODEL_FN constexpr cost total(const machine& m, const block_dim& block, const access_expression<Wrappers, Nodes>& access,
                                  const block_index& at = {}) {
  return detail::counted(m, block, access, at).sum;
}

// The sum over several accesses.
BANKMODEL_FN constexpr cost total(const machine&, const block_dim&, const access_list<>&, const block_index& = {}) { return {}; }
template <class First, class... Rest>
BANKMODEL_FN constexpr cost total(const machine& m, const block_dim& block, const access_list<First, Rest...>& list,
                                  const block_index& at = {}) {
  return total(m, block, list.first, at) + total(m, block, list.rest, at);
}

// The sum over a kernel's accesses, for its block.
template <class... Accesses>
BANKMODEL_FN constexpr cost total(const machine& m, const kernel_description<Accesses...>& kernel, const block_index& at = {}) {
  return total(m, kernel.block, kernel.accesses, at);
}

}  // namespace bankmodel

#endif
