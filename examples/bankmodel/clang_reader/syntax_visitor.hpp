// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_SYNTAX_VISITOR_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_SYNTAX_VISITOR_HPP

#include <clang/AST/Decl.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <llvm/ADT/DenseSet.h>

// A compiler needs five seconds for each class derived from Clang's RecursiveASTVisitor. Only one
// class here is derived from it, and it calls the virtual functions of this one.
namespace compiled {

// Whether a function is not for the host.
bool is_device_code(const clang::FunctionDecl& function);

// Visits a syntax tree: each node before its parts. A visit that returns false ends the traversal.
// Instances are declarations of their own and parts of their templates, and are visited once.
class syntax_visitor {
 public:
  syntax_visitor() = default;
  syntax_visitor(const syntax_visitor&) = delete;
  syntax_visitor& operator=(const syntax_visitor&) = delete;
  virtual ~syntax_visitor() = default;

  void visit_all(const clang::Stmt* statement);
  void visit_all(clang::Decl* declaration);

  virtual bool visits_instantiations() const { return false; }  // of templates
  virtual bool visits_implicit_code() const { return false; }
  // If it returns false, the function and its parts are not visited.
  virtual bool enters(const clang::FunctionDecl&) const { return true; }
  // Called before and after a statement and its parts are visited. If enter() returns false, they
  // are not visited, and leave() is not called.
  virtual bool enter(clang::Stmt*) { return true; }
  virtual void leave(clang::Stmt*) {}

  // NOLINTBEGIN(readability-identifier-naming): as Clang names them.
  virtual bool VisitExpr(clang::Expr*) { return true; }
  virtual bool VisitCallExpr(clang::CallExpr*) { return true; }
  virtual bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr*) { return true; }
  virtual bool VisitCXXConstructExpr(clang::CXXConstructExpr*) { return true; }
  virtual bool VisitCXXDeleteExpr(clang::CXXDeleteExpr*) { return true; }
  virtual bool VisitLambdaExpr(clang::LambdaExpr*) { return true; }
  virtual bool VisitDeclRefExpr(clang::DeclRefExpr*) { return true; }
  virtual bool VisitDeclStmt(clang::DeclStmt*) { return true; }
  virtual bool VisitMemberExpr(clang::MemberExpr*) { return true; }
  virtual bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr*) { return true; }
  virtual bool VisitCastExpr(clang::CastExpr*) { return true; }
  virtual bool VisitBinaryOperator(clang::BinaryOperator*) { return true; }
  virtual bool VisitUnaryOperator(clang::UnaryOperator*) { return true; }
  virtual bool VisitIfStmt(clang::IfStmt*) { return true; }
  virtual bool VisitForStmt(clang::ForStmt*) { return true; }
  virtual bool VisitWhileStmt(clang::WhileStmt*) { return true; }
  virtual bool VisitDoStmt(clang::DoStmt*) { return true; }
  virtual bool VisitVarDecl(clang::VarDecl*) { return true; }
  virtual bool VisitFunctionDecl(clang::FunctionDecl*) { return true; }
  // NOLINTEND(readability-identifier-naming)

 private:
  friend class forwarding_visitor;
  llvm::DenseSet<const clang::FunctionDecl*> visited_;
};

}  // namespace compiled

#endif
