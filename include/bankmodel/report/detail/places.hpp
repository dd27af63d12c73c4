// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REPORT_DETAIL_PLACES_HPP
#define BANKMODEL_REPORT_DETAIL_PLACES_HPP

#include <bankmodel/layout/detail/device_index.hpp>
#include <bankmodel/report/detail/phrases.hpp>

#include <string>
#include <vector>

// Where a layout puts an element, as formulas that a user can read and C can compute.
namespace bankmodel::detail {

// A number or an expression of coordinates, 0 or more. What changes nothing is left out: c * 1 + 0
// is c.
class formula {
 public:
  formula(long long value)
      : words_{std::to_string(value), operation::constant, false},
        is_number_(true),
        number_(value) {}
  formula(const std::string& name) : words_{name, operation::variable, false} {}

  const std::string& text() const { return words_.words; }
  bool operator==(const formula& other) const { return text() == other.text(); }

  friend formula operator+(const formula& a, const formula& b) {
    return a.is(0) ? b : b.is(0) ? a : formula(operation::add, " + ", a, b);
  }
  friend formula operator*(const formula& a, const formula& b) {
    if (a.is(0) || b.is(0)) return 0;
    return a.is(1) ? b : b.is(1) ? a : formula(operation::multiply, " * ", a, b);
  }
  friend formula operator/(const formula& a, long long b) {
    return b == 1 ? a : formula(operation::divide, " / ", a, b);
  }
  friend formula operator%(const formula& a, long long b) {
    return b == 1 ? formula(0) : formula(operation::remainder, " % ", a, b);
  }
  friend formula operator&(const formula& a, long long b) {
    return formula(operation::bit_and, " & ", a, b);
  }
  friend formula operator^(const formula& a, const formula& b) {
    return a.is(0) ? b : b.is(0) ? a : formula(operation::bit_xor, " ^ ", a, b);
  }
  formula shifted_right(int by) const {
    if (by == 0 || is(0)) return *this;
    return by > 0 ? formula(operation::shift_right, " >> ", *this, by)
                  : formula(operation::shift_left, " << ", *this, -by);
  }
  // The number and those below it, added up.
  formula triangle() const { return *this * (*this + 1) / 2; }

 private:
  formula(operation op, const char* symbol, const formula& a, const formula& b)
      : words_(joined_phrases(op, symbol, a.words_, b.words_)) {}
  bool is(long long value) const { return is_number_ && number_ == value; }

  phrase words_;
  bool is_number_ = false;
  long long number_ = 0;
};

// That the array's element of some subscripts lies at others: of the array as text() declares it,
// or one of storage.
struct formulas_of_place {
  std::vector<formula> element, place;
  std::vector<formula> number;  // what `e` stands for, where the place reads it; empty elsewhere

  bool is_as_written() const { return element == place; }
};

inline std::string in_brackets(const std::vector<formula>& subscripts) {
  std::string result;
  for (const formula& each : subscripts) result += line_of("[", each.text(), "]");
  return result;
}

class formulas_of_layout {
 public:
  // `names` of the coordinates, the last one first.
  formulas_of_layout(const layout& of, const char* const (&names)[max_rank])
      : of_(of), last_(static_cast<std::size_t>(of.rank) - 1) {
    for (int d = 0; d < of.rank; ++d) at_.emplace_back(names[of.rank - 1 - d]);
  }

  formulas_of_place place() const {
    if (of_.interval != 0)
      return {at_, {column() + column() / of_.interval * of_.interval_padding}, {}};
    switch (of_.permutation.family) {
      case layout_family::xor_swizzle: return swizzled();
      case layout_family::rotation:
      case layout_family::triangular: return with_columns();
      case layout_family::modular: return transformed();
      case layout_family::linear: return numbered(xored_bits(formula("e")));
      default: return {at_, at_, {}};
    }
  }

  // What the pitches give.
  formula number(const std::vector<formula>& subscripts) const {
    formula sum = 0;
    for (int d = 0; d < of_.rank; ++d)
      sum = sum + of_.stride[d] * subscripts[static_cast<std::size_t>(d)];
    return sum;
  }

 private:
  const formula& column() const { return at_[last_]; }
  long long width() const { return of_.extent[of_.rank - 1]; }
  int group() const { return of_.permutation.group; }
  formula column_in_groups() const { return column() / group(); }
  // From a number of a group to the column there.
  formula in_group(const formula& to) const {
    return group() == 1 ? to : to * group() + column() % group();
  }

