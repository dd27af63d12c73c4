// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNTING_WALK_HPP
#define BANKMODEL_COUNTING_WALK_HPP

#include <bankmodel/counting/nest.hpp>
#include <bankmodel/counting/residues.hpp>
#include <bankmodel/counting/trips.hpp>

// One access of one block: its warps through their loops and filters, as the hardware runs them.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN inline void iterations_must_be_few_enough_to_count(long long limit) {
  detail::fail("iterations_must_be_few_enough_to_count",
               "more than % iterations of all warps would have to be walked; shorten the loops that move the access", limit);
}
}  // namespace rule

// How many iterations of loops, of all warps together, one total() walks at most at run time. Loops that need no walking
// do not count: those whose variable nothing inside reads, and inner ones that only move the access by a fixed amount.
// More is refused before a request is evaluated.
constexpr long long most_iterations = 1ll << 22;

// The same in a constant expression, as steps of the compiler, so that this rule speaks and not the compiler's own
// limit (clang's is 1 048 576): some hundred iterations where each request is evaluated, thousands where not.
constexpr long long most_steps_in_a_constant_expression = 800'000;

namespace detail {

// Adds up what the requests of one access cost.
class walk {
 public:
  BANKMODEL_FN constexpr walk(const machine& m, const block_dim& block, const access_view& access, const block_index& at)
      : machine_(valid(m)),
        block_(block),
        access_(access),
        values_(m.lanes, block, at),
        addresses_(access),
        requests_(m, access.array.element_bytes * access.vector, access.way, access.array.element_bytes),
        nest_(m, block, access, requests_.few()) {}

  BANKMODEL_FN constexpr cost run() {
    limit_ = __builtin_is_constant_evaluated() ? most_steps_in_a_constant_expression / nest_.steps_of_an_iteration() : most_iterations;
    if (!iterations_are_few()) {  // walk once without looking at addresses
      counting_only_ = true;
      run_warps();
      counting_only_ = false;
    }
    run_warps();
    cost sum = requests_.sum();
    sum.method = nest_.apart ? method::distinct_requests : method::each_request;
    return sum;
  }

 private:
  // ---- before the walk ----

  BANKMODEL_FN static constexpr const machine& valid(const machine& m) {
    m.require_valid();
    return m;
  }

  // Whether the trips of the loops that are walked, where all bounds are constants, stay within the limit; refused if
  // they do not. False if that cannot be said without walking: bounds behind a filter may belong to no active lane.
  BANKMODEL_FN constexpr bool iterations_are_few() {
    long long iterations = nest_.warps;
    bool filtered = false;
    for (int level = 0; level < nest_.closed_from; ++level) {
      const wrapper& w = access_.wrappers[level];
      if (w.kind == wrapper_kind::filter) {
        filtered = true;
        continue;
      }
      if (filtered || nest_.used_by(w) != 0) return false;
      if (!nest_.is_read_inside(level, w.variable)) continue;
      const long long trips = w.kind == wrapper_kind::values ? w.first.size : trips_of(w);
      if (trips == 0) return true;
      if (trips > limit_ / iterations) rule::iterations_must_be_few_enough_to_count(limit_);
      iterations *= trips;
    }
    return true;
  }

  // ---- the walk ----

  BANKMODEL_FN constexpr void run_warps() {
    known_ = 0;
    lane_set active;
    for (int number = 0; number < (nest_.warps_closed ? 1 : nest_.warps); ++number) {
      lanes_ = number == nest_.warps - 1 ? nest_.last_lanes : machine_.lanes;
      if (number == 0 || number == nest_.warps - 1) {
        active = {};
        for (int lane = 0; lane < lanes_; ++lane) active.add(lane);
      }
      values_.enter(number);
      if (!nest_.warps_alike) known_ = 0;
      enter(0, active, 1);
    }
  }

