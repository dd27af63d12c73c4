// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_ANALYSIS_COMPARISONS_HPP
#define BANKMODEL_ANALYSIS_COMPARISONS_HPP

#include <bankmodel/analysis/linear_form.hpp>

#include <bankmodel/core/hide_macros.hpp>

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
    for (int index = 0; index < size; ++index) {
      const operation op = nodes[index].op;
      if (is_in(leaf_operations, op)) {
        top = pushed(top);
        start[top] = index;
        continue;
      }
      top += growth_of(op);
      if (!is_in(comparison_operations, op)) continue;
      if (count_ == max_comparisons) return false;
      const int right = start[top + 1];
      add({{nodes + start[top], right - start[top]}, {nodes + right, index - right}, op, {}}, lanes,
          fixed);
    }
    return true;
  }

  BANKMODEL_FN void set(const comparison& condition, unsigned lanes, unsigned fixed) {
    size_ = count_ = 0;
    add(condition, lanes, fixed);
  }

  BANKMODEL_FN int count() const { return count_; }
  // True for `a < b`, but not for `!(a < b)`.
  BANKMODEL_FN bool is_one_comparison() const {
    return count_ == 1 && (size_ == 0 || is_in(comparison_operations, nodes_[size_ - 1].op));
  }
  BANKMODEL_FN const comparison& operator[](int index) const { return list_[index]; }

  // Returns the lanes in which the condition holds, if comparison k holds in the lanes lanes[k].
  BANKMODEL_FN std::uint64_t holds(const std::uint64_t* lanes) const {
    int next = 0;
    const bool alone = is_one_comparison();
    return alone ? lanes[0] : holds(0, size_, lanes, next);
  }

 private:
  BANKMODEL_FN void add(const comparison& condition, unsigned lanes, unsigned fixed) {
    comparison& added = list_[count_++];
    added = condition;
    added.read.read(condition.left.nodes, condition.left.size, lanes, fixed);
    added.read.read(condition.right.nodes, condition.right.size, lanes, fixed);
  }

  BANKMODEL_FN std::uint64_t holds(int begin, int limit, const std::uint64_t* lanes,
                                   int& next) const {
    std::uint64_t result = 0;
    for (int index = begin; index < limit; ++index) {
      const operation op = nodes_[index].op;
      if (is_in(skip_operations, op)) {
        const int end = index + 1 + static_cast<int>(nodes_[index].value);
        const std::uint64_t right = holds(index + 1, end, lanes, next);
        result = op == operation::skip_if_false ? result & right : result | right;
        index = end - 1;
      } else if (op == operation::logical_not) {
        result = ~result;
      } else if (is_in(comparison_operations, op)) {
        result = lanes[next++];
      }
    }
    return result;
  }

  const node* nodes_;
  int size_, count_;
  comparison list_[max_comparisons];
};

// Returns the first operand of a conjunction, `a` of `a && b`, or the condition itself if it is not
// one. Sets `rest` to the remaining conditions.
BANKMODEL_FN slice first_condition(const node* nodes, slice condition, slice& rest) {
  const int limit = condition.first + condition.size;
  rest = {limit, 0};
  for (;;) {
    const int end = condition.first + condition.size;
    int skip = condition.first;
    while (skip < end &&
           !(is_in(skip_operations, nodes[skip].op) && skip + 1 + nodes[skip].value == end))
      ++skip;
    if (skip == end || nodes[skip].op != operation::skip_if_false) return condition;
    rest = {skip + 1, limit - skip - 1};
    condition.size = skip - condition.first;
  }
}

// The truth of gap + increment * p < 0 (or <= 0, == 0, != 0) at the positions p: it is `initial`,
// and if it `changes` the opposite from `first` on, for == and != only at `first`.
// Example: gaps of -10, -6, -2 and 2 at the positions 0 to 3:
//
//   constexpr auto crossing = detail::crossing_of(operation::less, -10, 4);
//   static_assert(crossing.initial && crossing.changes && crossing.first == 3);
struct crossing {
  bool initial, changes;
  long long first;
};

// a / b, rounded up. Requires: b is 1 or more.
BANKMODEL_FN long long quotient_up(long long a, long long b) {
  return a > 0 ? (a - 1) / b + 1 : a / b;
}

BANKMODEL_FN crossing crossing_of(operation op, long long gap, long long increment) {
  if (!is_in(order_operations, op)) {
    const bool equal = op == operation::equal;
    if (increment == 0) return {(gap == 0) == equal, false, 0};
    return {!equal, gap % increment == 0, -(gap / increment)};
  }
  if (op == operation::less_equal) gap = checked_subtract(gap, 1);
  if (increment == 0) return {gap < 0, false, 0};
  if (increment > 0) return {true, true, quotient_up(-gap, increment)};
  return {false, true, -quotient_up(-gap, -increment) + 1};
}

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
