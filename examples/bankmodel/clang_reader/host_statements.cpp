// SPDX-License-Identifier: MIT
// Statements of host code that is followed to a launch.
#include <clang/Basic/SourceManager.h>

#include <algorithm>

#include "host_run.hpp"

namespace compiled {

namespace {

constexpr long long most_steps_of_loop = 1000, most_steps_of_all = 20000;

// A call of exit() and the like.
bool ends_the_program(const clang::Stmt* one) {
  if (const auto* const cleanups = llvm::dyn_cast_or_null<clang::ExprWithCleanups>(one))
    return ends_the_program(cleanups->getSubExpr());
  const auto* const call = llvm::dyn_cast_or_null<clang::CallExpr>(one);
  const clang::FunctionDecl* const called = call == nullptr ? nullptr : call->getDirectCallee();
  return called != nullptr && (called->isNoReturn() || called->getNameAsString() == "exit");
}

bool throws(const clang::Stmt* one) {
  if (const auto* const cleanups = llvm::dyn_cast_or_null<clang::ExprWithCleanups>(one))
    return throws(cleanups->getSubExpr());
  return one != nullptr && llvm::isa<clang::CXXThrowExpr>(one);
}

}  // namespace

// Whether control does not come back from this statement, as far as the launch is concerned: the
// usage message of a program, an error.
bool host_run::leaves(const clang::Stmt* one) const {
  if (one == nullptr) return false;
  if (const auto* const all = llvm::dyn_cast<clang::CompoundStmt>(one))
    return !all->body_empty() && leaves(all->body_back());
  if (ends_the_program(one)) return true;
  if (throws(one)) return tries_ == 0;
  if (calls_ > 0) return false;
  if (const auto* const jump = llvm::dyn_cast<clang::GotoStmt>(one))
    return is_behind_the_launch(jump->getLabel());
  return llvm::isa<clang::ReturnStmt>(one);
}

bool host_run::is_behind_the_launch(const clang::LabelDecl* label) const {
  const clang::SourceManager& files = context_.getSourceManager();
  return label->getStmt() != nullptr && target_ != nullptr &&
         files.isBeforeInTranslationUnit(target_->getEndLoc(), label->getStmt()->getBeginLoc());
}

// A jump back may run statements again, and one forward passes over some: nothing is known any more
// but constants.
host_run::flow host_run::jump_to(const clang::LabelDecl* label) {
  if (calls_ > 0) return flow::lost;
  if (label != nullptr && is_behind_the_launch(label)) return flow::returns;
  cells_.clear();
  is_disordered_ = globals_are_unknown_ = true;
  return flow::next;
}

// A statement that may run, any number of times, and not to its end.
host_run::flow host_run::pass_over(const clang::Stmt* one) {
  if (one == nullptr) return flow::next;
  forget_written(one);
  const host_jumps jumps = jumps_in(one);
  for (const clang::LabelDecl* const label : jumps.labels) (void)jump_to(label);
  if (jumps.has_computed_goto) (void)jump_to(nullptr);
  // In functions on the way it did not return: the launch comes later.
  const bool goes_elsewhere = jumps.has_computed_goto || !jumps.labels.empty();
  if (calls_ > 0 && (jumps.returns || goes_elsewhere)) return flow::lost;
  return jumps.breaks || jumps.continues ? flow::exhausted : flow::next;
}

void host_run::declare(const clang::VarDecl* variable) {
  const clang::Expr* const with = variable->getInit();
  if (variable->isStaticLocal()) {
    if (initialized_.insert(variable).second && with != nullptr)
      initialize({variable, {}}, variable->getType(), with);
    return;
  }
  if (variable->hasGlobalStorage()) return;
  forget({variable, {}});
  references_.erase(variable);
  if (with == nullptr) return;
  if (!variable->getType()->isReferenceType())
    return initialize({variable, {}}, variable->getType(), with);
  if (const std::optional<host_cell> cell = locate(with)) {
    references_[variable] = *cell;
    if (llvm::isa<clang::DecompositionDecl>(variable)) note_addressed(cell);
    return;
  }
  if (!makes_an_object(with)) return;
  const host_cell made = temporary();
  initialize(made, variable->getType().getNonReferenceType(), with);
  references_[variable] = made;
}

host_run::flow host_run::run(const clang::Stmt* one) {
  if (one == nullptr) return flow::next;
  if (one == target_ && passes_left_ == 0) return flow::arrived;
  if (is_thrown_) return flow::lost;
  if (++all_steps_ > most_steps_of_all || (loops_ > 0 && ++steps_ > most_steps_of_loop))
    if (!is_on_the_way(one)) {
      is_out_of_steps_ = true;
      const flow how = pass_over(one);
      return loops_ > 0 && how == flow::next ? flow::exhausted : how;
    }
  const flow how = run_one(one);
  return is_thrown_ && how != flow::arrived ? flow::lost : how;
}

host_run::flow host_run::run_one(const clang::Stmt* one) {
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
    case clang::Stmt::CXXTryStmtClass: return run_try(llvm::cast<clang::CXXTryStmt>(one));
    case clang::Stmt::CXXForRangeStmtClass:
      return run_range(llvm::cast<clang::CXXForRangeStmt>(one));
    case clang::Stmt::BreakStmtClass: return flow::breaks;
    case clang::Stmt::ContinueStmtClass: return flow::continues;
    case clang::Stmt::GotoStmtClass: return jump_to(llvm::cast<clang::GotoStmt>(one)->getLabel());
    case clang::Stmt::IndirectGotoStmtClass: return jump_to(nullptr);
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
  if (is_on_the_way(one) && !passes()) return flow::arrived;
  if (expression != nullptr)
    (void)evaluate(expression);
  else
    forget_written(one);
  if (throws(one) || ends_the_program(one)) is_thrown_ = true;
  return flow::next;
}

host_run::flow host_run::run_children(const clang::CompoundStmt* all, const clang::Stmt* from) {
  flow how = flow::next;
  for (const clang::Stmt* const each : all->body()) {
    if (from != nullptr && each != from) continue;
    from = nullptr;
    how = run(each);
    if (how == flow::next) continue;
    // The launch comes later, so what may leave did not; or it is to be followed all the same.
    if (!is_on_the_way(all) || how == flow::arrived) break;
    if (is_strict_ && how != flow::exhausted) break;
    is_thrown_ = false;
    how = flow::next;
  }
  if (how == flow::arrived) return how;
  for (const clang::Stmt* const each : all->body())
    if (const auto* const declared = llvm::dyn_cast<clang::DeclStmt>(each))
      for (const clang::Decl* const one : declared->decls()) {
        const auto* const variable = llvm::dyn_cast<clang::VarDecl>(one);
        const auto* const record =
            variable == nullptr || variable->getType()->isReferenceType()
                ? nullptr
                : variable->getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
        const auto* const destructor =
            record == nullptr || !record->hasDefinition() ? nullptr : record->getDestructor();
        const clang::FunctionDecl* body = nullptr;
        if (destructor != nullptr && destructor->isUserProvided() && !is_library(*destructor) &&
            destructor->hasBody(body))
          forget_written(body->getBody());
      }
  return how;
}

host_run::flow host_run::run_if(const clang::IfStmt* one) {
  if (one->getInit() != nullptr) (void)run(one->getInit());
  if (one->getConditionVariable() != nullptr) declare(one->getConditionVariable());
  if (is_on_the_way(one->getCond())) return flow::arrived;
  for (const clang::Stmt* const arm : {one->getThen(), one->getElse()}) {
    if (arm == nullptr || !is_on_the_way(arm)) continue;
    const bool is_then = arm == one->getThen();
    const host_value condition = evaluate(one->getCond());
    if (is_strict_ && condition.is_known())
      return run(condition.is_true() ? one->getThen() : one->getElse());
    if (!condition.is_known() || condition.is_true() != is_then) require(one->getCond(), is_then);
    return run(arm);
  }
  return run_either(one);
}

// Of an if statement that does not have the launch.
host_run::flow host_run::run_either(const clang::IfStmt* one) {
  const host_value condition = evaluate(one->getCond());
  if (condition.is_known()) return run(condition.is_true() ? one->getThen() : one->getElse());
  flow how = flow::next;
  for (const clang::Stmt* const arm : {one->getThen(), one->getElse()}) {
    if (leaves(arm)) continue;
    const flow of_arm = pass_over(arm);
    if (of_arm == flow::lost || how == flow::next) how = of_arm;
  }
  return how;
}

host_run::flow host_run::run_loop(const clang::Stmt* loop, const clang::Stmt* first,
                                  const clang::Expr* condition, const clang::Expr* step,
                                  const clang::Stmt* body, bool tests_first) {
  if (first != nullptr && run(first) == flow::arrived) return flow::arrived;
  const bool has_launch = is_on_the_way(loop);
  if (has_launch && !is_on_the_way(body)) return flow::arrived;
  if (has_launch && !is_strict_) {
    if (tests_first && condition != nullptr) (void)evaluate(condition);
    return run(body);
  }
  if (!has_launch && loops_++ == 0) steps_ = 0;
  flow how = flow::next;
  long long iterations = 0;
  for (bool tests = tests_first;; tests = true) {
    if (tests && condition != nullptr) {
      const host_value goes_on = evaluate(condition);
      // The first iteration is the one with the launch.
      const bool is_assumed = has_launch && iterations == 0 && !goes_on.is_known();
      if (!goes_on.is_known() && !is_assumed) how = flow::exhausted;
      if (how == flow::exhausted || !(is_assumed || goes_on.is_true())) break;
    }
    how = run(body);
    if (how != flow::next && how != flow::continues) break;
    how = flow::next;
    if (step != nullptr) (void)evaluate(step);
    if (is_thrown_) how = flow::lost;
    if (how == flow::lost) break;
    if ((loops_ > 0 && ++steps_ > most_steps_of_loop) || ++iterations > most_steps_of_loop) {
      is_out_of_steps_ = true;
      how = flow::exhausted;
      break;
    }
  }
  if (!has_launch) --loops_;
  if (how == flow::breaks) return flow::next;
  if (how != flow::exhausted) return how;
  if (has_launch) is_out_of_steps_ = true;  // a later iteration may come to it
  how = pass_over(loop);
  if (how != flow::next) return how;
  return loops_ > 0 && steps_ > most_steps_of_loop ? flow::exhausted : flow::next;
}

// Its variable is unknown.
host_run::flow host_run::run_range(const clang::CXXForRangeStmt* one) {
  if (!is_on_the_way(one)) return pass_over(one);
  forget({one->getLoopVariable(), {}});
  references_.erase(one->getLoopVariable());
  return is_on_the_way(one->getBody()) ? run(one->getBody()) : flow::arrived;
}

host_run::flow host_run::run_try(const clang::CXXTryStmt* one) {
  if (is_on_the_way(one)) {
    if (is_on_the_way(one->getTryBlock())) return run(one->getTryBlock());
    forget_written(one->getTryBlock());
    for (unsigned at = 0; at < one->getNumHandlers(); ++at)
      if (is_on_the_way(one->getHandler(at))) return run(one->getHandler(at)->getHandlerBlock());
    return flow::arrived;
  }
  ++tries_;
  const flow how = run(one->getTryBlock());
  --tries_;
  if (how != flow::lost) return how;
  is_thrown_ = false;
  return pass_over(one);
}

host_run::flow host_run::run_switch(const clang::SwitchStmt* one) {
  if (one->getInit() != nullptr) (void)run(one->getInit());
  if (one->getConditionVariable() != nullptr) declare(one->getConditionVariable());
  if (is_on_the_way(one->getCond())) return flow::arrived;
  const auto* const body = llvm::dyn_cast<clang::CompoundStmt>(one->getBody());
  const host_value chosen = evaluate(one->getCond());
  if (is_on_the_way(one) && (!is_strict_ || chosen.is != host_value::kind::integer))
    return run_switch_on_the_way(one, body);
  const clang::Stmt *from = nullptr, *otherwise = nullptr;
  std::size_t labels = 0;
  if (body != nullptr)
    for (const clang::Stmt* const each : body->body())
      for (const auto* label = llvm::dyn_cast<clang::SwitchCase>(each); label != nullptr;
           label = llvm::dyn_cast<clang::SwitchCase>(label->getSubStmt())) {
        ++labels;
        const auto* const of = llvm::dyn_cast<clang::CaseStmt>(label);
        if (of == nullptr) {
          otherwise = each;
          continue;
        }
        const long long first = evaluate(of->getLHS()).integer;
        const long long last = of->getRHS() == nullptr ? first : evaluate(of->getRHS()).integer;
        if (from == nullptr && first <= chosen.integer && chosen.integer <= last) from = each;
      }
  // Labels inside other statements are not modelled.
  for (const auto* each = one->getSwitchCaseList(); each != nullptr;
       each = each->getNextSwitchCase())
    --labels;
  if (from == nullptr) from = otherwise;
  flow how = flow::next;
  if (chosen.is != host_value::kind::integer || labels != 0)
    how = pass_over(one->getBody());
  else if (from != nullptr)
    how = run_children(body, from);
  if (how == flow::exhausted) {
    forget_written(one->getBody());
    return jumps_in(one).continues ? flow::exhausted : flow::next;
  }
  return how == flow::breaks ? flow::next : how;
}

// From the last label before the launch on.
host_run::flow host_run::run_switch_on_the_way(const clang::SwitchStmt* one,
                                               const clang::CompoundStmt* body) {
  if (body == nullptr) return run(one->getBody());
  const clang::Stmt* from = nullptr;
  for (const clang::Stmt* const each : body->body()) {
    if (llvm::isa<clang::SwitchCase>(each)) from = each;
    if (is_on_the_way(each)) break;
  }
  if (const auto* const label = llvm::dyn_cast_or_null<clang::CaseStmt>(from))
    require_equal(one->getCond(), label->getLHS());
  return run_children(body, from);
}

}  // namespace compiled
