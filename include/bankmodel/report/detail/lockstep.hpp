// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REPORT_DETAIL_LOCKSTEP_HPP
#define BANKMODEL_REPORT_DETAIL_LOCKSTEP_HPP

#include <bankmodel/report/detail/narrowed_access.hpp>

// A loop whose bounds or step differ from lane to lane, narrowed to its first iteration with the
// worst degree. The lanes run in lockstep: iteration k of the loop is the k-th one of each lane.
namespace bankmodel::detail {

// The loop's programs as numbers, in each active lane.
class lane_loop {
 public:
  BANKMODEL_FN lane_loop(const narrowed_access& in, const wrapper& w, std::uint64_t active,
                         const long long (&values)[max_lanes][variables])
      : kind_(w.kind), active_(active) {
    for (std::uint64_t rest = active; rest != 0; rest &= rest - 1) {
      const int lane = trailing_zeros(rest);
      first_[lane] = in.value(w.first, values[lane]);
      last_[lane] = in.value(w.last, values[lane]);
      step_[lane] = in.value(w.step, values[lane]);
      trips_[lane] = trips_of(w.kind, first_[lane], last_[lane], step_[lane]);
      const bool is_first = rest == active;
      if (is_first || trips_[lane] > most_) most_ = trips_[lane];
      if (is_first || trips_[lane] < fewest_) fewest_ = trips_[lane];
    }
  }

  BANKMODEL_FN bool has(int lane, long long trip) const { return trip < trips_[lane]; }
  // The variable's value in a lane's iteration `trip`. Requires: the lane has it.
  BANKMODEL_FN long long value(int lane, long long trip) const {
    long long value = first_[lane];
    if (kind_ == wrapper_kind::range) return value + trip * step_[lane];
    for (; trip > 0; --trip) value = next(kind_, value, step_[lane]);
    return value;
  }

  // Narrows the loop at `level`; returns the iteration. With one step for all lanes the loop then
  // starts at first + iteration * step and is as long in each lane, and a filter after it turns off
  // the lanes that have finished. All other loops, which total() enumerates, get a table of values,
  // and a filter before them.
  BANKMODEL_FN long long narrow(narrowed_access& in, int level) const {
    return has_one_step() ? narrow_steps(in, level) : narrow_tables(in, level);
  }
  BANKMODEL_FN bool has_filter_before() const { return !has_one_step(); }

 private:
  // True if all lanes have one step, and no sum of a start and a multiple of it overflows.
  BANKMODEL_FN bool has_one_step() const {
    constexpr long long far = 1ll << 61;
    const long long step = step_[trailing_zeros(active_)];
    if (kind_ != wrapper_kind::range || step > far / most_ || step < -far / most_) return false;
    for (std::uint64_t rest = active_; rest != 0; rest &= rest - 1) {
      const int lane = trailing_zeros(rest);
      if (step_[lane] != step || first_[lane] > far || first_[lane] < -far) return false;
    }
    return true;
  }

  BANKMODEL_FN long long narrow_steps(narrowed_access& in, int level) const {
    wrapper& w = in[level];
    const long long step = step_[trailing_zeros(active_)];
    const slice last = w.last, first = w.first;
    const auto append_sum = [&] {  // of the start and a number
      const int begin = in.end();
      (void)in.append_copy(first);
      (void)in.append_constant(0);
      (void)in.append(operation::add);
      return in.since(begin);
    };
    const slice from = append_sum(), to = append_sum();
    w = {wrapper_kind::range, w.variable, from, to, in.append_constant(step)};
    if (fewest_ < most_) {
      const int begin = in.end();
      // `last < v`, or not `last <= v`: the bound first, since it may need all of the stack.
      (void)in.append_copy(last);
      (void)in.append_variable(w.variable);
      (void)in.append(step < 0 ? operation::less : operation::less_equal);
      if (step > 0) (void)in.append(operation::logical_not);
      in.insert_filter(level + 1, in.since(begin));
    }
    const auto set = [&](long long begin, long long end) {
      in(from.first + from.size - 2).value = begin * step;
      in(to.first + to.size - 2).value = end * step;
    };
    const long long trip = in.least(most_, set) - 1;
    set(trip, trip + 1);
    return trip;
  }

  BANKMODEL_FN long long narrow_tables(narrowed_access& in, int level) const {
    long long values[max_lanes];
    // Lanes stop just after their value in iteration count - 1.
    const auto set_end = [&](long long, long long count) {
      for (std::uint64_t rest = active_; rest != 0; rest &= rest - 1) {
        const int lane = trailing_zeros(rest);
        const bool up = kind_ != wrapper_kind::powers_down && step_[lane] > 0;
        values[lane] = has(lane, count) ? value(lane, count - 1) + (up ? 1 : -1) : last_[lane];
      }
      in[level].last = in.write_table(values, active_);
    };
    const long long trip = in.least(most_, set_end) - 1;

    // One iteration, in the lanes that have it: the step leads past the end.
    std::uint64_t running = 0;
    long long lowest = 0, highest = 0;
    for (std::uint64_t rest = active_; rest != 0; rest &= rest - 1) {
      const int lane = trailing_zeros(rest);
      if (!has(lane, trip)) continue;
      const long long here = values[lane] = value(lane, trip);
      if (running == 0 || here < lowest) lowest = here;
      if (running == 0 || here > highest) highest = here;
      running |= rest & (0 - rest);
    }
    const bool up = highest < int64_max;
    const long long past = up ? highest + 1 : checked_subtract(lowest, 1),
                    step = checked_subtract(past, up ? lowest : highest);
    const slice first = in.append_table(values, running);
    in[level] = {wrapper_kind::range, in[level].variable, first, in.append_constant(past),
                 in.append_constant(step)};
    in.insert_filter(level, in.append_lane_filter(running));
    return trip;
  }

  wrapper_kind kind_;
  std::uint64_t active_;
  long long first_[max_lanes], last_[max_lanes], step_[max_lanes], trips_[max_lanes];
  long long most_ = 0, fewest_ = 0;  // trips
};

}  // namespace bankmodel::detail

#endif
