// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXPLAIN_DETAIL_WORST_BASE_HPP
#define BANKMODEL_EXPLAIN_DETAIL_WORST_BASE_HPP

#include <bankmodel/count/total.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The first base with the highest number among the bases of a request class. The number is the
// degree, or what else says how bad a request is.
namespace bankmodel::detail {

// `Numbers` has the numbers of one lane pattern:
//
//   everywhere()      the number at all bases, or -1 if it may differ between them
//   residue(r)        the number at the bases whose residue is r elements
//   highest()         no residue has a higher number
//   base(bytes)       the number at one base, if there are too many residues for a table
template <class Numbers>
class worst_base {
 public:
  // The steps of each progression from the first base to the one that was found.
  long long steps[request_class::max_loops] = {};
  long long work = 0;  // steps of clang that were taken

  // `residues`, `modulus`: as of a request_taker; elements have `element_bytes` bytes.
  BANKMODEL_FN worst_base(Numbers& numbers, int residues, int modulus, int element_bytes)
      : numbers_(numbers), residues_(residues), modulus_(modulus), element_bytes_(element_bytes) {}

  // Returns the highest number of the bases. `order` has the progressions with several trips, the
  // outermost first; the first base is the first in that order.
  // Error: there are too many residues for a table, and too many bases.
  BANKMODEL_FN int find(long long base, const progression* loops, const int* order, int depth) {
    loops_ = loops;
    order_ = order;
    depth_ = depth;
    for (long long& step : steps) step = 0;
    const int everywhere = numbers_.everywhere();
    if (everywhere >= 0) return everywhere;
    if (residues_ == 0) {
      worst_ = -1;
      look_at_each(0, base);
      for (int d = 0; d < depth_; ++d) steps[order_[d]] = worst_trip_[d];
      return worst_;
    }
    moving_ = 0;
    for (int d = 0; d < depth_; ++d) {
      const progression& loop = loops_[order_[d]];
      const int step = residue_of(loop.step);
      if (step == 0) continue;
      move_[moving_] = order_[d];
      step_[moving_] = step;
      trips_[moving_++] =
          loop.trips < cycle_of(step) ? static_cast<int>(loop.trips) : cycle_of(step);
    }
    const int first = residue_of(base);
    const int number = numbers_.residue(first);
    if (moving_ == 0 || number == numbers_.highest()) return number;
    return moving_ == 1 ? walk(first) : spread_all(first);
  }

 private:
  static constexpr int most_residues = residue_histogram::most_residues;

  BANKMODEL_FN int residue_of(long long bytes) const {
    return static_cast<int>(bytes & (modulus_ - 1)) / element_bytes_;
  }
  // After how many steps the residues repeat. Requires: the step is not 0.
  BANKMODEL_FN int cycle_of(int step) const { return residues_ / (step & -step); }

  BANKMODEL_FN int walk(int first) {
    const int step = step_[0], trips = trips_[0];
    int worst = -1;
    for (int k = 0, residue = first; k < trips && worst < numbers_.highest();
         ++k, residue = (residue + step) & (residues_ - 1)) {
      const int number = numbers_.residue(residue);
      if (number > worst) worst = number, steps[move_[0]] = k;
    }
    work += 40ll * trips;
    return worst;
  }

  // The residues that are reached after each progression; from the last one backwards, those that
  // lead to the highest number; and then the first way along these.
  BANKMODEL_FN int spread_all(int first) {
    bool reached[request_class::max_loops][most_residues],
        leads[request_class::max_loops][most_residues];
    const int last = moving_ - 1, mask = residues_ - 1, step = step_[0], trips = trips_[0];
    for (int r = 0; r < residues_; ++r) reached[0][r] = false;
    for (int k = 0, r = first; k < trips; ++k, r = (r + step) & mask) reached[0][r] = true;
    for (int d = 1; d <= last; ++d) spread(reached[d - 1], reached[d], d, step_[d]);
    int worst = -1, number[most_residues];
    for (int r = 0; r < residues_; ++r) {
      number[r] = reached[last][r] ? numbers_.residue(r) : -1;
      if (number[r] > worst) worst = number[r];
    }
    for (int r = 0; r < residues_; ++r) leads[last][r] = number[r] == worst;
    for (int d = last; d > 0; --d) spread(leads[d], leads[d - 1], d, residues_ - step_[d]);
    for (int d = 0, residue = first; d <= last; ++d)
      for (; !leads[d][residue]; residue = (residue + step_[d]) & mask) ++steps[move_[d]];
    work += 60ll * residues_;
    return worst;
  }
  // Sets target[r] if source[] is set at r, or up to trips - 1 steps of `step` before it.
  BANKMODEL_FN void spread(const bool* source, bool* target, int d, int step) {
    const int trips = trips_[d], cycle = cycle_of(step), mask = residues_ - 1;
    for (int start = 0; start < residues_ / cycle; ++start) {
      int distance = 0;  // steps since the last one that is set
      for (int r = start; distance < trips && !source[r]; r = (r - step) & mask) ++distance;
      for (int position = 0, r = start; position < cycle; ++position, r = (r + step) & mask) {
        if (source[r]) distance = 0;
        target[r] = distance < trips;
        ++distance;
      }
    }
    work += 30ll * residues_;
  }

  // Too many residues for a table: one base after the other, in the order of places.
  BANKMODEL_FN void look_at_each(int d, long long base) {
    if (d == depth_) {
      long long limit = most_iterations;
      if (__builtin_is_constant_evaluated()) limit = 200;
      if (++bases_ > limit) rule::iterations_must_be_few_enough_to_count(limit);
      const int number = numbers_.base(base);
      if (number <= worst_) return;
      worst_ = number;
      for (int level = 0; level < depth_; ++level) worst_trip_[level] = trip_[level];
      return;
    }
    const progression& loop = loops_[order_[d]];
    const long long cycle = modulus_ / greatest_common_divisor(modulus_, loop.step);
    for (long long k = 0; k < loop.trips && k < cycle; ++k) {
      trip_[d] = k;
      look_at_each(d + 1, base + k * loop.step);
    }
  }

  Numbers& numbers_;
  int residues_, modulus_, element_bytes_;
  const progression* loops_ = nullptr;
  const int* order_ = nullptr;
  int depth_ = 0, moving_ = 0, worst_ = -1;
  // The progressions that move the residue, their steps, and their trips to different residues.
  int move_[request_class::max_loops] = {}, step_[request_class::max_loops] = {},
      trips_[request_class::max_loops] = {};
  long long trip_[request_class::max_loops] = {}, worst_trip_[request_class::max_loops] = {};
  long long bases_ = 0;
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
