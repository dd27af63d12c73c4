// SPDX-License-Identifier: MIT
// PTX's accesses to memory.
#include <algorithm>

#include "../code/matrix_fragments.hpp"
#include "ptx_emitter.hpp"

namespace compiled {

bool ptx_emitter::emit_memory(const ptx_statement& statement) {
  const std::string_view name = statement.parts[0];
  const bool has_type = !ptx_types_of(statement).empty();
  if ((name == "ld" || name == "ldu") && has_type) {
    emit_load(statement);
  } else if (name == "st" && has_type && !has_part(statement, "async") &&
             !has_part(statement, "bulk")) {
    emit_store(statement);
  } else if ((name == "atom" || name == "red") && has_type && !has_part(statement, "async")) {
    emit_atomic(statement);
  } else if ((name == "ldmatrix" || name == "stmatrix") && has_part(statement, "m8n8")) {
    emit_matrix(statement);
  } else if (name == "wmma" && statement.parts.size() > 5 &&
             (statement.parts[1] == "load" || statement.parts[1] == "store")) {
    return emit_fragment(statement);
  } else if (name == "cp" && statement.parts.size() > 2 && statement.parts[1] == "async" &&
             (statement.parts[2] == "ca" || statement.parts[2] == "cg")) {
    emit_copy(statement);
  } else {
    return false;
  }
  return true;
}

memory_access ptx_emitter::memory_of(const ptx_statement& statement) const {
  memory_access result;
  for (const std::string_view part : statement.parts) {
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
  const ptx_type type = ptx_types_of(statement).back();
  result.bytes = std::max(1, type.bits / 8);
  result.sign_extends = type.is_signed();
  return result;
}

operand ptx_emitter::address(const ptx_statement& statement, const ptx_term& term,
                             memory_access& memory) {
  if (term.is != ptx_term::kind::address || term.parts.empty())
    wrong(statement, "an access without an address");
  ptx_term base = term.parts[0];
  memory.offset = base.offset;
  base.offset = 0;
  const operand result = value(statement, base, 64);
  if (memory.memory == memory_kind::arguments) {
    // Parameters of device functions and of calls are in local memory.
    const ptx_variable* const named =
        find_register(statement, base.text) < 0 ? variable(statement, base.text) : nullptr;
    const bool is_of_kernel =
        named != nullptr ? parameter_at_.count(named) != 0 : frame_->function->is_entry;
    if (!is_of_kernel) memory.memory = memory_kind::local;
  }
  if (memory.memory == memory_kind::global || memory.memory == memory_kind::generic)
    note_pointer(result);
  return result;
}

void ptx_emitter::load_parameter(const ptx_statement& statement, const memory_access& memory,
                                 const std::vector<int>& targets, std::uint64_t offset) {
  for (std::size_t element = 0; element < targets.size(); ++element) {
    const std::uint64_t byte = offset + element * static_cast<std::uint64_t>(memory.bytes);
    fields_.emplace(byte, memory.bytes);
    const int bits = 8 * memory.bytes;
    const operand content = {operand::kind::argument_bytes, byte};
    if (bits > 64) {
      add_unknown(statement, 64, {targets[element]});
    } else if (memory.sign_extends && bits < 32) {
      add(opcode::extend_signed, 32, {targets[element]}, {content}).from_bits =
          static_cast<std::uint8_t>(bits);
    } else {
      add(opcode::move, bits, {targets[element]}, {content});
      if (bits == 64) from_parameter_[targets[element]] = byte;
    }
  }
}

void ptx_emitter::emit_load(const ptx_statement& statement) {
  memory_access memory = memory_of(statement);
  const operand pointer = address(statement, operand_term(statement, 1), memory);
  std::vector<int> targets = destinations(statement, operand_term(statement, 0));
  memory.elements = static_cast<int>(targets.size());
  if (memory.memory == memory_kind::arguments && pointer.is == operand::kind::constant)
    return load_parameter(statement, memory, targets,
                          pointer.value + static_cast<std::uint64_t>(memory.offset));
  add(opcode::access, 64, std::move(targets), {pointer}).memory = memory;
}

void ptx_emitter::emit_store(const ptx_statement& statement) {
  memory_access memory = memory_of(statement);
  memory.operation = access_does::store;
  memory.sign_extends = false;
  std::vector<operand> sources = {address(statement, operand_term(statement, 0), memory)};
  const ptx_term& content = operand_term(statement, 1);
  if (content.is == ptx_term::kind::list)
    for (const ptx_term& term : content.parts)
      sources.push_back(value(statement, term, 8 * memory.bytes));
  else
    sources.push_back(value(statement, content, 8 * memory.bytes));
  memory.elements = static_cast<int>(sources.size()) - 1;
  add(opcode::access, 64, {}, std::move(sources)).memory = memory;
}

// atom.shared.add.u32 d, [a], b   red.global.add.f32 [a], b
void ptx_emitter::emit_atomic(const ptx_statement& statement) {
  memory_access memory = memory_of(statement);
  memory.operation = access_does::atomic;
  memory.sign_extends = false;
  const bool has_result = statement.parts[0] == "atom";
  const operand pointer = address(statement, operand_term(statement, has_result ? 1 : 0), memory);
  std::vector<int> targets;
  if (has_result) targets = destinations(statement, operand_term(statement, 0));
  add(opcode::access, 64, std::move(targets), {pointer}).memory = memory;
}

void ptx_emitter::emit_matrix(const ptx_statement& statement) {
  memory_access memory;
  const bool loads = statement.parts[0] == "ldmatrix";
  memory.operation = loads ? access_does::load_matrix : access_does::store_matrix;
  memory.memory = memory_kind::shared;
  memory.bytes = 16;
  memory.matrices = has_part(statement, "x4") ? 4 : has_part(statement, "x2") ? 2 : 1;
  const operand pointer = address(statement, operand_term(statement, loads ? 1 : 0), memory);
  std::vector<int> targets;
  if (loads) targets = destinations(statement, operand_term(statement, 0));
  add(opcode::access, 64, std::move(targets), {pointer}).memory = memory;
}

// wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {..}, [a], stride;
bool ptx_emitter::emit_fragment(const ptx_statement& statement) {
  matrix_fragment fragment;
  fragment.is_store = statement.parts[1] == "store";
  fragment.use = statement.parts[2] == "a"   ? fragment_use::a
                 : statement.parts[2] == "b" ? fragment_use::b
                                             : fragment_use::sum;
  fragment.is_row_major = has_part(statement, "row");
  bool has_shape = false, is_shared = false;
  memory_access memory;
  for (const std::string_view part : statement.parts) {
    has_shape = has_shape || set_shape(part, fragment);
    is_shared = is_shared || part.starts_with("shared");
    if (part == "global") memory.memory = memory_kind::global;
  }
  if (!has_shape || !set_element(statement.parts.back(), fragment)) return false;
  const fragment_accesses accesses = accesses_of(fragment, is_shared, module_.machine);
  if (accesses.starts.empty()) return false;
  if (is_shared) memory.memory = memory_kind::shared;
  memory.operation = matrix_access_of(fragment, accesses);
  memory.bytes = accesses.bytes;
  memory.matrices = accesses.matrices;
  const std::size_t first = fragment.is_store ? 0 : 1;
  const operand base = address(statement, operand_term(statement, first), memory);
  const int width = fragment.use == fragment_use::a ? fragment.k : fragment.n;
  const int height = fragment.use == fragment_use::b ? fragment.k : fragment.m;
  operand line =
      constant_operand(static_cast<std::uint64_t>(fragment.is_row_major ? width : height));
  const auto compute = [&](opcode code, std::vector<operand> sources) {
    return computed(code, 64, std::move(sources));
  };
  if (statement.operands.size() > 2) line = source(statement, 2, 32);
  line = compute(opcode::multiply,
                 {line, constant_operand(static_cast<std::uint64_t>(fragment.bits))});
  line = compute(opcode::shift_right_unsigned, {line, constant_operand(3)});
  add(opcode::warp_sync, 32, {}, {});
  const int content = new_register();
  add(opcode::unknown, 64, {content}, {}).description = "a matrix of wmma";
  if (!fragment.is_store)
    for (const int result : destinations(statement, operand_term(statement, 0)))
      add(opcode::unknown, 64, {result}, {}).description = "a matrix of wmma";
  add_fragment(accesses, base, line, compute, [&](const operand& pointer) {
    std::vector<int> targets;
    for (int i = 0; i < std::max(memory.matrices, 1) && !fragment.is_store; ++i)
      targets.push_back(new_register());
    std::vector<operand> operands = {pointer};
    if (fragment.is_store) operands.push_back(register_operand(content));
    add(opcode::access, 64, std::move(targets), std::move(operands)).memory = memory;
  });
  return true;
}

// cp.async.cg.shared.global [target], [origin], 16, bytes that are loaded;
void ptx_emitter::emit_copy(const ptx_statement& statement) {
  memory_access memory, source_memory;
  memory.operation = access_does::copy;
  memory.memory = memory_kind::shared;
  memory.uncached = has_part(statement, "cg");
  source_memory.memory = memory_kind::global;
  const operand target = address(statement, operand_term(statement, 0), memory);
  const operand base = address(statement, operand_term(statement, 1), source_memory);
  const operand origin = sum(base, source_memory.offset);
  const ptx_term& bytes = operand_term(statement, 2);
  if (bytes.is != ptx_term::kind::number ||
      (bytes.value != 4 && bytes.value != 8 && bytes.value != 16))
    wrong(statement, "a copy that is not of 4, 8 or 16 bytes");
  memory.bytes = static_cast<int>(bytes.value);
  std::vector<operand> operands = {target, origin};
  const bool has_policy = has_part(statement, "L2::cache_hint");
  if (statement.operands.size() > (has_policy ? 4u : 3u)) {
    operand size = source(statement, 3, 32);
    const ptx_term& size_term = operand_term(statement, 3);
    // A predicate says that nothing is loaded.
    const bool is_predicate =
        size_term.is == ptx_term::kind::word && is_predicate_register(statement, size_term);
    if (is_predicate)
      size =
          computed(opcode::select, 32, {size, constant_operand(0), constant_operand(bytes.value)});
    operands.push_back(size);
  }
  add(opcode::access, 64, {}, std::move(operands)).memory = memory;
}

bool ptx_emitter::is_predicate_register(const ptx_statement& statement,
                                        const ptx_term& term) const {
  const std::string_view stem = term.text.substr(0, term.text.find_last_not_of("0123456789") + 1);
  for (int index = statement.scope; index >= 0; index = scope(index).parent) {
    const ptx_scope& names = scope(index);
    if (const auto entry = names.registers.find(term.text); entry != names.registers.end())
      return entry->second == 1;
    if (const auto range = names.ranges.find(stem); range != names.ranges.end())
      return range->second == 1;
  }
  return false;
}

}  // namespace compiled
