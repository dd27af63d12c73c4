// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "../compiled/code/array_source.hpp"
#include "linkage_names.hpp"
#include "pointer_uses.hpp"

namespace compiled {

// Where a variable in shared memory is named, and its members, if it is a structure.
struct declared_source {
  array_source variable;
  std::map<std::string, array_source> members;  // by shared_member::name
};

// The function whose body has the declaration; null if none has.
const clang::FunctionDecl* function_of(const clang::DeclaratorDecl& variable);

// True for `extern __shared__ float s[];` in the body of a function.
bool is_local_extern(const clang::VarDecl& variable);

// The declaration of a variable that a function has of its own, or else the canonical one.
const clang::VarDecl* declaration_of(const clang::VarDecl& variable);

// Finds where arrays in shared memory are named: with all their subscripts, or in another way.
class array_uses : public code_visitor {
 public:
  array_uses(clang::ASTContext& context, const linkage_names& left_out)
      : code_visitor(left_out), context_(context) {}

  // By the declaration that declaration_of() returns.
  std::map<const clang::VarDecl*, declared_source> sources;
  // Objects that a structure is a part of, and pointers to them but for parameters of device
  // functions.
  std::map<const clang::RecordDecl*, std::set<const clang::VarDecl*>> variables;
  std::map<const clang::RecordDecl*, clang::SourceLocation> casts;  // to pointers to structures

  bool enter(clang::Stmt* statement) override {
    open_.enter(statement);
    return true;
  }
  void leave(clang::Stmt*) override { open_.leave(); }
  // Gives each array the uses in functions that receive it, or a row of it, as a pointer, and no
  // other array.
  void join_received();
  // Leaves macros as they are that have subscripts of several arrays, or uses that are not known.
  void leave_shared_macros();
  bool VisitFunctionDecl(clang::FunctionDecl* function) override;
  bool VisitCallExpr(clang::CallExpr* call) override;
  bool VisitDeclStmt(clang::DeclStmt* statement) override;
  bool VisitVarDecl(clang::VarDecl* variable) override;
  bool VisitDeclRefExpr(clang::DeclRefExpr* use) override;
  bool VisitCastExpr(clang::CastExpr* cast) override;

 private:
  // An argument that is an array, or a row of it after `given` subscripts.
  struct received_array {
    const clang::VarDecl* array = nullptr;
    std::size_t given = 0;
    clang::SourceLocation argument;
    source_piece piece;
  };
  // A pointer among the parameters of a device function; instances have those of their template.
  struct parameter_uses {
    const clang::FunctionDecl* function = nullptr;
    std::string name;
    array_source source, of_template;  // whose own expressions may have no types
    std::vector<clang::SourceLocation> uses;
    std::vector<received_array> received;
    std::set<clang::SourceLocation> arguments;  // of all calls
  };
  // A macro whose body has an array with its subscripts: `#define S(i, j) s[32 * (i) + (j)]`.
  struct macro_uses {
    std::string name;
    source_piece piece, first_place;  // in the body, and of the first use
    std::set<clang::SourceLocation> arrays, names;
  };
  void add_variable(const clang::RecordDecl& record, const clang::VarDecl& variable);
  void note_member(const clang::DeclRefExpr& use, const clang::VarDecl& variable);
  void note_subscripts(const clang::DeclRefExpr& use, const clang::Expr* expression,
                       std::size_t levels, std::size_t rank, array_source& source);
  other_use other_than_subscripts(std::size_t levels, bool is_complete) const;
  other_use given_to(const clang::CallExpr& call, std::size_t levels, bool is_element) const;
  void note_received(const clang::VarDecl& variable, std::size_t levels, clang::QualType row,
                     std::size_t given, const source_piece& piece);
  bool note_pitch(const clang::VarDecl& variable, std::size_t levels, array_source& source) const;
  bool set_piece_of_macro(const clang::DeclRefExpr& use, const clang::Expr& expression,
                          subscripted_use& noted_use);
  bool has_all_uses(const macro_uses& macro) const;
  void note(array_source& source, const clang::DeclRefExpr& use, const clang::Expr& expression,
            const std::vector<const clang::Expr*>& subscripts, other_use unsubscripted);

  clang::ASTContext& context_;
  std::map<clang::SourceLocation, parameter_uses> parameters_;           // by their places
  std::map<std::string, std::vector<clang::SourceLocation>> functions_;  // declarations and calls
  std::map<std::size_t, macro_uses> macros_;  // by the offsets of their pieces
  open_statements open_;
};

}  // namespace compiled
