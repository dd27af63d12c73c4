// SPDX-License-Identifier: MIT
#include "syntax_visitor.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/RecursiveASTVisitor.h>

namespace compiled {

class forwarding_visitor : public clang::RecursiveASTVisitor<forwarding_visitor> {
 public:
  explicit forwarding_visitor(syntax_visitor& visitor) : visitor_(visitor) {}

  // NOLINTBEGIN(readability-identifier-naming): Clang calls these by name.
  bool shouldVisitTemplateInstantiations() const { return visitor_.visits_instantiations(); }
  bool shouldVisitImplicitCode() const { return visitor_.visits_implicit_code(); }
  bool TraverseDecl(clang::Decl* declaration) {
    const auto* const function = llvm::dyn_cast_or_null<clang::FunctionDecl>(declaration);
    if (function != nullptr && (!visitor_.enters(*function) || is_visited(*function))) return true;
    return RecursiveASTVisitor::TraverseDecl(declaration);
  }
  bool dataTraverseStmtPre(clang::Stmt* statement) { return visitor_.enter(statement); }
  bool dataTraverseStmtPost(clang::Stmt* statement) {
    visitor_.leave(statement);
    return true;
  }
#define BANKMODEL_VISIT(Node) \
  bool Visit##Node(clang::Node* node) { return visitor_.Visit##Node(node); }
  BANKMODEL_VISITED_NODES(BANKMODEL_VISIT)
#undef BANKMODEL_VISIT
  // NOLINTEND(readability-identifier-naming)

 private:
  bool is_visited(const clang::FunctionDecl& function) {
    return visitor_.visits_instantiations() && !visitor_.visited_.insert(&function).second;
  }

  syntax_visitor& visitor_;
};

bool is_device_code(const clang::FunctionDecl& function) {
  return function.hasAttr<clang::CUDAGlobalAttr>() ||
         (function.hasAttr<clang::CUDADeviceAttr>() && !function.hasAttr<clang::CUDAHostAttr>());
}

void syntax_visitor::visit_all(const clang::Stmt* statement) {
  (void)forwarding_visitor(*this).TraverseStmt(const_cast<clang::Stmt*>(statement));
}

void syntax_visitor::visit_all(clang::Decl* declaration) {
  (void)forwarding_visitor(*this).TraverseDecl(declaration);
}

}  // namespace compiled
