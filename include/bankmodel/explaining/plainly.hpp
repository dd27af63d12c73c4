// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXPLAINING_PLAINLY_HPP
#define BANKMODEL_EXPLAINING_PLAINLY_HPP

#include <bankmodel/total.hpp>

// One warp, run lane by lane and iteration by iteration until a request has the degree that is looked for.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN inline void the_worst_request_must_come_early_where_lanes_run_in_lockstep(long long limit) {
  detail::fail("the_worst_request_must_come_early_where_lanes_run_in_lockstep",
               "explain() has run % iterations of a loop whose bounds or step depend on the thread, and what is inside it, before the worst "
               "request; explain it with a loop that begins later",
               limit);
}
}  // namespace rule

namespace detail {

constexpr long long most_plain_iterations = 1 << 20, most_plain_iterations_in_a_constant_expression = 100;

class plain_warp {
 public:
  // Required: total() accepts the access, whose array has no intervals or lies in `layout`.
  BANKMODEL_FN constexpr plain_warp(const machine& m, const block_dim& block, const block_index& at, const access_view& access, int warp)
      : machine_(m), access_(access), banks_(m.banks(access.vector * access.array.element_bytes, access.way)) {
    for (int lane = 0; lane < m.lanes; ++lane) {
      const long long thread = static_cast<long long>(warp) * m.lanes + lane;
      if (thread < static_cast<long long>(block.x) * block.y * block.z) active_ |= std::uint64_t{1} << lane;
      for (long long& value : value_[lane]) value = 0;
      set(lane, variable::tx, thread % block.x);
      set(lane, variable::ty, thread / block.x % block.y);
      set(lane, variable::tz, thread / block.x / block.y);
      set(lane, variable::bx, at.x);
      set(lane, variable::by, at.y);
      set(lane, variable::bz, at.z);
      set(lane, variable::tid, thread);
      set(lane, variable::lane, lane);
      set(lane, variable::warp, warp);
    }
  }

  // Runs to the first request with a phase of that degree. Required: there is one.
  BANKMODEL_FN constexpr void run_to(int degree) {
    wanted_ = degree;
    if (__builtin_is_constant_evaluated()) limit_ = most_plain_iterations_in_a_constant_expression;
    (void)enter(0, active_);
  }

  // ---- that request ----

  BANKMODEL_FN constexpr const request& found() const { return request_; }
  BANKMODEL_FN constexpr int phase() const { return phase_; }
  BANKMODEL_FN constexpr int loops() const { return loops_; }
  BANKMODEL_FN constexpr const loop_position& loop(int at) const { return loop_[at]; }

 private:
  BANKMODEL_FN constexpr void set(int lane, variable which, long long value) { value_[lane][static_cast<int>(which)] = value; }
  BANKMODEL_FN constexpr long long evaluate(const slice& program, int lane) const {
    return bankmodel::detail::evaluate(access_.nodes + program.first, program.size, value_[lane]);
  }

  // Whether it has been found.
  BANKMODEL_FN constexpr bool enter(int level, std::uint64_t active) {
    if (active == 0) return false;
    if (level == access_.depth) return issue(active);
    const wrapper& w = access_.wrappers[level];
    if (w.kind == wrapper_kind::filter) {
      std::uint64_t open = 0;
      for (int lane = 0; lane < machine_.lanes; ++lane)
        if ((active >> lane & 1) != 0 && evaluate(w.first, lane) != 0) open |= std::uint64_t{1} << lane;
      return enter(level + 1, open);
    }
    const int number = loops_++;
    long long trips[max_lanes] = {}, at[max_lanes] = {}, step[max_lanes] = {}, most = 0;
    for (int lane = 0; lane < machine_.lanes; ++lane) {
      if ((active >> lane & 1) == 0) continue;
      if (w.kind == wrapper_kind::values) {
        trips[lane] = w.first.size;
      } else {
        at[lane] = evaluate(w.first, lane);
        step[lane] = evaluate(w.step, lane);
        trips[lane] = trips_of(w.kind, at[lane], evaluate(w.last, lane), step[lane]);
      }
      if (trips[lane] > most) most = trips[lane];
    }
    for (long long trip = 0; trip < most; ++trip) {
      if (++iterations_ > limit_) rule::the_worst_request_must_come_early_where_lanes_run_in_lockstep(limit_);
      std::uint64_t inside = 0;
      for (int lane = 0; lane < machine_.lanes; ++lane) {
        if ((active >> lane & 1) == 0 || trips[lane] <= trip) continue;
        if (w.kind == wrapper_kind::values)
          at[lane] = access_.nodes[w.first.first + trip].value;
        else if (trip > 0)
          at[lane] = next(w.kind, at[lane], step[lane]);
        set(lane, w.variable, at[lane]);
        inside |= std::uint64_t{1} << lane;
      }
      loop_[number] = {w.variable, trip, 0};
      if (enter(level + 1, inside)) {
        loop_[number].value = at[lowest_lane(request_.active)];
        return true;
      }
    }
    --loops_;
    return false;
  }

  BANKMODEL_FN constexpr bool issue(std::uint64_t active) {
    request_.active = active;
    request_.bytes = access_.vector * access_.array.element_bytes;
    request_.way = access_.way;
    const layout& in = access_.array.layout;
    for (int lane = 0; lane < machine_.lanes; ++lane) {
      if ((active >> lane & 1) == 0) continue;
      long long element = 0;
      for (int d = 0; d < access_.subscripts; ++d) element += evaluate(access_.subscript[d], lane) * in.pitch[d];
      if (in.interval != 0) element = in(element);
      request_.address[lane] = access_.array.base_bytes + element * access_.array.element_bytes;
    }
    const lane_groups phases = phases_of(machine_, request_);
    for (phase_ = 0; phase_ < 1 << phases.bits(); ++phase_) {
      long long address[max_lanes] = {};
      int count = 0, layers[256];
      for (int lane = 0; lane < machine_.lanes; ++lane)
        if ((active & phases.lanes_of(phase_)) >> lane & 1) address[count++] = request_.address[lane];
      if (count > 0 && count_layers(banks_, address, count, request_.bytes, layers) == wanted_) return true;
    }
    return false;
  }

  const machine& machine_;
  const access_view& access_;
  geometry banks_;
  std::uint64_t active_ = 0;
  long long value_[max_lanes][variables];
  int wanted_ = 0, phase_ = 0, loops_ = 0;
  long long iterations_ = 0, limit_ = most_plain_iterations;
  loop_position loop_[loop_variables];
  request request_;
};

}  // namespace detail
}  // namespace bankmodel

#endif
