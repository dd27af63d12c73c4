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
  const int target = destination(statement, operand_term(statement, 0));
  int product = adds ? new_register() : target;
  if (is_short) {
    // Of the 48 bits of the product, the lower or the upper 32.
    const int wide = new_register();
    add(opcode::multiply, 64, {wide}, {a, b});
    add(opcode::shift_right_unsigned, 64, {product},
        {register_operand(wide), constant_operand(is_high ? 16 : 0)});
    const int low = adds ? new_register() : target;
    add(opcode::extend_unsigned, 32, {low}, {register_operand(product)}).from_bits = 32;
    product = low;
  } else {
    const opcode high =
        type.is_signed() ? opcode::multiply_high_signed : opcode::multiply_high_unsigned;
    add(is_high ? high : opcode::multiply, bits, {product}, {a, b});
  }
  if (is_wide) scaled_.insert(product);
  if (adds) {
    // mad.wide with a pointer is a pointer.
    const auto pointer = c.is == operand::kind::reg && is_wide
                             ? from_parameter_.find(static_cast<int>(c.value))
                             : from_parameter_.end();
    const bool is_pointer = pointer != from_parameter_.end();
    const std::uint64_t parameter = is_pointer ? pointer->second : 0;
    add(opcode::add, bits, {target}, {register_operand(product), c});
    if (is_pointer) from_parameter_[target] = parameter;
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
    const int product = new_register();
    add(!has_part(statement, "hi") ? opcode::multiply
        : type.is_signed()         ? opcode::multiply_high_signed
                                   : opcode::multiply_high_unsigned,
        bits, {product}, {a, b});
    a = register_operand(product);
    b = source(statement, 3, bits);
  }
  const bool subtracts = name.starts_with("sub"), reads = name.ends_with("c");
  const int target = destination(statement, operand_term(statement, 0)), sum = new_register();
  const opcode code = subtracts ? opcode::subtract : opcode::add;
  add(code, bits, {sum}, {a, b});
  const int carries = new_register();
  const auto overflow = [&](int carry, int result, const operand& previous) {
    if (subtracts)
      add(opcode::less_unsigned, bits, {carry}, {previous, register_operand(result)});
    else
      add(opcode::less_unsigned, bits, {carry}, {register_operand(result), previous});
  };
  overflow(carries, sum, a);
  if (!reads) {
    add(opcode::move, bits, {target}, {register_operand(sum)});
    add(opcode::move, 32, {carry_}, {register_operand(carries)});
    return;
  }
  const int with_carry = new_register(), carries_again = new_register();
  add(code, bits, {with_carry}, {register_operand(sum), register_operand(carry_)});
  overflow(carries_again, with_carry, register_operand(sum));
  add(opcode::move, bits, {target}, {register_operand(with_carry)});
  if (has_part(statement, "cc"))
    add(opcode::bit_or, 32, {carry_}, {register_operand(carries), register_operand(carries_again)});
}

// A function of two bits by its table of four, applied to each bit; the first is the higher.
int ptx_emitter::table_of_two(unsigned table, const operand& b, const operand& c) {
  int result = new_register();
  add(opcode::move, 32, {result}, {constant_operand(0)});
  for (unsigned row = 0; row < 4; ++row) {
    if ((table >> row & 1) == 0) continue;
    const int first = new_register(), second = new_register(), common = new_register(),
              sum = new_register();
    const auto flip = [&](bool is_set) { return constant_operand(is_set ? 0 : ~std::uint64_t{0}); };
    add(opcode::bit_xor, 32, {first}, {b, flip((row & 2) != 0)});
    add(opcode::bit_xor, 32, {second}, {c, flip((row & 1) != 0)});
    add(opcode::bit_and, 32, {common}, {register_operand(first), register_operand(second)});
    add(opcode::bit_or, 32, {sum}, {register_operand(result), register_operand(common)});
    result = sum;
  }
  return result;
}

// d, a, b, c, table
void ptx_emitter::emit_lop3(const ptx_statement& statement) {
  const operand a = source(statement, 1, 32), b = source(statement, 2, 32),
                c = source(statement, 3, 32);
  const auto table = static_cast<unsigned>(operand_term(statement, 4).value);
  const int if_set = table_of_two(table >> 4 & 15, b, c), if_clear = table_of_two(table & 15, b, c);
  const int not_a = new_register(), high = new_register(), low = new_register();
  add(opcode::bit_and, 32, {high}, {a, register_operand(if_set)});
  add(opcode::bit_xor, 32, {not_a}, {a, constant_operand(~std::uint64_t{0})});
  add(opcode::bit_and, 32, {low}, {register_operand(not_a), register_operand(if_clear)});
  add(opcode::bit_or, 32, {destination(statement, operand_term(statement, 0))},
      {register_operand(high), register_operand(low)});
}

// shf.l.wrap.b32 d, low, high, distance. `clamp` stops at 32, where the other word is the result.
void ptx_emitter::emit_funnel(const ptx_statement& statement) {
  const operand low = source(statement, 1, 32), high = source(statement, 2, 32),
                distance = source(statement, 3, 32);
  const bool is_left = has_part(statement, "l");
  const int target = destination(statement, operand_term(statement, 0));
  const bool clamps = has_part(statement, "clamp");
  const int wrapped = clamps ? new_register() : target;
  add(is_left ? opcode::funnel_left : opcode::funnel_right, 32, {wrapped}, {low, high, distance});
  if (!clamps) return;
  const int is_inside = new_register();
  add(opcode::less_unsigned, 32, {is_inside}, {distance, constant_operand(32)});
  add(opcode::select, 32, {target},
      {register_operand(is_inside), register_operand(wrapped), is_left ? low : high});
}

}  // namespace compiled
