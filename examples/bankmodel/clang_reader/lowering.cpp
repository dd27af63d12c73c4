// SPDX-License-Identifier: MIT
#include "lowering.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Operator.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/BreakCriticalEdges.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>

namespace compiled {

namespace {

bool is_own_variable(const llvm::Value* object) {
  if (llvm::isa<llvm::AllocaInst>(object)) return true;
  const auto* const argument = llvm::dyn_cast<llvm::Argument>(object);
  return argument != nullptr && (argument->hasByValAttr() || argument->hasByRefAttr());
}

// Volatile accesses are neither removed nor joined by any pass.
void keep_accesses(llvm::Function& function) {
  const auto is_kept = [](const llvm::Value* pointer) {
    const auto objects = objects_of(pointer);
    if (objects.empty()) return !llvm::isa<llvm::LoadInst>(llvm::getUnderlyingObject(pointer));
    for (const llvm::Value* const each : objects)
      if (!is_own_variable(each) && !llvm::isa<llvm::Constant>(each)) return true;
    for (const llvm::Value* const each : objects)
      if (const auto* const global = llvm::dyn_cast<llvm::GlobalVariable>(each);
          global != nullptr && !global->isConstant())
        return true;
    return false;
  };
  for (llvm::Instruction& each : llvm::instructions(function)) {
    if (auto* const load = llvm::dyn_cast<llvm::LoadInst>(&each)) {
      if (is_kept(load->getPointerOperand())) load->setVolatile(true);
    } else if (auto* const store = llvm::dyn_cast<llvm::StoreInst>(&each)) {
      if (is_kept(store->getPointerOperand())) store->setVolatile(true);
    }
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
  llvm::SmallVector<const llvm::Value*, 4> found;
  llvm::getUnderlyingObjects(pointer, found, nullptr, 0);
  std::set<const llvm::Value*> result;
  for (const llvm::Value* const each : found) {
    if (llvm::isa<llvm::ConstantPointerNull>(each) || llvm::isa<llvm::UndefValue>(each)) continue;
    if (!llvm::isa<llvm::AllocaInst>(each) && !llvm::isa<llvm::GlobalVariable>(each) &&
        !llvm::isa<llvm::Argument>(each))
      return {};
    result.insert(each);
  }
  return result;
}

void lower(llvm::Module& module, const std::set<llvm::Function*>& kernels) {
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

  inline_all(module, kernels);
  llvm::ModulePassManager inliner;
  inliner.addPass(llvm::AlwaysInlinerPass(false));
  inliner.run(module, modules);
  modules.clear();

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
  for (llvm::Function* const kernel : kernels) {
    // Pointer variables first, so that it is known what accesses access.
    run(*kernel, [](auto& passes) { passes.addPass(llvm::PromotePass()); });
    for (int round = 0; round < 2; ++round) {
      keep_accesses(*kernel);
      expand_copies(*kernel, false);
      run(*kernel, add_sroa);
    }
    keep_accesses(*kernel);
    expand_copies(*kernel, false);
    run(*kernel, [&](auto& passes) {
      passes.addPass(llvm::SimplifyCFGPass());
      passes.addPass(llvm::InstCombinePass());
      add_sroa(passes);
      passes.addPass(llvm::EarlyCSEPass());
      passes.addPass(llvm::ADCEPass());
      passes.addPass(llvm::SimplifyCFGPass());
    });
    expand_copies(*kernel, true);
    run(*kernel, [&](auto& passes) {
      add_sroa(passes);
      passes.addPass(llvm::InstCombinePass());
      passes.addPass(llvm::ADCEPass());
      passes.addPass(llvm::SimplifyCFGPass());
      passes.addPass(llvm::LowerSwitchPass());
      passes.addPass(llvm::BreakCriticalEdgesPass());
    });
  }
}

}  // namespace compiled
