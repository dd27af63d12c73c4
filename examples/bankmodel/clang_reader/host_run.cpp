// SPDX-License-Identifier: MIT
#include "host_run.hpp"

#include <clang/AST/RecursiveASTVisitor.h>

namespace compiled {

namespace {

constexpr long long most_steps_of_loop = 4000, most_steps_of_all = 400000;

// The statements that lead to one expression, outermost first.
class way_finder : public clang::RecursiveASTVisitor<way_finder> {
 public:
  explicit way_finder(const clang::Stmt* to) : to_(to) {}
  std::vector<const clang::Stmt*> found;

  // NOLINTBEGIN(readability-identifier-naming): Clang calls these by name.
  bool TraverseStmt(clang::Stmt* one, DataRecursionQueue* = nullptr) {
    if (one == nullptr) return true;
    open_.push_back(one);
    if (one == to_) found = open_;
    const bool goes_on = found.empty() && clang::RecursiveASTVisitor<way_finder>::TraverseStmt(one);
    open_.pop_back();
    return goes_on && found.empty();
  }
  // NOLINTEND(readability-identifier-naming)

 private:
  const clang::Stmt* to_;
  std::vector<const clang::Stmt*> open_;
};

// Variables that a statement mentions otherwise than to read their values.
class write_finder : public clang::RecursiveASTVisitor<write_finder> {
 public:
  std::map<const clang::VarDecl*, int> uses, reads;

  // NOLINTBEGIN(readability-identifier-naming): Clang calls these by name.
  bool VisitDeclRefExpr(clang::DeclRefExpr* use) {
    if (const auto* const variable = llvm::dyn_cast<clang::VarDecl>(use->getDecl()))
      ++uses[variable];
    return true;
  }
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr* cast) {
    if (cast->getCastKind() == clang::CK_LValueToRValue) count_read(cast->getSubExpr());
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* made) {
    if (made->getConstructor()->isCopyOrMoveConstructor() && made->getNumArgs() == 1)
      count_read(made->getArg(0));
    return true;
  }
  // NOLINTEND(readability-identifier-naming)

 private:
  void count_read(const clang::Expr* from) {
    for (;;) {
      from = from->IgnoreParenImpCasts();
      if (const auto* const member = llvm::dyn_cast<clang::MemberExpr>(from))
        from = member->getBase();
      else if (const auto* const element = llvm::dyn_cast<clang::ArraySubscriptExpr>(from))
        from = element->getBase();
      else
        break;
    }
    if (const auto* const named = llvm::dyn_cast<clang::DeclRefExpr>(from))
      if (const auto* const variable = llvm::dyn_cast<clang::VarDecl>(named->getDecl()))
        ++reads[variable];
  }
};

// Whether control does not go past this statement: the usage message of a program, an error.
bool leaves(const clang::Stmt* one) {
  if (one == nullptr) return false;
  if (const auto* const all = llvm::dyn_cast<clang::CompoundStmt>(one))
    return !all->body_empty() && leaves(all->body_back());
  if (const auto* const cleanups = llvm::dyn_cast<clang::ExprWithCleanups>(one))
    return leaves(cleanups->getSubExpr());
  if (const auto* const call = llvm::dyn_cast<clang::CallExpr>(one)) {
    const clang::FunctionDecl* const called = call->getDirectCallee();
    return called != nullptr && (called->isNoReturn() || called->getNameAsString() == "exit");
  }
  return llvm::isa<clang::ReturnStmt>(one) || llvm::isa<clang::CXXThrowExpr>(one);
}

}  // namespace

void host_run::set_way(const clang::FunctionDecl* function, const clang::Expr* to) {
  way_finder finder(to);
  finder.TraverseStmt(function->getBody());
  on_the_way_ = {finder.found.begin(), finder.found.end()};
  target_ = to;
}

void host_run::follow(const std::vector<host_step>& way) {
  constexpr int most_starts = 8;
  for (int start = 0; start < most_starts; ++start) {
    cells_.clear();
    references_.clear();
    initialized_.clear();
    running_.clear();
    all_steps_ = 0;
    is_passed_over_ = starts_again_ = false;
    for (std::size_t at = 0; at < way.size(); ++at) {
      const clang::FunctionDecl* const function = way[at].function;
      running_.insert(function);
      if (at == 0) {
        if (function->isMain()) bind_main(function);
      } else if (const auto* const call = llvm::dyn_cast<clang::CallExpr>(way[at - 1].calls)) {
        bind_all(function, {call->getArgs(), call->getNumArgs()});
      } else if (const auto* const made =
                     llvm::dyn_cast<clang::CXXConstructExpr>(way[at - 1].calls)) {
        bind_all(function, {made->getArgs(), made->getNumArgs()});
      }
      set_way(function, way[at].calls);
      (void)run(function->getBody());
    }
    if (!starts_again_) return;
  }
}

