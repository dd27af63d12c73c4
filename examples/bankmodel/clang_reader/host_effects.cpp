// SPDX-License-Identifier: MIT
#include "host_effects.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>

#include "front_end.hpp"
#include "syntax_visitor.hpp"

namespace compiled {

namespace {

bool may_be_written_through(clang::QualType type) {
  if (type->isArrayType()) return true;
  return type->isPointerType() && !type->getPointeeType().isConstQualified() &&
         !type->isFunctionPointerType();
}

bool is_reference_to_const(clang::QualType type) {
  return type->isReferenceType() && type.getNonReferenceType().isConstQualified();
}

class effects_finder : public syntax_visitor {
 public:
  host_effects result() {
    for (const auto& [use, variable] : uses_)
      if (reads_.count(use) == 0 && own_references_.count(variable) == 0)
        found_.written.insert(variable);
    for (const clang::VarDecl* const each : captured_)
      if (found_.written.count(each) != 0) found_.addressed.insert(each);
    return std::move(found_);
  }

  bool enter(clang::Stmt* one) override { return !llvm::isa<clang::UnaryExprOrTypeTraitExpr>(one); }

  bool VisitDeclRefExpr(clang::DeclRefExpr* use) override {
    const auto* const variable = llvm::dyn_cast<clang::VarDecl>(use->getDecl());
    if (variable == nullptr || variable->getType().isConstQualified()) return true;
    // Each call of a function has variables of its own.
    if (inside_ == nullptr || variable->hasGlobalStorage() ||
        !inside_->Encloses(variable->getDeclContext()))
      uses_.emplace(use, variable);
    return true;
  }
  bool VisitCastExpr(clang::CastExpr* cast) override {
    if (cast->getCastKind() == clang::CK_LValueToRValue) note_read(cast->getSubExpr());
    if (cast->getCastKind() == clang::CK_ArrayToPointerDecay && subscripted_.count(cast) == 0)
      note_addressed(cast->getSubExpr());
    return true;
  }
  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr* element) override {
    subscripted_.insert(element->getBase());
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* both) override {
    if (both->isAssignmentOp()) {
      note_write(both->getLHS());
    } else if (both->isTypeDependent()) {  // without the casts that say what is read
      note_read(both->getLHS());
      note_read(both->getRHS());
    }
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* unary) override {
    if (unary->isIncrementDecrementOp()) note_write(unary->getSubExpr());
    if (unary->getOpcode() == clang::UO_AddrOf) note_addressed(unary->getSubExpr());
    return true;
  }
  bool VisitLambdaExpr(clang::LambdaExpr* lambda) override {
    auto init = lambda->capture_init_begin();
    for (const clang::LambdaCapture& each : lambda->captures()) {
      const clang::Expr* const captured = *init++;
      if (!each.capturesVariable() || each.getCaptureKind() != clang::LCK_ByRef) continue;
      if (const auto* const one = llvm::dyn_cast<clang::VarDecl>(each.getCapturedVar()))
        captured_.insert(one);
      if (captured != nullptr) note_read(captured);  // its body says whether it writes it
    }
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* variable) override {
    const clang::QualType type = variable->getType();
    if (type->isReferenceType() && variable->hasInit()) {
      own_references_.insert(variable);
      if (is_reference_to_const(type))
        note_read(variable->getInit());
      else
        note_write(variable->getInit());
      if (llvm::isa<clang::DecompositionDecl>(variable)) note_addressed(variable->getInit());
    }
    if (!type->isDependentType()) note_destructor(type);
    return true;
  }
  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr* given) override {
    if (const clang::QualType type = given->getDestroyedType(); !type.isNull())
      note_destructor(type);
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* call) override {
    if (llvm::isa<clang::CUDAKernelCallExpr>(call)) return true;
    const clang::FunctionDecl* const function = call->getDirectCallee();
    if (function == nullptr) {
      found_.calls_unknown = found_.calls_unknown || !call->isTypeDependent();
      return true;
    }
    const auto* const method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
    if (const auto* const of = llvm::dyn_cast<clang::CXXMemberCallExpr>(call);
        of != nullptr && method != nullptr && method->isConst())
      note_read(of->getImplicitObjectArgument());
    const bool has_object = llvm::isa<clang::CXXOperatorCallExpr>(call) && method != nullptr;
    note_call(*function, {call->getArgs() + has_object, call->getNumArgs() - has_object});
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* made) override {
    const clang::CXXConstructorDecl* const how = made->getConstructor();
    if (how->isUserProvided())
      note_call(*how, {made->getArgs(), made->getNumArgs()});
    else if (how->isCopyOrMoveConstructor() && made->getNumArgs() == 1)
      note_read(made->getArg(0));
    return true;
  }

