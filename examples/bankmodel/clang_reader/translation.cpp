// SPDX-License-Identifier: MIT
#include "translation.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <algorithm>

#include "../compiled/code/shown_places.hpp"
#include "../included_headers.hpp"

namespace compiled {

namespace {

bool is_used_in(const llvm::Value& value, const llvm::Function& function) {
  return std::any_of(value.user_begin(), value.user_end(), [&](const llvm::User* user) {
    const auto* const instruction = llvm::dyn_cast<llvm::Instruction>(user);
    return instruction != nullptr ? instruction->getFunction() == &function
                                  : is_used_in(*user, function);
  });
}

}  // namespace

translation::translation(const llvm::Function& function, const parsed_source& source,
                         const std::string& path)
    : function_(function),
      source_(source),
      path_(path),
      layout_(function.getParent()->getDataLayout()) {}

std::vector<const llvm::GlobalVariable*> shared_arrays_of(const llvm::Function& kernel) {
  std::vector<const llvm::GlobalVariable*> result;
  for (const llvm::GlobalVariable& array : kernel.getParent()->globals())
    if (array.getAddressSpace() == 3 && is_used_in(array, kernel)) result.push_back(&array);
  return result;
}

std::string full_name(const llvm::DIScope& scope, const std::string& path) {
  return full_name(scope.getFilename().str(), scope.getDirectory().str(), path);
}

std::string full_name(const std::string& file, const std::string& folder, const std::string& path) {
  std::string name = file;
  if (!llvm::sys::path::is_absolute(name) && name != path) {
    llvm::SmallString<256> full(folder);
    llvm::sys::path::append(full, name);
    name = full.str().str();
  }
  // The name of an #include for Windows.
  if (name.find('\\') != name.npos && !llvm::sys::fs::exists(name))
    name = command_line::with_slashes(name);
  return name != path && llvm::sys::fs::equivalent(name, path) ? path : name;
}

kernel_code translation::result() { return result(shared_arrays_of(function_)); }

kernel_code translation::result(const std::vector<const llvm::GlobalVariable*>& shared) {
  code_.linkage = code_.name = function_.getName().str();
  code_.lanes = source_.lanes;
  code_.loops_are_as_written = true;
  code_.files.push_back(path_);
  code_.statements = source_.statements;
  if (const llvm::DISubprogram* const declared = function_.getSubprogram())
    code_.definition = {file_number(full_name(*declared, path_)),
                        static_cast<int>(declared->getLine()), 0};
  const llvm::ReversePostOrderTraversal<const llvm::Function*> order(&function_);
  for (const llvm::BasicBlock* const block : order) {
    blocks_[block] = static_cast<int>(code_.blocks.size());
    code_.blocks.emplace_back();
    for (const llvm::PHINode& phi : block->phis()) {
      operands& targets = values_[&phi];
      for (std::size_t i = widths_of(phi.getType()).size(); i > 0; --i)
        targets.push_back(new_operand());
    }
  }
  add_parameters();
  // Arrays in shared memory follow one another as they are declared, as in nvcc's PTX.
  for (const llvm::GlobalVariable* const array : shared) (void)global_operand(array);
  for (const llvm::BasicBlock* const block : order) add_block(*block);
  for (const code_block& block : code_.blocks) {
    if (block.instructions.empty()) continue;
    const place& position = block.instructions.back().location;
    if (position.line <= 0) continue;
    std::string name = code_.files[slot(position.file)];
    name.erase(0, name.rfind('/') + 1);
    const std::pair line(position.file, position.line);
    const source_conditions& conditions = source_.conditions;
    if (conditions.guarded_jumps.count({name, position.line}) > 0) code_.guarded_jumps.insert(line);
    if (const auto branch = conditions.else_branches.find({name, position.line});
        branch != conditions.else_branches.end())
      code_.else_branches.emplace(line, branch->second);
  }
  return std::move(code_);
}

void translation::add_parameters() {
  const declared_kernel* declared = nullptr;
  for (const declared_kernel& kernel : source_.kernels)
    if (kernel.linkage == code_.linkage) declared = &kernel;
  if (declared != nullptr) {
    code_.name = declared->name;
    code_.most_threads = declared->most_threads;
    code_.required_cluster = declared->required_cluster;
    code_.named_at = declared->named_at;
  }
  const bool is_named = declared != nullptr && declared->parameters.size() == function_.arg_size();

  std::uint64_t offset = 0;
  std::vector<code_parameter> fields;
  for (const llvm::Argument& argument : function_.args()) {
    llvm::Type* type = argument.getType();
    const bool in_memory = argument.hasByValAttr() || argument.hasByRefAttr();
    if (in_memory)
      type = argument.hasByValAttr() ? argument.getParamByValType() : argument.getParamByRefType();
    const std::uint64_t bytes = layout_.getTypeAllocSize(type).getFixedValue();
    std::uint64_t alignment = layout_.getABITypeAlign(type).value();
    if (in_memory) alignment = std::max(alignment, argument.getParamAlign().valueOrOne().value());
    offset = (offset + alignment - 1) / alignment * alignment;

    code_parameter parameter{"p" + std::to_string(argument.getArgNo()), "",
                             static_cast<int>(offset), static_cast<int>(bytes),
                             type->isPointerTy()};
    if (type->isFloatingPointTy()) parameter.holds = value_kind::floating;
    if (type->isIntegerTy()) parameter.holds = value_kind::integer;
    if (is_named) {
      const auto& source = declared->parameters[argument.getArgNo()];
      if (!source.name.empty()) parameter.name = source.name;
      parameter.type = source.type;
      parameter.is_pointer = source.is_pointer;
      for (code_parameter field : source.fields) {
        field.offset += parameter.offset;
        if (!source.name.empty()) fields.push_back(field);
      }
    }
    code_.parameters.push_back(parameter);

    operands values;
    if (in_memory) {
      values.push_back(constant(argument_window + offset));
    } else {
      std::uint64_t position = offset;
      for (const int bits : widths_of(type)) {
        const auto size = static_cast<std::uint64_t>((bits + 7) / 8);
        position = (position + size - 1) / size * size;  // members of a structure are aligned
        values.push_back(computed(opcode::move, bits, {{operand::kind::argument_bytes, position}}));
        position += size;
      }
    }
    set(argument, values);
    offset += bytes;
  }
  // Launches and numbers count the arguments themselves.
  append(code_.parameters, fields);
}

void translation::add_block(const llvm::BasicBlock& block) {
  block_ = static_cast<std::size_t>(blocks_.at(&block));
  for (const llvm::Instruction& operation : block) {
    location_ = place_of(operation.getDebugLoc());
    if (llvm::isa<llvm::PHINode>(operation)) continue;
    if (!llvm::isa<llvm::DbgInfoIntrinsic>(operation)) ++code_.blocks[block_].read_instructions;
    if (operation.isTerminator() && location_.line == 0) location_ = place_of_condition(operation);
    if (operation.isTerminator())
      add_end(operation);
    else
      add_instruction(operation);
  }
}

void translation::add_instruction(const llvm::Instruction& operation) {
  if (add_arithmetic(operation) || add_memory(operation)) return;
  if (const auto* const call = llvm::dyn_cast<llvm::CallBase>(&operation)) return add_call(*call);
  set_unknown(operation, operation.getOpcodeName());
}

void translation::add_end(const llvm::Instruction& end) {
  instruction last;
  if (const auto* const branch = llvm::dyn_cast<llvm::BranchInst>(&end)) {
    last.operation = opcode::branch;
    if (branch->isConditional()) {
      last.bits = 1;
      last.operands = {value_of(branch->getCondition())};
    } else {
      add_moves(*end.getParent(), *branch->getSuccessor(0));
    }
    for (unsigned i = 0; i < branch->getNumSuccessors(); ++i)
      last.blocks.push_back(blocks_.at(branch->getSuccessor(i)));
    if (last.blocks.size() == 2 && last.blocks[0] == last.blocks[1]) {
      add_moves(*end.getParent(), *branch->getSuccessor(0));
      last.operands.clear();
      last.blocks.pop_back();
    }
  } else {
    if (!llvm::isa<llvm::ReturnInst>(end) && !llvm::isa<llvm::UnreachableInst>(end))
      (void)unknown(0, std::string("a jump by ") + end.getOpcodeName());
    last.operation = opcode::leave;
    if (llvm::isa<llvm::UnreachableInst>(end)) last.description = "trap";
  }
  add(std::move(last));
}

// What the phi nodes of `successor` become on this edge, all at the same time. Edges from blocks
// with several successors to blocks with several predecessors were split.
void translation::add_moves(const llvm::BasicBlock& block, const llvm::BasicBlock& successor) {
  std::vector<std::pair<operand, operand>> moves;
  std::vector<int> widths;
  for (const llvm::PHINode& phi : successor.phis()) {
    const operands& targets = values_.at(&phi);
    const operands sources = values_of(phi.getIncomingValueForBlock(&block));
    const std::vector<int> bits = widths_of(phi.getType());
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const operand source = set_value(sources[i]);
      if (source.is == operand::kind::reg && source.value == targets[i].value) continue;
      moves.emplace_back(targets[i], source);
      widths.push_back(bits[i]);
    }
  }
  for (auto& [target, source] : moves) {
    const bool is_target = source.is == operand::kind::reg &&
                           std::ranges::any_of(moves, [&source = source](const auto& other) {
                             return other.first.value == source.value;
                           });
    if (is_target && moves.size() > 1) source = computed(opcode::move, 64, {source});
  }
  for (std::size_t i = 0; i < moves.size(); ++i) {
    instruction move;
    move.operation = opcode::move;
    move.bits = static_cast<std::uint8_t>(widths[i]);
    move.results = {static_cast<int>(moves[i].first.value)};
    move.operands = {moves[i].second};
    add(std::move(move));
  }
}

