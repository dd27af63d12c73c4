// SPDX-License-Identifier: MIT
#include "program.hpp"

#include <algorithm>

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
        throw refusal{at, joined(a, " is divided by ", b, ", where int and unsigned disagree"),
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

program appended(const program& left, const program& right, const bm::node& op, const place& at) {
  const bool lazy = op.op == operation::skip_if_false || op.op == operation::skip_if_true;
  program result{left.nodes, from_to(left.where, right.where)};
  result.is_unsigned = left.is_unsigned || right.is_unsigned;
  if (lazy) result.nodes.push_back(op);
  result.nodes.insert(result.nodes.end(), right.nodes.begin(), right.nodes.end());
  if (!lazy) result.nodes.push_back(op);
  if (result.nodes.size() > most_nodes)
    throw refusal{
        at, joined("an expression of more than ", most_nodes, " numbers, names and operators"),
        "shorten it"};
  if (intermediate_values(result.nodes, 0, result.nodes.size()) > most_intermediate_values)
    throw refusal{at,
                  joined("an expression that needs more than ", most_intermediate_values,
                         " intermediate values"),
                  "write (a + b) + c instead of a + (b + c)"};
  return result;
}

bool fits_int(const program& one) {
  const auto value = one.constant();
  return value && *value >= -most_int - 1 && *value <= most_int;
}

}  // namespace

bool program::reads(bm::variable which) const {
  return std::any_of(nodes.begin(), nodes.end(), [&](const bm::node& one) {
    return one.op == operation::variable && one.value == static_cast<long long>(which);
  });
}

program constant_program(long long value, const place& where) {
  return {{{operation::constant, value}}, where};
}
program variable_program(bm::variable which, const place& where) {
  return {{{operation::variable, static_cast<long long>(which)}}, where};
}

void require_number(const program& one) {
  if (one.is_condition)
    throw refusal{one.where, "a condition is used as a number",
                  "join conditions with && || !, and use them in `if` only"};
}

program as_condition(const program& of) {
  if (of.is_condition) return of;
  program result = appended(of, constant_program(0, of.where), {operation::not_equal, 0}, of.where);
  result.is_condition = true;
  return result;
}

program opposite(const program& of) {
  program result = as_condition(of);
  result.nodes.push_back({operation::logical_not, 0});
  return result;
}

program negative(const program& of) {
  require_number(of);
  if (const auto value = of.constant())
    return constant_program(computed(operation::subtract, 0, *value, of.where), of.where);
  program result = of;
  result.nodes.push_back({operation::negate, 0});
  return result;
}

program combined(std::string_view symbol, const place& at, const program& left,
                 const program& right) {
  if (left.is_unknown || right.is_unknown)
    return {{{operation::constant, 0}}, from_to(left.where, right.where), false, true};
  if (symbol == "&&" || symbol == "||") {
    const program second = as_condition(right);
    const operation op = symbol == "&&" ? operation::skip_if_false : operation::skip_if_true;
    program result =
        appended(as_condition(left), second, {op, static_cast<long long>(second.nodes.size())}, at);
    result.is_condition = true;
    return result;
  }
  require_number(left);
  require_number(right);
  for (const spelled& one : comparing)
    if (one.symbol == symbol) {
      program result = one.exchanged ? appended(right, left, {one.op, 0}, at)
                                     : appended(left, right, {one.op, 0}, at);
      result.where = from_to(left.where, right.where);
      result.is_condition = true;
      return result;
    }
  const auto* const one = std::find_if(std::begin(numeric), std::end(numeric),
                                       [&](const spelled& each) { return each.symbol == symbol; });
  const auto a = left.constant(), b = right.constant();
  if (a && b) {
    program result =
        constant_program(computed(one->op, *a, *b, at), from_to(left.where, right.where));
    result.is_unsigned = left.is_unsigned || right.is_unsigned;
    if (fits_int(left) && fits_int(right) &&
        (!fits_int(result) || (result.is_unsigned && *result.constant() < 0)))
      throw refusal{
          at,
          joined(*result.constant(), result.is_unsigned ? " is not an unsigned number of 32 bits"
                                                        : " does not fit in the 32 bits of int"),
          "write the intended number"};
    return result;
  }
  return appended(left, right, {one->op, 0}, at);
}

bool never_negative(const program& one, unsigned loops) {
  std::vector<bool> stack;
  for (const bm::node& node : one.nodes) {
    if (node.op == operation::constant) {
      stack.push_back(node.value >= 0);
    } else if (node.op == operation::variable) {
      const auto loop = node.value - static_cast<long long>(bm::variable::loop_0);
      stack.push_back(loop < 0 || (loops >> loop & 1) != 0);
    } else if (node.op == operation::negate) {
      stack.back() = false;
    } else if (node.op < operation::less) {
      const bool right = stack.back();
      stack.pop_back();
      const bool left = stack.back();
      switch (node.op) {
        case operation::subtract: stack.back() = false; break;
        case operation::divide:
        case operation::remainder: stack.back() = true; break;  // its operands are never negative
        case operation::shift_left:
        case operation::shift_right: stack.back() = left; break;
        case operation::bit_and:
        case operation::maximum: stack.back() = left || right; break;
        default: stack.back() = left && right;
      }
    } else {
      return false;
    }
  }
  return stack.back();
}

}  // namespace command_line
