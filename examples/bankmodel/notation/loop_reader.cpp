// SPDX-License-Identifier: MIT
#include "loop_reader.hpp"

#include <algorithm>

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
  variable_of_loop result{{}, int_type, is_type_here() || here().is("auto")};
  if (result.is_typed) {
    const auto of = read_type();
    if (!of->counts && !of->is_auto)
      throw refusal{of->where, joined("a loop over ", of->name), "use an integer: int"};
    result.type = of->is_auto ? number_type{0, false} : of->number();
  }
  result.name = here();
  if (result.name.kind != token_kind::name) unexpected("the name of the loop's variable");
  (void)take();
  return result;
}

wrapping loop_reader::read_loop_head(int depth) {
  const std::size_t first_token = now();
  const token keyword = take();
  (void)expect("(", "after `for`");
  variable_of_loop of = read_loop_variable();
  if (depth >= bm::loop_variables)
    throw refusal{keyword.where, joined("more than ", bm::loop_variables, " nested loops"),
                  "leave out loops whose variable no subscript reads"};
  const auto variable = static_cast<bm::variable>(static_cast<int>(bm::variable::loop_0) + depth);

  wrapping loop{bm::wrapper_kind::range, variable, {}, {}, {}, {}, std::string(of.name.text)};
  loop.where = keyword.where;
  (void)expect("=", "and the first value of the variable");
  loop.first = read_number();
  (void)expect(";", "after the first value");
  // `int i; for (i = 0; ..)`: the loop's variable is the one that was declared.
  const known_name* const declared = of.is_typed ? nullptr : find(of.name.text);
  const bool is_declared =
      declared != nullptr &&
      (declared->kind == name_kind::index || declared->kind == name_kind::value) &&
      declared->is_integer;
  if (is_declared) of.type = declared->type;
  if (of.type.bits == 0) of.type = loop.first.type;
  program itself = variable_program(variable, of.name.where);
  itself.type = of.type.bits < 32 ? int_type : of.type;
  declare(of.name, name_kind::loop, itself, of.is_typed || is_declared);
  of.is_typed = of.is_typed || is_declared;
  read_rest(loop, of);
  loop.text = words(first_token);
  return loop;
}

void loop_reader::read_rest(wrapping& loop, const variable_of_loop& of) {
  const std::size_t condition = now();
  const loop_comparison until = read_comparison(of.name, loop.variable);
  require_no_change(condition);
  (void)expect(";", "after the condition: a loop has one comparison");
  const loop_advance each = read_advance(of.name, loop.variable);
  (void)expect(")", "after the step");
  if (until.last.reads(loop.variable))
    throw refusal{
        until.last.where, joined("the bound reads ", of.name.text, " itself"),
        joined("compare ", of.name.text, " with a value that does not change in the loop")};
  if (each.by.reads(loop.variable))
    throw refusal{each.by.where, joined("the step reads ", of.name.text, " itself"),
                  joined("write ", of.name.text, " += .., *= .. or /= ..")};
  set_range(loop, set_bounds(loop, until, each, of));
}

// What is computed before each iteration must not change a variable.
void loop_reader::require_no_change(std::size_t first) const {
  for (std::size_t at = first; at < now(); ++at)
    if (is_assigning(tokens_[at]))
      throw refusal{tokens_[at].where,
                    joined("`", tokens_[at].text, "` is computed before each iteration"),
                    "change variables before the loop or in its body"};
}

// `v < last`, or `last > v`.
loop_comparison loop_reader::read_comparison(const token& name, bm::variable variable) {
  const std::size_t first = now();
  const program left = read_sum();
  const token symbol = take();
  for (const auto& one : comparisons) {
    if (!symbol.is(one[0])) continue;
    const program right = read_sum();
    if (left.is(variable)) return {one[0], right, from(first)};
    if (right.is(variable)) return {one[1], left, from(first)};
    break;
  }
  throw refusal{from(first), joined("not a condition that bounds ", name.text),
                joined("compare it with <, <=, >, >= or !=: ", name.text, " < 32")};
}

// `++v`, `v += 8`, `v = v / 2` and similar.
loop_advance loop_reader::read_advance(const token& name, bm::variable variable) {
  const std::size_t first = now();
  const bool before = here().is("++") || here().is("--");
  token symbol = here();
  if (before) (void)take();
  if (!here().is(name.text) || here().kind != token_kind::name)
    throw refusal{here().where, joined("the step must change ", name.text),
                  joined("write ++", name.text, " or ", name.text, " += 8")};
  (void)take();
  if (!before) symbol = take();
  if (symbol.is("++") || symbol.is("--"))
    return {loop_advance::change::add, constant_program(symbol.is("++") ? 1 : -1, from(first)),
            from(first)};

  if (symbol.is("=")) {  // v = v + 8
    const program again = read_unary();
    if (!again.is(variable))
      throw refusal{again.where, joined("the step must change ", name.text),
                    joined("write ", name.text, " += 8")};
    symbol = take();
    const std::size_t step = now();
    const program by = read_unary();
    require_no_change(step);
    return changed(symbol, name, by, from(first));
  }
  if (symbol.text.size() < 2 || symbol.text.back() != '=')
    throw refusal{symbol.where, joined("the step must change ", name.text),
                  joined("write ++", name.text, " or ", name.text, " += 8")};
  const std::size_t step = now();
  const program by = read_number();
  require_no_change(step);
  token plain = symbol;
  plain.text.remove_suffix(1);
  return changed(plain, name, by, from(first));
}

loop_advance loop_reader::changed(const token& symbol, const token& name, const program& by,
                                  const place& where) const {
  using change = loop_advance::change;
  if (symbol.is("+")) return {change::add, by, where};
  // `i -= 1u` adds what is 1 less than 0 only in the bits of i
  if (symbol.is("-")) return {change::add, negative(converted(exact(by), long_long_type)), where};
  const bool multiplied = symbol.is("*") || symbol.is("<<");
  if (!multiplied && !symbol.is("/") && !symbol.is(">>"))
    throw refusal{symbol.where,
                  joined("a loop's variable cannot be changed by `", symbol.text.substr(0, 4), "`"),
                  "use +=, -=, *=, /=, <<= or >>="};
  const auto constant = by.constant();
  if (!constant)
    throw refusal{by.where, "a factor that is not constant",
                  "multiply and divide a loop's variable by a number"};
  const bool shifted = symbol.text.size() == 2;
  if (shifted && (*constant < 0 || *constant > 31))
    throw refusal{by.where, joined("a shift by ", *constant), "shift by 1 to 31"};
  const long long factor = shifted ? 1ll << *constant : *constant;
  if (factor < 2)
    never_ends(where,
               joined(name.text, " is ", multiplied ? "multiplied" : "divided", " by ", factor),
               "use 2 or more");
  return {multiplied ? change::multiply
          : shifted  ? change::shift_right
                     : change::divide,
          constant_program(factor, by.where), where};
}

}  // namespace command_line
