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
  const memory_space space = space_of_object(object);
  if (space != memory_space::unknown) return space;
  if (!llvm::isa<llvm::PHINode>(object) && !llvm::isa<llvm::SelectInst>(object)) return space;
  const std::set<const llvm::Value*> objects = objects_of(object);
  if (objects.empty()) return memory_space::unknown;
  const memory_space first = space_of_object(*objects.begin());
  const bool is_same = std::ranges::all_of(
      objects, [&](const llvm::Value* candidate) { return space_of_object(candidate) == first; });
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
bool begins_with_any(const std::string_view (&prefixes)[Count], llvm::StringRef name) {
  return std::any_of(std::begin(prefixes), std::end(prefixes), [&](std::string_view prefix) {
    return starts_with({name.data(), name.size()}, prefix);
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
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (instruction.hasMetadata(is_volatile)) continue;
    if (auto* const load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) load->setVolatile(false);
    if (auto* const store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
      store->setVolatile(false);
  }
}

template <class Pass>
void add_loop_pass(llvm::FunctionPassManager& manager, Pass pass, bool uses_memory) {
  llvm::LoopPassManager loops;
  loops.addPass(std::move(pass));
  manager.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops), uses_memory));
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
bool add_stores(llvm::Value& pointer, std::vector<llvm::StoreInst*>& stores) {
  return std::all_of(pointer.user_begin(), pointer.user_end(), [&](llvm::User* user) {
    if (auto* const store = llvm::dyn_cast<llvm::StoreInst>(user)) {
      stores.push_back(store);
      return !store->isAtomic() && !store->hasMetadata(is_volatile) &&
             store->getValueOperand() != &pointer;
    }
    const auto* const derived = llvm::dyn_cast<llvm::Operator>(user);
    const bool keeps_object =
        derived != nullptr && (llvm::isa<llvm::GEPOperator>(derived) ||
                               derived->getOpcode() == llvm::Instruction::BitCast ||
                               derived->getOpcode() == llvm::Instruction::AddrSpaceCast);
    return keeps_object && add_stores(*user, stores);
  });
}