void host_run::bind_main(const clang::FunctionDecl* function) {
  if (function->getNumParams() < 2) return;
  write({function->getParamDecl(0), {}},
        host_value::of(static_cast<long long>(arguments_.size()) + 1));
  const host_cell texts = temporary();
  write({function->getParamDecl(1), {}}, host_value::of_place(texts.part(0)));
  write(texts.part(0), host_value::of_text("./program"));
  for (std::size_t at = 0; at < arguments_.size(); ++at)
    write(texts.part(static_cast<long long>(at) + 1), host_value::of_text(arguments_[at]));
}

// The way goes on where a condition is true, or false.
void host_run::require(const clang::Expr* condition, bool is_true) {
  const host_value now = evaluate(condition);
  if (now.is_known() && now.is_true() == is_true) return;
  const clang::Expr* const plain = condition->IgnoreParenImpCasts();
  if (const auto* const both = llvm::dyn_cast<clang::BinaryOperator>(plain)) {
    if (is_true && both->getOpcode() == clang::BO_EQ)
      return require_equal(both->getLHS(), both->getRHS());
    if (both->getOpcode() == (is_true ? clang::BO_LAnd : clang::BO_LOr)) {
      require(both->getLHS(), is_true);
      return require(both->getRHS(), is_true);
    }
  }
  is_passed_over_ = is_passed_over_ || now.is_known();
}

void host_run::require_equal(const clang::Expr* left, const clang::Expr* right) {
  const auto* const named = llvm::dyn_cast<clang::DeclRefExpr>(left->IgnoreParenImpCasts());
  const auto* const variable =
      named == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(named->getDecl());
  const host_value value = evaluate(right), now = evaluate(left);
  if (variable != nullptr && !variable->getType()->isReferenceType() && value.is_number() &&
      required_.emplace(variable, value).second)
    starts_again_ = true;
  else
    is_passed_over_ = is_passed_over_ || now.is_known();
}

void host_run::bind_all(const clang::FunctionDecl* function,
                        llvm::ArrayRef<const clang::Expr*> arguments) {
  // All arguments are evaluated before a parameter gets its value.
  std::vector<std::pair<const clang::ParmVarDecl*, host_cell>> made;
  const std::size_t first =
      arguments.size() > function->getNumParams() ? arguments.size() - function->getNumParams() : 0;
  for (unsigned at = 0; at < function->getNumParams() && first + at < arguments.size(); ++at) {
    const clang::ParmVarDecl* const parameter = function->getParamDecl(at);
    const clang::Expr* const argument = arguments[first + at];
    if (parameter->getType()->isReferenceType()) {
      std::optional<host_cell> cell = locate(argument);
      if (!cell) {
        cell = temporary();
        initialize(*cell, parameter->getType().getNonReferenceType(), argument);
      }
      made.emplace_back(parameter, *cell);
    } else {
      const host_cell cell = temporary();
      initialize(cell, parameter->getType(), argument);
      made.emplace_back(parameter, cell);
    }
  }
  for (const auto& [parameter, cell] : made) {
    forget(parameter);
    references_.erase(parameter);
    if (parameter->getType()->isReferenceType())
      references_[parameter] = cell;
    else
      copy({parameter, {}}, cell);
  }
}

void host_run::declare(const clang::VarDecl* variable) {
  const clang::Expr* const with = variable->getInit();
  if (variable->hasGlobalStorage()) return;  // read() does it
  forget(variable);
  references_.erase(variable);
  if (with == nullptr) return;
  if (!variable->getType()->isReferenceType())
    return initialize({variable, {}}, variable->getType(), with);
  if (const std::optional<host_cell> cell = locate(with)) {
    references_[variable] = *cell;
    return;
  }
  references_[variable] = temporary();
  initialize(references_[variable], variable->getType().getNonReferenceType(), with);
}

