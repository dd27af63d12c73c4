// SPDX-License-Identifier: MIT
// The bounds and the step of a loop, so that the library's loop is C's.
#include <algorithm>

#include "as_in_c.hpp"
#include "loop_reader.hpp"

namespace command_line {

namespace {

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

bool is_constant_loop(const wrapping& loop, const loop_comparison& until,
                      const loop_advance& each) {
  return loop.first.constant() && until.last.constant() && each.by.constant();
}

}  // namespace

void loop_reader::never_ends(const place& where, std::string_view why, std::string_view instead) {
  throw refusal{where, joined("a loop without end: ", why), std::string(instead)};
}

// The loop in the types of C: its first value, its bound and its step as they are there.
number_type loop_reader::set_bounds(wrapping& loop, const loop_comparison& until,
                                    const loop_advance& each, const variable_of_loop& of) const {
  loop_comparison bound = until;
  loop_advance step = each;
  number_type own = of.type;
  // A variable of the notation, without a type, has the bits of its bounds.
  if (!of.is_typed) own = {std::max(loop.first.type.bits, until.last.type.bits), false};
  loop.first = exact(converted(loop.first, own));
  if (!of.is_typed) bound.last = converted(bound.last, own);
  const number_type both = common_type(own, bound.last.type);
  bound.last = exact(converted(bound.last, both));
  if (each.is_sum()) step.by = own.bits == 64 ? exact(each.by) : converted(each.by, int_type);

  loop.kind = each.is_sum()                                ? bm::wrapper_kind::range
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
      return own;
    }
  }
  if (own.bits < 32)
    throw refusal{of.name.where, joined("a loop over ", own.bits, " bits whose values may not fit"),
                  "write int"};
  if (each.is_sum())
    sum_loop(loop, bound, step, {of.name, both.is_unsigned ? both : own, of.is_typed});
  else
    power_loop(loop, bound, step, {of.name, both.is_unsigned ? both : own, of.is_typed});
  return own;
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
  // In steps of 1 no value is stepped over.
  const bool is_beside = up ? step == 1 && loop.first.range.most <= until.last.range.least
                            : step == -1 && loop.first.range.least >= until.last.range.most;
  set_end(loop, until, each, name, up,
          is_beside || (first && last && step && is_reached(*first, *last, *step)));
  if (!of.type.is_unsigned || until.symbol == "!=") return;
  // If the next value is not in the type, C continues at its other end.
  const bool ends = up ? loop.last.range.most - 1 + each.by.range.most <
                             (of.type.bits == 32 ? two_to_32 : two_to_63)
                       : loop.last.range.least + 1 >= -each.by.range.least;
  if (!ends)
    never_ends(until.where,
               up ? joined(name.text,
                           " is unsigned in C and may continue at 0 after its largest "
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

// The values of the variable within the loop.
void loop_reader::set_range(const wrapping& loop, const number_type& own) {
  const bounds first = loop.first.range, last = loop.last.range;
  const auto step = loop.step.range;
  const bool up = loop.kind == bm::wrapper_kind::powers_up ||
                  (loop.kind == bm::wrapper_kind::range && step.least >= 0);
  program& itself = names_.back().meaning;
  itself.type = own.bits < 32 ? int_type : own;
  itself.range = up ? bounds{first.least, std::max(first.least, last.most - 1)}
                    : bounds{std::min(first.most, last.least + 1), first.most};
}

}  // namespace command_line
