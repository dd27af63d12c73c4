// SPDX-License-Identifier: MIT
#include "unset_values.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include <string>
#include <vector>

namespace compiled {

namespace {

bool computes_integer(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::BinaryOperator>(instruction) || llvm::isa<llvm::CastInst>(instruction) ||
         llvm::isa<llvm::ICmpInst>(instruction) || llvm::isa<llvm::GetElementPtrInst>(instruction);
}

llvm::Value* unset(llvm::Instruction& position, llvm::Type* type) {
  std::string name = unset_value;
  llvm::raw_string_ostream(name) << *type;
  llvm::FunctionCallee called =
      position.getModule()->getOrInsertFunction(name, llvm::FunctionType::get(type, false));
  auto* const function = llvm::cast<llvm::Function>(called.getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  return llvm::IRBuilder<>(&position).CreateCall(called);
}

}  // namespace

void name_unset_values(llvm::Function& function) {
  std::vector<llvm::Use*> uses;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!computes_integer(instruction)) continue;
    for (llvm::Use& use : instruction.operands())
      if (llvm::isa<llvm::UndefValue>(use.get()) && use->getType()->isIntegerTy())
        uses.push_back(&use);
  }
  for (llvm::Use* const use : uses)
    use->set(unset(*llvm::cast<llvm::Instruction>(use->getUser()), use->get()->getType()));
}

}  // namespace compiled
