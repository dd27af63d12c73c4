// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

// Whole numbers as expressions of symbols whose values nobody gave: 32 * ceil(K / 32).
namespace compiled {

// A value that does not fit in 64 bits, a symbol without a value, or more than 1,024 terms.
struct formula_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Both included.
struct symbol_range {
  long long minimum = 0, maximum = 1ll << 30;
  bool operator==(const symbol_range&) const = default;
};

class formula;

// What is no sum and no product. `left` and `right` are the operands.
struct formula_term;
using term_pointer = std::shared_ptr<const formula_term>;

// A sum of products, simplified, so that equal formulas have one text. It is exact for each value
// in the ranges of its symbols.
//
// Example: ceil_divide(formula::symbol("K"), 32) * 1024 has the text "1,024 * ceil(K / 32)", the
// JSON {"multiply":[1024,{"ceil_divide":["K",32]}]} and at K = 100 the value 4096.
class formula {
 public:
  formula() = default;
  formula(long long number)  // NOLINT(google-explicit-constructor): numbers are formulas
      : constant_(number) {}
  static formula symbol(const std::string& name, const symbol_range& range = {});

  bool is_constant() const { return products_.empty(); }
  // What is added to the terms with symbols.
  long long constant() const { return constant_; }
  std::set<std::string> symbols() const;
  // Between which numbers its value is, whatever the symbols are; cut off at 2^62. Products of
  // terms with a common symbol may make it too wide.
  symbol_range range() const;
  // The same with other ranges of some symbols. `is_exact`, if given: both ends are values.
  symbol_range range(const std::map<std::string, symbol_range>& ranges,
                     bool* is_exact = nullptr) const;

  // Error (formula_error): a symbol is not there; a number of more than 64 bits.
  long long evaluated(const std::map<std::string, long long>& values) const;

  // "32 * ceil(K / 32) + 4"; "96 if padded, else 1,088"; "sum(i = 0 to 7, ceil((K - i) / 32))".
  std::string text() const;
  // A number; "K", a symbol; or an object with one name: {"add":[..]}, {"multiply":[..]},
  // {"ceil_divide":[x,number]}: x divided by the number and rounded up, also below 0,
  // {"maximum":[x,y]}, {"minimum":[x,y]}, {"is_positive":[x]} and {"is_not_zero":[x]}: 1 or 0.
  std::string json() const;

  bool operator==(const formula& other) const { return key() == other.key(); }

  // Error (formula_error) of all that follow: a number of more than 64 bits; too many terms.
  friend formula operator+(const formula& left, const formula& right);
  friend formula operator-(const formula& left, const formula& right);
  friend formula operator*(const formula& left, const formula& right);
  // left / divisor, rounded up. Requires: divisor > 0.
  friend formula ceil_divide(const formula& left, long long divisor);
  friend formula floor_divide(const formula& left, long long divisor);
  friend formula maximum(const formula& left, const formula& right);
  friend formula minimum(const formula& left, const formula& right);
  // 1 if the value is above 0, else 0; 1 if it is not 0, else 0.
  friend formula is_positive(const formula& value);
  friend formula is_not_zero(const formula& value);

 private:
  struct product {
    long long factor = 0;
    std::vector<term_pointer> terms;  // in the order of their keys; one or more
  };
  explicit formula(const term_pointer& term);
  void add(const product& addend);
  void join_quotients();
  enum class with_factors : unsigned char { equal, of_most };
  bool join_quotients_once(with_factors which);
  const std::string& key() const;
  formula without_constant() const;
  static symbol_range range_of_difference(const formula& left, const formula& right);
  long long common_factor() const;  // of all but the constant; 0 without others
  std::string plain_text() const;
  struct series {
    term_pointer quotient;                     // one of them
    long long first = 0, step = 1, count = 0;  // of their constants, from the highest down
    std::set<std::string> names;               // of the products
  };
  std::vector<series> series_of() const;
  static std::string text_of_series(const series& sum);
  term_pointer first_condition() const;
  formula with_condition(const std::string& key, long long value) const;

  long long constant_ = 0;
  std::map<std::string, product> products_;  // by the keys of their terms
  mutable std::string key_;

  friend struct formula_term;
  friend class formula_sum;
  friend std::string condition_text(const formula& value, bool is_order, bool holds);
};

formula ceil_divide(const formula& left, long long divisor);
formula floor_divide(const formula& left, long long divisor);
formula maximum(const formula& left, const formula& right);
formula minimum(const formula& left, const formula& right);
formula is_positive(const formula& value);
formula is_not_zero(const formula& value);

// Adds many formulas: as operator+, but the sum is simplified at the end alone.
class formula_sum {
 public:
  void add(const formula& addend);
  formula total() const;

 private:
  formula sum_;
};

// "K > 0", "padded", "padded == 0": what is_positive(value) or, without an order,
// is_not_zero(value) say, or the opposite.
std::string condition_text(const formula& value, bool is_order, bool holds = true);

}  // namespace compiled
