// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_GLOBAL_DETAIL_TOUCHED_RUNS_HPP
#define BANKMODEL_GLOBAL_DETAIL_TOUCHED_RUNS_HPP

#include <bankmodel/core/arithmetic.hpp>

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
  static constexpr int most = 4096;

  BANKMODEL_FN touched_runs() {}
  touched_runs(const touched_runs&) = delete;  // most of the list is not initialized

  BANKMODEL_FN void clear() {
    count_ = 0;
    in_order_ = true;
  }
  // Adds the bytes from `begin` up to `end`. Error: there are more than `most` runs.
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
      for (int at = 1; at < count_; ++at) {
        if (run_[at].begin > run_[kept].end)
          run_[++kept] = run_[at];
        else if (run_[at].end > run_[kept].end)
          run_[kept].end = run_[at].end;
      }
      count_ = count_ == 0 ? 0 : kept + 1;
      in_order_ = true;
    }
    if (count_ > most) rule::the_places_of_a_block_must_be_few_enough_to_compare(most);
  }

  BANKMODEL_FN int count() const { return count_; }
  BANKMODEL_FN const byte_run& operator[](int at) const { return run_[at]; }
  BANKMODEL_FN byte_run& last() { return run_[count_ - 1]; }

  BANKMODEL_FN long long bytes() const {
    long long sum = 0;
    for (int at = 0; at < count_; ++at) sum += run_[at].end - run_[at].begin;
    return sum;
  }
  // True if `other` is this set, `by` bytes further.
  BANKMODEL_FN bool moves_to(const touched_runs& other, long long by) const {
    bool same = count_ == other.count_;
    for (int at = 0; at < count_ && same; ++at)
      same = run_[at].begin + by == other.run_[at].begin && run_[at].end + by == other.run_[at].end;
    return same;
  }
  // The bytes that are in this set and in `other` moved by `by` bytes.
  BANKMODEL_FN long long common_bytes(const touched_runs& other, long long by) const {
    long long sum = 0;
    for (int at = 0, there = 0; at < count_ && there < other.count_;) {
      const byte_run a = run_[at], b = {other.run_[there].begin + by, other.run_[there].end + by};
      const long long begin = a.begin > b.begin ? a.begin : b.begin,
                      end = a.end < b.end ? a.end : b.end;
      if (end > begin) sum += end - begin;
      (a.end < b.end ? at : there) += 1;
    }
    return sum;
  }
  // The least number of bytes, not negative, by which this set moved by `by` bytes must move on to
  // share bytes with this set where it is; no_gap if it would have to move back.
  BANKMODEL_FN long long gap(long long by) const {
    long long least = no_gap;
    // `passed`: the runs that end, moved, at or before the beginning of run `at`.
    for (int at = 0, passed = 0; at < count_; ++at) {
      const byte_run& here = run_[at];
      while (passed < count_ && run_[passed].end + by <= here.begin) ++passed;
      if (passed < count_ && run_[passed].begin + by < here.end) return 0;
      if (passed == 0) continue;
      const long long further = here.begin - (run_[passed - 1].end + by) + 1;
      if (further < least) least = further;
    }
    return least;
  }

 private:
  static constexpr int room = 2 * most;

  BANKMODEL_FN void sort() {
    for (int top = count_ / 2 - 1; top >= 0; --top) sink(top, count_);
    for (int end = count_ - 1; end > 0; --end) {
      const byte_run greatest = run_[0];
      run_[0] = run_[end];
      run_[end] = greatest;
      sink(0, end);
    }
  }
  BANKMODEL_FN void sink(int at, int end) {
    const byte_run moved = run_[at];
    for (int below = 2 * at + 1; below < end; below = 2 * at + 1) {
      if (below + 1 < end && run_[below].begin < run_[below + 1].begin) ++below;
      if (run_[below].begin <= moved.begin) break;
      run_[at] = run_[below];
      at = below;
    }
    run_[at] = moved;
  }

  int count_ = 0;
  bool in_order_ = true;
  byte_run run_[room];
};

}  // namespace detail
}  // namespace bankmodel

#endif
