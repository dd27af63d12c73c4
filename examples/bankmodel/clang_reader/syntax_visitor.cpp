// SPDX-License-Identifier: MIT
#include "syntax_visitor.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/RecursiveASTVisitor.h>

namespace compiled {

class forwarding_visitor : public clang::RecursiveASTVisitor<forwarding_visitor> {
 public:
  explicit forwarding_visitor(syntax_visitor& to) : to_(to) {}

  // NOLINTBEGIN(readability-identifier-naming): Clang calls these by name.
  bool shouldVisitTemplateInstantiations() const { return to_.visits_instantiations(); }
  bool shouldVisitImplicitCode() const { return to_.visits_implicit_code(); }
  bool TraverseDecl(clang::Decl* of) {
    const auto* const function = llvm::dyn_cast_or_null<clang::FunctionDecl>(of);
    if (function != nullptr && (!to_.enters(*function) || is_visited(*function))) return true;
    return RecursiveASTVisitor::TraverseDecl(of);
  }
  bool dataTraverseStmtPre(clang::Stmt* of) { return to_.enter(of); }
  bool dataTraverseStmtPost(clang::Stmt* of) {
    to_.leave(of);
    return true;
  }
  bool VisitExpr(clang::Expr* of) { return to_.VisitExpr(of); }
  bool VisitCallExpr(clang::CallExpr* of) { return to_.VisitCallExpr(of); }
  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr* of) {
    return to_.VisitCUDAKernelCallExpr(of);
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* of) { return to_.VisitCXXConstructExpr(of); }
  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr* of) { return to_.VisitCXXDeleteExpr(of); }
  bool VisitLambdaExpr(clang::LambdaExpr* of) { return to_.VisitLambdaExpr(of); }
  bool VisitDeclRefExpr(clang::DeclRefExpr* of) { return to_.VisitDeclRefExpr(of); }
  bool VisitDeclStmt(clang::DeclStmt* of) { return to_.VisitDeclStmt(of); }
  bool VisitMemberExpr(clang::MemberExpr* of) { return to_.VisitMemberExpr(of); }
  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr* of) {
    return to_.VisitArraySubscriptExpr(of);
  }
  bool VisitCastExpr(clang::CastExpr* of) { return to_.VisitCastExpr(of); }
  bool VisitBinaryOperator(clang::BinaryOperator* of) { return to_.VisitBinaryOperator(of); }
  bool VisitUnaryOperator(clang::UnaryOperator* of) { return to_.VisitUnaryOperator(of); }
  bool VisitIfStmt(clang::IfStmt* of) { return to_.VisitIfStmt(of); }
  bool VisitForStmt(clang::ForStmt* of) { return to_.VisitForStmt(of); }
  bool VisitWhileStmt(clang::WhileStmt* of) { return to_.VisitWhileStmt(of); }
  bool VisitDoStmt(clang::DoStmt* of) { return to_.VisitDoStmt(of); }
  bool VisitVarDecl(clang::VarDecl* of) { return to_.VisitVarDecl(of); }
  bool VisitFunctionDecl(clang::FunctionDecl* of) { return to_.VisitFunctionDecl(of); }
  // NOLINTEND(readability-identifier-naming)

 private:
  bool is_visited(const clang::FunctionDecl& function) {
    return to_.visits_instantiations() && !to_.visited_.insert(&function).second;
  }

  syntax_visitor& to_;
};

bool is_device_code(const clang::FunctionDecl& function) {
  return function.hasAttr<clang::CUDAGlobalAttr>() ||
         (function.hasAttr<clang::CUDADeviceAttr>() && !function.hasAttr<clang::CUDAHostAttr>());
}

void syntax_visitor::visit_all(const clang::Stmt* of) {
  (void)forwarding_visitor(*this).TraverseStmt(const_cast<clang::Stmt*>(of));
}

void syntax_visitor::visit_all(clang::Decl* of) {
  (void)forwarding_visitor(*this).TraverseDecl(of);
}

}  // namespace compiled
