// SPDX-License-Identifier: MIT
// Expressions of host code that is followed to a launch.
#include <algorithm>

#include "host_run.hpp"

namespace compiled {

namespace {

// std::forward<T>(x), std::move(x) and std::as_const(x) are x.
bool is_its_argument(const clang::CallExpr& call) {
  const clang::FunctionDecl* const called = call.getDirectCallee();
  if (called == nullptr || called->getIdentifier() == nullptr || !called->isInStdNamespace() ||
      call.getNumArgs() != 1 || !call.getArg(0)->isGLValue())
    return false;
  const llvm::StringRef name = called->getName();
  return name == "forward" || name == "move" || name == "as_const";
}

}  // namespace

const clang::Expr* without_wrappers(const clang::Expr* expression) {
  for (;;) {
    const clang::Expr* inner = expression->IgnoreParens();
    if (const auto* const cleanups = llvm::dyn_cast<clang::ExprWithCleanups>(inner))
      inner = cleanups->getSubExpr();
    else if (const auto* const temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(inner))
      inner = temporary->getSubExpr();
    else if (const auto* const bound = llvm::dyn_cast<clang::CXXBindTemporaryExpr>(inner))
      inner = bound->getSubExpr();
    else if (const auto* const argument = llvm::dyn_cast<clang::CXXDefaultArgExpr>(inner))
      inner = argument->getExpr();
    else if (const auto* const member = llvm::dyn_cast<clang::CXXDefaultInitExpr>(inner))
      inner = member->getExpr();
    else if (const auto* const constant = llvm::dyn_cast<clang::ConstantExpr>(inner))
      inner = constant->getSubExpr();
    else if (const auto* const put = llvm::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(inner))
      inner = put->getReplacement();
    else if (const auto* const call = llvm::dyn_cast<clang::CallExpr>(inner);
             call != nullptr && is_its_argument(*call))
      inner = call->getArg(0);
    if (inner == expression) return expression;
    expression = inner;
  }
}

bool makes_an_object(const clang::Expr* expression) {
  for (;;) {
    expression = without_wrappers(expression);
    const auto* const cast = llvm::dyn_cast<clang::ImplicitCastExpr>(expression);
    if (cast == nullptr || !cast->isGLValue()) return expression->isPRValue();
    expression = cast->getSubExpr();
  }
}

std::optional<host_cell> host_run::locate_element(const clang::ArraySubscriptExpr* subscript) {
  const auto* const decay = llvm::dyn_cast<clang::CastExpr>(subscript->getBase()->IgnoreParens());
  host_value base;
  if (decay != nullptr && decay->getCastKind() == clang::CK_ArrayToPointerDecay) {
    if (const std::optional<host_cell> array = locate(decay->getSubExpr()))
      base = host_value::of_place(array->part(0));
  } else {
    base = evaluate(subscript->getBase());
  }
  const host_value number = evaluate(subscript->getIdx());
  if (number.is != host_value::kind::integer) return std::nullopt;
  return pointee(moved(base, number.integer), subscript->getType());
}

std::optional<host_cell> host_run::locate_member(const clang::MemberExpr* member) {
  if (const auto* const variable = llvm::dyn_cast<clang::VarDecl>(member->getMemberDecl()))
    return variable->getType()->isReferenceType() ? std::nullopt
                                                  : std::optional(host_cell{variable, {}});
  const auto* const field = llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
  const clang::Expr* const object = member->getBase();
  std::optional<host_cell> base;
  if (member->isArrow()) {
    base = pointee(evaluate(object), object->getType()->getPointeeType());
  } else {
    base = locate(object);
    if (!base && makes_an_object(object)) {
      base = temporary();
      initialize(*base, object->getType(), object);
    }
  }
  const bool is_modelled = field != nullptr && !field->getParent()->isUnion() &&
                           !field->isBitField() && !field->getType()->isReferenceType();
  if (!base || !is_modelled) return std::nullopt;
  return base->part(field->getFieldIndex());
}

std::optional<host_cell> host_run::locate(const clang::Expr* expression) {
  expression = without_wrappers(expression);
  if (expression->containsErrors()) return std::nullopt;
  if (const auto* const named = llvm::dyn_cast<clang::DeclRefExpr>(expression)) {
    const auto* const variable = llvm::dyn_cast<clang::VarDecl>(named->getDecl());
    if (variable == nullptr) return std::nullopt;
    if (!variable->getType()->isReferenceType()) return host_cell{variable, {}};
    const auto reference = references_.find(variable);
    return reference == references_.end() ? std::nullopt : std::optional(reference->second);
  }
  if (const auto* const member = llvm::dyn_cast<clang::MemberExpr>(expression))
    return locate_member(member);
  if (const auto* const element = llvm::dyn_cast<clang::ArraySubscriptExpr>(expression))
    return locate_element(element);
  if (const auto* const unary = llvm::dyn_cast<clang::UnaryOperator>(expression)) {
    if (unary->getOpcode() == clang::UO_Deref)
      return pointee(evaluate(unary->getSubExpr()), expression->getType());
    if (unary->isPrefix() && unary->isIncrementDecrementOp()) {
      (void)evaluate(unary);
      return locate(unary->getSubExpr());
    }
    return std::nullopt;
  }
  if (const auto* const assignment = llvm::dyn_cast<clang::BinaryOperator>(expression);
      assignment != nullptr && assignment->isAssignmentOp()) {
    (void)evaluate_assignment(assignment);
    return locate(assignment->getLHS());
  }
  if (const auto* const comma = llvm::dyn_cast<clang::BinaryOperator>(expression);
      comma != nullptr && comma->getOpcode() == clang::BO_Comma) {
    (void)evaluate(comma->getLHS());
    return locate(comma->getRHS());
  }
  if (const auto* const either = llvm::dyn_cast<clang::ConditionalOperator>(expression)) {
    const host_value condition = evaluate(either->getCond());
    if (condition.is_known())
      return locate(condition.is_true() ? either->getTrueExpr() : either->getFalseExpr());
    forget_written(either->getTrueExpr());
    forget_written(either->getFalseExpr());
    return std::nullopt;
  }
  if (const auto* const cast = llvm::dyn_cast<clang::CastExpr>(expression); cast != nullptr) {
    if (!cast->getSubExpr()->isGLValue()) return std::nullopt;
    if (cast->getCastKind() == clang::CK_NoOp) return locate(cast->getSubExpr());
    if (cast->getCastKind() != clang::CK_DerivedToBase &&
        cast->getCastKind() != clang::CK_UncheckedDerivedToBase)
      return std::nullopt;
    const std::optional<host_cell> result = locate(cast->getSubExpr());
    return result ? base_of(*result, cast) : std::nullopt;
  }
  if (const auto* const call = llvm::dyn_cast<clang::CallExpr>(expression);
      call != nullptr && call->isGLValue()) {
    const host_value value = evaluate_call(call, temporary());
    if (returned_) return returned_;
    if (!value.is_known()) return std::nullopt;
    const host_cell result = temporary();  // of std::min()
    write(result, value);
    return result;
  }
  return std::nullopt;
}

host_value host_run::evaluate(const clang::Expr* expression) {
  expression = without_wrappers(expression);
  if (expression->isValueDependent() || expression->isTypeDependent() ||
      expression->containsErrors()) {
    forget_written(expression);
    return {};
  }
  if (const auto* const integer = llvm::dyn_cast<clang::IntegerLiteral>(expression))
    return converted(
        host_value::of_integer(static_cast<long long>(integer->getValue().getZExtValue())),
        expression->getType(), context_);
  if (const auto* const cast = llvm::dyn_cast<clang::CastExpr>(expression))
    return evaluate_cast(cast);
  if (const auto* const binary = llvm::dyn_cast<clang::BinaryOperator>(expression))
    return evaluate_binary(binary);
  if (const auto* const unary = llvm::dyn_cast<clang::UnaryOperator>(expression))
    return evaluate_unary(unary);
  if (const auto* const call = llvm::dyn_cast<clang::CallExpr>(expression))
    return evaluate_call(call, temporary());
  if (const auto* const either = llvm::dyn_cast<clang::ConditionalOperator>(expression)) {
    const host_value condition = evaluate(either->getCond());
    if (condition.is_known())
      return evaluate(condition.is_true() ? either->getTrueExpr() : either->getFalseExpr());
    forget_written(either->getTrueExpr());
    forget_written(either->getFalseExpr());
    return {};
  }
  if (const auto* const text = llvm::dyn_cast<clang::StringLiteral>(expression))
    return text->getCharByteWidth() == 1 ? host_value::of_text(text->getString().str())
                                         : host_value{};
  if (llvm::isa<clang::CXXThisExpr>(expression))
    return this_ ? host_value::of_place(*this_) : host_value{};
  if (const auto* const list = llvm::dyn_cast<clang::InitListExpr>(expression);
      list != nullptr && list->getNumInits() == 1 && !expression->getType()->isRecordType())
    return evaluate(list->getInit(0));
  if (expression->isGLValue()) {
    const std::optional<host_cell> cell = locate(expression);
    return cell ? read(*cell) : host_value{};
  }
  if (expression->getType()->isRecordType()) {
    initialize(temporary(), expression->getType(), expression);
    return {};
  }
  clang::Expr::EvalResult value;
  if (expression->getType()->isIntegralOrEnumerationType() &&
      expression->EvaluateAsInt(value, context_))
    return host_value::of_integer(value.Val.getInt().getExtValue());
  if (const auto* const real = llvm::dyn_cast<clang::FloatingLiteral>(expression))
    return host_value::of_real(real->getValueAsApproximateDouble());
  if (const auto* const named = llvm::dyn_cast<clang::DeclRefExpr>(expression)) {
    const auto* const enumerator = llvm::dyn_cast<clang::EnumConstantDecl>(named->getDecl());
    return enumerator == nullptr ? host_value{}
                                 : host_value::of_integer(enumerator->getInitVal().getExtValue());
  }
  forget_written(expression);
  return llvm::isa<clang::CXXNewExpr>(expression) ? host_value::of_heap() : host_value{};
}

host_value host_run::evaluate_cast(const clang::CastExpr* cast) {
  const clang::Expr* const source = cast->getSubExpr();
  switch (cast->getCastKind()) {
    case clang::CK_LValueToRValue: {
      const std::optional<host_cell> cell = locate(source);
      if (cell)
        if (const host_value value = read(*cell); value.is_known()) return value;
      clang::Expr::EvalResult value;
      if (source->getType().isConstQualified() &&
          source->getType()->isIntegralOrEnumerationType() && cast->EvaluateAsInt(value, context_))
        return host_value::of_integer(value.Val.getInt().getExtValue());
      return {};
    }
    case clang::CK_ArrayToPointerDecay:
      if (const std::optional<host_cell> cell = locate(source)) {
        note_addressed(cell);
        return host_value::of_place(cell->part(0));
      }
      return llvm::isa<clang::StringLiteral>(source->IgnoreParens()) ? evaluate(source)
                                                                     : host_value{};
    case clang::CK_NullToPointer: return host_value::of_integer(0);
    case clang::CK_NoOp:
    case clang::CK_BitCast: return evaluate(source);
    case clang::CK_IntegralToFloating:
      return converted(as_real(evaluate(source), source->getType()), cast->getType(), context_);
    case clang::CK_IntegralCast:
    case clang::CK_IntegralToBoolean:
    case clang::CK_FloatingToBoolean:
    case clang::CK_FloatingToIntegral:
    case clang::CK_FloatingCast: return converted(evaluate(source), cast->getType(), context_);
    case clang::CK_DerivedToBase:
    case clang::CK_UncheckedDerivedToBase: {
      const host_value object = evaluate(source);
      if (object.is != host_value::kind::place) return {};
      const std::optional<host_cell> base = base_of(object.place, cast);
      return base ? host_value::of_place(*base) : host_value{};
    }
    case clang::CK_PointerToBoolean: {
      const host_value value = evaluate(source);
      return value.is_known() ? host_value::of_integer(value.is_true()) : value;
    }
    default: (void)evaluate(source); return {};
  }
}

host_value host_run::evaluate_logical(const clang::BinaryOperator* operation) {
  const bool decides = operation->getOpcode() == clang::BO_LOr;  // the value that decides it
  const host_value left = evaluate(operation->getLHS());
  if (left.is_known() && left.is_true() == decides) return host_value::of_integer(decides);
  const host_value right = evaluate(operation->getRHS());
  if (!left.is_known()) forget_written(operation->getRHS());  // it may not have been evaluated
  if (right.is_known() && right.is_true() == decides) return host_value::of_integer(decides);
  return left.is_known() && right.is_known() ? host_value::of_integer(!decides) : host_value{};
}

host_value host_run::evaluate_binary(const clang::BinaryOperator* operation) {
  const clang::BinaryOperatorKind kind = operation->getOpcode();
  if (operation->isLogicalOp()) return evaluate_logical(operation);
  if (operation->isAssignmentOp()) return evaluate_assignment(operation);
  if (kind == clang::BO_Comma) {
    (void)evaluate(operation->getLHS());
    return evaluate(operation->getRHS());
  }
  const host_value left = evaluate(operation->getLHS()), right = evaluate(operation->getRHS());
  if (operation->getType()->isPointerType()) {
    const bool is_first = operation->getLHS()->getType()->isPointerType();
    const host_value& distance = is_first ? right : left;
    if (distance.is != host_value::kind::integer) return {};
    return moved(is_first ? left : right,
                 kind == clang::BO_Sub ? -distance.integer : distance.integer);
  }
  return converted(combined(kind, left, right, operation->getLHS()->getType(), context_),
                   operation->getType(), context_);
}

host_value host_run::evaluate_assignment(const clang::BinaryOperator* operation) {
  const clang::QualType type = operation->getLHS()->getType();
  const host_value right = evaluate(operation->getRHS());
  const std::optional<host_cell> target = locate(operation->getLHS());
  host_value value = right;
  if (const auto* const compound = llvm::dyn_cast<clang::CompoundAssignOperator>(operation)) {
    const auto kind = clang::BinaryOperator::getOpForCompoundAssignment(operation->getOpcode());
    const clang::QualType common_type = compound->getComputationLHSType();
    const host_value previous = target ? read(*target) : host_value{};
    if (type->isPointerType())
      value = right.is != host_value::kind::integer
                  ? host_value{}
                  : moved(previous, kind == clang::BO_Sub ? -right.integer : right.integer);
    else
      value =
          combined(kind,
                   converted(common_type->isRealFloatingType() ? as_real(previous, type) : previous,
                             common_type, context_),
                   right, common_type, context_);
  }
  value = converted(value, type, context_);
  if (target)
    write(*target, value);
  else
    forget_written(operation);
  return value;
}

host_value host_run::evaluate_unary(const clang::UnaryOperator* operation) {
  const clang::Expr* const operand = operation->getSubExpr();
  if (operation->isIncrementDecrementOp()) return evaluate_step(operation);
  switch (operation->getOpcode()) {
    case clang::UO_AddrOf:
      if (const std::optional<host_cell> cell = locate(operand)) {
        note_addressed(cell);
        return host_value::of_place(*cell);
      }
      return {};
    case clang::UO_Deref:
      if (const std::optional<host_cell> cell = locate(operation)) return read(*cell);
      return {};
    case clang::UO_LNot: {
      const host_value value = evaluate(operand);
      return value.is_known() ? host_value::of_integer(!value.is_true()) : value;
    }
    case clang::UO_Plus: return evaluate(operand);
    case clang::UO_Minus:
    case clang::UO_Not: {
      host_value value = evaluate(operand);
      if (!value.is_number()) return {};
      if (value.is == host_value::kind::real) return host_value::of_real(-value.real);
      const auto bits = static_cast<unsigned long long>(value.integer);
      value.integer =
          static_cast<long long>(operation->getOpcode() == clang::UO_Minus ? 0 - bits : ~bits);
      return converted(value, operation->getType(), context_);
    }
    case clang::UO_Extension: return evaluate(operand);
    default: forget_written(operation); return {};
  }
}

// ++ and --
host_value host_run::evaluate_step(const clang::UnaryOperator* operation) {
  const clang::QualType type = operation->getSubExpr()->getType();
  const std::optional<host_cell> cell = locate(operation->getSubExpr());
  if (!cell) {
    forget_written(operation);
    return {};
  }
  const host_value previous = read(*cell);
  const host_value changed =
      type->isPointerType()
          ? moved(previous, operation->isIncrementOp() ? 1 : -1)
          : converted(combined(operation->isIncrementOp() ? clang::BO_Add : clang::BO_Sub, previous,
                               host_value::of_integer(1), type, context_),
                      type, context_);
  write(*cell, changed);
  return operation->isPrefix() ? changed : previous;
}

}  // namespace compiled
