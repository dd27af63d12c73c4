// SPDX-License-Identifier: MIT
#include "lowering.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Operator.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/BreakCriticalEdges.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>

#include <algorithm>

namespace compiled {

namespace {

// LLVM's SimplifyCFG would make one switch of branches on one variable. Its arms meet later than
// the branches do, so the lanes of a request would be apart.
struct cleaned_blocks : llvm::PassInfoMixin<cleaned_blocks> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    for (llvm::BasicBlock& each : function) llvm::ConstantFoldTerminator(&each, true);
    llvm::removeUnreachableBlocks(function);
    for (auto at = function.begin(); at != function.end();) {
      llvm::BasicBlock& each = *at;
      ++at;
      llvm::MergeBlockIntoPredecessor(&each);
    }
    return llvm::PreservedAnalyses::none();
  }
};

#if LLVM_VERSION_MAJOR >= 15
// Newer versions write the test of a loop that runs once as a value that is true before the loop
// and false in it. Loops are described by what their tests compare: the iterations are counted, and
// the value is whether there was none.
struct tests_that_compare : llvm::PassInfoMixin<tests_that_compare> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    for (llvm::Loop* const loop :
         analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
      llvm::BasicBlock* const header = loop->getHeader();
      std::vector<llvm::PHINode*> found;
      for (llvm::PHINode& each : header->phis())
        if (each.getType()->isIntegerTy(1) && each.getNumIncomingValues() == 2 &&
            loop->contains(each.getIncomingBlock(0)) != loop->contains(each.getIncomingBlock(1)))
          found.push_back(&each);
      for (llvm::PHINode* const each : found) count(*each, *header, *loop);
    }
    return llvm::PreservedAnalyses::none();
  }

 private:
  static void count(llvm::PHINode& test, llvm::BasicBlock& header, const llvm::Loop& loop) {
    const unsigned in = loop.contains(test.getIncomingBlock(0)) ? 0 : 1;
    const auto* const first = llvm::dyn_cast<llvm::ConstantInt>(test.getIncomingValue(1 - in));
    const auto* const later = llvm::dyn_cast<llvm::ConstantInt>(test.getIncomingValue(in));
    if (first == nullptr || later == nullptr || first == later) return;
    llvm::IRBuilder<> builder(&header, header.begin());
    llvm::PHINode* const before = builder.CreatePHI(builder.getInt32Ty(), 2);
    builder.SetInsertPoint(&header, header.getFirstInsertionPt());
    llvm::Value* const next = builder.CreateAdd(before, builder.getInt32(1), "", true, true);
    before->addIncoming(builder.getInt32(0), test.getIncomingBlock(1 - in));
    before->addIncoming(next, test.getIncomingBlock(in));
    test.replaceAllUsesWith(first->isOne() ? builder.CreateICmpEQ(before, builder.getInt32(0))
                                           : builder.CreateICmpNE(before, builder.getInt32(0)));
    test.eraseFromParent();
  }
};
#endif

bool is_own_variable(const llvm::Value* object) {
  if (llvm::isa<llvm::AllocaInst>(object)) return true;
  const auto* const argument = llvm::dyn_cast<llvm::Argument>(object);
  return argument != nullptr && (argument->hasByValAttr() || argument->hasByRefAttr());
}

// `is_final`: a pointer that still comes from a variable is one that will.
bool is_kept(const llvm::Value* pointer, bool is_final) {
  const auto objects = objects_of(pointer);
  if (objects.empty())
    return is_final || !llvm::isa<llvm::LoadInst>(llvm::getUnderlyingObject(pointer));
  return std::any_of(objects.begin(), objects.end(), [](const llvm::Value* each) {
    if (const auto* const global = llvm::dyn_cast<llvm::GlobalVariable>(each))
      return !global->isConstant();
    return !is_own_variable(each);
  });
}

constexpr char kept_load[] = "__bankmodel_kept_load.", kept_store[] = "__bankmodel_kept_store.";

