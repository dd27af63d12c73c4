// SPDX-License-Identifier: MIT
// LLVM is the compiler of kernels for AMD: its own pipeline and its back end say which accesses are
// issued.
#include "amd_code.hpp"

#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/Utils/BreakCriticalEdges.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <memory>

#include "../compiled/machine_code/amd_assembly.hpp"
#include "crash_guard.hpp"
#include "lowering.hpp"
#include "translation.hpp"

namespace compiled {

namespace {

#if LLVM_VERSION_MAJOR >= 18
constexpr auto highest_level = llvm::CodeGenOptLevel::Aggressive;
constexpr auto assembly_text = llvm::CodeGenFileType::AssemblyFile;
#else
constexpr auto highest_level = llvm::CodeGenOpt::Aggressive;
constexpr auto assembly_text = llvm::CGFT_AssemblyFile;
#endif

// The functions of the prelude that clang has instructions for.
void define(llvm::Module& module) {
  constexpr std::pair<const char*, llvm::Intrinsic::ID> indices[] = {
      {"__bankmodel_special_thread_x", llvm::Intrinsic::amdgcn_workitem_id_x},
      {"__bankmodel_special_thread_y", llvm::Intrinsic::amdgcn_workitem_id_y},
      {"__bankmodel_special_thread_z", llvm::Intrinsic::amdgcn_workitem_id_z},
      {"__bankmodel_special_block_x", llvm::Intrinsic::amdgcn_workgroup_id_x},
      {"__bankmodel_special_block_y", llvm::Intrinsic::amdgcn_workgroup_id_y},
      {"__bankmodel_special_block_z", llvm::Intrinsic::amdgcn_workgroup_id_z}};
  llvm::LLVMContext& context = module.getContext();
  const auto begin = [&](llvm::Function& function) {
    function.removeFnAttr(llvm::Attribute::Convergent);
    return llvm::BasicBlock::Create(context, "", &function);
  };
  for (const auto& [name, intrinsic] : indices) {
    llvm::Function* const function = module.getFunction(name);
    if (function == nullptr || !function->isDeclaration()) continue;
    llvm::IRBuilder<> builder(begin(*function));
    llvm::CallInst* const index = builder.CreateIntrinsic(intrinsic, {}, {});
    constexpr unsigned most_threads = 1024;
    if (std::string_view(name).find("thread") != std::string_view::npos)
      index->setMetadata(
          llvm::LLVMContext::MD_range,
          llvm::MDBuilder(context).createRange(llvm::APInt(32, 0), llvm::APInt(32, most_threads)));
    builder.CreateRet(index);
  }
  llvm::Function* const barrier = module.getFunction("__bankmodel_barrier");
  if (barrier == nullptr || !barrier->isDeclaration()) return;
  llvm::IRBuilder<> builder(begin(*barrier));
  barrier->addFnAttr(llvm::Attribute::Convergent);
  const llvm::SyncScope::ID block = context.getOrInsertSyncScopeID("workgroup");
  builder.CreateFence(llvm::AtomicOrdering::Release, block);
  builder.CreateIntrinsic(llvm::Intrinsic::amdgcn_s_barrier, {}, {});
  builder.CreateFence(llvm::AtomicOrdering::Acquire, block);
  builder.CreateRetVoid();
}

std::unique_ptr<llvm::TargetMachine> machine_for(const llvm::Function& kernel) {
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmPrinters();
  const std::string triple(kernel.getParent()->getTargetTriple());
  std::string error;
  const llvm::Target* const target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) return nullptr;
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, kernel.getFnAttribute("target-cpu").getValueAsString(),
                                  kernel.getFnAttribute("target-features").getValueAsString(),
                                  llvm::TargetOptions(), llvm::Reloc::PIC_, {}, highest_level));
}

void optimize(llvm::Function& kernel, llvm::TargetMachine& target) {
  llvm::Module& module = *kernel.getParent();
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = true;
  llvm::PassBuilder builder(&target, tuning);
  pass_analyses analyses;
  analyses.register_with(builder);
  analyses.inline_marked(module);
  analyses.functions.clear();
  keep_places(kernel);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, analyses.modules);
  restore_places(kernel);
}