 private:
  // `of` is an lvalue whose value is used and that nothing keeps a reference to.
  void note_read(const clang::Expr* of) {
    of = of->IgnoreParens();
    if (const auto* const cast = llvm::dyn_cast<clang::CastExpr>(of);
        cast != nullptr && cast->getSubExpr()->isGLValue())
      return note_read(cast->getSubExpr());
    if (const auto* const made = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(of))
      return note_read(made->getSubExpr());
    if (const auto* const named = llvm::dyn_cast<clang::DeclRefExpr>(of)) {
      reads_.insert(named);
    } else if (const auto* const member = llvm::dyn_cast<clang::MemberExpr>(of)) {
      if (!member->isArrow()) note_read(member->getBase());
    } else if (const auto* const element = llvm::dyn_cast<clang::ArraySubscriptExpr>(of)) {
      if (is_decay(element->getBase())) note_read(element->getBase());
    } else if (const auto* const either = llvm::dyn_cast<clang::ConditionalOperator>(of)) {
      note_read(either->getTrueExpr());
      note_read(either->getFalseExpr());
    }
  }

  static bool is_decay(const clang::Expr* of) {
    const auto* const cast = llvm::dyn_cast<clang::CastExpr>(of->IgnoreParens());
    return cast != nullptr && cast->getCastKind() == clang::CK_ArrayToPointerDecay;
  }

  // Of variables that are named, VisitDeclRefExpr() notes it.
  void note_write(const clang::Expr* to) {
    to = to->IgnoreParenCasts();
    if (to->isTypeDependent()) return;
    if (const auto* const named = llvm::dyn_cast<clang::DeclRefExpr>(to)) {
      if (llvm::isa<clang::BindingDecl>(named->getDecl())) found_.writes_anywhere = true;
      return;
    }
    if (const auto* const member = llvm::dyn_cast<clang::MemberExpr>(to)) {
      const bool is_static = !llvm::isa<clang::FieldDecl>(member->getMemberDecl());
      if (is_static || member->getMemberDecl()->getType()->isReferenceType())
        found_.writes_anywhere = true;
      else if (member->isArrow())
        note_pointer(member->getBase());
      else
        note_write(member->getBase());
    } else if (const auto* const element = llvm::dyn_cast<clang::ArraySubscriptExpr>(to)) {
      if (is_decay(element->getBase()))
        note_write(element->getBase());
      else
        note_pointer(element->getBase());
    } else if (const auto* const unary = llvm::dyn_cast<clang::UnaryOperator>(to)) {
      if (unary->getOpcode() == clang::UO_Deref)
        note_pointer(unary->getSubExpr());
      else
        note_write(unary->getSubExpr());
    } else if (const auto* const call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(to)) {
      // An element of a container belongs to the container, which is named.
      if (call->getDirectCallee() == nullptr || !is_library(*call->getDirectCallee()))
        found_.writes_anywhere = true;
    } else if (to->isGLValue() && !llvm::isa<clang::MaterializeTemporaryExpr>(to)) {
      found_.writes_anywhere = true;
    }
  }

