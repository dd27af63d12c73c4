// SPDX-License-Identifier: MIT
#include "expression_reader.hpp"

#include <algorithm>
#include <utility>

#include "as_in_c.hpp"
#include "element_types.hpp"

namespace command_line {

namespace {

constexpr int deepest = 200;
constexpr std::size_t most_names = 1000;

struct binary_operator {
  std::string_view symbol;
  int binding;
};
constexpr binary_operator binary_operators[] = {
    {"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5},  {"==", 6},
    {"!=", 6}, {"<", 7},  {"<=", 7}, {">", 7},  {">=", 7}, {"<<", 8},
    {">>", 8}, {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};
constexpr int loosest_of_bits = 3, loosest_of_sums = 8, loosest_of_products = 10;

int binding_of(const token& one) {
  if (one.kind != token_kind::symbol) return 0;
  for (const binary_operator& each : binary_operators)
    if (each.symbol == one.text) return each.binding;
  return 0;
}

struct thread_word {
  std::string_view name;
  bm::variable which;
};
constexpr thread_word thread_words[] = {
    {"tx", bm::variable::tx},   {"ty", bm::variable::ty},     {"tz", bm::variable::tz},
    {"bx", bm::variable::bx},   {"by", bm::variable::by},     {"bz", bm::variable::bz},
    {"tid", bm::variable::tid}, {"lane", bm::variable::lane}, {"warp", bm::variable::warp}};
// Reserved names, even with a type. (An array may be called block, as in one of the CUDA
// samples.)
constexpr std::string_view keywords[] = {"for",      "if",         "else",      "define",
                                         "shared",   "__shared__", "threadIdx", "blockIdx",
                                         "blockDim", "warpSize",   "min",       "max"};

const thread_word* find_thread_word(std::string_view name) {
  for (const thread_word& one : thread_words)
    if (one.name == name) return &one;
  return nullptr;
}

bool is_keyword(std::string_view name) {
  for (const std::string_view one : keywords)
    if (one == name) return true;
  return find_element_type(name) != nullptr;
}

}  // namespace

const token& expression_reader::peek(std::size_t further) const {
  if (one_line_)
    for (std::size_t at = at_; at <= at_ + further && at < tokens_.size(); ++at)
      if (tokens_[at].first_of_line) return tokens_.back();
  return tokens_[std::min(at_ + further, tokens_.size() - 1)];
}

token expression_reader::take() {
  const token result = here();
  if (at_ + 1 < tokens_.size()) ++at_;
  return result;
}

bool expression_reader::take_if(std::string_view symbol) {
  if (!here().is(symbol)) return false;
  (void)take();
  return true;
}

place expression_reader::expect(std::string_view symbol, std::string_view what_for) {
  if (!here().is(symbol)) unexpected(joined("`", symbol, "` ", what_for));
  return take().where;
}

void expression_reader::unexpected(std::string_view instead) const {
  const token& found = here();
  if (found.kind != token_kind::end)
    throw refusal{found.where, joined("`", found.text.substr(0, 40), "` is not expected here"),
                  joined("write ", instead)};
  // After the last token, where one is missing.
  const place last = at_ == 0 ? place{0, 0} : tokens_[at_ - 1].where;
  throw refusal{{last.first + last.size, 1},
                one_line_ ? "the line ends too early" : "the text ends too early",
                joined("write ", instead)};
}

place expression_reader::from(std::size_t first) const {
  const place begin = tokens_[first].where, end = tokens_[at_ > first ? at_ - 1 : first].where;
  return {begin.first, end.first + end.size - begin.first};
}

std::string expression_reader::words(std::size_t first) const {
  std::string result;
  for (std::size_t at = first; at < at_; ++at) {
    const bool gap = at > first && tokens_[at].where.first >
                                       tokens_[at - 1].where.first + tokens_[at - 1].where.size;
    result += joined(gap ? " " : "", tokens_[at].text);
  }
  return result;
}

expression_reader::deeper::deeper(expression_reader& of) : reader(of) {
  if (of.depth_ == deepest)
    throw refusal{of.here().where, joined("this nests more than ", deepest, " deep"),
                  "use fewer parentheses and braces"};
  ++of.depth_;
}

// ---- expressions ----

program expression_reader::read_number() {
  const bool values = std::exchange(values_, false);
  program result = read_binary(1);
  values_ = values;
  require_number(result);
  return result;
}

program expression_reader::read_sum() {
  program result = read_binary(loosest_of_sums);
  require_number(result);
  return result;
}

program expression_reader::read_product() {
  program result = read_binary(loosest_of_products);
  require_number(result);
  return result;
}

program expression_reader::read_condition() { return as_condition(read_binary(1)); }

program expression_reader::read_value() {
  values_ = true;
  program result = read_binary(loosest_of_bits);
  values_ = false;
  return result;
}

long long expression_reader::read_constant(std::string_view of_what) {
  const program value = read_number();
  if (const auto constant = value.constant()) return *constant;
  throw refusal{value.where, joined(of_what, " must be a constant"),
                "use numbers and names from define"};
}

program expression_reader::read_binary(int loosest) {
  program left = read_unary();
  while (true) {
    const int binding = binding_of(here());
    if (here().is("?"))
      throw refusal{here().where, "`?:` is not part of the notation",
                    "use min, max, or `if` and `else` around two accesses"};
    if (binding < loosest || binding == 0) return left;
    const token symbol = take();
    const deeper one(*this);
    const program right = read_binary(binding + 1);
    require_as_in_c(symbol.text, symbol.where, left, right, never_negative_loops_, block_);
    left = combined(symbol.text, symbol.where, left, right);
  }
}

program expression_reader::read_unary() {
  const deeper one(*this);
  if (values_ && here().is("*")) return read_element();
  const token sign = here();
  if (take_if("-")) {
    program result = negative(read_unary());
    result.where = {sign.where.first, result.where.first + result.where.size - sign.where.first};
    return result;
  }
  if (take_if("+")) return read_unary();
  if (take_if("!")) return opposite(read_unary());
  if (take_if("~")) {  // -x - 1
    const program operand = read_unary();
    if (operand.is_unsigned && operand.constant())
      throw refusal{sign.where, "`~` of an unsigned constant, which has 32 bits in C",
                    "write the intended number"};
    return combined("-", sign.where, negative(operand), constant_program(1, sign.where));
  }
  return read_primary();
}

program expression_reader::read_primary() {
  const token first = here();
  if (first.kind == token_kind::number) {
    program number = constant_program(take().value, first.where);
    const bool hexadecimal = first.text.size() > 1 && first.text[0] == '0';
    number.is_unsigned = first.text.find_first_of("uU") != std::string_view::npos;
    if ((number.is_unsigned || hexadecimal) && first.value > 0x7fffffff &&
        first.text.find_first_of("lL") == std::string_view::npos)
      throw refusal{first.where,
                    joined(first.text.substr(0, 40), " is unsigned in C, and computed modulo 2^32"),
                    "use numbers below 2^31"};
    return number;
  }
  if (first.kind == token_kind::real) {
    if (!values_)
      throw refusal{
          first.where,
          joined("the real number ", first.text.substr(0, 40), " where an integer is needed"),
          "write an integer"};
    return {{{bm::operation::constant, 0}}, take().where, false, true};
  }
  if (first.is("(")) {
    (void)take();
    if (here().kind == token_kind::name && find_element_type(here().text) != nullptr)
      throw refusal{first.where, "a cast within an expression",
                    "leave it out; `(float4)` is written before an array, after load or store"};
    program inner = read_binary(values_ ? loosest_of_bits : 1);
    const place end = expect(")", "to close the parenthesis");
    inner.where = {first.where.first, end.first + end.size - first.where.first};
    return inner;
  }
  if (first.kind != token_kind::name) unexpected("a number, a name or a parenthesis");

  if (const known_name* const known = find(first.text)) {
    if (known->kind == name_kind::value && !values_)
      throw refusal{
          first.where,
          joined(first.text, " is a value from memory, which is not known before the kernel runs"),
          "use thread variables, loop variables and constants"};
    program result = known->meaning;
    result.where = take().where;
    return result;
  }
  if (is_array(first.text)) {
    if (values_) return read_element();
    throw refusal{first.where,
                  joined("a subscript, bound or condition that reads the array ", first.text,
                         ", which is not known before the kernel runs"),
                  "use thread variables, loop variables and constants"};
  }
  if (values_ && first.text.substr(0, 6) == "atomic" && peek(1).is("(")) return read_element();
  (void)take();
  if (first.is("threadIdx") || first.is("blockIdx") || first.is("blockDim") || first.is("gridDim"))
    return read_member(first);
  if (first.is("warpSize")) return constant_program(32, first.where);
  if (const thread_word* const word = find_thread_word(first.text)) {
    reads_block_index_ =
        reads_block_index_ || (word->which >= bm::variable::bx && word->which <= bm::variable::bz);
    return variable_program(word->which, first.where);
  }
  if (here().is("(")) return read_call(first);
  unknown_name(first, here());
}

program expression_reader::read_member(const token& of) {
  if (of.is("gridDim") && grid_.x == 0)
    throw refusal{of.where, "the name gridDim is not known",
                  "write the blocks of the launch above, `grid X Y Z`"};
  (void)expect(".", joined("and x, y or z after ", of.text));
  const token member = take();
  const int which = member.is("x") ? 0 : member.is("y") ? 1 : member.is("z") ? 2 : 3;
  if (which == 3)
    throw refusal{member.where, joined(of.text, " has no member ", member.text.substr(0, 40)),
                  "write .x, .y or .z"};
  const place where{of.where.first, member.where.first + member.where.size - of.where.first};
  if (of.is("blockDim")) {
    if (block_.x == 0)
      throw refusal{where, "blockDim before the threads of a block are known",
                    "write the line `block X Y Z` above"};
    return constant_program(which == 0 ? block_.x : which == 1 ? block_.y : block_.z, where);
  }
  if (of.is("gridDim"))
    return constant_program(which == 0 ? grid_.x : which == 1 ? grid_.y : grid_.z, where);
  reads_block_index_ = reads_block_index_ || of.is("blockIdx");
  const auto first = of.is("blockIdx") ? bm::variable::bx : bm::variable::tx;
  program result =
      variable_program(static_cast<bm::variable>(static_cast<int>(first) + which), where);
  result.is_unsigned = true;
  return result;
}

program expression_reader::read_call(const token& name) {
  const bool known = name.is("min") || name.is("max");
  if (!known && !values_)
    throw refusal{name.where, joined("the function ", name.text.substr(0, 40), " is not known"),
                  "use min, max and operators"};
  (void)expect("(", joined("after ", name.text));
  program result = {{{bm::operation::constant, 0}}, name.where, false, true};
  int count = 0;
  if (!here().is(")")) do {
      const program argument = read_binary(values_ ? loosest_of_bits : 1);
      if (known) require_number(argument);
      if (known && count > 0)
        require_as_in_c(name.text, name.where, result, argument, never_negative_loops_, block_);
      result = !known || count == 0 ? argument : combined(name.text, name.where, result, argument);
      ++count;
    } while (take_if(","));
  const place end = expect(")", joined("after the arguments of ", name.text));
  if (known && count != 2)
    throw refusal{name.where, joined(name.text, " of ", count, count == 1 ? " value" : " values"),
                  joined("write ", name.text, "(a, b)")};
  if (!known) result = {{{bm::operation::constant, 0}}, name.where, false, true};
  result.where = {name.where.first, end.first + end.size - name.where.first};
  return result;
}

// ---- names ----

const known_name* expression_reader::find(std::string_view name) const {
  for (std::size_t at = names_.size(); at-- > 0;)
    if (names_[at].name == name) return &names_[at];
  return nullptr;
}

void expression_reader::declare(const token& name, name_kind kind, const program& meaning,
                                bool typed) {
  require_new_name(name, typed);
  names_.push_back({name.text, kind, meaning});
}

void expression_reader::require_new_name(const token& name, bool typed) const {
  if (is_keyword(name.text))
    throw refusal{name.where, joined(name.text, " is a reserved word"), "use another name"};
  if (!typed && find_thread_word(name.text) != nullptr)
    throw refusal{name.where, joined(name.text, " is a reserved word"),
                  joined("use another name, or give it a type: int ", name.text)};
  if (find(name.text) != nullptr || is_array(name.text))
    throw refusal{name.where, joined("the name ", name.text.substr(0, 40), " is already used"),
                  "use another one"};
  if (names_.size() == most_names)
    throw refusal{name.where, joined("more than ", most_names, " names at a time"),
                  "remove those that are not used"};
}

void expression_reader::unknown_name(const token& name, const token& behind) const {
  nearest_word nearest(name.text);
  offer_arrays(nearest);
  if (behind.is("["))
    throw refusal{name.where, joined("there is no shared array ", name.text.substr(0, 40)),
                  nearest.question(joined("declare it, shared float ", name.text.substr(0, 40),
                                          "[32], or global float ", name.text.substr(0, 40),
                                          "[], or leave it out if it is not shared"))};
  for (const known_name& one : names_) nearest.offer(one.name);
  for (const thread_word& one : thread_words) nearest.offer(one.name);
  for (const std::string_view one : {"threadIdx", "blockIdx", "blockDim", "warpSize", "min", "max"})
    nearest.offer(one);
  throw refusal{name.where, joined("the name ", name.text.substr(0, 40), " is not known"),
                nearest.question(
                    "define a constant, declare an array, or use a variable of a loop around it")};
}

}  // namespace command_line
