// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_GLOBAL_DETAIL_CLASS_PLACES_HPP
#define BANKMODEL_GLOBAL_DETAIL_CLASS_PLACES_HPP

#include <bankmodel/count/request_class.hpp>
#include <bankmodel/global/detail/touched_runs.hpp>

// The bytes that the requests of one class touch.
namespace bankmodel::detail {

// Loops that repeat bytes, by step.
struct repeated_places {
  static constexpr int capacity = request_class::max_loops + 1;
  progression loop[capacity] = {};  // steps above 0, in ascending order; 2 or more trips
  int loops = 0;

  BANKMODEL_FN void add(const progression& repeat) {
    int level = loops++;
    for (; level > 0 && loop[level - 1].step > repeat.step; --level) loop[level] = loop[level - 1];
    loop[level] = repeat;
  }
  BANKMODEL_FN void remove(int level) {
    for (--loops; level < loops; ++level) loop[level] = loop[level + 1];
  }
  BANKMODEL_FN int find(const progression& repeat) const {
    for (int level = 0; level < loops; ++level)
      if (loop[level].step == repeat.step && loop[level].trips == repeat.trips) return level;
    return -1;
  }
  // The distance between the first and the last repetition.
  BANKMODEL_FN long long reach() const {
    long long sum = 0;
    for (int level = 0; level < loops; ++level)
      sum = checked_add(sum, checked_multiply(loop[level].step, loop[level].trips - 1));
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

  BANKMODEL_FN explicit class_places(const request_class& requests) {
    long long base = requests.base;
    for (int level = 0; level < requests.loops; ++level) {
      progression repeat = requests.loop[level];
      if (repeat.trips < 2 || repeat.step == 0) continue;
      if (repeat.step < 0) {
        base = checked_add(base, checked_multiply(repeat.step, repeat.trips - 1));
        repeat.step = -repeat.step;
      }
      repeats.add(repeat);
    }
    for (std::uint64_t rest = requests.lanes.active; rest != 0; rest &= rest - 1)
      add_lane(base + requests.lanes.address[trailing_zeros(rest)], requests.lanes.bytes);
    merge();
    bool even = runs_ > 1;
    for (int run = 1; run < runs_ && even; ++run)
      even = run_[run].end - run_[run].begin == run_[0].end - run_[0].begin &&
             run_[run].begin - run_[run - 1].begin == run_[1].begin - run_[0].begin;
    if (!even) return;
    repeats.add({run_[1].begin - run_[0].begin, runs_});
    runs_ = 1;
  }

  BANKMODEL_FN long long lowest() const { return run_[0].begin; }
  BANKMODEL_FN long long end() const { return checked_add(run_[runs_ - 1].end, repeats.reach()); }

  // Adds the bytes to `touched`. `left`: the number of runs that may still be added before they are
  // merged. Error: it is too low.
  BANKMODEL_FN void add_to(touched_runs& touched, long long& left) {
    while (runs_ == 1 && repeats.loops > 0 && repeats.loop[0].step <= run_[0].end - run_[0].begin) {
      run_[0].end += repeats.loop[0].step * (repeats.loop[0].trips - 1);
      repeats.remove(0);
    }
    add_level(touched, left, repeats.loops, 0);
  }

 private:
  BANKMODEL_FN void add_lane(long long begin, int bytes) {
    int run = runs_++;
    for (; run > 0 && run_[run - 1].begin > begin; --run) run_[run] = run_[run - 1];
    run_[run] = {begin, begin + bytes};
  }
  BANKMODEL_FN void merge() {
    int kept = 0;
    for (int run = 1; run < runs_; ++run) {
      if (run_[run].begin > run_[kept].end)
        run_[++kept] = run_[run];
      else if (run_[run].end > run_[kept].end)
        run_[kept].end = run_[run].end;
    }
    runs_ = kept + 1;
  }
  BANKMODEL_FN void add_level(touched_runs& touched, long long& left, int level,
                              long long offset) const {
    if (level > 0) {
      const progression& repeat = repeats.loop[level - 1];
      if (repeat.trips > left) rule::the_places_of_a_block_must_be_few_enough_to_compare(left);
      for (long long trip = 0; trip < repeat.trips; ++trip)
        add_level(touched, left, level - 1, offset + trip * repeat.step);
      return;
    }
    left -= runs_;
    if (left < 0) rule::the_places_of_a_block_must_be_few_enough_to_compare(0);
    for (int run = 0; run < runs_; ++run)
      touched.add(run_[run].begin + offset, run_[run].end + offset);
  }

  byte_run run_[max_lanes];
  int runs_ = 0;
};

}  // namespace bankmodel::detail

#endif
