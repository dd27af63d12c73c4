// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_SEARCH_BOUNDS_HPP
#define BANKMODEL_HOST_SEARCH_BOUNDS_HPP

#include <bankmodel/host/search/detail/table_search.hpp>
#include <bankmodel/search/optimizer.hpp>

#include <cstdint>
#include <vector>

// Bounds over all layouts, including those that no family expresses (host only).
//
// A layout decides in which bank each element is stored. A phase takes one pass if its elements
// are in different banks. Suppose that the phases of all accesses to an array can be split into
// two sides so that no two phases of one side share an element. Then each element is an edge
// between a phase of one side and a phase of the other: a bipartite multigraph, in which no
// phase has more edges than there are banks. Its edges can be coloured with that many colours
// so that the edges of each phase have different colours, and so that the colours are used
// evenly (detail/edge_colouring.hpp). Colours are banks. So the array needs no more bytes
// than its own, rounded up to a row of all banks. Two accesses that each read or write every
// element of a tile once, such as by rows and by columns, are the usual case: a layout without
// a conflict always exists for them.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void accesses_of_one_table_must_be_of_one_array() {
  detail::fail(__func__,
               "the accesses of a table are of several arrays, or there are none; make one "
               "table for each array");
}
[[noreturn]] BANKMODEL_FN void a_plan_must_be_compared_with_what_its_kernel_can_reach(
    long long ideal, long long wavefronts) {
  detail::fail(__func__,
               "a plan whose kernel takes % wavefronts without conflicts is compared with a "
               "kernel that takes %; call possible() with the plan's own kernel",
               ideal, wavefronts);
}
}  // namespace rule

// Returns a table (a layout given element by element) with which no phase of these accesses to
// one array has a conflict: each request takes its ideal number of wavefronts. The table has
// the array's elements, rounded up to a row of all banks. The array may begin at any word.
// Requires: the phases, without those whose elements are all in another phase, can be split
// into two sides so that no two phases of a side share an element; each phase touches at most
// as many elements as all banks hold side by side. This always holds for two accesses that
// touch each element at most once, such as rows and columns, plus accesses that repeat their
// phases or parts of them.
// Error: a requirement is not met (a table may still exist); accesses of several arrays or
// vectorized ones; loads and stores that the machine serves in different banks; more than
// most_table_elements elements or most_table_requests requests; the errors of total().
// Example:
//
//   constexpr auto tile = shared_array<float>("tile", 32, 32);
//   constexpr block_dim block{32, 32};
//   const auto table =
//       conflict_free_table(nvidia::sm_90, block, store(tile[ty][tx]), load(tile[tx][ty]));
//   assert(table.size() == 1024);
//   assert(total(nvidia::sm_90, block, load(tile[tx][ty]), table).wavefronts == 32);
template <detail::accesses... Accesses>
  requires(sizeof...(Accesses) > 0)
table_layout conflict_free_table(const machine& m, const block_dim& block,
                                 const Accesses&... accesses) {
  const auto list = detail::list_of(accesses...);
  const auto counted = detail::counted_accesses(m, block, list);
  if (counted.empty()) rule::accesses_of_one_table_must_be_of_one_array();
  detail::table_search work(counted.front().view.array);
  for (const auto& access : counted) {
    if (access.view.array != counted.front().view.array)
      rule::accesses_of_one_table_must_be_of_one_array();
    work.add(m, block, access);
  }
  return work.required();
}

// Returns the same for phases given as lists of elements: each list has the row-major numbers
// of the elements that one phase touches, with accesses of kind `kind`.
// Requires: as above.
// Error: as above.
// Example: int a[4] in 2 banks. Elements 0 and 3 are in one bank, 1 and 2 in the other:
//
//   machine two_banks;
//   two_banks.lanes = 2;
//   two_banks.loads.up_to_4 = two_banks.stores.up_to_4 = {.bank_num = 2, .W = 4, .N = 4};
//   const auto table = conflict_free_table(two_banks, shared_array<int>("a", 4),
//                                          {{0, 1}, {2, 3}, {0, 2}, {1, 3}});
//   assert(table(0) % 2 == table(3) % 2 && table(1) % 2 == table(2) % 2);
//   assert(table(0) % 2 != table(1) % 2);
inline table_layout conflict_free_table(const machine& m, const array_description& array,
                                        const std::vector<std::vector<int>>& phases,
                                        access_kind kind = access_kind::load) {
  m.require_valid();
  detail::table_search work(array);
  work.add(m, kind, {});
  for (const auto& phase : phases) work.add(m, kind, phase);
  return work.required();
}

