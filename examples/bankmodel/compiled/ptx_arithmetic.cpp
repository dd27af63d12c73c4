// SPDX-License-Identifier: MIT
// PTX's arithmetic, on integers, bits and floating-point numbers.
#include <algorithm>

#include "ptx_emitter.hpp"

namespace compiled {

namespace {

struct named_operation {
  std::string_view name;
  opcode on_signed, on_unsigned;
};
constexpr named_operation operations_of_two[] = {
    {"add", opcode::add, opcode::add},
    {"sub", opcode::subtract, opcode::subtract},
    {"div", opcode::divide_signed, opcode::divide_unsigned},
    {"rem", opcode::remainder_signed, opcode::remainder_unsigned},
    {"min", opcode::minimum_signed, opcode::minimum_unsigned},
    {"max", opcode::maximum_signed, opcode::maximum_unsigned},
    {"and", opcode::bit_and, opcode::bit_and},
    {"or", opcode::bit_or, opcode::bit_or},
    {"xor", opcode::bit_xor, opcode::bit_xor},
    {"shl", opcode::shift_left, opcode::shift_left},
    {"shr", opcode::shift_right_signed, opcode::shift_right_unsigned},
};

struct named_floating {
  std::string_view name;
  floating_operation does;
  std::size_t operands;
};
constexpr named_floating floating_operations[] = {
    {"add", floating_operation::add, 2},          {"sub", floating_operation::subtract, 2},
    {"mul", floating_operation::multiply, 2},     {"div", floating_operation::divide, 2},
    {"fma", floating_operation::fused, 3},        {"mad", floating_operation::fused, 3},
    {"min", floating_operation::minimum, 2},      {"max", floating_operation::maximum, 2},
    {"neg", floating_operation::negative, 1},     {"abs", floating_operation::absolute, 1},
    {"sqrt", floating_operation::square_root, 1},
};

bool has_any_part(const ptx_statement& one, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return has_part(one, part); });
}

}  // namespace

instruction& ptx_emitter::add_floating(const ptx_statement& one, floating_operation does, int bits,
                                       std::vector<int> to, std::vector<operand> from) {
  instruction& made = add(opcode::floating, bits, std::move(to), std::move(from));
  made.floating = does;
  made.flushes_subnormals = has_part(one, "ftz");
  return made;
}

bool ptx_emitter::emit_arithmetic(const ptx_statement& one) {
  const std::vector<ptx_type> types = ptx_types_of(one);
  if (types.empty()) return false;
  const ptx_type type = types.back();
  if (type.kind == 'x') return false;
  return type.kind == 'f' ? emit_floating(one, type)
                          : emit_integer(one, type) || emit_bits(one, type);
}

bool ptx_emitter::emit_floating(const ptx_statement& one, const ptx_type& type) {
  const std::string_view name = one.parts[0];
  // Other roundings and approximations are not evaluated.
  if (has_any_part(
          one, {"rz", "rm", "rp", "rna", "sat", "approx", "full", "NaN", "xorsign", "relu", "oob"}))
    return false;
  if (name == "rcp") {
    const operand a = source(one, 1, type.bits);
    const std::uint64_t unit = type.bits == 32 ? 0x3f800000u : 0x3ff0000000000000u;
    add_floating(one, floating_operation::divide, type.bits,
                 {destination(one, operand_term(one, 0))}, {constant_operand(unit), a});
    return true;
  }
  for (const named_floating& known : floating_operations) {
    if (known.name != name || one.operands.size() != known.operands + 1) continue;
    std::vector<operand> from;
    for (std::size_t at = 1; at <= known.operands; ++at) from.push_back(source(one, at, type.bits));
    add_floating(one, known.does, type.bits, {destination(one, operand_term(one, 0))},
                 std::move(from));
    return true;
  }
  return false;
}

