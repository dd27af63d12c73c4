// SPDX-License-Identifier: MIT
#include "formula.hpp"

#include <algorithm>
#include <bankmodel/host/text/text.hpp>
#include <numeric>
#include <set>

#include "../../common_names.hpp"

namespace compiled {

// Its key is unique among terms, and their order.
struct formula_term {
  enum class kind : unsigned char {
    symbol,
    ceil_divide,  // of `left` by `divisor`
    maximum,
    minimum,
    is_positive,
    is_not_zero,
  };
  kind is = kind::symbol;
  std::string name;
  symbol_range range = {};
  formula left, right;
  long long divisor = 1;
  std::string key = {};
  std::string moving_key = {};  // of a quotient: of its operand without the constant
  std::string json = {};

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
long long rounded_up(long long value, long long divisor) {
  const long long result = value / divisor;
  return result + (value % divisor > 0 ? 1 : 0);
}

// A number that is cut off stays cut off.
long long limited_sum(long long a, long long b) {
  for (const long long summand : {a, b})
    if (summand <= -unlimited || summand >= unlimited) return summand < 0 ? -unlimited : unlimited;
  return std::clamp(a + b, -unlimited, unlimited);
}
long long limited_product(long long a, long long b) {
  long long result = 0;
  if (!__builtin_mul_overflow(a, b, &result)) return std::clamp(result, -unlimited, unlimited);
  return (a < 0) == (b < 0) ? unlimited : -unlimited;
}
symbol_range limited_sum(const symbol_range& a, const symbol_range& b) {
  return {limited_sum(a.minimum, b.minimum), limited_sum(a.maximum, b.maximum)};
}
symbol_range limited_product(const symbol_range& a, const symbol_range& b) {
  const auto products = {
      limited_product(a.minimum, b.minimum), limited_product(a.minimum, b.maximum),
      limited_product(a.maximum, b.minimum), limited_product(a.maximum, b.maximum)};
  return {std::min(products), std::max(products)};
}
symbol_range quotient_of(const symbol_range& a, long long divisor) {
  return {a.minimum <= -unlimited ? -unlimited : rounded_up(a.minimum, divisor),
          a.maximum >= unlimited ? unlimited : rounded_up(a.maximum, divisor)};
}

std::string number_text(long long value) {
  const std::string digits = bankmodel::grouped(value < 0 ? -static_cast<std::uint64_t>(value)
                                                          : static_cast<std::uint64_t>(value));
  return value < 0 ? "-" + digits : digits;
}

std::string name_in_json(const std::string& name) {
  std::string result = "\"";
  for (const char letter : name) {
    if (letter == '"' || letter == '\\') result += '\\';
    result += letter;
  }
  return result + '"';
}

term_pointer make_term(formula_term term) {
  if (term.is == term_kind::symbol) {
    term.key = "s(" + term.name + ")";
    term.json = name_in_json(term.name);
    return std::make_shared<const formula_term>(std::move(term));
  }
  const struct {
    const char *initial, *name;
  } words[] = {{"c", "ceil_divide"},
               {"x", "maximum"},
               {"n", "minimum"},
               {"p", "is_positive"},
               {"z", "is_not_zero"}};
  const auto& word = words[static_cast<std::size_t>(term.is) - 1];
  const std::string left = term.left.json();
  std::string right;
  if (term.is == term_kind::ceil_divide) right = std::to_string(term.divisor);
  if (term.is == term_kind::maximum || term.is == term_kind::minimum) right = term.right.json();
  term.key = std::string(word.initial) + "(" + left;
  if (!right.empty()) term.key += (term.is == term_kind::ceil_divide ? "/" : ",") + right;
  term.key += ")";
  term.json = std::string("{\"") + word.name + "\":[" + left;
  if (!right.empty()) term.json += "," + right;
  term.json += "]}";
  if (term.is == term_kind::ceil_divide)
    term.moving_key = (term.left - formula(term.left.constant())).json();
  return std::make_shared<const formula_term>(std::move(term));
}

// Whether a value grows (1) or shrinks (-1) with each symbol; absent: neither is known.
using directions = std::map<std::string, int>;

}  // namespace

formula::formula(const term_pointer& term) {
  product& entry = products_[term->key];
  entry.factor = 1;
  entry.terms = {term};
}

formula formula::symbol(const std::string& name, const symbol_range& range) {
  if (range.minimum == range.maximum) return range.minimum;
  formula_term result;
  result.name = name;
  result.range = range;
  return formula(make_term(std::move(result)));
}

const std::string& formula::key() const {
  if (!key_.empty()) return key_;
  key_ = std::to_string(constant_);
  for (const auto& [name, monomial] : products_)
    key_ += "+" + std::to_string(monomial.factor) + name;
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
  for (const auto& [name, monomial] : products_) result = std::gcd(result, monomial.factor);
  return result;
}

void formula::add(const product& addend) {
  std::string name;
  for (const term_pointer& term : addend.terms) name += term->key;
  key_.clear();
  const auto [place, is_new] = products_.emplace(name, addend);
  if (!is_new) place->second.factor = sum_of(place->second.factor, addend.factor);
  if (place->second.factor == 0) products_.erase(place);
}

// The quotients by d = n * s of x, x - s, x - 2 s .. and x - (n - 1) s, each rounded up, are
// together the quotient of x by s, rounded up: of those with one factor, or with the factor that
// most of them have, and what the others have more or less stays.
bool formula::join_quotients_once(with_factors which) {
  struct part {
    term_pointer quotient;
    const product* addend = nullptr;  // with this quotient
    std::map<long long, const std::pair<const std::string, product>*> addends;  // by the constants
  };
  std::map<std::string, part> parts;
  for (const auto& named : products_)
    for (const term_pointer& term : named.second.terms) {
      if (term->is != term_kind::ceil_divide) continue;
      const product& monomial = named.second;
      std::string group = std::to_string(term->divisor) + "/" + term->moving_key + "/";
      if (which == with_factors::equal) group = std::to_string(monomial.factor) + "/" + group;
      for (const term_pointer& other : monomial.terms)
        if (other != term) group += other->key;
      part& entry = parts[group];
      entry.quotient = term;
      entry.addend = &monomial;
      entry.addends[term->left.constant()] = &named;
    }
  for (const auto& [group, candidate] : parts) {
    const auto count = static_cast<long long>(candidate.addends.size());
    if (count < 2 || candidate.quotient->divisor % count != 0) continue;
    const long long step = candidate.quotient->divisor / count,
                    highest = candidate.addends.rbegin()->first;
    if (!std::ranges::all_of(candidate.addends,
                             [&](const auto& pair) { return (highest - pair.first) % step == 0; }))
      continue;
    std::map<long long, long long> times;  // by the factor
    for (const auto& [constant, entry] : candidate.addends) ++times[entry->second.factor];
    const auto usual = std::ranges::max_element(
        times, {}, [](const std::pair<const long long, long long>& entry) { return entry.second; });
    if (2 * usual->second <= count) continue;
    formula joined =
        ceil_divide(candidate.quotient->left.without_constant() + formula(highest), step) *
        formula(usual->first);
    for (const term_pointer& other : candidate.addend->terms)
      if (other != candidate.quotient) joined = joined * formula(other);
    std::vector<product> rests;
    std::vector<std::string> names;
    for (const auto& [constant, entry] : candidate.addends) {
      names.push_back(entry->first);
      rests.push_back(entry->second);
      rests.back().factor = sum_of(rests.back().factor, product_of(usual->first, -1));
    }
    for (const std::string& name : names) products_.erase(name);
    for (const product& rest : rests)
      if (rest.factor != 0) add(rest);
    for (const auto& [name, monomial] : joined.products_) add(monomial);
    constant_ = sum_of(constant_, joined.constant_);
    key_.clear();
    return true;
  }
  return false;
}

void formula::join_quotients() {
  while (join_quotients_once(with_factors::of_most) || join_quotients_once(with_factors::equal)) {
  }
}

formula operator+(const formula& left, const formula& right) {
  formula result = left;
  result.constant_ = sum_of(left.constant_, right.constant_);
  result.key_.clear();
  if (right.is_constant()) return result;
  for (const auto& [name, monomial] : right.products_) result.add(monomial);
  if (!left.is_constant()) result.join_quotients();
  require_few(result.products_.size());
  return result;
}

void formula_sum::add(const formula& addend) {
  sum_.constant_ = sum_of(sum_.constant_, addend.constant_);
  for (const auto& [name, monomial] : addend.products_) sum_.add(monomial);
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
  for (const auto& [multiplicand, multiplier] :
       {std::pair(&left, &right), std::pair(&right, &left)}) {
    if (multiplier->constant_ == 0) continue;
    for (const auto& [name, monomial] : multiplicand->products_) {
      formula::product scaled = monomial;
      scaled.factor = product_of(monomial.factor, multiplier->constant_);
      result.add(scaled);
    }
  }
  require_few(left.products_.size() * right.products_.size());
  for (const auto& [left_name, monomial] : left.products_)
    for (const auto& [right_name, other] : right.products_) {
      formula::product joint{product_of(monomial.factor, other.factor), monomial.terms};
      append(joint.terms, other.terms);
      std::ranges::stable_sort(joint.terms,
                               [](const auto& a, const auto& b) { return a->key < b->key; });
      // A condition times itself is the condition.
      joint.terms.erase(std::unique(joint.terms.begin(), joint.terms.end(),
                                    [](const auto& a, const auto& b) {
                                      return a->is_condition() && a->key == b->key;
                                    }),
                        joint.terms.end());
      result.add(joint);
    }
  return result;
}

formula operator-(const formula& left, const formula& right) { return left + right * formula(-1); }

formula ceil_divide(const formula& left, long long divisor) {
  if (divisor == 1) return left;
  // What is a multiple of the divisor comes out.
  const long long whole = rounded_up(left.constant_, divisor);
  formula quotient(whole), rest(left.constant_ - whole * divisor);  // -divisor < constant <= 0
  for (const auto& [name, monomial] : left.products_) {
    if (monomial.factor % divisor != 0) {
      rest.add(monomial);
      continue;
    }
    formula::product divided = monomial;
    divided.factor /= divisor;
    quotient.add(divided);
  }
  if (rest.is_constant()) return quotient;  // it is 0 or rounded up to 0
  // (6 x + c) / 4 is (3 x + ceil(c / 2)) / 2, rounded up.
  const long long common = std::gcd(rest.common_factor(), divisor);
  if (common > 1) {
    formula reduced(rounded_up(rest.constant(), common));
    for (const auto& [name, monomial] : rest.products_) {
      formula::product divided = monomial;
      divided.factor /= common;
      reduced.add(divided);
    }
    return quotient + ceil_divide(reduced, divisor / common);
  }
  // (ceil(x / s) + c) / d is (x + c s) / (s d), rounded up.
  const formula moving = rest.without_constant();
  if (moving.products_.size() == 1) {
    const formula::product& single = moving.products_.begin()->second;
    if (single.factor == 1 && single.terms.size() == 1 &&
        single.terms[0]->is == term_kind::ceil_divide) {
      const term_pointer inner = single.terms[0];
      return quotient +
             ceil_divide(inner->left + formula(product_of(rest.constant(), inner->divisor)),
                         product_of(inner->divisor, divisor));
    }
  }
  const symbol_range range = quotient_of(rest.range(), divisor);
  if (range.minimum == range.maximum) return quotient + formula(range.minimum);
  formula_term result;
  result.is = term_kind::ceil_divide;
  result.left = rest;
  result.divisor = divisor;
  return quotient + formula(make_term(std::move(result)));
}

formula floor_divide(const formula& left, long long divisor) {
  return ceil_divide(left - formula(divisor - 1), divisor);
}

// ceil(x / d) - ceil(y / d) is (x - y) / d, rounded down or up: closer than the ranges of both say.
symbol_range formula::range_of_difference(const formula& left, const formula& right) {
  constexpr std::size_t most_in_pairs = 8;  // products, each with each
  const formula difference = left - right;
  symbol_range result = difference.range();
  if (difference.products_.size() > most_in_pairs) return result;
  const auto quotient_in = [](const product& monomial) -> const formula_term* {
    const bool is_quotient =
        monomial.terms.size() == 1 && monomial.terms[0]->is == term_kind::ceil_divide;
    return is_quotient ? monomial.terms[0].get() : nullptr;
  };
  for (const auto& [name, minuend] : difference.products_)
    for (const auto& [other_name, subtrahend] : difference.products_) {
      const formula_term* const first = quotient_in(minuend);
      const formula_term* const second = quotient_in(subtrahend);
      const bool is_pair = first != nullptr && second != nullptr && minuend.factor > 0 &&
                           sum_of(minuend.factor, subtrahend.factor) == 0 &&
                           first->divisor == second->divisor;
      if (!is_pair) continue;
      formula rest = difference;
      rest.products_.erase(name);
      rest.products_.erase(other_name);
      const long long least =
                          quotient_of((second->left - first->left).range(), first->divisor).maximum,
                      most =
                          quotient_of((first->left - second->left).range(), first->divisor).maximum;
      const symbol_range joint = limited_sum(
          rest.range(), limited_product({minuend.factor, minuend.factor}, {-least, most}));
      result = {std::max(result.minimum, joint.minimum), std::min(result.maximum, joint.maximum)};
    }
  return result;
}

formula maximum(const formula& left, const formula& right) {
  const symbol_range difference = formula::range_of_difference(left, right);
  if (difference.minimum >= 0) return left;
  if (difference.maximum <= 0) return right;
  formula_term result;
  result.is = term_kind::maximum;
  result.left = left.key() < right.key() ? left : right;
  result.right = left.key() < right.key() ? right : left;
  return formula(make_term(std::move(result)));
}

formula minimum(const formula& left, const formula& right) {
  const symbol_range difference = formula::range_of_difference(left, right);
  if (difference.minimum >= 0) return right;
  if (difference.maximum <= 0) return left;
  formula_term result;
  result.is = term_kind::minimum;
  result.left = left.key() < right.key() ? left : right;
  result.right = left.key() < right.key() ? right : left;
  return formula(make_term(std::move(result)));
}

formula is_positive(const formula& value) {
  const symbol_range range = value.range();
  if (range.minimum > 0) return 1;
  if (range.maximum <= 0) return 0;
  // 4 x - 6 is above 0 where x - 1 is.
  formula reduced = value.without_constant();
  const long long common = reduced.common_factor();
  for (auto& [name, monomial] : reduced.products_) monomial.factor /= common;
  reduced.key_.clear();
  const long long constant = rounded_up(value.constant(), common);
  // Of a condition and its opposite one is a term.
  if (reduced.products_.begin()->second.factor < 0)
    return formula(1) - is_positive(formula(1) - reduced - formula(constant));
  formula_term result;
  result.is = term_kind::is_positive;
  result.left = reduced + formula(constant);
  return formula(make_term(std::move(result)));
}

formula is_not_zero(const formula& value) {
  const symbol_range range = value.range();
  if (range.minimum > 0 || range.maximum < 0) return 1;
  if (range.minimum == 0 && range.maximum == 0) return 0;
  formula_term result;
  result.is = term_kind::is_not_zero;
  result.left = value.products_.rbegin()->second.factor < 0 ? value * formula(-1) : value;
  return formula(make_term(std::move(result)));
}

// ---- values ----

namespace {

symbol_range range_of(const formula_term& term, const symbol_range& left,
                      const symbol_range& right) {
  switch (term.is) {
    case term_kind::ceil_divide: return quotient_of(left, term.divisor);
    case term_kind::maximum:
      return {std::max(left.minimum, right.minimum), std::max(left.maximum, right.maximum)};
    case term_kind::minimum:
      return {std::min(left.minimum, right.minimum), std::min(left.maximum, right.maximum)};
    case term_kind::is_positive: return {left.minimum > 0, left.maximum > 0};
    case term_kind::is_not_zero:
      return {left.minimum > 0 || left.maximum < 0, left.minimum != 0 || left.maximum != 0};
    default: return term.range;
  }
}

}  // namespace

symbol_range formula::range() const { return range({}); }

symbol_range formula::range(const std::map<std::string, symbol_range>& ranges,
                            bool* is_exact) const {
  symbol_range result{constant_, constant_};
  bool all_grow = true;  // with each symbol
  for (const auto& [name, monomial] : products_) {
    symbol_range part{monomial.factor, monomial.factor};
    for (const term_pointer& term : monomial.terms) {
      if (term->is == term_kind::symbol) {
        const auto entry = ranges.find(term->name);
        const symbol_range limits = entry == ranges.end() ? term->range : entry->second;
        all_grow = all_grow && limits.minimum >= 0;
        part = limited_product(part, limits);
        continue;
      }
      bool operands_grow = true, more_grow = true;
      const symbol_range left = term->left.range(ranges, &operands_grow),
                         right = term->right.range(ranges, &more_grow);
      const symbol_range limits = range_of(*term, left, right);
      all_grow = all_grow && operands_grow && more_grow && term->is != term_kind::is_not_zero &&
                 (limits.minimum >= 0 || monomial.terms.size() == 1);
      part = limited_product(part, limits);
    }
    all_grow = all_grow && monomial.factor >= 0;
    result = limited_sum(result, part);
  }
  if (is_exact != nullptr) *is_exact = all_grow || is_constant();
  return result;
}

long long formula::evaluated(const std::map<std::string, long long>& values) const {
  long long result = constant_;
  for (const auto& [name, monomial] : products_) {
    long long part = monomial.factor;
    for (const term_pointer& term : monomial.terms) {
      if (term->is == term_kind::symbol) {
        const auto entry = values.find(term->name);
        if (entry == values.end()) throw formula_error("no value of " + term->name);
        part = product_of(part, entry->second);
        continue;
      }
      const long long left = term->left.evaluated(values);
      long long value = 0;
      switch (term->is) {
        case term_kind::ceil_divide: value = rounded_up(left, term->divisor); break;
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
  for (const auto& [name, monomial] : products_)
    for (const term_pointer& term : monomial.terms) {
      if (term->is == term_kind::symbol) result.insert(term->name);
      for (const formula* const part : {&term->left, &term->right}) result.merge(part->symbols());
    }
  return result;
}

// ---- text ----

std::string condition_text(const formula& value, bool is_order, bool holds) {
  if (!is_order && !value.products_.empty() && value.products_.rbegin()->second.factor < 0)
    return condition_text(value * formula(-1), false, holds);
  // The terms with a factor above 0 are on one side.
  formula left, right;
  for (const auto& [name, monomial] : value.products_) {
    formula& side = monomial.factor > 0 ? left : right;
    formula::product moved = monomial;
    moved.factor = monomial.factor > 0 ? monomial.factor : product_of(monomial.factor, -1);
    side.add(moved);
  }
  const bool is_flag = right.is_constant() && value.constant() == 0 && value.range().minimum == 0 &&
                       value.range().maximum == 1;
  if (is_flag && !value.is_constant()) return holds ? left.text() : left.text() + " == 0";
  // x + 4 > y is x + 3 >= y; constants are on the right, as in x > 0.
  const long long constant = value.constant();
  const formula bound = right + formula(constant < 0 ? product_of(constant, -1) : 0);
  const formula moving = left + formula(constant > 0 ? constant : 0);
  if (is_order && !bound.is_constant())
    return bound.text() + (holds ? " < " : " >= ") + moving.text();
  const char* const sign = is_order ? (holds ? " > " : " <= ") : (holds ? " != " : " == ");
  return moving.text() + sign + bound.text();
}

namespace {

std::string term_text(const formula_term& term) {
  switch (term.is) {
    case term_kind::symbol: return term.name;
    case term_kind::ceil_divide: {
      const bool is_floor = term.left.constant() == 1 - term.divisor;
      const formula dividend = is_floor ? term.left - formula(1 - term.divisor) : term.left;
      const std::string inner = dividend.text();
      const bool is_sum = inner.find(' ') != inner.npos;
      return std::string(is_floor ? "floor(" : "ceil(") + (is_sum ? "(" + inner + ")" : inner) +
             " / " + number_text(term.divisor) + ")";
    }
    case term_kind::maximum: return "max(" + term.left.text() + ", " + term.right.text() + ")";
    case term_kind::minimum: return "min(" + term.left.text() + ", " + term.right.text() + ")";
    default: return "[" + condition_text(term.left, term.is == term_kind::is_positive) + "]";
  }
}

}  // namespace

// Many quotients that differ by equal steps alone: of x, x - s, x - 2 s and so on.
std::vector<formula::series> formula::series_of() const {
  constexpr std::size_t fewest = 4;
  struct group {
    term_pointer quotient;
    std::map<long long, std::string> names;  // by the constants
  };
  std::map<std::string, group> groups;
  for (const auto& [name, monomial] : products_) {
    term_pointer quotient;
    std::string key = std::to_string(monomial.factor);
    for (const term_pointer& term : monomial.terms) {
      if (term->is == term_kind::ceil_divide && quotient == nullptr)
        quotient = term;
      else
        key += term->key;
    }
    if (quotient == nullptr) continue;
    group& entry =
        groups[key + "/" + std::to_string(quotient->divisor) + "/" + quotient->moving_key];
    entry.quotient = quotient;
    entry.names[quotient->left.constant()] = name;
  }
  std::vector<series> result;
  for (const auto& [key, candidate] : groups) {
    if (candidate.names.size() < fewest) continue;
    series run{candidate.quotient, candidate.names.rbegin()->first, 0, 0, {}};
    run.step = run.first - std::next(candidate.names.rbegin())->first;
    for (auto name = candidate.names.rbegin(); name != candidate.names.rend(); ++name) {
      if (name->first != run.first - run.count * run.step) break;
      run.names.insert(name->second);
      ++run.count;
    }
    if (run.names.size() == candidate.names.size()) result.push_back(run);
  }
  return result;
}

std::string formula::text_of_series(const series& sum) {
  const formula moving = sum.quotient->left.without_constant() + formula(sum.first);
  const std::string step = sum.step == 1 ? "i" : number_text(sum.step) + " * i";
  return "sum(i = 0 to " + number_text(sum.count - 1) + ", ceil((" + moving.text() + " - " + step +
         ") / " + number_text(sum.quotient->divisor) + "))";
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
  const bool are_below =
      std::ranges::all_of(products_, [](const auto& entry) { return entry.second.factor < 0; });
  if (constant_ > 0 && are_below) append(false, bankmodel::grouped(size_of(constant_)));
  const std::vector<series> sums = series_of();
  std::set<std::string> done;
  for (const bool is_below : {false, true})
    for (const auto& [name, monomial] : products_) {
      if ((monomial.factor < 0) != is_below || done.count(name) > 0) continue;
      const auto match = std::ranges::find_if(sums, [&symbol_name = name](const series& sum) {
        return sum.names.count(symbol_name) > 0;
      });
      std::string part;
      if (size_of(monomial.factor) != 1) part = bankmodel::grouped(size_of(monomial.factor));
      bool has_sum = match == sums.end();
      for (const term_pointer& term : monomial.terms) {
        const bool is_sum = !has_sum && term->is == term_kind::ceil_divide;
        has_sum = has_sum || is_sum;
        part += (part.empty() ? "" : " * ") + (is_sum ? text_of_series(*match) : term_text(*term));
      }
      if (match != sums.end()) done.insert(match->names.begin(), match->names.end());
      append(is_below, part);
    }
  if (constant_ < 0 || (constant_ > 0 && !are_below))
    append(constant_ < 0, bankmodel::grouped(size_of(constant_)));
  return result.empty() ? "0" : result;
}

term_pointer formula::first_condition() const {
  for (const auto& [name, monomial] : products_)
    for (const term_pointer& term : monomial.terms)
      if (term->is_condition()) return term;
  return nullptr;
}

formula formula::with_condition(const std::string& key, long long value) const {
  formula result(constant_);
  for (const auto& [name, monomial] : products_) {
    formula part(monomial.factor);
    for (const term_pointer& term : monomial.terms)
      part = part * (term->key == key ? formula(value) : formula(term));
    result = result + part;
  }
  return result;
}

std::string formula::text() const {
  const term_pointer condition = first_condition();
  if (condition == nullptr) return plain_text();
  const bool is_order = condition->is == term_kind::is_positive;
  const formula consequent = with_condition(condition->key, 1),
                alternative = with_condition(condition->key, 0);
  const auto in_parentheses = [](const formula& value) {
    return value.first_condition() == nullptr ? value.text() : "(" + value.text() + ")";
  };
  if (consequent.is_constant() && consequent.constant() == 0)
    return in_parentheses(alternative) + " if " + condition_text(condition->left, is_order, false) +
           ", else 0";
  return in_parentheses(consequent) + " if " + condition_text(condition->left, is_order) +
         ", else " + in_parentheses(alternative);
}

std::string formula::json() const {
  std::string result;
  int summands = 0;
  const auto append = [&](const std::string& summand) {
    result += (summands++ > 0 ? "," : "") + summand;
  };
  if (constant_ != 0) append(std::to_string(constant_));
  for (const auto& [name, monomial] : products_) {
    std::string factors = monomial.factor == 1 ? "" : std::to_string(monomial.factor);
    for (const term_pointer& term : monomial.terms)
      factors += (factors.empty() ? "" : ",") + term->json;
    const bool is_product = monomial.factor != 1 || monomial.terms.size() > 1;
    append(is_product ? "{\"multiply\":[" + factors + "]}" : factors);
  }
  if (summands == 0) return "0";
  return summands == 1 ? result : "{\"add\":[" + result + "]}";
}

}  // namespace compiled
