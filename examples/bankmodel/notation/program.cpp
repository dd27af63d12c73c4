// SPDX-License-Identifier: MIT
#include "program.hpp"

#include <algorithm>

#include "../sequences.hpp"
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

[[noreturn]] void overflows(const place& position) {
  throw refusal{position, "the value of this does not fit in 64 bits", "use smaller numbers"};
}

// Computes as the library does, with the same errors; tests compare both.
long long computed(operation op, long long a, long long b, const place& position) {
  long long result = 0;
  switch (op) {
    case operation::add:
      if (__builtin_add_overflow(a, b, &result)) overflows(position);
      return result;
    case operation::subtract:
      if (__builtin_sub_overflow(a, b, &result)) overflows(position);
      return result;
    case operation::multiply:
      if (__builtin_mul_overflow(a, b, &result)) overflows(position);
      return result;
    case operation::divide:
    case operation::remainder:
      if (b == 0)
        throw refusal{position, joined(a, " is divided by 0"), "use a divisor of 1 or more"};
      if (a < 0 || b < 0)
        throw refusal{position,
                      joined(a, " is divided by ", b, ", and such a quotient is not exact here"),
                      "divide values that are not negative"};
      return op == operation::divide ? a / b : a % b;
    case operation::shift_left:
    case operation::shift_right:
      if (b < 0 || b > 62) throw refusal{position, joined("a shift by ", b), "shift by 0 to 62"};
      if (op == operation::shift_right) return a >> b;
      if (__builtin_mul_overflow(a, 1ll << b, &result)) overflows(position);
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
  int depth = 0, deepest = 0;
  for (std::size_t index = first; index < last; ++index) {
    const operation op = nodes[index].op;
    if (op == operation::skip_if_false || op == operation::skip_if_true) {
      const auto right = static_cast<std::size_t>(nodes[index].value);
      deepest = std::max(deepest, depth + intermediate_values(nodes, index + 1, index + 1 + right));
      index += right;
    } else if (op <= operation::variable) {
      deepest = std::max(deepest, ++depth);
    } else if (op < operation::negate) {
      --depth;
    }
  }
  return deepest;
}

program within_limits(program expression, const place& position) {
  if (expression.nodes.size() > most_nodes)
    throw refusal{
        position,
        joined("an expression of more than ", most_nodes, " numbers, names and operators"),
        "shorten it"};
  if (intermediate_values(expression.nodes, 0, expression.nodes.size()) > most_intermediate_values)
    throw refusal{position,
                  joined("an expression that needs more than ", most_intermediate_values,
                         " intermediate values"),
                  "write (a + b) + c instead of a + (b + c)"};
  return expression;
}

program appended(const program& left, const program& right, const bm::node& op,
                 const place& position) {
  const bool lazy = op.op == operation::skip_if_false || op.op == operation::skip_if_true;
  program result{left.nodes, from_to(left.location, right.location)};
  if (lazy) result.nodes.push_back(op);
  append(result.nodes, right.nodes);
  if (!lazy) result.nodes.push_back(op);
  return within_limits(result, position);
}

bool is_constant(const program& expression) {
  return expression.nodes.size() == 1 && expression.nodes[0].op == operation::constant;
}

// ---- conditions ----

program joined_conditions(std::string_view symbol, const place& position, const program& left,
                          const program& right) {
  const program first = as_condition(left), second = as_condition(right);
  const bool is_conjunction = symbol == "&&";
  const operation op = is_conjunction ? operation::skip_if_false : operation::skip_if_true;
  program result =
      appended(first, second, {op, static_cast<long long>(second.nodes.size())}, position);
  result.is_condition = true;
  result.number = joined_numbers(first.number, second.number,
                                 is_conjunction ? operation::bit_and : operation::bit_or);
  return result;
}

program comparison(const spelled& spelling, const place& position, const program& left,
                   const program& right) {
  const number_type type = common_type(left.type, right.type);
  const program a = exact(converted(left, type)), b = exact(converted(right, type));
  program result = spelling.exchanged ? appended(b, a, {spelling.op, 0}, position)
                                      : appended(a, b, {spelling.op, 0}, position);
  result.location = from_to(left.location, right.location);
  result.is_condition = true;
  result.number = spelling.exchanged ? compared(spelling.op, b, a) : compared(spelling.op, a, b);
  return result;
}

// ---- arithmetic ----

void require_shift(const place& position, const number_type& type, const program& distance) {
  const auto count = distance.constant();
  if (!count || (*count >= 0 && *count < type.bits && *count <= 62)) return;
  const bool is_too_far = type.bits == 32 && *count >= 32 && *count <= 62;
  throw refusal{position, joined("a shift by ", *count, is_too_far ? " of a value of 32 bits" : ""),
                is_too_far ? "shift a value of 64 bits: 1ll << .." : "shift by 0 to 62"};
}

bool is_exact_only(operation op) {
  return op == operation::divide || op == operation::remainder || op == operation::minimum ||
         op == operation::maximum || op == operation::shift_right;
}

program folded(std::string_view symbol, operation op, const place& position, const program& left,
               const program& right, const number_type& type) {
  const long long value = computed(op, left.nodes[0].value, right.nodes[0].value, position);
  program result = constant_program(value, from_to(left.location, right.location));
  result.type = type;
  require_no_overflow(symbol, position, type, result.range);
  return result.range.fits(-two_to_32, two_to_32) ? result : exact(result);
}

// Both sides have the type of the result, or are a value and the number of bits of a shift.
program computed_in_c(std::string_view symbol, operation op, const place& position, program left,
                      program right, const number_type& type) {
  if (is_exact_only(op)) left = exact(left), right = exact(right);
  bounds range = range_of(op, left.range, right.range);
  if (type.is_unsigned && type.bits == 32 && !range.fits(-two_to_62, two_to_62)) {
    left = exact(left), right = exact(right);
    range = range_of(op, left.range, right.range);
    if (!range.fits(-two_to_62, two_to_62))
      throw refusal{position,
                    joined("`", symbol, "` of unsigned values that may need more than 63 bits"),
                    "use smaller numbers"};
  }
  if (is_constant(left) && is_constant(right))
    return folded(symbol, op, position, left, right, type);
  require_no_overflow(symbol, position, type, range);
  program result = appended(left, right, {op, 0}, position);
  result.type = type;
  result.range = range;
  return result;
}

}  // namespace

