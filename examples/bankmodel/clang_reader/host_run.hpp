// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_HOST_RUN_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_HOST_RUN_HPP

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "host_values.hpp"

namespace compiled {

// The calls from a function that runs first, such as main(), to a launch: each function with the
// expression in it that the way goes through.
struct host_step {
  const clang::FunctionDecl* function = nullptr;
  const clang::Expr* calls = nullptr;
};

// Follows host code to a launch, as a program that is started with some arguments takes it, and
// keeps the values that do not depend on anything else. It goes into each branch and loop that has
// the launch, once. Where a condition is unknown, what may be written there becomes unknown.
class host_run {
 public:
  // `arguments`: what the program is started with, after its name.
  host_run(const clang::ASTContext& context, const std::vector<std::string>& arguments)
      : context_(context), arguments_(arguments) {}

  // The state is that before the last expression on the way. Where the way goes into a branch for
  // one value of a variable, `if (size == 16)`, the variable has this value from its start.
  void follow(const std::vector<host_step>& way);
  // True if a condition on the way is false: the program passes over the launch.
  bool is_passed_over() const { return is_passed_over_; }

  host_value evaluate(const clang::Expr* of);
  // The values of an object's members, such as a dim3's, made from this expression.
  std::vector<host_value> members(const clang::Expr* of, unsigned count);
  // What a pointer's element is.
  host_value element(const host_value& pointer, long long number);

 private:
  enum class flow { next, breaks, continues, returns, arrived, exhausted };

  // ---- host_run.cpp: statements and calls ----
  flow run(const clang::Stmt* one);
  flow run_if(const clang::IfStmt* one);
  flow run_loop(const clang::Stmt* loop, const clang::Stmt* first, const clang::Expr* condition,
                const clang::Expr* step, const clang::Stmt* body, bool tests_first);
  flow run_switch(const clang::SwitchStmt* one);
  flow run_children(const clang::CompoundStmt* all, const clang::Stmt* from);
  void declare(const clang::VarDecl* variable);
  void bind_main(const clang::FunctionDecl* function);
  void bind_all(const clang::FunctionDecl* function, llvm::ArrayRef<const clang::Expr*> arguments);
  bool is_on_the_way(const clang::Stmt* one) const { return on_the_way_.count(one) != 0; }
  void set_way(const clang::FunctionDecl* function, const clang::Expr* to);
  void require(const clang::Expr* condition, bool is_true);
  void require_equal(const clang::Expr* left, const clang::Expr* right);
  void forget_written(const clang::Stmt* in);
  // Of an expression with an error, such as a call of an unknown function: it may write to the
  // variables whose addresses it takes.
  void forget_addressed(const clang::Stmt* in);

  // ---- host_expressions.cpp ----
  host_value evaluate_cast(const clang::CastExpr* cast);
  host_value evaluate_binary(const clang::BinaryOperator* of);
  std::optional<host_cell> assign(const clang::BinaryOperator* of, host_value& value);
  host_value evaluate_unary(const clang::UnaryOperator* of);
  host_value evaluate_call(const clang::CallExpr* call, const host_cell& result);
  std::optional<host_cell> locate(const clang::Expr* of);
  std::optional<host_cell> locate_element(const clang::ArraySubscriptExpr* of);
  void initialize(const host_cell& cell, clang::QualType type, const clang::Expr* with);
  void construct(const host_cell& cell, const clang::CXXConstructExpr* made);
  void copy(const host_cell& to, const host_cell& from);
  host_value read(const host_cell& cell);
  void write(const host_cell& cell, const host_value& value);
  void forget(const clang::VarDecl* variable);
  host_cell temporary() { return {nullptr, {next_temporary_++}}; }

  const clang::ASTContext& context_;
  const std::vector<std::string>& arguments_;
  std::map<host_cell, host_value> cells_;
  std::map<const clang::VarDecl*, host_cell> references_;
  std::set<const clang::VarDecl*> initialized_;  // those with a life as long as the program
  std::set<const clang::Stmt*> on_the_way_;
  const clang::Stmt* target_ = nullptr;
  std::map<const clang::VarDecl*, host_value> required_;
  bool is_passed_over_ = false, starts_again_ = false;
  std::set<const clang::FunctionDecl*> running_;
  std::optional<host_cell> returns_to_;
  std::optional<host_cell> returned_;  // of a function that returns a reference
  long long next_temporary_ = 0;
  int loops_ = 0;        // around the current statement, those on the way left out
  long long steps_ = 0;  // of the outermost of them
  long long all_steps_ = 0;
};

}  // namespace compiled

#endif