bool ptx_emitter::emit_integer(const ptx_statement& one, const ptx_type& type) {
  const std::string_view name = one.parts[0];
  if (has_any_part(one, {"sat", "relu"})) return false;
  const bool has_carry = has_part(one, "cc") || name == "addc" || name == "subc" || name == "madc";
  if (has_carry) {
    if (name != "add" && name != "addc" && name != "sub" && name != "subc" && name != "mad" &&
        name != "madc")
      return false;
    emit_carry(one, type);
    return true;
  }
  if (name == "mul" || name == "mad" || name == "mul24" || name == "mad24") {
    emit_multiply(one, type);
    return true;
  }
  for (const named_operation& known : operations_of_two) {
    if (known.name != name) continue;
    if (one.operands.size() > 3) return false;
    const operand a = source(one, 1, type.bits), b = source(one, 2, type.bits);
    const int to = destination(one, operand_term(one, 0));
    // A pointer and a scaled index are a pointer.
    std::uint64_t parameter = 0;
    bool is_pointer = false;
    if (name == "add" && type.bits == 64)
      for (const auto& [base, index] : {std::pair{a, b}, std::pair{b, a}}) {
        if (base.is != operand::kind::reg) continue;
        const auto found = from_parameter_.find(static_cast<int>(base.value));
        const bool is_scaled =
            index.is == operand::kind::constant ||
            (index.is == operand::kind::reg && scaled_.count(static_cast<int>(index.value)) != 0);
        if (found == from_parameter_.end() || !is_scaled) continue;
        parameter = found->second;
        is_pointer = true;
      }
    add(type.is_signed() ? known.on_signed : known.on_unsigned, type.bits, {to}, {a, b});
    if (is_pointer) from_parameter_[to] = parameter;
    if (name == "shl") scaled_.insert(to);
    return true;
  }
  return false;
}

bool ptx_emitter::emit_bits(const ptx_statement& one, const ptx_type& type) {
  const std::string_view name = one.parts[0];
  const int bits = type.bits;
  const bool is_signed = type.is_signed();
  const auto to = [&] { return destination(one, operand_term(one, 0)); };
  const auto from = [&](std::size_t at) { return source(one, at, bits); };
  if (name == "not") {
    const operand a = from(1);
    add(opcode::bit_xor, bits, {to()}, {a, constant_operand(~std::uint64_t{0})});
  } else if (name == "cnot") {
    const operand a = from(1);
    add(opcode::equal, bits, {to()}, {a, constant_operand(0)});
  } else if (name == "neg") {
    const operand a = from(1);
    add(opcode::subtract, bits, {to()}, {constant_operand(0), a});
  } else if (name == "abs") {
    const operand a = from(1);
    const int minus = new_register();
    add(opcode::subtract, bits, {minus}, {constant_operand(0), a});
    add(opcode::maximum_signed, bits, {to()}, {a, register_operand(minus)});
  } else if (name == "sad") {
    const operand a = from(1), b = from(2), c = from(3);
    const int more = new_register(), less = new_register(), distance = new_register();
    add(is_signed ? opcode::maximum_signed : opcode::maximum_unsigned, bits, {more}, {a, b});
    add(is_signed ? opcode::minimum_signed : opcode::minimum_unsigned, bits, {less}, {a, b});
    add(opcode::subtract, bits, {distance}, {register_operand(more), register_operand(less)});
    add(opcode::add, bits, {to()}, {c, register_operand(distance)});
  } else if (name == "popc" || name == "clz" || name == "brev") {
    const operand a = from(1);
    add(name == "popc"  ? opcode::count_ones
        : name == "clz" ? opcode::count_leading_zeros
                        : opcode::reverse_bits,
        bits, {to()}, {a});
  } else if (name == "bfind") {
    const operand a = from(1);
    const opcode does = is_signed ? opcode::highest_bit_signed : opcode::highest_bit_unsigned;
    if (!has_part(one, "shiftamt")) {
      add(does, bits, {to()}, {a});
      return true;
    }
    // How far to shift it to the top: all ones if there is no such bit.
    const int found = new_register(), distance = new_register(), is_none = new_register();
    add(does, bits, {found}, {a});
    add(opcode::subtract, 32, {distance},
        {constant_operand(static_cast<unsigned>(bits) - 1), register_operand(found)});
    add(opcode::equal, 32, {is_none}, {register_operand(found), constant_operand(0xffffffffu)});
    add(opcode::select, 32, {to()},
        {register_operand(is_none), constant_operand(0xffffffffu), register_operand(distance)});
  } else if (name == "bfe") {
    const operand a = from(1), first = source(one, 2, 32), length = source(one, 3, 32);
    add(is_signed ? opcode::extract_signed : opcode::extract_unsigned, bits, {to()},
        {a, first, length});
  } else if (name == "bfi") {  // d, field, into, first, length
    const operand field = from(1), into = from(2), first = source(one, 3, 32),
                  length = source(one, 4, 32);
    add(opcode::insert, bits, {to()}, {into, field, first, length});
  } else if (name == "prmt" && one.operands.size() == 4 && one.parts.size() == 2) {
    const operand a = from(1), b = from(2), select = from(3);
    add(opcode::permute, 32, {to()}, {a, b, select});
  } else if (name == "lop3") {
    if (one.operands.size() != 5) return false;
    emit_lop3(one);
  } else if (name == "shf") {
    emit_funnel(one);
  } else {
    return false;
  }
  return true;
}

