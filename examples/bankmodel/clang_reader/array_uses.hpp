// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_ARRAY_USES_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_ARRAY_USES_HPP

#include <clang/AST/RecursiveASTVisitor.h>

#include <map>
#include <vector>

#include "../compiled/code/array_source.hpp"

namespace compiled {

// Finds where arrays in shared memory are named: with all their subscripts, or in another way.
class array_uses : public clang::RecursiveASTVisitor<array_uses> {
 public:
  explicit array_uses(clang::ASTContext& context) : context_(context) {}

  std::map<const clang::VarDecl*, array_source> found;  // by the canonical declaration

  // NOLINTBEGIN(readability-identifier-naming): Clang calls these by name.
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool dataTraverseStmtPre(clang::Stmt* statement) {
    open_.push_back(statement);
    return true;
  }
  bool dataTraverseStmtPost(clang::Stmt*) {
    open_.pop_back();
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* variable);
  bool VisitDeclRefExpr(clang::DeclRefExpr* use);
  // NOLINTEND(readability-identifier-naming)

 private:
  const clang::Stmt* outer(std::size_t levels) const {
    return levels < open_.size() ? open_[open_.size() - 1 - levels] : nullptr;
  }
  std::string other_than_subscripts(std::size_t levels, bool is_complete) const;
  std::string given_to(const clang::CallExpr& call, bool is_element) const;
  void note(array_source& to, const clang::DeclRefExpr& use, const clang::Expr& whole,
            const std::vector<const clang::Expr*>& subscripts, const std::string& what);

  clang::ASTContext& context_;
  std::vector<const clang::Stmt*> open_;  // the statements around the current one, which is last
};

}  // namespace compiled

#endif