  BANKMODEL_FN constexpr lane_values in_lanes(const slice& program, const lane_set& active) {
    values_.read_lanes(lanes_, nest_.used);
    return evaluate(access_.nodes + program.first, program.size, values_.in_lanes(), active, rows_);
  }

  // In the lane that values_ read last, or where no lane matters.
  BANKMODEL_FN constexpr long long in_one_lane(const slice& program) const {
    return evaluate(access_.nodes + program.first, program.size, values_.in_one_lane());
  }

  BANKMODEL_FN constexpr long long trips_of(const wrapper& w) const {
    return detail::trips_of(w.kind, in_one_lane(w.first), in_one_lane(w.last), in_one_lane(w.step));
  }

  BANKMODEL_FN constexpr void enter(int level, const lane_set& active, std::uint64_t times) {
    if (level == nest_.closed_from) {
      make_requests(active, times);
      return;
    }
    const wrapper& w = access_.wrappers[level];
    if (w.kind == wrapper_kind::filter)
      enter_filter(level, active, times);
    else if ((nest_.in_lockstep & variable_bit(w.variable)) != 0)
      enter_lockstep_loop(level, active, times);
    else
      enter_loop(level, active, times);
  }

  // One iteration of a loop that is walked.
  BANKMODEL_FN constexpr void count_iteration() {
    if (counting_only_ && ++iterations_ > limit_) rule::iterations_must_be_few_enough_to_count(limit_);
  }

  BANKMODEL_FN constexpr void enter_filter(int level, const lane_set& active, std::uint64_t times) {
    const lane_values holds = in_lanes(access_.wrappers[level].first, active);
    if (holds.each == nullptr) {
      if (holds.same != 0) enter(level + 1, active, times);
      return;
    }
    lane_set inside;
    for (int index = 0; index < active.count; ++index)
      if (holds.each[active.lane[index]] != 0) inside.add(active.lane[index]);
    if (inside.count != 0) enter(level + 1, inside, times);
  }

  BANKMODEL_FN constexpr void enter_loop(int level, const lane_set& active, std::uint64_t times) {
    const wrapper& w = access_.wrappers[level];
    if (w.kind == wrapper_kind::values) {
      for (int at = 0; at < w.first.size; ++at) {
        values_.set(w.variable, access_.nodes[w.first.first + at].value);
        count_iteration();
        enter(level + 1, active, times);
      }
      return;
    }
    const long long first = in_one_lane(w.first), step = in_one_lane(w.step), trips = trips_of(w);
    if (trips == 0) return;
    values_.set(w.variable, first);
    if (!nest_.is_read_inside(level, w.variable)) {
      enter(level + 1, active, checked_count_product(times, static_cast<std::uint64_t>(trips)));
      return;
    }
    long long value = first;
    for (long long trip = 1;; ++trip) {
      count_iteration();
      enter(level + 1, active, times);
      if (trip == trips) return;
      value = next(w.kind, value, step);
      values_.set(w.variable, value);
    }
  }

  // Bounds that differ from lane to lane: the lanes run in lockstep, each with a value of its own, until the last one
  // has finished.
  BANKMODEL_FN constexpr void enter_lockstep_loop(int level, const lane_set& active, std::uint64_t times) {
    const wrapper& w = access_.wrappers[level];
    long long value[max_lanes], last[max_lanes], step[max_lanes], trips[max_lanes];
    copy(in_lanes(w.first, active), active, value);
    copy(in_lanes(w.last, active), active, last);
    copy(in_lanes(w.step, active), active, step);
    long long most = 0;
    for (int index = 0; index < active.count; ++index) {
      const int lane = active.lane[index];
      trips[lane] = detail::trips_of(w.kind, value[lane], last[lane], step[lane]);
      if (trips[lane] > most) most = trips[lane];
    }
    for (long long trip = 0; trip < most; ++trip) {
      lane_set running;
      for (int index = 0; index < active.count; ++index) {
        const int lane = active.lane[index];
        if (trip >= trips[lane]) continue;
        running.add(lane);
        if (trip > 0) value[lane] = next(w.kind, value[lane], step[lane]);
      }
      values_.set_lanes(w.variable, value);
      count_iteration();
      enter(level + 1, running, times);
    }
  }

