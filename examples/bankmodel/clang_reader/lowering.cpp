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
#include <llvm/Transforms/Scalar/TailRecursionElimination.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/BreakCriticalEdges.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "pointer_calls.hpp"
#include "unset_values.hpp"

namespace compiled {

namespace {

// LLVM's SimplifyCFG would make one switch of branches on one variable. Its arms meet later than
// the branches do, so the lanes of a request would be apart.
struct cleaned_blocks : llvm::PassInfoMixin<cleaned_blocks> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    clean_blocks(function);
    return llvm::PreservedAnalyses::none();
  }
};

#if LLVM_VERSION_MAJOR >= 15
// Newer versions write the test of a loop that runs once as a value that is true before the loop
// and false in it, and its variable as one constant before and another in it. Loops are described
// by what their tests compare and by steps: so the iterations are counted, and the test is whether
// there was none.
struct tests_that_compare : llvm::PassInfoMixin<tests_that_compare> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    for (llvm::Loop* const loop :
         analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
      const auto* const branch =
          llvm::dyn_cast<llvm::BranchInst>(loop->getHeader()->getTerminator());
      if (branch == nullptr || !branch->isConditional() ||
          loop->contains(branch->getSuccessor(0)) == loop->contains(branch->getSuccessor(1)))
        continue;
      auto* const test = llvm::dyn_cast<llvm::PHINode>(branch->getCondition());
      if (test == nullptr || test->getParent() != loop->getHeader()) continue;
      // True in the loop would be a loop without end.
      const auto values = before_and_in(*test, *loop);
      if (!values || values->first == values->second) continue;
      std::vector<llvm::PHINode*> counters;
      for (llvm::PHINode& phi : loop->getHeader()->phis())
        if (&phi != test && before_and_in(phi, *loop)) counters.push_back(&phi);
      for (llvm::PHINode* const counter : counters) {
        const auto [initial, repeated] = *before_and_in(*counter, *loop);
        counter->replaceAllUsesWith(by_steps(*counter, *loop, initial->getValue(),
                                             repeated->getValue() - initial->getValue()));
        counter->eraseFromParent();
      }
      llvm::PHINode* const count = by_steps(*test, *loop, llvm::APInt(32, 0), llvm::APInt(32, 1));
      llvm::IRBuilder<> builder(count->getParent(), count->getParent()->getFirstInsertionPt());
      test->replaceAllUsesWith(builder.CreateICmp(
          values->first->isOne() ? llvm::CmpInst::ICMP_EQ : llvm::CmpInst::ICMP_NE, count,
          builder.getInt32(0)));
      test->eraseFromParent();
    }
    return llvm::PreservedAnalyses::none();
  }

 private:
  using two_constants = std::pair<const llvm::ConstantInt*, const llvm::ConstantInt*>;

  static std::optional<two_constants> before_and_in(const llvm::PHINode& value,
                                                    const llvm::Loop& loop) {
    if (value.getNumIncomingValues() != 2 ||
        loop.contains(value.getIncomingBlock(0)) == loop.contains(value.getIncomingBlock(1)))
      return {};
    const unsigned back_edge = loop.contains(value.getIncomingBlock(0)) ? 0 : 1;
    const two_constants result = {
        llvm::dyn_cast<llvm::ConstantInt>(value.getIncomingValue(1 - back_edge)),
        llvm::dyn_cast<llvm::ConstantInt>(value.getIncomingValue(back_edge))};
    if (result.first == nullptr || result.second == nullptr) return {};
    return result;
  }

  // From the same blocks as `like`.
  static llvm::PHINode* by_steps(const llvm::PHINode& like, const llvm::Loop& loop,
                                 const llvm::APInt& first, const llvm::APInt& step) {
    llvm::BasicBlock* const header = loop.getHeader();
    llvm::IRBuilder<> builder(header, header->begin());
    llvm::PHINode* const result = builder.CreatePHI(builder.getIntNTy(first.getBitWidth()), 2);
    builder.SetInsertPoint(header, header->getFirstInsertionPt());
    llvm::Value* const next = builder.CreateAdd(result, builder.getInt(step));
    for (const unsigned edge : {0u, 1u})
      result->addIncoming(loop.contains(like.getIncomingBlock(edge)) ? next : builder.getInt(first),
                          like.getIncomingBlock(edge));
    return result;
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
  return std::ranges::any_of(objects, [](const llvm::Value* object) {
    if (const auto* const global = llvm::dyn_cast<llvm::GlobalVariable>(object))
      return !global->isConstant();
    return !is_own_variable(object);
  });
}

