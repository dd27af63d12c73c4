// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_GLOBAL_DETAIL_CLASS_PLACES_HPP
#define BANKMODEL_GLOBAL_DETAIL_CLASS_PLACES_HPP

#include <bankmodel/count/request_class.hpp>
#include <bankmodel/global/detail/touched_runs.hpp>

// The bytes that the requests of one class touch.
namespace bankmodel::detail {

// Loops that repeat bytes, by step.
struct repeated_places {
  static constexpr int most = request_class::max_loops + 1;
  progression loop[most] = {};  // steps above 0, in ascending order; 2 or more trips
  int loops = 0;

  BANKMODEL_FN void add(const progression& one) {
    int at = loops++;
    for (; at > 0 && loop[at - 1].step > one.step; --at) loop[at] = loop[at - 1];
    loop[at] = one;
  }
  BANKMODEL_FN void remove(int at) {
    for (--loops; at < loops; ++at) loop[at] = loop[at + 1];
  }
  BANKMODEL_FN int find(const progression& one) const {
    for (int at = 0; at < loops; ++at)
      if (loop[at].step == one.step && loop[at].trips == one.trips) return at;
    return -1;
  }
  // The distance between the first and the last repetition.
  BANKMODEL_FN long long reach() const {
    long long sum = 0;
    for (int at = 0; at < loops; ++at)
      sum = checked_add(sum, checked_multiply(loop[at].step, loop[at].trips - 1));
    return sum;
  }
};

// The runs of bytes that a warp touches, and the loops that repeat them. Equal runs at equal
// distances are one run and a loop.
//
// Example: the class in request_class.hpp: one run, of 4 bytes from byte 1024 on, and the loops {8,
// 32} and {256, 8}.
class class_places {
 public:
  repeated_places repeats;

  BANKMODEL_FN explicit class_places(const request_class& of) {
    long long base = of.base;
    for (int at = 0; at < of.loops; ++at) {
      progression one = of.loop[at];
      if (one.trips < 2 || one.step == 0) continue;
      if (one.step < 0) {
        base = checked_add(base, checked_multiply(one.step, one.trips - 1));
        one.step = -one.step;
      }
      repeats.add(one);
    }
    for (std::uint64_t rest = of.lanes.active; rest != 0; rest &= rest - 1)
      add_lane(base + of.lanes.address[trailing_zeros(rest)], of.lanes.bytes);
    merge();
    bool even = runs_ > 1;
    for (int at = 1; at < runs_ && even; ++at)
      even = run_[at].end - run_[at].begin == run_[0].end - run_[0].begin &&
             run_[at].begin - run_[at - 1].begin == run_[1].begin - run_[0].begin;
    if (!even) return;
    repeats.add({run_[1].begin - run_[0].begin, runs_});
    runs_ = 1;
  }

  BANKMODEL_FN long long lowest() const { return run_[0].begin; }
  BANKMODEL_FN long long end() const { return checked_add(run_[runs_ - 1].end, repeats.reach()); }

  // Adds the bytes to `to`. `left`: the number of runs that may still be added before they are
  // merged. Error: it is too low.
  BANKMODEL_FN void add_to(touched_runs& to, long long& left) {
    while (runs_ == 1 && repeats.loops > 0 && repeats.loop[0].step <= run_[0].end - run_[0].begin) {
      run_[0].end += repeats.loop[0].step * (repeats.loop[0].trips - 1);
      repeats.remove(0);
    }
    add_level(to, left, repeats.loops, 0);
  }

 private:
  BANKMODEL_FN void add_lane(long long begin, int bytes) {
    int at = runs_++;
    for (; at > 0 && run_[at - 1].begin > begin; --at) run_[at] = run_[at - 1];
    run_[at] = {begin, begin + bytes};
  }
  BANKMODEL_FN void merge() {
    int kept = 0;
    for (int at = 1; at < runs_; ++at) {
      if (run_[at].begin > run_[kept].end)
        run_[++kept] = run_[at];
      else if (run_[at].end > run_[kept].end)
        run_[kept].end = run_[at].end;
    }
    runs_ = kept + 1;
  }
  BANKMODEL_FN void add_level(touched_runs& to, long long& left, int level, long long by) const {
    if (level > 0) {
      const progression& one = repeats.loop[level - 1];
      if (one.trips > left) rule::the_places_of_a_block_must_be_few_enough_to_compare(left);
      for (long long trip = 0; trip < one.trips; ++trip)
        add_level(to, left, level - 1, by + trip * one.step);
      return;
    }
    left -= runs_;
    if (left < 0) rule::the_places_of_a_block_must_be_few_enough_to_compare(0);
    for (int at = 0; at < runs_; ++at) to.add(run_[at].begin + by, run_[at].end + by);
  }

  byte_run run_[max_lanes];
  int runs_ = 0;
};

}  // namespace bankmodel::detail

#endif
