// SPDX-License-Identifier: MIT
#include "later_members.hpp"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>

#include "file_scope.hpp"

namespace compiled {

namespace {

void add_instances(clang::Decl* declaration,
                   std::vector<clang::ClassTemplateSpecializationDecl*>& instances) {
  if (auto* const instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(declaration)) {
    if (instance->getSpecializationKind() == clang::TSK_ExplicitInstantiationDefinition &&
        !instance->isInvalidDecl() && instance->hasDefinition())
      instances.push_back(instance);
    return;
  }
  if (!llvm::isa<clang::NamespaceDecl>(declaration) &&
      !llvm::isa<clang::LinkageSpecDecl>(declaration))
    return;
  for (clang::Decl* const inner : llvm::cast<clang::DeclContext>(declaration)->decls())
    add_instances(inner, instances);
}

}  // namespace

void define_later_members(clang::Sema& sema, const std::vector<clang::Decl*>& declarations) {
  std::vector<clang::ClassTemplateSpecializationDecl*> instances;
  for (clang::Decl* const declaration : declarations) add_instances(declaration, instances);
  if (instances.empty()) return;
  const file_scope scope(sema);
  for (clang::ClassTemplateSpecializationDecl* const instance : instances)
    sema.InstantiateClassTemplateSpecializationMembers(
        instance->getPointOfInstantiation(), instance, clang::TSK_ExplicitInstantiationDefinition);
  sema.PerformPendingInstantiations();
}

}  // namespace compiled
