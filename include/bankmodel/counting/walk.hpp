// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNTING_WALK_HPP
#define BANKMODEL_COUNTING_WALK_HPP

#include <bankmodel/counting/addresses.hpp>
#include <bankmodel/counting/residues.hpp>
#include <bankmodel/counting/trips.hpp>

// One access of one block: its warps through their loops and filters, as the hardware runs them.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN inline void the_block_must_have_threads(long long x, long long y, long long z) {
  detail::fail("the_block_must_have_threads", "a block of % x % x % threads; each must be 1 or more", x, y, z);
}
[[noreturn]] BANKMODEL_FN inline void the_block_must_fit_the_machine(long long threads, long long limit) {
  detail::fail("the_block_must_fit_the_machine", "a block of % threads; this machine takes at most %", threads, limit);
}
[[noreturn]] BANKMODEL_FN inline void loop_variables_must_stand_inside_their_for_loop(long long which) {
  detail::fail("loop_variables_must_stand_inside_their_for_loop",
               "loop variable % (i is 0, j is 1, ..) is read where no for_loop around it sets it; add the loop or use another variable",
               which);
}
[[noreturn]] BANKMODEL_FN inline void nested_loops_must_have_different_variables(long long which) {
  detail::fail("nested_loops_must_have_different_variables",
               "loop variable % (i is 0, j is 1, ..) belongs to two nested loops; give one of them another", which);
}
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

class walk {
 public:
  BANKMODEL_FN constexpr walk(const machine& m, const block_dim& block, const access_view& access, const block_index& at)
      : machine_(valid(m)),
        block_(block),
        access_(access),
        values_(m.lanes, block, at),
        addresses_(access),
        requests_(m, access.array.element_bytes * access.vector, access.way, access.array.element_bytes) {
    const long long threads = checked_threads();
    warps_ = static_cast<int>((threads + m.lanes - 1) / m.lanes);
    last_lanes_ = static_cast<int>(threads - static_cast<long long>(warps_ - 1) * m.lanes);
    read_structure();
  }

  BANKMODEL_FN constexpr cost run() {
    limit_ = __builtin_is_constant_evaluated() ? most_steps_in_a_constant_expression / steps_of_an_iteration() : most_iterations;
    if (!iterations_are_few()) {  // walk once without looking at addresses
      counting_only_ = true;
      run_warps();
      counting_only_ = false;
    }
    run_warps();
    cost sum = requests_.sum();
    sum.method = apart_ ? method::distinct_requests : method::each_request;
    return sum;
  }

 private:
  // ---- before the walk ----

  BANKMODEL_FN static constexpr const machine& valid(const machine& m) {
    m.require_valid();
    return m;
  }

  BANKMODEL_FN constexpr long long checked_threads() const {
    if (block_.x < 1 || block_.y < 1 || block_.z < 1) rule::the_block_must_have_threads(block_.x, block_.y, block_.z);
    const long long threads = checked_multiply(static_cast<long long>(block_.x) * block_.y, block_.z);
    const int limit = machine_.limits.threads_per_block != 0 ? machine_.limits.threads_per_block : 1 << 20;
    if (threads > limit) rule::the_block_must_fit_the_machine(threads, limit);
    return threads;
  }

  BANKMODEL_FN constexpr unsigned used_by(const slice& program) const {
    return variables_in(access_.nodes + program.first, program.size);
  }

  // The variables that a wrapper's bounds or condition read.
  BANKMODEL_FN constexpr unsigned used_by(const wrapper& w) const {
    if (w.kind == wrapper_kind::values) return 0;
    return used_by(w.first) | used_by(w.last) | used_by(w.step);
  }

  BANKMODEL_FN static constexpr int number_of(variable loop) { return static_cast<int>(loop) - static_cast<int>(variable::loop_0); }

  BANKMODEL_FN static constexpr void require_set(unsigned used, unsigned set) {
    const unsigned unset = (used & ~set) >> static_cast<int>(variable::loop_0);
    if (unset != 0) rule::loop_variables_must_stand_inside_their_for_loop(trailing_zeros(unset));
  }

