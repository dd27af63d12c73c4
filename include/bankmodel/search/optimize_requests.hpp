// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_OPTIMIZE_REQUESTS_HPP
#define BANKMODEL_SEARCH_OPTIMIZE_REQUESTS_HPP

#include <bankmodel/count/request_classes.hpp>
#include <bankmodel/search/detail/class_requests.hpp>
#include <bankmodel/search/optimizer.hpp>

// optimize() for requests that no expression describes: those of a compiled kernel or of a trace.
//
// The requests to each array are request classes. Their addresses are bytes into the array in
// packed rows: base 0, row after row, without padding. So element [r][c] of float tile[32][32] is
// at byte 4 * (32 * r + c), wherever and however the kernel stores it now.
//
// Example: one warp reads a column of float tile[32][32]. It takes 32 wavefronts. With the plan,
// rows of 33 floats, it takes 1:
//
//   constexpr auto tile = shared_array<float>("tile", 32, 32);
//   request_class column{.lanes = {.active = 0xffffffff, .bytes = 4}};
//   for (int lane = 0; lane < 32; ++lane) column.lanes.address[lane] = 4 * 32 * lane;
//   const auto plan = optimize(nvidia::sm_90, block_dim{32}, tile, &column, 1);
//   assert(plan.before().wavefronts == 32 && plan.after().wavefronts == 1 && plan.bytes() == 4224);
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void an_array_to_plan_must_have_requests(long long array,
                                                                   long long classes) {
  detail::fail(__func__,
               "array % (counted from 0) has % request classes, and none with an active lane; pass "
               "the requests to it, or leave it out",
               array, classes);
}
[[noreturn]] BANKMODEL_FN void requests_must_be_of_whole_elements(long long bytes,
                                                                  long long element_bytes) {
  detail::fail(__func__,
               "a request of % bytes for each lane is not one of whole elements of % bytes; make "
               "the width of the narrowest request the element of the array",
               bytes, element_bytes);
}
[[noreturn]] BANKMODEL_FN void requests_must_begin_at_an_element(long long address,
                                                                 long long element_bytes) {
  detail::fail(__func__,
               "a request at byte % of an array, or a step of that size, is no multiple of its "
               "elements of % bytes; count bytes from the first element",
               address, element_bytes);
}
[[noreturn]] BANKMODEL_FN void requests_must_lie_within_their_array(long long first, long long last,
                                                                    long long bytes) {
  detail::fail(__func__,
               "request classes touch bytes % to % of an array of % bytes; count bytes from its "
               "first element, in rows without padding",
               first, last, bytes);
}
}  // namespace rule

// The requests to one array: `count` classes. The pointer must be valid while optimize() runs.
struct array_requests {
  array_description array;
  const request_class* classes = nullptr;
  int count = 0;
};

namespace detail {

// The pairs of a width and a kind that requests can have.
constexpr int most_kinds_of_requests = 6 * 7;

// Error: the classes of array number `which` are not such of its elements, or there are none.
BANKMODEL_FN void require_requests(const machine& m, const array_requests& to, int which) {
  const long long element = to.array.element_bytes;
  long long size = element;
  for (int d = 0; d < to.array.layout.rank; ++d)
    size = checked_multiply(size, to.array.layout.extent[d]);
  bool any = false;
  for (int at = 0; at < to.count; ++at) {
    const request_class& one = to.classes[at];
    if (one.times < 1 || one.loops < 0 || one.loops > request_class::max_loops)
      rule::a_request_class_must_have_requests(one.loops, static_cast<long long>(one.times));
    const std::uint64_t beyond = one.lanes.active & ~(~std::uint64_t{0} >> (max_lanes - m.lanes));
    if (beyond != 0) rule::active_lanes_must_be_of_the_warp(trailing_zeros(beyond), m.lanes);
    long long lowest = int64_max, highest = int64_min;
    for (std::uint64_t rest = one.lanes.active; rest != 0; rest &= rest - 1) {
      const long long address = checked_add(one.base, one.lanes.address[trailing_zeros(rest)]);
      if (address % element != 0) rule::requests_must_begin_at_an_element(address, element);
      if (address < lowest) lowest = address;
      if (address > highest) highest = address;
    }
    for (int level = 0; level < one.loops; ++level) {
      const progression& loop = one.loop[level];
      if (loop.trips < 1)
        rule::a_request_class_must_have_requests(loop.trips, static_cast<long long>(one.times));
      if (loop.trips == 1 || one.lanes.active == 0) continue;
      if (loop.step % element != 0) rule::requests_must_begin_at_an_element(loop.step, element);
      const long long reach = checked_multiply(loop.step, loop.trips - 1);
      (reach < 0 ? lowest : highest) = checked_add(reach < 0 ? lowest : highest, reach);
    }
    if (one.lanes.active == 0) continue;
    any = true;
    (void)m.served(one.lanes.bytes, one.lanes.kind);  // its errors
    if (one.lanes.bytes % element != 0)
      rule::requests_must_be_of_whole_elements(one.lanes.bytes, element);
    const long long last = checked_add(highest, one.lanes.bytes - 1);
    if (lowest < 0 || last >= size) rule::requests_must_lie_within_their_array(lowest, last, size);
  }
  if (!any) rule::an_array_to_plan_must_have_requests(which, to.count);
}

// The classes of one array as accesses of a kernel, one for each width and kind.
BANKMODEL_FN void collect(const array_requests& from, class_requests* given, kernel_access* to,
                          int& count) {
  const int first = count;
  for (int at = 0; at < from.count; ++at) {
    const request& lanes = from.classes[at].lanes;
    int same = first;
    while (same < count && !given[same].contains(from.classes[at])) ++same;
    if (lanes.active == 0 || same < count) continue;
    given[count].set(from.classes, from.count, lanes.bytes, lanes.kind);
    to[count] = {&from.array,  0,       nullptr, lanes.bytes / from.array.element_bytes,
                 lanes.kind,   nullptr, 0,       nullptr,
                 &given[count]};
    ++count;
  }
}

// The classes of several arrays as accesses of a kernel, with the number of the array of each.
template <int Arrays>
struct accesses_of_classes {
  BANKMODEL_FN accesses_of_classes() {}

