// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "forms.hpp"

// Conditions on forms. There is no negation: its operands are negated instead.
namespace compiled {

struct condition;
using condition_pointer = std::shared_ptr<const condition>;

struct condition {
  enum class kind : unsigned char { constant, comparison, conjunction, disjunction };
  kind is = kind::constant;
  bool holds = false;  // of a constant
  bm::operation relation =
      bm::operation::less;  // of a comparison: less, less_equal, equal, not_equal
  form left, right;
  // As the register compares; a loop's own condition is read before its range is known.
  int bits = 32;
  bool is_signed = true;
  bool has_block_index = false;          // a side is computed from it
  std::vector<condition_pointer> parts;  // of conjunction and disjunction: two
  int comparisons = 0;                   // in it: 1 of a comparison
};

constexpr int most_comparisons = 256;  // in a condition

condition_pointer constant_condition(bool holds);
condition_pointer opposite(const condition_pointer& clause);
// Error (inexpressible) of these two: more than most_comparisons comparisons.
condition_pointer conjunction(const condition_pointer& left, const condition_pointer& right);
condition_pointer disjunction(const condition_pointer& left, const condition_pointer& right);
bool are_equal(const condition_pointer& left, const condition_pointer& right);

// The comparison of two registers of `bits` bits, as a constant if the ranges decide it.
// Error (inexpressible): a value may wrap around.
condition_pointer compared(const form_table& forms, const condition& raw);

// The condition with its atoms replaced, compared again.
condition_pointer replaced(form_table& forms, const condition_pointer& clause,
                           const form_table::replacement& replacements, long long divided_by = 1);

// True if a comparison with arguments that nobody gave holds when they are large: of several the
// one that is added alone decides, or else the last.
bool holds_for_large_arguments(const form_table& forms, const condition& comparison);

// Whether a comparison with arguments that nobody gave holds in each thread of a block that is not
// at the border of its grid, as far as its sides say that they are a thread's place in the grid,
// moved by something small, beside the first place or the last: x - r + i >= 0 and
// x - r + i < width hold, the opposites do not, and beside a number its place decides which of
// both it is. None: that is not what it compares.
std::optional<bool> holds_in_interior(const form_table& forms, const condition& comparison);

// Adds the forms that are 0 or more where the condition holds.
void add_facts(const form_table& forms, const condition_pointer& clause, std::vector<form>& facts);

// True if an atom of the condition is one for which `is` holds.
template <class Predicate>
bool has(const form_table& forms, const condition_pointer& clause, const Predicate& is) {
  if (clause->is == condition::kind::comparison)
    return forms.has(clause->left, is) || forms.has(clause->right, is);
  for (const condition_pointer& part : clause->parts)
    if (has(forms, part, is)) return true;
  return false;
}

}  // namespace compiled
