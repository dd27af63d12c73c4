// SPDX-License-Identifier: MIT
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <llvm/ADT/DenseSet.h>

// A compiler needs five seconds for each class derived from Clang's RecursiveASTVisitor. Only one
// class here is derived from it, and it calls the virtual functions of this one.
namespace compiled {

// Whether a function is not for the host.
bool is_device_code(const clang::FunctionDecl& function);

// The nodes for which syntax_visitor has a function, named as Clang names them: VisitCallExpr().
#define BANKMODEL_VISITED_NODES(visit)                                                            \
  visit(Expr) visit(CallExpr) visit(CUDAKernelCallExpr) visit(CXXConstructExpr)                   \
      visit(CXXDeleteExpr) visit(LambdaExpr) visit(DeclRefExpr) visit(DeclStmt) visit(MemberExpr) \
          visit(ArraySubscriptExpr) visit(CastExpr) visit(BinaryOperator) visit(UnaryOperator)    \
              visit(IfStmt) visit(ForStmt) visit(WhileStmt) visit(DoStmt) visit(VarDecl)          \
                  visit(FunctionDecl)

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

#define BANKMODEL_VISIT(Node) \
  virtual bool Visit##Node(clang::Node*) { return true; }
  BANKMODEL_VISITED_NODES(BANKMODEL_VISIT)
#undef BANKMODEL_VISIT

 private:
  friend class forwarding_visitor;
  llvm::DenseSet<const clang::FunctionDecl*> visited_;
};

}  // namespace compiled
