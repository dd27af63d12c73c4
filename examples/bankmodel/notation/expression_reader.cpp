// SPDX-License-Identifier: MIT
#include "expression_reader.hpp"

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

int binding_of(const token& word) {
  if (word.kind != token_kind::symbol) return 0;
  for (const binary_operator& candidate : binary_operators)
    if (candidate.symbol == word.text) return candidate.binding;
  return 0;
}

}  // namespace

expression_reader::expression_reader(const source& input, int lanes)
    : token_reader(input), lanes_(lanes) {
  for (std::size_t position = 0; position + 1 < tokens_.size(); ++position)
    has_grid_ = has_grid_ || (tokens_[position].is("grid") && tokens_[position].first_of_line &&
                              is_directive_at(tokens_, position));
}

// ---- expressions ----

program expression_reader::read_value() {
  const std::size_t first = cursor();
  const deeper guard(*this);
  program result = read_binary(loosest);
  return front().is("?") ? read_choice(result, first) : result;
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
  throw refusal{value.location, joined(of_what, " must be a constant"),
                "use numbers and names from define"};
}

// `condition ? left : right`; each side's elements are loaded where it is the chosen one.
program expression_reader::read_choice(const program& condition, std::size_t first) {
  const std::string text = words(first);
  const token symbol = take();
  const program test = as_condition(condition);
  const auto read_side = [&](bool holds) {
    const condition_scope side(*this, test, text, holds);
    return read_value();
  };
  const program left = read_side(true);
  (void)expect(":", "between the two values of `?:`");
  const program right = read_side(false);
  return selected(test, symbol.location, left, right);
}

program expression_reader::read_binary(int minimum) {
  const std::size_t first = cursor();
  program left = read_unary();
  while (true) {
    const int binding = binding_of(front());
    if (binding < minimum || binding == 0) return left;
    const bool lazy = front().is("&&") || front().is("||");
    const std::string text = lazy ? words(first) : std::string();
    const token symbol = take();
    const program right = read_right_side(symbol, binding, left, text);
    left = combined(symbol.text, symbol.location, left, right);
  }
}

// The right side of && and || is computed only where the left side leaves it open.
program expression_reader::read_right_side(const token& symbol, int binding, const program& left,
                                           const std::string& text) {
  const deeper guard(*this);
  std::optional<condition_scope> side;
  if (symbol.is("&&") || symbol.is("||"))
    side.emplace(*this, as_condition(left), text, symbol.is("&&"));
  return read_binary(binding + 1);
}

// True for `name`, `name[..][..]` or `name.member` before an operator that assigns.
bool expression_reader::is_assigned_here() const {
  std::size_t offset = 0;
  if (peek(offset).kind != token_kind::name) return false;
  for (++offset; peek(offset).is("[") || peek(offset).is(".") || peek(offset).is("->");) {
    if (!peek(offset).is("[")) {
      offset += 2;
      continue;
    }
    int open = 0;
    do {
      if (peek(offset).kind == token_kind::end) return false;
      open += peek(offset).is("[") ? 1 : peek(offset).is("]") ? -1 : 0;
      ++offset;
    } while (open > 0);
  }
  const bool is_step = peek(offset).is("++") || peek(offset).is("--");
  return is_assigning(peek(offset)) && !(is_step && peek(offset).first_of_line);
}

