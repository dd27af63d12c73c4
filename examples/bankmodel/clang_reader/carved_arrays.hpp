// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_CARVED_ARRAYS_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_CARVED_ARRAYS_HPP

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "../compiled/code/array_source.hpp"
#include "syntax_visitor.hpp"

namespace compiled {

// Finds the arrays that kernels carve out of dynamic ones: pointers that are defined once, by a
// dynamic array or an earlier pointer and a sum of products of integer arguments and constants.
// Kernels that are templates are left out: each instance has other sizes.
class carved_arrays : public syntax_visitor {
 public:
  explicit carved_arrays(clang::ASTContext& context) : context_(context) {}

  std::map<const clang::VarDecl*, std::vector<carved_array>> found;  // by the canonical declaration

  bool enter(clang::Stmt* statement) override {
    open_.push_back(statement);
    return true;
  }
  void leave(clang::Stmt*) override { open_.pop_back(); }
  bool VisitFunctionDecl(clang::FunctionDecl* function) override;
  bool VisitVarDecl(clang::VarDecl* variable) override;
  bool VisitDeclRefExpr(clang::DeclRefExpr* use) override;

 private:
  // A pointer's value: what it is made of, and the bytes that are added.
  struct pointer_value {
    const clang::VarDecl* dynamic = nullptr;
    carved_array made;  // origin, first, offset, factors
  };
  bool read(const clang::Expr* pointer, pointer_value& to);
  bool add_offset(const clang::Expr* pointer, const clang::Expr* offset, pointer_value& to);
  void add_factors(const clang::Expr* of, std::vector<spelled_size>& to) const;
  void add_rows(const clang::Expr* index, carved_use& to) const;
  bool read_size(const clang::Expr* of, size_form& to) const;
  void note_use(const clang::DeclRefExpr& use, carved_array& to) const;

  clang::ASTContext& context_;
  const clang::FunctionDecl* function_ = nullptr;
  std::vector<const clang::Stmt*> open_;  // as in array_uses
  // Of each pointer: the dynamic array, and its number among those that are carved out of it.
  std::map<const clang::VarDecl*, std::pair<const clang::VarDecl*, std::size_t>> pointers_;
  std::set<const clang::DeclRefExpr*> origins_;  // in the definition of another pointer
};

}  // namespace compiled

#endif
