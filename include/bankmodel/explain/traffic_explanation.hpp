// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXPLAIN_TRAFFIC_EXPLANATION_HPP
#define BANKMODEL_EXPLAIN_TRAFFIC_EXPLANATION_HPP

#include <bankmodel/explain/detail/traffic_changes.hpp>
#include <bankmodel/explain/detail/worst_place.hpp>
#include <bankmodel/explain/segments.hpp>
#include <bankmodel/global/excess_by_base.hpp>

// Why an access to global memory is not coalesced: its worst request, the lanes in each segment of
// it, and the changes that help. report.hpp writes it as text, draw.hpp draws its worst request.
//
// Example: float in[1024][1024], read by columns in a block of 32 x 8 threads:
//
//   constexpr auto in = global_array<float>("in", 1024, 1024);
//   constexpr auto read = load(for_loop(j, range(0, 32, 8), in[tx][ty + j]));
//   const auto why = explain_traffic(nvidia::sm_90, block_dim{32, 8}, read);
//   assert(why.all.requests == 32 && why.all.transactions == 1024 && why.all.ideal == 128);
//   assert(why.warp == 0 && why.loop[0].value == 0);  // the request of j = 0 in warp 0
//   assert(why.of_worst.transactions == 32 && why.of_worst.ideal == 4);
//   assert(why.segments.count == 32 && why.segments.each[1].begin == 4096);
//   assert(why.segments.each[1].lanes == 2 && why.segments.each[1].used == 4);
//   assert(why.changes.each[0].after.transactions == 128);  // tx and ty exchanged
//
// The worst request is the first with the most transactions beyond its ideal. Every change has been
// priced with traffic(); those that do not reduce the transactions are left out. They are changes
// of this access alone: what suits another access of the kernel is not considered.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void explain_traffic_must_be_given_an_access_to_global_memory() {
  detail::fail(__func__, "the array is in shared memory; call explain(), which counts banks");
}
}  // namespace rule

// The result of explain_traffic().
struct traffic_explanation {
  array_description array;
  memory_traffic all;  // traffic() of the access
  int access = 0;      // of several accesses, the number of the explained one, from 0

  // ---- the worst request: the first with the most transactions beyond its ideal ----

  request worst;  // no lane is active if the access issues no request
  memory_traffic of_worst;
  int warp = 0;
  int loops = 0;  // the loops around it, the outermost first
  loop_position loop[bankmodel::loop_variables] = {};
  request_segments segments;

  traffic_change_list changes;

  // The transactions that another way to access the same bytes could save.
  BANKMODEL_FN std::uint64_t excess() const { return all.transactions - all.ideal; }
};

namespace detail {

// An access to global memory, counted with its worst request.
struct counted_segments {
  static constexpr memory_space memory = memory_space::global;
  memory_traffic sum;
  found_request worst;

  // Error: as for traffic().
  BANKMODEL_FN void count(const machine& m, const block_dim& block, const access_view& view,
                          const block_index& grid_index) {
    m.require_valid();
    require_global_access(m, view.kind, view.bytes());
    long long work = 0;
    if (!view.array.layout.is_strided()) (void)traffic_in_rows(m, block, view, grid_index, work);
    count_with_worst<excess_by_base>(m, block, view, grid_index, work, sum, worst);
  }
  BANKMODEL_FN std::uint64_t excess() const { return sum.transactions - sum.ideal; }

  // Requires: count(), of that access.
  template <int Wrappers, int Nodes>
  BANKMODEL_FN traffic_explanation explained(const machine& m, const block_dim& block,
                                             const access_expression<Wrappers, Nodes>& access,
                                             const block_index& grid_index) const {
    traffic_explanation result;
    result.array = access.array;
    result.all = sum;
    if (sum.requests == 0) return result;
    place_worst(m, block, grid_index, view_of(access), worst, result);
    result.of_worst = traffic(m, result.worst);
    result.segments = segments_of(m, result.worst);
    if (excess() != 0)
      traffic_changes<Wrappers, Nodes>(m, block, grid_index, access, sum, result.worst)
          .find(result.changes);
    return result;
  }
};

}  // namespace detail

// Returns the reason for an access's transactions: its worst request with warp and iteration, the
// segments that it moves with the lanes in each, and the changes that reduce the transactions of
// the block. The work grows with trip counts only if traffic() enumerates a loop.
// Error: the array is in shared memory; the errors of traffic(), also if all counts together are
// too much work.
// Example:
//
//   constexpr auto a = global_array<float>("a", 1024);
//   const auto why = explain_traffic(nvidia::sm_90, block_dim{32}, load(a[tx + 1]));
//   assert(why.all.transactions == 5 && why.all.ideal == 4);
//   const traffic_change& aligned = why.changes.each[0];
//   assert(aligned.after.transactions == 4 && aligned.array.base_bytes == 124);
template <int Wrappers, int Nodes>
BANKMODEL_FN traffic_explanation explain_traffic(const machine& m, const block_dim& block,
                                                 const access_expression<Wrappers, Nodes>& access,
                                                 const block_index& grid_index = {}) {
  if (access.array.memory == memory_space::shared)
    rule::explain_traffic_must_be_given_an_access_to_global_memory();
  detail::counted_segments counted;
  counted.count(m, block, detail::view_of(access), grid_index);
  return counted.explained(m, block, access, grid_index);
}

// Explains the access to global memory with the most transactions beyond the ideal, the first of
// those; .access is its number, those to shared memory counted too.
// Error: there is no access to global memory.
template <class... Accesses>
BANKMODEL_FN traffic_explanation explain_traffic(const machine& m, const block_dim& block,
                                                 const access_list<Accesses...>& list,
                                                 const block_index& grid_index = {}) {
  detail::worst_access<detail::counted_segments> finder{m, block, grid_index};
  finder.find(list);
  if (finder.number < 0) rule::explain_traffic_must_be_given_an_access_to_global_memory();
  traffic_explanation result;
  finder.next = 0;
  finder.explain_it(list, result);
  result.access = finder.number;
  return result;
}
template <detail::accesses First, detail::accesses Second, detail::accesses... Rest>
BANKMODEL_FN traffic_explanation explain_traffic(const machine& m, const block_dim& block,
                                                 const First& first, const Second& second,
                                                 const Rest&... rest) {
  return explain_traffic(m, block, detail::list_of(first, second, rest...));
}
template <class... Accesses>
BANKMODEL_FN traffic_explanation explain_traffic(const machine& m,
                                                 const kernel_description<Accesses...>& kernel,
                                                 const block_index& grid_index = {}) {
  return explain_traffic(m, kernel.block, kernel.accesses, grid_index);
}

}  // namespace bankmodel

#endif
