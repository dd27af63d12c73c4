// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "../compiled/code/array_source.hpp"
#include "linkage_names.hpp"

namespace compiled {

// Finds the arrays that kernels carve out of dynamic ones: pointers that are defined once, by a
// dynamic array or an earlier pointer and a sum of products of integer arguments, constants and
// variables that stay what they are initialized with. Those of a template are its instances'.
// A kernel's declared array of one dimension is all of itself: `factors` are those of its extent.
class carved_arrays : public code_visitor {
 public:
  carved_arrays(clang::ASTContext& context, const linkage_names& left_out)
      : code_visitor(left_out), context_(context) {}

  // By the declaration that declaration_of() of array_uses.hpp returns.
  std::map<const clang::VarDecl*, std::vector<carved_array>> parts;

  // Instances have one source: each array gets the uses of all instances, and is refused if its
  // template has a use that none of them has.
  void join_instances();

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
    carved_array array;  // origin, first, offset, factors
  };
  bool read(const clang::Expr* pointer, pointer_value& value);
  void add_declared(const clang::VarDecl& variable);
  bool add_offset(const clang::Expr* pointer, const clang::Expr* offset, pointer_value& value);
  void add_factors(const clang::Expr* expression, std::vector<spelled_size>& factors) const;
  void add_rows(const clang::Expr* index, carved_use& use) const;
  std::optional<size_form> column_end(const clang::Expr* index) const;
  std::optional<size_form> end_of_loop(const clang::VarDecl& variable) const;
  bool is_not_negative(const clang::Expr* expression) const;
  bool has_spelled_size(const clang::BinaryOperator& product) const;
  bool read_size(const clang::Expr* expression, size_form& size) const;
  void note_use(const clang::DeclRefExpr& use, carved_array& array) const;

  clang::ASTContext& context_;
  const clang::FunctionDecl* function_ = nullptr;
  std::set<const clang::VarDecl*> changed_;  // variables of that function
  // The uses of pointers by where these are defined: in templates, and in kernels.
  using places = std::map<clang::SourceLocation, std::set<clang::SourceLocation>>;
  places uses_in_templates_, uses_in_kernels_;
  std::vector<const clang::Stmt*> open_;  // around the current one, which is last
  // Of each pointer: the dynamic array, and its number among those that are carved out of it.
  std::map<const clang::VarDecl*, std::pair<const clang::VarDecl*, std::size_t>> pointers_;
  std::set<const clang::DeclRefExpr*> origins_;  // in the definition of another pointer
};

}  // namespace compiled
