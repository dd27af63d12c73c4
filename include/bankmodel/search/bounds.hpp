// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_BOUNDS_HPP
#define BANKMODEL_SEARCH_BOUNDS_HPP

#include <bankmodel/search/detail/table_search.hpp>
#include <bankmodel/search/optimizer.hpp>

#include <cstdint>
#include <vector>

// What any layout at all could reach, families or not, on the host.
//
// A layout decides in which bank each element lies, and a phase takes one pass if its elements lie
// in banks of their own. Where the phases of all accesses to an array can be split into two sides,
// so that no two of one side share an element, each element is an edge between a phase of the one
// side and a phase of the other: a bipartite multigraph, in which no phase has more edges than
// there are banks. Its edges can be coloured with as many colours, the edges of a phase all
// differently, and evenly: existence/edge_colouring.hpp. Colours are banks. So the array needs no
// byte more than its own, rounded up to a row of all banks. Two accesses that go through a tile
// once each, such as by rows and by columns, are the ordinary case: for them a layout without a
// conflict always exists.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void accesses_of_one_table_must_be_of_one_array() {
  detail::fail(__func__,
               "a table for accesses of several arrays or of none; ask for a table for each array");
}
[[noreturn]] BANKMODEL_FN void a_plan_must_be_compared_with_what_its_kernel_can_reach(
    long long ideal, long long wavefronts) {
  detail::fail(__func__,
               "a plan of a kernel with % wavefronts at best, compared with a kernel with %; ask "
               "possible() for the plan's own kernel",
               ideal, wavefronts);
}
}  // namespace rule

// A table in which no phase of these accesses to one array has a conflict, of the array's elements
// rounded up to a row of all banks: each request takes its ideal number of wavefronts.
//
// Required: the accesses' phases, without those whose elements all lie in another, can be split
// into two sides so that within a side no two share an element; each phase touches at most as many
// elements as lie side by side in all banks. Two accesses that touch each element at most once,
// such as a row's and a column's, always can, and so can any others that repeat their phases or
// parts of them. Then such a table exists (see the top of this file); otherwise the accesses are
// refused, though one may exist. Further refused: accesses of several arrays, vectorized ones,
// loads and stores that the machine serves in different banks, more than most_table_elements
// elements or most_table_iterations iterations, and whatever total() refuses. The array may begin
// at any word.
//
// conflict_free_table(nvidia::sm_90, block_dim{32, 32}, store(tile[ty][tx]), load(tile[tx][ty]))
// of float tile[32][32] has 1024 elements, and both accesses take 32 wavefronts for their 32
// requests.
template <detail::accesses... Accesses>
  requires(sizeof...(Accesses) > 0)
table_layout conflict_free_table(const machine& m, const block_dim& block,
                                 const Accesses&... accesses) {
  const auto list = detail::list_of(accesses...);
  const auto each = detail::counted_accesses(m, block, list);
  if (each.empty()) rule::accesses_of_one_table_must_be_of_one_array();
  detail::table_search work(each.front().view.array);
  for (const auto& one : each) {
    if (one.view.array != each.front().view.array)
      rule::accesses_of_one_table_must_be_of_one_array();
    work.add(m, block, one);
  }
  return work.required();
}

// The same for phases that no subscript says: each a list of the row-major numbers of the elements
// that it touches, with accesses of one direction.
//
// Of int a[4] in 2 banks, phases {0, 1}, {2, 3} and {0, 2}, {1, 3}: elements 0 and 3 lie in one
// bank, 1 and 2 in the other.
inline table_layout conflict_free_table(const machine& m, const array_description& array,
                                        const std::vector<std::vector<int>>& phases,
                                        access_kind kind = access_kind::load) {
  m.require_valid();
  detail::table_search work(array);
  work.add(m, kind, {});
  for (const auto& phase : phases) work.add(m, kind, phase);
  return work.required();
}

