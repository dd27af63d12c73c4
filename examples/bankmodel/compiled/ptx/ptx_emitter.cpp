// SPDX-License-Identifier: MIT
#include "ptx_emitter.hpp"

#include <algorithm>

#include "ptx_reader.hpp"

namespace compiled {

namespace {

constexpr long long most_instructions = 2'000'000;

std::uint64_t aligned(std::uint64_t offset, int alignment) {
  const auto size = static_cast<std::uint64_t>(std::max(alignment, 1));
  return (offset + size - 1) / size * size;
}

}  // namespace

ptx_type ptx_type_of(std::string_view text) {
  if (text == "pred") return {'p', 1};
  const int bytes = ptx_type_bytes(text);
  const bool is_plain = text.find('x') == std::string_view::npos && text[0] != 't' &&
                        !text.starts_with("bf") && bytes <= 8;
  return {is_plain ? text[0] : 'x', 8 * bytes};
}

std::vector<ptx_type> ptx_types_of(const ptx_statement& statement) {
  std::vector<ptx_type> result;
  for (const std::string_view part : statement.parts)
    if (part == "pred" || ptx_type_bytes(part) > 0) result.push_back(ptx_type_of(part));
  return result;
}

bool has_part(const ptx_statement& statement, std::string_view part) {
  return includes(statement.parts, part);
}

bool names_shared(const ptx_statement& statement) {
  return std::ranges::any_of(statement.parts,
                             [](std::string_view part) { return part.starts_with("shared"); });
}

ptx_emitter::ptx_emitter(const ptx_module& ptx, const ptx_function& kernel)
    : module_(ptx), kernel_(&kernel) {
  code_.linkage = std::string(kernel.name);
  code_.files = ptx.files;
  if (!ptx.has_places) code_.files = {"PTX"};
  code_.definition = ptx.has_places ? kernel.definition : place{0, kernel.line, 0};
  set_parameters(kernel);
  frame call_frame;
  call_frame.function = &kernel;
  begin_block(new_block());
  // The kernel's own arrays, in their order; those of the module follow where they are used.
  for (const ptx_variable& declared : kernel.variables)
    if (declared.space == ptx_space::shared) (void)address_of({}, declared);
  emit_function(call_frame);
  finish_parameters();
}

void ptx_emitter::set_parameters(const ptx_function& kernel) {
  std::uint64_t end = 0;
  for (const ptx_variable* parameter : kernel.parameters) {
    end = aligned(end, parameter->alignment);
    parameter_at_[parameter] = end;
    code_parameter result;
    result.name = "p" + std::to_string(code_.parameters.size());
    result.type = std::string(parameter->type);
    result.offset = static_cast<int>(end);
    result.bytes = static_cast<int>(std::min<std::uint64_t>(parameter->bytes, 1 << 16));
    if (parameter->is_pointer) pointers_.insert(end);
    // b32 may be either.
    const char begin = result.type.empty() ? 'b' : result.type[0];
    if (begin != 'b') result.holds = begin == 'f' ? value_kind::floating : value_kind::integer;
    code_.parameters.push_back(result);
    end += static_cast<std::uint64_t>(result.bytes);
  }
}

// Which parameters are pointers is known when all of the kernel was read.
void ptx_emitter::finish_parameters() {
  const std::size_t count = code_.parameters.size();
  for (std::size_t number = 0; number < count; ++number) {
    const code_parameter parameter = code_.parameters[number];
    const auto first = static_cast<std::uint64_t>(parameter.offset);
    if (parameter.bytes == 8) code_.parameters[number].is_pointer = pointers_.count(first) != 0;
    if (parameter.bytes <= 8) continue;
    std::uint64_t end = first;
    for (const auto& [offset, bytes] : fields_) {
      if (offset < end ||
          offset + static_cast<unsigned>(bytes) > first + static_cast<unsigned>(parameter.bytes))
        continue;
      code_parameter field;
      field.name = parameter.name + "+" + std::to_string(offset - first);
      field.offset = static_cast<int>(offset);
      field.bytes = bytes;
      field.is_pointer = bytes == 8 && pointers_.count(offset) != 0;
      code_.parameters.push_back(field);
      end = offset + static_cast<unsigned>(bytes);
    }
  }
}

void ptx_emitter::place_variables(frame& call_frame) {
  for (const ptx_variable& declared : call_frame.function->variables) {
    const bool is_local =
        declared.space == ptx_space::local ||
        (declared.space == ptx_space::parameter && parameter_at_.count(&declared) == 0);
    if (!is_local || call_frame.addresses.count(&declared) != 0) continue;
    call_frame.end = aligned(call_frame.end, std::max(declared.alignment, 8));
    call_frame.addresses[&declared] = call_frame.end;
    call_frame.end += declared.bytes;
  }
  if (call_frame.end > (1u << 24))
    throw ptx_error(call_frame.function->line, "local variables of more than 16 MiB in each thread",
                    "give a kernel with smaller local arrays");
  code_.local_bytes = std::max(code_.local_bytes, static_cast<int>(call_frame.end));
}

void ptx_emitter::emit_function(frame& call_frame) {
  frame* const outer = frame_;
  const ptx_statement* const outer_statement = statement_;
  frame_ = &call_frame;
  place_variables(call_frame);
  for (const ptx_statement& statement : call_frame.function->statements)
    if (!statement.label.empty())
      call_frame.labels[{statement.scope, statement.label}] = new_block();
  for (const ptx_statement& statement : call_frame.function->statements) {
    statement_ = &statement;
    if (statement.label.empty()) {
      emit(call_frame, statement);
    } else {
      const int block = call_frame.labels.at({statement.scope, statement.label});
      if (!has_ended_) jump(block);
      begin_block(block);
    }
  }
  if (!has_ended_) {
    if (call_frame.returns_to >= 0) {
      jump(call_frame.returns_to);
    } else {
      add(opcode::leave, 32, {}, {});
      has_ended_ = true;
      last_block_ = block_;
    }
  }
  frame_ = outer;
  statement_ = outer_statement;
}

void ptx_emitter::emit(frame& call_frame, const ptx_statement& statement) {
  if (has_ended_) begin_block(new_block());  // nothing goes there
  ++code_.blocks[slot(block_)].read_instructions;
  if (emit_control(call_frame, statement) || emit_memory(statement) || emit_conversion(statement) ||
      emit_arithmetic(statement))
    return;
  emit_unknown(statement);
}

int ptx_emitter::new_block() {
  code_.blocks.emplace_back();
  return static_cast<int>(code_.blocks.size()) - 1;
}

void ptx_emitter::begin_block(int block) {
  block_ = block;
  has_ended_ = false;
}

instruction& ptx_emitter::add(opcode code, int bits, std::vector<int> targets,
                              std::vector<operand> sources) {
  auto& instructions = code_.blocks[slot(block_)].instructions;
  if (++instructions_ > most_instructions)
    throw ptx_error(statement_ == nullptr ? kernel_->line : statement_->line,
                    "the kernel has more than 2 million instructions, its calls inlined",
                    "give a smaller kernel");
  instruction& added = instructions.emplace_back();
  added.operation = code;
  added.bits = added.from_bits = static_cast<std::uint8_t>(bits);
  for (const int target : targets) {
    from_parameter_.erase(target);
    scaled_.erase(target);
  }
  added.results = std::move(targets);
  added.operands = std::move(sources);
  if (statement_ == nullptr) return added;
  added.location = statement_->location;
  if (added.location.calls >= 0) {
    // Those of the module that this kernel has.
    const auto [number, is_new] =
        calls_.emplace(added.location.calls, static_cast<int>(code_.calls.size()));
    if (is_new) code_.calls.push_back(module_.calls[slot(added.location.calls)]);
    added.location.calls = number->second;
    added.location.shows_call = true;
  }
  if (!module_.has_places) added.location = {0, statement_->line, 0};
  if (!statement_->guard.empty() && code != opcode::branch && code != opcode::leave) {
    added.guard = find_register(*statement_, statement_->guard);
    added.guard_is_negated = statement_->guard_is_negated;
  }
  return added;
}

operand ptx_emitter::computed(opcode code, int bits, std::vector<operand> sources) {
  const int result = new_register();
  add(code, bits, {result}, std::move(sources));
  return register_operand(result);
}

instruction& ptx_emitter::add_unknown(const ptx_statement& statement, int bits,
                                      std::vector<int> targets, std::vector<operand> sources) {
  instruction& added = add(opcode::unknown, bits, std::move(targets), std::move(sources));
  added.description = std::string(statement.name);
  return added;
}

void ptx_emitter::jump(int block) {
  add(opcode::branch, 32, {}, {}).blocks = {block};
  has_ended_ = true;
}

void ptx_emitter::jump_if_guarded(const ptx_statement& statement, int block) {
  if (statement.guard.empty()) return jump(block);
  const int next = new_block();
  instruction& added =
      add(opcode::branch, 1, {}, {register_operand(find_register(statement, statement.guard))});
  added.blocks = {block, next};
  if (statement.guard_is_negated) std::swap(added.blocks[0], added.blocks[1]);
  begin_block(next);
}

}  // namespace compiled
