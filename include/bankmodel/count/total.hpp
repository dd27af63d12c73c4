// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_TOTAL_HPP
#define BANKMODEL_COUNT_TOTAL_HPP

#include <bankmodel/count/detail/laid_out.hpp>
#include <bankmodel/count/detail/split.hpp>

// What an expression costs for a whole thread block: the sum over its warps and iterations of what
// each request costs.
//
// Loops are not walked, and neither are warps: each is kept as an interval of positions that move
// its variable by a step. A filter cuts the interval where lanes join or leave, and each piece
// goes on with its lanes. Bounds that depend on an outer loop make arithmetic series; bounds that
// depend on the thread make the lanes run in lockstep, each from a value of its own, and a filter
// drops those that have finished. So only requests are evaluated that differ in their lanes or in
// how these lie to each other, and, where the base of a request matters for its cost (W > N, or
// accesses below a word), each residue of the base.
//
// Walked value by value are powers and lists; loops that a subscript reads through /, %, &, |, ^
// or >>, for one period; and, where nothing better is known, loops that a subscript, a filter or a
// bound reads in another way (a[i * tx], min(i, tx), i * i < tx, three loops in one comparison, a
// triangle within a triangle, triangles where the base matters). cost.method says whether the
// latter has happened.
namespace bankmodel {

namespace detail {
// A total, and how many requests were evaluated for it.
struct counted_total {
  cost sum;
  std::uint64_t evaluated;
  long long steps_of_lanes;  // see splitter
};

template <int Wrappers, int Nodes>
BANKMODEL_FN access_view view_of(const access_expression<Wrappers, Nodes>& access) {
  return {access.array, access.subscripts, access.subscript, access.vector,
          access.kind,  access.wrappers,   access.depth,     access.nodes};
}

// Of an array whose layout is a sum of pitches.
BANKMODEL_FN counted_total counted_in_rows(const machine& m, const block_dim& block,
                                           const access_view& view, const block_index& at) {
  m.require_valid();
  price costs(m, view.bytes(), view.kind, view.array.element_bytes);
  splitter all(m, block, view, at, costs);
  const method how = all.run();
  cost sum = costs.sum();
  sum.method = how;
  return {sum, costs.evaluated(), all.steps_of_lanes()};
}
// Of any other, the subscripts are seen to be inside it first.
BANKMODEL_FN counted_total counted(const machine& m, const block_dim& block,
                                   const access_view& view, const block_index& at) {
  const counted_total plain = counted_in_rows(m, block, view, at);
  if (view.array.layout.is_strided()) return plain;
  return counted_in_rows(m, block, access_as_laid_out(view, view.array.layout).view(), at);
}

// The total of one access, and how many requests were evaluated for it: for tests.
template <int Wrappers, int Nodes>
BANKMODEL_FN counted_total counted(const machine& m, const block_dim& block,
                                   const access_expression<Wrappers, Nodes>& access,
                                   const block_index& at = {}) {
  return counted(m, block, view_of(access), at);
}
}  // namespace detail

// What one access with its loops and filters costs for a block of threads on `m`: requests,
// wavefronts, ideal, conflicts(), degree, exactly. `at` says which block, where a subscript reads
// bx, by or bz.
//
// Refused: a block without threads or with more than the machine takes; a subscript of an active
// lane outside its extent; a wide access that is not aligned; too few subscripts; a loop variable
// without its loop; more than most_iterations iterations to walk (in a constant expression, some
// hundred: most_steps_in_a_constant_expression); a count or an address that overflows.
//
// In a kernel ask it in a static_assert or a constant: as code that runs on a GPU it compiles, but
// slowly.
//
// total(nvidia::sm_90, block_dim{32, 8}, for_loop(j, range(0, 32, 8), tile[tx][ty + j])) of float
// tile[32][32]: 32 requests, 1024 wavefronts, ideal 32, degree 32.
template <int Wrappers, int Nodes>
BANKMODEL_FN cost total(const machine& m, const block_dim& block,
                        const access_expression<Wrappers, Nodes>& access,
                        const block_index& at = {}) {
  return detail::counted(m, block, access, at).sum;
}

// The sum over several accesses.
BANKMODEL_FN cost total(const machine&, const block_dim&, const access_list<>&,
                        const block_index& = {}) {
  return {};
}
template <class First, class... Rest>
BANKMODEL_FN cost total(const machine& m, const block_dim& block,
                        const access_list<First, Rest...>& list, const block_index& at = {}) {
  return total(m, block, list.first, at) + total(m, block, list.rest, at);
}

// The sum over a kernel's accesses, for its block.
template <class... Accesses>
BANKMODEL_FN cost total(const machine& m, const kernel_description<Accesses...>& kernel,
                        const block_index& at = {}) {
  return total(m, kernel.block, kernel.accesses, at);
}

}  // namespace bankmodel

#endif
