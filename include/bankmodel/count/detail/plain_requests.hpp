// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_PLAIN_REQUESTS_HPP
#define BANKMODEL_COUNT_DETAIL_PLAIN_REQUESTS_HPP

#include <bankmodel/count/detail/access_view.hpp>
#include <bankmodel/count/detail/program.hpp>
#include <bankmodel/count/detail/trips.hpp>
#include <bankmodel/kernel/kernel.hpp>

// The requests of an access one by one, for what a total does not say of them: its threads are run,
// warp by warp and iteration by iteration, the lanes of a warp in lockstep. That takes as long as
// the loops are.
namespace bankmodel::detail {

// Calls visit.begin_iteration() before each iteration of each loop, which may refuse to go on, and
// visit(active, at) for each request: its lanes, and the coordinates of the first element that each
// of them touches. If that returns true, it was the last.
template <class Visit>
class plain_requests {
 public:
  // Required: total() accepts the access.
  BANKMODEL_FN plain_requests(const machine& m, const block_dim& block, const block_index& at,
                              const access_view& of, Visit& visit)
      : lanes_(m.lanes), block_(block), block_index_(at), access_(of), visit_(visit) {}

  // Both return whether `visit` wanted no more.
  BANKMODEL_FN bool run() {
    for (int warp = 0; warp * lanes_ < threads(); ++warp)
      if (run(warp)) return true;
    return false;
  }
  BANKMODEL_FN bool run(int warp) {
    const int first = warp * lanes_,
              count = threads() - first < lanes_ ? threads() - first : lanes_;
    for (int lane = 0; lane < count; ++lane) {
      const int thread = first + lane;
      for (long long& value : value_[lane]) value = 0;
      set(lane, variable::tx, thread % block_.x);
      set(lane, variable::ty, thread / block_.x % block_.y);
      set(lane, variable::tz, thread / block_.x / block_.y);
      set(lane, variable::bx, block_index_.x);
      set(lane, variable::by, block_index_.y);
      set(lane, variable::bz, block_index_.z);
      set(lane, variable::tid, thread);
      set(lane, variable::lane, lane);
      set(lane, variable::warp, warp);
    }
    loops_ = 0;
    return enter(0, ~std::uint64_t{0} >> (max_lanes - count));
  }

  // Where the request that was the last stands in its loops, the outermost first; a loop's value is
  // that of the first lane.
  BANKMODEL_FN int loops() const { return loops_; }
  BANKMODEL_FN const loop_position& loop(int number) const { return loop_[number]; }

 private:
  BANKMODEL_FN int threads() const { return block_.x * block_.y * block_.z; }
  BANKMODEL_FN void set(int lane, variable which, long long value) {
    value_[lane][static_cast<int>(which)] = value;
  }
  BANKMODEL_FN long long evaluate(const slice& program, int lane) const {
    return bankmodel::detail::evaluate(access_.nodes + program.first, program.size, value_[lane]);
  }
  // The set without its first lane.
  BANKMODEL_FN static std::uint64_t rest(std::uint64_t lanes) { return lanes & (lanes - 1); }

  // What lies inside of so many loops and filters. (One function for all three, since clang wants a
  // function that a constant expression needs before its first use.)
#if defined(__CUDACC__)
#pragma nv_exec_check_disable  // a visitor may be for the host alone
#endif
  BANKMODEL_FN bool enter(int level, std::uint64_t active) {
    if (active == 0) return false;
    if (level == access_.depth) {
      for (std::uint64_t lanes = active; lanes != 0; lanes = rest(lanes))
        for (int d = 0; d < access_.subscripts; ++d)
          touched_[trailing_zeros(lanes)][d] =
              evaluate(access_.subscript[d], trailing_zeros(lanes));
      first_lane_ = trailing_zeros(active);
      return visit_(active, touched_);
    }
    const wrapper& w = access_.wrappers[level];
    if (w.kind == wrapper_kind::filter) {
      std::uint64_t open = 0;
      for (std::uint64_t lanes = active; lanes != 0; lanes = rest(lanes))
        if (evaluate(w.first, trailing_zeros(lanes)) != 0) open |= lanes & (0 - lanes);
      return enter(level + 1, open);
    }

    const int number = loops_++;
    long long at[max_lanes] = {}, step[max_lanes] = {}, trips[max_lanes] = {};
    for (std::uint64_t lanes = active; lanes != 0; lanes = rest(lanes)) {
      const int lane = trailing_zeros(lanes);
      if (w.kind == wrapper_kind::values) {
        trips[lane] = w.first.size;
        continue;
      }
      at[lane] = evaluate(w.first, lane);
      step[lane] = evaluate(w.step, lane);
      trips[lane] = trips_of(w.kind, at[lane], evaluate(w.last, lane), step[lane]);
    }
    // A lane that has finished waits for the others.
    for (long long trip = 0;; ++trip) {
      std::uint64_t inside = 0;
      for (std::uint64_t lanes = active; lanes != 0; lanes = rest(lanes)) {
        const int lane = trailing_zeros(lanes);
        if (trips[lane] <= trip) continue;
        if (w.kind == wrapper_kind::values)
          at[lane] = access_.nodes[w.first.first + trip].value;
        else if (trip > 0)
          at[lane] = next(w.kind, at[lane], step[lane]);
        set(lane, w.variable, at[lane]);
        inside |= lanes & (0 - lanes);
      }
      if (inside == 0) break;
      visit_.begin_iteration();
      loop_[number] = {w.variable, trip, 0};
      if (enter(level + 1, inside)) {
        loop_[number].value = at[first_lane_];
        return true;
      }
    }
    --loops_;
    return false;
  }

  int lanes_;
  const block_dim& block_;
  const block_index& block_index_;
  const access_view& access_;
  Visit& visit_;
  long long value_[max_lanes][variables] = {};
  four touched_[max_lanes];
  int first_lane_ = 0, loops_ = 0;
  loop_position loop_[loop_variables] = {};
};

}  // namespace bankmodel::detail

#endif
