// SPDX-License-Identifier: MIT
// The way through host code to a launch.
#include "host_run.hpp"

#include <algorithm>

namespace compiled {

namespace {

bool is_loop(const clang::Stmt* statement) {
  return llvm::isa<clang::ForStmt>(statement) || llvm::isa<clang::WhileStmt>(statement) ||
         llvm::isa<clang::DoStmt>(statement) || llvm::isa<clang::CXXForRangeStmt>(statement);
}

// The number that an expression names; null if it is none, or a reference to one.
const clang::VarDecl* variable_named(const clang::Expr* expression) {
  const auto* const named = llvm::dyn_cast<clang::DeclRefExpr>(expression->IgnoreParenImpCasts());
  const auto* const variable =
      named == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(named->getDecl());
  return variable == nullptr || variable->getType()->isReferenceType() ||
                 !variable->getType()->isArithmeticType()
             ? nullptr
             : variable;
}

// The arguments for a function's parameters in a call of it; the object that is called is the first
// operand of an operator.
llvm::ArrayRef<const clang::Expr*> arguments_of(const clang::CallExpr& call,
                                                const clang::FunctionDecl& function) {
  const bool has_object =
      llvm::isa<clang::CXXOperatorCallExpr>(call) && llvm::isa<clang::CXXMethodDecl>(function);
  return {call.getArgs() + has_object, call.getNumArgs() - has_object};
}

}  // namespace

void host_run::set_way(const clang::FunctionDecl* function, const clang::Expr* target) {
  const std::vector<const clang::Stmt*> way = effects_.way_to(target, function);
  on_the_way_ = {way.begin(), way.end()};
  target_ = target;
}

void host_run::begin() {
  cells_.clear();
  references_.clear();
  initialized_.clear();
  addressed_.clear();
  running_.clear();
  this_.reset();
  all_steps_ = 0;
  globals_are_unknown_ = starts_again_ = is_thrown_ = is_disordered_ = is_out_of_steps_ = false;
}

bool host_run::follow(const std::vector<host_step>& way, int passed) {
  constexpr int most_starts = 8;
  for (int start = 0; start < most_starts; ++start) {
    const bool is_there = arrives(way, passed);
    if (starts_again_) continue;
    if (is_there || !is_strict_ || passed > 0) return is_there;
    is_strict_ = false;
  }
  return false;
}

bool host_run::passes() {
  if (passes_left_ == 0) return false;
  --passes_left_;
  return true;
}

host_value host_run::pointed_to(const clang::Expr* pointers, unsigned number) {
  const host_value first = evaluate(pointers);
  if (first.is != host_value::kind::place) return {};
  const host_value element = moved(first, number);
  if (element.is != host_value::kind::place) return {};
  const host_value argument = read(element.place);
  return argument.is == host_value::kind::place ? read(argument.place) : host_value{};
}

bool host_run::assume(const clang::Expr* expression, const host_value& value) {
  const clang::VarDecl* const variable = variable_named(expression);
  if (variable == nullptr) return false;
  if (is_set_once(variable)) return required_.emplace(variable, value).second;
  write({variable, {}}, converted(value, variable->getType(), context_));
  return false;
}

// Returns whether the program comes to the launch, or may come to it.
bool host_run::arrives(const std::vector<host_step>& way, int passed) {
  begin();
  way_ = &way;
  bool was_in_loop = false;  // whose later iterations may come to the launch
  std::size_t innermost = way.size();
  for (std::size_t step = 0; step < way.size(); ++step) {
    set_way(way[step].function, way[step].calls);
    if (std::any_of(on_the_way_.begin(), on_the_way_.end(), is_loop)) innermost = step;
  }
  is_in_loop_ = innermost < way.size();
  for (std::size_t step = 0; step < way.size(); ++step) {
    const clang::FunctionDecl* const function = way[step].function;
    if (step == 0) {
      if (function->isMain()) bind_main(function);
    } else {
      bind_step(way[step - 1], function);
    }
    running_.insert(function);
    set_way(function, way[step].calls);
    passes_left_ = step == innermost ? passed : 0;
    const flow outcome = run(function->getBody());
    if (is_strict_ && outcome != flow::arrived) {
      is_passed_over_ = !was_in_loop && !is_out_of_steps_ && !is_disordered_;
      return false;
    }
    was_in_loop = was_in_loop || std::any_of(on_the_way_.begin(), on_the_way_.end(), is_loop);
  }
  return true;
}

void host_run::bind_main(const clang::FunctionDecl* function) {
  if (function->getNumParams() < 2) return;
  write({function->getParamDecl(0), {}},
        host_value::of_integer(static_cast<long long>(arguments_.size()) + 1));
  const host_cell texts = temporary();
  write({function->getParamDecl(1), {}}, host_value::of_place(texts.part(0)));
  write(texts.part(0), host_value::of_text("./program"));
  for (std::size_t position = 0; position < arguments_.size(); ++position)
    write(texts.part(static_cast<long long>(position) + 1),
          host_value::of_text(arguments_[position]));
}

// From one function on the way to the next.
void host_run::bind_step(const host_step& step, const clang::FunctionDecl* function) {
  if (const auto* const lambda = llvm::dyn_cast<clang::LambdaExpr>(step.calls))
    return bind_made(step.function, lambda);
  std::optional<host_cell> object;
  if (const auto* const construction = llvm::dyn_cast<clang::CXXConstructExpr>(step.calls)) {
    bind_all(function, {construction->getArgs(), construction->getNumArgs()});
  } else if (const auto* const call = llvm::dyn_cast<clang::CallExpr>(step.calls)) {
    const auto* const of_object = llvm::dyn_cast<clang::CXXMemberCallExpr>(call);
    if (of_object != nullptr && !of_object->getImplicitObjectArgument()->getType()->isPointerType())
      object = locate(of_object->getImplicitObjectArgument());
    bind_all(function, arguments_of(*call, *function));
  }
  this_ = object;
  // Copies of variables that a lambda has may be older than the variables.
  const auto* const method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
  if (method != nullptr && method->getParent()->isLambda())
    for (const clang::LambdaCapture& capture : method->getParent()->captures())
      if (const clang::VarDecl* const copied = copied_by(capture); copied != nullptr)
        if (!is_set_once(copied)) forget({copied, {}});
}

// To a lambda of which nobody is seen to call it: what the function that makes it writes may be
// written before, but not to its copies.
void host_run::bind_made(const clang::FunctionDecl* function, const clang::LambdaExpr* lambda) {
  const auto at_once = cells_;
  forget_written(function->getBody());
  for (const clang::LambdaCapture& capture : lambda->captures())
    if (const clang::VarDecl* const copied = copied_by(capture); copied != nullptr)
      for (const auto& [cell, value] : at_once)
        if (cell.variable == copied) cells_[cell] = value;
  this_.reset();
}

const clang::VarDecl* host_run::copied_by(const clang::LambdaCapture& capture) {
  if (!capture.capturesVariable() || capture.getCaptureKind() == clang::LCK_ByRef) return nullptr;
  return llvm::dyn_cast<clang::VarDecl>(capture.getCapturedVar());
}

// Whether nothing but its declaration gives a local variable its value.
bool host_run::is_set_once(const clang::VarDecl* variable) {
  const auto* const function = llvm::dyn_cast<clang::FunctionDecl>(variable->getDeclContext());
  return variable->hasLocalStorage() && function != nullptr &&
         effects_.lookup(function->getBody()).written.count(variable) == 0;
}

// The way goes on where a condition is true, or false, and its value is another one or unknown.
void host_run::require(const clang::Expr* condition, bool is_true) {
  if (!effects_.lookup(condition).written.empty()) return;
  const host_value value = evaluate(condition);
  if (value.is_known() && value.is_true() == is_true) return;
  const clang::Expr* const plain = condition->IgnoreParenImpCasts();
  if (const auto* const operation = llvm::dyn_cast<clang::BinaryOperator>(plain)) {
    if (is_true && operation->getOpcode() == clang::BO_EQ)
      return require_equal(operation->getLHS(), operation->getRHS());
    if (operation->getOpcode() == (is_true ? clang::BO_LAnd : clang::BO_LOr)) {
      require(operation->getLHS(), is_true);
      return require(operation->getRHS(), is_true);
    }
  }
}

void host_run::require_equal(const clang::Expr* left, const clang::Expr* right) {
  const auto* const variable = variable_named(left);
  const host_value value = evaluate(right);
  if (variable == nullptr || !value.is_number()) return;
  if (is_set_once(variable))
    require_from_start(variable, value);
  else
    write({variable, {}}, converted(value, variable->getType(), context_));
}

// The variable has this value from its start. If it is a parameter, so has the caller's variable
// that is passed for it.
void host_run::require_from_start(const clang::VarDecl* variable, const host_value& value) {
  if (!required_.emplace(variable, value).second) return;
  starts_again_ = true;
  const auto* const parameter = llvm::dyn_cast<clang::ParmVarDecl>(variable);
  if (parameter == nullptr) return;
  for (std::size_t step = 1; step < way_->size(); ++step) {
    if ((*way_)[step].function != parameter->getDeclContext()) continue;
    const auto* const call = llvm::dyn_cast<clang::CallExpr>((*way_)[step - 1].calls);
    if (call == nullptr) continue;
    const auto arguments = arguments_of(*call, *(*way_)[step].function);
    if (parameter->getFunctionScopeIndex() >= arguments.size()) continue;
    const clang::VarDecl* const passed =
        variable_named(arguments[parameter->getFunctionScopeIndex()]);
    if (passed != nullptr && is_set_once(passed)) require_from_start(passed, value);
  }
}

}  // namespace compiled