program expression_reader::read_unary() {
  const deeper guard(*this);
  const token sign = front();
  if (sign.is("++") || sign.is("--") || is_assigned_here()) return read_assignment();
  const auto from_sign = [&](program result) {
    result.location = {sign.location.first,
                       result.location.first + result.location.size - sign.location.first};
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
  const std::size_t first = cursor();
  (void)take();
  const token& target = peek(front().is("(") ? 1 : 0);
  if (is_array(target.text)) address_is_used(target);
  (void)read_unary();
  for (const token& name : bare_names(tokens_, first + 1, cursor()))
    may_change({name, change_kind::aliased}, "reached by a pointer");
  return unknown_program(span(first), "an address", "use numbers");
}

// `*(float4*)&a[4 * tx]` is an element; `*p` is in memory that is not described.
program expression_reader::read_pointed() {
  for (std::size_t offset = 1; offset < 16 && !peek(offset).is(";"); ++offset)
    if (peek(offset).is("&") && is_array(peek(offset + (peek(offset + 1).is("(") ? 2 : 1)).text))
      return read_element();
  const token star = take();
  if (is_array(front().text) && !peek(1).is("[")) address_is_used(front());
  (void)read_unary();
  program result = unknown_program(span(cursor() - 1), "a value from memory that is not described",
                                   "use thread variables, loop variables and constants");
  result.location = result.reason.location = {star.location.first, 1};
  return is_assigning(front()) ? read_assigned_value(result) : result;
}

// The value that an undescribed place is given.
program expression_reader::read_assigned_value(const program& place) {
  const token symbol = take();
  if (!symbol.is("++") && !symbol.is("--")) (void)read_value();
  return place;
}

// Members, subscripts, arguments of a value that is not known.
program expression_reader::read_postfix(program value) {
  while (value.is_unknown && !front().first_of_line) {
    if (front().is(".") || front().is("->")) {
      (void)take();
      if (front().kind != token_kind::name) unexpected("the name of a member");
      (void)take();
      if (const std::size_t end = end_of_template(cursor_)) cursor_ = end;
    } else if (take_if("[")) {
      (void)read_value();
      (void)expect("]", "after the subscript");
    } else if (front().is("(")) {
      value = read_arguments(tokens_[cursor_ - 1]);
    } else if (is_assigning(front())) {
      value = read_assigned_value(value);
    } else {
      break;
    }
  }
  return value;
}

program expression_reader::read_primary() {
  const token first = front();
  if (first.kind == token_kind::number || first.kind == token_kind::real) return read_literal();
  if (first.is("(")) return read_parenthesis();
  if (first.is("{")) return read_braces();
  if (first.kind != token_kind::name) unexpected("a number, a name or a parenthesis");
  return read_name();
}

// 12, 12u, 12ll, 0xffffffff, 1.5f, "text"
program expression_reader::read_literal() {
  const token first = take();
  const auto is_text = [](const token& word) {
    return word.kind == token_kind::real && word.text[0] == '"';
  };
  while (is_text(first) && is_text(front())) (void)take();  // "a" "b" is one text
  if (first.kind == token_kind::real)
    return unknown_program(
        first.location,
        joined("the real number ", first.text.substr(0, 40), " where an integer is needed"),
        "write an integer");
  program number = constant_program(first.value, first.location);
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
  std::size_t name = cursor_;
  while (name + 1 < tokens_.size() && tokens_[name].is("(")) ++name;
  if (name == cursor_ || !is_array(tokens_[name].text)) return false;
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
  const std::size_t begin = cursor();
  const token first = take();
  if (is_type_here()) return read_cast(first);
  program inner = read_value();
  const place end = expect(")", "to close the parenthesis");
  const auto inside = tokens_.begin() + static_cast<std::ptrdiff_t>(begin);
  if (is_assigning(front()) && !front().first_of_line)
    for (auto word = inside; word != tokens_.begin() + static_cast<std::ptrdiff_t>(cursor());
         ++word)
      if (is_array(word->text))
        throw refusal{word->location,
                      joined("an element of ", word->text, " in parentheses is assigned"),
                      "write the element alone"};
  inner.location = {first.location.first, end.first + end.size - first.location.first};
  return inner;
}

// `{0.0f, 1.0f}`: the initial values of an array or a structure.
program expression_reader::read_braces() {
  const std::size_t first = cursor();
  (void)take();
  while (!front().is("}")) {
    (void)read_value();
    if (!take_if(",")) break;
  }
  (void)expect("}", "after the values");
  return unknown_program(span(first), "several values in braces", "use one number");
}

}  // namespace command_line