int translation::file_number(const std::string& name) {
  const auto position = std::ranges::find(code_.files, name);
  if (position == code_.files.end()) {
    code_.files.push_back(name);
    return static_cast<int>(code_.files.size()) - 1;
  }
  return static_cast<int>(position - code_.files.begin());
}

// LLVM makes one branch of several without a place. A branch on data has to have one, by which
// people name it: that of the first part of its condition that has a place.
place translation::place_of_condition(const llvm::Instruction& end) {
  const auto* const branch = llvm::dyn_cast<llvm::BranchInst>(&end);
  if (branch == nullptr || !branch->isConditional()) return {};
  std::vector<const llvm::Value*> parts = {branch->getCondition()};
  constexpr std::size_t most_parts = 32;
  for (std::size_t index = 0; index < parts.size() && parts.size() < most_parts; ++index) {
    const auto* const part = llvm::dyn_cast<llvm::Instruction>(parts[index]);
    if (part == nullptr) continue;
    const place position = place_of(part->getDebugLoc());
    if (position.line != 0) return position;
    parts.insert(parts.end(), part->value_op_begin(), part->value_op_end());
  }
  return {};
}

place translation::location_place(const llvm::DILocation& location) {
  return {file_number(full_name(*location.getScope(), path_)), static_cast<int>(location.getLine()),
          static_cast<int>(location.getColumn())};
}