void ptx_emitter::emit_multiply(const ptx_statement& one, const ptx_type& type) {
  operand a = source(one, 1, type.bits), b = source(one, 2, type.bits);
  const bool adds = one.parts[0].starts_with("mad"), is_wide = has_part(one, "wide");
  const bool is_high = has_part(one, "hi"), is_short = one.parts[0].ends_with("24");
  const int bits = is_wide ? 2 * type.bits : type.bits;
  const operand c = adds ? source(one, 3, bits) : operand{};
  const auto extended = [&](const operand& value, int from_bits) {
    const int to = new_register();
    add(type.is_signed() ? opcode::extend_signed : opcode::extend_unsigned, is_short ? 64 : bits,
        {to}, {value})
        .from_bits = static_cast<std::uint8_t>(from_bits);
    return register_operand(to);
  };
  if (is_wide || is_short) {
    a = extended(a, is_short ? 24 : type.bits);
    b = extended(b, is_short ? 24 : type.bits);
  }
  const int to = destination(one, operand_term(one, 0));
  int product = adds ? new_register() : to;
  if (is_short) {
    // Of the 48 bits of the product, the lower or the upper 32.
    const int wide = new_register();
    add(opcode::multiply, 64, {wide}, {a, b});
    add(opcode::shift_right_unsigned, 64, {product},
        {register_operand(wide), constant_operand(is_high ? 16 : 0)});
    const int low = adds ? new_register() : to;
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
    add(opcode::add, bits, {to}, {register_operand(product), c});
    if (is_pointer) from_parameter_[to] = parameter;
  }
}

