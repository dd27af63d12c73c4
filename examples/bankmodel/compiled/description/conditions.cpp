// SPDX-License-Identifier: MIT
#include "conditions.hpp"

#include <algorithm>

namespace compiled {

namespace {

using bm::operation;

condition_pointer joined_conditions(condition::kind connective, const condition_pointer& left,
                                    const condition_pointer& right) {
  // A constant decides, or is left out.
  const bool decides = connective == condition::kind::disjunction;
  for (const auto& [side, other] : {std::pair(&left, &right), std::pair(&right, &left)})
    if ((*side)->is == condition::kind::constant) return (*side)->holds == decides ? *side : *other;
  if (are_equal(left, right)) return left;
  if (left->is == condition::kind::comparison && right->is == condition::kind::comparison &&
      are_equal(left, opposite(right)))
    return constant_condition(decides);
  // Conditions are trees: `^` of n conditions has 2^n comparisons.
  if (left->comparisons + right->comparisons > most_comparisons)
    throw inexpressible{"a condition of more than 256 comparisons"};
  condition result;
  result.is = connective;
  result.parts = {left, right};
  result.comparisons = left->comparisons + right->comparisons;
  return std::make_shared<const condition>(std::move(result));
}

condition_pointer decided(const form_table& forms, const condition& comparison) {
  const value_range difference = forms.range_of(comparison.right - comparison.left);
  const auto constant = [](bool holds) { return constant_condition(holds); };
  switch (comparison.relation) {
    case operation::less:
      if (difference.lowest > 0) return constant(true);
      if (difference.highest <= 0) return constant(false);
      break;
    case operation::less_equal:
      if (difference.lowest >= 0) return constant(true);
      if (difference.highest < 0) return constant(false);
      break;
    default: {
      const bool is_equal = comparison.relation == operation::equal;
      if (difference.lowest > 0 || difference.highest < 0) return constant(!is_equal);
      if (difference.lowest == 0 && difference.highest == 0) return constant(is_equal);
    }
  }
  condition result = comparison;
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

condition_pointer conjunction(const condition_pointer& left, const condition_pointer& right) {
  return joined_conditions(condition::kind::conjunction, left, right);
}
condition_pointer disjunction(const condition_pointer& left, const condition_pointer& right) {
  return joined_conditions(condition::kind::disjunction, left, right);
}

condition_pointer opposite(const condition_pointer& clause) {
  switch (clause->is) {
    case condition::kind::constant: return constant_condition(!clause->holds);
    case condition::kind::conjunction:
      return disjunction(opposite(clause->parts[0]), opposite(clause->parts[1]));
    case condition::kind::disjunction:
      return conjunction(opposite(clause->parts[0]), opposite(clause->parts[1]));
    default: break;
  }
  condition result = *clause;
  if (clause->relation == operation::equal || clause->relation == operation::not_equal) {
    result.relation =
        clause->relation == operation::equal ? operation::not_equal : operation::equal;
  } else {
    result.relation = clause->relation == operation::less ? operation::less_equal : operation::less;
    std::swap(result.left, result.right);
  }
  return std::make_shared<const condition>(std::move(result));
}

bool are_equal(const condition_pointer& left, const condition_pointer& right) {
  if (left == right) return true;
  if (left->is != right->is || left->holds != right->holds || left->relation != right->relation ||
      left->left != right->left || left->right != right->right ||
      left->parts.size() != right->parts.size())
    return false;
  for (std::size_t part = 0; part < left->parts.size(); ++part)
    if (!are_equal(left->parts[part], right->parts[part])) return false;
  return true;
}

condition_pointer compared(const form_table& forms, const condition& raw) {
  const auto fit = [&](bool is_signed) {
    return forms.fits(raw.left, raw.bits, is_signed) && forms.fits(raw.right, raw.bits, is_signed);
  };
  const bool is_order = raw.relation == operation::less || raw.relation == operation::less_equal;
  if (fit(raw.is_signed) || (!is_order && (fit(true) || fit(false)))) return decided(forms, raw);
  // `unsigned(x) < bound` is 0 <= x && x < bound, also if x is negative.
  condition as_signed = raw;
  as_signed.is_signed = true;
  if (is_order && !raw.is_signed && fit(true)) {
    condition not_negative = as_signed;
    not_negative.relation = operation::less_equal;
    if (forms.is_never_negative(raw.right)) {
      not_negative.left = {};
      not_negative.right = raw.left;
      return conjunction(decided(forms, not_negative), decided(forms, as_signed));
    }
    if (forms.is_never_negative(raw.left)) {
      not_negative.relation = operation::less;
      not_negative.left = raw.right;
      not_negative.right = {};
      return disjunction(decided(forms, not_negative), decided(forms, as_signed));
    }
  }
  throw inexpressible{"a comparison of values that may wrap around"};
}

condition_pointer replaced(form_table& forms, const condition_pointer& clause,
                           const form_table::replacement& replacements, long long divided_by) {
  switch (clause->is) {
    case condition::kind::constant: return clause;
    case condition::kind::comparison: {
      condition result = *clause;
      result.left = forms.replaced(clause->left, replacements, divided_by);
      result.right = forms.replaced(clause->right, replacements, divided_by);
      return compared(forms, result);
    }
    default: {
      const auto left = replaced(forms, clause->parts[0], replacements, divided_by),
                 right = replaced(forms, clause->parts[1], replacements, divided_by);
      return clause->is == condition::kind::conjunction ? conjunction(left, right)
                                                        : disjunction(left, right);
    }
  }
}

bool holds_for_large_arguments(const form_table& forms, const condition& comparison) {
  if (comparison.relation == operation::equal || comparison.relation == operation::not_equal)
    return comparison.relation == operation::not_equal;
  const form difference = comparison.right - comparison.left;
  int last = -1;
  bool is_alone = false, result = true;
  for (const auto& [number, factor] : difference.factors)
    (void)forms.has(atom_form(number), [&, outer = number, sign = factor](int inner) {
      const atom& term = forms[inner];
      const bool is_term = inner == outer;
      if (term.is != atom::kind::argument || (is_alone && !is_term) ||
          (is_alone == is_term && term.number <= last))
        return false;
      last = term.number;
      is_alone = is_term;
      result = sign > 0;
      return false;
    });
  return result;
}

std::optional<bool> holds_in_interior(const form_table& forms, const condition& comparison) {
  const bool is_order =
      comparison.relation == operation::less || comparison.relation == operation::less_equal;
  if (!comparison.has_block_index || !is_order) return std::nullopt;
  const auto has_thread = [&](const form& value) {
    return forms.has_kind(value, atom::kind::thread);
  };
  const bool is_left = has_thread(comparison.left);
  if (is_left == has_thread(comparison.right)) return std::nullopt;
  const form &position = is_left ? comparison.left : comparison.right,
             &limit = is_left ? comparison.right : comparison.left;
  for (const auto& [number, factor] : position.factors) {
    const form part = atom_form(number);
    if (has_thread(part) && (factor < 0 || forms.has_kind(part, atom::kind::argument)))
      return std::nullopt;
  }
  if (forms.has_kind(limit, atom::kind::trip)) return std::nullopt;
  if (forms.has_kind(limit, atom::kind::argument)) return is_left;
  // Without what moves them the threads' places are below a number or not.
  form places = constant_form(position.constant);
  for (const auto& [number, factor] : position.factors)
    if (has_thread(atom_form(number))) places = places + atom_form(number) * factor;
  const value_range distance = forms.range_of(places - limit);
  if (distance.lowest >= -1) return !is_left;
  if (distance.highest <= 1) return is_left;
  return std::nullopt;
}

void add_facts(const form_table& forms, const condition_pointer& clause, std::vector<form>& facts) {
  if (clause->is == condition::kind::conjunction)
    for (const condition_pointer& part : clause->parts) add_facts(forms, part, facts);
  if (clause->is != condition::kind::comparison) return;
  const form unit = constant_form(1);
  try {
    const form difference = clause->right - clause->left;
    switch (clause->relation) {
      case operation::less: return facts.push_back(difference - unit);
      case operation::less_equal: return facts.push_back(difference);
      case operation::equal: facts.push_back(difference); return facts.push_back(difference * -1);
      default: {  // a difference that is never below 0 is above it
        const value_range range = forms.range_of(difference);
        if (range.lowest == 0) facts.push_back(difference - unit);
        if (range.highest == 0) facts.push_back(difference * -1 - unit);
      }
    }
  } catch (const inexpressible&) {  // more than 64 bits: one fact less
  }
}

}  // namespace compiled
