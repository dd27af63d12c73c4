// SPDX-License-Identifier: MIT
// The accesses that a compiler leaves of those that are written: LLVM's own passes, which nvcc has
// too, take loads out of loops, join equal ones, forward stored values and remove what is dead.
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Utils/BreakCriticalEdges.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "lowering.hpp"
#include "translation.hpp"

namespace compiled {

namespace {

enum class memory_space { unknown, shared, global, own };

memory_space space_of_object(const llvm::Value* object) {
  if (llvm::isa<llvm::AllocaInst>(object)) return memory_space::own;
  if (const auto* const argument = llvm::dyn_cast<llvm::Argument>(object))
    return argument->hasByValAttr() || argument->hasByRefAttr() ? memory_space::own
                                                                : memory_space::global;
  const auto* const global = llvm::dyn_cast<llvm::GlobalVariable>(object);
  if (global == nullptr) return memory_space::unknown;
  return global->getAddressSpace() == 3 ? memory_space::shared : memory_space::global;
}

memory_space space_of(const llvm::Value* pointer) {
  const llvm::Value* const object = llvm::getUnderlyingObject(pointer, 0);
  const memory_space found = space_of_object(object);
  if (found != memory_space::unknown) return found;
  if (!llvm::isa<llvm::PHINode>(object) && !llvm::isa<llvm::SelectInst>(object)) return found;
  const std::set<const llvm::Value*> all = objects_of(object);
  if (all.empty()) return memory_space::unknown;
  const memory_space first = space_of_object(*all.begin());
  const bool is_same = std::all_of(all.begin(), all.end(), [&](const llvm::Value* each) {
    return space_of_object(each) == first;
  });
  return is_same ? first : memory_space::unknown;
}

// Pointers of kernels' arguments point to global memory: a store there changes no shared array.
#if LLVM_VERSION_MAJOR >= 16
class space_alias_result : public llvm::AAResultBase {
#else
class space_alias_result : public llvm::AAResultBase<space_alias_result> {
#endif
 public:
  space_alias_result() = default;
  bool invalidate(llvm::Function&, const llvm::PreservedAnalyses&,
                  llvm::FunctionAnalysisManager::Invalidator&) {
    return false;
  }
#if LLVM_VERSION_MAJOR >= 16
  llvm::AliasResult alias(const llvm::MemoryLocation& left, const llvm::MemoryLocation& right,
                          llvm::AAQueryInfo&, const llvm::Instruction*){
#else
  llvm::AliasResult alias(const llvm::MemoryLocation& left, const llvm::MemoryLocation& right,
                          llvm::AAQueryInfo&) {
#endif
      const memory_space first = space_of(left.Ptr);
  if (first == memory_space::unknown) return llvm::AliasResult::MayAlias;
  const memory_space second = space_of(right.Ptr);
  return second == memory_space::unknown || second == first ? llvm::AliasResult::MayAlias
                                                            : llvm::AliasResult::NoAlias;
}
};  // namespace

class space_alias : public llvm::AnalysisInfoMixin<space_alias> {
 public:
  using Result = space_alias_result;
  Result run(llvm::Function&, llvm::FunctionAnalysisManager&) { return Result(); }

