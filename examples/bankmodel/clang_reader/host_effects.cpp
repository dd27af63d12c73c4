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
        effects_.written.insert(variable);
    for (const clang::VarDecl* const variable : captured_)
      if (effects_.written.count(variable) != 0) effects_.addressed.insert(variable);
    return std::move(effects_);
  }

  bool enter(clang::Stmt* statement) override {
    return !llvm::isa<clang::UnaryExprOrTypeTraitExpr>(statement);
  }

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
  bool VisitBinaryOperator(clang::BinaryOperator* operation) override {
    if (operation->isAssignmentOp()) {
      note_write(operation->getLHS());
    } else if (operation->isTypeDependent()) {  // without the casts that say what is read
      note_read(operation->getLHS());
      note_read(operation->getRHS());
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
    for (const clang::LambdaCapture& capture : lambda->captures()) {
      const clang::Expr* const captured = *init++;
      if (!capture.capturesVariable() || capture.getCaptureKind() != clang::LCK_ByRef) continue;
      if (const auto* const variable = llvm::dyn_cast<clang::VarDecl>(capture.getCapturedVar()))
        captured_.insert(variable);
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
  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr* deletion) override {
    if (const clang::QualType type = deletion->getDestroyedType(); !type.isNull())
      note_destructor(type);
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* call) override {
    if (llvm::isa<clang::CUDAKernelCallExpr>(call)) return true;
    const clang::FunctionDecl* const function = call->getDirectCallee();
    if (function == nullptr) {
      effects_.calls_unknown = effects_.calls_unknown || !call->isTypeDependent();
      return true;
    }
    const auto* const method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
    if (const auto* const member_call = llvm::dyn_cast<clang::CXXMemberCallExpr>(call);
        member_call != nullptr && method != nullptr && method->isConst())
      note_read(member_call->getImplicitObjectArgument());
    const bool has_object = llvm::isa<clang::CXXOperatorCallExpr>(call) && method != nullptr;
    note_call(*function, {call->getArgs() + has_object, call->getNumArgs() - has_object});
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* construction) override {
    const clang::CXXConstructorDecl* const constructor = construction->getConstructor();
    if (constructor->isUserProvided())
      note_call(*constructor, {construction->getArgs(), construction->getNumArgs()});
    else if (constructor->isCopyOrMoveConstructor() && construction->getNumArgs() == 1)
      note_read(construction->getArg(0));
    return true;
  }

 private:
  // `expression` is an lvalue whose value is used and that nothing keeps a reference to.
  void note_read(const clang::Expr* expression) {
    expression = expression->IgnoreParens();
    if (const auto* const cast = llvm::dyn_cast<clang::CastExpr>(expression);
        cast != nullptr && cast->getSubExpr()->isGLValue())
      return note_read(cast->getSubExpr());
    if (const auto* const temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(expression))
      return note_read(temporary->getSubExpr());
    if (const auto* const named = llvm::dyn_cast<clang::DeclRefExpr>(expression)) {
      reads_.insert(named);
    } else if (const auto* const member = llvm::dyn_cast<clang::MemberExpr>(expression)) {
      if (!member->isArrow()) note_read(member->getBase());
    } else if (const auto* const element = llvm::dyn_cast<clang::ArraySubscriptExpr>(expression)) {
      if (is_decay(element->getBase())) note_read(element->getBase());
    } else if (const auto* const either = llvm::dyn_cast<clang::ConditionalOperator>(expression)) {
      note_read(either->getTrueExpr());
      note_read(either->getFalseExpr());
    }
  }

  static bool is_decay(const clang::Expr* expression) {
    const auto* const cast = llvm::dyn_cast<clang::CastExpr>(expression->IgnoreParens());
    return cast != nullptr && cast->getCastKind() == clang::CK_ArrayToPointerDecay;
  }

  // Of variables that are named, VisitDeclRefExpr() notes it.
  void note_write(const clang::Expr* target) {
    target = target->IgnoreParenCasts();
    if (target->isTypeDependent()) return;
    if (const auto* const named = llvm::dyn_cast<clang::DeclRefExpr>(target)) {
      if (llvm::isa<clang::BindingDecl>(named->getDecl())) effects_.writes_anywhere = true;
      return;
    }
    if (const auto* const member = llvm::dyn_cast<clang::MemberExpr>(target)) {
      const bool is_static = !llvm::isa<clang::FieldDecl>(member->getMemberDecl());
      if (is_static || member->getMemberDecl()->getType()->isReferenceType())
        effects_.writes_anywhere = true;
      else if (member->isArrow())
        note_pointer(member->getBase());
      else
        note_write(member->getBase());
    } else if (const auto* const element = llvm::dyn_cast<clang::ArraySubscriptExpr>(target)) {
      if (is_decay(element->getBase()))
        note_write(element->getBase());
      else
        note_pointer(element->getBase());
    } else if (const auto* const unary = llvm::dyn_cast<clang::UnaryOperator>(target)) {
      if (unary->getOpcode() == clang::UO_Deref)
        note_pointer(unary->getSubExpr());
      else
        note_write(unary->getSubExpr());
    } else if (const auto* const call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(target)) {
      // An element of a container belongs to the container, which is named.
      if (call->getDirectCallee() == nullptr || !is_library(*call->getDirectCallee()))
        effects_.writes_anywhere = true;
    } else if (target->isGLValue() && !llvm::isa<clang::MaterializeTemporaryExpr>(target)) {
      effects_.writes_anywhere = true;
    }
  }

  // What it points to may be written.
  void note_pointer(const clang::Expr* pointer) {
    pointer = pointer->IgnoreParenCasts();
    if (const auto* const absent = llvm::dyn_cast<clang::CXXDefaultArgExpr>(pointer))
      return note_pointer(absent->getExpr());
    if (const auto* const unary = llvm::dyn_cast<clang::UnaryOperator>(pointer);
        unary != nullptr && unary->getOpcode() == clang::UO_AddrOf)
      return note_write(unary->getSubExpr());
    if (const auto* const operation = llvm::dyn_cast<clang::BinaryOperator>(pointer);
        operation != nullptr && operation->isAdditiveOp())
      return note_pointer(operation->getLHS()->getType()->isPointerType() ? operation->getLHS()
                                                                          : operation->getRHS());
    if (const auto* const named = llvm::dyn_cast<clang::DeclRefExpr>(pointer)) {
      const auto* const variable = llvm::dyn_cast<clang::VarDecl>(named->getDecl());
      if (variable == nullptr || variable->getType()->isArrayType()) return;
      if (inside_ == nullptr)
        effects_.pointers.insert(variable);
      else
        effects_.writes_anywhere = true;
      return;
    }
    // Containers own what they give pointers to.
    if (const auto* const call = llvm::dyn_cast<clang::CXXMemberCallExpr>(pointer);
        call != nullptr && call->getMethodDecl() != nullptr && is_library(*call->getMethodDecl()))
      return;
    if (llvm::isa<clang::StringLiteral>(pointer) ||
        llvm::isa<clang::CXXNullPtrLiteralExpr>(pointer) ||
        llvm::isa<clang::IntegerLiteral>(pointer) || llvm::isa<clang::GNUNullExpr>(pointer) ||
        llvm::isa<clang::CXXNewExpr>(pointer))
      return;
    effects_.writes_anywhere = true;
  }

  void note_addressed(const clang::Expr* expression) {
    for (expression = expression->IgnoreParenCasts();;
         expression = expression->IgnoreParenCasts()) {
      if (const auto* const member = llvm::dyn_cast<clang::MemberExpr>(expression)) {
        if (member->isArrow()) return;
        expression = member->getBase();
      } else if (const auto* const element =
                     llvm::dyn_cast<clang::ArraySubscriptExpr>(expression)) {
        if (!is_decay(element->getBase())) return;
        expression = element->getBase();
      } else {
        break;
      }
    }
    if (const auto* const named = llvm::dyn_cast<clang::DeclRefExpr>(expression))
      if (const auto* const variable = llvm::dyn_cast<clang::VarDecl>(named->getDecl()))
        effects_.addressed.insert(variable);
  }

  void note_call(const clang::FunctionDecl& function,
                 llvm::ArrayRef<const clang::Expr*> arguments) {
    for (unsigned position = 0; position < arguments.size() && position < function.getNumParams();
         ++position)
      if (is_reference_to_const(function.getParamDecl(position)->getType()))
        note_read(arguments[position]);
    if (is_library(function)) return note_library_call(function, arguments);
    for (unsigned position = 0; position < arguments.size() && position < function.getNumParams();
         ++position)
      if (function.getParamDecl(position)->getType()->isReferenceType())
        note_addressed(arguments[position]);
    const auto* const method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
    const clang::FunctionDecl* body = nullptr;
    if (method != nullptr && method->isVirtual())
      effects_.calls_unknown = true;
    else if (function.hasBody(body))
      follow(*body);
    else if (!function.isDefaulted() && !function.isImplicit())
      effects_.calls_unknown = true;
  }

  void note_library_call(const clang::FunctionDecl& function,
                         llvm::ArrayRef<const clang::Expr*> arguments) {
    // std::function calls what it was given; so do algorithms with functions that have a name.
    if (function.getOverloadedOperator() == clang::OO_Call) effects_.calls_unknown = true;
    const std::string name = function.getNameAsString();
    const bool prints = name.size() >= 6 && name.substr(name.size() - 6) == "printf";
    for (unsigned position = 0; position < arguments.size(); ++position) {
      const bool is_named = position < function.getNumParams();
      const clang::QualType type =
          is_named ? function.getParamDecl(position)->getType() : arguments[position]->getType();
      if (may_be_written_through(type) && (is_named || !prints)) note_pointer(arguments[position]);
      const auto* const record = arguments[position]->getType()->getAsCXXRecordDecl();
      const bool is_of_user =
          record != nullptr &&
          !record->getASTContext().getSourceManager().isInSystemHeader(record->getLocation());
      if (is_of_user && record->isLambda()) effects_.writes_anywhere = true;
      if (type->isFunctionPointerType() || type->isFunctionReferenceType())
        effects_.calls_unknown = true;
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
    if (const auto* const constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(&function))
      for (const clang::CXXCtorInitializer* const initializer : constructor->inits())
        visit_all(initializer->getInit());
    visit_all(function.getBody());
    inside_ = outer;
  }

  host_effects effects_;
  std::map<const clang::DeclRefExpr*, const clang::VarDecl*> uses_;
  std::set<const clang::DeclRefExpr*> reads_;
  std::set<const clang::VarDecl*> own_references_, captured_;  // by reference
  std::set<const clang::Expr*> subscripted_;
  std::set<const clang::FunctionDecl*> entered_;
  const clang::FunctionDecl* inside_ = nullptr;
};

void add_jumps(const clang::Stmt* statement, bool in_loop, bool in_switch, host_jumps& jumps) {
  if (statement == nullptr || llvm::isa<clang::LambdaExpr>(statement)) return;
  switch (statement->getStmtClass()) {
    case clang::Stmt::BreakStmtClass: jumps.breaks = jumps.breaks || !(in_loop || in_switch); break;
    case clang::Stmt::ContinueStmtClass: jumps.continues = jumps.continues || !in_loop; break;
    case clang::Stmt::ReturnStmtClass:
    case clang::Stmt::CXXThrowExprClass: jumps.returns = true; break;
    case clang::Stmt::GotoStmtClass:
      jumps.labels.push_back(llvm::cast<clang::GotoStmt>(statement)->getLabel());
      break;
    case clang::Stmt::IndirectGotoStmtClass: jumps.has_computed_goto = true; break;
    case clang::Stmt::ForStmtClass:
    case clang::Stmt::WhileStmtClass:
    case clang::Stmt::DoStmtClass:
    case clang::Stmt::CXXForRangeStmtClass: in_loop = true; break;
    case clang::Stmt::SwitchStmtClass: in_switch = true; break;
    default: break;
  }
  for (const clang::Stmt* const child : statement->children())
    add_jumps(child, in_loop, in_switch, jumps);
}

}  // namespace

host_jumps jumps_in(const clang::Stmt* statement) {
  host_jumps result;
  add_jumps(statement, false, false, result);
  return result;
}

bool is_library(const clang::FunctionDecl& function) {
  const clang::SourceManager& files = function.getASTContext().getSourceManager();
  const clang::SourceLocation location = files.getExpansionLoc(function.getLocation());
  if (location.isInvalid() || files.isInSystemHeader(location)) return true;
  return !function.hasBody() &&
         (function.getBuiltinID() != 0 || files.getFilename(location) == prelude_file);
}

namespace {

class parent_finder : public syntax_visitor {
 public:
  explicit parent_finder(llvm::DenseMap<const clang::Stmt*, const clang::Stmt*>& parents)
      : parents_(parents) {}

  bool enter(clang::Stmt* statement) override {
    parents_.try_emplace(statement, open_.empty() ? nullptr : open_.back());
    open_.push_back(statement);
    return true;
  }
  void leave(clang::Stmt*) override { open_.pop_back(); }

 private:
  llvm::DenseMap<const clang::Stmt*, const clang::Stmt*>& parents_;
  std::vector<const clang::Stmt*> open_;
};

}  // namespace

std::vector<const clang::Stmt*> effects_of_file::way_to(const clang::Stmt* part,
                                                        const clang::FunctionDecl* function) {
  const auto [known, is_new] = parents_.try_emplace(function);
  if (is_new) parent_finder(known->second).visit_all(function->getBody());
  std::vector<const clang::Stmt*> result;
  for (auto entry = known->second.find(part); entry != known->second.end();
       entry = known->second.find(entry->second))
    result.push_back(entry->first);
  std::reverse(result.begin(), result.end());
  return result;
}

const host_effects& effects_of_file::lookup(const clang::Stmt* statement) {
  const auto known = effects_.find(statement);
  if (known != effects_.end()) return known->second;
  effects_finder finder;
  finder.visit_all(statement);
  return effects_[statement] = finder.result();
}

}  // namespace compiled
