// SPDX-License-Identifier: MIT
#include "loop_reader.hpp"

#include "element_types.hpp"

namespace command_line {

namespace {

constexpr std::string_view comparisons[][2] = {
    // and with sides exchanged
    {"<", ">"},
    {"<=", ">="},
    {">", "<"},
    {">=", "<="},
    {"!=", "!="}};

bool is_of_loop_type(const token& word) {
  const element_type* const type =
      word.kind == token_kind::name ? find_element_type(word.text) : nullptr;
  if (type != nullptr && type->counts && type->bytes < 4)
    throw refusal{word.where, joined("a loop over ", word.text, ", which has few bits in C"),
                  "write int"};
  return word.is("unsigned") || word.is("const") || (type != nullptr && type->counts);
}

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

program plus(const program& value, int more) {
  return combined("+", value.where, value, constant_program(more, value.where));
}

}  // namespace

wrapping loop_reader::read_loop_head(int depth) {
  const std::size_t first_token = now();
  const token keyword = take();
  (void)expect("(", "after `for`");
  bool typed = false;
  for (is_unsigned_ = false; is_of_loop_type(here()); typed = true) {
    const token word = take();
    is_unsigned_ = word.text[0] == 'u' || word.is("size_t") || is_unsigned_;
  }
  const token name = here();
  if (name.kind != token_kind::name) unexpected("the name of the loop's variable");
  (void)take();
  if (depth == bm::loop_variables)
    throw refusal{keyword.where, joined("more than ", bm::loop_variables, " nested loops"),
                  "leave out loops whose variable no subscript reads"};
  const auto variable = static_cast<bm::variable>(static_cast<int>(bm::variable::loop_0) + depth);

  wrapping loop{bm::wrapper_kind::range, variable, {}, {}, {}, {}, std::string(name.text)};
  (void)expect("=", "and the first value of the variable");
  loop.first = read_number();
  (void)expect(";", "after the first value");
  never_negative_loops_ &= ~(1u << depth);
  program itself = variable_program(variable, name.where);
  itself.is_unsigned = is_unsigned_;
  declare(name, name_kind::loop, itself, typed);
  const comparison until = read_comparison(name, variable);
  (void)expect(";", "after the condition: a loop has one comparison");
  const advance each = read_advance(name, variable);
  (void)expect(")", "after the step");
  if (until.last.reads(variable))
    throw refusal{until.last.where, joined("the bound reads ", name.text, " itself"),
                  joined("compare ", name.text, " with a value that does not change in the loop")};
  if (each.by.reads(variable))
    throw refusal{each.by.where, joined("the step reads ", name.text, " itself"),
                  joined("write ", name.text, " += .., *= .. or /= ..")};

  if (each.how == change::add)
    sum_loop(loop, until, each, name);
  else
    power_loop(loop, until, each, name);
  loop.text = words(first_token);
  return loop;
}

// `v < last`, or `last > v`.
loop_reader::comparison loop_reader::read_comparison(const token& name, bm::variable variable) {
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
loop_reader::advance loop_reader::read_advance(const token& name, bm::variable variable) {
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
    return {change::add, constant_program(symbol.is("++") ? 1 : -1, from(first)), from(first)};

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

loop_reader::advance loop_reader::changed(const token& symbol, const token& name, const program& by,
                                          const place& where) const {
  if (symbol.is("+")) return {change::add, by, where};
  if (symbol.is("-")) return {change::add, negative(by), where};
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
  if (shifted && (*constant < 0 || *constant > 62))
    throw refusal{by.where, joined("a shift by ", *constant), "shift by 1 to 62"};
  const long long factor = shifted ? 1ll << *constant : *constant;
  if (factor < 2)
    never_ends(where,
               joined(name.text, " is ", multiplied ? "multiplied" : "divided", " by ", factor),
               "use 2 or more");
  return {multiplied ? change::multiply : change::divide, constant_program(factor, by.where),
          where};
}

void loop_reader::set_end(wrapping& loop, const comparison& until, const advance& each,
                          const token& name, bool up, bool is_met) const {
  const bool sum = each.how == change::add;
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

void loop_reader::sum_loop(wrapping& loop, const comparison& until, const advance& each,
                           const token& name) {
  const auto first = loop.first.constant(), last = until.last.constant(), step = each.by.constant();
  if (step == 0)
    never_ends(each.where, joined("the step of ", name.text, " is 0"),
               "use 1 or more, or -1 or less");
  const bool up = step ? *step > 0 : never_negative(each.by, never_negative_loops_);
  const bool down = step ? *step < 0 : is_negative_of_such(each.by);
  if (!up && !down)
    throw refusal{each.by.where, "a step whose sign is not known",
                  "add or subtract a value that is never negative"};

  set_end(loop, until, each, name, up, first && last && step && is_reached(*first, *last, *step));
  const auto end = loop.last.constant();
  if (is_unsigned_ || loop.first.is_unsigned || until.last.is_unsigned) {
    // If the next value is below 0, C continues with a large number.
    const bool ends =
        up || (end && step && *end >= -*step - 1) || (until.symbol == ">" && step && *step == -1);
    if (!ends)
      never_ends(until.where, joined(name.text, " is unsigned in C and never negative"),
                 joined("write int ", name.text));
    if (!never_negative(until.last, never_negative_loops_) ||
        !never_negative(loop.first, never_negative_loops_))
      throw refusal{until.where,
                    "a bound of an unsigned loop that may be below 0, where C has a large number",
                    "compute with int: int x = threadIdx.x, or tx"};
  }
  if (up ? never_negative(loop.first, never_negative_loops_) : end && *end >= -1)
    note_never_negative(loop.variable);
}

void loop_reader::power_loop(wrapping& loop, const comparison& until, const advance& each,
                             const token& name) {
  const bool up = each.how == change::multiply;
  const auto first = loop.first.constant();
  loop.kind = up ? bm::wrapper_kind::powers_up : bm::wrapper_kind::powers_down;
  const auto last = until.last.constant();
  set_end(loop, until, each, name, up,
          first && last && is_power_reached(*first, *last, *each.by.constant(), up));

  const auto end = loop.last.constant();
  if (up && first && *first < 1)
    never_ends(loop.first.where, joined(name.text, " begins at ", *first, " and is multiplied"),
               "begin at 1 or more");
  if (!up && end && *end < 0)
    never_ends(until.where,
               joined(name.text, " is divided, stays at 0, and the condition holds there"),
               joined("write ", name.text, " > 0"));
  if (!up || never_negative(loop.first, never_negative_loops_)) note_never_negative(loop.variable);
}

bool loop_reader::is_negative_of_such(const program& step) const {
  if (step.nodes.back().op != bm::operation::negate) return false;
  program without = step;
  without.nodes.pop_back();
  return never_negative(without, never_negative_loops_);
}

void loop_reader::note_never_negative(bm::variable loop) {
  never_negative_loops_ |= 1u << (static_cast<int>(loop) - static_cast<int>(bm::variable::loop_0));
}

}  // namespace command_line
