// SPDX-License-Identifier: MIT
#include "form_text.hpp"

#include <algorithm>

namespace compiled {

namespace {

using bm::operation;

class writer {
 public:
  writer(const symbolic_run& run, bool names_threads, const least_numbers& bounds)
      : run_(run), names_threads_(names_threads), minima_(bounds) {}

  formula convert(const form& terms) const {
    formula result(terms.constant);
    for (const auto& [number, factor] : terms.factors)
      result = result + of_atom(number) * formula(factor);
    return result;
  }

 private:
  formula of_atom(int number) const {
    const atom& term = run_.forms()[number];
    if (term.is == atom::kind::argument) {
      const argument_symbol& argument = run_.symbols()[slot(term.number)];
      const auto entry = minima_.find(number);
      const long long lowest = entry == minima_.end() ? 0 : entry->second;
      return formula::symbol(argument.name,
                             {std::max(argument.range.lowest, lowest), argument.range.highest});
    }
    if (term.is == atom::kind::operation) return of_operation(term);
    if (!names_threads_) throw inexpressible{"a value that differs between threads or iterations"};
    const value_range range = run_.forms().range_of(atom_form(number));
    const symbol_range limits = {range.lowest, std::min(range.highest, symbol_range{}.maximum)};
    if (term.is == atom::kind::thread) {
      constexpr const char* names[] = {"tx", "ty", "tz", "bx", "by", "bz", "tid", "lane", "warp"};
      const auto name = slot(term.number);
      return formula::symbol(name < std::size(names) ? names[name] : "thread", limits);
    }
    if (term.is != atom::kind::trip)
      throw inexpressible{"a value that changes in the loop in another way than by steps"};
    return formula::symbol("trip_" + std::to_string(run_.loop(term.number).location.line),
                           {0, limits.maximum});
  }

  formula of_operation(const atom& term) const {
    const formula left = convert(term.left);
    const bool has_number = term.right.is_constant() && term.right.constant > 0;
    switch (term.operation) {
      case operation::multiply: return left * convert(term.right);
      case operation::minimum: return minimum(left, convert(term.right));
      case operation::maximum: return maximum(left, convert(term.right));
      case operation::divide:
        if (has_number) return floor_divide(left, term.right.constant);
        break;
      case operation::remainder:
        if (has_number)
          return left - floor_divide(left, term.right.constant) * formula(term.right.constant);
        break;
      case operation::shift_right:
        if (has_number && term.right.constant < 62)
          return floor_divide(left, 1ll << term.right.constant);
        break;
      case operation::shift_left:
        if (has_number && term.right.constant < 62)
          return left * formula(1ll << term.right.constant);
        break;
      default: break;
    }
    throw inexpressible{"an operation that formulas do not have"};
  }

  const symbolic_run& run_;
  bool names_threads_;
  const least_numbers& minima_;
};

}  // namespace

formula formula_of(const symbolic_run& run, const form& value, const least_numbers& bounds) {
  try {
    return writer(run, false, bounds).convert(value);
  } catch (const formula_error& failure) {
    throw inexpressible{failure.what()};
  }
}

std::string text_of(const symbolic_run& run, const condition_pointer& test) {
  if (test->is == condition::kind::constant) return test->holds ? "true" : "false";
  if (test->is != condition::kind::comparison)
    return text_of(run, test->parts[0]) +
           (test->is == condition::kind::conjunction ? " and " : " or ") +
           text_of(run, test->parts[1]);
  const bool is_order =
      test->relation == operation::less || test->relation == operation::less_equal;
  try {
    formula value = writer(run, true, {}).convert(test->right - test->left);
    if (test->relation == operation::less_equal) value = value + formula(1);
    return condition_text(value, is_order, test->relation != operation::equal);
  } catch (const inexpressible&) {
  } catch (const formula_error&) {
  }
  return "a condition on '" + argument_in(run, test->right - test->left) + "' and threads";
}

std::string argument_in(const symbolic_run& run, const form& value) {
  std::string result;
  (void)run.forms().has(value, [&](int number) {
    const atom& term = run.forms()[number];
    if (term.is == atom::kind::argument && result.empty())
      result = run.symbols()[slot(term.number)].name;
    return false;
  });
  return result;
}

}  // namespace compiled
