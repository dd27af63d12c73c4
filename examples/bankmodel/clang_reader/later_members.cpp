// SPDX-License-Identifier: MIT
#include "later_members.hpp"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>

#include "scope_of_file.hpp"

namespace compiled {

namespace {

void add_instances(clang::Decl* declaration,
                   std::vector<clang::ClassTemplateSpecializationDecl*>& to) {
  if (auto* const instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(declaration)) {
    if (instance->getSpecializationKind() == clang::TSK_ExplicitInstantiationDefinition &&
        !instance->isInvalidDecl() && instance->hasDefinition())
      to.push_back(instance);
    return;
  }
  if (!llvm::isa<clang::NamespaceDecl>(declaration) &&
      !llvm::isa<clang::LinkageSpecDecl>(declaration))
    return;
  for (clang::Decl* const inner : llvm::cast<clang::DeclContext>(declaration)->decls())
    add_instances(inner, to);
}

}  // namespace

void define_later_members(clang::Sema& sema, const std::vector<clang::Decl*>& declarations) {
  std::vector<clang::ClassTemplateSpecializationDecl*> instances;
  for (clang::Decl* const declaration : declarations) add_instances(declaration, instances);
  if (instances.empty()) return;
  const scope_of_file scope(sema);
  for (clang::ClassTemplateSpecializationDecl* const instance : instances)
    sema.InstantiateClassTemplateSpecializationMembers(
        instance->getPointOfInstantiation(), instance, clang::TSK_ExplicitInstantiationDefinition);
  sema.PerformPendingInstantiations();
}

}  // namespace compiled
