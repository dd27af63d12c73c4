// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_ANALYSIS_LINEAR_SUM_HPP
#define BANKMODEL_ANALYSIS_LINEAR_SUM_HPP

#include <bankmodel/analysis/linear_form.hpp>
#include <bankmodel/analysis/value_range.hpp>

// Programs as sums of variables with constant factors.
namespace bankmodel::detail {

// A program as constant + factor * variable + .., with terms that are stored elsewhere.
struct linear_sum {
  long long constant;
  int first, count;   // the terms; a count of -1: the program is no such sum
  long long by_lane;  // the sum of the factors of variables that differ from lane to lane
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

  BANKMODEL_FN const term& operator[](int number) const { return terms_[number]; }
  BANKMODEL_FN void clear() { count_ = 0; }

  // Adds the terms of a program, and to `read` what it reads, as structure::read() with the same
  // `lanes`. If it is no such sum, or has too many terms or large factors, nothing is added.
  BANKMODEL_FN linear_sum add(const node* program, int size, unsigned lanes, structure& read) {
    linear_sum sum{0, count_, 0, 0};
    const node* end = program + size;
    int operators = 0;
    const int used = add_value(end, 1, static_cast<int>(lanes), sum, operators);
    if (used < 0) {
      count_ = sum.first;
      return {0, 0, -1, 0};
    }
    read.used |= static_cast<unsigned>(used);
    read.operators_in_lanes += operators;
    sum.count = count_ - sum.first;
    return sum;
  }

  // The range of a sum. Unknown if it is not narrow; then range_of() may know it.
  BANKMODEL_FN value_range range(const linear_sum& sum, const value_range* ranges) const {
    value_range result{sum.constant, sum.constant};
    for (int number = sum.first; number < sum.first + sum.count; ++number) {
      const long long factor = terms_[number].factor, size = factor < 0 ? -factor : factor;
      const value_range& values = ranges[terms_[number].variable];
      if (!values.known() || magnitude(values) > most / size) return unknown_range;
      result.lowest += factor * (factor < 0 ? values.highest : values.lowest);
      result.highest += factor * (factor < 0 ? values.lowest : values.highest);
    }
    return result;
  }

 private:
  static constexpr int capacity = 24;
  // Factors are below `limit`, and no sum of values up to `most` overflows.
  static constexpr long long limit = 1ll << 31, most = narrow_limit / (2 * capacity);

  // Adds the value whose program ends before `end`, times `factor`; `end` becomes its first node.
  // Returns the variables that it reads, or -1.
  BANKMODEL_FN int add_value(const node*& end, long long factor, int lanes, linear_sum& sum,
                             int& operators) {
    // A factor of 0 would hide errors of what it multiplies.
    if (factor == 0 || factor >= limit || factor <= -limit || ++sum.count > 2 * capacity) return -1;
    const operation op = (--end)->op;
    const long long value = end->value;
    if (is_in(set_of(operation::variable), op)) {
      if (count_ == capacity) return -1;
      terms_[count_++] = {static_cast<int>(value), factor};
      if ((lanes >> value & 1) != 0) sum.by_lane += factor;
      return 1 << value;
    }
    if (is_in(set_of(operation::constant), op)) {
      const long long largest = most / (factor < 0 ? -factor : factor);
      if (value > largest || value < -largest) return -1;
      sum.constant += factor * value;
      return 0;
    }
    int used = -1;
    switch (op) {
      case operation::add:
      case operation::subtract:
        used = add_value(end, is_in(set_of(operation::add), op) ? factor : -factor, lanes, sum,
                         operators);
        if (used >= 0) used |= add_value(end, factor, lanes, sum, operators);
        break;
      case operation::negate: used = add_value(end, -factor, lanes, sum, operators); break;
      case operation::multiply:
      case operation::shift_left: {
        // One operand is a constant: the right one, or the left one before all nodes of the right
        // one.
        const node* number = end - 1;
        const bool is_product = is_in(set_of(operation::multiply), op),
                   is_right = is_in(set_of(operation::constant), number->op);
        if (is_right) end = number;
        if (!is_right && is_product)
          for (int missing = 1; missing > 0; --number) missing -= growth_of(number->op);
        const long long by = number->value, multiplier = is_product           ? by
                                                         : by >= 0 && by < 31 ? 1ll << by
                                                                              : 0;
        if (!is_in(set_of(operation::constant), number->op) || multiplier >= limit ||
            multiplier <= -limit)
          return -1;
        used = add_value(end, factor * multiplier, lanes, sum, operators);
        if (!is_right) end = number;
        break;
      }
      default: return -1;
    }
    if (used >= 0 && (used & lanes) != 0)
      operators += is_in(set_of(operation::shift_left), op) ? 2 : 1;
    return used;
  }

  int count_ = 0;
  term terms_[capacity];
};

}  // namespace bankmodel::detail

#endif