// What an access costs where its array lies in a table, from the array's own base on: counted
// request by request. Refused: a table of other extents, vectorized accesses, more than
// most_table_iterations iterations, and whatever total() refuses.
template <int Wrappers, int Nodes>
cost total(const machine& m, const block_dim& block,
           const access_expression<Wrappers, Nodes>& access, const table_layout& table,
           const block_index& at = {}) {
  const array_description& array = access.array;
  const cost known = total(m, block, access, at);
  if (!table.is_for(array.layout))
    rule::a_layout_must_have_the_extents_of_its_array(table.rank(), array.layout.rank);
  if (access.vector != 1)
    rule::accesses_through_a_table_must_touch_one_element_a_lane(access.vector,
                                                                 array.element_bytes);
  cost sum;
  request r{.active = 0, .bytes = array.element_bytes, .kind = access.kind};
  detail::for_each_request(
      m, block, at, detail::view_of(access), known, [&](std::uint64_t active, const int* element) {
        r.active = active;
        for (int lane = 0; lane < m.lanes; ++lane)
          r.address[lane] =
              array.base_bytes +
              static_cast<long long>(table.table()[static_cast<std::size_t>(element[lane])]) *
                  r.bytes;
        sum = sum + total(m, r);
      });
  return sum;
}

// The sum over several accesses to that array.
template <class... Accesses>
cost total(const machine& m, const block_dim& block, const access_list<Accesses...>& list,
           const table_layout& table, const block_index& at = {}) {
  cost sum;
  for_each_access(list,
                  [&](const auto& access) { sum = sum + total(m, block, access, table, at); });
  return sum;
}

// ---- what is possible at all ----

// How few wavefronts a kernel could take with any layouts of its arrays, in families or not.
struct possibility {
  std::uint64_t wavefronts = 0;  // no layouts take fewer
  bool reached = false;          // whether some are known to take no more

  // By how many wavefronts a plan's families are above that: 0 where it has no conflict left.
  // Refused: another kernel's.
  template <int Accesses>
  std::uint64_t beyond(const layout_plan<Accesses>& plan) const {
    const cost after = plan.after();
    if (after.ideal != wavefronts)
      rule::a_plan_must_be_compared_with_what_its_kernel_can_reach(
          static_cast<long long>(after.ideal), static_cast<long long>(wavefronts));
    return after.wavefronts - wavefronts;
  }
};

// The sum of what the kernel's accesses take without a conflict, on `m` with the bank width that
// it has; it is known to be reached where each array has no conflict as it is declared, or has a
// table as conflict_free_table() makes them. Limits of shared memory are not looked at. Refused:
// what total() refuses, two arrays of one name that are declared differently, and, for an array
// with conflicts, one that is too large for a table or accesses with too many iterations.
//
// possible(nvidia::sm_90, kernel(block_dim{32, 8}, load(tile[tx][ty]))) of float tile[32][8]: 8
// wavefronts, reached.
template <class... Accesses>
possibility possible(const machine& m, const kernel_description<Accesses...>& kernel) {
  const auto each = detail::counted_accesses(m, kernel.block, kernel);
  possibility result{0, true};
  for (std::size_t first = 0; first < each.size(); ++first) {
    const array_description& array = each[first].view.array;
    result.wavefronts = detail::checked_count_sum(result.wavefronts, each[first].declared.ideal);
    std::vector<detail::counted_access> of_array;
    bool is_first = true, conflicts = false;
    for (std::size_t other = 0; other < each.size(); ++other) {
      if (each[other].view.array.name != array.name) continue;
      if (each[other].view.array != array)
        rule::arrays_of_one_name_must_be_declared_alike(static_cast<long long>(other));
      is_first = is_first && other >= first;
      conflicts = conflicts || each[other].declared.conflicts() != 0;
      of_array.push_back(each[other]);
    }
    if (!is_first || !conflicts) continue;
    detail::table_search work(array);
    for (const auto& one : of_array) work.add(m, kernel.block, one);
    if (!work.run()) result.reached = false;
  }
  return result;
}

}  // namespace bankmodel

#endif
