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
  floating_operation operation;
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

bool has_any_part(const ptx_statement& statement, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts,
                             [&](std::string_view part) { return has_part(statement, part); });
}

}  // namespace

instruction& ptx_emitter::add_floating(const ptx_statement& statement, floating_operation operation,
                                       int bits, std::vector<int> targets,
                                       std::vector<operand> sources) {
  instruction& added = add(opcode::floating, bits, std::move(targets), std::move(sources));
  added.floating = operation;
  added.flushes_subnormals = has_part(statement, "ftz");
  return added;
}

bool ptx_emitter::emit_arithmetic(const ptx_statement& statement) {
  const std::vector<ptx_type> types = ptx_types_of(statement);
  if (types.empty()) return false;
  const ptx_type type = types.back();
  if (type.kind == 'x') return false;
  return type.kind == 'f'
             ? emit_floating(statement, type)
             : emit_integer(statement, type) || emit_bits(statement, type) || emit_video(statement);
}

bool ptx_emitter::emit_floating(const ptx_statement& statement, const ptx_type& type) {
  const std::string_view name = statement.parts[0];
  // Other roundings and approximations are not evaluated.
  if (has_any_part(statement, {"rz", "rm", "rp", "rna", "sat", "approx", "full", "NaN", "xorsign",
                               "relu", "oob"}))
    return false;
  if (name == "rcp") {
    const operand a = source(statement, 1, type.bits);
    const std::uint64_t unit = type.bits == 32 ? 0x3f800000u : 0x3ff0000000000000u;
    add_floating(statement, floating_operation::divide, type.bits, {destination(statement)},
                 {constant_operand(unit), a});
    return true;
  }
  for (const named_floating& known : floating_operations) {
    if (known.name != name || statement.operands.size() != known.operands + 1) continue;
    std::vector<operand> sources;
    for (std::size_t number = 1; number <= known.operands; ++number)
      sources.push_back(source(statement, number, type.bits));
    add_floating(statement, known.operation, type.bits, {destination(statement)},
                 std::move(sources))
        .may_fuse = !has_part(statement, "rn");
    return true;
  }
  return false;
}

bool ptx_emitter::emit_integer(const ptx_statement& statement, const ptx_type& type) {
  const std::string_view name = statement.parts[0];
  if (has_any_part(statement, {"sat", "relu"})) return false;
  const bool has_carry =
      has_part(statement, "cc") || name == "addc" || name == "subc" || name == "madc";
  if (has_carry) {
    if (name != "add" && name != "addc" && name != "sub" && name != "subc" && name != "mad" &&
        name != "madc")
      return false;
    emit_carry(statement, type);
    return true;
  }
  if (name == "mul" || name == "mad" || name == "mul24" || name == "mad24") {
    emit_multiply(statement, type);
    return true;
  }
  for (const named_operation& known : operations_of_two) {
    if (known.name != name) continue;
    if (statement.operands.size() > 3) return false;
    const operand a = source(statement, 1, type.bits), b = source(statement, 2, type.bits);
    const int target = destination(statement);
    // A pointer and a scaled index are a pointer.
    std::optional<std::uint64_t> parameter;
    if (name == "add" && type.bits == 64)
      for (const auto& [base, index] : {std::pair{a, b}, std::pair{b, a}}) {
        const bool is_scaled =
            index.is == operand::kind::constant ||
            (index.is == operand::kind::reg && scaled_.count(static_cast<int>(index.value)) != 0);
        if (const auto of_base = parameter_in(base); of_base && is_scaled) parameter = of_base;
      }
    add(type.is_signed() ? known.on_signed : known.on_unsigned, type.bits, {target}, {a, b});
    if (parameter) from_parameter_[target] = *parameter;
    if (name == "shl") scaled_.insert(target);
    return true;
  }
  return false;
}

