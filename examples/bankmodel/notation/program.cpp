// SPDX-License-Identifier: MIT
#include "program.hpp"

#include <algorithm>

#include "as_in_c.hpp"
#include "condition_number.hpp"

namespace command_line {

namespace {

using bm::operation;

struct spelled {
  std::string_view symbol;
  operation op;
  bool exchanged = false;  // a > b is stored as b < a
};
constexpr spelled numeric[] = {
    {"+", operation::add},          {"-", operation::subtract},  {"*", operation::multiply},
    {"/", operation::divide},       {"%", operation::remainder}, {"<<", operation::shift_left},
    {">>", operation::shift_right}, {"&", operation::bit_and},   {"|", operation::bit_or},
    {"^", operation::bit_xor},      {"min", operation::minimum}, {"max", operation::maximum}};
constexpr spelled comparing[] = {{"<", operation::less},       {"<=", operation::less_equal},
                                 {">", operation::less, true}, {">=", operation::less_equal, true},
                                 {"==", operation::equal},     {"!=", operation::not_equal}};

place from_to(const place& first, const place& last) {
  return {first.first, last.first + last.size - first.first};
}

[[noreturn]] void overflows(const place& at) {
  throw refusal{at, "the value of this does not fit in 64 bits", "use smaller numbers"};
}

// Computes as the library does, with the same errors; tests compare both.
long long computed(operation op, long long a, long long b, const place& at) {
  long long result = 0;
  switch (op) {
    case operation::add:
      if (__builtin_add_overflow(a, b, &result)) overflows(at);
      return result;
    case operation::subtract:
      if (__builtin_sub_overflow(a, b, &result)) overflows(at);
      return result;
    case operation::multiply:
      if (__builtin_mul_overflow(a, b, &result)) overflows(at);
      return result;
    case operation::divide:
    case operation::remainder:
      if (b == 0) throw refusal{at, joined(a, " is divided by 0"), "use a divisor of 1 or more"};
      if (a < 0 || b < 0)
        throw refusal{at,
                      joined(a, " is divided by ", b, ", and such a quotient is not exact here"),
                      "divide values that are not negative"};
      return op == operation::divide ? a / b : a % b;
    case operation::shift_left:
    case operation::shift_right:
      if (b < 0 || b > 62) throw refusal{at, joined("a shift by ", b), "shift by 0 to 62"};
      if (op == operation::shift_right) return a >> b;
      if (__builtin_mul_overflow(a, 1ll << b, &result)) overflows(at);
      return result;
    case operation::bit_and: return a & b;
    case operation::bit_or: return a | b;
    case operation::bit_xor: return a ^ b;
    case operation::minimum: return std::min(a, b);
    default: return std::max(a, b);
  }
}

// The most values on the stack at a time.
int intermediate_values(const std::vector<bm::node>& nodes, std::size_t first, std::size_t last) {
  int now = 0, most = 0;
  for (std::size_t at = first; at < last; ++at) {
    const operation op = nodes[at].op;
    if (op == operation::skip_if_false || op == operation::skip_if_true) {
      const auto right = static_cast<std::size_t>(nodes[at].value);
      most = std::max(most, now + intermediate_values(nodes, at + 1, at + 1 + right));
      at += right;
    } else if (op <= operation::variable) {
      most = std::max(most, ++now);
    } else if (op < operation::negate) {
      --now;
    }
  }
  return most;
}

program within_limits(program of, const place& at) {
  if (of.nodes.size() > most_nodes)
    throw refusal{
        at, joined("an expression of more than ", most_nodes, " numbers, names and operators"),
        "shorten it"};
  if (intermediate_values(of.nodes, 0, of.nodes.size()) > most_intermediate_values)
    throw refusal{at,
                  joined("an expression that needs more than ", most_intermediate_values,
                         " intermediate values"),
                  "write (a + b) + c instead of a + (b + c)"};
  return of;
}

program appended(const program& left, const program& right, const bm::node& op, const place& at) {
  const bool lazy = op.op == operation::skip_if_false || op.op == operation::skip_if_true;
  program result{left.nodes, from_to(left.where, right.where)};
  if (lazy) result.nodes.push_back(op);
  result.nodes.insert(result.nodes.end(), right.nodes.begin(), right.nodes.end());
  if (!lazy) result.nodes.push_back(op);
  return within_limits(result, at);
}

bool is_constant(const program& one) {
  return one.nodes.size() == 1 && one.nodes[0].op == operation::constant;
}

// ---- conditions ----

program joined_conditions(std::string_view symbol, const place& at, const program& left,
                          const program& right) {
  const program first = as_condition(left), second = as_condition(right);
  const bool both = symbol == "&&";
  const operation op = both ? operation::skip_if_false : operation::skip_if_true;
  program result = appended(first, second, {op, static_cast<long long>(second.nodes.size())}, at);
  result.is_condition = true;
  result.number =
      joined_numbers(first.number, second.number, both ? operation::bit_and : operation::bit_or);
  return result;
}

program comparison(const spelled& how, const place& at, const program& left, const program& right) {
  const number_type type = common_type(left.type, right.type);
  const program a = exact(converted(left, type)), b = exact(converted(right, type));
  program result =
      how.exchanged ? appended(b, a, {how.op, 0}, at) : appended(a, b, {how.op, 0}, at);
  result.where = from_to(left.where, right.where);
  result.is_condition = true;
  result.number = how.exchanged ? compared(how.op, b, a) : compared(how.op, a, b);
  return result;
}

// ---- arithmetic ----

void require_shift(const place& at, const number_type& type, const program& by) {
  const auto count = by.constant();
  if (!count || (*count >= 0 && *count < type.bits && *count <= 62)) return;
  const bool is_too_far = type.bits == 32 && *count >= 32 && *count <= 62;
  throw refusal{at, joined("a shift by ", *count, is_too_far ? " of a value of 32 bits" : ""),
                is_too_far ? "shift a value of 64 bits: 1ll << .." : "shift by 0 to 62"};
}

bool is_exact_only(operation op) {
  return op == operation::divide || op == operation::remainder || op == operation::minimum ||
         op == operation::maximum || op == operation::shift_right;
}

program folded(std::string_view symbol, operation op, const place& at, const program& left,
               const program& right, const number_type& type) {
  const long long value = computed(op, left.nodes[0].value, right.nodes[0].value, at);
  program result = constant_program(value, from_to(left.where, right.where));
  result.type = type;
  require_no_overflow(symbol, at, type, result.range);
  return result.range.within(-two_to_32, two_to_32) ? result : exact(result);
}

// Both sides have the type of the result, or are a value and the number of bits of a shift.
program computed_in_c(std::string_view symbol, operation op, const place& at, program left,
                      program right, const number_type& type) {
  if (is_exact_only(op)) left = exact(left), right = exact(right);
  bounds range = range_of(op, left.range, right.range);
  if (type.is_unsigned && type.bits == 32 && !range.within(-two_to_62, two_to_62)) {
    left = exact(left), right = exact(right);
    range = range_of(op, left.range, right.range);
    if (!range.within(-two_to_62, two_to_62))
      throw refusal{at, joined("`", symbol, "` of unsigned values that may need more than 63 bits"),
                    "use smaller numbers"};
  }
  if (is_constant(left) && is_constant(right)) return folded(symbol, op, at, left, right, type);
  require_no_overflow(symbol, at, type, range);
  program result = appended(left, right, {op, 0}, at);
  result.type = type;
  result.range = range;
  return result;
}

}  // namespace

std::optional<long long> program::constant() const {
  if (is_unknown || is_condition || !is_constant(*this)) return {};
  return exact(*this).nodes[0].value;
}

bool program::reads(bm::variable which) const {
  return std::any_of(nodes.begin(), nodes.end(), [&](const bm::node& one) {
    return one.op == operation::variable && one.value == static_cast<long long>(which);
  });
}

program constant_program(long long value, const place& where) {
  const auto range = static_cast<double>(value);
  program result{{{operation::constant, value}}, where};
  result.type = value >= -0x80000000ll && value <= 0x7fffffff ? int_type : long_long_type;
  result.range = {range, range};
  return result;
}
program variable_program(bm::variable which, const place& where, const bounds& range) {
  program result{{{operation::variable, static_cast<long long>(which)}}, where};
  result.range = range;
  return result;
}
program unknown_program(const place& where, const std::string& why, const std::string& instead) {
  program result{{{operation::constant, 0}}, where};
  result.is_unknown = true;
  result.why = {where, why, instead};
  return result;
}

void require_known(const program& one) {
  if (one.is_unknown) throw one.why;
}

program as_condition(const program& of) {
  if (of.is_condition || of.is_unknown) return of;
  const program zero = constant_program(0, of.where);
  return comparison({"!=", operation::not_equal}, of.where, of, zero);
}

program as_number(const program& of) {
  if (!of.is_condition || of.is_unknown) return of;
  if (of.number.empty())
    throw refusal{of.where, "a condition that is long or of large values is used as a number",
                  "use it in `if` only, joined by && || !"};
  program result{of.number, of.where};
  result.range = {0, 1};
  return within_limits(result, of.where);
}

program opposite(const program& of) {
  if (of.is_unknown) return of;
  program result = as_condition(of);
  result.nodes.push_back({operation::logical_not, 0});
  if (!result.number.empty()) result.number = without(result.number);
  return result;
}

namespace {

// It may be one more than int's largest value, as in `~x` before 1 is subtracted.
program negated(const program& of) {
  program result = as_number(of);
  if (is_constant(result)) {
    const number_type type = result.type;
    result = constant_program(computed(operation::subtract, 0, result.nodes[0].value, of.where),
                              of.where);
    result.type = type;
    return result;
  }
  result.nodes.push_back({operation::negate, 0});
  result.range = {-result.range.most, -result.range.least};
  return result;
}

}  // namespace

program negative(const program& of) {
  if (of.is_unknown) return of;
  program result = negated(of);
  require_no_overflow("-", of.where, result.type, result.range);
  return result;
}

program complement(const program& of) {
  if (of.is_unknown) return of;
  program one = constant_program(1, of.where);
  one.type = as_number(of).type;
  return combined("-", of.where, negated(of), one);
}

program combined(std::string_view symbol, const place& at, const program& left,
                 const program& right) {
  if (left.is_unknown || right.is_unknown) {
    program result = left.is_unknown ? left : right;
    result.where = from_to(left.where, right.where);
    return result;
  }
  if (symbol == "&&" || symbol == "||") return joined_conditions(symbol, at, left, right);
  program a = as_number(left), b = as_number(right);
  for (const spelled& one : comparing)
    if (one.symbol == symbol) return comparison(one, at, a, b);
  const operation op =
      std::find_if(std::begin(numeric), std::end(numeric), [&](const spelled& each) {
        return each.symbol == symbol;
      })->op;
  if (op == operation::shift_left || op == operation::shift_right) {
    require_shift(at, a.type, b);
    return computed_in_c(symbol, op, at, a, exact(b), a.type);
  }
  const number_type type = common_type(a.type, b.type);
  return computed_in_c(symbol, op, at, converted(a, type), converted(b, type), type);
}

// b ^ ((a ^ b) & -condition): a request stays one request, which two accesses would not.
program selected(const program& condition, const place& at, const program& left,
                 const program& right) {
  for (const program* one : {&condition, &left, &right})
    if (one->is_unknown) return *one;
  const program a = as_number(left), b = as_number(right);
  const number_type type = common_type(a.type, b.type);
  const program x = exact(converted(a, type)), y = exact(converted(b, type));
  const program which = as_number(as_condition(condition));
  program mask = which;
  mask.nodes.push_back({operation::negate, 0});
  program result = appended(x, y, {operation::bit_xor, 0}, at);
  result = appended(result, mask, {operation::bit_and, 0}, at);
  result = appended(y, result, {operation::bit_xor, 0}, at);
  result.where = from_to(condition.where, right.where);
  result.type = type;
  result.range = {std::min(x.range.least, y.range.least), std::max(x.range.most, y.range.most)};
  return result;
}

}  // namespace command_line
