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
  floating_operation does;
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

bool ptx_emitter::emit_conversion(const ptx_statement& one) {
  const std::string_view name = one.parts[0];
  const std::vector<ptx_type> types = ptx_types_of(one);
  if (name == "cvta" || name == "isspacep") {
    emit_generic(one);
  } else if (name == "mapa" || name == "getctarank") {
    emit_mapped(one);
  } else if (types.empty()) {
    return false;
  } else if (name == "mov" && types.back().bits <= 64) {
    emit_move(one, types.back());
  } else if (name == "cvt" && types.size() == 2 && one.operands.size() == 2 &&
             types[0].kind != 'x' && types[1].kind != 'x' && !has_part(one, "sat") &&
             !has_part(one, "pack")) {
    emit_convert(one);
  } else if ((name == "setp" || name == "set") && types.back().kind != 'x' &&
             !(types.back().kind == 'f' && types.back().bits == 16)) {
    emit_set(one);
  } else if (name == "selp") {
    const int bits = types.back().bits;
    const operand yes = source(one, 1, bits), no = source(one, 2, bits), which = source(one, 3, 1);
    add(opcode::select, bits, {destination(one, operand_term(one, 0))}, {which, yes, no});
  } else if (name == "slct" && types.size() == 2 && types[1].kind == 's') {
    const int bits = types[0].bits;
    const operand yes = source(one, 1, bits), no = source(one, 2, bits), which = source(one, 3, 32);
    const int is_negative = new_register();
    add(opcode::less_signed, 32, {is_negative}, {which, constant_operand(0)});
    add(opcode::select, bits, {destination(one, operand_term(one, 0))},
        {register_operand(is_negative), no, yes});
  } else {
    return false;
  }
  return true;
}

void ptx_emitter::emit_move(const ptx_statement& one, const ptx_type& type) {
  const ptx_term& to = operand_term(one, 0);
  const ptx_term& from = operand_term(one, 1);
  if (to.is == ptx_term::kind::list) {  // {low, high} of one register
    const operand whole = value(one, from, type.bits);
    const int part = type.bits / std::max(1, static_cast<int>(to.parts.size()));
    for (std::size_t at = 0; at < to.parts.size(); ++at) {
      const int shifted = new_register();
      add(opcode::shift_right_unsigned, type.bits, {shifted},
          {whole, constant_operand(at * static_cast<unsigned>(part))});
      add(opcode::extend_unsigned, part, {destination(one, to.parts[at])},
          {register_operand(shifted)})
          .from_bits = static_cast<std::uint8_t>(part);
    }
    return;
  }
  if (from.is == ptx_term::kind::list) {
    const int part = type.bits / std::max(1, static_cast<int>(from.parts.size()));
    operand sum = constant_operand(0);
    for (std::size_t at = 0; at < from.parts.size(); ++at) {
      const operand each = value(one, from.parts[at], part);
      const int low = new_register(), shifted = new_register(), more = new_register();
      add(opcode::extend_unsigned, type.bits, {low}, {each}).from_bits =
          static_cast<std::uint8_t>(part);
      add(opcode::shift_left, type.bits, {shifted},
          {register_operand(low), constant_operand(at * static_cast<unsigned>(part))});
      add(opcode::bit_or, type.bits, {more}, {sum, register_operand(shifted)});
      sum = register_operand(more);
    }
    add(opcode::move, type.bits, {destination(one, to)}, {sum});
    return;
  }
  const operand given = value(one, from, type.bits);
  const int result = destination(one, to);
  const auto pointer = given.is == operand::kind::reg
                           ? from_parameter_.find(static_cast<int>(given.value))
                           : from_parameter_.end();
  const bool is_pointer = pointer != from_parameter_.end();
  const std::uint64_t parameter = is_pointer ? pointer->second : 0;
  add(opcode::move, type.bits, {result}, {given});
  if (is_pointer) from_parameter_[result] = parameter;
}

void ptx_emitter::emit_convert(const ptx_statement& one) {
  const std::vector<ptx_type> types = ptx_types_of(one);
  const ptx_type to = types[0], from = types[1];
  operand given = source(one, 1, from.bits);
  const int result = destination(one, operand_term(one, 0));
  const auto rounded = [&](floating_operation how) {
    const int whole = new_register();
    add_floating(one, how, from.bits, {whole}, {given});
    given = register_operand(whole);
  };
  if (from.kind == 'f') {
    if (has_part(one, "rni")) rounded(floating_operation::nearest);
    if (has_part(one, "rmi")) rounded(floating_operation::floor);
    if (has_part(one, "rpi")) rounded(floating_operation::ceiling);
    if (has_part(one, "rzi") && to.kind == 'f') rounded(floating_operation::truncate);
  }
  // Other roundings are evaluated only where nothing is rounded.
  const bool rounds = to.kind == 'f' && (has_part(one, "rz") || has_part(one, "rm") ||
                                         has_part(one, "rp") || has_part(one, "rna"));
  if (rounds && (from.kind != 'f' || to.bits < from.bits)) {
    add(opcode::unknown, to.bits, {result}, {given}).what = std::string(one.name);
    return;
  }
  if (from.kind == 'f' || to.kind == 'f') {
    const bool is_signed = from.kind == 'f' ? to.is_signed() : from.is_signed();
    floating_operation how = floating_operation::resize;
    if (to.kind != 'f')
      how = is_signed ? floating_operation::to_signed : floating_operation::to_unsigned;
    else if (from.kind != 'f')
      how = is_signed ? floating_operation::from_signed : floating_operation::from_unsigned;
    add_floating(one, how, to.bits, {result}, {given}).from_bits =
        static_cast<std::uint8_t>(from.bits);
    return;
  }
  // The register may be wider than the type; it is filled as the type's sign says.
  const int register_bits = std::max(to.bits, 32);
  if (to.bits >= from.bits) {
    const bool is_signed = from.is_signed();
    add(is_signed ? opcode::extend_signed : opcode::extend_unsigned,
        to.is_signed() || !is_signed ? register_bits : to.bits, {result}, {given})
        .from_bits = static_cast<std::uint8_t>(from.bits);
  } else {
    add(to.is_signed() ? opcode::extend_signed : opcode::extend_unsigned, register_bits, {result},
        {given})
        .from_bits = static_cast<std::uint8_t>(to.bits);
  }
}

