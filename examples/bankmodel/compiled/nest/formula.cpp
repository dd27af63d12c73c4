// SPDX-License-Identifier: MIT
#include "formula.hpp"

#include <algorithm>
#include <bankmodel/report/text.hpp>
#include <numeric>
#include <optional>
#include <set>

namespace compiled {

// Its key is unique among terms, and their order.
struct formula_term {
  enum class kind : unsigned char {
    symbol,
    ceil_divide,  // of `left` by `by`
    maximum,
    minimum,
    is_positive,
    is_not_zero,
  };
  kind is = kind::symbol;
  std::string name;
  symbol_range range = {};
  formula left, right;
  long long by = 1;
  std::string key;
  std::string moving_key = {};  // of a quotient: of its operand without the constant

  bool is_condition() const { return is == kind::is_positive || is == kind::is_not_zero; }
};

namespace {

using term_kind = formula_term::kind;

constexpr long long unlimited = 1ll << 62;
constexpr std::size_t most_products = 1024;  // of a formula

void require_few(std::size_t products) {
  if (products > most_products) throw formula_error("a formula of more than 1,024 terms");
}

[[noreturn]] void overflows() { throw formula_error("a number of more than 64 bits"); }
long long sum_of(long long a, long long b) {
  long long result = 0;
  if (__builtin_add_overflow(a, b, &result)) overflows();
  return result;
}
long long product_of(long long a, long long b) {
  long long result = 0;
  if (__builtin_mul_overflow(a, b, &result)) overflows();
  return result;
}
long long rounded_up(long long value, long long by) {
  const long long result = value / by;
  return result + (value % by > 0 ? 1 : 0);
}

// A number that is cut off stays cut off.
long long limited_sum(long long a, long long b) {
  for (const long long one : {a, b})
    if (one <= -unlimited || one >= unlimited) return one < 0 ? -unlimited : unlimited;
  return std::clamp(a + b, -unlimited, unlimited);
}
long long limited_product(long long a, long long b) {
  long long result = 0;
  if (!__builtin_mul_overflow(a, b, &result)) return std::clamp(result, -unlimited, unlimited);
  return (a < 0) == (b < 0) ? unlimited : -unlimited;
}
symbol_range limited_sum(const symbol_range& a, const symbol_range& b) {
  return {limited_sum(a.least, b.least), limited_sum(a.most, b.most)};
}
symbol_range limited_product(const symbol_range& a, const symbol_range& b) {
  const auto all = {limited_product(a.least, b.least), limited_product(a.least, b.most),
                    limited_product(a.most, b.least), limited_product(a.most, b.most)};
  return {std::min(all), std::max(all)};
}
symbol_range quotient_of(const symbol_range& a, long long by) {
  return {a.least <= -unlimited ? -unlimited : rounded_up(a.least, by),
          a.most >= unlimited ? unlimited : rounded_up(a.most, by)};
}

std::string number_text(long long value) {
  const std::string digits = bankmodel::grouped(value < 0 ? -static_cast<std::uint64_t>(value)
                                                          : static_cast<std::uint64_t>(value));
  return value < 0 ? "-" + digits : digits;
}

std::string name_in_json(const std::string& name) {
  std::string result = "\"";
  for (const char one : name) {
    if (one == '"' || one == '\\') result += '\\';
    result += one;
  }
  return result + '"';
}

term_pointer made(formula_term of) {
  const std::string names[] = {"s", "c", "x", "n", "p", "z"};
  of.key = names[static_cast<std::size_t>(of.is)] + "(" + of.name;
  if (of.is != term_kind::symbol) of.key += of.left.json();
  if (of.is == term_kind::maximum || of.is == term_kind::minimum) of.key += "," + of.right.json();
  if (of.is == term_kind::ceil_divide) of.key += "/" + std::to_string(of.by);
  of.key += ")";
  if (of.is == term_kind::ceil_divide)
    of.moving_key = (of.left - formula(of.left.constant())).json();
  return std::make_shared<const formula_term>(std::move(of));
}

// Whether a value grows (1) or shrinks (-1) with each symbol; absent: neither is known.
using directions = std::map<std::string, int>;

}  // namespace

formula::formula(const term_pointer& one) {
  product& made = products_[one->key];
  made.factor = 1;
  made.terms = {one};
}

formula formula::symbol(const std::string& name, const symbol_range& range) {
  if (range.least == range.most) return range.least;
  formula_term result;
  result.name = name;
  result.range = range;
  return formula(made(std::move(result)));
}

const std::string& formula::key() const {
  if (!key_.empty()) return key_;
  key_ = std::to_string(constant_);
  for (const auto& [name, one] : products_) key_ += "+" + std::to_string(one.factor) + name;
  return key_;
}

formula formula::without_constant() const {
  formula result = *this;
  result.constant_ = 0;
  result.key_.clear();
  return result;
}

long long formula::common_factor() const {
  long long result = 0;
  for (const auto& [name, one] : products_) result = std::gcd(result, one.factor);
  return result;
}

void formula::add(const product& more) {
  std::string name;
  for (const term_pointer& one : more.terms) name += one->key;
  key_.clear();
  const auto [place, is_new] = products_.emplace(name, more);
  if (!is_new) place->second.factor = sum_of(place->second.factor, more.factor);
  if (place->second.factor == 0) products_.erase(place);
}

// The quotients by d = n * s of x, x - s, x - 2 s .. and x - (n - 1) s, each rounded up, are
// together the quotient of x by s, rounded up.
bool formula::join_quotients_once() {
  struct part {
    const product* of = nullptr;
    term_pointer quotient;
    std::map<long long, const std::string*> names;  // of the products, by the constants
  };
  std::map<std::string, part> all;
  for (const auto& [name, one] : products_)
    for (const term_pointer& term : one.terms) {
      if (term->is != term_kind::ceil_divide) continue;
      std::string group = std::to_string(one.factor) + "/" + std::to_string(term->by) + "/" +
                          term->moving_key + "/";
      for (const term_pointer& other : one.terms)
        if (other != term) group += other->key;
      part& its = all[group];
      its.of = &one;
      its.quotient = term;
      its.names[term->left.constant()] = &name;
    }
  for (const auto& [group, one] : all) {
    const auto count = static_cast<long long>(one.names.size());
    if (count < 2 || one.quotient->by % count != 0) continue;
    const long long step = one.quotient->by / count, highest = one.names.rbegin()->first;
    if (!std::all_of(one.names.begin(), one.names.end(),
                     [&](const auto& each) { return (highest - each.first) % step == 0; }))
      continue;
    formula joined = ceil_divide(one.quotient->left.without_constant() + formula(highest), step) *
                     formula(one.of->factor);
    for (const term_pointer& other : one.of->terms)
      if (other != one.quotient) joined = joined * formula(other);
    std::vector<std::string> names;
    for (const auto& [constant, name] : one.names) names.push_back(*name);
    for (const std::string& name : names) products_.erase(name);
    for (const auto& [name, each] : joined.products_) add(each);
    constant_ = sum_of(constant_, joined.constant_);
    key_.clear();
    return true;
  }
  return false;
}

void formula::join_quotients() {
  while (join_quotients_once()) {
  }
}

formula operator+(const formula& left, const formula& right) {
  formula result = left;
  result.constant_ = sum_of(left.constant_, right.constant_);
  result.key_.clear();
  if (right.is_constant()) return result;
  for (const auto& [name, one] : right.products_) result.add(one);
  if (!left.is_constant()) result.join_quotients();
  require_few(result.products_.size());
  return result;
}

void formula_sum::add(const formula& more) {
  sum_.constant_ = sum_of(sum_.constant_, more.constant_);
  for (const auto& [name, one] : more.products_) sum_.add(one);
  if (sum_.products_.size() > most_products) sum_ = total();
}

formula formula_sum::total() const {
  formula result = sum_;
  result.key_.clear();
  if (result.products_.size() > 1) result.join_quotients();
  require_few(result.products_.size());
  return result;
}

formula operator*(const formula& left, const formula& right) {
  formula result(product_of(left.constant_, right.constant_));
  if (left.is_constant() && right.is_constant()) return result;
  for (const auto& [of, by] : {std::pair(&left, &right), std::pair(&right, &left)}) {
    if (by->constant_ == 0) continue;
    for (const auto& [name, one] : of->products_) {
      formula::product scaled = one;
      scaled.factor = product_of(one.factor, by->constant_);
      result.add(scaled);
    }
  }
  require_few(left.products_.size() * right.products_.size());
  for (const auto& [left_name, one] : left.products_)
    for (const auto& [right_name, other] : right.products_) {
      formula::product both{product_of(one.factor, other.factor), one.terms};
      both.terms.insert(both.terms.end(), other.terms.begin(), other.terms.end());
      std::stable_sort(both.terms.begin(), both.terms.end(),
                       [](const auto& a, const auto& b) { return a->key < b->key; });
      // A condition times itself is the condition.
      both.terms.erase(std::unique(both.terms.begin(), both.terms.end(),
                                   [](const auto& a, const auto& b) {
                                     return a->is_condition() && a->key == b->key;
                                   }),
                       both.terms.end());
      result.add(both);
    }
  return result;
}

formula operator-(const formula& left, const formula& right) { return left + right * formula(-1); }

formula ceil_divide(const formula& left, long long by) {
  if (by == 1) return left;
  // What is a multiple of the divisor comes out.
  const long long up = rounded_up(left.constant_, by);
  formula whole(up), rest(left.constant_ - up * by);  // -by < constant <= 0
  for (const auto& [name, one] : left.products_) {
    if (one.factor % by != 0) {
      rest.add(one);
      continue;
    }
    formula::product divided = one;
    divided.factor /= by;
    whole.add(divided);
  }
  if (rest.is_constant()) return whole;  // it is 0 or rounded up to 0
  // (6 x + c) / 4 is (3 x + ceil(c / 2)) / 2, rounded up.
  const long long common = std::gcd(rest.common_factor(), by);
  if (common > 1) {
    formula reduced(rounded_up(rest.constant(), common));
    for (const auto& [name, one] : rest.products_) {
      formula::product divided = one;
      divided.factor /= common;
      reduced.add(divided);
    }
    return whole + ceil_divide(reduced, by / common);
  }
  // (ceil(x / s) + c) / d is (x + c s) / (s d), rounded up.
  const formula moving = rest.without_constant();
  if (moving.products_.size() == 1) {
    const formula::product& only = moving.products_.begin()->second;
    if (only.factor == 1 && only.terms.size() == 1 && only.terms[0]->is == term_kind::ceil_divide) {
      const term_pointer inner = only.terms[0];
      return whole + ceil_divide(inner->left + formula(product_of(rest.constant(), inner->by)),
                                 product_of(inner->by, by));
    }
  }
  const symbol_range range = quotient_of(rest.range(), by);
  if (range.least == range.most) return whole + formula(range.least);
  formula_term result;
  result.is = term_kind::ceil_divide;
  result.left = rest;
  result.by = by;
  return whole + formula(made(std::move(result)));
}

formula floor_divide(const formula& left, long long by) {
  return ceil_divide(left - formula(by - 1), by);
}

formula maximum(const formula& left, const formula& right) {
  const symbol_range more = (left - right).range();
  if (more.least >= 0) return left;
  if (more.most <= 0) return right;
  formula_term result;
  result.is = term_kind::maximum;
  result.left = left.key() < right.key() ? left : right;
  result.right = left.key() < right.key() ? right : left;
  return formula(made(std::move(result)));
}

formula minimum(const formula& left, const formula& right) {
  const symbol_range more = (left - right).range();
  if (more.least >= 0) return right;
  if (more.most <= 0) return left;
  formula_term result;
  result.is = term_kind::minimum;
  result.left = left.key() < right.key() ? left : right;
  result.right = left.key() < right.key() ? right : left;
  return formula(made(std::move(result)));
}

formula is_positive(const formula& of) {
  const symbol_range range = of.range();
  if (range.least > 0) return 1;
  if (range.most <= 0) return 0;
  // 4 x - 6 is above 0 where x - 1 is.
  formula reduced = of.without_constant();
  const long long common = reduced.common_factor();
  for (auto& [name, one] : reduced.products_) one.factor /= common;
  reduced.key_.clear();
  const long long constant = rounded_up(of.constant(), common);
  // Of a condition and its opposite one is a term.
  if (reduced.products_.begin()->second.factor < 0)
    return formula(1) - is_positive(formula(1) - reduced - formula(constant));
  formula_term result;
  result.is = term_kind::is_positive;
  result.left = reduced + formula(constant);
  return formula(made(std::move(result)));
}

formula is_not_zero(const formula& of) {
  const symbol_range range = of.range();
  if (range.least > 0 || range.most < 0) return 1;
  if (range.least == 0 && range.most == 0) return 0;
  formula_term result;
  result.is = term_kind::is_not_zero;
  result.left = of.products_.rbegin()->second.factor < 0 ? of * formula(-1) : of;
  return formula(made(std::move(result)));
}

// ---- values ----

namespace {

symbol_range range_of(const formula_term& one, const symbol_range& left,
                      const symbol_range& right) {
  switch (one.is) {
    case term_kind::ceil_divide: return quotient_of(left, one.by);
    case term_kind::maximum:
      return {std::max(left.least, right.least), std::max(left.most, right.most)};
    case term_kind::minimum:
      return {std::min(left.least, right.least), std::min(left.most, right.most)};
    case term_kind::is_positive: return {left.least > 0, left.most > 0};
    case term_kind::is_not_zero:
      return {left.least > 0 || left.most < 0, left.least != 0 || left.most != 0};
    default: return one.range;
  }
}

}  // namespace

symbol_range formula::range() const { return range({}); }

symbol_range formula::range(const std::map<std::string, symbol_range>& of, bool* is_exact) const {
  symbol_range result{constant_, constant_};
  bool all_grow = true;  // with each symbol
  for (const auto& [name, one] : products_) {
    symbol_range part{one.factor, one.factor};
    for (const term_pointer& term : one.terms) {
      if (term->is == term_kind::symbol) {
        const auto found = of.find(term->name);
        const symbol_range its = found == of.end() ? term->range : found->second;
        all_grow = all_grow && its.least >= 0;
        part = limited_product(part, its);
        continue;
      }
      bool operands_grow = true, more_grow = true;
      const symbol_range left = term->left.range(of, &operands_grow),
                         right = term->right.range(of, &more_grow);
      const symbol_range its = range_of(*term, left, right);
      all_grow = all_grow && operands_grow && more_grow && term->is != term_kind::is_not_zero &&
                 (its.least >= 0 || one.terms.size() == 1);
      part = limited_product(part, its);
    }
    all_grow = all_grow && one.factor >= 0;
    result = limited_sum(result, part);
  }
  if (is_exact != nullptr) *is_exact = all_grow || is_constant();
  return result;
}

template <class Value>
formula formula::rebuilt(const Value& value_of_symbol) const {
  formula result(constant_);
  for (const auto& [name, one] : products_) {
    formula part(one.factor);
    for (const term_pointer& term : one.terms) {
      const auto left = [&] { return term->left.rebuilt(value_of_symbol); };
      const auto right = [&] { return term->right.rebuilt(value_of_symbol); };
      switch (term->is) {
        case term_kind::symbol: {
          const std::optional<long long> value = value_of_symbol(term->name);
          part = part * (value ? formula(*value) : formula(term));
          break;
        }
        case term_kind::ceil_divide: part = part * ceil_divide(left(), term->by); break;
        case term_kind::maximum: part = part * maximum(left(), right()); break;
        case term_kind::minimum: part = part * minimum(left(), right()); break;
        case term_kind::is_positive: part = part * is_positive(left()); break;
        case term_kind::is_not_zero: part = part * is_not_zero(left()); break;
      }
    }
    result = result + part;
  }
  return result;
}

formula formula::substituted(const std::map<std::string, long long>& values) const {
  return rebuilt([&](const std::string& name) -> std::optional<long long> {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional<long long>(found->second);
  });
}

long long formula::evaluated(const std::map<std::string, long long>& values) const {
  long long result = constant_;
  for (const auto& [name, one] : products_) {
    long long part = one.factor;
    for (const term_pointer& term : one.terms) {
      if (term->is == term_kind::symbol) {
        const auto found = values.find(term->name);
        if (found == values.end()) throw formula_error("no value of " + term->name);
        part = product_of(part, found->second);
        continue;
      }
      const long long left = term->left.evaluated(values);
      long long value = 0;
      switch (term->is) {
        case term_kind::ceil_divide: value = rounded_up(left, term->by); break;
        case term_kind::maximum: value = std::max(left, term->right.evaluated(values)); break;
        case term_kind::minimum: value = std::min(left, term->right.evaluated(values)); break;
        case term_kind::is_positive: value = left > 0; break;
        default: value = left != 0;
      }
      part = product_of(part, value);
    }
    result = sum_of(result, part);
  }
  return result;
}

std::set<std::string> formula::symbols() const {
  std::set<std::string> result;
  for (const auto& [name, one] : products_)
    for (const term_pointer& term : one.terms) {
      if (term->is == term_kind::symbol) result.insert(term->name);
      for (const formula* const part : {&term->left, &term->right}) result.merge(part->symbols());
    }
  return result;
}

// ---- text ----

std::string condition_text(const formula& of, bool is_order, bool holds) {
  if (!is_order && !of.products_.empty() && of.products_.rbegin()->second.factor < 0)
    return condition_text(of * formula(-1), false, holds);
  // The terms with a factor above 0 are on one side.
  formula left, right;
  for (const auto& [name, one] : of.products_) {
    formula& to = one.factor > 0 ? left : right;
    formula::product moved = one;
    moved.factor = one.factor > 0 ? one.factor : product_of(one.factor, -1);
    to.add(moved);
  }
  const bool is_flag =
      right.is_constant() && of.constant() == 0 && of.range().least == 0 && of.range().most == 1;
  if (is_flag && !of.is_constant()) return holds ? left.text() : left.text() + " == 0";
  // x + 4 > y is x + 3 >= y; constants are on the right, as in x > 0.
  const long long constant = of.constant();
  const formula bound = right + formula(constant < 0 ? product_of(constant, -1) : 0);
  const formula moving = left + formula(constant > 0 ? constant : 0);
  if (is_order && !bound.is_constant())
    return bound.text() + (holds ? " < " : " >= ") + moving.text();
  const char* const sign = is_order ? (holds ? " > " : " <= ") : (holds ? " != " : " == ");
  return moving.text() + sign + bound.text();
}

namespace {

std::string term_text(const formula_term& one) {
  switch (one.is) {
    case term_kind::symbol: return one.name;
    case term_kind::ceil_divide: {
      const bool is_floor = one.left.constant() == 1 - one.by;
      const formula of = is_floor ? one.left - formula(1 - one.by) : one.left;
      const std::string inner = of.text();
      const bool is_sum = inner.find(' ') != inner.npos;
      return std::string(is_floor ? "floor(" : "ceil(") + (is_sum ? "(" + inner + ")" : inner) +
             " / " + number_text(one.by) + ")";
    }
    case term_kind::maximum: return "max(" + one.left.text() + ", " + one.right.text() + ")";
    case term_kind::minimum: return "min(" + one.left.text() + ", " + one.right.text() + ")";
    default: return "[" + condition_text(one.left, one.is == term_kind::is_positive) + "]";
  }
}

}  // namespace

// Many quotients that differ by equal steps alone: of x, x - s, x - 2 s and so on.
std::vector<formula::series> formula::series_of() const {
  constexpr std::size_t fewest = 5;
  struct group {
    term_pointer quotient;
    std::map<long long, std::string> names;  // by the constants
  };
  std::map<std::string, group> groups;
  for (const auto& [name, one] : products_) {
    term_pointer quotient;
    std::string key = std::to_string(one.factor);
    for (const term_pointer& term : one.terms) {
      if (term->is == term_kind::ceil_divide && quotient == nullptr)
        quotient = term;
      else
        key += term->key;
    }
    if (quotient == nullptr) continue;
    group& to = groups[key + "/" + std::to_string(quotient->by) + "/" + quotient->moving_key];
    to.quotient = quotient;
    to.names[quotient->left.constant()] = name;
  }
  std::vector<series> result;
  for (const auto& [key, one] : groups) {
    if (one.names.size() < fewest) continue;
    series made{one.quotient, one.names.rbegin()->first, 0, 0, {}};
    made.step = made.first - std::next(one.names.rbegin())->first;
    for (auto each = one.names.rbegin(); each != one.names.rend(); ++each) {
      if (each->first != made.first - made.count * made.step) break;
      made.names.insert(each->second);
      ++made.count;
    }
    if (made.names.size() == one.names.size()) result.push_back(made);
  }
  return result;
}

std::string formula::text_of_series(const series& of) {
  const formula moving = of.quotient->left.without_constant() + formula(of.first);
  const std::string step = of.step == 1 ? "i" : number_text(of.step) + " * i";
  return "sum(i = 0 to " + number_text(of.count - 1) + ", ceil((" + moving.text() + " - " + step +
         ") / " + number_text(of.quotient->by) + "))";
}

std::string formula::plain_text() const {
  std::string result;
  const auto append = [&](bool is_below, const std::string& part) {
    if (result.empty())
      result = (is_below ? "-" : "") + part;
    else
      result += (is_below ? " - " : " + ") + part;
  };
  const auto size_of = [](long long value) {
    return value < 0 ? -static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  };
  // Those above 0 are first; the constant is last, unless all others are below 0.
  const bool are_below = std::all_of(products_.begin(), products_.end(),
                                     [](const auto& each) { return each.second.factor < 0; });
  if (constant_ > 0 && are_below) append(false, bankmodel::grouped(size_of(constant_)));
  const std::vector<series> all = series_of();
  std::set<std::string> done;
  for (const bool is_below : {false, true})
    for (const auto& [name, one] : products_) {
      if ((one.factor < 0) != is_below || done.count(name) > 0) continue;
      const auto found = std::find_if(
          all.begin(), all.end(),
          [&symbol_name = name](const series& each) { return each.names.count(symbol_name) > 0; });
      std::string part;
      if (size_of(one.factor) != 1) part = bankmodel::grouped(size_of(one.factor));
      bool has_sum = found == all.end();
      for (const term_pointer& term : one.terms) {
        const bool is_sum = !has_sum && term->is == term_kind::ceil_divide;
        has_sum = has_sum || is_sum;
        part += (part.empty() ? "" : " * ") + (is_sum ? text_of_series(*found) : term_text(*term));
      }
      if (found != all.end()) done.insert(found->names.begin(), found->names.end());
      append(is_below, part);
    }
  if (constant_ < 0 || (constant_ > 0 && !are_below))
    append(constant_ < 0, bankmodel::grouped(size_of(constant_)));
  return result.empty() ? "0" : result;
}

term_pointer formula::first_condition() const {
  for (const auto& [name, one] : products_)
    for (const term_pointer& term : one.terms)
      if (term->is_condition()) return term;
  return nullptr;
}

formula formula::with_condition(const std::string& key, long long value) const {
  formula result(constant_);
  for (const auto& [name, one] : products_) {
    formula part(one.factor);
    for (const term_pointer& term : one.terms)
      part = part * (term->key == key ? formula(value) : formula(term));
    result = result + part;
  }
  return result;
}

std::string formula::text() const {
  const term_pointer condition = first_condition();
  if (condition == nullptr) return plain_text();
  const bool is_order = condition->is == term_kind::is_positive;
  const formula yes = with_condition(condition->key, 1), no = with_condition(condition->key, 0);
  const auto in_parentheses = [](const formula& of) {
    return of.first_condition() == nullptr ? of.text() : "(" + of.text() + ")";
  };
  if (yes.is_constant() && yes.constant() == 0)
    return in_parentheses(no) + " if " + condition_text(condition->left, is_order, false) +
           ", else 0";
  return in_parentheses(yes) + " if " + condition_text(condition->left, is_order) + ", else " +
         in_parentheses(no);
}

std::string formula::json() const {
  std::vector<std::string> sum;
  if (constant_ != 0) sum.push_back(std::to_string(constant_));
  for (const auto& [name, one] : products_) {
    std::vector<std::string> parts;
    if (one.factor != 1) parts.push_back(std::to_string(one.factor));
    for (const term_pointer& term : one.terms) {
      switch (term->is) {
        case term_kind::symbol: parts.push_back(name_in_json(term->name)); break;
        case term_kind::ceil_divide:
          parts.push_back("{\"ceil_divide\":[" + term->left.json() + "," +
                          std::to_string(term->by) + "]}");
          break;
        case term_kind::maximum:
        case term_kind::minimum:
          parts.push_back(std::string("{\"") +
                          (term->is == term_kind::maximum ? "maximum" : "minimum") + "\":[" +
                          term->left.json() + "," + term->right.json() + "]}");
          break;
        default:
          parts.push_back(std::string("{\"") +
                          (term->is == term_kind::is_positive ? "is_positive" : "is_not_zero") +
                          "\":[" + term->left.json() + "]}");
      }
    }
    std::string part = parts[0];
    if (parts.size() > 1) {
      part = "{\"multiply\":[";
      for (std::size_t at = 0; at < parts.size(); ++at) part += (at > 0 ? "," : "") + parts[at];
      part += "]}";
    }
    sum.push_back(part);
  }
  if (sum.empty()) return "0";
  if (sum.size() == 1) return sum[0];
  std::string result = "{\"add\":[";
  for (std::size_t at = 0; at < sum.size(); ++at) result += (at > 0 ? "," : "") + sum[at];
  return result + "]}";
}

}  // namespace compiled
