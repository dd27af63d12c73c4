// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_GLOBAL_DETAIL_TOUCHED_RUNS_HPP
#define BANKMODEL_GLOBAL_DETAIL_TOUCHED_RUNS_HPP

#include <bankmodel/core/arithmetic.hpp>

#include <bankmodel/core/hide_macros.hpp>

// A set of bytes as a list of separate runs.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void the_places_of_a_block_must_be_few_enough_to_compare(
    long long limit) {
  detail::fail(__func__,
               "comparing the places of blocks would take more than % runs of neighbouring bytes "
               "in one block, or steps; describe fewer threads or iterations, or accesses that "
               "share their loops",
               limit);
}
}  // namespace rule

namespace detail {

// The bytes from `begin` up to `end`, without `end`.
struct byte_run {
  long long begin, end;
};

constexpr long long no_gap = int64_max;

class touched_runs {
 public:
  static constexpr int capacity = 4096;

  BANKMODEL_FN touched_runs() {}
  touched_runs(const touched_runs&) = delete;  // most of the list is not initialized

  BANKMODEL_FN void clear() {
    count_ = 0;
    in_order_ = true;
  }
  // Adds the bytes from `begin` up to `end`. Error: there are more than `capacity` runs.
  BANKMODEL_FN void add(long long begin, long long end) {
    if (count_ > 0) {
      byte_run& last = run_[count_ - 1];
      if (begin >= last.begin && begin <= last.end) {
        if (end > last.end) last.end = end;
        return;
      }
      in_order_ = in_order_ && begin > last.end;
    }
    if (count_ == room) tidy();
    run_[count_++] = {begin, end};
  }
  // Sorts and merges what was added. The functions below require it.
  BANKMODEL_FN void tidy() {
    if (!in_order_) {
      sort();
      int kept = 0;
      for (int index = 1; index < count_; ++index) {
        if (run_[index].begin > run_[kept].end)
          run_[++kept] = run_[index];
        else if (run_[index].end > run_[kept].end)
          run_[kept].end = run_[index].end;
      }
      count_ = count_ == 0 ? 0 : kept + 1;
      in_order_ = true;
    }
    if (count_ > capacity) rule::the_places_of_a_block_must_be_few_enough_to_compare(capacity);
  }

  BANKMODEL_FN int count() const { return count_; }
  BANKMODEL_FN const byte_run& operator[](int index) const { return run_[index]; }
  BANKMODEL_FN byte_run& last() { return run_[count_ - 1]; }

  BANKMODEL_FN long long bytes() const {
    long long sum = 0;
    for (int index = 0; index < count_; ++index) sum += run_[index].end - run_[index].begin;
    return sum;
  }
  // True if `other` is this set, `distance` bytes further.
  BANKMODEL_FN bool moves_to(const touched_runs& other, long long distance) const {
    bool same = count_ == other.count_;
    for (int index = 0; index < count_ && same; ++index)
      same = run_[index].begin + distance == other.run_[index].begin &&
             run_[index].end + distance == other.run_[index].end;
    return same;
  }
  // The bytes that are in this set and in `other` moved by `distance` bytes.
  BANKMODEL_FN long long common_bytes(const touched_runs& other, long long distance) const {
    long long sum = 0;
    for (int index = 0, other_index = 0; index < count_ && other_index < other.count_;) {
      const byte_run a = run_[index], b = {other.run_[other_index].begin + distance,
                                           other.run_[other_index].end + distance};
      const long long begin = a.begin > b.begin ? a.begin : b.begin,
                      end = a.end < b.end ? a.end : b.end;
      if (end > begin) sum += end - begin;
      (a.end < b.end ? index : other_index) += 1;
    }
    return sum;
  }
  // The least number of bytes, not negative, by which this set moved by `distance` bytes must move
  // on to share bytes with this set where it is; no_gap if it would have to move back.
  BANKMODEL_FN long long gap(long long distance) const {
    long long minimum = no_gap;
    // `passed`: the runs that end, moved, at or before the beginning of run `index`.
    for (int index = 0, passed = 0; index < count_; ++index) {
      const byte_run& run = run_[index];
      while (passed < count_ && run_[passed].end + distance <= run.begin) ++passed;
      if (passed < count_ && run_[passed].begin + distance < run.end) return 0;
      if (passed == 0) continue;
      const long long candidate = run.begin - (run_[passed - 1].end + distance) + 1;
      if (candidate < minimum) minimum = candidate;
    }
    return minimum;
  }

 private:
  static constexpr int room = 2 * capacity;

  BANKMODEL_FN void sort() {
    for (int top = count_ / 2 - 1; top >= 0; --top) sink(top, count_);
    for (int end = count_ - 1; end > 0; --end) {
      const byte_run greatest = run_[0];
      run_[0] = run_[end];
      run_[end] = greatest;
      sink(0, end);
    }
  }
  BANKMODEL_FN void sink(int parent, int end) {
    const byte_run moved = run_[parent];
    for (int child = 2 * parent + 1; child < end; child = 2 * parent + 1) {
      if (child + 1 < end && run_[child].begin < run_[child + 1].begin) ++child;
      if (run_[child].begin <= moved.begin) break;
      run_[parent] = run_[child];
      parent = child;
    }
    run_[parent] = moved;
  }

  int count_ = 0;
  bool in_order_ = true;
  byte_run run_[room];
};

}  // namespace detail
}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
