// SPDX-License-Identifier: MIT
#include "source_reader.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <memory>
#include <set>

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
    const llvm::Function* const one = open.back();
    open.pop_back();
    if (!seen.insert(one).second) continue;
    const auto found = source.functions_in_error.find(one->getName().str());
    if (found != source.functions_in_error.end() && text.find(found->second) == std::string::npos)
      text += found->second;
    for (const llvm::Instruction& each : llvm::instructions(*one))
      if (const auto* const call = llvm::dyn_cast<llvm::CallBase>(&each))
        if (const llvm::Function* const called = call->getCalledFunction()) open.push_back(called);
  }
  return text;
}

int lanes_of(const source_options& options) {
  if (!options.is_hip) return 32;
  const std::string& named = options.architecture;
  return named.rfind("gfx1", 0) == 0 && named.size() >= 7 ? 32 : 64;
}

std::vector<std::string> linkages_of(const std::vector<kernel_code>& kernels) {
  std::vector<std::string> result;
  for (const kernel_code& each : kernels) result.push_back(each.linkage);
  return result;
}

optimized_code optimized_kernel(const parsed_source& source, const std::string& linkage,
                                const std::string& path) {
  if (source.unlowered != nullptr) return amd_code(source, linkage, path);
  const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*source.module);
  llvm::Function* const kernel = copy->getFunction(linkage);
  const std::vector<const llvm::GlobalVariable*> shared = shared_arrays_of(*kernel);
  optimize_accesses(*kernel);
  optimized_code result;
  result.kernel = translation(*kernel, source, path).result(shared);
  result.kernel.loops_are_as_written = false;  // a loop's test is at its end, and once before it
  return result;
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
    for (const declared_kernel& each : source.kernels) {
      llvm::Function* const kernel = source.module->getFunction(each.linkage);
      if (kernel == nullptr || kernel->isDeclaration()) continue;
      const std::string errors = errors_of(*kernel, source);
      if (errors.empty()) {
        readable.insert(kernel);
        continue;
      }
      result.unread.push_back({each.name, errors});
      if (result.diagnostics.find(errors) == std::string::npos) result.diagnostics += errors;
    }
  for (unread_kernel& each : source.without_code) {
    if (result.diagnostics.find(each.reason) == std::string::npos)
      result.diagnostics += each.reason;
    result.unread.push_back(std::move(each));
  }
  std::sort(result.unread.begin(), result.unread.end(),
            [](const auto& left, const auto& right) { return left.name < right.name; });
  if (readable.empty() && result.diagnostics.empty()) result.diagnostics = source.errors;
  result.failed = readable.empty() || !result.unread.empty();
  if (readable.empty()) return result;

  if (options.is_hip) source.unlowered = llvm::CloneModule(*source.module);
  lower(*source.module, readable, options.unrolls, options.widest_access);
  for (const declared_kernel& each : source.kernels) {
    llvm::Function* const kernel = source.module->getFunction(each.linkage);
    if (readable.count(kernel) != 0)
      result.kernels.push_back(translation(*kernel, source, path).result());
  }
  result.optimized = [read, path, kernels = linkages_of(result.kernels)](std::size_t index) {
    return optimized_kernel(*read, kernels[index], path);
  };
  return result;
}

}  // namespace compiled
