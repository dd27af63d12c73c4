// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_OPTIMIZER_HPP
#define BANKMODEL_SEARCH_OPTIMIZER_HPP

#include <bankmodel/core/owned.hpp>
#include <bankmodel/search/detail/plan_search.hpp>
#include <bankmodel/search/plan.hpp>

#include <bankmodel/core/hide_macros.hpp>

// Chooses the layout of a kernel's arrays that costs least.
//
// Example: the transpose through float tile[32][32] in blocks of 32 x 8 threads. It stores rows
// and loads columns:
//
//   constexpr auto tile = shared_array<float>("tile", 32, 32);
//   constexpr auto transpose = kernel(
//       block_dim{32, 8},
//       store(for_loop(j, range(0, 32, 8), tile[ty + j][tx])),   // 32 wavefronts
//       load(for_loop(j, range(0, 32, 8), tile[tx][ty + j])));   // 1024 wavefronts
//   constexpr auto plan = optimize(nvidia::sm_90, transpose);
//   static_assert(plan.before(0).wavefronts == 32 && plan.before(1).wavefronts == 1024);
//   static_assert(plan.before().wavefronts == 1056 && plan.after().wavefronts == 64);
//   static_assert(plan.bytes() == 4224);           // the plan is float tile[32][33]
//   static_assert(plan.layout(tile)(1, 0) == 33);  // tile[1][0] is element 33 of storage
//
// The search chooses, for all arrays together: the layout of each array (padding, or a permutation
// from one of the families in search/options.hpp), their order and offsets, and the bank width if
// the machine has two. It prefers fewest wavefronts; then most resident blocks; then the
// simplest index function; then fewest bytes. `search` changes the order and sets limits:
//
//   constexpr auto tile = shared_array<float>("tile", 32, 32);
//   constexpr auto transpose = kernel(block_dim{32, 8}, store(tile[ty][tx]), load(tile[tx][ty]));
//   const auto small = optimize(nvidia::sm_90, transpose, {.prefer = preference::few_bytes});
//   assert(small.bytes() == 4096 && small.after().conflicts() == 0);
//   assert(small.layout(tile)(3, 5) == 32 * 3 + (5 ^ 3));  // [r][c] is stored at [r][c ^ r]
//   const auto padded =
//       optimize(nvidia::sm_90, transpose, {.layouts = layouts::padding, .shared_bytes = 4096});
//   assert(padded.bytes() == 4096 && padded.after() == padded.before());  // no padding fits
//
// plan.is_optimal() is true if no plan of the searched families has fewer wavefronts, because
// all were tried or no conflict is left. Else it is false, and plan.least_wavefronts() is a lower
// bound: if the effort is spent earlier, and if conflicts are left where a linear layout is
// possible, of which the search tries one. host/search/bounds.hpp gives a bound over all layouts,
// including those that no family expresses.
//
// Why not only padding? It costs bytes, and bytes can cost resident blocks. Why not only
// swizzles? Their index functions cost instructions, and they need suitable extents. So both
// are candidates.
//
// For requests that no expression describes, those of a compiled kernel or of a trace, see
// search/optimize_requests.hpp.
//
// The same call gives the same plan on the host and on the device, as a constant and at run time,
// if plan.is_complete(). At run time it takes at most 64 KiB of stack, and 1.4 MB from the heap
// while it runs. In a constant expression there is less effort (compilers limit
// evaluation), so large kernels may have a better plan at run time; expect_complete
// (search/expect_complete.hpp) is a guard against that. The search does not change which thread
// accesses which element, and it does not count instructions or time.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void a_kernel_to_plan_must_access_shared_memory(long long accesses) {
  detail::fail(__func__,
               "all % accesses of the kernel are to global memory; a plan is of arrays from "
               "shared_array()",
               accesses);
}
}  // namespace rule

namespace detail {

template <class>
inline constexpr int accesses_in = 1;
template <class... Accesses>
inline constexpr int accesses_in<access_list<Accesses...>> = (0 + ... + accesses_in<Accesses>);

template <int Wrappers, int Nodes>
BANKMODEL_FN kernel_access access_to_plan(const access_expression<Wrappers, Nodes>& a) {
  return {&a.array, a.subscripts, a.subscript, a.vector, a.kind, a.wrappers, a.depth, a.nodes};
}
// The accesses of a kernel to shared memory.
template <int Count>
struct accesses_to_plan {
  kernel_access entries[Count];
  int number[Count];  // among all accesses
  int count = 0, total = 0;

