// SPDX-License-Identifier: MIT
// Between which numbers a form is.
#include <algorithm>

#include "forms.hpp"

namespace compiled {

namespace {

using bm::operation;

// More trips than a register of 32 bits counts.
constexpr long long most_trips_of_range = 1ll << 31;
// Of facts that bound a form, so that no product is too large.
constexpr long long most_multiple = 1 << 12, most_constant = 1ll << 40;

long long clamped(long long value) { return std::clamp(value, -unbounded, unbounded); }
long long clamped_product(long long a, long long b) {
  long long result = 0;
  if (!__builtin_mul_overflow(a, b, &result)) return clamped(result);
  return (a < 0) == (b < 0) ? unbounded : -unbounded;
}

value_range hull(std::initializer_list<long long> values) {
  return {std::min(values), std::max(values)};
}

}  // namespace

value_range form_table::interval_of(const form& expression) const {
  value_range result{clamped(expression.constant), clamped(expression.constant)};
  for (const auto& [number, factor] : expression.factors) {
    const value_range range = range_of_atom(number);
    const value_range scaled =
        hull({clamped_product(range.lowest, factor), clamped_product(range.highest, factor)});
    result = {clamped(result.lowest + scaled.lowest), clamped(result.highest + scaled.highest)};
  }
  return result;
}

value_range form_table::range_of(const form& expression) const { return bounded(expression, true); }

// A fact `f >= 0` bounds an expression e by the ranges of e - m * f and e + m * f, for each m > 0.
// Those are tried that make an atom disappear.
value_range form_table::bounded(const form& expression, bool by_all_facts) const {
  value_range result = interval_of(expression);
  if (expression.is_constant()) return result;
  const auto is_operation = [&](int number) { return (*this)[number].is == atom::kind::operation; };
  const auto use = [&](const form& fact, long long times) {
    if (times == 0 || std::abs(times) > most_multiple) return;
    try {
      const value_range rest = interval_of(expression - fact * times);
      if (times > 0) result.lowest = std::max(result.lowest, rest.lowest);
      if (times < 0) result.highest = std::min(result.highest, rest.highest);
    } catch (const inexpressible&) {  // more than 64 bits: one fact less
    }
  };
  for (const form& fact : facts_) {
    if (std::abs(fact.constant) > most_constant || (!by_all_facts && has(fact, is_operation)))
      continue;
    use(fact, 1);
    use(fact, -1);
    for (const auto& [atom, factor] : fact.factors) {
      const long long mine = expression.factor(atom);
      if (std::abs(factor) <= most_constant && clamped(mine) == mine) use(fact, mine / factor);
    }
  }
  if (!by_all_facts) return result;
  // x & y, x % y and min(x, y) are at most x, where x is not negative.
  for (const auto& [number, factor] : expression.factors) {
    const atom& term = (*this)[number];
    const bool is_below =
        term.is == atom::kind::operation &&
        (term.operation == operation::bit_and || term.operation == operation::remainder ||
         term.operation == operation::minimum);
    if (!is_below || interval_of(term.left).lowest < 0) continue;
    try {
      use(term.left - atom_form(number), -factor);
    } catch (const inexpressible&) {  // more than 64 bits: one fact less
    }
  }
  return result;
}

value_range form_table::range_of_atom(int number) const {
  const atom& term = (*this)[number];
  if (term.is != atom::kind::operation) return ranges_[slot(number)];
  const auto entry = known_ranges_.find(number);
  if (entry != known_ranges_.end()) return entry->second;
  return known_ranges_[number] = range_of_operation(term);
}

value_range form_table::range_of_operation(const atom& term) const {
  // Facts about operations are not used inside of them, so that this ends.
  const value_range a = bounded(term.left, false), b = bounded(term.right, false);
  // What is carried may be negative where the value that replaces it will not be.
  const bool has_sign =
      term.operation != operation::multiply && term.operation != operation::shift_left &&
      term.operation != operation::minimum && term.operation != operation::maximum;
  if (has_sign && (a.lowest < 0 || b.lowest < 0) &&
      (has_carried(term.left) || has_carried(term.right)))
    return {-unbounded, unbounded};
  switch (term.operation) {
    case operation::multiply:
      return hull({clamped_product(a.lowest, b.lowest), clamped_product(a.lowest, b.highest),
                   clamped_product(a.highest, b.lowest), clamped_product(a.highest, b.highest)});
    case operation::divide: return {0, a.highest / std::max(1ll, b.lowest)};
    case operation::remainder: return {0, std::min(a.highest, b.highest - 1)};
    case operation::shift_left: {
      if (b.lowest < 0 || b.highest > 61) return {-unbounded, unbounded};
      return {clamped_product(a.lowest, 1ll << (a.lowest < 0 ? b.highest : b.lowest)),
              clamped_product(a.highest, 1ll << (a.highest < 0 ? b.lowest : b.highest))};
    }
    case operation::shift_right:
      return {std::max(0ll, a.lowest) >> std::clamp(b.highest, 0ll, 62ll),
              a.highest >> std::clamp(b.lowest, 0ll, 62ll)};
    case operation::bit_and: return {0, std::min(a.highest, b.highest)};
    case operation::bit_or:
    case operation::bit_xor: return {0, all_bits_of(std::max({0ll, a.highest, b.highest}))};
    case operation::minimum: return {std::min(a.lowest, b.lowest), std::min(a.highest, b.highest)};
    case operation::maximum: return {std::max(a.lowest, b.lowest), std::max(a.highest, b.highest)};
    default: return {-unbounded, unbounded};
  }
}

bool form_table::is_believed(const form& expression) const {
  return has(expression, [&](int number) {
    const atom& term = (*this)[number];
    return term.is == atom::kind::argument ||
           (believes_trips_ && term.is == atom::kind::trip &&
            ranges_[slot(number)].highest >= most_trips_of_range);
  });
}

bool form_table::fits(const form& expression, int bits, bool is_signed) const {
  if (has_carried(expression)) return true;
  const value_range range = range_of(expression);
  const bool is_believed = (is_signed || range.lowest >= 0) && this->is_believed(expression);
  if (bits >= 63 && !is_believed)
    return range.highest < unbounded && (is_signed ? range.lowest > -unbounded : range.lowest >= 0);
  if (bits >= 63) return true;
  const long long minimum = is_signed ? -(1ll << (bits - 1)) : 0;
  const long long maximum = (1ll << (is_signed ? bits - 1 : bits)) - 1;
  const bool fits = range.lowest >= minimum && range.highest <= maximum;
  believes_ = believes_ || (is_believed && !fits);
  return fits || is_believed;
}

}  // namespace compiled
