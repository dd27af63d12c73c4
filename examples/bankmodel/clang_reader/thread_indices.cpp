// SPDX-License-Identifier: MIT
#include "thread_indices.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <array>
#include <map>
#include <set>
#include <string>

namespace compiled {

namespace {

struct index_variable {
  const char *name, *values;  // of the prelude's functions, whose names end in _x, _y and _z
};
constexpr index_variable index_variables[] = {
    {"threadIdx", "thread"}, {"blockIdx", "block"}, {"blockDim", "threads"}, {"gridDim", "blocks"}};

bool has_three_numbers(const llvm::Type& type) {
  const auto* const structure = llvm::dyn_cast<llvm::StructType>(&type);
  return structure != nullptr && structure->getNumElements() == 3 &&
         structure->getElementType(0)->isIntegerTy(32);
}

// One of the constants, in all functions.
class index_definition {
 public:
  index_definition(llvm::Module& module, llvm::GlobalVariable& variable, const std::string& values)
      : module_(module), variable_(variable), values_(values) {}

  void run() {
    std::set<llvm::Instruction*> users;
    add_users(variable_, users);
    for (llvm::Instruction* const user : users) replace_operands(*user);
  }

 private:
  static void add_users(llvm::Constant& constant, std::set<llvm::Instruction*>& users) {
    for (llvm::User* const user : constant.users())
      if (auto* const instruction = llvm::dyn_cast<llvm::Instruction>(user))
        users.insert(instruction);
      else if (auto* const expression = llvm::dyn_cast<llvm::ConstantExpr>(user))
        add_users(*expression, users);
  }

  void replace_operands(llvm::Instruction& user) {
    auto* const phi = llvm::dyn_cast<llvm::PHINode>(&user);
    for (unsigned number = 0; number < user.getNumOperands(); ++number) {
      auto* const constant = llvm::dyn_cast<llvm::Constant>(user.getOperand(number));
      if (constant == nullptr || !depends(*constant)) continue;
      llvm::Instruction& position =
          phi == nullptr ? user : *phi->getIncomingBlock(number)->getTerminator();
      user.setOperand(number, made_before(position, *constant));
    }
  }

  bool depends(const llvm::Constant& constant) const {
    if (&constant == &variable_) return true;
    if (!llvm::isa<llvm::ConstantExpr>(constant)) return false;
    for (const llvm::Use& operand : constant.operands())
      if (depends(*llvm::cast<llvm::Constant>(operand.get()))) return true;
    return false;
  }

  // The constant with the function's variable instead.
  llvm::Value* made_before(llvm::Instruction& place, llvm::Constant& constant) {
    if (&constant == &variable_) {
      llvm::IRBuilder<> builder(&place);
      return builder.CreateAddrSpaceCast(variable_in(*place.getFunction()), variable_.getType());
    }
    auto& expression = llvm::cast<llvm::ConstantExpr>(constant);
    llvm::Value* const local = variable_in(*place.getFunction());
    // Of the constant's memory to that of all pointers, which the variable is in.
    if (expression.getOpcode() == llvm::Instruction::AddrSpaceCast &&
        expression.getOperand(0) == &variable_ && expression.getType() == local->getType())
      return local;
    llvm::Instruction* const computation = expression.getAsInstruction();
    for (unsigned number = 0; number < computation->getNumOperands(); ++number)
      if (auto* const operand = llvm::dyn_cast<llvm::Constant>(computation->getOperand(number)))
        if (depends(*operand)) computation->setOperand(number, made_before(place, *operand));
    computation->insertBefore(&place);
    return computation;
  }

  llvm::Value* variable_in(llvm::Function& function) {
    llvm::Value*& local_variable = variables_[&function];
    if (local_variable != nullptr) return local_variable;
    llvm::BasicBlock& entry = function.getEntryBlock();
    llvm::IRBuilder<> builder(&entry, entry.getFirstInsertionPt());
    llvm::Type* const type = variable_.getValueType();
    llvm::AllocaInst* const local = builder.CreateAlloca(type, nullptr, variable_.getName());
    constexpr std::array<const char*, 3> axes = {"x", "y", "z"};
    for (unsigned axis = 0; axis < axes.size(); ++axis)
      builder.CreateStore(builder.CreateCall(value_of(axes[axis])),
                          builder.CreateStructGEP(type, local, axis));
    return local_variable = local;
  }

  llvm::FunctionCallee value_of(const char* axis) {
    llvm::FunctionCallee result =
        module_.getOrInsertFunction("__bankmodel_special_" + values_ + "_" + axis,
                                    llvm::Type::getInt32Ty(module_.getContext()));
    auto* const function = llvm::cast<llvm::Function>(result.getCallee());
    function->setDoesNotAccessMemory();
    function->setDoesNotThrow();
    return result;
  }

  llvm::Module& module_;
  llvm::GlobalVariable& variable_;
  std::string values_;
  std::map<llvm::Function*, llvm::Value*> variables_;
};

}  // namespace

void define_thread_indices(llvm::Module& module) {
  for (const index_variable& index : index_variables) {
    llvm::GlobalVariable* const variable = module.getGlobalVariable(index.name);
    if (variable == nullptr || !variable->isDeclaration() ||
        !has_three_numbers(*variable->getValueType()))
      continue;
    index_definition(module, *variable, index.values).run();
    variable->removeDeadConstantUsers();
    if (variable->use_empty()) variable->eraseFromParent();
  }
}

}  // namespace compiled
