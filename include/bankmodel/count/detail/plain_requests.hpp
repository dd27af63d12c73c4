// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_PLAIN_REQUESTS_HPP
#define BANKMODEL_COUNT_DETAIL_PLAIN_REQUESTS_HPP

#include <bankmodel/count/detail/access_view.hpp>
#include <bankmodel/count/detail/program.hpp>
#include <bankmodel/count/detail/trips.hpp>
#include <bankmodel/kernel/kernel.hpp>

// Enumerates the requests of an access one by one, for explanations and table layouts: warp by warp
// and iteration by iteration, with the lanes of a warp in lockstep. The time is proportional to the
// trips of the loops.
namespace bankmodel::detail {

// Calls visit.begin_iteration() before each iteration of each loop, which may end the enumeration
// by an error, and visit(active, at) for each request: its lanes, and the coordinates of the first
// element that each of them accesses. If that returns true, the enumeration ends.
template <class Visit>
class plain_requests {
 public:
  // Requires: total() of the access is not an error.
  BANKMODEL_FN plain_requests(const machine& m, const block_dim& block, const block_index& at,
                              const access_view& of, Visit& visit)
      : lanes_(m.lanes), block_(block), block_index_(at), access_(of), visit_(visit) {}

  // Enumerate all warps, or one. Return true if `visit` did.
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

  // The loops around the last request, the outermost first; the value of a loop is that of the
  // lowest active lane.
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
  // The set without its lowest lane.
  BANKMODEL_FN static std::uint64_t rest(std::uint64_t lanes) { return lanes & (lanes - 1); }

  // Enumerates everything inside the wrappers before `level`. (One function for loops, filters and
  // subscripts: clang requires a definition before the first use in a constant expression.)
#if defined(__CUDACC__)
#pragma nv_exec_check_disable  // a visitor may be for the host only
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
