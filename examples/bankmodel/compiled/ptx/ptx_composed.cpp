// SPDX-License-Identifier: MIT
// PTX's arithmetic that takes several operations: products, carries, tables of three bits, funnels.
#include "ptx_emitter.hpp"

namespace compiled {

void ptx_emitter::emit_multiply(const ptx_statement& statement, const ptx_type& type) {
  operand a = source(statement, 1, type.bits), b = source(statement, 2, type.bits);
  const bool adds = statement.parts[0].starts_with("mad"), is_wide = has_part(statement, "wide");
  const bool is_high = has_part(statement, "hi"), is_short = statement.parts[0].ends_with("24");
  const int bits = is_wide ? 2 * type.bits : type.bits;
  const operand c = adds ? source(statement, 3, bits) : operand{};
  const auto extended = [&](const operand& value, int from_bits) {
    const int result = new_register();
    add(type.is_signed() ? opcode::extend_signed : opcode::extend_unsigned, is_short ? 64 : bits,
        {result}, {value})
        .from_bits = static_cast<std::uint8_t>(from_bits);
    return register_operand(result);
  };
  if (is_wide || is_short) {
    a = extended(a, is_short ? 24 : type.bits);
    b = extended(b, is_short ? 24 : type.bits);
  }
  const int target = destination(statement), product = adds ? new_register() : target;
  if (is_short) {
    // Of the 48 bits of the product, the lower or the upper 32.
    const operand wide = computed(opcode::multiply, 64, {a, b});
    const operand half =
        computed(opcode::shift_right_unsigned, 64, {wide, constant_operand(is_high ? 16 : 0)});
    add(opcode::extend_unsigned, 32, {product}, {half}).from_bits = 32;
  } else {
    const opcode high =
        type.is_signed() ? opcode::multiply_high_signed : opcode::multiply_high_unsigned;
    add(is_high ? high : opcode::multiply, bits, {product}, {a, b});
  }
  if (is_wide) scaled_.insert(product);
  if (adds) {
    // mad.wide with a pointer is a pointer.
    const auto parameter = is_wide ? parameter_in(c) : std::nullopt;
    add(opcode::add, bits, {target}, {register_operand(product), c});
    if (parameter) from_parameter_[target] = *parameter;
  }
}

// add.cc, addc, sub.cc, subc, mad.lo.cc, madc.hi and the like. The carry is a register; of a
// subtraction it is the borrow.
void ptx_emitter::emit_carry(const ptx_statement& statement, const ptx_type& type) {
  if (carry_ < 0) carry_ = new_register();
  const std::string_view name = statement.parts[0];
  const int bits = type.bits;
  operand a = source(statement, 1, bits), b = source(statement, 2, bits);
  if (name.starts_with("mad")) {
    a = computed(!has_part(statement, "hi") ? opcode::multiply
                 : type.is_signed()         ? opcode::multiply_high_signed
                                            : opcode::multiply_high_unsigned,
                 bits, {a, b});
    b = source(statement, 3, bits);
  }
  const bool subtracts = name.starts_with("sub"), reads = name.ends_with("c");
  const int target = destination(statement);
  const opcode code = subtracts ? opcode::subtract : opcode::add;
  const operand result = computed(code, bits, {a, b});
  const auto overflow = [&](const operand& changed, const operand& previous) {
    return computed(opcode::less_unsigned, bits,
                    {subtracts ? previous : changed, subtracts ? changed : previous});
  };
  const operand carries = overflow(result, a);
  if (!reads) {
    add(opcode::move, bits, {target}, {result});
    add(opcode::move, 32, {carry_}, {carries});
    return;
  }
  const operand with_carry = computed(code, bits, {result, register_operand(carry_)});
  const operand carries_again = overflow(with_carry, result);
  add(opcode::move, bits, {target}, {with_carry});
  if (has_part(statement, "cc")) add(opcode::bit_or, 32, {carry_}, {carries, carries_again});
}

// A function of two bits by its table of four, applied to each bit; the first is the higher.
operand ptx_emitter::table_of_two(unsigned table, const operand& b, const operand& c) {
  operand result = computed(opcode::move, 32, {constant_operand(0)});
  for (unsigned row = 0; row < 4; ++row) {
    if ((table >> row & 1) == 0) continue;
    const auto flip = [&](bool is_set) { return constant_operand(is_set ? 0 : ~std::uint64_t{0}); };
    const operand first = computed(opcode::bit_xor, 32, {b, flip((row & 2) != 0)});
    const operand second = computed(opcode::bit_xor, 32, {c, flip((row & 1) != 0)});
    const operand common = computed(opcode::bit_and, 32, {first, second});
    result = computed(opcode::bit_or, 32, {result, common});
  }
  return result;
}

// d, a, b, c, table
void ptx_emitter::emit_lop3(const ptx_statement& statement) {
  const operand a = source(statement, 1, 32), b = source(statement, 2, 32),
                c = source(statement, 3, 32);
  const auto table = static_cast<unsigned>(operand_term(statement, 4).value);
  const operand if_set = table_of_two(table >> 4 & 15, b, c),
                if_clear = table_of_two(table & 15, b, c);
  const operand high = computed(opcode::bit_and, 32, {a, if_set});
  const operand not_a = computed(opcode::bit_xor, 32, {a, constant_operand(~std::uint64_t{0})});
  const operand low = computed(opcode::bit_and, 32, {not_a, if_clear});
  add(opcode::bit_or, 32, {destination(statement)}, {high, low});
}

// shf.l.wrap.b32 d, low, high, distance. `clamp` stops at 32, where the other word is the result.
void ptx_emitter::emit_funnel(const ptx_statement& statement) {
  const operand low = source(statement, 1, 32), high = source(statement, 2, 32),
                distance = source(statement, 3, 32);
  const bool is_left = has_part(statement, "l");
  const int target = destination(statement);
  const bool clamps = has_part(statement, "clamp");
  const int wrapped = clamps ? new_register() : target;
  add(is_left ? opcode::funnel_left : opcode::funnel_right, 32, {wrapped}, {low, high, distance});
  if (!clamps) return;
  const operand is_inside = computed(opcode::less_unsigned, 32, {distance, constant_operand(32)});
  add(opcode::select, 32, {target}, {is_inside, register_operand(wrapped), is_left ? low : high});
}

}  // namespace compiled
