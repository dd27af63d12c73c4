// SPDX-License-Identifier: MIT
#include "conditions.hpp"

#include <algorithm>

namespace compiled {

namespace {

using bm::operation;

condition_pointer joined_conditions(condition::kind how, const condition_pointer& left,
                                    const condition_pointer& right) {
  // A constant decides, or is left out.
  const bool decides = how == condition::kind::either;
  for (const auto& [one, other] : {std::pair(&left, &right), std::pair(&right, &left)})
    if ((*one)->is == condition::kind::constant) return (*one)->holds == decides ? *one : *other;
  if (are_equal(left, right)) return left;
  if (left->is == condition::kind::comparison && right->is == condition::kind::comparison &&
      are_equal(left, opposite(right)))
    return constant_condition(decides);
  // Conditions are trees: `^` of n conditions has 2^n comparisons.
  if (left->comparisons + right->comparisons > most_comparisons)
    throw inexpressible{"a condition of more than 256 comparisons"};
  condition result;
  result.is = how;
  result.parts = {left, right};
  result.comparisons = left->comparisons + right->comparisons;
  return std::make_shared<const condition>(std::move(result));
}

condition_pointer decided(const form_table& forms, const condition& one) {
  const value_range difference = forms.range_of(one.right - one.left);
  const auto constant = [](bool holds) { return constant_condition(holds); };
  switch (one.does) {
    case operation::less:
      if (difference.least > 0) return constant(true);
      if (difference.most <= 0) return constant(false);
      break;
    case operation::less_equal:
      if (difference.least >= 0) return constant(true);
      if (difference.most < 0) return constant(false);
      break;
    default: {
      const bool is_equal = one.does == operation::equal;
      if (difference.least > 0 || difference.most < 0) return constant(!is_equal);
      if (difference.least == 0 && difference.most == 0) return constant(is_equal);
    }
  }
  condition result = one;
  result.is = condition::kind::comparison;
  result.comparisons = 1;
  return std::make_shared<const condition>(std::move(result));
}

}  // namespace

condition_pointer constant_condition(bool holds) {
  condition result;
  result.holds = holds;
  return std::make_shared<const condition>(std::move(result));
}

condition_pointer both(const condition_pointer& left, const condition_pointer& right) {
  return joined_conditions(condition::kind::both, left, right);
}
condition_pointer either(const condition_pointer& left, const condition_pointer& right) {
  return joined_conditions(condition::kind::either, left, right);
}

condition_pointer opposite(const condition_pointer& of) {
  switch (of->is) {
    case condition::kind::constant: return constant_condition(!of->holds);
    case condition::kind::both: return either(opposite(of->parts[0]), opposite(of->parts[1]));
    case condition::kind::either: return both(opposite(of->parts[0]), opposite(of->parts[1]));
    default: break;
  }
  condition result = *of;
  if (of->does == operation::equal || of->does == operation::not_equal) {
    result.does = of->does == operation::equal ? operation::not_equal : operation::equal;
  } else {
    result.does = of->does == operation::less ? operation::less_equal : operation::less;
    std::swap(result.left, result.right);
  }
  return std::make_shared<const condition>(std::move(result));
}

bool are_equal(const condition_pointer& left, const condition_pointer& right) {
  if (left == right) return true;
  if (left->is != right->is || left->holds != right->holds || left->does != right->does ||
      left->left != right->left || left->right != right->right ||
      left->parts.size() != right->parts.size())
    return false;
  for (std::size_t at = 0; at < left->parts.size(); ++at)
    if (!are_equal(left->parts[at], right->parts[at])) return false;
  return true;
}

condition_pointer compared(const form_table& forms, const condition& raw) {
  const auto fit = [&](bool is_signed) {
    return forms.fits(raw.left, raw.bits, is_signed) && forms.fits(raw.right, raw.bits, is_signed);
  };
  const bool is_order = raw.does == operation::less || raw.does == operation::less_equal;
  if (fit(raw.is_signed) || (!is_order && (fit(true) || fit(false)))) return decided(forms, raw);
  // `unsigned(x) < bound` is 0 <= x && x < bound, also if x is negative.
  condition as_signed = raw;
  as_signed.is_signed = true;
  if (is_order && !raw.is_signed && fit(true)) {
    condition not_negative = as_signed;
    not_negative.does = operation::less_equal;
    if (forms.is_never_negative(raw.right)) {
      not_negative.left = {};
      not_negative.right = raw.left;
      return both(decided(forms, not_negative), decided(forms, as_signed));
    }
    if (forms.is_never_negative(raw.left)) {
      not_negative.does = operation::less;
      not_negative.left = raw.right;
      not_negative.right = {};
      return either(decided(forms, not_negative), decided(forms, as_signed));
    }
  }
  throw inexpressible{"a comparison of values that may wrap around"};
}

condition_pointer replaced(form_table& forms, const condition_pointer& of,
                           const form_table::replacement& by, long long divided_by) {
  switch (of->is) {
    case condition::kind::constant: return of;
    case condition::kind::comparison: {
      condition result = *of;
      result.left = forms.replaced(of->left, by, divided_by);
      result.right = forms.replaced(of->right, by, divided_by);
      return compared(forms, result);
    }
    default: {
      const auto left = replaced(forms, of->parts[0], by, divided_by),
                 right = replaced(forms, of->parts[1], by, divided_by);
      return of->is == condition::kind::both ? both(left, right) : either(left, right);
    }
  }
}

bool holds_for_large_arguments(const form_table& forms, const condition& of) {
  if (of.does == operation::equal || of.does == operation::not_equal)
    return of.does == operation::not_equal;
  const form difference = of.right - of.left;
  int last = -1;
  bool is_alone = false, result = true;
  for (const auto& [number, factor] : difference.factors)
    (void)forms.has(atom_form(number), [&, outer = number, sign = factor](int inner) {
      const atom& one = forms[inner];
      const bool is_term = inner == outer;
      if (one.is != atom::kind::argument || (is_alone && !is_term) ||
          (is_alone == is_term && one.number <= last))
        return false;
      last = one.number;
      is_alone = is_term;
      result = sign > 0;
      return false;
    });
  return result;
}

void add_facts(const form_table& forms, const condition_pointer& of, std::vector<form>& to) {
  if (of->is == condition::kind::both)
    for (const condition_pointer& each : of->parts) add_facts(forms, each, to);
  if (of->is != condition::kind::comparison) return;
  const form one = constant_form(1);
  try {
    const form difference = of->right - of->left;
    switch (of->does) {
      case operation::less: return to.push_back(difference - one);
      case operation::less_equal: return to.push_back(difference);
      case operation::equal: to.push_back(difference); return to.push_back(difference * -1);
      default: {  // a difference that is never below 0 is above it
        const value_range range = forms.range_of(difference);
        if (range.least == 0) to.push_back(difference - one);
        if (range.most == 0) to.push_back(difference * -1 - one);
      }
    }
  } catch (const inexpressible&) {  // more than 64 bits: one fact less
  }
}

}  // namespace compiled