int ptx_emitter::compare(const ptx_statement& one, std::string_view how, const ptx_type& type,
                         const operand& a, const operand& b) {
  const int result = new_register();
  if (type.kind == 'f') {
    for (const floating_comparison& known : floating_comparisons) {
      if (known.name != how) continue;
      add_floating(one, known.does, type.bits, {result}, {a, b});
      return known.is_negated ? negated(register_operand(result)) : result;
    }
  } else {
    for (const named_comparison& known : ptx_comparisons) {
      if (known.name != how) continue;
      add(type.is_signed() ? known.on_signed : known.on_unsigned, type.bits, {result},
          known.is_exchanged ? std::vector<operand>{b, a} : std::vector<operand>{a, b});
      return result;
    }
  }
  wrong(one, "a comparison that PTX does not have");
}

// setp.lt.and.s32 p|q, a, b, c   set.lt.u32.s32 d, a, b
void ptx_emitter::emit_set(const ptx_statement& one) {
  const std::vector<ptx_type> types = ptx_types_of(one);
  const ptx_type type = types.back();
  if (one.parts.size() < 3) wrong(one, "a comparison without its kind");
  const operand a = source(one, 1, type.bits), b = source(one, 2, type.bits);
  int holds = compare(one, one.parts[1], type, a, b);
  const ptx_term& to = operand_term(one, 0);
  const auto combined = [&](int with) {
    if (one.operands.size() < 4) return with;
    const operand other = source(one, 3, 1);
    const std::string_view how = one.parts[2];
    const int result = new_register();
    add(how == "and"  ? opcode::bit_and
        : how == "or" ? opcode::bit_or
                      : opcode::bit_xor,
        1, {result}, {register_operand(with), other});
    return result;
  };
  if (one.parts[0] == "set") {
    const bool is_float = types[0].kind == 'f';
    add(opcode::select, 32, {destination(one, to)},
        {register_operand(combined(holds)), constant_operand(is_float ? 0x3f800000u : 0xffffffffu),
         constant_operand(0)});
    return;
  }
  const bool has_two = to.is == ptx_term::kind::pair;
  const int opposite = has_two ? combined(negated(register_operand(holds))) : -1;
  holds = combined(holds);
  add(opcode::move, 1, {destination(one, has_two ? to.parts[0] : to)}, {register_operand(holds)});
  if (has_two) add(opcode::move, 1, {destination(one, to.parts[1])}, {register_operand(opposite)});
}

// mapa.shared::cluster.u32 d, a, rank   mapa.u64 d, a, rank   getctarank.shared::cluster.u32 d, a
void ptx_emitter::emit_mapped(const ptx_statement& one) {
  ptx_term rank;
  rank.text = "%cluster_ctarank";
  if (one.parts[0] == "getctarank") {
    add(opcode::unknown, 32, {destination(one, operand_term(one, 0))}, {}).what =
        std::string(one.name);
    return;
  }
  const int bits = ptx_types_of(one).empty() ? 64 : ptx_types_of(one).back().bits;
  const operand address = source(one, 1, bits), to = source(one, 2, 32), own = value(one, rank, 32);
  add(opcode::map_to_block, bits, {destination(one, operand_term(one, 0))}, {address, to, own});
}

// cvta.shared.u64 d, a   cvta.to.shared.u64 d, a   isspacep.shared p, a
void ptx_emitter::emit_generic(const ptx_statement& one) {
  const operand given = source(one, 1, 64);
  const int to = destination(one, operand_term(one, 0));
  std::uint64_t window = 0;
  for (const std::string_view part : one.parts) {
    if (part.starts_with("shared")) window = shared_window;
    if (part == "local") window = local_window;
    if (part == "param") window = now_->function->is_entry ? argument_window : local_window;
  }
  if (one.parts[0] == "isspacep") {
    if (has_part(one, "const") || has_part(one, "param")) {
      add(opcode::unknown, 1, {to}, {given}).what = std::string(one.name);
      return;
    }
    const int high = new_register();
    // Another block's shared memory is in .shared::cluster alone.
    const bool is_own = window == shared_window && !has_part(one, "shared::cluster");
    add(opcode::bit_and, 64, {high},
        {given, constant_operand(is_own ? window_mask | block_mask : window_mask)});
    add(opcode::equal, 64, {to}, {register_operand(high), constant_operand(window)});
    return;
  }
  if (has_part(one, "to")) {
    if (has_part(one, "global")) note_pointer(given);
    const auto pointer = given.is == operand::kind::reg
                             ? from_parameter_.find(static_cast<int>(given.value))
                             : from_parameter_.end();
    const bool is_pointer = pointer != from_parameter_.end();
    const std::uint64_t parameter = is_pointer ? pointer->second : 0;
    // Accesses to shared or local memory take both forms.
    add(opcode::move, 64, {to}, {given});
    if (is_pointer) from_parameter_[to] = parameter;
    return;
  }
  add(window == 0 ? opcode::move : opcode::bit_or, 64, {to},
      window == 0 ? std::vector<operand>{given}
                  : std::vector<operand>{given, constant_operand(window)});
}

}  // namespace compiled
