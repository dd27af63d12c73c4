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
  opcode does;
  operation as;
  reads how;
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
  opcode does;
  operation as;
  bool is_signed;
};
constexpr comparing comparisons[] = {
    {opcode::equal, operation::equal, true},
    {opcode::not_equal, operation::not_equal, true},
    {opcode::less_signed, operation::less, true},
    {opcode::less_equal_signed, operation::less_equal, true},
    {opcode::less_unsigned, operation::less, false},
    {opcode::less_equal_unsigned, operation::less_equal, false},
};

std::string reason_of(const instruction& one) {
  switch (one.does) {
    case opcode::floating: return "floating-point arithmetic";
    case opcode::shuffle: return "a value of another lane";
    case opcode::vote: return "a vote of the warp";
    case opcode::unknown: return one.what;
    case opcode::access: return "a value that is loaded from memory";
    default: return "an operation that the index language does not have";
  }
}

}  // namespace

value_pointer symbolic_evaluator::result_of(const instruction& one, const symbolic_state& state) {
  switch (one.does) {
    case opcode::move: return value_of(one.from.at(0), state);
    case opcode::select: return selected(one, state);
    case opcode::extend_signed:
    case opcode::extend_unsigned: return extended(one, state);
    case opcode::access:
      if (one.memory.memory == memory_kind::arguments) return loaded(one, state);
      break;
    default: break;
  }
  for (const comparing& each : comparisons)
    if (each.does == one.does) return compared_values(one, state);
  for (const named_arithmetic& each : operations)
    if (each.does == one.does) return computed(one, state);
  throw inexpressible{reason_of(one)};
}

value_pointer symbolic_evaluator::computed(const instruction& one, const symbolic_state& state) {
  const value_pointer first = value_of(one.from.at(0), state),
                      second = value_of(one.from.at(1), state);
  const bool is_logical =
      one.does == opcode::bit_and || one.does == opcode::bit_or || one.does == opcode::bit_xor;
  if (is_logical && (first->truth != nullptr || second->truth != nullptr)) {
    const condition_pointer left = condition_of(one.from[0], state),
                            right = condition_of(one.from[1], state);
    if (one.does == opcode::bit_and) return condition_value(both(left, right));
    if (one.does == opcode::bit_or) return condition_value(either(left, right));
    return condition_value(either(both(left, opposite(right)), both(opposite(left), right)));
  }
  const auto& how =
      *std::find_if(std::begin(operations), std::end(operations),
                    [&](const named_arithmetic& each) { return each.does == one.does; });
  const auto number = [&](std::size_t at) {
    if (how.how == reads::low_bits) return number_of(one.from.at(at), state, one.bits);
    return exact_number(one.from.at(at), state, one.bits, how.how == reads::as_signed);
  };
  return number_value(forms_.computed(how.as, number(0), number(1)), one.bits);
}

value_pointer symbolic_evaluator::compared_values(const instruction& one,
                                                  const symbolic_state& state) {
  const auto& how = *std::find_if(std::begin(comparisons), std::end(comparisons),
                                  [&](const comparing& each) { return each.does == one.does; });
  // A condition that was made a number, beside 0 or 1.
  for (const std::size_t at : {0u, 1u}) {
    const value_pointer truth = value_of(one.from.at(at), state),
                        other = value_of(one.from.at(1 - at), state);
    if (truth->truth == nullptr || other->is != symbolic_value::kind::number ||
        !other->number.is_constant())
      continue;
    const bool is_one = (other->number.constant & 1) != 0;
    if (one.does == opcode::equal || one.does == opcode::not_equal)
      return condition_value(is_one == (one.does == opcode::equal) ? truth->truth
                                                                   : opposite(truth->truth));
  }
  condition raw;
  raw.does = how.as;
  raw.is_signed = how.is_signed;
  raw.bits = one.bits;
  const auto number = [&](std::size_t at) {
    form result = number_of(one.from.at(at), state, one.bits);
    if (result.is_constant() && !how.is_signed && one.bits < 63)
      result.constant &= static_cast<long long>(low_bits(one.bits));
    return result;
  };
  raw.left = number(0);
  raw.right = number(1);
  return condition_value(compared(forms_, raw));
}

value_pointer symbolic_evaluator::selected(const instruction& one, const symbolic_state& state) {
  const condition_pointer which = condition_of(one.from.at(0), state);
  if (which->is == condition::kind::constant)
    return value_of(one.from.at(which->holds ? 1 : 2), state);
  const value_pointer yes = value_of(one.from.at(1), state), no = value_of(one.from.at(2), state);
  if (are_equal(yes, no)) return yes;
  if (one.bits == 1)
    return condition_value(either(both(which, condition_of(one.from[1], state)),
                                  both(opposite(which), condition_of(one.from[2], state))));
  // a < b ? a : b is the smaller one.
  const form first = exact_number(one.from[1], state, one.bits, which->is_signed),
             second = exact_number(one.from[2], state, one.bits, which->is_signed);
  if (which->is == condition::kind::comparison && which->does != operation::equal &&
      which->does != operation::not_equal) {
    if (which->left == first && which->right == second)
      return number_value(forms_.computed(operation::minimum, first, second), one.bits);
    if (which->left == second && which->right == first)
      return number_value(forms_.computed(operation::maximum, first, second), one.bits);
  }
  throw inexpressible{"a value that a condition chooses"};
}

value_pointer symbolic_evaluator::extended(const instruction& one, const symbolic_state& state) {
  const value_pointer from = value_of(one.from.at(0), state);
  if (from->truth != nullptr && one.does == opcode::extend_unsigned) return from;
  if (one.from_bits == 1 && one.does == opcode::extend_unsigned)
    return condition_value(condition_of(one.from[0], state));
  const int bits = std::min(one.bits, one.from_bits);
  if (one.bits <= one.from_bits) {
    // What is cut off is cut off the constant as well.
    form number = number_of(one.from[0], state, bits);
    number.constant =
        static_cast<long long>(sign_extended(static_cast<std::uint64_t>(number.constant), bits));
    return number_value(number, bits);
  }
  return number_value(exact_number(one.from[0], state, bits, one.does == opcode::extend_signed),
                      one.bits);
}

value_pointer symbolic_evaluator::loaded(const instruction& one, const symbolic_state& state) {
  const form address = number_of(one.from.at(0), state, 64);
  const int bytes = one.memory.bytes;
  if (one.to.size() != 1 || !address.is_constant() || bytes > 8)
    throw inexpressible{"an argument that is read at an unknown place"};
  const std::uint64_t at = (static_cast<std::uint64_t>(address.constant) +
                            static_cast<std::uint64_t>(one.memory.offset)) &
                           ~window_mask;
  const tracked_bytes& all = prepared_.arguments();
  if (at + static_cast<unsigned>(bytes) > all.size())
    throw inexpressible{"an argument that is not there"};
  const tracked_bytes::content content = all.load(at, bytes);
  if (content.origin != no_origin) return missing_value(at, bytes, content.origin);
  const std::uint64_t value =
      one.memory.sign_extends ? sign_extended(content.value, 8 * bytes) : content.value;
  return number_value(constant_form(static_cast<long long>(value)), 64);
}

}  // namespace compiled