bool ptx_emitter::emit_bits(const ptx_statement& statement, const ptx_type& type) {
  const std::string_view name = statement.parts[0];
  const int bits = type.bits;
  const bool is_signed = type.is_signed();
  const auto target = [&] { return destination(statement); };
  const auto read = [&](std::size_t number) { return source(statement, number, bits); };
  if (name == "not") {
    const operand a = read(1);
    add(opcode::bit_xor, bits, {target()}, {a, constant_operand(~std::uint64_t{0})});
  } else if (name == "cnot") {
    const operand a = read(1);
    add(opcode::equal, bits, {target()}, {a, constant_operand(0)});
  } else if (name == "neg") {
    const operand a = read(1);
    add(opcode::subtract, bits, {target()}, {constant_operand(0), a});
  } else if (name == "abs") {
    const operand a = read(1);
    const operand minus = computed(opcode::subtract, bits, {constant_operand(0), a});
    add(opcode::maximum_signed, bits, {target()}, {a, minus});
  } else if (name == "sad") {
    const operand a = read(1), b = read(2), c = read(3);
    const operand larger =
        computed(is_signed ? opcode::maximum_signed : opcode::maximum_unsigned, bits, {a, b});
    const operand smaller =
        computed(is_signed ? opcode::minimum_signed : opcode::minimum_unsigned, bits, {a, b});
    const operand distance = computed(opcode::subtract, bits, {larger, smaller});
    add(opcode::add, bits, {target()}, {c, distance});
  } else if (name == "popc" || name == "clz" || name == "brev") {
    const operand a = read(1);
    add(name == "popc"  ? opcode::count_ones
        : name == "clz" ? opcode::count_leading_zeros
                        : opcode::reverse_bits,
        bits, {target()}, {a});
  } else if (name == "bfind") {
    const operand a = read(1);
    const opcode code = is_signed ? opcode::highest_bit_signed : opcode::highest_bit_unsigned;
    if (!has_part(statement, "shiftamt")) {
      add(code, bits, {target()}, {a});
      return true;
    }
    // How far to shift it to the top: all ones if there is no such bit.
    const operand none = constant_operand(0xffffffffu), highest = computed(code, bits, {a});
    const operand distance = computed(opcode::subtract, 32,
                                      {constant_operand(static_cast<unsigned>(bits) - 1), highest});
    const operand is_none = computed(opcode::equal, 32, {highest, none});
    add(opcode::select, 32, {target()}, {is_none, none, distance});
  } else if (name == "bfe") {
    const operand a = read(1), first = source(statement, 2, 32), length = source(statement, 3, 32);
    add(is_signed ? opcode::extract_signed : opcode::extract_unsigned, bits, {target()},
        {a, first, length});
  } else if (name == "bfi") {  // d, field, base, first, length
    const operand field = read(1), base = read(2), first = source(statement, 3, 32),
                  length = source(statement, 4, 32);
    add(opcode::insert, bits, {target()}, {base, field, first, length});
  } else if (name == "prmt" && statement.operands.size() == 4 && statement.parts.size() == 2) {
    const operand a = read(1), b = read(2), select = read(3);
    add(opcode::permute, 32, {target()}, {a, b, select});
  } else if (name == "lop3") {
    if (statement.operands.size() != 5) return false;
    emit_lop3(statement);
  } else if (name == "shf") {
    emit_funnel(statement);
  } else {
    return false;
  }
  return true;
}

// vmin.s32.s32.s32.max d, a, b, c; which is max(min(a, b), c), as traversals of trees use it. Parts
// of operands, which selectors such as `.b0` name, are not read.
bool ptx_emitter::emit_video(const ptx_statement& statement) {
  constexpr std::string_view first[] = {"vadd", "vsub", "vmin", "vmax"},
                             second[] = {"add", "min", "max"};
  const std::vector<ptx_type> types = ptx_types_of(statement);
  const bool has_one_type =
      types.size() == 3 && std::ranges::all_of(types, [&](const ptx_type& type) {
        return type.bits == 32 && type.kind == types[0].kind;
      });
  const std::size_t words = statement.parts.size();
  if (!has_one_type || words > 5 || statement.operands.size() != words - 1) return false;
  if (!includes(first, statement.parts[0]) ||
      (words == 5 && !includes(second, statement.parts.back())))
    return false;
  const auto code_of = [&](std::string_view name) {
    const auto known = std::ranges::find(operations_of_two, name, &named_operation::name);
    return types[0].is_signed() ? known->on_signed : known->on_unsigned;
  };
  const opcode code = code_of(statement.parts[0].substr(1));
  const operand a = source(statement, 1, 32), b = source(statement, 2, 32);
  if (words == 4) {
    add(code, 32, {destination(statement)}, {a, b});
    return true;
  }
  const operand c = source(statement, 3, 32), partial = computed(code, 32, {a, b});
  add(code_of(statement.parts.back()), 32, {destination(statement)}, {partial, c});
  return true;
}

}  // namespace compiled
