// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_VARIABLE_RANGES_HPP
#define BANKMODEL_COUNT_VARIABLE_RANGES_HPP

#include <bankmodel/analysis/comparisons.hpp>
#include <bankmodel/kernel/access_view.hpp>
#include <bankmodel/kernel/kernel.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The range of each variable of an access: of all threads, and of those that pass its filters.
namespace bankmodel::detail {

class variable_ranges {
 public:
  value_range unfiltered[variables];  // of all threads and iterations

  // Requires: the ranges in `unfiltered` of the variables up to variable::warp are set.
  BANKMODEL_FN explicit variable_ranges(const access_view& access) : access_(access) {}

  BANKMODEL_FN void set(variable target, int lowest, int highest) {
    unfiltered[static_cast<int>(target)] = {lowest, highest};
  }
  BANKMODEL_FN void set_block(const block_dim& block, const block_index& grid_index) {
    set(variable::tx, 0, block.x - 1);
    set(variable::ty, 0, block.y - 1);
    set(variable::tz, 0, block.z - 1);
    unfiltered[static_cast<int>(variable::bx)] = known_range(grid_index.x, grid_index.x);
    unfiltered[static_cast<int>(variable::by)] = known_range(grid_index.y, grid_index.y);
    unfiltered[static_cast<int>(variable::bz)] = known_range(grid_index.z, grid_index.z);
  }

  BANKMODEL_FN value_range range(const slice& program) const { return range(program, unfiltered); }
  BANKMODEL_FN value_range range(const program& code) const {
    return range_of(code.nodes, code.size, unfiltered);
  }
  // The same in active lanes.
  BANKMODEL_FN value_range of_active(const slice& program) const {
    return range(program, filtered_ ? active_ : unfiltered);
  }

  // The range of each variable in active lanes.
  BANKMODEL_FN const value_range* active() const { return filtered_ ? active_ : unfiltered; }

  // Adds the variable of a loop.
  BANKMODEL_FN void add_loop(const wrapper& w) {
    const int number = static_cast<int>(w.variable);
    unfiltered[number] = of_values(w, unfiltered);
    if (filtered_) active_[number] = of_values(w, active_);
  }

  // Narrows the ranges of active lanes by the comparisons of a filter that compare a variable with
  // a variable or a constant. `loops` are the variables of the loops around it.
  BANKMODEL_FN void add_filter(const slice& filter, unsigned loops) {
    slice conditions = filter, rest;
    for (; conditions.size != 0; conditions = rest) {
      const slice condition = first_condition(access_.nodes, conditions, rest);
      const node* const nodes = access_.nodes + condition.first;
      if (condition.size != 3 || !is_in(leaf_operations, nodes[1].op) ||
          !is_in(comparison_operations, nodes[2].op) || nodes[2].op == operation::not_equal)
        continue;
      if (!filtered_)
        for (int number = 0; number < variables; ++number)
          if (number <= static_cast<int>(variable::warp) || (loops >> number & 1) != 0)
            active_[number] = unfiltered[number];
      filtered_ = true;
      narrow(nodes);
    }
  }

 private:
  BANKMODEL_FN value_range range(const slice& program, const value_range* known) const {
    return range_of(access_.nodes + program.first, program.size, known);
  }

  // Narrows by the comparison of nodes[0] with nodes[1].
  BANKMODEL_FN void narrow(const node* nodes) {
    const value_range left = range_of(nodes, 1, active_), right = range_of(nodes + 1, 1, active_);
    if (!left.known() || !right.known()) return;
    const int gap = nodes[2].op == operation::less ? 1 : 0;
    if (left.lowest > int64_max - gap) return;  // no lane passes
    value_range lesser{left.lowest,
                       left.highest < right.highest - gap ? left.highest : right.highest - gap};
    value_range greater{right.lowest > left.lowest + gap ? right.lowest : left.lowest + gap,
                        right.highest};
    if (nodes[2].op == operation::equal) {
      lesser.lowest = greater.lowest;
      greater.highest = lesser.highest;
    }
    if (!lesser.known() || !greater.known()) return;  // no lane passes
    if (nodes[0].op == operation::variable) active_[nodes[0].value] = lesser;
    if (nodes[1].op == operation::variable) active_[nodes[1].value] = greater;
  }

  // The range of a loop's variable.
  BANKMODEL_FN value_range of_values(const wrapper& w, const value_range* known) const {
    if (same(w.kind, wrapper_kind::values)) {
      const node* const list = access_.nodes + w.first.first;
      value_range result{list[0].value, list[0].value};
      for (int element = 1; element < w.first.size; ++element) {
        if (list[element].value < result.lowest) result.lowest = list[element].value;
        if (list[element].value > result.highest) result.highest = list[element].value;
      }
      return known_range(result.lowest, result.highest);
    }
    const value_range first = range(w.first, known), last = range(w.last, known),
                      step = range(w.step, known);
    if (!first.known() || !last.known() || !step.known() || same(w.kind, wrapper_kind::powers))
      return unknown_range;
    const bool is_range = same(w.kind, wrapper_kind::range),
               exactly = is_range && first.is_one() && step.is_one() && first.is_narrow() &&
                         last.is_narrow();
    if (!is_range && first.lowest < 0) return unknown_range;
    if (is_range ? step.lowest > 0 : same(w.kind, wrapper_kind::powers_up)) {
      const long long end = last.highest - 1;
      if (end <= first.highest) return first;
      return {first.lowest, exactly ? end - (end - first.lowest) % step.lowest : end};
    }
    if (is_range && step.highest >= 0) return unknown_range;
    const long long end = last.lowest + 1;
    if (end >= first.lowest) return first;
    return {exactly ? end + (first.lowest - end) % -step.lowest : end, first.highest};
  }

  const access_view& access_;
  value_range active_[variables];  // of the lanes that pass the filters
  bool filtered_ = false;          // true if active_ is set
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