// A vector that is aligned as its elements are is several accesses, which the back end may join.
void split_vectors(llvm::Function& kernel) {
  const llvm::DataLayout& layout = kernel.getParent()->getDataLayout();
  std::vector<llvm::Instruction*> accesses;
  for (llvm::Instruction& instruction : llvm::instructions(kernel)) {
    if (llvm::getLoadStorePointerOperand(&instruction) == nullptr) continue;
    auto* const type = llvm::dyn_cast<llvm::FixedVectorType>(llvm::getLoadStoreType(&instruction));
    if (type != nullptr && type->getScalarSizeInBits() % 8 == 0 &&
        llvm::getLoadStoreAlignment(&instruction).value() <
            layout.getTypeStoreSize(type).getFixedValue())
      accesses.push_back(&instruction);
  }
  for (llvm::Instruction* const access : accesses) {
    auto* const type = llvm::cast<llvm::FixedVectorType>(llvm::getLoadStoreType(access));
    llvm::Type* const element = type->getElementType();
    llvm::Value* const vector = llvm::getLoadStorePointerOperand(access);
    const llvm::Align alignment = llvm::getLoadStoreAlignment(access);
    const std::uint64_t bytes = layout.getTypeStoreSize(element).getFixedValue();
    llvm::IRBuilder<> builder(access);
    llvm::Value* loaded = llvm::PoisonValue::get(type);
    for (unsigned index = 0; index < type->getNumElements(); ++index) {
      llvm::Value* const pointer = element_pointer(builder, vector, element, index);
      const llvm::Align known = llvm::commonAlignment(alignment, index * bytes);
      if (auto* const store = llvm::dyn_cast<llvm::StoreInst>(access)) {
        llvm::Value* const value = builder.CreateExtractElement(store->getValueOperand(), index);
        builder.CreateAlignedStore(value, pointer, known, store->isVolatile());
      } else {
        llvm::Value* const value = builder.CreateAlignedLoad(
            element, pointer, known, llvm::cast<llvm::LoadInst>(access)->isVolatile());
        loaded = builder.CreateInsertElement(loaded, value, index);
      }
    }
    if (llvm::isa<llvm::LoadInst>(access)) access->replaceAllUsesWith(loaded);
    access->eraseFromParent();
  }
}

// The engine runs no switches, and knows volatile accesses by their mark.
void prepare(llvm::Function& kernel) {
  constexpr std::uint64_t widest = 16;  // bytes of a thread's access
  expand_copies(kernel, true, widest);
  split_vectors(kernel);
  llvm::FunctionAnalysisManager functions;
  llvm::PassBuilder().registerFunctionAnalyses(functions);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::LowerSwitchPass());
  passes.addPass(llvm::BreakCriticalEdgesPass());
  passes.run(kernel, functions);
  for (llvm::Instruction& instruction : llvm::instructions(kernel))
    if ((llvm::isa<llvm::LoadInst>(instruction) || llvm::isa<llvm::StoreInst>(instruction)) &&
        instruction.isVolatile())
      instruction.setMetadata(is_volatile, llvm::MDNode::get(kernel.getContext(), {}));
}

// Code of the prelude has the place of its call.
void set_places(llvm::Function& kernel) {
  for (llvm::Instruction& instruction : llvm::instructions(kernel)) {
    const llvm::DILocation* place = instruction.getDebugLoc().get();
    while (place != nullptr && place->getFilename() == prelude_file &&
           place->getInlinedAt() != nullptr)
      place = place->getInlinedAt();
    if (place != nullptr) instruction.setDebugLoc(llvm::DebugLoc(place));
  }
}

std::string assembly_of(const llvm::Module& module, const std::string& linkage,
                        llvm::TargetMachine& target) {
  const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
  set_places(*copy->getFunction(linkage));
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  if (target.addPassesToEmitFile(passes, stream, nullptr, assembly_text)) return {};
  passes.run(*copy);
  return text.str().str();
}