  class_requests given[Arrays * most_kinds_of_requests];
  kernel_access accesses[Arrays * most_kinds_of_requests];
  int of[Arrays * most_kinds_of_requests], count = 0;
};

template <int Arrays>
BANKMODEL_FN plan_found fill_in(const machine& m, const block_dim& block,
                                const array_requests (&arrays)[Arrays], const search& how,
                                layout_plan<Arrays>& plan) {
  m.require_valid();
  (void)warp_groups(m, block);  // its errors
  for (int at = 0; at < Arrays; ++at) require_requests(m, arrays[at], at);
  const owned<accesses_of_classes<Arrays>> all;
  for (int at = 0; at < Arrays; ++at) {
    const int first = all->count;
    collect(arrays[at], all->given, all->accesses, all->count);
    for (int access = first; access < all->count; ++access) all->of[access] = at;
  }
  const owned<plan_search> work(m, block, all->accesses, all->count, how);
  const plan_found result = work->run();
  if (result.found) work->write(plan, all->of);
  return result;
}

}  // namespace detail

// Returns the plan with the fewest wavefronts for the given requests to several arrays, by the same
// search and in the same order of preference as for a kernel: see optimizer.hpp. Access number k of
// the plan is all requests of arrays[k], so plan.after(k) is their cost.
//
//   m       the machine; if it has two bank widths, the plan chooses one
//   block   the block that makes the requests: its threads limit the resident blocks
//   arrays  the arrays, each with its request classes; at most 16
//   how     families, limits in bytes and blocks, preference and effort: see options.hpp
//
// Loops of a class may leave a row of the array; then the class is split at the rows. Layouts that
// cannot be tried within the effort are not, and is_optimal() is false.
//
// Error: an array without requests; a request outside its array, of parts of elements, across the
// end of a row, or not aligned in the declared layout; a width that the machine has not; lanes that
// it has not; a loop or a class of no request, or of more than nine loops; more than
// most_progressions_of_classes progressions; the errors of optimize() for a kernel.
template <int Arrays>
BANKMODEL_FN layout_plan<Arrays> optimize(const machine& m, const block_dim& block,
                                          const array_requests (&arrays)[Arrays],
                                          const search& how = {}) {
  layout_plan<Arrays> plan;
  const auto result = detail::fill_in(m, block, arrays, how, plan);
  if (!result.found) rule::the_arrays_of_a_kernel_must_fit(result.least, result.most);
  return plan;
}

// The same for one array and its `count` request classes.
// Example: the classes of a kernel give the plan of that kernel:
//
//   constexpr auto tile = shared_array<float>("tile", 32, 32);
//   constexpr block_dim block{32, 8};
//   const auto classes = request_classes_of<4>(nvidia::sm_90, block, load(tile[tx][ty]));
//   const auto plan = optimize(nvidia::sm_90, block, tile, classes.each, classes.count);
//   assert(plan.before().wavefronts == 256 && plan.after().wavefronts == 8);
//   assert(plan.bytes() == 4224);
BANKMODEL_FN layout_plan<1> optimize(const machine& m, const block_dim& block,
                                     const array_description& array, const request_class* classes,
                                     int count, const search& how = {}) {
  const array_requests one[1] = {{array, classes, count}};
  return optimize(m, block, one, how);
}

}  // namespace bankmodel

#endif