constexpr char kept_load[] = "__bankmodel_kept_load.", kept_store[] = "__bankmodel_kept_store.";

// Of the calls below: an attribute of the pointer, and one of the call if the source says volatile.
void note_alignment(llvm::CallInst& call, const llvm::Instruction& access) {
  const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&access);
  const llvm::Align alignment =
      load != nullptr ? load->getAlign() : llvm::cast<llvm::StoreInst>(access).getAlign();
  call.addParamAttr(call.arg_size() - 1,
                    llvm::Attribute::getWithAlignment(call.getContext(), alignment));
  if (access.isVolatile()) call.addFnAttr(llvm::Attribute::get(call.getContext(), is_volatile));
}

// No pass removes or joins calls of unknown functions, as some do with volatile accesses (those of
// two branches become one). So accesses are calls until all passes are done.
void write_as_calls(llvm::Function& function, bool is_final) {
  std::vector<llvm::Instruction*> accesses;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    const llvm::Value* const pointer = llvm::getLoadStorePointerOperand(&instruction);
    if (pointer != nullptr && is_kept(pointer, is_final)) accesses.push_back(&instruction);
    // Passes write an atomic operation that changes nothing as a load.
    if (auto* const atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
      atomic->setVolatile(true);
    if (auto* const exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
      exchange->setVolatile(true);
  }
  llvm::Module& module = *function.getParent();
  for (llvm::Instruction* const access : accesses) {
    llvm::IRBuilder<> builder(access);
    const bool loads = llvm::isa<llvm::LoadInst>(access);
    std::vector<llvm::Value*> arguments(access->op_begin(), access->op_end());
    std::vector<llvm::Type*> types;
    for (const llvm::Value* const argument : arguments) types.push_back(argument->getType());
    auto* const type = llvm::FunctionType::get(access->getType(), types, false);
    // The name ends with the type's, so that each has a function of its own.
    std::string name = loads ? kept_load : kept_store;
    llvm::raw_string_ostream(name) << *type;
    llvm::FunctionCallee called = module.getOrInsertFunction(name, type);
    llvm::cast<llvm::Function>(called.getCallee())->addFnAttr(llvm::Attribute::NoUnwind);
    llvm::CallInst* const call = builder.CreateCall(called, arguments);
    call->setDebugLoc(access->getDebugLoc());
    note_alignment(*call, *access);
    access->replaceAllUsesWith(call);
    access->eraseFromParent();
  }
}

void restore_alignment(const llvm::CallInst& call, llvm::Instruction& access) {
  const llvm::Align alignment = call.getParamAlign(call.arg_size() - 1).valueOrOne();
  if (auto* const load = llvm::dyn_cast<llvm::LoadInst>(&access)) load->setAlignment(alignment);
  if (auto* const store = llvm::dyn_cast<llvm::StoreInst>(&access)) store->setAlignment(alignment);
  if (call.hasFnAttr(is_volatile))
    access.setMetadata(is_volatile, llvm::MDNode::get(access.getContext(), {}));
}

void write_as_accesses(llvm::Function& function) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call == nullptr || call->getCalledFunction() == nullptr) continue;
    const llvm::StringRef name = call->getCalledFunction()->getName();
    if (name.find(kept_load) == 0 || name.find(kept_store) == 0) calls.push_back(call);
  }
  for (llvm::CallInst* const call : calls) {
    llvm::Instruction* access = nullptr;
    if (call->arg_size() == 1)
      access = new llvm::LoadInst(call->getType(), call->getArgOperand(0), "", true, call);
    else
      access = new llvm::StoreInst(call->getArgOperand(0), call->getArgOperand(1), true, call);
    access->setDebugLoc(call->getDebugLoc());
    restore_alignment(*call, *access);
    call->replaceAllUsesWith(access);
    call->eraseFromParent();
  }
}

bool calls_itself(const llvm::Function& function) {
  for (const llvm::Instruction& instruction : llvm::instructions(function))
    if (const auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        call != nullptr && call->getCalledFunction() == &function)
      return true;
  return false;
}

}  // namespace

void inline_all(llvm::Module& module, const std::set<llvm::Function*>& kernels) {
  for (llvm::Function& function : module) {
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    function.removeFnAttr(llvm::Attribute::NoInline);
    if (kernels.count(&function) == 0 && !function.isDeclaration()) {
      function.addFnAttr(llvm::Attribute::AlwaysInline);
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
      function.setComdat(nullptr);
    }
    for (llvm::Instruction& inner : llvm::instructions(function))
      if (auto* const call = llvm::dyn_cast<llvm::CallBase>(&inner))
        call->removeFnAttr(llvm::Attribute::NoInline);
  }
}