// Removes the stores to shared arrays of known size which no code of the file loads. Returns true
// if there were some.
bool remove_unread_arrays(llvm::Function& kernel) {
  bool is_found = false;
  for (llvm::GlobalVariable& array : kernel.getParent()->globals()) {
    if (array.getAddressSpace() != 3 || array.isDeclaration()) continue;
    std::vector<llvm::StoreInst*> stores;
    if (!add_stores(array, stores)) continue;
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
  const unsigned full = (1u << count) - 1;
  unsigned result = 0;
  for (const llvm::User* const user : vector.users()) {
    if (const auto* const element = llvm::dyn_cast<llvm::ExtractElementInst>(user)) {
      const auto* const index = llvm::dyn_cast<llvm::ConstantInt>(element->getIndexOperand());
      result |= index == nullptr ? full : 1u << index->getZExtValue();
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
      result |= type == nullptr || type->getNumElements() != count ? full : used_elements(*cast);
    } else {
      return full;
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
  std::vector<llvm::LoadInst*> loads;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* const load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (load == nullptr || !load->isSimple()) continue;
    const auto* const type = llvm::dyn_cast<llvm::FixedVectorType>(load->getType());
    if (type == nullptr || type->getScalarSizeInBits() < 32 ||
        load->getAlign().value() < layout.getTypeStoreSize(load->getType()).getFixedValue())
      continue;
    loads.push_back(load);
  }
  for (llvm::LoadInst* const load : loads) {
    auto* const type = llvm::cast<llvm::FixedVectorType>(load->getType());
    const std::vector<element_range> ranges =
        loaded_ranges(used_elements(*load), type->getNumElements());
    if (ranges.empty()) continue;
    llvm::IRBuilder<> builder(load);
    llvm::Value* vector = llvm::PoisonValue::get(type);
    for (const element_range& range : ranges) {
      llvm::Type* const element = type->getElementType();
      llvm::Type* const part =
          range.count == 1 ? element : llvm::FixedVectorType::get(element, range.count);
      llvm::Value* const place = builder.CreateBitCast(
          element_pointer(builder, load->getPointerOperand(), element, range.first),
          llvm::PointerType::get(part, load->getPointerAddressSpace()));
      const std::uint64_t offset = range.first * layout.getTypeStoreSize(element).getFixedValue();
      llvm::Value* const loaded =
          builder.CreateAlignedLoad(part, place, llvm::commonAlignment(load->getAlign(), offset));
      for (unsigned number = 0; number < range.count; ++number)
        vector = builder.CreateInsertElement(
            vector, range.count == 1 ? loaded : builder.CreateExtractElement(loaded, number),
            range.first + number);
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
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!llvm::isa<llvm::LoadInst>(instruction) && !llvm::isa<llvm::StoreInst>(instruction))
      continue;
    llvm::DILocation* const place = instruction.getDebugLoc().get();
    if (place != nullptr && place->getLine() != 0) instruction.setMetadata(place_in_source, place);
  }
}

void restore_places(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    llvm::MDNode* const kept = instruction.getMetadata(place_in_source);
    const llvm::DILocation* const place = instruction.getDebugLoc().get();
    if (kept != nullptr && (place == nullptr || place->getLine() == 0))
      instruction.setDebugLoc(llvm::DebugLoc(llvm::cast<llvm::DILocation>(kept)));
  }
}

void note_effects(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (!function.isDeclaration() || function.isIntrinsic()) continue;
    const llvm::StringRef name = function.getName();
    if (begins_with_any(with_accesses, name)) continue;
    if (!begins_with_any(with_lanes, name)) release_lanes(function);
    if (!function.doesNotReturn()) function.addFnAttr(llvm::Attribute::WillReturn);
    function.addFnAttr(llvm::Attribute::NoUnwind);
    const bool has_pointer =
        std::any_of(function.arg_begin(), function.arg_end(),
                    [](const auto& argument) { return argument.getType()->isPointerTy(); });
    if (!has_pointer && !function.isVarArg() && !function.doesNotAccessMemory())
      function.setOnlyAccessesInaccessibleMemory();
  }
}

void optimize_accesses(llvm::Function& kernel) {
  note_effects(*kernel.getParent());
  pass_analyses analyses;
  llvm::FunctionAnalysisManager& functions = analyses.functions;
  llvm::PassBuilder builder;
  functions.registerPass([&] {
    llvm::AAManager aliases = builder.buildDefaultAAPipeline();
    aliases.registerFunctionAnalysis<space_alias>();
    return aliases;
  });
  functions.registerPass([] { return space_alias(); });
  analyses.register_with(builder);
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
    run([](auto& manager) { manager.addPass(llvm::ADCEPass()); });
  } while (remove_unread_arrays(kernel));
  run([](auto& manager) { manager.addPass(llvm::EarlyCSEPass(true)); });
  // A loop that ends at its test has a place before it that is executed only with the loop.
  run([](auto& manager) { add_loop_pass(manager, llvm::LoopRotatePass(), false); });
  for (int round = 0; round < 2; ++round) {
    run([](auto& manager) { add_loop_pass(manager, hoisting(), true); });
    run([](auto& manager) { manager.addPass(llvm::GVNPass()); });
    run([](auto& manager) { manager.addPass(llvm::DSEPass()); });
    run([](auto& manager) {
      manager.addPass(llvm::InstCombinePass());
      manager.addPass(llvm::ADCEPass());
    });
    // The test before an inner loop may be known in the outer one.
    clean_blocks(kernel);
  }
  narrow_loads(kernel);
  run([](auto& manager) {
    manager.addPass(llvm::InstCombinePass());
    manager.addPass(llvm::ADCEPass());
    manager.addPass(llvm::LowerSwitchPass());
    manager.addPass(llvm::BreakCriticalEdgesPass());
  });
}

}  // namespace compiled
