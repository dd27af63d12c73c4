// SPDX-License-Identifier: MIT
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "host_effects.hpp"
#include "host_values.hpp"

namespace compiled {

// The calls from a function that runs first, such as main(), to a launch: each function with the
// expression in it that the way goes through.
struct host_step {
  const clang::FunctionDecl* function = nullptr;
  const clang::Expr* calls = nullptr;
};

// An expression without parentheses and what else does not change its value.
const clang::Expr* without_wrappers(const clang::Expr* expression);
// Whether a reference to it is one to an object of its own, not to a variable.
bool makes_an_object(const clang::Expr* expression);

// Follows host code to a launch, as a program that is started with some arguments takes it, and
// keeps the values that do not depend on anything else. A condition that is unknown is taken to
// lead to the launch; if neither branch does, all that either may write becomes unknown. If the
// program never reaches the launch, the path to it is followed whatever its conditions are.
class host_run {
 public:
  // `arguments`: what the program is started with, after its name.
  host_run(const clang::ASTContext& context, const std::vector<std::string>& arguments,
           effects_of_file& effects)
      : context_(context), arguments_(arguments), effects_(effects) {}

  // The state is that before the last expression on the way. Where the way goes into a branch for
  // one value of a variable that nothing else writes, `if (size == 16)`, it has this value from its
  // start. If it is a parameter, so has the caller's variable that is passed for it.
  // `passed`: how often the way comes to the launch before, in the innermost loop around it.
  // Returns whether the program comes to it once more.
  bool follow(const std::vector<host_step>& way, int passed = 0);
  // Whether a loop is around the launch.
  bool is_in_loop() const { return is_in_loop_; }
  // The variable that is this expression has this value, from its start if nothing else writes it:
  // then the way is to be followed again, and the result is true.
  bool assume(const clang::Expr* expression, const host_value& value);
  // True if a condition on the way is false: the program passes over the launch.
  bool is_passed_over() const { return is_passed_over_; }

  host_value evaluate(const clang::Expr* expression);
  // The value that element `number` of an array of pointers points to.
  host_value pointed_to(const clang::Expr* pointers, unsigned number);
  // The values of an object's parts, made from this expression: those to which the paths lead, as
  // host_cell::path.
  std::vector<host_value> parts(const clang::Expr* expression,
                                const std::vector<std::vector<long long>>& paths);

 private:
  // `lost`: where control goes on is not known, or nowhere (an exception, the program's end).
  enum class flow { next, breaks, continues, returns, arrived, exhausted, lost };

  // ---- host_run.cpp: the way ----
  bool arrives(const std::vector<host_step>& way, int passed);
  bool passes();
  void begin();
  void bind_main(const clang::FunctionDecl* function);
  void bind_step(const host_step& step, const clang::FunctionDecl* function);
  void bind_made(const clang::FunctionDecl* function, const clang::LambdaExpr* lambda);
  static const clang::VarDecl* copied_by(const clang::LambdaCapture& capture);
  bool is_set_once(const clang::VarDecl* variable);
  bool is_on_the_way(const clang::Stmt* statement) const {
    return on_the_way_.count(statement) != 0;
  }
  void set_way(const clang::FunctionDecl* function, const clang::Expr* target);
  void require(const clang::Expr* condition, bool is_true);
  void require_equal(const clang::Expr* left, const clang::Expr* right);
  void require_from_start(const clang::VarDecl* variable, const host_value& value);

  // ---- host_statements.cpp ----
  flow run(const clang::Stmt* statement);
  flow run_one(const clang::Stmt* statement);
  flow run_if(const clang::IfStmt* statement);
  flow run_either(const clang::IfStmt* statement);
  flow run_loop(const clang::Stmt* loop, const clang::Stmt* first, const clang::Expr* condition,
                const clang::Expr* step, const clang::Stmt* body, bool tests_first);
  flow run_range(const clang::CXXForRangeStmt* loop);
  flow run_switch(const clang::SwitchStmt* statement);
  flow run_switch_on_the_way(const clang::SwitchStmt* statement, const clang::CompoundStmt* body);
  flow run_try(const clang::CXXTryStmt* statement);
  flow run_children(const clang::CompoundStmt* block, const clang::Stmt* start);
  flow pass_over(const clang::Stmt* statement);
  flow jump_to(const clang::LabelDecl* label);
  bool is_behind_the_launch(const clang::LabelDecl* label) const;
  bool leaves(const clang::Stmt* statement) const;
  void declare(const clang::VarDecl* variable);

