// SPDX-License-Identifier: MIT
#include "pointer_calls.hpp"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/Loads.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/CallPromotionUtils.h>

#include <algorithm>
#include <map>
#include <vector>

namespace compiled {

namespace {

llvm::CallBase* pointer_call(llvm::Instruction& instruction) {
  auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr || call->isInlineAsm() ||
      llvm::isa<llvm::Function>(call->getCalledOperand()->stripPointerCasts()))
    return nullptr;
  return call;
}

// What the code before has stored to where a load is from, as constructors do; none if it is not
// known.
llvm::Value* stored_before(llvm::LoadInst& load) {
  constexpr unsigned most_instructions = 1000;
  llvm::BasicBlock* block = load.getParent();
  auto position = load.getIterator();
  for (int blocks = 0; block != nullptr && blocks < 16; ++blocks) {
    llvm::Value* const value =
        llvm::FindAvailableLoadedValue(&load, block, position, most_instructions);
    if (value != nullptr) return value;
    if (position != block->begin()) return nullptr;  // something may have stored there
    block = block->getSinglePredecessor();
    if (block != nullptr) position = block->end();
  }
  return nullptr;
}

// The constant that a value is, also if it is loaded from one; none if it is not known.
llvm::Constant* known_constant(llvm::Value* value, const llvm::DataLayout& layout, int depth = 0) {
  if (auto* const known = llvm::dyn_cast<llvm::Constant>(value)) return known;
  auto* const load = llvm::dyn_cast<llvm::LoadInst>(value->stripPointerCasts());
  if (load == nullptr || load->isVolatile() || depth > 8) return nullptr;
  if (llvm::Value* const stored = stored_before(*load))
    return known_constant(stored, layout, depth + 1);
  llvm::Value* pointer = load->getPointerOperand();
  llvm::APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  pointer = pointer->stripAndAccumulateConstantOffsets(layout, offset, true);
  if (!llvm::isa<llvm::Constant>(pointer)) {
    llvm::Constant* const known = known_constant(pointer, layout, depth + 1);
    if (known == nullptr) return nullptr;
    llvm::APInt inner_offset(layout.getIndexTypeSizeInBits(known->getType()), 0);
    pointer = known->stripAndAccumulateConstantOffsets(layout, inner_offset, true);
    offset = offset.sextOrTrunc(inner_offset.getBitWidth()) + inner_offset;
  }
  if (auto* const cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(pointer))
    pointer = cast->getPointerOperand();
  auto* const variable = llvm::dyn_cast<llvm::GlobalVariable>(pointer);
  // The host may change others.
  if (variable == nullptr || !variable->isConstant() || !variable->hasDefinitiveInitializer())
    return nullptr;
  return llvm::ConstantFoldLoadFromConst(variable->getInitializer(), load->getType(), offset,
                                         layout);
}

// The functions that a pointer may be, and which of them it is.
struct choice {
  llvm::Function& function;
  const llvm::CallBase& call;
  std::vector<llvm::Function*> functions = {};
  std::map<llvm::Value*, llvm::Value*> numbers = {};
  bool is_known = true;

  llvm::Value* number_of(llvm::Value* pointer) {
    pointer = pointer->stripPointerCasts();
    const auto entry = numbers.find(pointer);
    if (entry != numbers.end()) return entry->second;
    llvm::Type* const type = llvm::Type::getInt32Ty(function.getContext());
    llvm::Value* const none = llvm::UndefValue::get(type);
    if (auto* const either = llvm::dyn_cast<llvm::SelectInst>(pointer)) {
      llvm::Value* const first = number_of(either->getTrueValue());
      llvm::Value* const second = number_of(either->getFalseValue());
      return numbers[pointer] =
                 llvm::IRBuilder<>(either).CreateSelect(either->getCondition(), first, second);
    }
    if (auto* const meets = llvm::dyn_cast<llvm::PHINode>(pointer)) {
      llvm::PHINode* const phi =
          llvm::IRBuilder<>(meets).CreatePHI(type, meets->getNumIncomingValues());
      numbers[pointer] = phi;
      for (unsigned i = 0; i < meets->getNumIncomingValues(); ++i)
        phi->addIncoming(number_of(meets->getIncomingValue(i)), meets->getIncomingBlock(i));
      return phi;
    }
    llvm::Constant* const known = known_constant(pointer, function.getParent()->getDataLayout());
    if (known != nullptr && (llvm::isa<llvm::UndefValue>(known) || known->isNullValue()))
      return numbers[pointer] = none;  // a call of it would not be one
    auto* const called =
        known == nullptr ? nullptr : llvm::dyn_cast<llvm::Function>(known->stripPointerCasts());
    is_known = is_known && called != nullptr && llvm::isLegalToPromote(call, called);
    if (!is_known) return none;
    const auto position = std::ranges::find(functions, called);
    const auto number = static_cast<std::uint64_t>(position - functions.begin());
    if (position == functions.end()) functions.push_back(called);
    return numbers[pointer] = llvm::ConstantInt::get(type, number);
  }
};

bool call_known_function(llvm::Function& function, llvm::CallBase& call) {
  choice targets{function, call};
  llvm::Value* const number = targets.number_of(call.getCalledOperand());
  if (!targets.is_known || targets.functions.empty()) return false;
  for (std::size_t i = 0; i + 1 < targets.functions.size(); ++i) {
    llvm::CallBase& direct = llvm::promoteCallWithIfThenElse(call, targets.functions[i]);
    // The condition compares numbers in place of addresses, which are not known.
    auto* const branch =
        llvm::cast<llvm::BranchInst>(direct.getParent()->getSinglePredecessor()->getTerminator());
    llvm::IRBuilder<> builder(branch);
    branch->setCondition(
        builder.CreateICmpEQ(number, llvm::ConstantInt::get(number->getType(), i)));
  }
  llvm::promoteCall(call, targets.functions.back());
  return true;
}

}  // namespace

bool has_pointer_calls(const llvm::Function& function) {
  return std::any_of(llvm::inst_begin(function), llvm::inst_end(function),
                     [](const llvm::Instruction& instruction) {
                       return pointer_call(const_cast<llvm::Instruction&>(instruction)) != nullptr;
                     });
}

bool call_known_functions(llvm::Function& function) {
  std::vector<llvm::CallBase*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (llvm::CallBase* const call = pointer_call(instruction)) calls.push_back(call);
  bool has_changed = false;
  for (llvm::CallBase* const call : calls)
    has_changed = call_known_function(function, *call) || has_changed;
  return has_changed;
}

}  // namespace compiled
