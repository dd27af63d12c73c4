// SPDX-License-Identifier: MIT
// Loops of constants, run as C does: those that never start, and those that end since an unsigned
// variable continues below 0 with a large number.
#include "as_in_c.hpp"
#include "loop_reader.hpp"

namespace command_line {

namespace {

constexpr long long most_trips = 300;

template <class Number>
bool holds(std::string_view symbol, Number left, Number right) {
  if (symbol == "!=") return left != right;
  if (symbol == "<") return left < right;
  if (symbol == "<=") return left <= right;
  return symbol == ">" ? left > right : left >= right;
}

// Compares as C does after its conversions of both sides to one type.
bool holds(const loop_comparison& bound, long long left, long long right,
           const number_type& common) {
  if (!common.is_unsigned) return holds(bound.symbol, left, right);
  const unsigned long long bits = common.bits == 32 ? 0xffffffff : ~0ull;
  return holds(bound.symbol, static_cast<unsigned long long>(left) & bits,
               static_cast<unsigned long long>(right) & bits);
}

// The value in a variable of this type.
long long stored(long long value, const number_type& type) {
  if (type.bits == 64 || type == int_type) return value;
  const long long low = value & ((1ll << type.bits) - 1);
  const bool is_negative = !type.is_unsigned && (low >> (type.bits - 1)) != 0;
  return is_negative ? low - (1ll << type.bits) : low;
}

// False: the result overflows.
bool advanced(long long& value, const loop_advance& advance, long long amount,
              const number_type& type) {
  using change = loop_advance::change;
  long long next = value;
  if (advance.kind == change::add && __builtin_add_overflow(value, amount, &next)) return false;
  if (advance.kind == change::multiply && __builtin_mul_overflow(value, amount, &next))
    return false;
  if (advance.kind == change::divide) next = value / amount;
  if (advance.kind == change::shift_right)
    next = value >> __builtin_ctzll(static_cast<unsigned long long>(amount));
  next = stored(next, type);
  if (type == int_type && (next < -0x80000000ll || next > 0x7fffffff)) return false;
  if (type == size_type && next < 0) return false;
  value = next;
  return true;
}

// False for a jump, as from 0 to 2^32 - 1: the library's loop has none.
bool follows(long long value, long long previous, const loop_advance& advance, long long amount) {
  if (advance.is_sum()) return value == previous + amount;
  if (advance.kind == loop_advance::change::multiply) return previous > 0 && value > previous;
  return previous > value && value >= 0;
}

}  // namespace

counted_loop run_in_c(long long first, const loop_comparison& bound, const loop_advance& advance,
                      const number_type& type) {
  const number_type common = common_type(type, bound.last.type);
  counted_loop result;
  result.is_line = true;
  const long long last = *bound.last.constant(), amount = *advance.amount.constant();
  long long value = first, previous = first;
  for (; result.trips <= most_trips; ++result.trips) {
    if (!holds(bound, value, last, common)) {
      result.ends = true;
      break;
    }
    if (result.trips > 0)
      result.is_line = result.is_line && follows(value, previous, advance, amount);
    previous = value;
    if (!advanced(value, advance, amount, type) || value == previous)
      break;  // undefined, or for ever
  }
  result.last = previous + (advance.is_sum()                                 ? amount
                            : advance.kind == loop_advance::change::multiply ? 1
                                                                             : -1);
  return result;
}

}  // namespace command_line
