// SPDX-License-Identifier: MIT
#include "expression_reader.hpp"

#include <algorithm>

#include "as_in_c.hpp"
#include "statement_scan.hpp"

namespace command_line {

namespace {

struct binary_operator {
  std::string_view symbol;
  int binding;
};
constexpr binary_operator binary_operators[] = {
    {"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5},  {"==", 6},
    {"!=", 6}, {"<", 7},  {"<=", 7}, {">", 7},  {">=", 7}, {"<<", 8},
    {">>", 8}, {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};
constexpr int loosest = 1, loosest_of_sums = 8, loosest_of_products = 10;

int binding_of(const token& one) {
  if (one.kind != token_kind::symbol) return 0;
  for (const binary_operator& each : binary_operators)
    if (each.symbol == one.text) return each.binding;
  return 0;
}

}  // namespace

expression_reader::expression_reader(const source& of, int lanes)
    : token_reader(of), lanes_(lanes) {
  for (std::size_t at = 0; at + 1 < tokens_.size(); ++at)
    has_grid_ = has_grid_ || (tokens_[at].is("grid") && tokens_[at].first_of_line &&
                              is_directive_at(tokens_, at));
}

// ---- expressions ----

program expression_reader::read_value() {
  const std::size_t first = now();
  const deeper one(*this);
  program result = read_binary(loosest);
  return here().is("?") ? read_choice(result, first) : result;
}

program expression_reader::read_number() {
  program result = read_value();
  require_known(result);
  return as_number(result);
}

program expression_reader::read_sum() {
  program result = read_binary(loosest_of_sums);
  require_known(result);
  return as_number(result);
}

program expression_reader::read_product() {
  program result = read_binary(loosest_of_products);
  require_known(result);
  return as_number(result);
}

long long expression_reader::read_constant(std::string_view of_what) {
  const program value = read_number();
  if (const auto constant = value.constant()) return *constant;
  throw refusal{value.where, joined(of_what, " must be a constant"),
                "use numbers and names from define"};
}

// `condition ? left : right`; each side's elements are loaded where it is the chosen one.
program expression_reader::read_choice(const program& condition, std::size_t first) {
  const std::string text = words(first);
  const token symbol = take();
  const program test = as_condition(condition);
  const auto read_side = [&](bool holds) {
    const within side(*this, test, text, holds);
    return read_value();
  };
  const program left = read_side(true);
  (void)expect(":", "between the two values of `?:`");
  const program right = read_side(false);
  return selected(test, symbol.where, left, right);
}

program expression_reader::read_binary(int least) {
  const std::size_t first = now();
  program left = read_unary();
  while (true) {
    const int binding = binding_of(here());
    if (binding < least || binding == 0) return left;
    const bool lazy = here().is("&&") || here().is("||");
    const std::string text = lazy ? words(first) : std::string();
    const token symbol = take();
    const program right = read_right_side(symbol, binding, left, text);
    left = combined(symbol.text, symbol.where, left, right);
  }
}

// The right side of && and || is computed only where the left side leaves it open.
program expression_reader::read_right_side(const token& symbol, int binding, const program& left,
                                           const std::string& text) {
  const deeper one(*this);
  std::optional<within> side;
  if (symbol.is("&&") || symbol.is("||"))
    side.emplace(*this, as_condition(left), text, symbol.is("&&"));
  return read_binary(binding + 1);
}

// True for `name`, `name[..][..]` or `name.member` before an operator that assigns.
bool expression_reader::is_assigned_here() const {
  std::size_t at = 0;
  if (peek(at).kind != token_kind::name) return false;
  for (++at; peek(at).is("[") || peek(at).is(".") || peek(at).is("->");) {
    if (!peek(at).is("[")) {
      at += 2;
      continue;
    }
    int open = 0;
    do {
      if (peek(at).kind == token_kind::end) return false;
      open += peek(at).is("[") ? 1 : peek(at).is("]") ? -1 : 0;
      ++at;
    } while (open > 0);
  }
  const bool is_step = peek(at).is("++") || peek(at).is("--");
  return is_assigning(peek(at)) && !(is_step && peek(at).first_of_line);
}

program expression_reader::read_unary() {
  const deeper one(*this);
  const token sign = here();
  if (sign.is("++") || sign.is("--") || is_assigned_here()) return read_assignment();
  const auto from_sign = [&](program result) {
    result.where = {sign.where.first, result.where.first + result.where.size - sign.where.first};
    return result;
  };
  if (sign.is("*")) return read_pointed();
  if (sign.is("&")) return read_address();
  if (take_if("-")) return from_sign(negative(read_unary()));
  if (take_if("+")) return from_sign(read_unary());
  if (take_if("!")) {
    const program operand = read_unary();
    return from_sign(opposite(as_condition(operand)));
  }
  if (take_if("~")) return from_sign(complement(read_unary()));
  return read_postfix(read_primary());
}

// `&x`: what it points to may change from here on.
program expression_reader::read_address() {
  const std::size_t first = now();
  (void)take();
  const token& of = peek(here().is("(") ? 1 : 0);
  if (is_array(of.text)) address_is_used(of);
  (void)read_unary();
  for (const token& one : bare_names(tokens_, first + 1, now()))
    may_change({one, change_kind::aliased}, "reached by a pointer");
  return unknown_program(from(first), "an address", "use numbers");
}

// `*(float4*)&a[4 * tx]` is an element; `*p` is in memory that is not described.
program expression_reader::read_pointed() {
  for (std::size_t at = 1; at < 16 && !peek(at).is(";"); ++at)
    if (peek(at).is("&") && is_array(peek(at + (peek(at + 1).is("(") ? 2 : 1)).text))
      return read_element();
  const token star = take();
  if (is_array(here().text) && !peek(1).is("[")) address_is_used(here());
  (void)read_unary();
  program result = unknown_program(from(now() - 1), "a value from memory that is not described",
                                   "use thread variables, loop variables and constants");
  result.where = result.why.where = {star.where.first, 1};
  return is_assigning(here()) ? read_assigned_value(result) : result;
}

// The value that an undescribed place is given.
program expression_reader::read_assigned_value(const program& place) {
  const token symbol = take();
  if (!symbol.is("++") && !symbol.is("--")) (void)read_value();
  return place;
}

// Members, subscripts, arguments of a value that is not known.
program expression_reader::read_postfix(program of) {
  while (of.is_unknown && !here().first_of_line) {
    if (here().is(".") || here().is("->")) {
      (void)take();
      if (here().kind != token_kind::name) unexpected("the name of a member");
      (void)take();
      if (const std::size_t end = end_of_template(at_)) at_ = end;
    } else if (take_if("[")) {
      (void)read_value();
      (void)expect("]", "after the subscript");
    } else if (here().is("(")) {
      of = read_arguments(tokens_[at_ - 1]);
    } else if (is_assigning(here())) {
      of = read_assigned_value(of);
    } else {
      break;
    }
  }
  return of;
}

program expression_reader::read_primary() {
  const token first = here();
  if (first.kind == token_kind::number || first.kind == token_kind::real) return read_literal();
  if (first.is("(")) return read_parenthesis();
  if (first.is("{")) return read_braces();
  if (first.kind != token_kind::name) unexpected("a number, a name or a parenthesis");
  return read_name();
}

// 12, 12u, 12ll, 0xffffffff, 1.5f, "text"
program expression_reader::read_literal() {
  const token first = take();
  const auto is_text = [](const token& one) {
    return one.kind == token_kind::real && one.text[0] == '"';
  };
  while (is_text(first) && is_text(here())) (void)take();  // "a" "b" is one text
  if (first.kind == token_kind::real)
    return unknown_program(
        first.where,
        joined("the real number ", first.text.substr(0, 40), " where an integer is needed"),
        "write an integer");
  program number = constant_program(first.value, first.where);
  const bool is_decimal = first.text[0] != '0' || first.text.size() == 1;
  const bool is_unsigned = first.text.find_first_of("uU") != std::string_view::npos;
  const bool is_long = first.text.find_first_of("lL") != std::string_view::npos;
  const bool fits = first.value < (is_unsigned || !is_decimal ? 0x100000000ll : 0x80000000ll);
  number.type.bits = is_long || !fits ? 64 : 32;
  // A hexadecimal number that int does not hold is unsigned if that does.
  number.type.is_unsigned =
      is_unsigned || (!is_decimal && !is_long && fits && first.value >= 0x80000000ll);
  return number;
}

// `(a[i])` and `(a)[i]` are the element a[i], which may be assigned. False: it is something else.
bool expression_reader::drop_parentheses() {
  std::size_t name = at_;
  while (name + 1 < tokens_.size() && tokens_[name].is("(")) ++name;
  if (name == at_ || !is_array(tokens_[name].text)) return false;
  std::size_t end = name + 1;
  while (end < tokens_.size() && tokens_[end].is("[")) end = after_bracket(tokens_, end);
  const bool has_subscripts = end > name + 1;
  if (end + 1 >= tokens_.size() || !tokens_[end].is(")") ||
      !(has_subscripts || tokens_[end + 1].is("[")))
    return false;
  tokens_.erase(tokens_.begin() + static_cast<std::ptrdiff_t>(end));
  tokens_.erase(tokens_.begin() + static_cast<std::ptrdiff_t>(name - 1));
  return true;
}

// `(a + b)`, and a cast `(int) a`.
program expression_reader::read_parenthesis() {
  if (drop_parentheses()) return read_unary();
  const std::size_t begin = now();
  const token first = take();
  if (is_type_here()) return read_cast(first);
  program inner = read_value();
  const place end = expect(")", "to close the parenthesis");
  const auto inside = tokens_.begin() + static_cast<std::ptrdiff_t>(begin);
  if (is_assigning(here()) && !here().first_of_line)
    for (auto one = inside; one != tokens_.begin() + static_cast<std::ptrdiff_t>(now()); ++one)
      if (is_array(one->text))
        throw refusal{one->where,
                      joined("an element of ", one->text, " in parentheses is assigned"),
                      "write the element alone"};
  inner.where = {first.where.first, end.first + end.size - first.where.first};
  return inner;
}

// `{0.0f, 1.0f}`: the initial values of an array or a structure.
program expression_reader::read_braces() {
  const std::size_t first = now();
  (void)take();
  while (!here().is("}")) {
    (void)read_value();
    if (!take_if(",")) break;
  }
  (void)expect("}", "after the values");
  return unknown_program(from(first), "several values in braces", "use one number");
}

}  // namespace command_line