void clean_blocks(llvm::Function& function) {
  for (llvm::BasicBlock& block : function) llvm::ConstantFoldTerminator(&block, true);
  llvm::removeUnreachableBlocks(function);
  for (auto position = function.begin(); position != function.end();) {
    llvm::BasicBlock& block = *position;
    ++position;
    llvm::MergeBlockIntoPredecessor(&block);
  }
}

std::set<const llvm::Value*> objects_of(const llvm::Value* pointer) {
  std::set<const llvm::Value*> result, seen;
  std::vector<const llvm::Value*> open = {pointer};
  while (!open.empty()) {
    const llvm::Value* const value = open.back();
    open.pop_back();
    if (!seen.insert(value).second) continue;
    llvm::SmallVector<const llvm::Value*, 4> objects;
    llvm::getUnderlyingObjects(value, objects, nullptr, 0);
    for (const llvm::Value* const object : objects) {
      if (llvm::isa<llvm::ConstantPointerNull>(object) || llvm::isa<llvm::UndefValue>(object))
        continue;
      if (llvm::isa<llvm::AllocaInst>(object) || llvm::isa<llvm::GlobalVariable>(object) ||
          llvm::isa<llvm::Argument>(object)) {
        result.insert(object);
        continue;
      }
      // Where a pointer is read with another address space than it was written.
      const auto* const conversion = llvm::dyn_cast<llvm::Operator>(object);
      if (conversion == nullptr || conversion->getOpcode() != llvm::Instruction::IntToPtr)
        return {};
      const auto* const number = llvm::dyn_cast<llvm::Operator>(conversion->getOperand(0));
      if (number == nullptr || number->getOpcode() != llvm::Instruction::PtrToInt) return {};
      open.push_back(number->getOperand(0));
    }
  }
  return result;
}

void pass_analyses::register_with(llvm::PassBuilder& builder) {
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(calls);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, calls, modules);
}

void pass_analyses::inline_marked(llvm::Module& module) {
  llvm::ModulePassManager inliner;
  inliner.addPass(llvm::AlwaysInlinerPass(false));
  inliner.run(module, modules);
  modules.clear();
}

void lower(llvm::Module& module, const std::set<llvm::Function*>& kernels, bool unrolls,
           std::uint64_t widest) {
  pass_analyses analyses;
  llvm::PassBuilder builder;
  analyses.register_with(builder);

  const auto add_sroa = [](llvm::FunctionPassManager& manager) {
#if LLVM_VERSION_MAJOR >= 16
    manager.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
#else
    manager.addPass(llvm::SROAPass());
#endif
  };
  const auto run = [&](llvm::Function& function, auto&& fill) {
    llvm::FunctionPassManager passes;
    fill(passes);
    passes.run(function, analyses.functions);
    analyses.functions.clear();
  };
  // A function whose last act is to call itself is a loop.
  for (llvm::Function& function : module)
    if (calls_itself(function))
      run(function, [&](auto& passes) {
        add_sroa(passes);
        passes.addPass(cleaned_blocks());
        passes.addPass(llvm::TailCallElimPass());
      });
  // Twice at least, because a call through a pointer becomes a call of a function that is known.
  bool has_new_calls = false;
  for (int round = 0; round < 2 || (has_new_calls && round < 16); ++round) {
    inline_all(module, kernels);
    analyses.inline_marked(module);
    // Pointer variables, so that it is known what accesses access.
    has_new_calls = false;
    for (llvm::Function* const kernel : kernels) {
      run(*kernel, [](auto& passes) { passes.addPass(llvm::PromotePass()); });
      if (!has_pointer_calls(*kernel)) continue;
      expand_copies(*kernel, false, widest);
      run(*kernel, add_sroa);  // objects, whose tables of functions are then known
      has_new_calls = call_known_functions(*kernel) || has_new_calls;
    }
  }
  for (llvm::Function* const kernel : kernels) {
    for (int round = 0; round < 3; ++round) {
      expand_copies(*kernel, false, widest);
      write_as_calls(*kernel, false);
      run(*kernel, add_sroa);
    }
    write_as_calls(*kernel, true);
    name_unset_values(*kernel);
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
      unroll_loops(*kernel, analyses.functions);
      run(*kernel, simplify);
    }
    expand_copies(*kernel, true, widest);
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
