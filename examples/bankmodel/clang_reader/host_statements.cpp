// SPDX-License-Identifier: MIT
// Statements of host code that is followed to a launch.
#include <clang/Basic/SourceManager.h>

#include <algorithm>

#include "host_run.hpp"

namespace compiled {

namespace {

constexpr long long most_steps_of_loop = 1000, most_steps_of_all = 20000;

// A call of exit() and the like.
bool ends_the_program(const clang::Stmt* statement) {
  if (const auto* const cleanups = llvm::dyn_cast_or_null<clang::ExprWithCleanups>(statement))
    return ends_the_program(cleanups->getSubExpr());
  const auto* const call = llvm::dyn_cast_or_null<clang::CallExpr>(statement);
  const clang::FunctionDecl* const called = call == nullptr ? nullptr : call->getDirectCallee();
  return called != nullptr && (called->isNoReturn() || called->getNameAsString() == "exit");
}

bool throws(const clang::Stmt* statement) {
  if (const auto* const cleanups = llvm::dyn_cast_or_null<clang::ExprWithCleanups>(statement))
    return throws(cleanups->getSubExpr());
  return statement != nullptr && llvm::isa<clang::CXXThrowExpr>(statement);
}

}  // namespace

// Whether control does not come back from this statement, as far as the launch is concerned: the
// usage message of a program, an error.
bool host_run::leaves(const clang::Stmt* statement) const {
  if (statement == nullptr) return false;
  if (const auto* const block = llvm::dyn_cast<clang::CompoundStmt>(statement))
    return !block->body_empty() && leaves(block->body_back());
  if (ends_the_program(statement)) return true;
  if (throws(statement)) return tries_ == 0;
  if (calls_ > 0) return false;
  if (const auto* const jump = llvm::dyn_cast<clang::GotoStmt>(statement))
    return is_behind_the_launch(jump->getLabel());
  return llvm::isa<clang::ReturnStmt>(statement);
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
host_run::flow host_run::pass_over(const clang::Stmt* statement) {
  if (statement == nullptr) return flow::next;
  forget_written(statement);
  const host_jumps jumps = jumps_in(statement);
  for (const clang::LabelDecl* const label : jumps.labels) (void)jump_to(label);
  if (jumps.has_computed_goto) (void)jump_to(nullptr);
  // In functions on the way it did not return: the launch comes later.
  const bool goes_elsewhere = jumps.has_computed_goto || !jumps.labels.empty();
  if (calls_ > 0 && (jumps.returns || goes_elsewhere)) return flow::lost;
  return jumps.breaks || jumps.continues ? flow::exhausted : flow::next;
}

void host_run::declare(const clang::VarDecl* variable) {
  const clang::Expr* const initializer = variable->getInit();
  if (variable->isStaticLocal()) {
    if (initialized_.insert(variable).second && initializer != nullptr)
      initialize({variable, {}}, variable->getType(), initializer);
    return;
  }
  if (variable->hasGlobalStorage()) return;
  forget({variable, {}});
  references_.erase(variable);
  if (initializer == nullptr) return;
  if (!variable->getType()->isReferenceType())
    return initialize({variable, {}}, variable->getType(), initializer);
  if (const std::optional<host_cell> cell = locate(initializer)) {
    references_[variable] = *cell;
    if (llvm::isa<clang::DecompositionDecl>(variable)) note_addressed(cell);
    return;
  }
  if (!makes_an_object(initializer)) return;
  const host_cell object = temporary();
  initialize(object, variable->getType().getNonReferenceType(), initializer);
  references_[variable] = object;
}

host_run::flow host_run::run(const clang::Stmt* statement) {
  if (statement == nullptr) return flow::next;
  if (statement == target_ && passes_left_ == 0) return flow::arrived;
  if (is_thrown_) return flow::lost;
  if (++all_steps_ > most_steps_of_all || (loops_ > 0 && ++steps_ > most_steps_of_loop))
    if (!is_on_the_way(statement)) {
      is_out_of_steps_ = true;
      const flow outcome = pass_over(statement);
      return loops_ > 0 && outcome == flow::next ? flow::exhausted : outcome;
    }
  const flow outcome = run_one(statement);
  return is_thrown_ && outcome != flow::arrived ? flow::lost : outcome;
}

host_run::flow host_run::run_one(const clang::Stmt* statement) {
  switch (statement->getStmtClass()) {
    case clang::Stmt::CompoundStmtClass:
      return run_children(llvm::cast<clang::CompoundStmt>(statement), nullptr);
    case clang::Stmt::DeclStmtClass:
      for (const clang::Decl* const declaration : llvm::cast<clang::DeclStmt>(statement)->decls())
        if (const auto* const variable = llvm::dyn_cast<clang::VarDecl>(declaration)) {
          if (variable->getInit() != nullptr && is_on_the_way(variable->getInit()))
            return flow::arrived;
          declare(variable);
        }
      return flow::next;
    case clang::Stmt::IfStmtClass: return run_if(llvm::cast<clang::IfStmt>(statement));
    case clang::Stmt::ForStmtClass: {
      const auto* const loop = llvm::cast<clang::ForStmt>(statement);
      return run_loop(loop, loop->getInit(), loop->getCond(), loop->getInc(), loop->getBody(),
                      true);
    }
    case clang::Stmt::WhileStmtClass: {
      const auto* const loop = llvm::cast<clang::WhileStmt>(statement);
      return run_loop(loop, nullptr, loop->getCond(), nullptr, loop->getBody(), true);
    }
    case clang::Stmt::DoStmtClass: {
      const auto* const loop = llvm::cast<clang::DoStmt>(statement);
      return run_loop(loop, nullptr, loop->getCond(), nullptr, loop->getBody(), false);
    }
    case clang::Stmt::SwitchStmtClass: return run_switch(llvm::cast<clang::SwitchStmt>(statement));
    case clang::Stmt::CaseStmtClass:
    case clang::Stmt::DefaultStmtClass:
      return run(llvm::cast<clang::SwitchCase>(statement)->getSubStmt());
    case clang::Stmt::LabelStmtClass:
      return run(llvm::cast<clang::LabelStmt>(statement)->getSubStmt());
    case clang::Stmt::AttributedStmtClass:
      return run(llvm::cast<clang::AttributedStmt>(statement)->getSubStmt());
    case clang::Stmt::CXXTryStmtClass: return run_try(llvm::cast<clang::CXXTryStmt>(statement));
    case clang::Stmt::CXXForRangeStmtClass:
      return run_range(llvm::cast<clang::CXXForRangeStmt>(statement));
    case clang::Stmt::BreakStmtClass: return flow::breaks;
    case clang::Stmt::ContinueStmtClass: return flow::continues;
    case clang::Stmt::GotoStmtClass:
      return jump_to(llvm::cast<clang::GotoStmt>(statement)->getLabel());
    case clang::Stmt::IndirectGotoStmtClass: return jump_to(nullptr);
    case clang::Stmt::ReturnStmtClass: {
      const clang::Expr* const value = llvm::cast<clang::ReturnStmt>(statement)->getRetValue();
      if (is_on_the_way(statement)) return flow::arrived;
      if (value != nullptr && value->isGLValue())
        returned_ = locate(value);
      else if (value != nullptr && returns_to_)
        initialize(*returns_to_, value->getType(), value);
      return flow::returns;
    }
    default: break;
  }
  const auto* const expression = llvm::dyn_cast<clang::Expr>(statement);
  if (is_on_the_way(statement) && !passes()) return flow::arrived;
  if (expression != nullptr)
    (void)evaluate(expression);
  else
    forget_written(statement);
  if (throws(statement) || ends_the_program(statement)) is_thrown_ = true;
  return flow::next;
}

host_run::flow host_run::run_children(const clang::CompoundStmt* block, const clang::Stmt* start) {
  flow outcome = flow::next;
  for (const clang::Stmt* const child : block->body()) {
    if (start != nullptr && child != start) continue;
    start = nullptr;
    outcome = run(child);
    if (outcome == flow::next) continue;
    // The launch comes later, so what may leave did not; or it is to be followed all the same.
    if (!is_on_the_way(block) || outcome == flow::arrived) break;
    if (is_strict_ && outcome != flow::exhausted) break;
    is_thrown_ = false;
    outcome = flow::next;
  }
  if (outcome == flow::arrived) return outcome;
  for (const clang::Stmt* const child : block->body())
    if (const auto* const declared = llvm::dyn_cast<clang::DeclStmt>(child))
      for (const clang::Decl* const declaration : declared->decls()) {
        const auto* const variable = llvm::dyn_cast<clang::VarDecl>(declaration);
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
  return outcome;
}

host_run::flow host_run::run_if(const clang::IfStmt* statement) {
  if (statement->getInit() != nullptr) (void)run(statement->getInit());
  if (statement->getConditionVariable() != nullptr) declare(statement->getConditionVariable());
  if (is_on_the_way(statement->getCond())) return flow::arrived;
  for (const clang::Stmt* const arm : {statement->getThen(), statement->getElse()}) {
    if (arm == nullptr || !is_on_the_way(arm)) continue;
    const bool is_then = arm == statement->getThen();
    const host_value condition = evaluate(statement->getCond());
    if (is_strict_ && condition.is_known())
      return run(condition.is_true() ? statement->getThen() : statement->getElse());
    if (!condition.is_known() || condition.is_true() != is_then)
      require(statement->getCond(), is_then);
    return run(arm);
  }
  return run_either(statement);
}

// Of an if statement that does not have the launch.
host_run::flow host_run::run_either(const clang::IfStmt* statement) {
  const host_value condition = evaluate(statement->getCond());
  if (condition.is_known())
    return run(condition.is_true() ? statement->getThen() : statement->getElse());
  flow outcome = flow::next;
  for (const clang::Stmt* const arm : {statement->getThen(), statement->getElse()}) {
    if (leaves(arm)) continue;
    const flow of_arm = pass_over(arm);
    if (of_arm == flow::lost || outcome == flow::next) outcome = of_arm;
  }
  return outcome;
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
  flow outcome = flow::next;
  long long iterations = 0;
  for (bool tests = tests_first;; tests = true) {
    if (tests && condition != nullptr) {
      const host_value goes_on = evaluate(condition);
      // The first iteration is the one with the launch.
      const bool is_assumed = has_launch && iterations == 0 && !goes_on.is_known();
      if (!goes_on.is_known() && !is_assumed) outcome = flow::exhausted;
      if (outcome == flow::exhausted || !(is_assumed || goes_on.is_true())) break;
    }
    outcome = run(body);
    if (outcome != flow::next && outcome != flow::continues) break;
    outcome = flow::next;
    if (step != nullptr) (void)evaluate(step);
    if (is_thrown_) outcome = flow::lost;
    if (outcome == flow::lost) break;
    if ((loops_ > 0 && ++steps_ > most_steps_of_loop) || ++iterations > most_steps_of_loop) {
      is_out_of_steps_ = true;
      outcome = flow::exhausted;
      break;
    }
  }
  if (!has_launch) --loops_;
  if (outcome == flow::breaks) return flow::next;
  if (outcome != flow::exhausted) return outcome;
  if (has_launch) is_out_of_steps_ = true;  // a later iteration may come to it
  outcome = pass_over(loop);
  if (outcome != flow::next) return outcome;
  return loops_ > 0 && steps_ > most_steps_of_loop ? flow::exhausted : flow::next;
}

// Its variable is unknown.
host_run::flow host_run::run_range(const clang::CXXForRangeStmt* loop) {
  if (!is_on_the_way(loop)) return pass_over(loop);
  forget({loop->getLoopVariable(), {}});
  references_.erase(loop->getLoopVariable());
  return is_on_the_way(loop->getBody()) ? run(loop->getBody()) : flow::arrived;
}

host_run::flow host_run::run_try(const clang::CXXTryStmt* statement) {
  if (is_on_the_way(statement)) {
    if (is_on_the_way(statement->getTryBlock())) return run(statement->getTryBlock());
    forget_written(statement->getTryBlock());
    for (unsigned handler = 0; handler < statement->getNumHandlers(); ++handler)
      if (is_on_the_way(statement->getHandler(handler)))
        return run(statement->getHandler(handler)->getHandlerBlock());
    return flow::arrived;
  }
  ++tries_;
  const flow outcome = run(statement->getTryBlock());
  --tries_;
  if (outcome != flow::lost) return outcome;
  is_thrown_ = false;
  return pass_over(statement);
}

host_run::flow host_run::run_switch(const clang::SwitchStmt* statement) {
  if (statement->getInit() != nullptr) (void)run(statement->getInit());
  if (statement->getConditionVariable() != nullptr) declare(statement->getConditionVariable());
  if (is_on_the_way(statement->getCond())) return flow::arrived;
  const auto* const body = llvm::dyn_cast<clang::CompoundStmt>(statement->getBody());
  const host_value chosen = evaluate(statement->getCond());
  if (is_on_the_way(statement) && (!is_strict_ || chosen.is != host_value::kind::integer))
    return run_switch_on_the_way(statement, body);
  const clang::Stmt *start = nullptr, *otherwise = nullptr;
  std::size_t labels = 0;
  if (body != nullptr)
    for (const clang::Stmt* const child : body->body())
      for (const auto* label = llvm::dyn_cast<clang::SwitchCase>(child); label != nullptr;
           label = llvm::dyn_cast<clang::SwitchCase>(label->getSubStmt())) {
        ++labels;
        const auto* const case_label = llvm::dyn_cast<clang::CaseStmt>(label);
        if (case_label == nullptr) {
          otherwise = child;
          continue;
        }
        const long long first = evaluate(case_label->getLHS()).integer;
        const long long last =
            case_label->getRHS() == nullptr ? first : evaluate(case_label->getRHS()).integer;
        if (start == nullptr && first <= chosen.integer && chosen.integer <= last) start = child;
      }
  // Labels inside other statements are not modelled.
  for (const auto* label = statement->getSwitchCaseList(); label != nullptr;
       label = label->getNextSwitchCase())
    --labels;
  if (start == nullptr) start = otherwise;
  flow outcome = flow::next;
  if (chosen.is != host_value::kind::integer || labels != 0)
    outcome = pass_over(statement->getBody());
  else if (start != nullptr)
    outcome = run_children(body, start);
  if (outcome == flow::exhausted) {
    forget_written(statement->getBody());
    return jumps_in(statement).continues ? flow::exhausted : flow::next;
  }
  return outcome == flow::breaks ? flow::next : outcome;
}

// From the last label before the launch on.
host_run::flow host_run::run_switch_on_the_way(const clang::SwitchStmt* statement,
                                               const clang::CompoundStmt* body) {
  if (body == nullptr) return run(statement->getBody());
  const clang::Stmt* start = nullptr;
  for (const clang::Stmt* const child : body->body()) {
    if (llvm::isa<clang::SwitchCase>(child)) start = child;
    if (is_on_the_way(child)) break;
  }
  if (const auto* const label = llvm::dyn_cast_or_null<clang::CaseStmt>(start))
    require_equal(statement->getCond(), label->getLHS());
  return run_children(body, start);
}

}  // namespace compiled