  BANKMODEL_FN constexpr void read_structure() {
    unsigned set = 0;  // loop variables
    for (int level = 0; level < access_.depth; ++level) {
      const wrapper& w = access_.wrappers[level];
      const unsigned used = used_by(w);
      require_set(used, set);
      used_ |= used;
      if (w.kind == wrapper_kind::filter) continue;
      const unsigned bit = variable_bit(w.variable);
      if ((set & bit) != 0) rule::nested_loops_must_have_different_variables(number_of(w.variable));
      set |= bit;
      if ((used & (thread_variables | in_lockstep_)) != 0) in_lockstep_ |= bit;
    }
    const warp_pattern warps = pattern_of_warps(block_, machine_.lanes);
    subscript_structure subscripts;
    for (int d = 0; d < access_.subscripts; ++d)
      subscripts.read(access_.nodes + access_.subscript[d].first, access_.subscript[d].size, warps, set);
    require_set(subscripts.used, set);
    used_by_subscripts_ = subscripts.used;
    used_ |= subscripts.used;

    closed_from_ = access_.depth;
    // A loop that differs from lane to lane changes the pattern of the lanes itself.
    if ((subscripts.used & in_lockstep_) != 0 || !requests_.few()) return;
    apart_ = subscripts.apart_in_warp;
    warps_alike_ = warps.alike && subscripts.apart_in_block;
    if (apart_) close_nest(subscripts.not_affine, warps.in_warps);
  }

  // Finds the inner loops, and perhaps the warps around them, that only move the base, each by the same amount each
  // time: those need no walking. Of such a loop the first two iterations and the last are looked at; an intermediate
  // value that overflows in another one only, and cancels, is not seen.
  BANKMODEL_FN constexpr void close_nest(unsigned not_affine, unsigned in_warps) {
    while (closed_from_ > 0) {
      const wrapper& w = access_.wrappers[closed_from_ - 1];
      const unsigned bit = variable_bit(w.variable);
      if (w.kind != wrapper_kind::range || ((in_lockstep_ | not_affine) & bit) != 0 || (bounds_inside_ & bit) != 0) return;
      bounds_inside_ |= used_by(w);
      --closed_from_;
    }
    const unsigned moved_by_warps = in_warps & (used_by_subscripts_ | bounds_inside_);
    warps_closed_ = warps_ > 1 && warps_alike_ && last_lanes_ == machine_.lanes && (not_affine & moved_by_warps) == 0 &&
                    (in_warps & bounds_inside_) == 0;
  }

  // About what clang counts for one iteration. A filter may change the lanes each time, and then all are read.
  BANKMODEL_FN constexpr long long steps_of_an_iteration() const {
    long long operators = 0;
    bool reads_lanes = !apart_;
    const auto add = [&](const slice& program) {
      for (int at = 0; at < program.size; ++at) operators += access_.nodes[program.first + at].op > operation::variable;
    };
    for (int d = 0; d < access_.subscripts; ++d) add(access_.subscript[d]);
    for (int level = 0; level < access_.depth; ++level) {
      const wrapper& w = access_.wrappers[level];
      add(w.first), add(w.last), add(w.step);
      reads_lanes = reads_lanes || w.kind == wrapper_kind::filter || (in_lockstep_ & variable_bit(w.variable)) != 0;
    }
    return reads_lanes ? machine_.lanes * (45 + 8 * operators) : 60 + 20 * operators;
  }

  // Whether anything inside the wrapper at `level` reads that variable.
  BANKMODEL_FN constexpr bool is_read_inside(int level, variable which) const {
    unsigned used = used_by_subscripts_;
    for (int inner = level + 1; inner < access_.depth; ++inner) used |= used_by(access_.wrappers[inner]);
    return (used & variable_bit(which)) != 0;
  }

