// SPDX-License-Identifier: MIT
// PTX's moves, conversions, comparisons and selections.
#include <algorithm>

#include "ptx_emitter.hpp"

namespace compiled {

namespace {

struct named_comparison {
  std::string_view name;
  opcode on_signed, on_unsigned;
  bool is_exchanged;  // the operands
};
constexpr named_comparison ptx_comparisons[] = {
    {"eq", opcode::equal, opcode::equal, false},
    {"ne", opcode::not_equal, opcode::not_equal, false},
    {"lt", opcode::less_signed, opcode::less_unsigned, false},
    {"le", opcode::less_equal_signed, opcode::less_equal_unsigned, false},
    {"gt", opcode::less_signed, opcode::less_unsigned, true},
    {"ge", opcode::less_equal_signed, opcode::less_equal_unsigned, true},
    {"lo", opcode::less_unsigned, opcode::less_unsigned, false},
    {"ls", opcode::less_equal_unsigned, opcode::less_equal_unsigned, false},
    {"hi", opcode::less_unsigned, opcode::less_unsigned, true},
    {"hs", opcode::less_equal_unsigned, opcode::less_equal_unsigned, true},
};

struct floating_comparison {
  std::string_view name;
  floating_operation operation;
  bool is_negated;
};
// Those that hold for NaN are the negations of the opposite ones.
constexpr floating_comparison floating_comparisons[] = {
    {"eq", floating_operation::equal, false},
    {"ne", floating_operation::not_equal, false},
    {"lt", floating_operation::less, false},
    {"le", floating_operation::less_equal, false},
    {"gt", floating_operation::greater, false},
    {"ge", floating_operation::greater_equal, false},
    {"equ", floating_operation::not_equal, true},
    {"neu", floating_operation::equal, true},
    {"ltu", floating_operation::greater_equal, true},
    {"leu", floating_operation::greater, true},
    {"gtu", floating_operation::less_equal, true},
    {"geu", floating_operation::less, true},
    {"num", floating_operation::unordered, true},
    {"nan", floating_operation::unordered, false},
};

}  // namespace

bool ptx_emitter::emit_conversion(const ptx_statement& statement) {
  const std::string_view name = statement.parts[0];
  const std::vector<ptx_type> types = ptx_types_of(statement);
  if (name == "cvta" || name == "isspacep") {
    emit_generic(statement);
  } else if (name == "mapa" || name == "getctarank") {
    emit_mapped(statement);
  } else if (types.empty()) {
    return false;
  } else if (name == "mov" && types.back().bits <= 64) {
    emit_move(statement, types.back());
  } else if (name == "cvt" && types.size() == 2 && statement.operands.size() == 2 &&
             types[0].kind != 'x' && types[1].kind != 'x' && !has_part(statement, "sat") &&
             !has_part(statement, "pack")) {
    emit_convert(statement);
  } else if ((name == "setp" || name == "set") && types.back().kind != 'x' &&
             !(types.back().kind == 'f' && types.back().bits == 16)) {
    emit_set(statement);
  } else if (name == "selp") {
    const int bits = types.back().bits;
    const operand yes = source(statement, 1, bits), otherwise = source(statement, 2, bits),
                  selector = source(statement, 3, 1);
    add(opcode::select, bits, {destination(statement)}, {selector, yes, otherwise});
  } else if (name == "slct" && types.size() == 2 && types[1].kind == 's') {
    const int bits = types[0].bits;
    const operand yes = source(statement, 1, bits), otherwise = source(statement, 2, bits),
                  selector = source(statement, 3, 32);
    const operand is_negative = computed(opcode::less_signed, 32, {selector, constant_operand(0)});
    add(opcode::select, bits, {destination(statement)}, {is_negative, otherwise, yes});
  } else {
    return false;
  }
  return true;
}

void ptx_emitter::emit_move(const ptx_statement& statement, const ptx_type& type) {
  const ptx_term& target = operand_term(statement, 0);
  const ptx_term& input = operand_term(statement, 1);
  if (target.is == ptx_term::kind::list) {  // {low, high} of one register
    const operand full = value(statement, input, type.bits);
    const int part = type.bits / std::max(1, static_cast<int>(target.parts.size()));
    for (std::size_t number = 0; number < target.parts.size(); ++number) {
      const operand shifted =
          computed(opcode::shift_right_unsigned, type.bits,
                   {full, constant_operand(number * static_cast<unsigned>(part))});
      add(opcode::extend_unsigned, part, {destination(statement, target.parts[number])}, {shifted})
          .from_bits = static_cast<std::uint8_t>(part);
    }
    return;
  }
  if (input.is == ptx_term::kind::list) {
    const int part = type.bits / std::max(1, static_cast<int>(input.parts.size()));
    operand combined = constant_operand(0);
    for (std::size_t number = 0; number < input.parts.size(); ++number) {
      const operand element = value(statement, input.parts[number], part);
      const int low = new_register();
      add(opcode::extend_unsigned, type.bits, {low}, {element}).from_bits =
          static_cast<std::uint8_t>(part);
      const operand shifted =
          computed(opcode::shift_left, type.bits,
                   {register_operand(low), constant_operand(number * static_cast<unsigned>(part))});
      combined = computed(opcode::bit_or, type.bits, {combined, shifted});
    }
    add(opcode::move, type.bits, {destination(statement, target)}, {combined});
    return;
  }
  const operand content = value(statement, input, type.bits);
  move(type.bits, destination(statement, target), content);
}

void ptx_emitter::emit_convert(const ptx_statement& statement) {
  const std::vector<ptx_type> types = ptx_types_of(statement);
  const ptx_type target = types[0], origin = types[1];
  operand content = source(statement, 1, origin.bits);
  const int result = destination(statement);
  const auto rounded = [&](floating_operation rounding) {
    const int integral = new_register();
    add_floating(statement, rounding, origin.bits, {integral}, {content});
    content = register_operand(integral);
  };
  if (origin.kind == 'f') {
    if (has_part(statement, "rni")) rounded(floating_operation::nearest);
    if (has_part(statement, "rmi")) rounded(floating_operation::floor);
    if (has_part(statement, "rpi")) rounded(floating_operation::ceiling);
    if (has_part(statement, "rzi") && target.kind == 'f') rounded(floating_operation::truncate);
  }
  // Other roundings are evaluated only where nothing is rounded.
  const bool rounds =
      target.kind == 'f' && (has_part(statement, "rz") || has_part(statement, "rm") ||
                             has_part(statement, "rp") || has_part(statement, "rna"));
  if (rounds && (origin.kind != 'f' || target.bits < origin.bits)) {
    add_unknown(statement, target.bits, {result}, {content});
    return;
  }
  if (origin.kind == 'f' || target.kind == 'f') {
    const bool is_signed = origin.kind == 'f' ? target.is_signed() : origin.is_signed();
    floating_operation conversion = floating_operation::resize;
    if (target.kind != 'f')
      conversion = is_signed ? floating_operation::to_signed : floating_operation::to_unsigned;
    else if (origin.kind != 'f')
      conversion = is_signed ? floating_operation::from_signed : floating_operation::from_unsigned;
    add_floating(statement, conversion, target.bits, {result}, {content}).from_bits =
        static_cast<std::uint8_t>(origin.bits);
    return;
  }
  // The register may be wider than the type; it is filled as the type's sign says.
  const int register_bits = std::max(target.bits, 32);
  if (target.bits >= origin.bits) {
    const bool is_signed = origin.is_signed();
    add(is_signed ? opcode::extend_signed : opcode::extend_unsigned,
        target.is_signed() || !is_signed ? register_bits : target.bits, {result}, {content})
        .from_bits = static_cast<std::uint8_t>(origin.bits);
  } else {
    add(target.is_signed() ? opcode::extend_signed : opcode::extend_unsigned, register_bits,
        {result}, {content})
        .from_bits = static_cast<std::uint8_t>(target.bits);
  }
}

operand ptx_emitter::compare(const ptx_statement& statement, std::string_view name,
                             const ptx_type& type, const operand& a, const operand& b) {
  if (type.kind == 'f') {
    for (const floating_comparison& known : floating_comparisons) {
      if (known.name != name) continue;
      const int result = new_register();
      add_floating(statement, known.operation, type.bits, {result}, {a, b});
      return known.is_negated ? negated(register_operand(result)) : register_operand(result);
    }
  } else {
    for (const named_comparison& known : ptx_comparisons)
      if (known.name == name)
        return computed(type.is_signed() ? known.on_signed : known.on_unsigned, type.bits,
                        {known.is_exchanged ? b : a, known.is_exchanged ? a : b});
  }
  wrong(statement, "a comparison that PTX does not have");
}

// setp.lt.and.s32 p|q, a, b, c   set.lt.u32.s32 d, a, b
void ptx_emitter::emit_set(const ptx_statement& statement) {
  const std::vector<ptx_type> types = ptx_types_of(statement);
  const ptx_type type = types.back();
  if (statement.parts.size() < 3) wrong(statement, "a comparison without its kind");
  const operand a = source(statement, 1, type.bits), b = source(statement, 2, type.bits);
  const operand holds = compare(statement, statement.parts[1], type, a, b);
  const ptx_term& target = operand_term(statement, 0);
  const auto combined = [&](const operand& condition) {
    if (statement.operands.size() < 4) return condition;
    const operand other = source(statement, 3, 1);
    const std::string_view connective = statement.parts[2];
    return computed(connective == "and"  ? opcode::bit_and
                    : connective == "or" ? opcode::bit_or
                                         : opcode::bit_xor,
                    1, {condition, other});
  };
  if (statement.parts[0] == "set") {
    const bool is_float = types[0].kind == 'f';
    add(opcode::select, 32, {destination(statement, target)},
        {combined(holds), constant_operand(is_float ? 0x3f800000u : 0xffffffffu),
         constant_operand(0)});
    return;
  }
  const bool has_two = target.is == ptx_term::kind::pair;
  const operand opposite = has_two ? combined(negated(holds)) : operand{};
  const operand result = combined(holds);
  add(opcode::move, 1, {destination(statement, has_two ? target.parts[0] : target)}, {result});
  if (has_two) add(opcode::move, 1, {destination(statement, target.parts[1])}, {opposite});
}

// mapa.shared::cluster.u32 d, a, rank   mapa.u64 d, a, rank   getctarank.shared::cluster.u32 d, a
void ptx_emitter::emit_mapped(const ptx_statement& statement) {
  ptx_term rank;
  rank.text = "%cluster_ctarank";
  if (statement.parts[0] == "getctarank") {
    add_unknown(statement, 32, {destination(statement)});
    return;
  }
  const int bits = ptx_types_of(statement).empty() ? 64 : ptx_types_of(statement).back().bits;
  const operand address = source(statement, 1, bits), block = source(statement, 2, 32),
                own = value(statement, rank, 32);
  add(opcode::map_to_block, bits, {destination(statement)}, {address, block, own});
}

// cvta.shared.u64 d, a   cvta.to.shared.u64 d, a   isspacep.shared p, a
void ptx_emitter::emit_generic(const ptx_statement& statement) {
  const operand content = source(statement, 1, 64);
  const int target = destination(statement);
  std::uint64_t window = 0;
  for (const std::string_view part : statement.parts) {
    if (part.starts_with("shared")) window = shared_window;
    if (part == "local") window = local_window;
    if (part == "param") window = frame_->function->is_entry ? argument_window : local_window;
  }
  if (statement.parts[0] == "isspacep") {
    if (has_part(statement, "const") || has_part(statement, "param")) {
      add_unknown(statement, 1, {target}, {content});
      return;
    }
    // Another block's shared memory is in .shared::cluster alone.
    const bool is_own = window == shared_window && !has_part(statement, "shared::cluster");
    const operand high =
        computed(opcode::bit_and, 64,
                 {content, constant_operand(is_own ? window_mask | block_mask : window_mask)});
    add(opcode::equal, 64, {target}, {high, constant_operand(window)});
    return;
  }
  if (has_part(statement, "to")) {
    if (has_part(statement, "global")) note_pointer(content);
    return move(64, target, content);  // accesses to shared or local memory take both forms
  }
  add(window == 0 ? opcode::move : opcode::bit_or, 64, {target},
      window == 0 ? std::vector<operand>{content}
                  : std::vector<operand>{content, constant_operand(window)});
}

}  // namespace compiled
