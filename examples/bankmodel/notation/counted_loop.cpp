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
bool holds(const loop_comparison& until, long long left, long long right, const number_type& both) {
  if (!both.is_unsigned) return holds(until.symbol, left, right);
  const unsigned long long bits = both.bits == 32 ? 0xffffffff : ~0ull;
  return holds(until.symbol, static_cast<unsigned long long>(left) & bits,
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
bool advanced(long long& value, const loop_advance& each, long long by, const number_type& type) {
  using change = loop_advance::change;
  long long next = value;
  if (each.how == change::add && __builtin_add_overflow(value, by, &next)) return false;
  if (each.how == change::multiply && __builtin_mul_overflow(value, by, &next)) return false;
  if (each.how == change::divide) next = value / by;
  if (each.how == change::shift_right)
    next = value >> __builtin_ctzll(static_cast<unsigned long long>(by));
  next = stored(next, type);
  if (type == int_type && (next < -0x80000000ll || next > 0x7fffffff)) return false;
  if (type == size_type && next < 0) return false;
  value = next;
  return true;
}

// False for a jump, as from 0 to 2^32 - 1: the library's loop has none.
bool follows(long long value, long long before, const loop_advance& each, long long by) {
  if (each.is_sum()) return value == before + by;
  if (each.how == loop_advance::change::multiply) return before > 0 && value > before;
  return before > value && value >= 0;
}

}  // namespace

counted_loop run_in_c(long long first, const loop_comparison& until, const loop_advance& each,
                      const number_type& type) {
  const number_type both = common_type(type, until.last.type);
  counted_loop result;
  result.is_line = true;
  const long long last = *until.last.constant(), by = *each.by.constant();
  long long value = first, before = first;
  for (; result.trips <= most_trips; ++result.trips) {
    if (!holds(until, value, last, both)) {
      result.ends = true;
      break;
    }
    if (result.trips > 0) result.is_line = result.is_line && follows(value, before, each, by);
    before = value;
    if (!advanced(value, each, by, type) || value == before) break;  // undefined, or for ever
  }
  result.last = before + (each.is_sum() ? by : each.how == loop_advance::change::multiply ? 1 : -1);
  return result;
}

}  // namespace command_line
