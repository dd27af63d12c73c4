// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_COMPARISONS_HPP
#define BANKMODEL_COUNT_DETAIL_COMPARISONS_HPP

#include <bankmodel/count/detail/linear_form.hpp>
#include <bankmodel/kernel/loop.hpp>

// Conditions as comparisons, and the position of a loop at which a comparison changes.
namespace bankmodel::detail {

struct program {
  const node* nodes;
  int size;
};

// `left op right`.
struct comparison {
  program left, right;
  operation op;
  structure read;  // of both sides
};

constexpr int max_comparisons = 4;

class comparisons {
 public:
  // Reads a condition that is not `a && b`. Returns false if it has more than max_comparisons.
  // `lanes` and `fixed`: see structure::read().
  BANKMODEL_FN bool read(const node* nodes, int size, unsigned lanes, unsigned fixed) {
    nodes_ = nodes;
    size_ = size;
    count_ = 0;
    int start[max_index_depth];
    int top = -1;
    for (int at = 0; at < size; ++at) {
      const operation op = nodes[at].op;
      if (is_in(leaf_operations, op)) {
        top = pushed(top);
        start[top] = at;
        continue;
      }
      top += growth_of(op);
      if (!is_in(comparison_operations, op)) continue;
      if (count_ == max_comparisons) return false;
      const int right = start[top + 1];
      add({{nodes + start[top], right - start[top]}, {nodes + right, at - right}, op, {}}, lanes,
          fixed);
    }
    return true;
  }

  BANKMODEL_FN void set(const comparison& only, unsigned lanes, unsigned fixed) {
    size_ = count_ = 0;
    add(only, lanes, fixed);
  }

  BANKMODEL_FN int count() const { return count_; }
  BANKMODEL_FN const comparison& operator[](int which) const { return all_[which]; }

  // Returns the lanes in which the condition holds, if comparison k holds in the lanes each[k].
  BANKMODEL_FN std::uint64_t holds(const std::uint64_t* each) const {
    int next = 0;
    const bool alone =
        count_ == 1 && (size_ == 0 || is_in(comparison_operations, nodes_[size_ - 1].op));
    return alone ? each[0] : holds(0, size_, each, next);
  }

 private:
  BANKMODEL_FN void add(const comparison& one, unsigned lanes, unsigned fixed) {
    comparison& added = all_[count_++];
    added = one;
    added.read.read(one.left.nodes, one.left.size, lanes, fixed);
    added.read.read(one.right.nodes, one.right.size, lanes, fixed);
  }

  BANKMODEL_FN std::uint64_t holds(int from, int to, const std::uint64_t* each, int& next) const {
    std::uint64_t result = 0;
    for (int at = from; at < to; ++at) {
      const operation op = nodes_[at].op;
      if (is_in(skip_operations, op)) {
        const int end = at + 1 + static_cast<int>(nodes_[at].value);
        const std::uint64_t right = holds(at + 1, end, each, next);
        result = op == operation::skip_if_false ? result & right : result | right;
        at = end - 1;
      } else if (op == operation::logical_not) {
        result = ~result;
      } else if (is_in(comparison_operations, op)) {
        result = each[next++];
      }
    }
    return result;
  }

  const node* nodes_ = nullptr;
  int size_ = 0;
  int count_ = 0;
  comparison all_[max_comparisons];
};

// Returns the first operand of a conjunction, `a` of `a && b`, or the condition itself if it is not
// one. Sets `rest` to the remaining conditions.
BANKMODEL_FN slice first_condition(const node* nodes, slice condition, slice& rest) {
  const int behind = condition.first + condition.size;
  rest = {behind, 0};
  for (;;) {
    const int end = condition.first + condition.size;
    int at = condition.first;
    while (at < end && !(is_in(skip_operations, nodes[at].op) && at + 1 + nodes[at].value == end))
      ++at;
    if (at == end || nodes[at].op != operation::skip_if_false) return condition;
    rest = {at + 1, behind - at - 1};
    condition.size = at - condition.first;
  }
}

// The truth of gap + by * p < 0 (or <= 0, == 0, != 0) at the positions p: it is `before`, and if it
// `changes` the opposite from `first` on, for == and != only at `first`.
// Example: less, gap -10 and by 4 (-10, -6, -2, 2 at p = 0 to 3): {true, true, 3}.
struct crossing {
  bool before, changes;
  long long first;
};

// a / b, rounded up. Requires: b is 1 or more.
BANKMODEL_FN long long quotient_up(long long a, long long b) {
  return a > 0 ? (a - 1) / b + 1 : a / b;
}

BANKMODEL_FN crossing crossing_of(operation op, long long gap, long long by) {
  if (!is_in(order_operations, op)) {
    const bool equal = op == operation::equal;
    if (by == 0) return {(gap == 0) == equal, false, 0};
    return {!equal, gap % by == 0, -(gap / by)};
  }
  if (op == operation::less_equal) gap = checked_subtract(gap, 1);
  if (by == 0) return {gap < 0, false, 0};
  if (by > 0) return {true, true, quotient_up(-gap, by)};
  return {false, true, -quotient_up(-gap, -by) + 1};
}

}  // namespace bankmodel::detail

#endif
