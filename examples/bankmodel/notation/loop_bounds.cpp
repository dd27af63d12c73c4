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
  const auto unsigned_step = static_cast<unsigned long long>(step);
  if (first == last) return true;
  return step > 0 ? last > first && difference % unsigned_step == 0
                  : last < first && (0 - difference) % (0 - unsigned_step) == 0;
}

bool is_power_reached(long long first, long long last, long long factor, bool is_upward) {
  if (first < (is_upward ? 1 : 0)) return false;
  while (is_upward ? first < last && first <= last / factor : first > last && first > 0)
    first = is_upward ? first * factor : first / factor;
  return first == last;
}

// One more or less, in 64 bits: C compares, and does not compute it.
program plus(const program& value, int amount) {
  return combined("+", value.location, converted(value, long_long_type),
                  converted(constant_program(amount, value.location), long_long_type));
}

bool is_constant_loop(const wrapping& loop, const loop_comparison& bound,
                      const loop_advance& advance) {
  return loop.first.constant() && bound.last.constant() && advance.amount.constant();
}

}  // namespace

void loop_reader::never_ends(const place& position, std::string_view reason,
                             std::string_view instead) {
  throw refusal{position, joined("a loop without end: ", reason), std::string(instead)};
}

// The loop in the types of C: its first value, its bound and its step as they are there.
number_type loop_reader::set_bounds(wrapping& loop, const loop_comparison& stated_bound,
                                    const loop_advance& advance,
                                    const variable_of_loop& counter) const {
  loop_comparison bound = stated_bound;
  loop_advance step = advance;
  number_type own = counter.type;
  // A variable of the notation, without a type, has the bits of its bounds.
  if (!counter.is_typed) own = {std::max(loop.first.type.bits, stated_bound.last.type.bits), false};
  loop.first = exact(converted(loop.first, own));
  if (!counter.is_typed) bound.last = converted(bound.last, own);
  const number_type common = common_type(own, bound.last.type);
  bound.last = exact(converted(bound.last, common));
  if (advance.is_sum())
    step.amount = own.bits == 64 ? exact(advance.amount) : converted(advance.amount, int_type);

  loop.kind = advance.is_sum()                                 ? bm::wrapper_kind::range
              : advance.kind == loop_advance::change::multiply ? bm::wrapper_kind::powers_up
                                                               : bm::wrapper_kind::powers_down;
  if (is_constant_loop(loop, bound, step) && step.amount.constant() != 0) {
    const counted_loop counted = run_in_c(*loop.first.constant(), bound, step, own);
    const bool is_line = counted.is_line || counted.trips <= 1;
    if (counted.ends && is_line) {
      if (counted.trips <= 1) loop.kind = bm::wrapper_kind::range;
      const bool is_one = counted.trips <= 1;
      loop.step = is_one ? constant_program(1, advance.location) : step.amount;
      loop.last = constant_program(is_one ? *loop.first.constant() + counted.trips : counted.last,
                                   bound.location);
      return own;
    }
  }
  if (own.bits < 32)
    throw refusal{counter.name.location,
                  joined("a loop over ", own.bits, " bits whose values may not fit"), "write int"};
  if (advance.is_sum())
    sum_loop(loop, bound, step,
             {counter.name, common.is_unsigned ? common : own, counter.is_typed});
  else
    power_loop(loop, bound, step,
               {counter.name, common.is_unsigned ? common : own, counter.is_typed});
  return own;
}

void loop_reader::set_end(wrapping& loop, const loop_comparison& bound, const loop_advance& advance,
                          const token& name, bool is_upward, bool is_met) const {
  const bool sum = advance.is_sum();
  if (bound.symbol == "!=" && !is_met)
    never_ends(bound.location, joined(name.text, " may step over the value that ends it"),
               joined("write ", name.text, is_upward ? " < .." : " > .."));
  if (bound.symbol != "!=" && is_upward != (bound.symbol[0] == '<'))
    never_ends(
        bound.location,
        joined(name.text,
               sum ? (is_upward ? " goes up" : " goes down")
                   : (is_upward ? " is multiplied" : " is divided"),
               ", and `", bound.symbol, "` requires the opposite"),
        joined("write ", name.text, is_upward ? " < .., or " : " > .., or ",
               sum ? (is_upward ? "step down" : "step up") : (is_upward ? "divide" : "multiply")));
  loop.step = advance.amount;
  loop.last = bound.symbol == "<="   ? plus(bound.last, 1)
              : bound.symbol == ">=" ? plus(bound.last, -1)
                                     : bound.last;
}