  BANKMODEL_FN accesses_to_plan() {}
  template <int Wrappers, int Nodes>
  BANKMODEL_FN void add(const access_expression<Wrappers, Nodes>& a) {
    const int index = total++;
    if (a.array.memory == memory_space::global) return;
    number[count] = index;
    entries[count++] = access_to_plan(a);
  }
  BANKMODEL_FN void add(const access_list<>&) {}
  template <class First, class... Rest>
  BANKMODEL_FN void add(const access_list<First, Rest...>& list) {
    add(list.first);
    add(list.rest);
  }
};

template <class... Accesses, int Count>
BANKMODEL_FN plan_found fill_in(const machine& m, const kernel_description<Accesses...>& kernel,
                                const search& options, layout_plan<Count>& plan) {
  static_assert(Count > 0, "bankmodel: a kernel without accesses has nothing to plan");
  accesses_to_plan<Count> accesses;
  accesses.add(kernel.accesses);
  if (accesses.count == 0) rule::a_kernel_to_plan_must_access_shared_memory(Count);
  const owned<plan_search> work(m, kernel.block, accesses.entries, accesses.count, options);
  const plan_found result = work->run();
  if (result.exists) work->write(plan, accesses.count == Count ? nullptr : accesses.number);
  return result;
}

}  // namespace detail

// Returns the plan with the fewest wavefronts for all accesses of the kernel together, each
// weighted by how often it runs. Among those it is the one with most resident blocks, then with
// the simplest index functions, then with fewest bytes (or as options.prefer orders these three).
// If the effort is spent, it is the best plan found, and is_optimal() is false.
//
//   m       the machine; if it has two bank widths, the plan chooses one
//   kernel  a block shape and its accesses
//   options families, limits in bytes and blocks, preference and effort: see options.hpp
//
// The result: padding of less than a layer of all banks per row is enough (paddings.hpp
// has the proof). Permutations are tried only if they can beat padding; XOR swizzles and
// rotations also of padded rows. Every wide access stays aligned and whole. Arrays are placed
// by the plan, not by .at(). If costs depend on the base (Kepler), permuted arrays begin at a
// layer of all banks.
//
// Accesses to global memory are left out; their costs in the plan are 0.
//
// Error: no access is to shared memory; the arrays do not fit the limit; two arrays have one name
// (two calls of shared_array(), or .at() and .with() that differ); more than 16 arrays; search.keep
// names an array that no access uses; rows that a copy engine cannot write, or that are not
// search.row_stride_bytes apart and may not be padded; a negative field of `options`; the errors of
// total().
//
// Example: each row is padded by one element:
//
//   constexpr auto tile = shared_array<float>("tile", 32, 32);
//   constexpr auto plan =
//       optimize(nvidia::sm_90, kernel(block_dim{32, 8}, load(tile[tx][ty])));
//   static_assert(plan.bytes() == 4224 && plan.after().conflicts() == 0);
template <class... Accesses>
BANKMODEL_FN auto optimize(const machine& m, const kernel_description<Accesses...>& kernel,
                           const search& options = {}) {
  layout_plan<detail::accesses_in<access_list<Accesses...>>> plan;
  const auto result = detail::fill_in(m, kernel, options, plan);
  if (!result.exists) rule::the_arrays_of_a_kernel_must_fit(result.minimum, result.maximum);
  return plan;
}

// Error: a call without a machine, or with accesses instead of a kernel. It does not compile, and
// the text says what to write.
template <detail::not_a_machine First, class... Rest>
BANKMODEL_FN layout_plan<1> optimize(const First&, const Rest&...) {
  static_assert(detail::is_never<First>,
                "bankmodel: there is no machine; write optimize(nvidia::sm_90, "
                "kernel(block_dim{32, 8}, access))");
  return {};
}
template <detail::accesses First, class... Rest>
BANKMODEL_FN layout_plan<1> optimize(const machine&, const First&, const Rest&...) {
  static_assert(
      detail::is_never<First>,
      "bankmodel: there is no kernel; write optimize(machine, kernel(block_dim{32, 8}, access))");
  return {};
}

}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