void host_run::forget_written(const clang::Stmt* in) {
  if (in == nullptr) return;
  write_finder finder;
  finder.TraverseStmt(const_cast<clang::Stmt*>(in));
  for (const auto& [variable, uses] : finder.uses) {
    const auto read = finder.reads.find(variable);
    if (read != finder.reads.end() && read->second == uses) continue;
    const auto found = references_.find(variable);
    forget(found != references_.end() ? found->second.variable : variable);
  }
}

void host_run::forget_addressed(const clang::Stmt* in) {
  if (in == nullptr) return;
  if (const auto* const unary = llvm::dyn_cast<clang::UnaryOperator>(in);
      unary != nullptr && unary->getOpcode() == clang::UO_AddrOf)
    return forget_written(unary->getSubExpr());
  for (const clang::Stmt* const each : in->children()) forget_addressed(each);
}

host_run::flow host_run::run(const clang::Stmt* one) {
  if (one == nullptr) return flow::next;
  if (one == target_) return flow::arrived;
  if (++all_steps_ > most_steps_of_all || (loops_ > 0 && ++steps_ > most_steps_of_loop))
    if (!is_on_the_way(one)) {
      forget_written(one);
      return loops_ > 0 ? flow::exhausted : flow::next;
    }
  switch (one->getStmtClass()) {
    case clang::Stmt::CompoundStmtClass:
      return run_children(llvm::cast<clang::CompoundStmt>(one), nullptr);
    case clang::Stmt::DeclStmtClass:
      for (const clang::Decl* const each : llvm::cast<clang::DeclStmt>(one)->decls())
        if (const auto* const variable = llvm::dyn_cast<clang::VarDecl>(each)) {
          if (variable->getInit() != nullptr && is_on_the_way(variable->getInit()))
            return flow::arrived;
          declare(variable);
        }
      return flow::next;
    case clang::Stmt::IfStmtClass: return run_if(llvm::cast<clang::IfStmt>(one));
    case clang::Stmt::ForStmtClass: {
      const auto* const loop = llvm::cast<clang::ForStmt>(one);
      return run_loop(loop, loop->getInit(), loop->getCond(), loop->getInc(), loop->getBody(),
                      true);
    }
    case clang::Stmt::WhileStmtClass: {
      const auto* const loop = llvm::cast<clang::WhileStmt>(one);
      return run_loop(loop, nullptr, loop->getCond(), nullptr, loop->getBody(), true);
    }
    case clang::Stmt::DoStmtClass: {
      const auto* const loop = llvm::cast<clang::DoStmt>(one);
      return run_loop(loop, nullptr, loop->getCond(), nullptr, loop->getBody(), false);
    }
    case clang::Stmt::SwitchStmtClass: return run_switch(llvm::cast<clang::SwitchStmt>(one));
    case clang::Stmt::CaseStmtClass:
    case clang::Stmt::DefaultStmtClass:
      return run(llvm::cast<clang::SwitchCase>(one)->getSubStmt());
    case clang::Stmt::LabelStmtClass: return run(llvm::cast<clang::LabelStmt>(one)->getSubStmt());
    case clang::Stmt::AttributedStmtClass:
      return run(llvm::cast<clang::AttributedStmt>(one)->getSubStmt());
    case clang::Stmt::CXXTryStmtClass:
      return run(llvm::cast<clang::CXXTryStmt>(one)->getTryBlock());
    case clang::Stmt::CXXForRangeStmtClass: {
      const clang::Stmt* const body = llvm::cast<clang::CXXForRangeStmt>(one)->getBody();
      if (is_on_the_way(one)) {
        forget(llvm::cast<clang::CXXForRangeStmt>(one)->getLoopVariable());
        return is_on_the_way(body) ? run(body) : flow::arrived;
      }
      forget_written(one);
      return flow::next;
    }
    case clang::Stmt::BreakStmtClass: return flow::breaks;
    case clang::Stmt::ContinueStmtClass: return flow::continues;
    case clang::Stmt::ReturnStmtClass: {
      const clang::Expr* const value = llvm::cast<clang::ReturnStmt>(one)->getRetValue();
      if (is_on_the_way(one)) return flow::arrived;
      if (value != nullptr && value->isGLValue())
        returned_ = locate(value);
      else if (value != nullptr && returns_to_)
        initialize(*returns_to_, value->getType(), value);
      return flow::returns;
    }
    default: break;
  }
  const auto* const expression = llvm::dyn_cast<clang::Expr>(one);
  if (is_on_the_way(one)) return flow::arrived;
  if (expression != nullptr)
    (void)evaluate(expression);
  else
    forget_written(one);
  return flow::next;
}

