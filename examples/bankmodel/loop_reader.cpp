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

[[noreturn]] void never_ends(const place& where, std::string_view why, std::string_view instead) {
  throw refusal{where, joined("a loop without end: ", why), std::string(instead)};
}

// True if steps from the first value reach the last one exactly.
bool is_reached(long long first, long long last, long long step) {
  const auto difference =
      static_cast<unsigned long long>(last) - static_cast<unsigned long long>(first);
  const auto one = static_cast<unsigned long long>(step);
  if (first == last) return true;
  return step > 0 ? last > first && difference % one == 0
                  : last < first && (0 - difference) % (0 - one) == 0;
}

bool is_power_reached(long long first, long long last, long long factor, bool up) {
  if (first < (up ? 1 : 0)) return false;
  while (up ? first < last && first <= last / factor : first > last && first > 0)
    first = up ? first * factor : first / factor;
  return first == last;
}

// One more or less, in 64 bits: C compares, and does not compute it.
program plus(const program& value, int more) {
  return combined("+", value.where, converted(value, long_long_type),
                  converted(constant_program(more, value.where), long_long_type));
}

bool is_constant_loop(const wrapping& loop, const loop_comparison& until, const loop_advance& each) {
  return loop.first.constant() && until.last.constant() && each.by.constant();
}

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
  const loop_comparison until = read_comparison(of.name, loop.variable);
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
  set_bounds(loop, until, each, of);
  set_range(loop, loop.variable);
}

// The values of the variable within the loop.
void loop_reader::set_range(const wrapping& loop, bm::variable variable) {
  const bounds first = loop.first.range, last = loop.last.range;
  const auto step = loop.step.range;
  const bool up = loop.kind == bm::wrapper_kind::powers_up ||
                  (loop.kind == bm::wrapper_kind::range && step.least >= 0);
  for (known_name& one : names_)
    if (one.kind == name_kind::loop && one.meaning.is(variable))
      one.meaning.range = up ? bounds{first.least, std::max(first.least, last.most - 1)}
                             : bounds{std::min(first.most, last.least + 1), first.most};
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
    return {loop_advance::change::add, constant_program(symbol.is("++") ? 1 : -1, from(first)), from(first)};

  if (symbol.is("=")) {  // v = v + 8
    const program again = read_unary();
    if (!again.is(variable))
      throw refusal{again.where, joined("the step must change ", name.text),
                    joined("write ", name.text, " += 8")};
    symbol = take();
    const program by = read_unary();
    return changed(symbol, name, by, from(first));
  }
  if (symbol.text.size() < 2 || symbol.text.back() != '=')
    throw refusal{symbol.where, joined("the step must change ", name.text),
                  joined("write ++", name.text, " or ", name.text, " += 8")};
  const program by = read_number();
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
  return {multiplied ? change::multiply : shifted ? change::shift_right : change::divide,
          constant_program(factor, by.where), where};
}

// The loop in the types of C: its first value, its bound and its step as they are there.
void loop_reader::set_bounds(wrapping& loop, const loop_comparison& until, const loop_advance& each,
                             const variable_of_loop& of) const {
  loop_comparison bound = until;
  loop_advance step = each;
  number_type own = of.type;
  // A variable of the notation, without a type, has the bits of its bounds.
  if (!of.is_typed) own = {std::max(loop.first.type.bits, until.last.type.bits), false};
  loop.first = exact(converted(loop.first, own));
  if (!of.is_typed) bound.last = converted(bound.last, own);
  const number_type both = common_type(own, bound.last.type);
  bound.last = exact(converted(bound.last, both));
  if (each.is_sum())
    step.by = own.bits == 64 ? exact(each.by) : converted(each.by, int_type);

  loop.kind = each.is_sum()                                    ? bm::wrapper_kind::range
              : each.how == loop_advance::change::multiply ? bm::wrapper_kind::powers_up
                                                               : bm::wrapper_kind::powers_down;
  if (is_constant_loop(loop, bound, step) && step.by.constant() != 0) {
    const counted_loop counted = run_in_c(*loop.first.constant(), bound, step, own);
    const bool is_line = counted.is_line || counted.trips <= 1;
    if (counted.ends && is_line) {
      if (counted.trips <= 1) loop.kind = bm::wrapper_kind::range;
      const bool is_one = counted.trips <= 1;
      loop.step = is_one ? constant_program(1, each.where) : step.by;
      loop.last = constant_program(is_one ? *loop.first.constant() + counted.trips : counted.last,
                                   bound.where);
      return;
    }
  }
  if (own.bits < 32)
    throw refusal{of.name.where,
                  joined("a loop over ", own.bits, " bits whose values may not fit"), "write int"};
  if (each.is_sum())
    sum_loop(loop, bound, step, {of.name, both.is_unsigned ? both : own, of.is_typed});
  else
    power_loop(loop, bound, step, {of.name, both.is_unsigned ? both : own, of.is_typed});
}

