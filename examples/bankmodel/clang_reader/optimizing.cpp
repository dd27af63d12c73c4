// SPDX-License-Identifier: MIT
// The accesses that a compiler leaves of those that are written: LLVM's own passes, which nvcc has
// too, take loads out of loops, join equal ones, forward stored values and remove what is dead.
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
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
#include <bit>
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
llvm::AliasResult alias_of(const llvm::Value* left, const llvm::Value* right) {
  const memory_space first = space_of(left);
  if (first == memory_space::unknown) return llvm::AliasResult::MayAlias;
  const memory_space second = space_of(right);
  return second == memory_space::unknown || second == first ? llvm::AliasResult::MayAlias
                                                            : llvm::AliasResult::NoAlias;
}

class space_alias_result;
#if LLVM_VERSION_MAJOR >= 16
using alias_result_base = llvm::AAResultBase;
#else
using alias_result_base = llvm::AAResultBase<space_alias_result>;
#endif

class space_alias_result : public alias_result_base {
 public:
  space_alias_result() = default;
  bool invalidate(llvm::Function&, const llvm::PreservedAnalyses&,
                  llvm::FunctionAnalysisManager::Invalidator&) {
    return false;
  }
  // LLVM's versions give different numbers of arguments.
  template <class... More>
  llvm::AliasResult alias(const llvm::MemoryLocation& left, const llvm::MemoryLocation& right,
                          More&&...) {
    return alias_of(left.Ptr, right.Ptr);
  }
};

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

constexpr char place_in_source[] = "bankmodel-place";

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

// ---- arrays that nobody reads ----

// Adds the stores to a pointer's object. False if its address is used otherwise.
bool add_stores(llvm::Value& pointer, std::vector<llvm::StoreInst*>& to) {
  return std::all_of(pointer.user_begin(), pointer.user_end(), [&](llvm::User* user) {
    if (auto* const store = llvm::dyn_cast<llvm::StoreInst>(user)) {
      to.push_back(store);
      return !store->isAtomic() && !store->hasMetadata(is_volatile) &&
             store->getValueOperand() != &pointer;
    }
    const auto* const derived = llvm::dyn_cast<llvm::Operator>(user);
    const bool keeps_object =
        derived != nullptr && (llvm::isa<llvm::GEPOperator>(derived) ||
                               derived->getOpcode() == llvm::Instruction::BitCast ||
                               derived->getOpcode() == llvm::Instruction::AddrSpaceCast);
    return keeps_object && add_stores(*user, to);
  });
}

// Removes the stores to shared arrays of known size which no code of the file loads. Returns true
// if there were some.
bool remove_unread_arrays(llvm::Function& kernel) {
  bool is_found = false;
  for (llvm::GlobalVariable& each : kernel.getParent()->globals()) {
    if (each.getAddressSpace() != 3 || each.isDeclaration()) continue;
    std::vector<llvm::StoreInst*> stores;
    if (!add_stores(each, stores)) continue;
    for (llvm::StoreInst* const store : stores) {
      if (store->getFunction() != &kernel) continue;
      store->eraseFromParent();
      is_found = true;
    }
  }
  return is_found;
}

// ---- vectors of which a part is used ----

// A bit for each element that code may use.
unsigned used_elements(const llvm::Value& vector) {
  const unsigned count = llvm::cast<llvm::FixedVectorType>(vector.getType())->getNumElements();
  const unsigned whole = (1u << count) - 1;
  unsigned result = 0;
  for (const llvm::User* const user : vector.users()) {
    if (const auto* const element = llvm::dyn_cast<llvm::ExtractElementInst>(user)) {
      const auto* const index = llvm::dyn_cast<llvm::ConstantInt>(element->getIndexOperand());
      result |= index == nullptr ? whole : 1u << index->getZExtValue();
    } else if (const auto* const shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(user)) {
      for (const int index : shuffle->getShuffleMask()) {
        if (index < 0) continue;
        const auto number = static_cast<unsigned>(index);
        const bool is_first = number < count;
        if (shuffle->getOperand(is_first ? 0 : 1) == &vector)
          result |= 1u << (is_first ? number : number - count);
      }
    } else if (const auto* const cast = llvm::dyn_cast<llvm::BitCastInst>(user)) {
      const auto* const type = llvm::dyn_cast<llvm::FixedVectorType>(cast->getDestTy());
      result |= type == nullptr || type->getNumElements() != count ? whole : used_elements(*cast);
    } else {
      return whole;
    }
  }
  return result;
}

