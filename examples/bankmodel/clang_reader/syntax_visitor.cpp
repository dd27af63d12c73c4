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
  bool VisitExpr(clang::Expr* expression) { return visitor_.VisitExpr(expression); }
  bool VisitCallExpr(clang::CallExpr* call) { return visitor_.VisitCallExpr(call); }
  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr* call) {
    return visitor_.VisitCUDAKernelCallExpr(call);
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* construction) {
    return visitor_.VisitCXXConstructExpr(construction);
  }
  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr* deletion) {
    return visitor_.VisitCXXDeleteExpr(deletion);
  }
  bool VisitLambdaExpr(clang::LambdaExpr* lambda) { return visitor_.VisitLambdaExpr(lambda); }
  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
    return visitor_.VisitDeclRefExpr(reference);
  }
  bool VisitDeclStmt(clang::DeclStmt* statement) { return visitor_.VisitDeclStmt(statement); }
  bool VisitMemberExpr(clang::MemberExpr* member) { return visitor_.VisitMemberExpr(member); }
  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr* subscript) {
    return visitor_.VisitArraySubscriptExpr(subscript);
  }
  bool VisitCastExpr(clang::CastExpr* cast) { return visitor_.VisitCastExpr(cast); }
  bool VisitBinaryOperator(clang::BinaryOperator* operation) {
    return visitor_.VisitBinaryOperator(operation);
  }
  bool VisitUnaryOperator(clang::UnaryOperator* operation) {
    return visitor_.VisitUnaryOperator(operation);
  }
  bool VisitIfStmt(clang::IfStmt* statement) { return visitor_.VisitIfStmt(statement); }
  bool VisitForStmt(clang::ForStmt* loop) { return visitor_.VisitForStmt(loop); }
  bool VisitWhileStmt(clang::WhileStmt* loop) { return visitor_.VisitWhileStmt(loop); }
  bool VisitDoStmt(clang::DoStmt* loop) { return visitor_.VisitDoStmt(loop); }
  bool VisitVarDecl(clang::VarDecl* variable) { return visitor_.VisitVarDecl(variable); }
  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    return visitor_.VisitFunctionDecl(function);
  }
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
