// SPDX-License-Identifier: MIT
#include "left_out_instances.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Mangle.h>
#include <clang/Basic/SourceManager.h>

#include <filesystem>
#include <set>

#include "translation.hpp"

namespace compiled {

namespace {

// Kernels with a body, in the order of their code; templates come as their instances.
void add_kernels(clang::Decl* declaration, const excluded_functions& excluded,
                 std::set<const clang::FunctionDecl*>& known,
                 std::vector<const clang::FunctionDecl*>& kernels) {
  if (const auto* const function = llvm::dyn_cast<clang::FunctionDecl>(declaration)) {
    const clang::FunctionDecl* body = nullptr;
    if (function->hasAttr<clang::CUDAGlobalAttr>() && !function->isInvalidDecl() &&
        !function->isDependentContext() && function->hasBody(body) &&
        excluded.count(function->getCanonicalDecl()) == 0 &&
        known.insert(function->getCanonicalDecl()).second)
      kernels.push_back(body);
  } else if (llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl, clang::CXXRecordDecl>(
                 declaration)) {
    for (clang::Decl* const member : llvm::cast<clang::DeclContext>(declaration)->decls())
      add_kernels(member, excluded, known, kernels);
  }
}

const clang::FunctionTemplateDecl* primary_template(const clang::FunctionDecl& kernel) {
  const clang::FunctionTemplateDecl* const primary = kernel.getPrimaryTemplate();
  return primary == nullptr ? nullptr : primary->getCanonicalDecl();
}

}  // namespace

linkage_names leave_out_instances(clang::ASTContext& context,
                                  const std::vector<clang::Decl*>& declarations,
                                  const excluded_functions& excluded,
                                  const written_launches& launches, parsed_source& source) {
  if (!source.passes_over) return {};
  std::set<const clang::FunctionDecl*> known, launched;
  std::vector<const clang::FunctionDecl*> kernels;
  for (clang::Decl* const declaration : declarations)
    add_kernels(declaration, excluded, known, kernels);
  for (const written_launch& launch : launches.launches)
    launched.insert(launch.kernel->getCanonicalDecl());

  clang::ASTNameGenerator mangled(context);
  std::error_code none;
  const std::string folder = std::filesystem::current_path(none).string();
  for (const clang::FunctionDecl* const kernel : kernels) {
    const clang::PresumedLoc place =
        context.getSourceManager().getPresumedLoc(kernel->getLocation());
    source.defined.push_back(
        {kernel_name(*kernel), mangled.getName(kernel),
         place.isValid() ? full_name(place.getFilename(), folder, source.path) : std::string(),
         launched.count(kernel->getCanonicalDecl()) != 0});
  }
  source.passes_over(source.defined);

  std::set<const clang::FunctionTemplateDecl*> with_code;
  for (std::size_t number = 0; number < kernels.size(); ++number)
    if (source.defined[number].reason == passed_over::none)
      with_code.insert(primary_template(*kernels[number]));
  linkage_names result;
  for (std::size_t number = 0; number < kernels.size(); ++number) {
    readable_kernel& kernel = source.defined[number];
    if (kernel.reason == passed_over::none) continue;
    const clang::FunctionTemplateDecl* const primary = primary_template(*kernels[number]);
    if (primary == nullptr || with_code.insert(primary).second)
      kernel.reason = passed_over::none;
    else
      result.emplace(kernels[number]->getCanonicalDecl(), kernel.linkage);
  }
  return result;
}

}  // namespace compiled
