// SPDX-License-Identifier: MIT
#include "loop_reader.hpp"

#include "as_in_c.hpp"

namespace command_line {

namespace {

constexpr std::string_view comparisons[][2] = {
    // and with sides exchanged
    {"<", ">"},
    {"<=", ">="},
    {">", "<"},
    {">=", "<="},
    {"!=", "!="}};

}  // namespace

loop_reader::variable_of_loop loop_reader::read_loop_variable() {
  variable_of_loop result{{}, int_type, is_type_here() || front().is("auto")};
  if (result.is_typed) {
    const auto declared_type = read_type();
    if (!declared_type->counts && !declared_type->is_auto)
      throw refusal{declared_type->location, joined("a loop over ", declared_type->name),
                    "use an integer: int"};
    result.type = declared_type->is_auto ? number_type{0, false} : declared_type->number();
  }
  result.name = front();
  if (result.name.kind != token_kind::name) unexpected("the name of the loop's variable");
  (void)take();
  return result;
}

wrapping loop_reader::read_loop_head(int depth) {
  const std::size_t first_token = cursor();
  const token keyword = take();
  (void)expect("(", "after `for`");
  variable_of_loop counter = read_loop_variable();
  if (depth >= bm::loop_variables)
    throw refusal{keyword.location, joined("more than ", bm::loop_variables, " nested loops"),
                  "leave out loops whose variable no subscript reads"};
  const auto variable = static_cast<bm::variable>(static_cast<int>(bm::variable::loop_0) + depth);

  wrapping loop{bm::wrapper_kind::range, variable, {}, {}, {}, {}, std::string(counter.name.text)};
  loop.location = keyword.location;
  (void)expect("=", "and the first value of the variable");
  loop.first = read_number();
  (void)expect(";", "after the first value");
  // `int i; for (i = 0; ..)`: the loop's variable is the one that was declared.
  const known_name* const declared = counter.is_typed ? nullptr : find(counter.name.text);
  const bool is_declared =
      declared != nullptr &&
      (declared->kind == name_kind::index || declared->kind == name_kind::value) &&
      declared->is_integer;
  if (is_declared) counter.type = declared->type;
  if (counter.type.bits == 0) counter.type = loop.first.type;
  program itself = variable_program(variable, counter.name.location);
  itself.type = counter.type.bits < 32 ? int_type : counter.type;
  declare(counter.name, name_kind::loop, itself, counter.is_typed || is_declared);
  counter.is_typed = counter.is_typed || is_declared;
  read_rest(loop, counter);
  loop.text = words(first_token);
  return loop;
}

void loop_reader::read_rest(wrapping& loop, const variable_of_loop& counter) {
  const std::size_t condition = cursor();
  const loop_comparison bound = read_comparison(counter.name, loop.variable);
  require_no_change(condition);
  (void)expect(";", "after the condition: a loop has one comparison");
  const loop_advance advance = read_advance(counter.name, loop.variable);
  (void)expect(")", "after the step");
  if (bound.last.reads(loop.variable))
    throw refusal{
        bound.last.location, joined("the bound reads ", counter.name.text, " itself"),
        joined("compare ", counter.name.text, " with a value that does not change in the loop")};
  if (advance.amount.reads(loop.variable))
    throw refusal{advance.amount.location, joined("the step reads ", counter.name.text, " itself"),
                  joined("write ", counter.name.text, " += .., *= .. or /= ..")};
  set_range(loop, set_bounds(loop, bound, advance, counter));
}

// What is computed before each iteration must not change a variable.
void loop_reader::require_no_change(std::size_t first) const {
  for (std::size_t position = first; position < cursor(); ++position)
    if (is_assigning(tokens_[position]))
      throw refusal{tokens_[position].location,
                    joined("`", tokens_[position].text, "` is computed before each iteration"),
                    "change variables before the loop or in its body"};
}

// `v < last`, or `last > v`.
loop_comparison loop_reader::read_comparison(const token& name, bm::variable variable) {
  const std::size_t first = cursor();
  const program left = read_sum();
  const token symbol = take();
  for (const auto& spellings : comparisons) {
    if (!symbol.is(spellings[0])) continue;
    const program right = read_sum();
    if (left.is(variable)) return {spellings[0], right, span(first)};
    if (right.is(variable)) return {spellings[1], left, span(first)};
    break;
  }
  throw refusal{span(first), joined("not a condition that bounds ", name.text),
                joined("compare it with <, <=, >, >= or !=: ", name.text, " < 32")};
}

// `++v`, `v += 8`, `v = v / 2` and similar.
loop_advance loop_reader::read_advance(const token& name, bm::variable variable) {
  const std::size_t first = cursor();
  const bool is_prefix = front().is("++") || front().is("--");
  token symbol = front();
  if (is_prefix) (void)take();
  if (!front().is(name.text) || front().kind != token_kind::name)
    throw refusal{front().location, joined("the step must change ", name.text),
                  joined("write ++", name.text, " or ", name.text, " += 8")};
  (void)take();
  if (!is_prefix) symbol = take();
  if (symbol.is("++") || symbol.is("--"))
    return {loop_advance::change::add, constant_program(symbol.is("++") ? 1 : -1, span(first)),
            span(first)};

  if (symbol.is("=")) {  // v = v + 8
    const program operand = read_unary();
    if (!operand.is(variable))
      throw refusal{operand.location, joined("the step must change ", name.text),
                    joined("write ", name.text, " += 8")};
    symbol = take();
    const std::size_t step = cursor();
    const program amount = read_unary();
    require_no_change(step);
    return changed(symbol, name, amount, span(first));
  }
  if (symbol.text.size() < 2 || symbol.text.back() != '=')
    throw refusal{symbol.location, joined("the step must change ", name.text),
                  joined("write ++", name.text, " or ", name.text, " += 8")};
  const std::size_t step = cursor();
  const program amount = read_number();
  require_no_change(step);
  token plain = symbol;
  plain.text.remove_suffix(1);
  return changed(plain, name, amount, span(first));
}

loop_advance loop_reader::changed(const token& symbol, const token& name, const program& amount,
                                  const place& position) const {
  using change = loop_advance::change;
  if (symbol.is("+")) return {change::add, amount, position};
  // `i -= 1u` adds what is 1 less than 0 only in the bits of i
  if (symbol.is("-"))
    return {change::add, negative(converted(exact(amount), long_long_type)), position};
  const bool multiplied = symbol.is("*") || symbol.is("<<");
  if (!multiplied && !symbol.is("/") && !symbol.is(">>"))
    throw refusal{symbol.location,
                  joined("a loop's variable cannot be changed by `", symbol.text.substr(0, 4), "`"),
                  "use +=, -=, *=, /=, <<= or >>="};
  const auto constant = amount.constant();
  if (!constant)
    throw refusal{amount.location, "a factor that is not constant",
                  "multiply and divide a loop's variable by a number"};
  const bool shifted = symbol.text.size() == 2;
  if (shifted && (*constant < 0 || *constant > 31))
    throw refusal{amount.location, joined("a shift by ", *constant), "shift by 1 to 31"};
  const long long factor = shifted ? 1ll << *constant : *constant;
  if (factor < 2)
    never_ends(position,
               joined(name.text, " is ", multiplied ? "multiplied" : "divided", " by ", factor),
               "use 2 or more");
  return {multiplied ? change::multiply
          : shifted  ? change::shift_right
                     : change::divide,
          constant_program(factor, amount.location), position};
}

}  // namespace command_line