// Of the calls below: an attribute of the pointer, and one of the call if the source says volatile.
void note_alignment(llvm::CallInst& to, const llvm::Instruction& from) {
  const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&from);
  const llvm::Align alignment =
      load != nullptr ? load->getAlign() : llvm::cast<llvm::StoreInst>(from).getAlign();
  to.addParamAttr(to.arg_size() - 1, llvm::Attribute::getWithAlignment(to.getContext(), alignment));
  if (from.isVolatile()) to.addFnAttr(llvm::Attribute::get(to.getContext(), is_volatile));
}

// No pass removes or joins calls of unknown functions, as some do with volatile accesses (those of
// two branches become one). So accesses are calls until all passes are done.
void write_as_calls(llvm::Function& function, bool is_final) {
  std::vector<llvm::Instruction*> found;
  for (llvm::Instruction& each : llvm::instructions(function)) {
    const llvm::Value* const pointer = llvm::getLoadStorePointerOperand(&each);
    if (pointer != nullptr && is_kept(pointer, is_final)) found.push_back(&each);
    // Passes write an atomic operation that changes nothing as a load.
    if (auto* const atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&each)) atomic->setVolatile(true);
    if (auto* const exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&each))
      exchange->setVolatile(true);
  }
  llvm::Module& module = *function.getParent();
  for (llvm::Instruction* const each : found) {
    llvm::IRBuilder<> builder(each);
    const bool loads = llvm::isa<llvm::LoadInst>(each);
    std::vector<llvm::Value*> given(each->op_begin(), each->op_end());
    std::vector<llvm::Type*> types;
    for (const llvm::Value* const one : given) types.push_back(one->getType());
    auto* const type = llvm::FunctionType::get(each->getType(), types, false);
    // The name ends with the type's, so that each has a function of its own.
    std::string name = loads ? kept_load : kept_store;
    llvm::raw_string_ostream(name) << *type;
    llvm::FunctionCallee called = module.getOrInsertFunction(name, type);
    llvm::cast<llvm::Function>(called.getCallee())->addFnAttr(llvm::Attribute::NoUnwind);
    llvm::CallInst* const call = builder.CreateCall(called, given);
    call->setDebugLoc(each->getDebugLoc());
    note_alignment(*call, *each);
    each->replaceAllUsesWith(call);
    each->eraseFromParent();
  }
}

void restore_alignment(const llvm::CallInst& from, llvm::Instruction& to) {
  const llvm::Align alignment = from.getParamAlign(from.arg_size() - 1).valueOrOne();
  if (auto* const load = llvm::dyn_cast<llvm::LoadInst>(&to)) load->setAlignment(alignment);
  if (auto* const store = llvm::dyn_cast<llvm::StoreInst>(&to)) store->setAlignment(alignment);
  if (from.hasFnAttr(is_volatile))
    to.setMetadata(is_volatile, llvm::MDNode::get(to.getContext(), {}));
}

void write_as_accesses(llvm::Function& function) {
  std::vector<llvm::CallInst*> found;
  for (llvm::Instruction& each : llvm::instructions(function)) {
    auto* const call = llvm::dyn_cast<llvm::CallInst>(&each);
    if (call == nullptr || call->getCalledFunction() == nullptr) continue;
    const llvm::StringRef name = call->getCalledFunction()->getName();
    if (name.find(kept_load) == 0 || name.find(kept_store) == 0) found.push_back(call);
  }
  for (llvm::CallInst* const call : found) {
    llvm::Instruction* made = nullptr;
    if (call->arg_size() == 1)
      made = new llvm::LoadInst(call->getType(), call->getArgOperand(0), "", true, call);
    else
      made = new llvm::StoreInst(call->getArgOperand(0), call->getArgOperand(1), true, call);
    made->setDebugLoc(call->getDebugLoc());
    restore_alignment(*call, *made);
    call->replaceAllUsesWith(made);
    call->eraseFromParent();
  }
}

void inline_all(llvm::Module& module, const std::set<llvm::Function*>& kernels) {
  for (llvm::Function& each : module) {
    each.removeFnAttr(llvm::Attribute::OptimizeNone);
    each.removeFnAttr(llvm::Attribute::NoInline);
    if (kernels.count(&each) == 0 && !each.isDeclaration()) {
      each.addFnAttr(llvm::Attribute::AlwaysInline);
      each.setLinkage(llvm::GlobalValue::InternalLinkage);
      each.setComdat(nullptr);
    }
    for (llvm::Instruction& inner : llvm::instructions(each))
      if (auto* const call = llvm::dyn_cast<llvm::CallBase>(&inner))
        call->removeFnAttr(llvm::Attribute::NoInline);
  }
}

}  // namespace

