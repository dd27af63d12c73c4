// SPDX-License-Identifier: MIT
#include "ptx_emitter.hpp"

#include <algorithm>

#include "ptx_reader.hpp"

namespace compiled {

namespace {

constexpr long long most_instructions = 2'000'000;

std::uint64_t aligned(std::uint64_t at, int to) {
  const auto size = static_cast<std::uint64_t>(std::max(to, 1));
  return (at + size - 1) / size * size;
}

}  // namespace

ptx_type ptx_type_of(std::string_view text) {
  if (text == "pred") return {'p', 1};
  const int bytes = ptx_type_bytes(text);
  const bool is_plain = text.find('x') == std::string_view::npos && text[0] != 't' &&
                        !text.starts_with("bf") && bytes <= 8;
  return {is_plain ? text[0] : 'x', 8 * bytes};
}

std::vector<ptx_type> ptx_types_of(const ptx_statement& one) {
  std::vector<ptx_type> result;
  for (const std::string_view part : one.parts)
    if (part == "pred" || ptx_type_bytes(part) > 0) result.push_back(ptx_type_of(part));
  return result;
}

bool has_part(const ptx_statement& one, std::string_view part) {
  return std::find(one.parts.begin(), one.parts.end(), part) != one.parts.end();
}

ptx_emitter::ptx_emitter(const ptx_module& from, const ptx_function& kernel)
    : module_(from), kernel_(&kernel) {
  made_.linkage = std::string(kernel.name);
  made_.files = from.files;
  if (!from.has_places) made_.files = {"PTX"};
  made_.definition = from.has_places ? kernel.definition : place{0, kernel.line, 0};
  set_parameters(kernel);
  frame in;
  in.function = &kernel;
  begin_block(new_block());
  // The kernel's own arrays, in their order; those of the module follow where they are used.
  for (const ptx_variable& one : kernel.variables)
    if (one.space == ptx_space::shared) (void)address_of({}, one);
  emit_function(in);
  finish_parameters();
}

void ptx_emitter::set_parameters(const ptx_function& kernel) {
  std::uint64_t end = 0;
  for (const ptx_variable* one : kernel.parameters) {
    end = aligned(end, one->alignment);
    parameter_at_[one] = end;
    code_parameter made;
    made.name = "p" + std::to_string(made_.parameters.size());
    made.type = std::string(one->type);
    made.offset = static_cast<int>(end);
    made.bytes = static_cast<int>(std::min<std::uint64_t>(one->bytes, 1 << 16));
    if (one->is_pointer) pointers_.insert(end);
    // b32 may be either.
    const char begin = made.type.empty() ? 'b' : made.type[0];
    if (begin != 'b') made.holds = begin == 'f' ? value_kind::floating : value_kind::integer;
    made_.parameters.push_back(made);
    end += static_cast<std::uint64_t>(made.bytes);
  }
}

// Which parameters are pointers is known when all of the kernel was read.
void ptx_emitter::finish_parameters() {
  const std::size_t count = made_.parameters.size();
  for (std::size_t at = 0; at < count; ++at) {
    const code_parameter whole = made_.parameters[at];
    const auto first = static_cast<std::uint64_t>(whole.offset);
    if (whole.bytes == 8) made_.parameters[at].is_pointer = pointers_.count(first) != 0;
    if (whole.bytes <= 8) continue;
    std::uint64_t end = first;
    for (const auto& [offset, bytes] : fields_) {
      if (offset < end ||
          offset + static_cast<unsigned>(bytes) > first + static_cast<unsigned>(whole.bytes))
        continue;
      code_parameter field;
      field.name = whole.name + "+" + std::to_string(offset - first);
      field.offset = static_cast<int>(offset);
      field.bytes = bytes;
      field.is_pointer = bytes == 8 && pointers_.count(offset) != 0;
      made_.parameters.push_back(field);
      end = offset + static_cast<unsigned>(bytes);
    }
  }
}

void ptx_emitter::place_variables(frame& in) {
  for (const ptx_variable& one : in.function->variables) {
    const bool is_local = one.space == ptx_space::local ||
                          (one.space == ptx_space::parameter && parameter_at_.count(&one) == 0);
    if (!is_local || in.at.count(&one) != 0) continue;
    in.end = aligned(in.end, std::max(one.alignment, 8));
    in.at[&one] = in.end;
    in.end += one.bytes;
  }
  if (in.end > (1u << 24))
    throw ptx_error(in.function->line, "local variables of more than 16 MiB in each thread",
                    "give a kernel with smaller local arrays");
  made_.local_bytes = std::max(made_.local_bytes, static_cast<int>(in.end));
}

void ptx_emitter::emit_function(frame& in) {
  frame* const outer = now_;
  const ptx_statement* const outer_statement = statement_;
  now_ = &in;
  place_variables(in);
  for (const ptx_statement& one : in.function->statements)
    if (!one.label.empty()) in.labels[{one.scope, one.label}] = new_block();
  for (const ptx_statement& one : in.function->statements) {
    statement_ = &one;
    if (one.label.empty()) {
      emit(in, one);
    } else {
      const int block = in.labels.at({one.scope, one.label});
      if (!has_ended_) jump(block);
      begin_block(block);
    }
  }
  if (!has_ended_) {
    if (in.returns_to >= 0) {
      jump(in.returns_to);
    } else {
      add(opcode::leave, 32, {}, {});
      has_ended_ = true;
      last_block_ = block_;
    }
  }
  now_ = outer;
  statement_ = outer_statement;
}

void ptx_emitter::emit(frame& in, const ptx_statement& one) {
  if (has_ended_) begin_block(new_block());  // nothing goes there
  if (emit_control(in, one) || emit_memory(one) || emit_conversion(one) || emit_arithmetic(one))
    return;
  emit_unknown(one);
}

int ptx_emitter::new_block() {
  made_.blocks.emplace_back();
  return static_cast<int>(made_.blocks.size()) - 1;
}

void ptx_emitter::begin_block(int block) {
  block_ = block;
  has_ended_ = false;
}

instruction& ptx_emitter::add(opcode does, int bits, std::vector<int> to,
                              std::vector<operand> from) {
  auto& all = made_.blocks[static_cast<std::size_t>(block_)].instructions;
  if (++instructions_ > most_instructions)
    throw ptx_error(statement_ == nullptr ? kernel_->line : statement_->line,
                    "the kernel has more than 2 million instructions, its calls inlined",
                    "give a smaller kernel");
  instruction& made = all.emplace_back();
  made.does = does;
  made.bits = made.from_bits = static_cast<std::uint8_t>(bits);
  for (const int one : to) {
    from_parameter_.erase(one);
    scaled_.erase(one);
  }
  made.to = std::move(to);
  made.from = std::move(from);
  if (statement_ == nullptr) return made;
  made.where = statement_->where;
  if (made.where.calls >= 0) {
    // Those of the module that this kernel has.
    const auto [number, is_new] =
        calls_.emplace(made.where.calls, static_cast<int>(made_.calls.size()));
    if (is_new) made_.calls.push_back(module_.calls[static_cast<std::size_t>(made.where.calls)]);
    made.where.calls = number->second;
    made.where.shows_call = true;
  }
  if (!module_.has_places) made.where = {0, statement_->line, 0};
  if (!statement_->guard.empty() && does != opcode::branch && does != opcode::leave) {
    made.guard = find_register(*statement_, statement_->guard);
    made.guard_is_negated = statement_->guard_is_negated;
  }
  return made;
}

void ptx_emitter::jump(int block) {
  add(opcode::branch, 32, {}, {}).blocks = {block};
  has_ended_ = true;
}

void ptx_emitter::jump_if_guarded(const ptx_statement& one, int block) {
  if (one.guard.empty()) return jump(block);
  const int next = new_block();
  instruction& made = add(opcode::branch, 1, {}, {register_operand(find_register(one, one.guard))});
  made.blocks = {block, next};
  if (one.guard_is_negated) std::swap(made.blocks[0], made.blocks[1]);
  begin_block(next);
}

}  // namespace compiled
