// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REPORT_DETAIL_WORST_ITERATION_HPP
#define BANKMODEL_REPORT_DETAIL_WORST_ITERATION_HPP

#include <bankmodel/count/total.hpp>

// Where in its loops an access has its worst request, without running them.
namespace bankmodel::detail {

// Finds the first iteration of each loop, from the outermost inwards, within which the worst
// degree occurs, by asking for totals of ever fewer iterations.
class worst_iteration {
  // (Up here since clang wants what a constant expression needs before its first use.) The least
  // end in [1, most] for which the worst degree occurs; it does for `most`. set(end) makes it so.
  template <class Set>
  BANKMODEL_FN long long least(long long most, const Set& set) const {
    long long low = 1, high = most;
    while (low < high) {
      const long long middle = low + (high - low) / 2;
      set(middle);
      if (counted(machine_, block_, view_, at_).sum.degree == degree_)
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }

 public:
  // The loops and filters are `wrappers` of `view`, from the second on: the first is to be a
  // filter on the warp. They are changed. From `first_number` on `nodes` has room for three nodes
  // for each of them.
  BANKMODEL_FN worst_iteration(const machine& m, const block_dim& block, const block_index& at,
                               const access_view& view, wrapper* wrappers, node* nodes,
                               int first_number, int degree)
      : machine_(m),
        block_(block),
        at_(at),
        view_(view),
        wrappers_(wrappers),
        nodes_(nodes),
        first_number_(first_number),
        degree_(degree) {
    value_[static_cast<int>(variable::bx)] = at.x;
    value_[static_cast<int>(variable::by)] = at.y;
    value_[static_cast<int>(variable::bz)] = at.z;
  }

  // Returns the warp.
  BANKMODEL_FN int narrow() {
    const int threads = block_.x * block_.y * block_.z,
              warps = (threads + machine_.lanes - 1) / machine_.lanes;
    const int first = first_number_;
    wrappers_[0] = {wrapper_kind::filter, variable::loop_0, {first, 3}, {}, {}};
    nodes_[first] = {operation::variable, static_cast<long long>(variable::warp)};
    nodes_[first + 2] = {operation::less, 0};
    const auto warp =
        static_cast<int>(
            least(warps, [&](long long end) { nodes_[first + 1] = {operation::constant, end}; })) -
        1;
    nodes_[first + 1] = {operation::constant, warp};
    nodes_[first + 2] = {operation::equal, 0};
    value_[static_cast<int>(variable::warp)] = warp;
    known_ |= variable_bit(variable::warp);
    for (int level = 1; level < view_.depth; ++level)
      if (wrappers_[level].kind != wrapper_kind::filter && !narrow_loop(level)) break;
    return warp;
  }

  // Iterations that were left out before those of that loop that are left.
  BANKMODEL_FN long long skipped(variable loop) const {
    return skipped_[static_cast<int>(loop) - static_cast<int>(variable::loop_0)];
  }

 private:
  BANKMODEL_FN bool is_known(const slice& program) const {
    return (variables_in(nodes_ + program.first, program.size) & ~known_) == 0;
  }
  BANKMODEL_FN long long value_of(const slice& program) const {
    return evaluate(nodes_ + program.first, program.size, value_);
  }

  // From here on the loop runs over these numbers.
  BANKMODEL_FN void set_range(int level, long long first, long long last, long long step) {
    const int at = first_number_ + 3 * level;
    nodes_[at] = {operation::constant, first};
    nodes_[at + 1] = {operation::constant, last};
    nodes_[at + 2] = {operation::constant, step};
    wrappers_[level] = {
        wrapper_kind::range, wrappers_[level].variable, {at, 1}, {at + 1, 1}, {at + 2, 1}};
  }

  // False if lanes differ in how it runs.
  BANKMODEL_FN bool narrow_loop(int level) {
    const wrapper w = wrappers_[level];
    const int number = static_cast<int>(w.variable),
              loop = number - static_cast<int>(variable::loop_0);
    if (w.kind == wrapper_kind::values) {
      const auto end = least(w.first.size, [&](long long count) {
        wrappers_[level].first.size = static_cast<int>(count);
      });
      wrappers_[level].first = {w.first.first + static_cast<int>(end) - 1, 1};
      skipped_[loop] = end - 1;
      value_[number] = nodes_[wrappers_[level].first.first].value;
      known_ |= variable_bit(w.variable);
      return true;
    }
    if (!is_known(w.first) || !is_known(w.last) || !is_known(w.step)) return false;
    const long long first = value_of(w.first), last = value_of(w.last), step = value_of(w.step);
    const long long trips = trips_of(w.kind, first, last, step);
    long long value = first;
    if (w.kind == wrapper_kind::range) {
      const auto before = [&](long long trip) {
        return trip == trips ? last : first + trip * step;
      };
      const long long end =
          least(trips, [&](long long count) { set_range(level, first, before(count), step); });
      value = before(end - 1);
      set_range(level, value, before(end), step);
      skipped_[loop] = end - 1;
    } else {
      // They are few: each by itself.
      long long trip = 0;
      for (;; ++trip, value = next(w.kind, value, step)) {
        set_range(level, value, value + 1, 1);
        if (trip == trips - 1 || counted(machine_, block_, view_, at_).sum.degree == degree_) break;
      }
      skipped_[loop] = trip;
    }
    value_[number] = value;
    known_ |= variable_bit(w.variable);
    return true;
  }

  const machine& machine_;
  const block_dim& block_;
  const block_index& at_;
  const access_view& view_;
  wrapper* wrappers_;
  node* nodes_;
  int first_number_, degree_;
  unsigned known_ =
      variable_bit(variable::bx) | variable_bit(variable::by) | variable_bit(variable::bz);
  long long value_[variables] = {};
  long long skipped_[loop_variables] = {};
};

}  // namespace bankmodel::detail

#endif