  // The column, and to it rows, all dimensions but the last counted through, times a number; only
  // the remainder counts.
  formula column_with_rows(long long times, long long modulo) const {
    four of_dimension;
    for (int d = of_.rank - 2; d >= 0; times *= of_.extent[d], --d)
      of_dimension[d] = times = least_remainder(times, modulo);
    formula sum = column();
    for (int d = 0; d < of_.rank - 1; ++d)
      sum = sum + of_dimension[d] * at_[static_cast<std::size_t>(d)];
    return sum;
  }
  formula row() const {
    formula sum = at_[0];
    for (int d = 1; d < of_.rank - 1; ++d)
      sum = of_.extent[d] * sum + at_[static_cast<std::size_t>(d)];
    return sum;
  }

  formulas_of_place at_column(const formula& to) const {
    formulas_of_place result{at_, at_, {}};
    result.place[last_] = to;
    return result;
  }
  formulas_of_place numbered(const formula& to) const {
    if (of_.rank == 1) return {at_, {to}, {}};
    return {at_, {to}, {number(at_)}};
  }

  // In columns, not in groups, where that is the same.
  formulas_of_place with_columns() const {
    const permutation& p = of_.permutation;
    if (of_.groups() == 1) return at_column(column());
    if (p.family == layout_family::rotation) {
      const formula sum = column_with_rows(p.number[0] * group(), width());
      return at_column(sum == column() ? sum : sum % width());
    }
    if (p.form == 1 || p.form == 3)
      return at_column((column() + row().triangle() * (p.form == 1 ? group() : width() - group())) %
                       width());
    const formulas_of_place forwards =
        at_column(in_group((row() + column_in_groups().triangle()) % of_.groups()));
    return p.form == 0 ? forwards : formulas_of_place{forwards.place, forwards.element, {}};
  }

  formulas_of_place transformed() const {
    const permutation& p = of_.permutation;
    const formula& row = at_[0];
    const long long groups = of_.groups(), height = of_.extent[0];
    if (p.form == 1) {
      const box_steps step = steps_in_box(p, of_.stride[0] / group());
      if (step.columns == 1) return {at_, {column() + step.rows * group() * row}, {}};
      return {at_, {in_group(step.columns * column_in_groups() + step.rows * row)}, {}};
    }
    const long long a = least_remainder(p.number[0], groups),
                    b = least_remainder(p.number[1], groups);
    const long long c = least_remainder(p.number[2], height),
                    d = least_remainder(p.number[3], height);
    const bool keeps_rows = c == 0 && d == least_remainder(1, height);
    formulas_of_place result =
        at_column(groups == 1 || (a == 1 && b == 0) ? column()
                  : a == 1                          ? (column() + b * group() * row) % width()
                           : in_group((a * column_in_groups() + b * row) % groups));
    if (!keeps_rows) result.place[0] = (c * column_in_groups() + d * row) % height;
    return result;
  }

  // Bits of one coordinate change the column's; or bits of a number others.
  formulas_of_place swizzled() const {
    const xor_numbers at = numbers_of_xor(of_.permutation);
    const bits_moved move = changing_bits(of_);
    const int d = dimension_of_changing_bits(of_);
    const formula from = d >= 0          ? at_[static_cast<std::size_t>(d)]
                         : of_.rank == 1 ? column()
                                         : formula("e");
    const long long last = d >= 0 ? of_.extent[d] - 1 : of_.extent[0] * of_.stride[0] - 1;
    formula bits = from.shifted_right(move.from);
    if (last >> move.from > at.mask) bits = bits & at.mask;
    if (last >> move.from == 0) bits = 0;  // there are no such bits
    bits = bits.shifted_right(-move.to);
    return d >= 0 ? at_column(column() ^ bits) : numbered(from ^ bits);
  }

  // One shift and mask for each distance by which bits move.
  formula xored_bits(const formula& e) const {
    const formula& from = of_.rank == 1 ? column() : e;
    const int bits = trailing_zeros(static_cast<std::uint64_t>(of_.size()));
    formula sum = 0;
    for (int right = 1 - bits; right < bits; ++right) {
      const long long mask = mask_of_distance({of_.permutation.number}, bits, -right);
      if (mask == 0) continue;
      const formula part = moves_all(mask, bits, right) ? from : from & mask;
      sum = right == 0 ? part ^ sum : sum ^ part.shifted_right(right);
    }
    return sum;
  }

  const layout& of_;
  std::size_t last_;
  std::vector<formula> at_;
};

}  // namespace bankmodel::detail

#endif
