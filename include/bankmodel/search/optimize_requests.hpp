// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_OPTIMIZE_REQUESTS_HPP
#define BANKMODEL_SEARCH_OPTIMIZE_REQUESTS_HPP

#include <bankmodel/count/request_classes.hpp>
#include <bankmodel/search/detail/class_requests.hpp>
#include <bankmodel/search/optimizer.hpp>

#include <bankmodel/core/hide_macros.hpp>

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

// Error: the classes of array number `array` are not such of its elements, or there are none.
BANKMODEL_FN void require_requests(const machine& m, const array_requests& source, int array) {
  const long long element = source.array.element_bytes;
  long long size = element;
  for (int d = 0; d < source.array.layout.rank; ++d)
    size = checked_multiply(size, source.array.layout.extent[d]);
  bool active = false;
  for (int index = 0; index < source.count; ++index) {
    const request_class& requests = source.classes[index];
    if (requests.times < 1 || requests.loops < 0 || requests.loops > request_class::max_loops)
      rule::a_request_class_must_have_requests(requests.loops,
                                               static_cast<long long>(requests.times));
    const std::uint64_t excess =
        requests.lanes.active & ~(~std::uint64_t{0} >> (max_lanes - m.lanes));
    if (excess != 0) rule::active_lanes_must_be_of_the_warp(trailing_zeros(excess), m.lanes);
    long long lowest = int64_max, highest = int64_min;
    for (std::uint64_t rest = requests.lanes.active; rest != 0; rest &= rest - 1) {
      const long long address =
          checked_add(requests.base, requests.lanes.address[trailing_zeros(rest)]);
      if (address % element != 0) rule::requests_must_begin_at_an_element(address, element);
      if (address < lowest) lowest = address;
      if (address > highest) highest = address;
    }
    for (int level = 0; level < requests.loops; ++level) {
      const progression& loop = requests.loop[level];
      if (loop.trips < 1)
        rule::a_request_class_must_have_requests(loop.trips,
                                                 static_cast<long long>(requests.times));
      if (loop.trips == 1 || requests.lanes.active == 0) continue;
      if (loop.step % element != 0) rule::requests_must_begin_at_an_element(loop.step, element);
      const long long reach = checked_multiply(loop.step, loop.trips - 1);
      (reach < 0 ? lowest : highest) = checked_add(reach < 0 ? lowest : highest, reach);
    }
    if (requests.lanes.active == 0) continue;
    active = true;
    (void)m.served(requests.lanes.bytes, requests.lanes.kind);  // its errors
    if (requests.lanes.bytes % element != 0)
      rule::requests_must_be_of_whole_elements(requests.lanes.bytes, element);
    const long long last = checked_add(highest, requests.lanes.bytes - 1);
    if (lowest < 0 || last >= size) rule::requests_must_lie_within_their_array(lowest, last, size);
  }
  if (!active) rule::an_array_to_plan_must_have_requests(array, source.count);
}

// The classes of one array as accesses of a kernel, one for each width and kind.
BANKMODEL_FN void collect(const array_requests& source, class_requests* groups,
                          kernel_access* accesses, int& count) {
  const int first = count;
  for (int index = 0; index < source.count; ++index) {
    const request& lanes = source.classes[index].lanes;
    int same = first;
    while (same < count && !groups[same].contains(source.classes[index])) ++same;
    if (lanes.active == 0 || same < count) continue;
    groups[count].set(source.classes, source.count, lanes.bytes, lanes.kind);
    accesses[count] = {&source.array, 0,       nullptr, lanes.bytes / source.array.element_bytes,
                       lanes.kind,    nullptr, 0,       nullptr,
                       &groups[count]};
    ++count;
  }
}

// The classes of several arrays as accesses of a kernel, with the number of the array of each.
template <int Arrays>
struct accesses_of_classes {
  BANKMODEL_FN accesses_of_classes() {}

  class_requests classes[Arrays * most_kinds_of_requests];
  kernel_access accesses[Arrays * most_kinds_of_requests];
  int array[Arrays * most_kinds_of_requests], count = 0;
};

template <int Arrays>
BANKMODEL_FN plan_found fill_in(const machine& m, const block_dim& block,
                                const array_requests (&arrays)[Arrays], const search& options,
                                layout_plan<Arrays>& plan) {
  m.require_valid();
  (void)warp_groups(m, block);  // its errors
  for (int array = 0; array < Arrays; ++array) require_requests(m, arrays[array], array);
  const owned<accesses_of_classes<Arrays>> collected;
  for (int array = 0; array < Arrays; ++array) {
    const int first = collected->count;
    collect(arrays[array], collected->classes, collected->accesses, collected->count);
    for (int access = first; access < collected->count; ++access) collected->array[access] = array;
  }
  const owned<plan_search> work(m, block, collected->accesses, collected->count, options);
  const plan_found result = work->run();
  if (result.exists) work->write(plan, collected->array);
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
//   options families, limits in bytes and blocks, preference and effort: see options.hpp
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
                                          const search& options = {}) {
  layout_plan<Arrays> plan;
  const auto result = detail::fill_in(m, block, arrays, options, plan);
  if (!result.exists) rule::the_arrays_of_a_kernel_must_fit(result.minimum, result.maximum);
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
                                     int count, const search& options = {}) {
  const array_requests arrays[1] = {{array, classes, count}};
  return optimize(m, block, arrays, options);
}

}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