std::optional<long long> program::constant() const {
  if (is_unknown || is_condition || !is_constant(*this)) return {};
  return exact(*this).nodes[0].value;
}

bool program::reads(bm::variable variable) const {
  return std::ranges::any_of(nodes, [&](const bm::node& node) {
    return node.op == operation::variable && node.value == static_cast<long long>(variable);
  });
}

program constant_program(long long value, const place& position) {
  const auto range = static_cast<double>(value);
  program result{{{operation::constant, value}}, position};
  result.type = value >= -0x80000000ll && value <= 0x7fffffff ? int_type : long_long_type;
  result.range = {range, range};
  return result;
}
program variable_program(bm::variable variable, const place& position, const bounds& range) {
  program result{{{operation::variable, static_cast<long long>(variable)}}, position};
  result.range = range;
  return result;
}
program unknown_program(const place& position, const std::string& reason,
                        const std::string& instead) {
  program result{{{operation::constant, 0}}, position};
  result.is_unknown = true;
  result.reason = {position, reason, instead};
  return result;
}

void require_known(const program& expression) {
  if (expression.is_unknown) throw expression.reason;
}

program as_condition(const program& operand) {
  if (operand.is_condition || operand.is_unknown) return operand;
  const program zero = constant_program(0, operand.location);
  return comparison({"!=", operation::not_equal}, operand.location, operand, zero);
}

program as_number(const program& operand) {
  if (!operand.is_condition || operand.is_unknown) return operand;
  if (operand.number.empty())
    throw refusal{operand.location,
                  "a condition that is long or of large values is used as a number",
                  "use it in `if` only, joined by && || !"};
  program result{operand.number, operand.location};
  result.range = {0, 1};
  return within_limits(result, operand.location);
}

program opposite(const program& operand) {
  if (operand.is_unknown) return operand;
  program result = as_condition(operand);
  result.nodes.push_back({operation::logical_not, 0});
  if (!result.number.empty()) result.number = negation(result.number);
  return result;
}

namespace {

// It may be one more than int's largest value, as in `~x` before 1 is subtracted.
program negated(const program& operand) {
  program result = as_number(operand);
  if (is_constant(result)) {
    const number_type type = result.type;
    result =
        constant_program(computed(operation::subtract, 0, result.nodes[0].value, operand.location),
                         operand.location);
    result.type = type;
    return result;
  }
  result.nodes.push_back({operation::negate, 0});
  result.range = {-result.range.maximum, -result.range.minimum};
  return result;
}

}  // namespace

program negative(const program& operand) {
  if (operand.is_unknown) return operand;
  program result = negated(operand);
  require_no_overflow("-", operand.location, result.type, result.range);
  return result;
}

program complement(const program& operand) {
  if (operand.is_unknown) return operand;
  program unit = constant_program(1, operand.location);
  unit.type = as_number(operand).type;
  return combined("-", operand.location, negated(operand), unit);
}

program combined(std::string_view symbol, const place& position, const program& left,
                 const program& right) {
  if (left.is_unknown || right.is_unknown) {
    program result = left.is_unknown ? left : right;
    result.location = from_to(left.location, right.location);
    return result;
  }
  if (symbol == "&&" || symbol == "||") return joined_conditions(symbol, position, left, right);
  program a = as_number(left), b = as_number(right);
  for (const spelled& spelling : comparing)
    if (spelling.symbol == symbol) return comparison(spelling, position, a, b);
  const operation op = std::ranges::find(numeric, symbol, &spelled::symbol)->op;
  if (op == operation::shift_left || op == operation::shift_right) {
    require_shift(position, a.type, b);
    return computed_in_c(symbol, op, position, a, exact(b), a.type);
  }
  const number_type type = common_type(a.type, b.type);
  return computed_in_c(symbol, op, position, converted(a, type), converted(b, type), type);
}

// b ^ ((a ^ b) & -condition): a request stays one request, which two accesses would not.
program selected(const program& condition, const place& position, const program& left,
                 const program& right) {
  for (const program* operand : {&condition, &left, &right})
    if (operand->is_unknown) return *operand;
  const program a = as_number(left), b = as_number(right);
  const number_type type = common_type(a.type, b.type);
  const program x = exact(converted(a, type)), y = exact(converted(b, type));
  const program truth = as_number(as_condition(condition));
  program mask = truth;
  mask.nodes.push_back({operation::negate, 0});
  program result = appended(x, y, {operation::bit_xor, 0}, position);
  result = appended(result, mask, {operation::bit_and, 0}, position);
  result = appended(y, result, {operation::bit_xor, 0}, position);
  result.location = from_to(condition.location, right.location);
  result.type = type;
  result.range = {std::min(x.range.minimum, y.range.minimum),
                  std::max(x.range.maximum, y.range.maximum)};
  return result;
}

}  // namespace command_line