  BANKMODEL_FN static constexpr void copy(const lane_values& from, const lane_set& lanes, long long* to) {
    for (int index = 0; index < lanes.count; ++index) to[lanes.lane[index]] = from[lanes.lane[index]];
  }

  // ---- requests ----

  // Those of the closed loops, and of all warps where these are closed.
  BANKMODEL_FN constexpr void make_requests(const lane_set& active, std::uint64_t times) {
    if (counting_only_) return;
    long long trips[loop_variables], steps[loop_variables];
    for (int level = nest_.closed_from; level < access_.depth; ++level) {
      const wrapper& w = access_.wrappers[level];
      trips[level - nest_.closed_from] = trips_of(w);
      if (trips[level - nest_.closed_from] == 0) return;
      steps[level - nest_.closed_from] = in_one_lane(w.step);
      values_.set(w.variable, in_one_lane(w.first));
    }
    values_.read_lane(active.lane[0]);
    long long base = 0;
    if (nest_.apart && known_ == active.mask) {
      base = addresses_.moved(values_.in_one_lane());
    } else {
      long long relative[max_lanes];
      values_.read_lanes(lanes_, nest_.used);
      base = addresses_.read(values_.in_lanes(), active, rows_, relative);
      if (!nest_.apart) {
        requests_.add_single(active.mask, relative, base, times);
        return;
      }
      requests_.set_shape(active.mask, relative);
      known_ = active.mask;
    }

    progression loops[loop_variables + 3];
    int depth = 0;
    addresses_.begin_loops();
    for (int level = nest_.closed_from; level < access_.depth; ++level) {
      const variable which = access_.wrappers[level].variable;
      const long long runs = trips[level - nest_.closed_from];
      if (runs == 1) continue;
      const long long first = values_.in_one_lane()[static_cast<int>(which)];
      values_.set(which, checked_add(first, steps[level - nest_.closed_from]));
      loops[depth++] = {addresses_.add_loop(values_.in_one_lane(), runs), runs};
      values_.set(which, first);
    }
    if (nest_.warps_closed) depth = add_warps(active.lane[0], loops, depth);
    requests_.add_nest(base, loops, depth, times);
  }

  // The warps of a block as up to three progressions: along x, y and z.
  BANKMODEL_FN constexpr int add_warps(int lane, progression* loops, int depth) {
    const int lanes = machine_.lanes;
    const int along_x = block_.x > lanes ? block_.x / lanes : 1;
    const int rows = block_.x < lanes ? lanes / block_.x : 1;  // of one warp
    const int along_y = block_.y > rows ? block_.y / rows : 1;
    const int along_z = nest_.warps / along_x / along_y;
    const int trips[3] = {along_x, along_y, along_z}, warps[3] = {1, along_x, along_x * along_y};
    for (int way = 0; way < 3; ++way) {
      if (trips[way] == 1) continue;
      values_.enter(warps[way]);
      values_.read_lane(lane);
      loops[depth++] = {addresses_.add_loop(values_.in_one_lane(), trips[way]), trips[way]};
    }
    values_.enter(0);
    return depth;
  }

  const machine& machine_;
  const block_dim& block_;
  const access_view& access_;
  warp_values values_;
  value_rows rows_;
  addresses addresses_;
  requests_by_residue requests_;
  nest nest_;
  int lanes_ = 0;  // of this warp
  long long limit_ = 0, iterations_ = 0;
  bool counting_only_ = false;

  std::uint64_t known_ = 0;  // the lanes whose pattern requests_ has
};

}  // namespace detail
}  // namespace bankmodel

#endif