struct element_range {
  unsigned first, count;
};

// What ptxas loads of a vector: one element of two or four, an aligned pair of four, or two
// elements one by one; else all of it. It is so from sm_75 to sm_121.
std::vector<element_range> loaded_ranges(unsigned used, unsigned count) {
  std::vector<element_range> result;
  if (count > 4 || std::popcount(used) > 2 || used == (1u << count) - 1) return result;
  if (used == 3u || used == 12u) return {{used == 3u ? 0u : 2u, 2u}};
  for (unsigned element = 0; element < count; ++element)
    if ((used >> element & 1) != 0) result.push_back({element, 1});
  return result;
}

void narrow_loads(llvm::Function& function) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  std::vector<llvm::LoadInst*> found;
  for (llvm::Instruction& each : llvm::instructions(function)) {
    auto* const load = llvm::dyn_cast<llvm::LoadInst>(&each);
    if (load == nullptr || !load->isSimple()) continue;
    const auto* const type = llvm::dyn_cast<llvm::FixedVectorType>(load->getType());
    if (type == nullptr || type->getScalarSizeInBits() < 32 ||
        load->getAlign().value() < layout.getTypeStoreSize(load->getType()).getFixedValue())
      continue;
    found.push_back(load);
  }
  for (llvm::LoadInst* const load : found) {
    auto* const type = llvm::cast<llvm::FixedVectorType>(load->getType());
    const std::vector<element_range> ranges =
        loaded_ranges(used_elements(*load), type->getNumElements());
    if (ranges.empty()) continue;
    llvm::IRBuilder<> builder(load);
    llvm::Value* vector = llvm::PoisonValue::get(type);
    for (const element_range& each : ranges) {
      llvm::Type* const element = type->getElementType();
      llvm::Type* const part =
          each.count == 1 ? element : llvm::FixedVectorType::get(element, each.count);
      llvm::Value* const place = builder.CreateBitCast(
          element_pointer(builder, load->getPointerOperand(), element, each.first),
          llvm::PointerType::get(part, load->getPointerAddressSpace()));
      const std::uint64_t offset = each.first * layout.getTypeStoreSize(element).getFixedValue();
      llvm::Value* const loaded =
          builder.CreateAlignedLoad(part, place, llvm::commonAlignment(load->getAlign(), offset));
      for (unsigned number = 0; number < each.count; ++number)
        vector = builder.CreateInsertElement(
            vector, each.count == 1 ? loaded : builder.CreateExtractElement(loaded, number),
            each.first + number);
    }
    load->replaceAllUsesWith(vector);
    load->eraseFromParent();
  }
}

}  // namespace

llvm::Value* element_pointer(llvm::IRBuilder<>& builder, llvm::Value* vector, llvm::Type* element,
                             unsigned index) {
  const unsigned space = vector->getType()->getPointerAddressSpace();
  llvm::Value* const first = builder.CreateBitCast(vector, llvm::PointerType::get(element, space));
  return builder.CreateConstInBoundsGEP1_32(element, first, index);
}

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
  // Before values are forwarded: nvcc keeps stores whose loads it replaces.
  do {
    run([](auto& to) { to.addPass(llvm::ADCEPass()); });
  } while (remove_unread_arrays(kernel));
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
  narrow_loads(kernel);
  run([](auto& to) {
    to.addPass(llvm::InstCombinePass());
    to.addPass(llvm::ADCEPass());
    to.addPass(llvm::LowerSwitchPass());
    to.addPass(llvm::BreakCriticalEdgesPass());
  });
}

}  // namespace compiled
