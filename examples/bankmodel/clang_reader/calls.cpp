// SPDX-License-Identifier: MIT
// Calls of functions without a body: LLVM's intrinsics, the prelude's and the C library's.
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <set>

#include "lowering.hpp"
#include "translation.hpp"
#include "unset_values.hpp"

namespace compiled {

namespace {

constexpr std::string_view without_effect[] = {"llvm.dbg.",
                                               "llvm.lifetime.",
                                               "llvm.assume",
                                               "llvm.invariant.",
                                               "llvm.experimental.noalias",
                                               "llvm.donothing",
                                               "llvm.sideeffect",
                                               "llvm.prefetch",
                                               "vprintf",
                                               "llvm.var.annotation",
                                               "llvm.amdgcn.s.waitcnt",
                                               "llvm.amdgcn.sched",
                                               "__nanosleep",
                                               "__bankmodel_needed",
                                               "llvm.nvvm.cp.async.commit"};

// Why a call is not modelled, as a person wrote it: expf().
std::string readable(std::string_view name) {
  std::string text = llvm::demangle(std::string(name));
  if (starts_with(text, "llvm.") && text.find('.', 5) != std::string::npos &&
      !starts_with(text, "llvm.nvvm.") && !starts_with(text, "llvm.amdgcn."))
    text = text.substr(5, text.find('.', 5) - 5);  // llvm.exp.f32
  // The result's type comes first: unsigned int fetch<unsigned int>(int).
  int depth = 0;
  std::size_t first = 0, end = 0;
  for (; end < text.size() && (text[end] != '(' || depth > 0); ++end) {
    depth += text[end] == '<' ? 1 : text[end] == '>' ? -1 : 0;
    if (text[end] == ' ' && depth == 0) first = end + 1;
  }
  text = text.substr(first, end - first);
  constexpr std::string_view own = "__bankmodel_";
  if (!starts_with(text, own)) return text + "()";
  // Of the prelude: nobody has written that name.
  text = text.substr(own.size());
  std::ranges::replace(text, '_', ' ');
  return "a built-in function (" + text + ")";
}

}  // namespace

void translation::add_call(const llvm::CallBase& call) {
  if (call.isInlineAsm()) return add_assembly(call);
  const auto* const called =
      llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCasts());
  if (called == nullptr) return add_unknown_call("a call through a pointer", call);
  const llvm::StringRef text = called->getName();
  const std::string_view name(text.data(), text.size());
  for (const std::string_view prefix : without_effect)
    if (starts_with(name, prefix)) {
      if (!call.getType()->isVoidTy()) set_unknown(call, readable(name));
      return;
    }
  if (starts_with(name, unset_value)) return set_unknown(call, "a variable without a value");
  if (add_integer_call(name, call) || add_float_call(name, call) || add_warp_call(name, call) ||
      add_memory_call(name, call) || add_amd_call(name, call))
    return;
  add_unknown_call(
      called->isDeclaration() ? readable(name) : "a recursive call of " + readable(name), call);
}

// The bytes of a local variable become unknown.
void translation::forget_variable(const llvm::AllocaInst& variable, const operands& inputs) {
  const auto count = llvm::dyn_cast<llvm::ConstantInt>(variable.getArraySize());
  if (count == nullptr) return;
  const std::uint64_t bytes =
      layout_.getTypeAllocSize(variable.getAllocatedType()).getFixedValue() * count->getZExtValue();
  const operand changed =
      unknown(1, "a variable that a function which is not modelled has", inputs)[0];
  for (std::uint64_t offset = 0; offset < bytes;) {
    const int size = bytes - offset >= 8 ? 8 : 1;
    instruction store =
        access(access_does::store, &variable, size, 1, static_cast<long long>(offset));
    store.operands.push_back(changed);
    add(std::move(store));
    offset += static_cast<std::uint64_t>(size);
  }
}

// It may access shared memory if it has a pointer that may be one into it. What it accesses in
// global memory is left out.
void translation::add_unknown_call(std::string_view name, const llvm::CallBase& call) {
  instruction step;
  step.operation = opcode::unknown;
  step.bits = 64;
  step.description = std::string(name);
  const bool accesses = !call.doesNotAccessMemory();
  const auto* const called =
      llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCasts());
  if (called == nullptr || !called->isDeclaration()) step.may_access_shared = true;
  const bool is_texture = starts_with(name, "tex") || starts_with(name, "surf");
  step.may_access_global = accesses && is_texture;
  std::set<const llvm::AllocaInst*> variables;
  for (const llvm::Use& argument : call.args()) {
    if (!accesses || !argument->getType()->isPointerTy()) continue;
    const memory_kind memory = memory_of(argument.get());
    step.may_access_global = step.may_access_global || memory == memory_kind::global;
    for (const llvm::Value* const object : objects_of(argument.get()))
      if (const auto* const variable = llvm::dyn_cast<llvm::AllocaInst>(object))
        variables.insert(variable);
    if (step.may_access_shared) continue;
    if (memory != memory_kind::shared && memory != memory_kind::generic) continue;
    step.may_access_shared = true;
    step.operands = {value_of(argument.get())};
  }
  if (!step.may_access_shared && !step.may_access_global) step.operands = numbers_in(call);
  add_with_results(std::move(step), call);
  for (const llvm::AllocaInst* const variable : variables)
    forget_variable(*variable, numbers_in(call));
}

}  // namespace compiled
