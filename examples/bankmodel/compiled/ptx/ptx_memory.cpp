// SPDX-License-Identifier: MIT
// PTX's accesses to memory.
#include <algorithm>

#include "../code/matrix_fragments.hpp"
#include "ptx_emitter.hpp"

namespace compiled {

bool ptx_emitter::emit_memory(const ptx_statement& one) {
  const std::string_view name = one.parts[0];
  const bool has_type = !ptx_types_of(one).empty();
  if ((name == "ld" || name == "ldu") && has_type) {
    emit_load(one);
  } else if (name == "st" && has_type && !has_part(one, "async") && !has_part(one, "bulk")) {
    emit_store(one);
  } else if ((name == "atom" || name == "red") && has_type && !has_part(one, "async")) {
    emit_atomic(one);
  } else if ((name == "ldmatrix" || name == "stmatrix") && has_part(one, "m8n8")) {
    emit_matrix(one);
  } else if (name == "wmma" && one.parts.size() > 5 &&
             (one.parts[1] == "load" || one.parts[1] == "store")) {
    return emit_fragment(one);
  } else if (name == "cp" && one.parts.size() > 2 && one.parts[1] == "async" &&
             (one.parts[2] == "ca" || one.parts[2] == "cg")) {
    emit_copy(one);
  } else {
    return false;
  }
  return true;
}

memory_access ptx_emitter::memory_of(const ptx_statement& one) const {
  memory_access result;
  for (const std::string_view part : one.parts) {
    if (part.starts_with("shared")) result.memory = memory_kind::shared;
    if (part == "shared::cluster") result.may_be_of_cluster = true;
    if (part == "global") result.memory = memory_kind::global;
    if (part == "local") result.memory = memory_kind::local;
    if (part == "const") result.memory = memory_kind::constant;
    if (part.starts_with("param")) result.memory = memory_kind::arguments;
    if (part == "v2" || part == "v4" || part == "v8") result.elements = part[1] - '0';
    if (part == "cg" || part == "cv") result.uncached = true;
    if (part == "volatile" || part == "relaxed" || part == "acquire" || part == "release")
      result.is_volatile = true;
  }
  const ptx_type type = ptx_types_of(one).back();
  result.bytes = std::max(1, type.bits / 8);
  result.sign_extends = type.is_signed();
  return result;
}

operand ptx_emitter::address(const ptx_statement& one, const ptx_term& of, memory_access& memory) {
  if (of.is != ptx_term::kind::address || of.parts.empty())
    wrong(one, "an access without an address");
  ptx_term base = of.parts[0];
  memory.offset = base.offset;
  base.offset = 0;
  const operand result = value(one, base, 64);
  if (memory.memory == memory_kind::arguments) {
    // Parameters of device functions and of calls are in local memory.
    const ptx_variable* const named =
        find_register(one, base.text) < 0 ? variable(one, base.text) : nullptr;
    const bool is_of_kernel =
        named != nullptr ? parameter_at_.count(named) != 0 : now_->function->is_entry;
    if (!is_of_kernel) memory.memory = memory_kind::local;
  }
  if (memory.memory == memory_kind::global || memory.memory == memory_kind::generic)
    note_pointer(result);
  return result;
}

void ptx_emitter::load_parameter(const ptx_statement& one, const memory_access& memory,
                                 const std::vector<int>& to, std::uint64_t at) {
  for (std::size_t element = 0; element < to.size(); ++element) {
    const std::uint64_t from = at + element * static_cast<std::uint64_t>(memory.bytes);
    fields_.emplace(from, memory.bytes);
    const int bits = 8 * memory.bytes;
    const operand content = {operand::kind::argument_bytes, from};
    if (bits > 64) {
      add(opcode::unknown, 64, {to[element]}, {}).what = std::string(one.name);
    } else if (memory.sign_extends && bits < 32) {
      add(opcode::extend_signed, 32, {to[element]}, {content}).from_bits =
          static_cast<std::uint8_t>(bits);
    } else {
      add(opcode::move, bits, {to[element]}, {content});
      if (bits == 64) from_parameter_[to[element]] = from;
    }
  }
}

void ptx_emitter::emit_load(const ptx_statement& one) {
  memory_access memory = memory_of(one);
  const operand at = address(one, operand_term(one, 1), memory);
  std::vector<int> to = destinations(one, operand_term(one, 0));
  memory.elements = static_cast<int>(to.size());
  if (memory.memory == memory_kind::arguments && at.is == operand::kind::constant)
    return load_parameter(one, memory, to, at.value + static_cast<std::uint64_t>(memory.offset));
  add(opcode::access, 64, std::move(to), {at}).memory = memory;
}

void ptx_emitter::emit_store(const ptx_statement& one) {
  memory_access memory = memory_of(one);
  memory.does = access_does::store;
  memory.sign_extends = false;
  std::vector<operand> from = {address(one, operand_term(one, 0), memory)};
  const ptx_term& given = operand_term(one, 1);
  if (given.is == ptx_term::kind::list)
    for (const ptx_term& each : given.parts) from.push_back(value(one, each, 8 * memory.bytes));
  else
    from.push_back(value(one, given, 8 * memory.bytes));
  memory.elements = static_cast<int>(from.size()) - 1;
  add(opcode::access, 64, {}, std::move(from)).memory = memory;
}

// atom.shared.add.u32 d, [a], b   red.global.add.f32 [a], b
void ptx_emitter::emit_atomic(const ptx_statement& one) {
  memory_access memory = memory_of(one);
  memory.does = access_does::atomic;
  memory.sign_extends = false;
  const bool has_result = one.parts[0] == "atom";
  const operand at = address(one, operand_term(one, has_result ? 1 : 0), memory);
  std::vector<int> to;
  if (has_result) to = destinations(one, operand_term(one, 0));
  add(opcode::access, 64, std::move(to), {at}).memory = memory;
}

void ptx_emitter::emit_matrix(const ptx_statement& one) {
  memory_access memory;
  const bool loads = one.parts[0] == "ldmatrix";
  memory.does = loads ? access_does::load_matrix : access_does::store_matrix;
  memory.memory = memory_kind::shared;
  memory.bytes = 16;
  memory.matrices = has_part(one, "x4") ? 4 : has_part(one, "x2") ? 2 : 1;
  const operand at = address(one, operand_term(one, loads ? 1 : 0), memory);
  std::vector<int> to;
  if (loads) to = destinations(one, operand_term(one, 0));
  add(opcode::access, 64, std::move(to), {at}).memory = memory;
}

// wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {..}, [a], stride;
bool ptx_emitter::emit_fragment(const ptx_statement& one) {
  matrix_fragment fragment;
  fragment.is_store = one.parts[1] == "store";
  fragment.use = one.parts[2] == "a"   ? fragment_use::a
                 : one.parts[2] == "b" ? fragment_use::b
                                       : fragment_use::sum;
  fragment.is_row_major = has_part(one, "row");
  bool has_shape = false, is_shared = false;
  memory_access memory;
  for (const std::string_view part : one.parts) {
    has_shape = has_shape || set_shape(part, fragment);
    is_shared = is_shared || part.starts_with("shared");
    if (part == "global") memory.memory = memory_kind::global;
  }
  if (!has_shape || !set_element(one.parts.back(), fragment)) return false;
  const fragment_accesses accesses = accesses_of(fragment, is_shared, module_.machine);
  if (accesses.starts.empty()) return false;
  if (is_shared) memory.memory = memory_kind::shared;
  memory.does = matrix_access_of(fragment, accesses);
  memory.bytes = accesses.bytes;
  memory.matrices = accesses.matrices;
  const std::size_t first = fragment.is_store ? 0 : 1;
  const operand base = address(one, operand_term(one, first), memory);
  const int width = fragment.use == fragment_use::a ? fragment.k : fragment.n;
  const int height = fragment.use == fragment_use::b ? fragment.k : fragment.m;
  operand line =
      constant_operand(static_cast<std::uint64_t>(fragment.is_row_major ? width : height));
  const auto compute = [&](opcode does, std::vector<operand> from) {
    const int result = new_register();
    add(does, 64, {result}, std::move(from));
    return register_operand(result);
  };
  if (one.operands.size() > 2) line = source(one, 2, 32);
  line = compute(opcode::multiply,
                 {line, constant_operand(static_cast<std::uint64_t>(fragment.bits))});
  line = compute(opcode::shift_right_unsigned, {line, constant_operand(3)});
  add(opcode::warp_sync, 32, {}, {});
  const int content = new_register();
  add(opcode::unknown, 64, {content}, {}).what = "a matrix of wmma";
  if (!fragment.is_store)
    for (const int result : destinations(one, operand_term(one, 0)))
      add(opcode::unknown, 64, {result}, {}).what = "a matrix of wmma";
  add_fragment(accesses, base, line, compute, [&](const operand& from) {
    std::vector<int> to;
    for (int i = 0; i < std::max(memory.matrices, 1) && !fragment.is_store; ++i)
      to.push_back(new_register());
    std::vector<operand> operands = {from};
    if (fragment.is_store) operands.push_back(register_operand(content));
    add(opcode::access, 64, std::move(to), std::move(operands)).memory = memory;
  });
  return true;
}

// cp.async.cg.shared.global [to], [from], 16, bytes that are loaded;
void ptx_emitter::emit_copy(const ptx_statement& one) {
  memory_access memory, source_memory;
  memory.does = access_does::copy;
  memory.memory = memory_kind::shared;
  memory.uncached = has_part(one, "cg");
  source_memory.memory = memory_kind::global;
  const operand to = address(one, operand_term(one, 0), memory);
  operand from = address(one, operand_term(one, 1), source_memory);
  if (source_memory.offset != 0) {
    const int sum = new_register();
    add(opcode::add, 64, {sum},
        {from, constant_operand(static_cast<std::uint64_t>(source_memory.offset))});
    from = register_operand(sum);
  }
  const ptx_term& bytes = operand_term(one, 2);
  if (bytes.is != ptx_term::kind::number ||
      (bytes.value != 4 && bytes.value != 8 && bytes.value != 16))
    wrong(one, "a copy that is not of 4, 8 or 16 bytes");
  memory.bytes = static_cast<int>(bytes.value);
  std::vector<operand> operands = {to, from};
  const bool has_policy = has_part(one, "L2::cache_hint");
  if (one.operands.size() > (has_policy ? 4u : 3u)) {
    operand size = source(one, 3, 32);
    const ptx_term& given = operand_term(one, 3);
    // A predicate says that nothing is loaded.
    const bool is_predicate = given.is == ptx_term::kind::word && is_predicate_register(one, given);
    if (is_predicate) {
      const int loaded = new_register();
      add(opcode::select, 32, {loaded}, {size, constant_operand(0), constant_operand(bytes.value)});
      size = register_operand(loaded);
    }
    operands.push_back(size);
  }
  add(opcode::access, 64, {}, std::move(operands)).memory = memory;
}

bool ptx_emitter::is_predicate_register(const ptx_statement& in, const ptx_term& of) const {
  const auto& scopes = now_->function->scopes;
  const std::string_view stem = of.text.substr(0, of.text.find_last_not_of("0123456789") + 1);
  for (int at = in.scope; at >= 0; at = scopes[static_cast<std::size_t>(at)].parent) {
    const ptx_scope& scope = scopes[static_cast<std::size_t>(at)];
    if (const auto found = scope.registers.find(of.text); found != scope.registers.end())
      return found->second == 1;
    if (const auto found = scope.ranges.find(stem); found != scope.ranges.end())
      return found->second == 1;
  }
  return false;
}

}  // namespace compiled