 private:
  friend llvm::AnalysisInfoMixin<space_alias>;
  static llvm::AnalysisKey Key;
};
llvm::AnalysisKey space_alias::Key;

template <std::size_t Count>
bool begins_with_any(const std::string_view (&all)[Count], llvm::StringRef name) {
  return std::any_of(std::begin(all), std::end(all), [&](std::string_view each) {
    return starts_with({name.data(), name.size()}, each);
  });
}

// Those of the prelude that order accesses, or make some, and those with a value of other lanes.
constexpr std::string_view with_accesses[] = {"__bankmodel_barrier", "__bankmodel_warp_sync",
                                              "__bankmodel_atomic_", "__bankmodel_copy_async",
                                              "__syncthreads_"};
constexpr std::string_view with_lanes[] = {"__bankmodel_shuffle_", "__bankmodel_vote_"};

// Clang marks each call as one that lanes make together.
void release_lanes(llvm::Function& called) {
  called.removeFnAttr(llvm::Attribute::Convergent);
  for (llvm::User* const user : called.users())
    if (auto* const call = llvm::dyn_cast<llvm::CallBase>(user))
      call->removeFnAttr(llvm::Attribute::Convergent);
}

// Functions without a body that have no pointer access none of the memory that is counted.
void note_effects(llvm::Module& module) {
  for (llvm::Function& each : module) {
    if (!each.isDeclaration() || each.isIntrinsic()) continue;
    const llvm::StringRef name = each.getName();
    if (begins_with_any(with_accesses, name)) continue;
    if (!begins_with_any(with_lanes, name)) release_lanes(each);
    if (!each.doesNotReturn()) each.addFnAttr(llvm::Attribute::WillReturn);
    each.addFnAttr(llvm::Attribute::NoUnwind);
    const bool has_pointer = std::any_of(each.arg_begin(), each.arg_end(), [](const auto& given) {
      return given.getType()->isPointerTy();
    });
    if (!has_pointer && !each.isVarArg() && !each.doesNotAccessMemory())
      each.setOnlyAccessesInaccessibleMemory();
  }
}

constexpr char place_in_source[] = "bankmodel-place";

// Passes drop the places of accesses that they move. As metadata each place is there a second time.
void keep_places(llvm::Function& function) {
  for (llvm::Instruction& each : llvm::instructions(function)) {
    if (!llvm::isa<llvm::LoadInst>(each) && !llvm::isa<llvm::StoreInst>(each)) continue;
    llvm::DILocation* const place = each.getDebugLoc().get();
    if (place != nullptr && place->getLine() != 0) each.setMetadata(place_in_source, place);
  }
}
void restore_places(llvm::Function& function) {
  for (llvm::Instruction& each : llvm::instructions(function)) {
    llvm::MDNode* const kept = each.getMetadata(place_in_source);
    const llvm::DILocation* const place = each.getDebugLoc().get();
    if (kept != nullptr && (place == nullptr || place->getLine() == 0))
      each.setDebugLoc(llvm::DebugLoc(llvm::cast<llvm::DILocation>(kept)));
  }
}

// Accesses are volatile after lower(), so that they stay.
void release_accesses(llvm::Function& function) {
  for (llvm::Instruction& each : llvm::instructions(function)) {
    if (each.hasMetadata(is_volatile)) continue;
    if (auto* const load = llvm::dyn_cast<llvm::LoadInst>(&each)) load->setVolatile(false);
    if (auto* const store = llvm::dyn_cast<llvm::StoreInst>(&each)) store->setVolatile(false);
  }
}

template <class Pass>
void add_loop_pass(llvm::FunctionPassManager& to, Pass pass, bool uses_memory) {
  llvm::LoopPassManager loops;
  loops.addPass(std::move(pass));
  to.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops), uses_memory));
}

llvm::LICMPass hoisting() {
#if LLVM_VERSION_MAJOR >= 15
  return llvm::LICMPass(llvm::LICMOptions());
#else
  return llvm::LICMPass();
#endif
}

}  // namespace compiled

void optimize_accesses(llvm::Function& kernel) {
  note_effects(*kernel.getParent());
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager calls;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  functions.registerPass([&] {
    llvm::AAManager all = builder.buildDefaultAAPipeline();
    all.registerFunctionAnalysis<space_alias>();
    return all;
  });
  functions.registerPass([] { return space_alias(); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(calls);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, calls, modules);

  const auto run = [&](auto&& fill) {
    keep_places(kernel);
    llvm::FunctionPassManager passes;
    fill(passes);
    passes.run(kernel, functions);
    functions.clear();
    restore_places(kernel);
  };
  release_accesses(kernel);
  run([](auto& to) { to.addPass(llvm::EarlyCSEPass(true)); });
  // A loop that ends at its test has a place before it that is executed only with the loop.
  run([](auto& to) { add_loop_pass(to, llvm::LoopRotatePass(), false); });
  for (int round = 0; round < 2; ++round) {
    run([](auto& to) { add_loop_pass(to, hoisting(), true); });
    run([](auto& to) { to.addPass(llvm::GVNPass()); });
    run([](auto& to) { to.addPass(llvm::DSEPass()); });
    run([](auto& to) {
      to.addPass(llvm::InstCombinePass());
      to.addPass(llvm::ADCEPass());
    });
    // The test before an inner loop may be known in the outer one.
    clean_blocks(kernel);
  }
  run([](auto& to) {
    to.addPass(llvm::LowerSwitchPass());
    to.addPass(llvm::BreakCriticalEdgesPass());
  });
}

}  // namespace compiled
