// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_ANALYSIS_LINEAR_SUM_HPP
#define BANKMODEL_ANALYSIS_LINEAR_SUM_HPP

#include <bankmodel/analysis/linear_form.hpp>
#include <bankmodel/analysis/value_range.hpp>

#include <bankmodel/core/hide_macros.hpp>

// Programs as sums of variables with constant factors.
namespace bankmodel::detail {

// A program as constant + factor * variable + .., with terms that are stored elsewhere.
struct linear_sum {
  long long constant;
  int first, count;  // the terms; a count of -1: the program is no such sum
  BANKMODEL_FN bool known() const { return count >= 0; }
};

// The terms of several programs. Each program is read once; then it has a range and a linear form
// for any values of its variables.
// Example: 3 * (tx + 2) - i, with tx in [0, 31] and i in [0, 10]:
//
//   constexpr auto subscript = 3 * (tx + 2) - i;
//   detail::sum_terms terms;
//   detail::structure read{};
//   const auto sum = terms.add(subscript.nodes, sizeof subscript.nodes / sizeof(node), 0, read);
//   detail::value_range ranges[variables] = {};
//   ranges[static_cast<int>(variable::tx)] = {0, 31};
//   ranges[static_cast<int>(variable::loop_0)] = {0, 10};
//   assert(sum.constant == 6 && sum.count == 2 && terms.range(sum, ranges).lowest == -4);
class sum_terms {
 public:
  struct term {
    int variable;
    long long factor;
  };

  BANKMODEL_FN const term& operator[](int index) const { return terms_[index]; }
  BANKMODEL_FN void clear() { count_ = 0; }

  // Adds the terms of a program, and to `read` what it reads, as structure::read() with the same
  // `lanes`. If it is no such sum, or has too many terms or large factors, nothing is added.
  BANKMODEL_FN linear_sum add(const node* program, int size, unsigned lanes, structure& read) {
    const int first = count_;
    struct {
      long long constant;
      int first;  // its terms are the last ones when it is on the stack's top
      unsigned used;
    } stack[max_index_depth];
    int top = -1, operators = 0;
    for (int index = 0; index < size; ++index) {
      const operation op = program[index].op;
      const long long value = program[index].value;
      if (is_in(leaf_operations, op)) {
        top = pushed(top);
        if (op == operation::variable && count_ < capacity) {
          stack[top] = {0, count_, 1u << value};
          terms_[count_++] = {static_cast<int>(value), 1};
          continue;
        }
        stack[top] = {value, count_, 0};
        if (op == operation::constant && value <= most && value >= -most) continue;
        return drop(first);
      }
      top += growth_of(op);
      auto &left = stack[top], &right = stack[op == operation::negate ? top : top + 1];
      left.used |= right.used;
      if ((left.used & lanes) != 0) operators += op == operation::shift_left ? 2 : 1;
      bool fits = true;
      switch (op) {
        case operation::add: left.constant += right.constant; break;
        case operation::subtract:
          fits = multiply(right.first, -1);
          left.constant -= right.constant;
          break;
        case operation::negate:
          fits = multiply(left.first, -1);
          left.constant = -left.constant;
          break;
        case operation::multiply:
        case operation::shift_left: {
          // One operand must have no term. Those of the other one are the last ones.
          const bool by_left = left.first == right.first && op == operation::multiply;
          long long factor = by_left ? left.constant : right.constant;
          fits = (by_left || right.first == count_) &&
                 (op == operation::multiply || (factor >= 0 && factor < 31));
          if (!fits) break;
          if (op == operation::shift_left) factor = 1ll << factor;
          if (by_left) left.constant = right.constant;
          fits = multiply(left.first, factor) && left.constant < limit && left.constant > -limit;
          left.constant *= factor;
          break;
        }
        default: fits = false;
      }
      if (!fits || left.constant > most || left.constant < -most) return drop(first);
    }
    read.used |= stack[0].used;
    read.operators_in_lanes += operators;
    return {stack[0].constant, first, count_ - first};
  }

  // The range of a sum. Unknown if it is not narrow; then range_of() may know it.
  BANKMODEL_FN value_range range(const linear_sum& sum, const value_range* ranges) const {
    value_range result{sum.constant, sum.constant};
    for (int index = sum.first; index < sum.first + sum.count; ++index) {
      const long long factor = terms_[index].factor, size = factor < 0 ? -factor : factor;
      const value_range& values = ranges[terms_[index].variable];
      if (!values.known() || magnitude(values) > most / size) return unknown_range;
      result.lowest += factor * (factor < 0 ? values.highest : values.lowest);
      result.highest += factor * (factor < 0 ? values.lowest : values.highest);
    }
    return result;
  }

 private:
  static constexpr int capacity = 24;
  // Factors are below `limit`, and no sum of values up to `most` overflows.
  static constexpr long long limit = 1ll << 31, most = narrow_limit / (capacity + 1);

  BANKMODEL_FN linear_sum drop(int first) {
    count_ = first;
    return {0, first, -1};
  }
  // Multiplies the terms from `first` on. Returns false if a factor gets too large, or 0, which
  // would hide errors of what it multiplies.
  BANKMODEL_FN bool multiply(int first, long long factor) {
    bool fits = factor != 0 && factor < limit && factor > -limit;
    for (int index = first; index < count_ && fits; ++index) {
      terms_[index].factor *= factor;
      fits = terms_[index].factor < limit && terms_[index].factor > -limit;
    }
    return fits;
  }

  int count_ = 0;
  term terms_[capacity];
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