  // What it points to may be written.
  void note_pointer(const clang::Expr* of) {
    of = of->IgnoreParenCasts();
    if (const auto* const absent = llvm::dyn_cast<clang::CXXDefaultArgExpr>(of))
      return note_pointer(absent->getExpr());
    if (const auto* const unary = llvm::dyn_cast<clang::UnaryOperator>(of);
        unary != nullptr && unary->getOpcode() == clang::UO_AddrOf)
      return note_write(unary->getSubExpr());
    if (const auto* const both = llvm::dyn_cast<clang::BinaryOperator>(of);
        both != nullptr && both->isAdditiveOp())
      return note_pointer(both->getLHS()->getType()->isPointerType() ? both->getLHS()
                                                                     : both->getRHS());
    if (const auto* const named = llvm::dyn_cast<clang::DeclRefExpr>(of)) {
      const auto* const variable = llvm::dyn_cast<clang::VarDecl>(named->getDecl());
      if (variable == nullptr || variable->getType()->isArrayType()) return;
      if (inside_ == nullptr)
        found_.pointers.insert(variable);
      else
        found_.writes_anywhere = true;
      return;
    }
    // Containers own what they give pointers to.
    if (const auto* const call = llvm::dyn_cast<clang::CXXMemberCallExpr>(of);
        call != nullptr && call->getMethodDecl() != nullptr && is_library(*call->getMethodDecl()))
      return;
    if (llvm::isa<clang::StringLiteral>(of) || llvm::isa<clang::CXXNullPtrLiteralExpr>(of) ||
        llvm::isa<clang::IntegerLiteral>(of) || llvm::isa<clang::GNUNullExpr>(of) ||
        llvm::isa<clang::CXXNewExpr>(of))
      return;
    found_.writes_anywhere = true;
  }

  void note_addressed(const clang::Expr* of) {
    for (of = of->IgnoreParenCasts();; of = of->IgnoreParenCasts()) {
      if (const auto* const member = llvm::dyn_cast<clang::MemberExpr>(of)) {
        if (member->isArrow()) return;
        of = member->getBase();
      } else if (const auto* const element = llvm::dyn_cast<clang::ArraySubscriptExpr>(of)) {
        if (!is_decay(element->getBase())) return;
        of = element->getBase();
      } else {
        break;
      }
    }
    if (const auto* const named = llvm::dyn_cast<clang::DeclRefExpr>(of))
      if (const auto* const variable = llvm::dyn_cast<clang::VarDecl>(named->getDecl()))
        found_.addressed.insert(variable);
  }

  void note_call(const clang::FunctionDecl& function,
                 llvm::ArrayRef<const clang::Expr*> arguments) {
    for (unsigned at = 0; at < arguments.size() && at < function.getNumParams(); ++at)
      if (is_reference_to_const(function.getParamDecl(at)->getType())) note_read(arguments[at]);
    if (is_library(function)) return note_library_call(function, arguments);
    for (unsigned at = 0; at < arguments.size() && at < function.getNumParams(); ++at)
      if (function.getParamDecl(at)->getType()->isReferenceType()) note_addressed(arguments[at]);
    const auto* const method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
    const clang::FunctionDecl* body = nullptr;
    if (method != nullptr && method->isVirtual())
      found_.calls_unknown = true;
    else if (function.hasBody(body))
      follow(*body);
    else if (!function.isDefaulted() && !function.isImplicit())
      found_.calls_unknown = true;
  }

  void note_library_call(const clang::FunctionDecl& function,
                         llvm::ArrayRef<const clang::Expr*> arguments) {
    // std::function calls what it was given; so do algorithms with functions that have a name.
    if (function.getOverloadedOperator() == clang::OO_Call) found_.calls_unknown = true;
    const std::string name = function.getNameAsString();
    const bool prints = name.size() >= 6 && name.substr(name.size() - 6) == "printf";
    for (unsigned at = 0; at < arguments.size(); ++at) {
      const bool is_named = at < function.getNumParams();
      const clang::QualType type =
          is_named ? function.getParamDecl(at)->getType() : arguments[at]->getType();
      if (may_be_written_through(type) && (is_named || !prints)) note_pointer(arguments[at]);
      const auto* const record = arguments[at]->getType()->getAsCXXRecordDecl();
      const bool is_of_user =
          record != nullptr &&
          !record->getASTContext().getSourceManager().isInSystemHeader(record->getLocation());
      if (is_of_user && record->isLambda()) found_.writes_anywhere = true;
      if (type->isFunctionPointerType() || type->isFunctionReferenceType())
        found_.calls_unknown = true;
    }
  }

  void note_destructor(clang::QualType type) {
    const auto* const record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    if (record == nullptr || !record->hasDefinition() || type->isReferenceType()) return;
    const clang::CXXDestructorDecl* const destructor = record->getDestructor();
    if (destructor != nullptr && destructor->isUserProvided()) note_call(*destructor, {});
  }