  // Whether the trips of the loops that are walked, where all bounds are constants, stay within the limit; refused if
  // they do not. False if that cannot be said without walking: bounds behind a filter may belong to no active lane.
  BANKMODEL_FN constexpr bool iterations_are_few() {
    long long iterations = warps_;
    bool filtered = false;
    for (int level = 0; level < closed_from_; ++level) {
      const wrapper& w = access_.wrappers[level];
      if (w.kind == wrapper_kind::filter) {
        filtered = true;
        continue;
      }
      if (filtered || used_by(w) != 0) return false;
      if (!is_read_inside(level, w.variable)) continue;
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
    for (int number = 0; number < (warps_closed_ ? 1 : warps_); ++number) {
      lanes_ = number == warps_ - 1 ? last_lanes_ : machine_.lanes;
      if (number == 0 || number == warps_ - 1) {
        active = {};
        for (int lane = 0; lane < lanes_; ++lane) active.add(lane);
      }
      values_.enter(number);
      if (!warps_alike_) known_ = 0;
      enter(0, active, 1);
    }
  }

  BANKMODEL_FN constexpr lane_values in_lanes(const slice& program, const lane_set& active) {
    values_.read_lanes(lanes_, used_);
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
    if (level == closed_from_) {
      make_requests(active, times);
      return;
    }
    const wrapper& w = access_.wrappers[level];
    if (w.kind == wrapper_kind::filter)
      enter_filter(level, active, times);
    else if ((in_lockstep_ & variable_bit(w.variable)) != 0)
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
    if (!is_read_inside(level, w.variable)) {
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
    for (int level = closed_from_; level < access_.depth; ++level) {
      const wrapper& w = access_.wrappers[level];
      trips[level - closed_from_] = trips_of(w);
      if (trips[level - closed_from_] == 0) return;
      steps[level - closed_from_] = in_one_lane(w.step);
      values_.set(w.variable, in_one_lane(w.first));
    }
    values_.read_lane(active.lane[0]);
    long long base = 0;
    if (apart_ && known_ == active.mask) {
      base = addresses_.moved(values_.in_one_lane());
    } else {
      long long relative[max_lanes];
      values_.read_lanes(lanes_, used_);
      base = addresses_.read(values_.in_lanes(), active, rows_, relative);
      if (!apart_) {
        requests_.add_single(active.mask, relative, base, times);
        return;
      }
      requests_.set_shape(active.mask, relative);
      known_ = active.mask;
    }

    progression nest[loop_variables + 3];
    int depth = 0;
    addresses_.begin_loops();
    for (int level = closed_from_; level < access_.depth; ++level) {
      const variable which = access_.wrappers[level].variable;
      const long long runs = trips[level - closed_from_];
      if (runs == 1) continue;
      const long long first = values_.in_one_lane()[static_cast<int>(which)];
      values_.set(which, checked_add(first, steps[level - closed_from_]));
      nest[depth++] = {addresses_.add_loop(values_.in_one_lane(), runs), runs};
      values_.set(which, first);
    }
    if (warps_closed_) depth = add_warps(active.lane[0], nest, depth);
    requests_.add_nest(base, nest, depth, times);
  }

  // The warps of a block as up to three progressions: along x, y and z.
  BANKMODEL_FN constexpr int add_warps(int lane, progression* nest, int depth) {
    const int lanes = machine_.lanes;
    const int along_x = block_.x > lanes ? block_.x / lanes : 1;
    const int rows = block_.x < lanes ? lanes / block_.x : 1;  // of one warp
    const int along_y = block_.y > rows ? block_.y / rows : 1;
    const int along_z = warps_ / along_x / along_y;
    const int trips[3] = {along_x, along_y, along_z}, warps[3] = {1, along_x, along_x * along_y};
    for (int way = 0; way < 3; ++way) {
      if (trips[way] == 1) continue;
      values_.enter(warps[way]);
      values_.read_lane(lane);
      nest[depth++] = {addresses_.add_loop(values_.in_one_lane(), trips[way]), trips[way]};
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
  int warps_ = 0, lanes_ = 0, last_lanes_ = 0;  // lanes of this warp and of the last
  unsigned used_ = 0, used_by_subscripts_ = 0;  // variables
  unsigned in_lockstep_ = 0;                    // loop variables that differ from lane to lane
  unsigned bounds_inside_ = 0;                  // variables that the closed loops' bounds read
  bool apart_ = false;                          // loops move all lanes alike
  bool warps_alike_ = false;                    // and so do warps
  int closed_from_ = 0;                         // wrappers from here on are loops that need no walking
  bool warps_closed_ = false;                   // and neither do the warps
  long long limit_ = 0, iterations_ = 0;
  bool counting_only_ = false;

  std::uint64_t known_ = 0;  // the lanes whose pattern requests_ has
};

}  // namespace detail
}  // namespace bankmodel

#endif
