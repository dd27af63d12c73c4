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

value_range form_table::interval_of(const form& of) const {
  value_range result{clamped(of.constant), clamped(of.constant)};
  for (const auto& [number, factor] : of.factors) {
    const value_range one = range_of_atom(number);
    const value_range scaled =
        hull({clamped_product(one.least, factor), clamped_product(one.most, factor)});
    result = {clamped(result.least + scaled.least), clamped(result.most + scaled.most)};
  }
  return result;
}

value_range form_table::range_of(const form& of) const { return bounded(of, true); }

// A fact `f >= 0` bounds `of` by the ranges of of - m * f and of + m * f, for each m > 0. Those are
// tried that make an atom disappear.
value_range form_table::bounded(const form& of, bool by_all_facts) const {
  value_range result = interval_of(of);
  if (of.is_constant()) return result;
  const auto is_operation = [&](int number) { return (*this)[number].is == atom::kind::operation; };
  const auto use = [&](const form& fact, long long times) {
    if (times == 0 || std::abs(times) > most_multiple) return;
    try {
      const value_range rest = interval_of(of - fact * times);
      if (times > 0) result.least = std::max(result.least, rest.least);
      if (times < 0) result.most = std::min(result.most, rest.most);
    } catch (const inexpressible&) {  // more than 64 bits: one fact less
    }
  };
  for (const form& fact : facts_) {
    if (std::abs(fact.constant) > most_constant || (!by_all_facts && has(fact, is_operation)))
      continue;
    use(fact, 1);
    use(fact, -1);
    for (const auto& [atom, factor] : fact.factors) {
      const long long mine = of.factor(atom);
      if (std::abs(factor) <= most_constant && clamped(mine) == mine) use(fact, mine / factor);
    }
  }
  if (!by_all_facts) return result;
  // x & y, x % y and min(x, y) are at most x, where x is not negative.
  for (const auto& [number, factor] : of.factors) {
    const atom& one = (*this)[number];
    const bool is_below = one.is == atom::kind::operation &&
                          (one.does == operation::bit_and || one.does == operation::remainder ||
                           one.does == operation::minimum);
    if (!is_below || interval_of(one.left).least < 0) continue;
    try {
      use(one.left - atom_form(number), -factor);
    } catch (const inexpressible&) {  // more than 64 bits: one fact less
    }
  }
  return result;
}

value_range form_table::range_of_atom(int number) const {
  const atom& one = (*this)[number];
  if (one.is != atom::kind::operation) return ranges_[static_cast<std::size_t>(number)];
  const auto found = known_ranges_.find(number);
  if (found != known_ranges_.end()) return found->second;
  return known_ranges_[number] = range_of_operation(one);
}

value_range form_table::range_of_operation(const atom& one) const {
  // Facts about operations are not used inside of them, so that this ends.
  const value_range a = bounded(one.left, false), b = bounded(one.right, false);
  // What is carried may be negative where the value that replaces it will not be.
  const bool has_sign = one.does != operation::multiply && one.does != operation::shift_left &&
                        one.does != operation::minimum && one.does != operation::maximum;
  if (has_sign && (a.least < 0 || b.least < 0) && (has_carried(one.left) || has_carried(one.right)))
    return {-unbounded, unbounded};
  switch (one.does) {
    case operation::multiply:
      return hull({clamped_product(a.least, b.least), clamped_product(a.least, b.most),
                   clamped_product(a.most, b.least), clamped_product(a.most, b.most)});
    case operation::divide: return {0, a.most / std::max(1ll, b.least)};
    case operation::remainder: return {0, std::min(a.most, b.most - 1)};
    case operation::shift_left: {
      if (b.least < 0 || b.most > 61) return {-unbounded, unbounded};
      return {clamped_product(a.least, 1ll << (a.least < 0 ? b.most : b.least)),
              clamped_product(a.most, 1ll << (a.most < 0 ? b.least : b.most))};
    }
    case operation::shift_right:
      return {std::max(0ll, a.least) >> std::clamp(b.most, 0ll, 62ll),
              a.most >> std::clamp(b.least, 0ll, 62ll)};
    case operation::bit_and: return {0, std::min(a.most, b.most)};
    case operation::bit_or:
    case operation::bit_xor: return {0, all_bits_of(std::max({0ll, a.most, b.most}))};
    case operation::minimum: return {std::min(a.least, b.least), std::min(a.most, b.most)};
    case operation::maximum: return {std::max(a.least, b.least), std::max(a.most, b.most)};
    default: return {-unbounded, unbounded};
  }
}

bool form_table::is_believed(const form& of) const {
  return has(of, [&](int number) {
    const atom& one = (*this)[number];
    return one.is == atom::kind::argument ||
           (believes_trips_ && one.is == atom::kind::trip &&
            ranges_[static_cast<std::size_t>(number)].most >= most_trips_of_range);
  });
}

bool form_table::fits(const form& of, int bits, bool is_signed) const {
  if (has_carried(of)) return true;
  const value_range range = range_of(of);
  const bool is_believed = (is_signed || range.least >= 0) && this->is_believed(of);
  if (bits >= 63 && !is_believed)
    return range.most < unbounded && (is_signed ? range.least > -unbounded : range.least >= 0);
  if (bits >= 63) return true;
  const long long least = is_signed ? -(1ll << (bits - 1)) : 0;
  const long long most = (1ll << (is_signed ? bits - 1 : bits)) - 1;
  const bool fits = range.least >= least && range.most <= most;
  believes_ = believes_ || (is_believed && !fits);
  return fits || is_believed;
}

}  // namespace compiled