  void follow(const clang::FunctionDecl& function) {
    if (!entered_.insert(&function).second) return;
    const clang::FunctionDecl* const outer = inside_;
    inside_ = &function;
    if (const auto* const made = llvm::dyn_cast<clang::CXXConstructorDecl>(&function))
      for (const clang::CXXCtorInitializer* const each : made->inits()) visit_all(each->getInit());
    visit_all(function.getBody());
    inside_ = outer;
  }

  host_effects found_;
  std::map<const clang::DeclRefExpr*, const clang::VarDecl*> uses_;
  std::set<const clang::DeclRefExpr*> reads_;
  std::set<const clang::VarDecl*> own_references_, captured_;  // by reference
  std::set<const clang::Expr*> subscripted_;
  std::set<const clang::FunctionDecl*> entered_;
  const clang::FunctionDecl* inside_ = nullptr;
};

void add_jumps(const clang::Stmt* one, bool in_loop, bool in_switch, host_jumps& to) {
  if (one == nullptr || llvm::isa<clang::LambdaExpr>(one)) return;
  switch (one->getStmtClass()) {
    case clang::Stmt::BreakStmtClass: to.breaks = to.breaks || !(in_loop || in_switch); break;
    case clang::Stmt::ContinueStmtClass: to.continues = to.continues || !in_loop; break;
    case clang::Stmt::ReturnStmtClass:
    case clang::Stmt::CXXThrowExprClass: to.returns = true; break;
    case clang::Stmt::GotoStmtClass:
      to.labels.push_back(llvm::cast<clang::GotoStmt>(one)->getLabel());
      break;
    case clang::Stmt::IndirectGotoStmtClass: to.has_computed_goto = true; break;
    case clang::Stmt::ForStmtClass:
    case clang::Stmt::WhileStmtClass:
    case clang::Stmt::DoStmtClass:
    case clang::Stmt::CXXForRangeStmtClass: in_loop = true; break;
    case clang::Stmt::SwitchStmtClass: in_switch = true; break;
    default: break;
  }
  for (const clang::Stmt* const each : one->children()) add_jumps(each, in_loop, in_switch, to);
}

}  // namespace

host_jumps jumps_in(const clang::Stmt* one) {
  host_jumps result;
  add_jumps(one, false, false, result);
  return result;
}

bool is_library(const clang::FunctionDecl& function) {
  const clang::SourceManager& files = function.getASTContext().getSourceManager();
  const clang::SourceLocation where = files.getExpansionLoc(function.getLocation());
  if (where.isInvalid() || files.isInSystemHeader(where)) return true;
  return !function.hasBody() &&
         (function.getBuiltinID() != 0 || files.getFilename(where) == prelude_file);
}

namespace {

class parent_finder : public syntax_visitor {
 public:
  explicit parent_finder(llvm::DenseMap<const clang::Stmt*, const clang::Stmt*>& to) : to_(to) {}

  bool enter(clang::Stmt* one) override {
    to_.try_emplace(one, open_.empty() ? nullptr : open_.back());
    open_.push_back(one);
    return true;
  }
  void leave(clang::Stmt*) override { open_.pop_back(); }

 private:
  llvm::DenseMap<const clang::Stmt*, const clang::Stmt*>& to_;
  std::vector<const clang::Stmt*> open_;
};

}  // namespace

std::vector<const clang::Stmt*> effects_of_file::way_to(const clang::Stmt* part,
                                                        const clang::FunctionDecl* in) {
  const auto [known, is_new] = parents_.try_emplace(in);
  if (is_new) parent_finder(known->second).visit_all(in->getBody());
  std::vector<const clang::Stmt*> result;
  for (auto found = known->second.find(part); found != known->second.end();
       found = known->second.find(found->second))
    result.push_back(found->first);
  std::reverse(result.begin(), result.end());
  return result;
}

const host_effects& effects_of_file::of(const clang::Stmt* one) {
  const auto known = found_.find(one);
  if (known != found_.end()) return known->second;
  effects_finder finder;
  finder.visit_all(one);
  return found_[one] = finder.result();
}

}  // namespace compiled