std::set<const llvm::Value*> objects_of(const llvm::Value* pointer) {
  std::set<const llvm::Value*> result, seen;
  std::vector<const llvm::Value*> open = {pointer};
  while (!open.empty()) {
    const llvm::Value* const one = open.back();
    open.pop_back();
    if (!seen.insert(one).second) continue;
    llvm::SmallVector<const llvm::Value*, 4> found;
    llvm::getUnderlyingObjects(one, found, nullptr, 0);
    for (const llvm::Value* const each : found) {
      if (llvm::isa<llvm::ConstantPointerNull>(each) || llvm::isa<llvm::UndefValue>(each)) continue;
      if (llvm::isa<llvm::AllocaInst>(each) || llvm::isa<llvm::GlobalVariable>(each) ||
          llvm::isa<llvm::Argument>(each)) {
        result.insert(each);
        continue;
      }
      // Where a pointer is read with another address space than it was written.
      const auto* const made = llvm::dyn_cast<llvm::Operator>(each);
      if (made == nullptr || made->getOpcode() != llvm::Instruction::IntToPtr) return {};
      const auto* const number = llvm::dyn_cast<llvm::Operator>(made->getOperand(0));
      if (number == nullptr || number->getOpcode() != llvm::Instruction::PtrToInt) return {};
      open.push_back(number->getOperand(0));
    }
  }
  return result;
}

void lower(llvm::Module& module, const std::set<llvm::Function*>& kernels, bool unrolls) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager calls;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(calls);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, calls, modules);

  const auto add_sroa = [](llvm::FunctionPassManager& to) {
#if LLVM_VERSION_MAJOR >= 16
    to.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
#else
    to.addPass(llvm::SROAPass());
#endif
  };
  const auto run = [&](llvm::Function& function, auto&& fill) {
    llvm::FunctionPassManager passes;
    fill(passes);
    passes.run(function, functions);
    functions.clear();
  };
  // Twice, because a call through a pointer becomes a call of a function that is known.
  for (int round = 0; round < 2; ++round) {
    inline_all(module, kernels);
    llvm::ModulePassManager inliner;
    inliner.addPass(llvm::AlwaysInlinerPass(false));
    inliner.run(module, modules);
    modules.clear();
    // Pointer variables, so that it is known what accesses access.
    for (llvm::Function* const kernel : kernels)
      run(*kernel, [](auto& passes) { passes.addPass(llvm::PromotePass()); });
  }
  for (llvm::Function* const kernel : kernels) {
    for (int round = 0; round < 3; ++round) {
      expand_copies(*kernel, false);
      write_as_calls(*kernel, false);
      run(*kernel, add_sroa);
    }
    write_as_calls(*kernel, true);
    const auto simplify = [&](auto& passes) {
      passes.addPass(cleaned_blocks());
      passes.addPass(llvm::InstCombinePass());
      add_sroa(passes);
      passes.addPass(llvm::EarlyCSEPass());
      passes.addPass(llvm::ADCEPass());
      passes.addPass(cleaned_blocks());
    };
    run(*kernel, simplify);
    if (unrolls) {
      unroll_loops(*kernel, functions);
      run(*kernel, simplify);
    }
    expand_copies(*kernel, true);
    write_as_calls(*kernel, true);
    run(*kernel, [&](auto& passes) {
      add_sroa(passes);
      passes.addPass(llvm::InstCombinePass());
      passes.addPass(llvm::ADCEPass());
      passes.addPass(cleaned_blocks());
#if LLVM_VERSION_MAJOR >= 15
      passes.addPass(tests_that_compare());
#endif
      passes.addPass(llvm::LowerSwitchPass());
      passes.addPass(llvm::BreakCriticalEdgesPass());
    });
    write_as_accesses(*kernel);
  }
}

}  // namespace compiled
