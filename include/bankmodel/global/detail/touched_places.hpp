// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_GLOBAL_DETAIL_TOUCHED_PLACES_HPP
#define BANKMODEL_GLOBAL_DETAIL_TOUCHED_PLACES_HPP

#include <bankmodel/global/detail/class_places.hpp>

// The bytes that a block touches: runs, and the loops that repeat all of them.
//
// The classes of a block are read twice. The first time the loops that all of them have are found.
// Those whose step is at least the extent of what they repeat are kept as loops, so their
// repetitions are separate; the second time the runs inside these loops are listed. So rows of a
// matrix take one run and a loop, however many they are.
namespace bankmodel::detail {

// The runs that may be added before they are merged. (g++ and nvcc could take more than clang in a
// constant expression, but results must not depend on the compiler.)
BANKMODEL_FN long long most_added_runs() {
  return __builtin_is_constant_evaluated() ? 4'000 : 4'000'000;
}

// a / b, rounded down. Requires: b is above 0.
BANKMODEL_FN long long floor_divide(long long a, long long b) {
  return a % b < 0 ? a / b - 1 : a / b;
}

// The first reading of the classes.
class common_repeats {
 public:
  BANKMODEL_FN void operator()(const request_class& requests) {
    const class_places places(requests);
    const long long begin = places.lowest(), end = places.end();
    if (!is_found_) {
      is_found_ = true;
      lowest_ = begin;
      end_ = end;
      common_ = places.repeats;
      return;
    }
    if (begin < lowest_) lowest_ = begin;
    if (end > end_) end_ = end;
    repeated_places remaining = places.repeats;
    for (int loop = common_.loops - 1; loop >= 0; --loop) {
      const int same = remaining.find(common_.loop[loop]);
      if (same < 0)
        common_.remove(loop);
      else
        remaining.remove(same);
    }
  }
  BANKMODEL_FN bool is_found() const { return is_found_; }
  BANKMODEL_FN long long lowest() const { return lowest_; }
  BANKMODEL_FN long long end() const { return end_; }
  // The common loops that repeat separate bytes.
  BANKMODEL_FN repeated_places separate() const {
    repeated_places result;
    long long extent = checked_subtract(end_, lowest_);
    for (int loop = common_.loops - 1; loop >= 0; --loop) {
      const progression& repeat = common_.loop[loop];
      extent -= repeat.step * (repeat.trips - 1);
      if (repeat.step < extent) break;
      result.add(repeat);
    }
    return result;
  }

 private:
  bool is_found_ = false;
  long long lowest_ = 0, end_ = 0;
  repeated_places common_;
};

// The second reading.
class touched_places {
 public:
  BANKMODEL_FN explicit touched_places(const common_repeats& repeats)
      : extent_(repeats.end() - repeats.lowest()),
        outer_(repeats.separate()),
        left_(most_added_runs()) {}
  touched_places(const touched_places&) = delete;

  BANKMODEL_FN void operator()(const request_class& requests) {
    class_places places(requests);
    for (int loop = 0; loop < outer_.loops; ++loop)
      places.repeats.remove(places.repeats.find(outer_.loop[loop]));
    places.add_to(runs_, left_);
  }
  // To be called after the last class. Error: there are too many runs.
  BANKMODEL_FN void tidy() {
    runs_.tidy();
    while (runs_.count() == 1 && outer_.loops > 0 &&
           outer_.loop[0].step <= runs_[0].end - runs_[0].begin) {
      runs_.last().end += outer_.loop[0].step * (outer_.loop[0].trips - 1);
      outer_.remove(0);
    }
  }

  BANKMODEL_FN long long extent() const { return extent_; }
  BANKMODEL_FN long long bytes() const {
    long long result = runs_.bytes();
    for (int loop = 0; loop < outer_.loops; ++loop) result *= outer_.loop[loop].trips;
    return result;
  }
  // The bytes that this set shares with itself moved by `distance` bytes.
  BANKMODEL_FN long long common_bytes(long long distance) const {
    return common(distance, outer_.loops);
  }
  // The least number of bytes by which this set moved by `distance` bytes must move on to share
  // bytes with this set where it is: 0 if it shares some, no_gap if it would have to move back.
  BANKMODEL_FN long long gap(long long distance) const { return gap(distance, outer_.loops); }

 private:
  // Of the two sets' repetitions only pairs at one of two distances can meet, because a step is at
  // least the extent of the set that it repeats.
  BANKMODEL_FN long long common(long long distance, int level) const {
    if (distance >= extent_ || distance <= -extent_) return 0;
    if (level == 0) return runs_.common_bytes(runs_, distance);
    const progression& repeat = outer_.loop[level - 1];
    const long long first = floor_divide(distance, repeat.step);
    long long sum = 0;
    for (long long steps = first; steps <= first + 1; ++steps) {
      const long long pairs = repeat.trips - (steps < 0 ? -steps : steps);
      if (pairs > 0) sum += pairs * common(distance - steps * repeat.step, level - 1);
    }
    return sum;
  }
  BANKMODEL_FN long long gap(long long distance, int level) const {
    if (distance >= extent_) return no_gap;
    if (level == 0) return runs_.gap(distance);
    const progression& repeat = outer_.loop[level - 1];
    long long first = floor_divide(distance, repeat.step), minimum = no_gap;
    if (first < 1 - repeat.trips) first = 1 - repeat.trips;
    for (long long steps = first; steps <= first + 1 && steps < repeat.trips; ++steps) {
      const long long candidate = gap(distance - steps * repeat.step, level - 1);
      if (candidate < minimum) minimum = candidate;
    }
    return minimum;
  }

  long long extent_;
  repeated_places outer_;
  touched_runs runs_;
  long long left_;
};

}  // namespace bankmodel::detail

#endif
