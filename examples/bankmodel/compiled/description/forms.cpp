// SPDX-License-Identifier: MIT
#include "forms.hpp"

#include <algorithm>
#include <numeric>

namespace compiled {

namespace {

using bm::operation;

[[noreturn]] void overflows() { throw inexpressible{"a value of more than 64 bits"}; }

bool is_power_of_two(long long value) { return value > 0 && (value & (value - 1)) == 0; }

// The part of the form that is a multiple of `divisor`, divided by it; the rest stays.
form quotient_part(form& expression, long long divisor) {
  form result;
  for (auto term = expression.factors.begin(); term != expression.factors.end();) {
    const bool divides = term->second % divisor == 0;
    if (divides) result.factors[term->first] = term->second / divisor;
    term = divides ? expression.factors.erase(term) : std::next(term);
  }
  const long long rest = ((expression.constant % divisor) + divisor) % divisor;
  result.constant = (expression.constant - rest) / divisor;
  expression.constant = rest;
  return result;
}

}  // namespace

long long checked_sum(long long a, long long b) {
  long long result = 0;
  if (__builtin_add_overflow(a, b, &result)) overflows();
  return result;
}
long long checked_product(long long a, long long b) {
  long long result = 0;
  if (__builtin_mul_overflow(a, b, &result)) overflows();
  return result;
}

long long evaluated(operation kind, long long a, long long b) {
  switch (kind) {
    case operation::multiply: return checked_product(a, b);
    case operation::divide: return b == 0 ? 0 : a / b;
    case operation::remainder: return b == 0 ? 0 : a % b;
    case operation::shift_left: return b < 0 || b > 62 ? 0 : checked_product(a, 1ll << b);
    case operation::shift_right: return b < 0 || b > 62 ? 0 : a >> b;
    case operation::bit_and: return a & b;
    case operation::bit_or: return a | b;
    case operation::bit_xor: return a ^ b;
    case operation::minimum: return std::min(a, b);
    default: return std::max(a, b);
  }
}

long long form::factor(int atom) const {
  const auto entry = factors.find(atom);
  return entry == factors.end() ? 0 : entry->second;
}

form constant_form(long long value) { return {{}, value}; }
form atom_form(int atom) { return {{{atom, 1}}, 0}; }

form operator+(const form& left, const form& right) {
  form result = left;
  result.constant = checked_sum(left.constant, right.constant);
  for (const auto& [atom, factor] : right.factors) {
    const long long total = checked_sum(result.factor(atom), factor);
    if (total == 0)
      result.factors.erase(atom);
    else
      result.factors[atom] = total;
  }
  return result;
}

form operator*(const form& left, long long right) {
  if (right == 0) return {};
  form result = left;
  result.constant = checked_product(left.constant, right);
  for (auto& [atom, factor] : result.factors) factor = checked_product(factor, right);
  return result;
}

form operator-(const form& left, const form& right) { return left + right * -1; }

int form_table::number_of(const atom& term) {
  const auto [entry, is_new] = numbers_.emplace(term, static_cast<int>(atoms_.size()));
  if (!is_new) return entry->second;
  sizes_.push_back(size_of(term.left) + size_of(term.right) + 1);
  atoms_.push_back(term);
  ranges_.push_back({-unbounded, unbounded});
  return entry->second;
}

int form_table::size_of(const form& expression) const {
  int result = 0;
  for (const auto& [number, factor] : expression.factors) result += sizes_[slot(number)];
  return result;
}

void form_table::set_range(int number, const value_range& range) {
  ranges_[slot(number)] = range;
  known_ranges_.clear();
}

void form_table::set_facts(std::vector<form> new_facts) {
  facts_ = std::move(new_facts);
  known_ranges_.clear();
}

form form_table::of_operation(operation kind, const form& left, const form& right) {
  if (size_of(left) + size_of(right) >= most_atoms)
    throw inexpressible{"an expression of more than 256 operations"};
  return atom_form(number_of({atom::kind::operation, 0, kind, left, right}));
}

form form_table::divided(const form& left, const form& right, bool wants_remainder) {
  const bool is_carried = has_carried(left) || has_carried(right);
  if (right == form{}) throw inexpressible{"a division by 0"};
  if (!is_carried && (range_of(left).lowest < 0 || range_of(right).lowest < 1))
    throw inexpressible{"a division of a value that may be negative"};
  if (!right.is_constant())
    return of_operation(wants_remainder ? operation::remainder : operation::divide, left, right);
  if (left.factors.size() == 1 && left.constant == 0 && !wants_remainder) {
    // (256 >> k) / 2 is 128 >> k.
    const atom shifted = (*this)[left.factors.begin()->first];
    if (left.factors.begin()->second == 1 && shifted.is == atom::kind::operation &&
        shifted.operation == operation::shift_right && is_power_of_two(right.constant))
      return of_operation(operation::shift_right, divided(shifted.left, right, false),
                          shifted.right);
  }
  // (8 * x) % 128 is 8 * (x % 16).
  long long common = std::gcd(left.constant, right.constant);
  for (const auto& [atom, factor] : left.factors) common = std::gcd(common, factor);
  if (common > 1) {
    form reduced = constant_form(left.constant / common);
    for (const auto& [atom, factor] : left.factors) reduced.factors[atom] = factor / common;
    const form divisor = constant_form(right.constant / common);
    return divided(reduced, divisor, wants_remainder) * (wants_remainder ? common : 1);
  }
  form rest = left;
  const form quotient = quotient_part(rest, right.constant);
  const value_range range = range_of(rest);
  if (!is_carried && range.lowest >= 0 && range.highest < right.constant)
    return wants_remainder ? rest : quotient;
  // The rest may be negative where the sum is not.
  if (range.lowest < 0 || is_carried)
    return of_operation(wants_remainder ? operation::remainder : operation::divide, left, right);
  return wants_remainder ? of_operation(operation::remainder, rest, right)
                         : quotient + of_operation(operation::divide, rest, right);
}

// The bits of `left` below a power of two are its remainder, as those of negative numbers are.
form form_table::masked(const form& left, const form& right) {
  const auto low_bits = [&](const form& expression, long long divisor) {
    form rest = expression;
    (void)quotient_part(rest, divisor);
    const value_range range = range_of(rest);
    if (range.lowest >= 0 && range.highest < divisor) return rest;
    if (range.lowest >= 0) return divided(rest, constant_form(divisor), true);
    return divided(expression, constant_form(divisor), true);
  };
  // Ones without a gap: the bits below the highest, without those below the lowest.
  const long long lowest = right.constant > 0 ? right.constant & -right.constant : 0;
  if (right.is_constant() && lowest > 0 && right.constant < unbounded &&
      is_power_of_two(right.constant + lowest)) {
    const form bits = low_bits(left, right.constant + lowest);
    return bits - low_bits(bits, lowest);
  }
  if (right.is_constant() && right.constant < 0 && is_power_of_two(-right.constant))
    return left - low_bits(left, -right.constant);
  if (!is_never_negative(left) || !is_never_negative(right))
    throw inexpressible{"bits of a value that may be negative"};
  return of_operation(operation::bit_and, left, right);
}

// `|` and `^` of values without a common bit are sums.
form form_table::either_bits(operation kind, const form& left, const form& right) {
  for (const auto& [high, low] : {std::pair(&left, &right), std::pair(&right, &left)}) {
    const value_range range = range_of(*low);
    if (range.lowest < 0 || range.highest >= unbounded / 2) continue;
    form rest = *high;
    (void)quotient_part(rest, all_bits_of(range.highest) + 1);
    if (rest == form{}) return left + right;
  }
  if (kind == operation::bit_xor && right == constant_form(-1)) return left * -1 - constant_form(1);
  if (!has_carried(left) && (!is_never_negative(left) || !is_never_negative(right)))
    throw inexpressible{"bits of a value that may be negative"};
  return of_operation(kind, left, right);
}

form form_table::computed(operation kind, const form& left, const form& right) {
  switch (kind) {
    case operation::add: return left + right;
    case operation::subtract: return left - right;
    case operation::multiply:
      if (right.is_constant()) return left * right.constant;
      if (left.is_constant()) return right * left.constant;
      return of_operation(kind, left, right);
    case operation::divide: return divided(left, right, false);
    case operation::remainder: return divided(left, right, true);
    case operation::shift_left: {
      if (right.is_constant() && right.constant >= 0 && right.constant < 62)
        return left * (1ll << right.constant);
      const value_range distance = range_of(right);
      if (distance.lowest < 0 || distance.highest > 61)
        throw inexpressible{"a shift by an unknown distance"};
      return of_operation(kind, left, right);
    }
    case operation::shift_right: {
      if (right.is_constant() && right.constant >= 0 && right.constant < 62)
        return divided(left, constant_form(1ll << right.constant), false);
      const value_range distance = range_of(right);
      if (distance.lowest < 0 || distance.highest > 61 || !is_never_negative(left))
        throw inexpressible{"a shift by an unknown distance, or of a negative value"};
      return of_operation(kind, left, right);
    }
    case operation::bit_and: return left.is_constant() ? masked(right, left) : masked(left, right);
    case operation::bit_or:
    case operation::bit_xor:
      return left.is_constant() ? either_bits(kind, right, left) : either_bits(kind, left, right);
    default: break;
  }
  const value_range a = range_of(left), b = range_of(right);
  const bool is_least = kind == operation::minimum;
  if (a.highest <= b.lowest) return is_least ? left : right;
  if (b.highest <= a.lowest) return is_least ? right : left;
  return of_operation(kind, left, right);
}

form form_table::replaced(const form& expression, const replacement& replacements,
                          long long divided_by) {
  form result = constant_form(expression.constant);
  for (const auto& [number, factor] : expression.factors) {
    const auto entry = replacements.find(number);
    const atom term = (*this)[number];
    if (entry != replacements.end()) {
      if (factor % divided_by != 0) throw inexpressible{"a factor that the step does not divide"};
      result = result + entry->second * (factor / divided_by);
    } else if (term.is == atom::kind::operation) {
      result = result + computed(term.operation, replaced(term.left, replacements, divided_by),
                                 replaced(term.right, replacements, divided_by)) *
                            factor;
    } else {
      result = result + atom_form(number) * factor;
    }
  }
  return result;
}

}  // namespace compiled