host_run::flow host_run::run_children(const clang::CompoundStmt* all, const clang::Stmt* from) {
  for (const clang::Stmt* const each : all->body()) {
    if (from != nullptr && each != from) continue;
    from = nullptr;
    const flow how = run(each);
    // What comes before the launch does not end the program, whatever an unknown value says.
    const bool is_early = is_on_the_way(all) && (how == flow::returns || how == flow::exhausted);
    if (how != flow::next && !is_early) return how;
  }
  return flow::next;
}

host_run::flow host_run::run_if(const clang::IfStmt* one) {
  if (one->getInit() != nullptr) (void)run(one->getInit());
  if (one->getConditionVariable() != nullptr) declare(one->getConditionVariable());
  if (is_on_the_way(one->getCond())) return flow::arrived;
  for (const clang::Stmt* const arm : {one->getThen(), one->getElse()})
    if (arm != nullptr && is_on_the_way(arm)) {
      require(one->getCond(), arm == one->getThen());
      return run(arm);
    }
  const host_value condition = evaluate(one->getCond());
  if (condition.is_known()) return run(condition.is_true() ? one->getThen() : one->getElse());
  for (const clang::Stmt* const arm : {one->getThen(), one->getElse()})
    if (!leaves(arm)) forget_written(arm);
  return flow::next;
}

host_run::flow host_run::run_loop(const clang::Stmt* loop, const clang::Stmt* first,
                                  const clang::Expr* condition, const clang::Expr* step,
                                  const clang::Stmt* body, bool tests_first) {
  if (first != nullptr && run(first) == flow::arrived) return flow::arrived;
  if (is_on_the_way(loop)) {
    if (is_on_the_way(body)) return run(body);
    return flow::arrived;
  }
  if (loops_ == 0) steps_ = 0;
  ++loops_;
  flow how = flow::next;
  for (bool tests = tests_first;; tests = true) {
    if (tests && condition != nullptr) {
      const host_value goes_on = evaluate(condition);
      if (!goes_on.is_known()) how = flow::exhausted;
      if (how == flow::exhausted || !goes_on.is_true()) break;
    }
    how = run(body);
    if (how == flow::breaks || how == flow::returns || how == flow::exhausted) break;
    how = flow::next;
    if (step != nullptr) (void)evaluate(step);
    if (++steps_ > most_steps_of_loop) {
      how = flow::exhausted;
      break;
    }
  }
  --loops_;
  if (how == flow::returns) return how;
  if (how != flow::exhausted) return flow::next;
  forget_written(loop);
  return loops_ > 0 && steps_ > most_steps_of_loop ? flow::exhausted : flow::next;
}

host_run::flow host_run::run_switch(const clang::SwitchStmt* one) {
  if (is_on_the_way(one->getCond())) return flow::arrived;
  const host_value chosen = evaluate(one->getCond());
  const auto* const body = llvm::dyn_cast<clang::CompoundStmt>(one->getBody());
  const clang::Stmt *from = nullptr, *otherwise = nullptr;
  if (body != nullptr)
    for (const clang::Stmt* const each : body->body()) {
      if (is_on_the_way(one)) {
        // From the last label before the launch on.
        if (llvm::isa<clang::SwitchCase>(each)) from = each;
        if (!is_on_the_way(each)) continue;
        const auto* const label = llvm::dyn_cast_or_null<clang::CaseStmt>(from);
        if (label == nullptr) break;
        const host_value value = evaluate(label->getLHS());
        if (!chosen.is_known() || chosen.integer != value.integer)
          require_equal(one->getCond(), label->getLHS());
        break;
      }
      const auto* label = llvm::dyn_cast<clang::SwitchCase>(each);
      for (; label != nullptr && from == nullptr && chosen.is_known();
           label = llvm::dyn_cast<clang::SwitchCase>(label->getSubStmt())) {
        const auto* const of = llvm::dyn_cast<clang::CaseStmt>(label);
        if (of == nullptr)
          otherwise = each;
        else if (evaluate(of->getLHS()).integer == chosen.integer)
          from = each;
      }
    }
  if (from == nullptr) from = otherwise;
  if (is_on_the_way(one)) return body != nullptr ? run_children(body, from) : run(one->getBody());
  if (from == nullptr) {
    if (!chosen.is_known()) forget_written(one->getBody());
    return flow::next;
  }
  const flow how = run_children(body, from);
  return how == flow::breaks ? flow::next : how;
}

}  // namespace compiled
