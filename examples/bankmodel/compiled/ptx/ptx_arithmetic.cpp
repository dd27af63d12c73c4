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
                          : emit_integer(one, type) || emit_bits(one, type) || emit_video(one);
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
                 std::move(from))
        .may_fuse = !has_part(one, "rn");
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

// vmin.s32.s32.s32.max d, a, b, c; which is max(min(a, b), c), as traversals of trees use it. Parts
// of operands, which selectors such as `.b0` name, are not read.
bool ptx_emitter::emit_video(const ptx_statement& one) {
  constexpr std::string_view first[] = {"vadd", "vsub", "vmin", "vmax"},
                             second[] = {"add", "min", "max"};
  const auto has = [](const auto& names, std::string_view name) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
  };
  const std::vector<ptx_type> types = ptx_types_of(one);
  const bool has_one_type =
      types.size() == 3 && std::all_of(types.begin(), types.end(), [&](const ptx_type& type) {
        return type.bits == 32 && type.kind == types[0].kind;
      });
  const std::size_t words = one.parts.size();
  if (!has_one_type || words > 5 || one.operands.size() != words - 1) return false;
  if (!has(first, one.parts[0]) || (words == 5 && !has(second, one.parts.back()))) return false;
  const auto code_of = [&](std::string_view name) {
    const auto known =
        std::find_if(std::begin(operations_of_two), std::end(operations_of_two),
                     [&](const named_operation& operation) { return operation.name == name; });
    return types[0].is_signed() ? known->on_signed : known->on_unsigned;
  };
  const opcode does = code_of(one.parts[0].substr(1));
  const operand a = source(one, 1, 32), b = source(one, 2, 32);
  if (words == 4) {
    add(does, 32, {destination(one, operand_term(one, 0))}, {a, b});
    return true;
  }
  const operand c = source(one, 3, 32);
  const int between = new_register();
  add(does, 32, {between}, {a, b});
  add(code_of(one.parts.back()), 32, {destination(one, operand_term(one, 0))},
      {register_operand(between), c});
  return true;
}

}  // namespace compiled
