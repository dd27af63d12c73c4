// SPDX-License-Identifier: MIT
#include "source_reader.hpp"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "../compiled/code/short_names.hpp"
#include "amd_code.hpp"
#include "front_end.hpp"
#include "lowering.hpp"
#include "translation.hpp"

namespace compiled {

namespace {

// The text of errors in functions that this one calls; empty if there is none.
std::string errors_of(const llvm::Function& kernel, const parsed_source& source) {
  std::string text;
  std::set<const llvm::Function*> seen;
  std::vector<const llvm::Function*> open = {&kernel};
  while (!open.empty()) {
    const llvm::Function* const function = open.back();
    open.pop_back();
    if (!seen.insert(function).second) continue;
    const auto entry = source.functions_in_error.find(function->getName().str());
    if (entry != source.functions_in_error.end() && text.find(entry->second) == std::string::npos)
      text += entry->second;
    for (const llvm::Instruction& instruction : llvm::instructions(*function))
      if (const auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (const llvm::Function* const called = call->getCalledFunction()) open.push_back(called);
  }
  return text;
}

// The sizes of functions with all that they call, as if each call were a copy.
class code_sizes {
 public:
  std::uint64_t size_of(const llvm::Function& function) {
    constexpr std::uint64_t limit = std::uint64_t{1} << 40;
    const auto [known, is_new] = sizes_.try_emplace(&function, 0);  // 0 for a call of itself
    if (!is_new) return known->second;
    std::uint64_t result = 0;
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      ++result;
      const auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const llvm::Function* const called = call == nullptr ? nullptr : call->getCalledFunction();
      if (called != nullptr && !called->isDeclaration())
        result = std::min(result + size_of(*called), limit);
    }
    return sizes_[&function] = result;
  }

 private:
  std::map<const llvm::Function*, std::uint64_t> sizes_;
};

// The arrays in shared memory that a kernel and what it calls name.
std::set<const llvm::GlobalVariable*> shared_arrays_named_by(const llvm::Function& kernel) {
  std::set<const llvm::GlobalVariable*> result;
  std::set<const llvm::Value*> seen;
  std::vector<const llvm::Value*> open = {&kernel};
  while (!open.empty()) {
    const llvm::Value* const value = open.back();
    open.pop_back();
    if (!seen.insert(value).second) continue;
    if (const auto* const global = llvm::dyn_cast<llvm::GlobalVariable>(value)) {
      if (global->getAddressSpace() == 3) result.insert(global);
    } else if (const auto* const function = llvm::dyn_cast<llvm::Function>(value)) {
      for (const llvm::Instruction& instruction : llvm::instructions(*function))
        for (const llvm::Value* const operand : instruction.operands())
          if (llvm::isa<llvm::Constant>(operand)) open.push_back(operand);
    } else if (const auto* const constant = llvm::dyn_cast<llvm::Constant>(value)) {
      for (const llvm::Value* const operand : constant->operands()) open.push_back(operand);
    }
  }
  return result;
}

// Notes that the arrays which this code uses are those of a kernel that is not counted.
void refuse_changes(const llvm::Function& code, const std::string& kernel, parsed_source& source) {
  for (const llvm::GlobalVariable* const array : shared_arrays_named_by(code)) {
    const auto refuse = [&](declared_array& refused) {
      if (refused.source.refusal.empty() && !refused.source.is_of_one_kernel)
        refused.source.refusal = "the kernel " + kernel + " uses it too";
    };
    declared_array& declared = source.arrays[array->getName().str()];
    refuse(declared);
    for (declared_array& member : declared.members) refuse(member);
  }
}

// Takes out the kernels that the question passes over, with their code, and returns them. An array
// that one of them has too is not changed.
std::vector<readable_kernel> pass_over_kernels(parsed_source& source,
                                               std::set<llvm::Function*>& readable) {
  if (!source.passes_over) return {};
  code_sizes sizes;
  std::map<std::string, std::vector<llvm::Function*>> code_of_template;
  std::vector<readable_kernel> kernels;
  for (readable_kernel& kernel : source.defined) {
    llvm::Function* const code = source.module->getFunction(kernel.linkage);
    if (kernel.reason == passed_over::none) {
      if (readable.count(code) == 0) continue;
      kernel.instructions = sizes.size_of(*code);
      code_of_template[template_of(kernel.name)].push_back(code);
    }
    kernels.push_back(std::move(kernel));
  }
  // What an instance without code uses shows in the code of the others.
  std::map<std::string, passed_over> without_code;
  for (const readable_kernel& kernel : kernels) {
    if (kernel.reason == passed_over::none) continue;
    without_code[kernel.linkage] = kernel.reason;
    std::vector<llvm::Function*>& instances = code_of_template[template_of(kernel.name)];
    for (const llvm::Function* const code : instances) refuse_changes(*code, kernel.name, source);
    instances.clear();
  }
  source.passes_over(kernels);
  std::vector<readable_kernel> result;
  for (readable_kernel& kernel : kernels) {
    if (const auto known = without_code.find(kernel.linkage); known != without_code.end()) {
      kernel.reason = known->second;
    } else {
      if (kernel.reason == passed_over::none) continue;
      llvm::Function* const code = source.module->getFunction(kernel.linkage);
      refuse_changes(*code, kernel.name, source);
      readable.erase(code);
      code->setComdat(nullptr);
      code->deleteBody();
    }
    result.push_back(std::move(kernel));
  }
  return result;
}

int lanes_of(const source_options& options) {
  if (!options.is_hip) return 32;
  const std::string& named = options.architecture;
  return named.rfind("gfx1", 0) == 0 && named.size() >= 7 ? 32 : 64;
}

std::vector<std::string> linkages_of(const std::vector<kernel_code>& kernels) {
  std::vector<std::string> result;
  for (const kernel_code& kernel : kernels) result.push_back(kernel.linkage);
  return result;
}

void add_functions_that_name(const llvm::Value& value,
                             std::set<const llvm::GlobalValue*>& functions) {
  for (const llvm::User* const user : value.users()) {
    if (const auto* const instruction = llvm::dyn_cast<llvm::Instruction>(user))
      functions.insert(instruction->getFunction());
    else
      add_functions_that_name(*user, functions);
  }
}

// A copy of a module with the code of this kernel, and of those that name its shared arrays.
std::unique_ptr<llvm::Module> module_of(const llvm::Function& kernel) {
  std::set<const llvm::GlobalValue*> with_code = {&kernel};
  for (const llvm::GlobalVariable* const array : shared_arrays_of(kernel))
    add_functions_that_name(*array, with_code);
  llvm::ValueToValueMapTy copies;
  return llvm::CloneModule(*kernel.getParent(), copies, [&](const llvm::GlobalValue* value) {
    return !llvm::isa<llvm::Function>(value) || with_code.count(value) != 0;
  });
}

optimized_code optimized_kernel(const parsed_source& source, const std::string& linkage,
                                const std::string& path) {
  if (source.unlowered != nullptr) return amd_code(source, linkage, path);
  const std::unique_ptr<llvm::Module> copy = module_of(*source.module->getFunction(linkage));
  llvm::Function* const kernel = copy->getFunction(linkage);
  const std::vector<const llvm::GlobalVariable*> shared = shared_arrays_of(*kernel);
  optimize_accesses(*kernel);
  optimized_code result;
  result.kernel = translation(*kernel, source, path).result(shared);
  result.kernel.loops_are_as_written = false;  // a loop's test is at its end, and once before it
  return result;
}

// Whose numbers nobody says: those of kernels that are no templates.
void add_device_launches(read_source& source) {
  for (const unread_launch& launch : source.unread_launches)
    for (const kernel_code& kernel : source.kernels) {
      if (!launch.is_by_device || kernel.name != launch.kernel) continue;
      found_launch added;
      added.kernel = kernel.name;
      added.linkage = kernel.linkage;
      added.arguments.resize(kernel.parameters.size());
      added.block_depends_on = "device code";
      added.file = launch.file;
      added.line = launch.line;
      source.launches.push_back(std::move(added));
    }
}

}  // namespace

read_source read_cuda(const std::string& path, const source_options& options) {
  const auto read = std::make_shared<parsed_source>(parse(path, options));
  parsed_source& source = *read;
  source.lanes = lanes_of(options);
  read_source result;
  result.launches = std::move(source.launches);
  result.unread_launches = std::move(source.unread_launches);
  result.skipped_kernels = std::move(source.skipped_kernels);
  result.kernels_without_instance = std::move(source.kernels_without_instance);
  result.assumed_templates = std::move(source.assumed_templates);
  result.missing_headers = std::move(source.missing_headers);
  result.depends_on_machine = source.depends_on_machine;
  result.missing_own_headers = std::move(source.missing_own_headers);
  result.headers_beside = std::move(source.headers_beside);

  std::set<llvm::Function*> readable;
  if (source.module != nullptr)
    for (const declared_kernel& declared : source.kernels) {
      llvm::Function* const kernel = source.module->getFunction(declared.linkage);
      if (kernel == nullptr || kernel->isDeclaration()) continue;
      const std::string errors = errors_of(*kernel, source);
      if (errors.empty()) {
        readable.insert(kernel);
        continue;
      }
      result.unread.push_back({declared.name, errors});
      if (result.diagnostics.find(errors) == std::string::npos) result.diagnostics += errors;
    }
  for (unread_kernel& kernel : source.without_code) {
    if (result.diagnostics.find(kernel.reason) == std::string::npos)
      result.diagnostics += kernel.reason;
    result.unread.push_back(std::move(kernel));
  }
  std::ranges::sort(result.unread,
                    [](const auto& left, const auto& right) { return left.name < right.name; });
  if (readable.empty() && result.diagnostics.empty()) result.diagnostics = source.errors;
  result.errors = source.errors;
  result.added_tokens = std::move(source.added_tokens);
  const std::size_t added = result.added_tokens.size();
  result.added_tokens.merge(source.missing_tokens);
  result.is_incomplete =
      options.reads_once && (source.mended.has_value() || result.added_tokens.size() != added);
  result.failed = readable.empty() || !result.unread.empty();
  result.readable = readable.size();
  // Code is made by the complete reading, which follows.
  if (readable.empty() || result.is_incomplete) return result;
  result.passed_over = pass_over_kernels(source, readable);
  if (readable.empty()) return result;

  if (options.is_hip) source.unlowered = llvm::CloneModule(*source.module);
  lower(*source.module, readable, options.unrolls, options.widest_access);
  for (const declared_kernel& declared : source.kernels) {
    llvm::Function* const kernel = source.module->getFunction(declared.linkage);
    if (readable.count(kernel) != 0)
      result.kernels.push_back(translation(*kernel, source, path).result());
  }
  add_device_launches(result);
  // Modules of one context are for one thread at a time.
  result.optimized = [read, path, kernels = linkages_of(result.kernels),
                      lock = std::make_shared<std::mutex>()](std::size_t index) {
    const std::lock_guard held(*lock);
    return optimized_kernel(*read, kernels[index], path);
  };
  return result;
}

}  // namespace compiled
