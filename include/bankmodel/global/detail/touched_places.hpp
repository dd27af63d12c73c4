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
  BANKMODEL_FN void operator()(const request_class& one) {
    const class_places places(one);
    const long long begin = places.lowest(), end = places.end();
    if (!any_) {
      any_ = true;
      lowest_ = begin;
      end_ = end;
      common_ = places.repeats;
      return;
    }
    if (begin < lowest_) lowest_ = begin;
    if (end > end_) end_ = end;
    repeated_places others = places.repeats;
    for (int at = common_.loops - 1; at >= 0; --at) {
      const int same = others.find(common_.loop[at]);
      if (same < 0)
        common_.remove(at);
      else
        others.remove(same);
    }
  }
  BANKMODEL_FN bool any() const { return any_; }
  BANKMODEL_FN long long lowest() const { return lowest_; }
  BANKMODEL_FN long long end() const { return end_; }
  // The common loops that repeat separate bytes.
  BANKMODEL_FN repeated_places separate() const {
    repeated_places result;
    long long extent = checked_subtract(end_, lowest_);
    for (int at = common_.loops - 1; at >= 0; --at) {
      const progression& one = common_.loop[at];
      extent -= one.step * (one.trips - 1);
      if (one.step < extent) break;
      result.add(one);
    }
    return result;
  }

 private:
  bool any_ = false;
  long long lowest_ = 0, end_ = 0;
  repeated_places common_;
};

// The second reading.
class touched_places {
 public:
  BANKMODEL_FN explicit touched_places(const common_repeats& of)
      : extent_(of.end() - of.lowest()), outer_(of.separate()), left_(most_added_runs()) {}
  touched_places(const touched_places&) = delete;

  BANKMODEL_FN void operator()(const request_class& one) {
    class_places places(one);
    for (int at = 0; at < outer_.loops; ++at)
      places.repeats.remove(places.repeats.find(outer_.loop[at]));
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
    for (int at = 0; at < outer_.loops; ++at) result *= outer_.loop[at].trips;
    return result;
  }
  // The bytes that this set shares with itself moved by `by` bytes.
  BANKMODEL_FN long long common_bytes(long long by) const { return common(by, outer_.loops); }
  // The least number of bytes by which this set moved by `by` bytes must move on to share bytes
  // with this set where it is: 0 if it shares some, no_gap if it would have to move back.
  BANKMODEL_FN long long gap(long long by) const { return gap(by, outer_.loops); }

 private:
  // Of the two sets' repetitions only pairs at one of two distances can meet, because a step is at
  // least the extent of the set that it repeats.
  BANKMODEL_FN long long common(long long by, int level) const {
    if (by >= extent_ || by <= -extent_) return 0;
    if (level == 0) return runs_.common_bytes(runs_, by);
    const progression& one = outer_.loop[level - 1];
    const long long first = floor_divide(by, one.step);
    long long sum = 0;
    for (long long apart = first; apart <= first + 1; ++apart) {
      const long long pairs = one.trips - (apart < 0 ? -apart : apart);
      if (pairs > 0) sum += pairs * common(by - apart * one.step, level - 1);
    }
    return sum;
  }
  BANKMODEL_FN long long gap(long long by, int level) const {
    if (by >= extent_) return no_gap;
    if (level == 0) return runs_.gap(by);
    const progression& one = outer_.loop[level - 1];
    long long first = floor_divide(by, one.step), least = no_gap;
    if (first < 1 - one.trips) first = 1 - one.trips;
    for (long long apart = first; apart <= first + 1 && apart < one.trips; ++apart) {
      const long long here = gap(by - apart * one.step, level - 1);
      if (here < least) least = here;
    }
    return least;
  }

  long long extent_;
  repeated_places outer_;
  touched_runs runs_;
  long long left_;
};

}  // namespace bankmodel::detail

#endif