// Returns the cost of an access if its array has the layout of the table, counted request by
// request.
// Error: the table has other extents; the access is vectorized; more than most_table_requests
// requests; the errors of total().
template <int Wrappers, int Nodes>
cost total(const machine& m, const block_dim& block,
           const access_expression<Wrappers, Nodes>& access, const table_layout& table,
           const block_index& grid_index = {}) {
  const array_description& array = access.array;
  (void)total(m, block, access, grid_index);  // its errors
  if (!table.is_for(array.layout))
    rule::a_layout_must_have_the_extents_of_its_array(table.rank(), array.layout.rank);
  if (access.vector != 1)
    rule::accesses_through_a_table_must_touch_one_element_a_lane(access.vector,
                                                                 array.element_bytes);
  cost sum;
  request r{.active = 0, .bytes = array.element_bytes, .kind = access.kind};
  detail::for_each_request(
      m, block, grid_index, detail::view_of(access),
      [&](std::uint64_t active, const int* element, std::uint64_t times) {
        r.active = active;
        for (int lane = 0; lane < m.lanes; ++lane)
          r.address[lane] =
              array.base_bytes +
              static_cast<long long>(table.table()[static_cast<std::size_t>(element[lane])]) *
                  r.bytes;
        sum = sum + total(m, r) * times;
      });
  return sum;
}

// Returns the sum over several accesses to that array.
template <class... Accesses>
cost total(const machine& m, const block_dim& block, const access_list<Accesses...>& list,
           const table_layout& table, const block_index& grid_index = {}) {
  cost sum;
  for_each_access(
      list, [&](const auto& access) { sum = sum + total(m, block, access, table, grid_index); });
  return sum;
}

// ---- the bound over all layouts ----

// The fewest wavefronts that a kernel could take with any layouts of its arrays.
struct possibility {
  std::uint64_t wavefronts = 0;  // a lower bound for all layouts
  bool reached = false;          // true if some layouts are known to take no more

  // Returns the gap in wavefronts between a plan and this bound; 0 if the plan has no
  // conflicts.
  // Error: the plan is for another kernel.
  template <int Accesses>
  std::uint64_t excess(const layout_plan<Accesses>& plan) const {
    const cost planned = plan.after();
    if (planned.ideal != wavefronts)
      rule::a_plan_must_be_compared_with_what_its_kernel_can_reach(
          static_cast<long long>(planned.ideal), static_cast<long long>(wavefronts));
    return planned.wavefronts - wavefronts;
  }
};

// Returns the sum of the ideal wavefronts of the kernel's accesses on `m`, with its present
// bank width. It is known to be reached if each array has no conflict as declared, or has a
// table from conflict_free_table(). Limits of shared memory are ignored.
// Error: two arrays of one name are declared differently; an array with conflicts is too large
// for a table, or its accesses have too many requests; the errors of total().
// Example:
//
//   constexpr auto tile = shared_array<float>("tile", 32, 8);
//   const auto bound = possible(nvidia::sm_90, kernel(block_dim{32, 8}, load(tile[tx][ty])));
//   assert(bound.wavefronts == 8 && bound.reached);
template <class... Accesses>
possibility possible(const machine& m, const kernel_description<Accesses...>& kernel) {
  const auto counted = detail::counted_accesses(m, kernel.block, kernel);
  possibility result{0, true};
  for (std::size_t first = 0; first < counted.size(); ++first) {
    const array_description& array = counted[first].view.array;
    result.wavefronts = detail::checked_count_sum(result.wavefronts, counted[first].declared.ideal);
    std::vector<detail::counted_access> of_array;
    bool is_first = true, conflicts = false;
    for (std::size_t other = 0; other < counted.size(); ++other) {
      if (counted[other].view.array.name != array.name) continue;
      const array_description& namesake = counted[other].view.array;
      if (namesake != array)
        rule::arrays_of_one_name_must_be_declared_alike(static_cast<long long>(other));
      if (namesake.place != array.place)
        rule::arrays_of_one_name_must_be_one_array(static_cast<long long>(other),
                                                   namesake.place.line, array.place.line);
      is_first = is_first && other >= first;
      conflicts = conflicts || counted[other].declared.conflicts() != 0;
      of_array.push_back(counted[other]);
    }
    if (!is_first || !conflicts) continue;
    detail::table_search work(array);
    for (const auto& access : of_array) work.add(m, kernel.block, access);
    if (!work.run()) result.reached = false;
  }
  return result;
}

}  // namespace bankmodel

#endif
