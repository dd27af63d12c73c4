// SPDX-License-Identifier: MIT
// Loops of constants, run as C does: those that never start, and those that end since an unsigned
// variable continues below 0 with a large number.
#include "as_in_c.hpp"
#include "loop_reader.hpp"

namespace command_line {

namespace {

constexpr long long most_trips = 4096;

bool holds(long long value, const number_type& of, const loop_comparison& until,
           const number_type& both) {
  const auto as = [&](long long number, const number_type& type) {
    program result = constant_program(number, {});
    result.type = type;
    return exact(converted(result, both)).nodes[0].value;
  };
  const long long left = as(value, of), right = as(*until.last.constant(), until.last.type);
  if (until.symbol == "!=") return left != right;
  if (until.symbol == "<") return left < right;
  if (until.symbol == "<=") return left <= right;
  return until.symbol == ">" ? left > right : left >= right;
}

// False: the result overflows.
bool advanced(long long& value, const loop_advance& each, const number_type& type) {
  const long long by = *each.by.constant();
  using change = loop_advance::change;
  long long next = value;
  if (each.how == change::add && __builtin_add_overflow(value, by, &next)) return false;
  if (each.how == change::multiply && __builtin_mul_overflow(value, by, &next)) return false;
  if (each.how == change::divide) next = value / by;
  if (each.how == change::shift_right)
    next = value >> __builtin_ctzll(static_cast<unsigned long long>(by));
  if (type == unsigned_type || type.bits < 32) {
    program result = constant_program(next, {});
    result.type = long_long_type;
    next = exact(converted(result, type)).nodes[0].value;
  }
  if (type == int_type && (next < -0x80000000ll || next > 0x7fffffff)) return false;
  if (type == size_type && next < 0) return false;
  value = next;
  return true;
}

// False for a jump, as from 0 to 2^32 - 1: the library's loop has none.
bool follows(long long value, long long before, const loop_advance& each) {
  if (each.is_sum()) return value == before + *each.by.constant();
  if (each.how == loop_advance::change::multiply) return before > 0 && value > before;
  return before > value && value >= 0;
}

}  // namespace

counted_loop run_in_c(long long first, const loop_comparison& until, const loop_advance& each,
                      const number_type& type) {
  const number_type both = common_type(type, until.last.type);
  counted_loop result;
  result.is_line = true;
  long long value = first, before = first;
  for (; result.trips <= most_trips; ++result.trips) {
    if (!holds(value, type, until, both)) {
      result.ends = true;
      break;
    }
    if (result.trips > 0) result.is_line = result.is_line && follows(value, before, each);
    before = value;
    if (!advanced(value, each, type) || value == before) break;  // undefined, or for ever
  }
  result.last = before + (each.is_sum()                                 ? *each.by.constant()
                          : each.how == loop_advance::change::multiply ? 1
                                                                       : -1);
  return result;
}

}  // namespace command_line
