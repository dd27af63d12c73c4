// SPDX-License-Identifier: MIT
#include "form_text.hpp"

#include <algorithm>

namespace compiled {

namespace {

using bm::operation;

class writer {
 public:
  writer(const symbolic_run& run, bool names_threads, const least_numbers& least)
      : run_(run), names_threads_(names_threads), least_(least) {}

  formula of(const form& from) const {
    formula result(from.constant);
    for (const auto& [number, factor] : from.factors)
      result = result + of_atom(number) * formula(factor);
    return result;
  }

 private:
  formula of_atom(int number) const {
    const atom& one = run_.forms()[number];
    if (one.is == atom::kind::argument) {
      const argument_symbol& its = run_.symbols()[at(one.number)];
      const auto found = least_.find(number);
      const long long least = found == least_.end() ? 0 : found->second;
      return formula::symbol(its.name, {std::max(its.range.least, least), its.range.most});
    }
    if (one.is == atom::kind::operation) return of_operation(one);
    if (!names_threads_) throw inexpressible{"a value that differs between threads or iterations"};
    const value_range range = run_.forms().range_of(atom_form(number));
    const symbol_range its = {range.least, std::min(range.most, symbol_range{}.most)};
    if (one.is == atom::kind::thread) {
      constexpr const char* names[] = {"tx", "ty", "tz", "bx", "by", "bz", "tid", "lane", "warp"};
      const auto name = at(one.number);
      return formula::symbol(name < std::size(names) ? names[name] : "thread", its);
    }
    if (one.is != atom::kind::trip)
      throw inexpressible{"a value that changes in the loop in another way than by steps"};
    return formula::symbol("trip_" + std::to_string(run_.loop(one.number).where.line),
                           {0, its.most});
  }

  formula of_operation(const atom& one) const {
    const formula left = of(one.left);
    const bool has_number = one.right.is_constant() && one.right.constant > 0;
    switch (one.does) {
      case operation::multiply: return left * of(one.right);
      case operation::minimum: return minimum(left, of(one.right));
      case operation::maximum: return maximum(left, of(one.right));
      case operation::divide:
        if (has_number) return floor_divide(left, one.right.constant);
        break;
      case operation::remainder:
        if (has_number)
          return left - floor_divide(left, one.right.constant) * formula(one.right.constant);
        break;
      case operation::shift_right:
        if (has_number && one.right.constant < 62)
          return floor_divide(left, 1ll << one.right.constant);
        break;
      case operation::shift_left:
        if (has_number && one.right.constant < 62) return left * formula(1ll << one.right.constant);
        break;
      default: break;
    }
    throw inexpressible{"an operation that formulas do not have"};
  }

  const symbolic_run& run_;
  bool names_threads_;
  const least_numbers& least_;
};

}  // namespace

formula formula_of(const symbolic_run& run, const form& of, const least_numbers& least) {
  try {
    return writer(run, false, least).of(of);
  } catch (const formula_error& why) {
    throw inexpressible{why.what()};
  }
}

std::string text_of(const symbolic_run& run, const condition_pointer& of) {
  if (of->is == condition::kind::constant) return of->holds ? "true" : "false";
  if (of->is != condition::kind::comparison)
    return text_of(run, of->parts[0]) + (of->is == condition::kind::both ? " and " : " or ") +
           text_of(run, of->parts[1]);
  const bool is_order = of->does == operation::less || of->does == operation::less_equal;
  try {
    formula value = writer(run, true, {}).of(of->right - of->left);
    if (of->does == operation::less_equal) value = value + formula(1);
    return condition_text(value, is_order, of->does != operation::equal);
  } catch (const inexpressible&) {
  } catch (const formula_error&) {
  }
  return "a condition on '" + argument_in(run, of->right - of->left) + "' and threads";
}

std::string argument_in(const symbolic_run& run, const form& of) {
  std::string result;
  (void)run.forms().has(of, [&](int number) {
    const atom& one = run.forms()[number];
    if (one.is == atom::kind::argument && result.empty())
      result = run.symbols()[at(one.number)].name;
    return false;
  });
  return result;
}

}  // namespace compiled