  // ---- host_expressions.cpp ----
  host_value evaluate_cast(const clang::CastExpr* cast);
  host_value evaluate_binary(const clang::BinaryOperator* operation);
  host_value evaluate_logical(const clang::BinaryOperator* operation);
  host_value evaluate_assignment(const clang::BinaryOperator* operation);
  host_value evaluate_unary(const clang::UnaryOperator* operation);
  host_value evaluate_step(const clang::UnaryOperator* operation);
  std::optional<host_cell> locate(const clang::Expr* expression);
  std::optional<host_cell> locate_member(const clang::MemberExpr* member);
  std::optional<host_cell> locate_element(const clang::ArraySubscriptExpr* subscript);

  // ---- host_calls.cpp ----
  host_value evaluate_call(const clang::CallExpr* call, const host_cell& result);
  host_value call_library(const clang::CallExpr* call, const clang::FunctionDecl& function);
  host_value text_of(const clang::Expr* expression);
  bool assign_record(const clang::CXXOperatorCallExpr* call);
  void bind_all(const clang::FunctionDecl* function, llvm::ArrayRef<const clang::Expr*> arguments);
  void construct(const host_cell& cell, const clang::CXXConstructExpr* construction);
  bool run_body(const clang::FunctionDecl* body, const std::optional<host_cell>& object,
                const std::optional<host_cell>& result);

  // ---- host_memory.cpp: variables and objects ----
  void initialize(const host_cell& cell, clang::QualType type, const clang::Expr* initializer);
  void initialize_all(const host_cell& cell, clang::QualType type, const clang::InitListExpr* list);
  void initialize_global(const clang::VarDecl* variable);
  void copy(const host_cell& target, const host_cell& source);
  host_value read(const host_cell& cell);
  void write(const host_cell& cell, const host_value& value);
  // The pointer moved by `distance` elements.
  host_value moved(const host_value& pointer, long long distance) const;
  // What a pointer points to, if it is there and of this type.
  std::optional<host_cell> pointee(const host_value& pointer, clang::QualType type) const;
  std::optional<host_cell> base_of(const host_cell& object, const clang::CastExpr* cast) const;
  clang::QualType type_at(const host_cell& cell) const;  // null if the variable has no such part
  void forget(const host_cell& cell);                    // all of its variable
  void forget_globals();
  void forget_written(const clang::Stmt* statement);
  void note_addressed(const std::optional<host_cell>& cell);
  host_cell temporary() { return {nullptr, {next_temporary_++}}; }

  const clang::ASTContext& context_;
  const std::vector<std::string>& arguments_;
  effects_of_file& effects_;
  std::map<host_cell, host_value> cells_;
  std::map<const clang::VarDecl*, host_cell> references_;
  std::set<const clang::VarDecl*> initialized_;  // those with a life as long as the program
  // Variables that a pointer or a reference which is not followed may lead to.
  std::set<const clang::VarDecl*> addressed_;
  const std::vector<host_step>* way_ = nullptr;
  std::set<const clang::Stmt*> on_the_way_;
  const clang::Stmt* target_ = nullptr;
  std::map<const clang::VarDecl*, host_value> required_;
  bool is_strict_ = true;  // conditions on the way are those of the program
  bool is_passed_over_ = false, starts_again_ = false;
  bool globals_are_unknown_ = false, is_before_main_ = false;
  bool is_thrown_ = false;      // an exception, or the end of the program
  bool is_disordered_ = false;  // a jump back: statements do not run in their order
  bool is_out_of_steps_ = false;
  bool is_in_loop_ = false;
  int passes_left_ = 0;  // of the launch, or of the call that leads to it
  std::set<const clang::FunctionDecl*> running_;
  std::size_t calls_ = 0, tries_ = 0;  // around the current statement, those on the way left out
  std::optional<host_cell> returns_to_, this_;
  std::optional<host_cell> returned_;  // of a function that returns a reference
  long long next_temporary_ = 0;
  int loops_ = 0;        // around the current statement, those on the way left out
  long long steps_ = 0;  // of the outermost of them
  long long all_steps_ = 0;
};

}  // namespace compiled
