// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_TOTAL_HPP
#define BANKMODEL_COUNT_TOTAL_HPP

#include <bankmodel/count/detail/laid_out.hpp>
#include <bankmodel/count/detail/price.hpp>
#include <bankmodel/count/detail/split.hpp>

// The cost of an access for a whole thread block: the sum of the costs of its requests over all
// warps and iterations.
//
// Neither loops nor warps are enumerated. Each is represented as an interval of iterations with a
// fixed step. A filter cuts the interval at the positions at which lanes become active or inactive.
// Bounds that depend on an outer loop give arithmetic series; bounds that depend on the thread
// become a filter. So a request is evaluated once for each set of active lanes and each distance
// between them, and, if its base address matters (W > N, or accesses narrower than a word), once
// for each residue of the base.
//
// These are enumerated: powers() and values(); for one period, loops that a subscript reads through
// / % & | ^ or >>; and loops that a subscript, a filter or a bound reads in another way (a[i * tx],
// min(i, tx), i * i < tx, three loops in one comparison, a triangle within a triangle; if the base
// matters, also two triangles around one access). Only in this last case is cost.method
// each_request.
namespace bankmodel {

namespace detail {
// A total, the number of requests evaluated for it, and about the steps of clang that it took.
struct counted_total {
  cost sum;
  std::uint64_t evaluated;
  long long work;
};

// The total of an access as if its array's layout were strided. If it is not, only the subscripts
// are checked against the extents. `work`: the steps that were taken before.
[[gnu::noinline]] BANKMODEL_FN counted_total counted_in_rows(const machine& m,
                                                             const block_dim& block,
                                                             const access_view& view,
                                                             const block_index& grid_index,
                                                             long long work) {
  m.require_valid();
  price costs(m, view.bytes(), view.kind, view.array.element_bytes);
  splitter block_splitter(m, block, view, grid_index, costs);
  if (!view.array.layout.is_strided() && block_splitter.stays_within()) return {{}, 0, work};
  const method counting_method = block_splitter.run(work);
  cost sum = costs.sum();
  sum.method = counting_method;
  return {sum, costs.evaluated(), block_splitter.work()};
}
// The same with the subscripts that a permuted layout makes of them: these take 32 KiB, so they
// have a frame of their own, which other accesses do not pay for.
[[gnu::noinline]] BANKMODEL_FN counted_total counted_as_laid_out(const machine& m,
                                                                 const block_dim& block,
                                                                 const access_view& view,
                                                                 const block_index& grid_index,
                                                                 long long work) {
  return counted_in_rows(m, block, access_as_laid_out(view, view.array.layout).view(), grid_index,
                         work);
}
// The total of an access of any array. If the layout is not strided, the subscripts are first
// checked with strides alone: access_as_laid_out does not check them.
BANKMODEL_FN counted_total counted(const machine& m, const block_dim& block,
                                   const access_view& view, const block_index& grid_index,
                                   long long work = 0) {
  if (view.array.memory == memory_space::global) return {{}, 0, work};
  const counted_total plain = counted_in_rows(m, block, view, grid_index, work);
  if (view.array.layout.is_strided()) return plain;
  return counted_as_laid_out(m, block, view, grid_index, plain.work);
}

// The same of an expression, for tests.
template <int Wrappers, int Nodes>
BANKMODEL_FN counted_total counted(const machine& m, const block_dim& block,
                                   const access_expression<Wrappers, Nodes>& access,
                                   const block_index& grid_index = {}) {
  return counted(m, block, view_of(access), grid_index);
}
}  // namespace detail

// Returns the exact cost of one access, with its loops and filters, for a block of threads on `m`.
// `grid_index` is the block's index, for subscripts that contain bx, by or bz. In device code use
// it in constant expressions only. It also runs on the GPU, but slowly.
// Error: a block without threads, or with more than the machine allows; a subscript of an active
// lane outside its extent; a wide access that is not aligned; too few subscripts; a loop variable
// without its loop; more than most_iterations iterations to enumerate (in a constant expression
// some hundred: most_steps_in_a_constant_expression), or more work than most_work(), about a
// second; a count or an address that overflows.
// Example:
//
//   constexpr auto tile = shared_array<float>("tile", 32, 32);
//   constexpr auto columns = for_loop(j, range(0, 32, 8), tile[tx][ty + j]);
//   static_assert(total(nvidia::sm_90, block_dim{32, 8}, columns) == cost{32, 1024, 32, 32});
template <int Wrappers, int Nodes>
BANKMODEL_FN cost total(const machine& m, const block_dim& block,
                        const access_expression<Wrappers, Nodes>& access,
                        const block_index& grid_index = {}) {
  return detail::counted(m, block, access, grid_index).sum;
}

// Returns the sum over several accesses: a list that for_loop() or if_threads() of several bodies
// returns, or single accesses, total(m, block, load(a[tx]), store(b[ty])).
BANKMODEL_FN cost total(const machine&, const block_dim&, const access_list<>&,
                        const block_index& = {}) {
  return {};
}
template <class First, class... Rest>
BANKMODEL_FN cost total(const machine& m, const block_dim& block,
                        const access_list<First, Rest...>& list,
                        const block_index& grid_index = {}) {
  return total(m, block, list.first, grid_index) + total(m, block, list.rest, grid_index);
}

template <detail::accesses First, detail::accesses Second, detail::accesses... Rest>
BANKMODEL_FN cost total(const machine& m, const block_dim& block, const First& first,
                        const Second& second, const Rest&... rest) {
  return total(m, block, first) + total(m, block, detail::list_of(second, rest...));
}

// Returns the sum over a kernel's accesses, for its block.
template <class... Accesses>
BANKMODEL_FN cost total(const machine& m, const kernel_description<Accesses...>& kernel,
                        const block_index& grid_index = {}) {
  return total(m, kernel.block, kernel.accesses, grid_index);
}

// Error: a call without a machine, or without a block. It does not compile, and the text says what
// to write.
template <detail::not_a_machine First, class... Rest>
BANKMODEL_FN cost total(const First&, const Rest&...) {
  static_assert(
      detail::is_never<First>,
      "bankmodel: there is no machine; write total(nvidia::sm_90, block_dim{32, 8}, access)");
  return {};
}
template <detail::accesses First, class... Rest>
BANKMODEL_FN cost total(const machine&, const First&, const Rest&...) {
  static_assert(detail::is_never<First>,
                "bankmodel: there is no block; write total(machine, block_dim{32, 8}, access)");
  return {};
}

}  // namespace bankmodel

#endif
