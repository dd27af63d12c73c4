// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNTING_INTERVALS_HPP
#define BANKMODEL_COUNTING_INTERVALS_HPP

#include <bankmodel/counting/addresses.hpp>

namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN inline void subscripts_of_intervals_must_be_shorter(long long nodes, long long limit) {
  detail::fail("subscripts_of_intervals_must_be_shorter",
               "an access of an array with padded_every() needs % numbers and operators, % are possible; shorten its subscript or conditions",
               nodes, limit);
}
}  // namespace rule

namespace detail {

// An access of a one-dimensional array that has unused elements at intervals, as one of rows: where c is the subscript,
// of rows c / interval and columns c % interval. So nothing else needs to know of intervals. Its last row may be longer
// than the array: who has not yet seen that subscripts stay inside asks the array without intervals first.
class access_in_rows {
 public:
  BANKMODEL_FN constexpr access_in_rows(const access_view& access, const layout& at_intervals) : of_(access), array_(access.array) {
    const slice& program = access.subscript[0];
    int size = program.first + program.size;
    for (int level = 0; level < access.depth; ++level) {
      const wrapper& w = access.wrappers[level];
      const slice programs[3] = {w.first, w.last, w.step};
      for (const slice& each : programs)
        if (each.first + each.size > size) size = each.first + each.size;
    }
    const int all = size + 2 * (program.size + 2);
    if (all > most_nodes) rule::subscripts_of_intervals_must_be_shorter(all, most_nodes);
    copy_nodes(nodes_, access.nodes, size);
    for (int side = 0; side < 2; ++side) {
      subscript_[side] = {size, program.size + 2};
      copy_nodes(nodes_ + size, access.nodes + program.first, program.size);
      size += program.size;
      nodes_[size++] = {operation::constant, at_intervals.interval};
      nodes_[size++] = {side == 0 ? operation::divide : operation::remainder, 0};
    }
    const long long every = at_intervals.interval;
    array_.layout = row_major((at_intervals.extent[0] - 1) / every + 1, every).padded(at_intervals.interval_padding);
  }
  access_in_rows(const access_in_rows&) = delete;  // views of it keep pointers

  BANKMODEL_FN constexpr access_view view() const {
    return {array_, 2, subscript_, of_.vector, of_.way, of_.wrappers, of_.depth, nodes_};
  }

 private:
  static constexpr int most_nodes = 1024;

  access_view of_;
  array_description array_;
  slice subscript_[2];
  node nodes_[most_nodes];
};

}  // namespace detail
}  // namespace bankmodel

#endif