std::string text_of(const llvm::DiagnosticInfo& diagnostic) {
  std::string result;
  llvm::raw_string_ostream stream(result);
  llvm::DiagnosticPrinterRawOStream printer(stream);
  diagnostic.print(printer);
  return stream.str();
}

// Errors of the back end; without a handler they end the program.
class collected_diagnostics : public llvm::DiagnosticHandler {
 public:
  explicit collected_diagnostics(std::string& error) : text_(error) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& diagnostic) override {
    if (diagnostic.getSeverity() == llvm::DS_Error && text_.empty()) text_ = text_of(diagnostic);
    return true;
  }

 private:
  std::string& text_;
};

optimized_code compiled_for(llvm::TargetMachine& target, const parsed_source& source,
                            const std::string& linkage, const std::string& path,
                            std::string& error) {
  const auto is_wanted = [&](const llvm::GlobalValue* value) {
    const auto* const function = llvm::dyn_cast<llvm::Function>(value);
    if (function == nullptr || value->getName() == linkage) return true;
    for (const declared_kernel& declared : source.kernels)
      if (value->getName() == declared.linkage) return false;
    return true;
  };
  llvm::ValueToValueMapTy map;
  const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*source.unlowered, map, is_wanted);
  llvm::Function* const kernel = copy->getFunction(linkage);
  define(*copy);
  inline_all(*copy, {kernel});
  note_effects(*copy);
  // The same arrays as those of the kernel as written, in its order.
  std::vector<const llvm::GlobalVariable*> shared;
  std::vector<llvm::GlobalValue*> kept;
  for (const llvm::GlobalVariable* const array :
       shared_arrays_of(*source.module->getFunction(linkage))) {
    llvm::GlobalVariable* const same = copy->getGlobalVariable(array->getName(), true);
    if (same == nullptr) continue;
    shared.push_back(same);
    kept.push_back(same);
  }
  if (!kept.empty()) llvm::appendToCompilerUsed(*copy, kept);
  optimize(*kernel, target);
  if (llvm::GlobalVariable* const used = copy->getGlobalVariable("llvm.compiler.used", true))
    used->eraseFromParent();
  optimized_code result;
  const std::string text = assembly_of(*copy, linkage, target);
  if (error.empty() && !text.empty())
    result.instructions = machine_code{0, accesses_in_assembly(text, linkage),
                                       "code for " + std::string(target.getTargetCPU())};
  prepare(*kernel);
  result.kernel = translation(*kernel, source, path).result(shared);
  result.kernel.loops_are_as_written = false;
  return result;
}

}  // namespace

optimized_code amd_code(const parsed_source& source, const std::string& linkage,
                        const std::string& path) {
  optimized_code result;
  const std::unique_ptr<llvm::TargetMachine> target =
      machine_for(*source.unlowered->getFunction(linkage));
  if (target == nullptr) {
    result.why_not = "LLVM's library has no back end for AMD";
    return result;
  }
  std::string error;
  std::unique_ptr<llvm::DiagnosticHandler> previous = source.context->getDiagnosticHandler();
  source.context->setDiagnosticHandler(std::make_unique<collected_diagnostics>(error));
  // It says nothing itself, and does not end the program.
  const llvm::ScopedFatalErrorHandler end_of_back_end([](void*, const char*, bool) {
    if (llvm::CrashRecoveryContext* const recovery = llvm::CrashRecoveryContext::GetCurrent())
      recovery->HandleExit(1);
  });
  const bool is_complete =
      ends_without_crash([&] { result = compiled_for(*target, source, linkage, path, error); });
  source.context->setDiagnosticHandler(std::move(previous));
  source.is_damaged = source.is_damaged || !is_complete;
  if (!is_complete || !result.instructions) {
    result = {};
    result.why_not = "LLVM's back end for AMD does not compile it" +
                     (error.empty() ? std::string() : ": " + error);
  }
  return result;
}

}  // namespace compiled