// An unsigned variable that goes down while it is less than a bound ends by passing 0: there it
// becomes a large number.
bool loop_reader::ends_below_zero(wrapping& loop, const loop_comparison& bound,
                                  const loop_advance& advance) const {
  const double last = bound.last.range.minimum + (bound.symbol == "<=" ? 1 : 0);
  if (bound.symbol[0] != '<' || advance.amount.range.maximum >= 0 ||
      loop.first.range.maximum >= last ||
      bound.last.range.maximum > two_to_32 + advance.amount.range.minimum - 1)
    return false;
  loop.last = constant_program(-1, bound.location);
  loop.step = advance.amount;
  return true;
}

void loop_reader::sum_loop(wrapping& loop, const loop_comparison& bound,
                           const loop_advance& advance, const variable_of_loop& counter) const {
  const token& name = counter.name;
  const auto first = loop.first.constant(), last = bound.last.constant(),
             step = advance.amount.constant();
  if (step == 0)
    never_ends(advance.location, joined("the step of ", name.text, " is 0"),
               "use 1 or more, or -1 or less");
  const bool is_upward = advance.amount.range.minimum >= 0,
             is_downward = advance.amount.range.maximum <= 0;
  if (!is_upward && !is_downward)
    throw refusal{advance.amount.location, "a step whose sign is not known",
                  "add or subtract a value that is never negative"};
  if (counter.type.is_unsigned && loop.first.range.minimum < 0)
    throw refusal{loop.first.location,
                  "the first value may be below 0, where C compares a large number with an "
                  "unsigned bound",
                  "compare with an int: int n = blockDim.x"};
  if (counter.type == unsigned_type && ends_below_zero(loop, bound, advance)) return;
  // In steps of 1 no value is stepped over.
  const bool is_beside = is_upward
                             ? step == 1 && loop.first.range.maximum <= bound.last.range.minimum
                             : step == -1 && loop.first.range.minimum >= bound.last.range.maximum;
  set_end(loop, bound, advance, name, is_upward,
          is_beside || (first && last && step && is_reached(*first, *last, *step)));
  if (!counter.type.is_unsigned || bound.symbol == "!=") return;
  // If the next value is not in the type, C continues at its other end.
  const bool ends = is_upward ? loop.last.range.maximum - 1 + advance.amount.range.maximum <
                                    (counter.type.bits == 32 ? two_to_32 : two_to_63)
                              : loop.last.range.minimum + 1 >= -advance.amount.range.minimum;
  if (!ends)
    never_ends(bound.location,
               is_upward ? joined(name.text,
                                  " is unsigned in C and may continue at 0 after its largest "
                                  "value")
                         : joined(name.text, " is unsigned in C and never negative"),
               joined("write int ", name.text));
}

void loop_reader::power_loop(wrapping& loop, const loop_comparison& bound,
                             const loop_advance& advance, const variable_of_loop& counter) const {
  const token& name = counter.name;
  const bool is_upward = advance.kind == loop_advance::change::multiply;
  const auto first = loop.first.constant(), last = bound.last.constant();
  set_end(loop, bound, advance, name, is_upward,
          (!is_upward && last == 0 && loop.first.range.minimum >= 0) ||
              (first && last &&
               is_power_reached(*first, *last, *advance.amount.constant(), is_upward)));
  const auto end = loop.last.constant();
  if (is_upward && first && *first < 1)
    never_ends(loop.first.location, joined(name.text, " begins at ", *first, " and is multiplied"),
               "begin at 1 or more");
  if (!is_upward && end && *end < 0)
    never_ends(bound.location,
               joined(name.text, " is divided, stays at 0, and the condition holds there"),
               joined("write ", name.text, " > 0"));
  const double limit = counter.type == int_type ? two_to_31 : two_to_32;
  if (is_upward && counter.type.bits == 32 &&
      (loop.last.range.maximum - 1) * advance.amount.range.maximum >= limit)
    never_ends(
        bound.location,
        joined(name.text, " may grow beyond the ", counter.type.bits, " bits that it has in C"),
        joined("write long long ", name.text, ", or compare with a smaller value"));
  if (counter.type.is_unsigned && loop.first.range.minimum < 0)
    throw refusal{loop.first.location, "the first value may be below 0, where C has a large number",
                  "begin at 0 or more"};
}

// The values of the variable within the loop.
void loop_reader::set_range(const wrapping& loop, const number_type& own) {
  const bounds first = loop.first.range, last = loop.last.range;
  const auto step = loop.step.range;
  const bool is_upward = loop.kind == bm::wrapper_kind::powers_up ||
                         (loop.kind == bm::wrapper_kind::range && step.minimum >= 0);
  program& itself = names_.back().meaning;
  itself.type = own.bits < 32 ? int_type : own;
  itself.range = is_upward ? bounds{first.minimum, std::max(first.minimum, last.maximum - 1)}
                           : bounds{std::min(first.maximum, last.minimum + 1), first.maximum};
}

}  // namespace command_line
