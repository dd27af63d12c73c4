// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_VARIABLE_RANGES_HPP
#define BANKMODEL_COUNT_DETAIL_VARIABLE_RANGES_HPP

#include <bankmodel/count/detail/access_view.hpp>
#include <bankmodel/count/detail/comparisons.hpp>
#include <bankmodel/count/detail/wide_range.hpp>
#include <bankmodel/kernel/kernel.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The range of each variable of an access: of all threads, and of those that pass its filters.
namespace bankmodel::detail {

class variable_ranges {
 public:
  value_range all[variables];  // of all threads and iterations
  // Ranges up to the ends of 64 bits, of loop variables whose range in `all` is unknown.
  value_range wide[variables] = {};

  // Requires: the ranges in `all` of the variables up to variable::warp are set.
  BANKMODEL_FN explicit variable_ranges(const access_view& access) : access_(access) {}

  BANKMODEL_FN void set(variable which, int lowest, int highest) {
    all[static_cast<int>(which)] = {lowest, highest};
  }
  BANKMODEL_FN void set_block(const block_dim& block, const block_index& at) {
    set(variable::tx, 0, block.x - 1);
    set(variable::ty, 0, block.y - 1);
    set(variable::tz, 0, block.z - 1);
    all[static_cast<int>(variable::bx)] = known_range(at.x, at.x);
    all[static_cast<int>(variable::by)] = known_range(at.y, at.y);
    all[static_cast<int>(variable::bz)] = known_range(at.z, at.z);
  }

  BANKMODEL_FN value_range of(const slice& program) const { return of(program, all); }
  // The same in active lanes.
  BANKMODEL_FN value_range of_active(const slice& program) const {
    return of(program, filtered_ ? active_ : all);
  }

  // True if no value of a condition, and no difference of two values that it compares, overflows.
  BANKMODEL_FN bool fits_in_64_bits(const slice& condition) const {
    return conditions_fit(access_.nodes + condition.first, condition.size, all, wide);
  }

  // The range of each variable in active lanes.
  BANKMODEL_FN const value_range* active() const { return filtered_ ? active_ : all; }

  // Adds the variable of a loop.
  BANKMODEL_FN void add_loop(const wrapper& w) {
    const int which = static_cast<int>(w.variable);
    all[which] = of_values(w, all);
    wide[which] = all[which].known() ? all[which] : wide_of_values(w);
    if (filtered_) active_[which] = of_values(w, active_);
  }

  // Narrows the ranges of active lanes by the comparisons of a filter that compare a variable with
  // a variable or a constant. `loops` are the variables of the loops around it.
  BANKMODEL_FN void add_filter(const slice& filter, unsigned loops) {
    slice whole = filter, rest;
    for (; whole.size != 0; whole = rest) {
      const slice one = first_condition(access_.nodes, whole, rest);
      const node* const nodes = access_.nodes + one.first;
      if (one.size != 3 || !is_in(leaf_operations, nodes[1].op) ||
          !is_in(comparison_operations, nodes[2].op) || nodes[2].op == operation::not_equal)
        continue;
      if (!filtered_)
        for (int at = 0; at < variables; ++at)
          if (at <= static_cast<int>(variable::warp) || (loops >> at & 1) != 0)
            active_[at] = all[at];
      filtered_ = true;
      narrow(nodes);
    }
  }

 private:
  BANKMODEL_FN value_range of(const slice& program, const value_range* known) const {
    return range_of(access_.nodes + program.first, program.size, known);
  }

  // Narrows by the comparison of nodes[0] with nodes[1].
  BANKMODEL_FN void narrow(const node* nodes) {
    const value_range left = range_of(nodes, 1, active_), right = range_of(nodes + 1, 1, active_);
    if (!left.known() || !right.known()) return;
    const int gap = nodes[2].op == operation::less ? 1 : 0;
    value_range below{left.lowest,
                      left.highest < right.highest - gap ? left.highest : right.highest - gap};
    value_range above{right.lowest > left.lowest + gap ? right.lowest : left.lowest + gap,
                      right.highest};
    if (nodes[2].op == operation::equal) {
      below.lowest = above.lowest;
      above.highest = below.highest;
    }
    if (!below.known() || !above.known()) return;  // no lane passes
    if (nodes[0].op == operation::variable) active_[nodes[0].value] = below;
    if (nodes[1].op == operation::variable) active_[nodes[1].value] = above;
  }

  // The range of a loop's variable.
  BANKMODEL_FN value_range of_values(const wrapper& w, const value_range* known) const {
    if (same(w.kind, wrapper_kind::values)) {
      const node* const list = access_.nodes + w.first.first;
      value_range result{list[0].value, list[0].value};
      for (int at = 1; at < w.first.size; ++at) {
        if (list[at].value < result.lowest) result.lowest = list[at].value;
        if (list[at].value > result.highest) result.highest = list[at].value;
      }
      return known_range(result.lowest, result.highest);
    }
    const value_range first = of(w.first, known), last = of(w.last, known),
                      step = of(w.step, known);
    if (!first.known() || !last.known() || !step.known() || same(w.kind, wrapper_kind::powers))
      return unknown_range;
    const bool range = same(w.kind, wrapper_kind::range),
               exactly = range && first.is_one() && step.is_one();
    if (!range && first.lowest < 0) return unknown_range;
    if (range ? step.lowest > 0 : same(w.kind, wrapper_kind::powers_up)) {
      const long long end = last.highest - 1;
      if (end <= first.highest) return first;
      return {first.lowest, exactly ? end - (end - first.lowest) % step.lowest : end};
    }
    if (range && step.highest >= 0) return unknown_range;
    const long long end = last.lowest + 1;
    if (end >= first.lowest) return first;
    return {exactly ? end + (first.lowest - end) % -step.lowest : end, first.highest};
  }

  // The same of a range loop whose bounds are large.
  BANKMODEL_FN value_range wide_of_values(const wrapper& w) const {
    const auto range_of_slice = [&](const slice& of) {
      return wide_range_of(access_.nodes + of.first, of.size, all, wide);
    };
    if (!same(w.kind, wrapper_kind::range)) return unknown_range;
    const value_range first = range_of_slice(w.first), last = range_of_slice(w.last),
                      step = range_of_slice(w.step);
    if (!first.known() || !last.known() || !step.known()) return unknown_range;
    if (step.lowest > 0)
      return {first.lowest, last.highest > first.highest ? last.highest - 1 : first.highest};
    if (step.highest >= 0) return unknown_range;
    return {last.lowest < first.lowest ? last.lowest + 1 : first.lowest, first.highest};
  }

  const access_view& access_;
  value_range active_[variables];  // of the lanes that pass the filters
  bool filtered_ = false;          // true if active_ is set
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
