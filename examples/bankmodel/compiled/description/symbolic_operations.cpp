// SPDX-License-Identifier: MIT
// What single instructions compute, as expressions.
#include <algorithm>

#include "symbolic_values.hpp"

namespace compiled {

namespace {

using bm::operation;

// Which signs the operands must have for the result to be that of numbers without end.
enum class reads : unsigned char { low_bits, as_signed, as_unsigned };
struct named_arithmetic {
  opcode key;
  operation meaning;
  reads signs;
};
constexpr named_arithmetic operations[] = {
    {opcode::add, operation::add, reads::low_bits},
    {opcode::subtract, operation::subtract, reads::low_bits},
    {opcode::multiply, operation::multiply, reads::low_bits},
    {opcode::divide_signed, operation::divide, reads::as_signed},
    {opcode::divide_unsigned, operation::divide, reads::as_unsigned},
    {opcode::remainder_signed, operation::remainder, reads::as_signed},
    {opcode::remainder_unsigned, operation::remainder, reads::as_unsigned},
    {opcode::bit_and, operation::bit_and, reads::low_bits},
    {opcode::bit_or, operation::bit_or, reads::low_bits},
    {opcode::bit_xor, operation::bit_xor, reads::low_bits},
    {opcode::shift_left, operation::shift_left, reads::low_bits},
    {opcode::shift_right_signed, operation::shift_right, reads::as_signed},
    {opcode::shift_right_unsigned, operation::shift_right, reads::as_unsigned},
    {opcode::minimum_signed, operation::minimum, reads::as_signed},
    {opcode::minimum_unsigned, operation::minimum, reads::as_unsigned},
    {opcode::maximum_signed, operation::maximum, reads::as_signed},
    {opcode::maximum_unsigned, operation::maximum, reads::as_unsigned},
};

struct comparing {
  opcode key;
  operation meaning;
  bool is_signed;
};
constexpr comparing comparisons[] = {{opcode::equal, operation::equal, true},
                                     {opcode::not_equal, operation::not_equal, true},
                                     {opcode::less_signed, operation::less, true},
                                     {opcode::less_equal_signed, operation::less_equal, true},
                                     {opcode::less_unsigned, operation::less, false},
                                     {opcode::less_equal_unsigned, operation::less_equal, false}};

std::string reason_of(const instruction& code) {
  switch (code.operation) {
    case opcode::floating: return "floating-point arithmetic";
    case opcode::shuffle: return "a value of another lane";
    case opcode::vote: return "a vote of the warp";
    case opcode::unknown: return code.description;
    case opcode::access: return "a value that is loaded from memory";
    default: return "an operation that the index language does not have";
  }
}

}  // namespace

value_pointer symbolic_evaluator::result_of(const instruction& code, const symbolic_state& state) {
  switch (code.operation) {
    case opcode::move: return value_of(code.operands.at(0), state);
    case opcode::select: return selected(code, state);
    case opcode::extend_signed:
    case opcode::extend_unsigned: return extended(code, state);
    case opcode::access:
      if (code.memory.memory == memory_kind::arguments) return loaded(code, state);
      break;
    default: break;
  }
  for (const comparing& entry : comparisons)
    if (entry.key == code.operation) return compared_values(code, state);
  for (const named_arithmetic& entry : operations)
    if (entry.key == code.operation) return computed(code, state);
  throw inexpressible{reason_of(code)};
}

value_pointer symbolic_evaluator::computed(const instruction& code, const symbolic_state& state) {
  const value_pointer first = value_of(code.operands.at(0), state),
                      second = value_of(code.operands.at(1), state);
  const bool is_logical = code.operation == opcode::bit_and || code.operation == opcode::bit_or ||
                          code.operation == opcode::bit_xor;
  if (is_logical && (first->truth != nullptr || second->truth != nullptr)) {
    const condition_pointer left = condition_of(code.operands[0], state),
                            right = condition_of(code.operands[1], state);
    if (code.operation == opcode::bit_and) return condition_value(conjunction(left, right));
    if (code.operation == opcode::bit_or) return condition_value(disjunction(left, right));
    return condition_value(
        disjunction(conjunction(left, opposite(right)), conjunction(opposite(left), right)));
  }
  const auto& arithmetic = *std::ranges::find(operations, code.operation, &named_arithmetic::key);
  const auto number = [&](std::size_t operand) {
    if (arithmetic.signs == reads::low_bits)
      return number_of(code.operands.at(operand), state, code.bits);
    return exact_number(code.operands.at(operand), state, code.bits,
                        arithmetic.signs == reads::as_signed);
  };
  return number_value(forms_.computed(arithmetic.meaning, number(0), number(1)), code.bits);
}

value_pointer symbolic_evaluator::compared_values(const instruction& code,
                                                  const symbolic_state& state) {
  const auto& comparison = *std::ranges::find(comparisons, code.operation, &comparing::key);
  // A condition that was made a number, beside 0 or 1.
  for (const std::size_t side : {0u, 1u}) {
    const value_pointer truth = value_of(code.operands.at(side), state),
                        other = value_of(code.operands.at(1 - side), state);
    if (truth->truth == nullptr || other->is != symbolic_value::kind::number ||
        !other->number.is_constant())
      continue;
    const bool is_one = (other->number.constant & 1) != 0;
    if (code.operation == opcode::equal || code.operation == opcode::not_equal)
      return condition_value(is_one == (code.operation == opcode::equal) ? truth->truth
                                                                         : opposite(truth->truth));
  }
  condition raw;
  raw.relation = comparison.meaning;
  raw.is_signed = comparison.is_signed;
  raw.bits = code.bits;
  raw.has_block_index = std::ranges::any_of(code.operands, [&](const operand& side) {
    return side.is == operand::kind::reg && depends_on_block_[side.value];
  });
  const auto number = [&](std::size_t operand) {
    form result = number_of(code.operands.at(operand), state, code.bits);
    if (result.is_constant() && !comparison.is_signed && code.bits < 63)
      result.constant &= static_cast<long long>(low_bits(code.bits));
    return result;
  };
  raw.left = number(0);
  raw.right = number(1);
  return condition_value(compared(forms_, raw));
}

value_pointer symbolic_evaluator::selected(const instruction& code, const symbolic_state& state) {
  const condition_pointer selector = condition_of(code.operands.at(0), state);
  if (selector->is == condition::kind::constant)
    return value_of(code.operands.at(selector->holds ? 1 : 2), state);
  const value_pointer consequent = value_of(code.operands.at(1), state),
                      alternative = value_of(code.operands.at(2), state);
  if (are_equal(consequent, alternative)) return consequent;
  if (code.bits == 1)
    return condition_value(
        disjunction(conjunction(selector, condition_of(code.operands[1], state)),
                    conjunction(opposite(selector), condition_of(code.operands[2], state))));
  // a < b ? a : b is the smaller one.
  const form first = exact_number(code.operands[1], state, code.bits, selector->is_signed),
             second = exact_number(code.operands[2], state, code.bits, selector->is_signed);
  if (selector->is == condition::kind::comparison && selector->relation != operation::equal &&
      selector->relation != operation::not_equal) {
    if (selector->left == first && selector->right == second)
      return number_value(forms_.computed(operation::minimum, first, second), code.bits);
    if (selector->left == second && selector->right == first)
      return number_value(forms_.computed(operation::maximum, first, second), code.bits);
  }
  throw inexpressible{"a value that a condition chooses"};
}

value_pointer symbolic_evaluator::extended(const instruction& code, const symbolic_state& state) {
  const value_pointer source = value_of(code.operands.at(0), state);
  if (source->truth != nullptr && code.operation == opcode::extend_unsigned) return source;
  if (code.from_bits == 1 && code.operation == opcode::extend_unsigned)
    return condition_value(condition_of(code.operands[0], state));
  const int bits = std::min(code.bits, code.from_bits);
  if (code.bits <= code.from_bits) {
    // What is cut off is cut off the constant as well.
    form number = number_of(code.operands[0], state, bits);
    number.constant =
        static_cast<long long>(sign_extended(static_cast<std::uint64_t>(number.constant), bits));
    return number_value(number, bits);
  }
  return number_value(
      exact_number(code.operands[0], state, bits, code.operation == opcode::extend_signed),
      code.bits);
}

value_pointer symbolic_evaluator::loaded(const instruction& code, const symbolic_state& state) {
  const form address = number_of(code.operands.at(0), state, 64);
  const int bytes = code.memory.bytes;
  if (code.results.size() != 1 || !address.is_constant() || bytes > 8)
    throw inexpressible{"an argument that is read at an unknown place"};
  const std::uint64_t offset = (static_cast<std::uint64_t>(address.constant) +
                                static_cast<std::uint64_t>(code.memory.offset)) &
                               ~window_mask;
  const tracked_bytes& arguments = prepared_.arguments();
  if (offset + static_cast<unsigned>(bytes) > arguments.size())
    throw inexpressible{"an argument that is not there"};
  const tracked_bytes::content content = arguments.load(offset, bytes);
  if (content.origin != no_origin) return missing_value(offset, bytes, content.origin);
  const std::uint64_t value =
      code.memory.sign_extends ? sign_extended(content.value, 8 * bytes) : content.value;
  return number_value(constant_form(static_cast<long long>(value)), 64);
}

}  // namespace compiled