// add.cc, addc, sub.cc, subc, mad.lo.cc, madc.hi and the like. The carry is a register; of a
// subtraction it is the borrow.
void ptx_emitter::emit_carry(const ptx_statement& one, const ptx_type& type) {
  if (carry_ < 0) carry_ = new_register();
  const std::string_view name = one.parts[0];
  const int bits = type.bits;
  operand a = source(one, 1, bits), b = source(one, 2, bits);
  if (name.starts_with("mad")) {
    const int product = new_register();
    add(!has_part(one, "hi") ? opcode::multiply
        : type.is_signed()   ? opcode::multiply_high_signed
                             : opcode::multiply_high_unsigned,
        bits, {product}, {a, b});
    a = register_operand(product);
    b = source(one, 3, bits);
  }
  const bool subtracts = name.starts_with("sub"), reads = name.ends_with("c");
  const int to = destination(one, operand_term(one, 0)), sum = new_register();
  const opcode does = subtracts ? opcode::subtract : opcode::add;
  add(does, bits, {sum}, {a, b});
  const int carries = new_register();
  const auto overflow = [&](int of, int result, const operand& before) {
    if (subtracts)
      add(opcode::less_unsigned, bits, {of}, {before, register_operand(result)});
    else
      add(opcode::less_unsigned, bits, {of}, {register_operand(result), before});
  };
  overflow(carries, sum, a);
  if (!reads) {
    add(opcode::move, bits, {to}, {register_operand(sum)});
    add(opcode::move, 32, {carry_}, {register_operand(carries)});
    return;
  }
  const int with_carry = new_register(), carries_again = new_register();
  add(does, bits, {with_carry}, {register_operand(sum), register_operand(carry_)});
  overflow(carries_again, with_carry, register_operand(sum));
  add(opcode::move, bits, {to}, {register_operand(with_carry)});
  if (has_part(one, "cc"))
    add(opcode::bit_or, 32, {carry_}, {register_operand(carries), register_operand(carries_again)});
}

// A function of two bits by its table of four, applied to each bit; the first is the higher.
int ptx_emitter::table_of_two(unsigned table, const operand& b, const operand& c) {
  int result = new_register();
  add(opcode::move, 32, {result}, {constant_operand(0)});
  for (unsigned at = 0; at < 4; ++at) {
    if ((table >> at & 1) == 0) continue;
    const int first = new_register(), second = new_register(), both = new_register(),
              sum = new_register();
    const auto flip = [&](bool is_set) { return constant_operand(is_set ? 0 : ~std::uint64_t{0}); };
    add(opcode::bit_xor, 32, {first}, {b, flip((at & 2) != 0)});
    add(opcode::bit_xor, 32, {second}, {c, flip((at & 1) != 0)});
    add(opcode::bit_and, 32, {both}, {register_operand(first), register_operand(second)});
    add(opcode::bit_or, 32, {sum}, {register_operand(result), register_operand(both)});
    result = sum;
  }
  return result;
}

// d, a, b, c, table
void ptx_emitter::emit_lop3(const ptx_statement& one) {
  const operand a = source(one, 1, 32), b = source(one, 2, 32), c = source(one, 3, 32);
  const auto table = static_cast<unsigned>(operand_term(one, 4).value);
  const int if_set = table_of_two(table >> 4 & 15, b, c), if_clear = table_of_two(table & 15, b, c);
  const int not_a = new_register(), high = new_register(), low = new_register();
  add(opcode::bit_and, 32, {high}, {a, register_operand(if_set)});
  add(opcode::bit_xor, 32, {not_a}, {a, constant_operand(~std::uint64_t{0})});
  add(opcode::bit_and, 32, {low}, {register_operand(not_a), register_operand(if_clear)});
  add(opcode::bit_or, 32, {destination(one, operand_term(one, 0))},
      {register_operand(high), register_operand(low)});
}

// shf.l.wrap.b32 d, low, high, by. `clamp` stops at 32, where the other word is the result.
void ptx_emitter::emit_funnel(const ptx_statement& one) {
  const operand low = source(one, 1, 32), high = source(one, 2, 32), by = source(one, 3, 32);
  const bool is_left = has_part(one, "l");
  const int to = destination(one, operand_term(one, 0));
  const bool clamps = has_part(one, "clamp");
  const int wrapped = clamps ? new_register() : to;
  add(is_left ? opcode::funnel_left : opcode::funnel_right, 32, {wrapped}, {low, high, by});
  if (!clamps) return;
  const int is_inside = new_register();
  add(opcode::less_unsigned, 32, {is_inside}, {by, constant_operand(32)});
  add(opcode::select, 32, {to},
      {register_operand(is_inside), register_operand(wrapped), is_left ? low : high});
}

}  // namespace compiled
