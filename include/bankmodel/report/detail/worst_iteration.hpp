// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REPORT_DETAIL_WORST_ITERATION_HPP
#define BANKMODEL_REPORT_DETAIL_WORST_ITERATION_HPP

#include <bankmodel/report/detail/lockstep.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The worst request of an access, found without running its loops.
namespace bankmodel::detail {

// Finds the first warp in which the worst request occurs, and in it the first iteration of each
// loop, from the outermost inwards. It computes the worst of fewer and fewer iterations, until one
// iteration of one warp is left, which makes one request. A number of each request says which is
// worst: its degree in shared memory.
class worst_iteration {
 public:
  // Requires: the access makes a request, and `worst` is the highest number of its requests.
  template <int Wrappers, int Nodes>
  BANKMODEL_FN worst_iteration(const machine& on, const block_dim& block, const block_index& at,
                               const access_expression<Wrappers, Nodes>& access,
                               number_of_requests highest, int worst,
                               room_to_narrow<Wrappers, Nodes>& room)
      : access_(on, block, at, access, highest, worst, room) {
    narrow_warps(on, block, at);
    for (int level = 1; level < access_.depth(); ++level) {
      if (access_[level].kind == wrapper_kind::filter)
        pass(access_[level].first);
      else
        level = narrow_loop(level);
    }
  }

  BANKMODEL_FN int warp() const { return warp_; }

  // The loops, the outermost first, with the values in the lowest active lane.
  BANKMODEL_FN int loops() const { return loops_; }
  BANKMODEL_FN loop_position loop(int number) const {
    loop_position result = loop_[number];
    result.value = value_[trailing_zeros(active_)][static_cast<int>(result.variable)];
    return result;
  }

  BANKMODEL_FN request found() const { return access_.only_request(); }

 private:
  BANKMODEL_FN void narrow_warps(const machine& m, const block_dim& block, const block_index& at) {
    const int threads = block.x * block.y * block.z, warps = (threads + m.lanes - 1) / m.lanes;
    const int begin = access_.end();
    (void)access_.append_variable(variable::warp);
    const int end_at = access_.append_constant(0).first,
              operation_at = access_.append(operation::less).first;
    access_.set_filter(0, access_.since(begin));
    warp_ = static_cast<int>(access_.least(
                warps, [&](long long, long long end) { access_(end_at).value = end; })) -
            1;
    access_(end_at).value = warp_;
    access_(operation_at).op = operation::equal;

    const int first = warp_ * m.lanes,
              lanes = threads - first < m.lanes ? threads - first : m.lanes;
    active_ = lanes_between(0, lanes);
    for (int lane = 0; lane < lanes; ++lane) {
      const int thread = first + lane;
      set(lane, variable::tx, thread % block.x);
      set(lane, variable::ty, thread / block.x % block.y);
      set(lane, variable::tz, thread / block.x / block.y);
      set(lane, variable::bx, at.x);
      set(lane, variable::by, at.y);
      set(lane, variable::bz, at.z);
      set(lane, variable::tid, thread);
      set(lane, variable::lane, lane);
      set(lane, variable::warp, warp_);
    }
  }
  BANKMODEL_FN void set(int lane, variable which, long long value) {
    value_[lane][static_cast<int>(which)] = value;
  }
  BANKMODEL_FN void set_in_all_lanes(variable which, long long value) {
    for (std::uint64_t rest = active_; rest != 0; rest &= rest - 1)
      set(trailing_zeros(rest), which, value);
    same_in_lanes_ |= variable_bit(which);
  }
  BANKMODEL_FN bool is_same_in_lanes(const slice& program) const {
    return (access_.variables(program) & ~same_in_lanes_) == 0;
  }

  BANKMODEL_FN void pass(const slice& filter) {
    if (is_same_in_lanes(filter)) return;
    for (std::uint64_t rest = active_; rest != 0; rest &= rest - 1)
      if (access_.value(filter, value_[trailing_zeros(rest)]) == 0) active_ &= ~(rest & (0 - rest));
  }

  // Returns the level that the loop has then, since a filter may come before it.
  BANKMODEL_FN int narrow_loop(int level) {
    const wrapper w = access_[level];
    long long& trip = loop_[loops_].trip;
    loop_[loops_++].variable = w.variable;
    if (w.kind == wrapper_kind::values) {
      trip = narrow_list(access_[level]);
      return level;
    }
    if (is_same_in_lanes(w.first) && is_same_in_lanes(w.last) && is_same_in_lanes(w.step)) {
      const long long* const values = value_[trailing_zeros(active_)];
      trip = narrow_numbers(access_[level], access_.value(w.first, values),
                            access_.value(w.last, values), access_.value(w.step, values));
      return level;
    }
    const lane_loop each(access_, w, active_, value_);
    trip = each.narrow(access_, level);
    for (std::uint64_t rest = active_; rest != 0; rest &= rest - 1) {
      const int lane = trailing_zeros(rest);
      if (each.has(lane, trip))
        set(lane, w.variable, each.value(lane, trip));
      else
        active_ &= ~(rest & (0 - rest));
    }
    return each.has_filter_before() ? level + 1 : level;
  }

  BANKMODEL_FN long long narrow_list(wrapper& w) {
    const slice all = w.first;
    const auto set = [&](long long begin, long long end) {
      w.first = {all.first + static_cast<int>(begin), static_cast<int>(end - begin)};
    };
    const long long trip = access_.least(all.size, set) - 1;
    set(trip, trip + 1);
    set_in_all_lanes(w.variable, access_(w.first.first).value);
    return trip;
  }

  // A loop with the same numbers in all lanes.
  BANKMODEL_FN long long narrow_numbers(wrapper& w, long long first, long long last,
                                        long long step) {
    const wrapper_kind kind = w.kind;
    const slice begin_at = access_.append_constant(first), end_at = access_.append_constant(last),
                step_at = access_.append_constant(step);
    w = {wrapper_kind::range, w.variable, begin_at, end_at, step_at};
    const auto set_range = [&](long long begin, long long end, long long by) {
      access_(begin_at.first).value = begin;
      access_(end_at.first).value = end;
      access_(step_at.first).value = by;
    };
    const long long trips = trips_of(kind, first, last, step);
    long long value = first, trip = 0;
    if (kind == wrapper_kind::range) {
      const auto before = [&](long long count) {
        return count == trips ? last : first + count * step;
      };
      const long long end = access_.least(trips, [&](long long begin, long long count) {
        set_range(before(begin), before(count), step);
      });
      trip = end - 1;
      value = before(trip);
      set_range(value, before(end), step);
    } else {
      // There are few: one after the other.
      for (;; ++trip, value = next(kind, value, step)) {
        // The end is one after the value, or before the highest one.
        const long long by = value == int64_max ? -1 : 1;
        set_range(value, value + by, by);
        if (trip == trips - 1 || access_.has_worst()) break;
      }
    }
    set_in_all_lanes(w.variable, value);
    return trip;
  }

  narrowed_access access_;
  int warp_ = 0, loops_ = 0;
  loop_position loop_[loop_variables] = {};
  std::uint64_t active_ = 0;  // lanes in the iterations that have been found
  long long value_[max_lanes][variables] = {};
  // The variables that have one value in all of them.
  unsigned same_in_lanes_ = variable_bit(variable::bx) | variable_bit(variable::by) |
                            variable_bit(variable::bz) | variable_bit(variable::warp);
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