// Copies of inlined code have the same calls around them.
int translation::calls_number(const llvm::DILocation& inlined) {
  std::vector<place> calls;
  std::vector<std::array<int, 3>> key;
  for (const llvm::DILocation* call = &inlined; call != nullptr; call = call->getInlinedAt()) {
    if (call->getLine() == 0) continue;
    const place& position = calls.emplace_back(location_place(*call));
    key.push_back({position.file, position.line, position.column});
  }
  const auto [number, is_new] =
      calls_by_lines_.emplace(std::move(key), static_cast<int>(code_.calls.size()));
  if (is_new) code_.calls.push_back(std::move(calls));
  return number->second;
}

// The innermost place that is in the folder of the file that was named, or else the outermost in
// that file: the functions of the prelude and of libraries have the place of their call.
place translation::place_of(const llvm::DebugLoc& location) {
  const llvm::DILocation* current = location.get();
  const auto is_ours = [](const llvm::DILocation& candidate) {
    return candidate.getFilename().str().rfind(own_folder, 0) == 0;
  };
  while (current != nullptr && is_ours(*current) && current->getInlinedAt() != nullptr)
    current = current->getInlinedAt();
  if (current == nullptr || current->getLine() == 0) return {};
  place result = location_place(*current);
  if (current->getInlinedAt() == nullptr) return result;
  const auto [number, is_new] = calls_by_location_.try_emplace(current, -1);
  if (is_new) number->second = calls_number(*current);
  result.calls = number->second;
  if (is_of_the_project(result.file)) return result;
  const std::vector<place>& calls = code_.calls[slot(result.calls)];
  for (auto call = calls.rbegin(); call != calls.rend(); ++call) {
    if (code_.files[slot(call->file)] != path_) continue;
    place shown = *call;
    shown.calls = result.calls;
    shown.shows_call = true;
    return shown;
  }
  return result;
}

bool translation::is_of_the_project(int file) {
  const auto [known, is_new] = is_of_the_project_.emplace(file, false);
  if (is_new) known->second = is_in_folder_of(path_, code_.files[slot(file)]);
  return known->second;
}

}  // namespace compiled
