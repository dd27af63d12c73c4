// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_REQUEST_CLASSES_HPP
#define BANKMODEL_COUNT_REQUEST_CLASSES_HPP

#include <bankmodel/count/class_maker.hpp>

#include <bankmodel/core/hide_macros.hpp>

// Request classes of accesses, and the cost of request classes.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void a_request_class_must_have_requests(long long loops,
                                                                  long long times) {
  detail::fail(__func__,
               "a request class with loops or trips of % and times of %; use 0 to 9 loops, and 1 "
               "or more trips and times",
               loops, times);
}
}  // namespace rule

// Calls visit(request_class) for each class of requests of an access, in no particular order;
// together they are all its requests. Nothing is allocated. Loops are enumerated only if total()
// enumerates them for costs that depend on the base. Error: as for total().
// Example: see request_class.hpp.
template <int Wrappers, int Nodes, class Visit>
BANKMODEL_FN void for_each_request_class(const machine& m, const block_dim& block,
                                         const access_expression<Wrappers, Nodes>& access,
                                         Visit&& visit, const block_index& grid_index = {}) {
  m.require_valid();
  const detail::access_view view = detail::view_of(access);
  if (access.array.layout.is_strided())
    return detail::visit_request_classes(m, block, view, grid_index, visit);
  (void)detail::counted_in_rows(m, block, view, grid_index, 0);
  const detail::access_as_laid_out laid_out(view, access.array.layout);
  detail::visit_request_classes(m, block, laid_out.view(), grid_index, visit);
}

// The first `Capacity` classes of an access as a value. They are all its classes only if
// is_complete().
template <int Capacity>
struct request_classes {
  request_class each[Capacity];
  int count = 0;  // of all classes, also those that `each` has no room for

  BANKMODEL_FN bool is_complete() const { return count <= Capacity; }
  BANKMODEL_FN void operator()(const request_class& requests) {
    if (count < Capacity) each[count] = requests;
    ++count;
  }
};
template <int Capacity, int Wrappers, int Nodes>
BANKMODEL_FN request_classes<Capacity> request_classes_of(
    const machine& m, const block_dim& block, const access_expression<Wrappers, Nodes>& access,
    const block_index& grid_index = {}) {
  request_classes<Capacity> result;
  for_each_request_class(m, block, access, result, grid_index);
  return result;
}

namespace detail {
// Writes the lanes of a class to a pattern whose base is 0; false if none is active.
// Error: as for total().
BANKMODEL_FN bool read_lanes(const machine& m, const request_class& requests, lane_pattern& lanes) {
  m.require_valid();
  const request& sample = requests.lanes;
  if (requests.times < 1 || requests.loops < 0 || requests.loops > request_class::max_loops)
    rule::a_request_class_must_have_requests(requests.loops,
                                             static_cast<long long>(requests.times));
  (void)m.banks(sample.bytes, sample.kind);
  const long long misaligned = (sample.bytes == 12 ? 4 : sample.bytes) - 1;
  const std::uint64_t excess = m.lanes == max_lanes ? 0 : sample.active >> m.lanes;
  if (excess != 0)
    rule::active_lanes_must_be_of_the_warp(m.lanes + trailing_zeros(excess), m.lanes);
  // The farthest that the loops move a lane down, and its last byte up.
  long long descent = 0, ascent = sample.bytes;
  for (int level = 0; level < requests.loops; ++level) {
    const progression& loop = requests.loop[level];
    if (loop.trips < 1)
      rule::a_request_class_must_have_requests(loop.trips, static_cast<long long>(requests.times));
    if (loop.trips > 1 && (loop.step & misaligned) != 0)
      rule::accesses_must_be_aligned_to_their_width(loop.step, sample.bytes);
    if (loop.trips == 1 || sample.active == 0) continue;
    const long long reach = checked_multiply(loop.step, loop.trips - 1);
    (reach < 0 ? descent : ascent) = checked_add(reach < 0 ? descent : ascent, reach);
  }
  lanes.active = sample.active;
  lanes.in_line = false;
  for (std::uint64_t rest = lanes.active; rest != 0; rest &= rest - 1) {
    const int lane = trailing_zeros(rest);
    const long long address = checked_add(requests.base, sample.address[lane]);
    if ((address & misaligned) != 0)
      rule::accesses_must_be_aligned_to_their_width(address, sample.bytes);
    const long long lowest = checked_add(address, descent);
    if (lowest < 0) rule::addresses_of_a_request_must_not_be_negative(lane, lowest);
    (void)checked_add(address, ascent);
    lanes.offset[lane] = address;
  }
  return lanes.active != 0;
}
}  // namespace detail

// Returns the cost of the requests of a class on `m`; no requests if no lane is active.
// Error: those of total(machine, request) for each of them (no accesses of this width, lanes that
// the machine has not, an address that is negative or no multiple of the width); trips or times are
// below 1; there are more than nine loops; a count or an address does not fit in 64 bits.
// Example:
//
//   request_class requests{.lanes = {.active = 0xffffffff}, .loop = {{256, 8}}, .loops = 1};
//   for (int lane = 0; lane < 32; ++lane) requests.lanes.address[lane] = 8 * lane;
//   assert((total(nvidia::sm_90, requests) == cost{8, 16, 8, 2}));
BANKMODEL_FN cost total(const machine& m, const request_class& requests) {
  detail::lane_pattern lanes;
  if (!detail::read_lanes(m, requests, lanes)) return {};
  const int bytes = requests.lanes.bytes;
  detail::price costs(m, bytes, requests.lanes.kind, bytes == 12 ? 4 : bytes);
  costs.add(lanes, 0, requests.loop, requests.loops, requests.times);
  return costs.sum();
}

// Returns the sum over `count` classes.
BANKMODEL_FN cost total(const machine& m, const request_class* classes, int count) {
  cost sum;
  for (int index = 0; index < count; ++index) sum = sum + total(m, classes[index]);
  return sum;
}

}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