void loop_reader::set_end(wrapping& loop, const loop_comparison& until, const loop_advance& each,
                          const token& name, bool up, bool is_met) const {
  const bool sum = each.is_sum();
  if (until.symbol == "!=" && !is_met)
    never_ends(until.where, joined(name.text, " may step over the value that ends it"),
               joined("write ", name.text, up ? " < .." : " > .."));
  if (until.symbol != "!=" && up != (until.symbol[0] == '<'))
    never_ends(
        until.where,
        joined(name.text,
               sum ? (up ? " goes up" : " goes down") : (up ? " is multiplied" : " is divided"),
               ", and `", until.symbol, "` requires the opposite"),
        joined("write ", name.text, up ? " < .., or " : " > .., or ",
               sum ? (up ? "step down" : "step up") : (up ? "divide" : "multiply")));
  loop.step = each.by;
  loop.last = until.symbol == "<="   ? plus(until.last, 1)
              : until.symbol == ">=" ? plus(until.last, -1)
                                     : until.last;
}

// An unsigned variable that goes down while it is less than a bound ends by passing 0: there it
// becomes a large number.
bool loop_reader::ends_below_zero(wrapping& loop, const loop_comparison& until,
                                  const loop_advance& each) const {
  const double last = until.last.range.least + (until.symbol == "<=" ? 1 : 0);
  if (until.symbol[0] != '<' || each.by.range.most >= 0 || loop.first.range.most >= last ||
      until.last.range.most > two_to_32 + each.by.range.least - 1)
    return false;
  loop.last = constant_program(-1, until.where);
  loop.step = each.by;
  return true;
}

void loop_reader::sum_loop(wrapping& loop, const loop_comparison& until, const loop_advance& each,
                           const variable_of_loop& of) const {
  const token& name = of.name;
  const auto first = loop.first.constant(), last = until.last.constant(), step = each.by.constant();
  if (step == 0)
    never_ends(each.where, joined("the step of ", name.text, " is 0"),
               "use 1 or more, or -1 or less");
  const bool up = each.by.range.least >= 0, down = each.by.range.most <= 0;
  if (!up && !down)
    throw refusal{each.by.where, "a step whose sign is not known",
                  "add or subtract a value that is never negative"};
  if (of.type.is_unsigned && loop.first.range.least < 0)
    throw refusal{loop.first.where,
                  "the first value may be below 0, where C compares a large number with an "
                  "unsigned bound",
                  "compare with an int: int n = blockDim.x"};
  if (of.type == unsigned_type && ends_below_zero(loop, until, each)) return;
  set_end(loop, until, each, name, up, first && last && step && is_reached(*first, *last, *step));
  if (!of.type.is_unsigned || until.symbol == "!=") return;
  // If the next value is not in the type, C continues at its other end.
  const bool ends = up ? loop.last.range.most - 1 + each.by.range.most <
                             (of.type.bits == 32 ? two_to_32 : two_to_63)
                       : loop.last.range.least + 1 >= -each.by.range.least;
  if (!ends)
    never_ends(until.where,
               up ? joined(name.text, " is unsigned in C and may continue at 0 after its largest "
                                      "value")
                  : joined(name.text, " is unsigned in C and never negative"),
               joined("write int ", name.text));
}

void loop_reader::power_loop(wrapping& loop, const loop_comparison& until, const loop_advance& each,
                             const variable_of_loop& of) const {
  const token& name = of.name;
  const bool up = each.how == loop_advance::change::multiply;
  const auto first = loop.first.constant(), last = until.last.constant();
  set_end(loop, until, each, name, up,
          (!up && last == 0 && loop.first.range.least >= 0) ||
              (first && last && is_power_reached(*first, *last, *each.by.constant(), up)));
  const auto end = loop.last.constant();
  if (up && first && *first < 1)
    never_ends(loop.first.where, joined(name.text, " begins at ", *first, " and is multiplied"),
               "begin at 1 or more");
  if (!up && end && *end < 0)
    never_ends(until.where,
               joined(name.text, " is divided, stays at 0, and the condition holds there"),
               joined("write ", name.text, " > 0"));
  const double limit = of.type == int_type ? two_to_31 : two_to_32;
  if (up && of.type.bits == 32 && (loop.last.range.most - 1) * each.by.range.most >= limit)
    never_ends(until.where,
               joined(name.text, " may grow beyond the ", of.type.bits, " bits that it has in C"),
               joined("write long long ", name.text, ", or compare with a smaller value"));
  if (of.type.is_unsigned && loop.first.range.least < 0)
    throw refusal{loop.first.where, "the first value may be below 0, where C has a large number",
                  "begin at 0 or more"};
}

}  // namespace command_line
