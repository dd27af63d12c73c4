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

const clang::Expr* without_wrappers(const clang::Expr* of) {
  for (;;) {
    const clang::Expr* inner = of->IgnoreParens();
    if (const auto* const cleanups = llvm::dyn_cast<clang::ExprWithCleanups>(inner))
      inner = cleanups->getSubExpr();
    else if (const auto* const made = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(inner))
      inner = made->getSubExpr();
    else if (const auto* const bound = llvm::dyn_cast<clang::CXXBindTemporaryExpr>(inner))
      inner = bound->getSubExpr();
    else if (const auto* const given = llvm::dyn_cast<clang::CXXDefaultArgExpr>(inner))
      inner = given->getExpr();
    else if (const auto* const member = llvm::dyn_cast<clang::CXXDefaultInitExpr>(inner))
      inner = member->getExpr();
    else if (const auto* const constant = llvm::dyn_cast<clang::ConstantExpr>(inner))
      inner = constant->getSubExpr();
    else if (const auto* const put = llvm::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(inner))
      inner = put->getReplacement();
    else if (const auto* const call = llvm::dyn_cast<clang::CallExpr>(inner);
             call != nullptr && is_its_argument(*call))
      inner = call->getArg(0);
    if (inner == of) return of;
    of = inner;
  }
}

bool makes_an_object(const clang::Expr* of) {
  for (;;) {
    of = without_wrappers(of);
    const auto* const cast = llvm::dyn_cast<clang::ImplicitCastExpr>(of);
    if (cast == nullptr || !cast->isGLValue()) return of->isPRValue();
    of = cast->getSubExpr();
  }
}

std::optional<host_cell> host_run::locate_element(const clang::ArraySubscriptExpr* of) {
  const auto* const decay = llvm::dyn_cast<clang::CastExpr>(of->getBase()->IgnoreParens());
  host_value base;
  if (decay != nullptr && decay->getCastKind() == clang::CK_ArrayToPointerDecay) {
    if (const std::optional<host_cell> array = locate(decay->getSubExpr()))
      base = host_value::of_place(array->part(0));
  } else {
    base = evaluate(of->getBase());
  }
  const host_value number = evaluate(of->getIdx());
  if (number.is != host_value::kind::integer) return std::nullopt;
  return pointee(moved(base, number.integer), of->getType());
}

std::optional<host_cell> host_run::locate_member(const clang::MemberExpr* of) {
  if (const auto* const variable = llvm::dyn_cast<clang::VarDecl>(of->getMemberDecl()))
    return variable->getType()->isReferenceType() ? std::nullopt
                                                  : std::optional(host_cell{variable, {}});
  const auto* const field = llvm::dyn_cast<clang::FieldDecl>(of->getMemberDecl());
  const clang::Expr* const object = of->getBase();
  std::optional<host_cell> base;
  if (of->isArrow()) {
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

std::optional<host_cell> host_run::locate(const clang::Expr* of) {
  of = without_wrappers(of);
  if (of->containsErrors()) return std::nullopt;
  if (const auto* const named = llvm::dyn_cast<clang::DeclRefExpr>(of)) {
    const auto* const variable = llvm::dyn_cast<clang::VarDecl>(named->getDecl());
    if (variable == nullptr) return std::nullopt;
    if (!variable->getType()->isReferenceType()) return host_cell{variable, {}};
    const auto found = references_.find(variable);
    return found == references_.end() ? std::nullopt : std::optional(found->second);
  }
  if (const auto* const member = llvm::dyn_cast<clang::MemberExpr>(of))
    return locate_member(member);
  if (const auto* const element = llvm::dyn_cast<clang::ArraySubscriptExpr>(of))
    return locate_element(element);
  if (const auto* const unary = llvm::dyn_cast<clang::UnaryOperator>(of)) {
    if (unary->getOpcode() == clang::UO_Deref)
      return pointee(evaluate(unary->getSubExpr()), of->getType());
    if (unary->isPrefix() && unary->isIncrementDecrementOp()) {
      (void)evaluate(unary);
      return locate(unary->getSubExpr());
    }
    return std::nullopt;
  }
  if (const auto* const both = llvm::dyn_cast<clang::BinaryOperator>(of);
      both != nullptr && both->isAssignmentOp()) {
    (void)evaluate_assignment(both);
    return locate(both->getLHS());
  }
  if (const auto* const comma = llvm::dyn_cast<clang::BinaryOperator>(of);
      comma != nullptr && comma->getOpcode() == clang::BO_Comma) {
    (void)evaluate(comma->getLHS());
    return locate(comma->getRHS());
  }
  if (const auto* const either = llvm::dyn_cast<clang::ConditionalOperator>(of)) {
    const host_value condition = evaluate(either->getCond());
    if (condition.is_known())
      return locate(condition.is_true() ? either->getTrueExpr() : either->getFalseExpr());
    forget_written(either->getTrueExpr());
    forget_written(either->getFalseExpr());
    return std::nullopt;
  }
  if (const auto* const cast = llvm::dyn_cast<clang::CastExpr>(of); cast != nullptr) {
    if (!cast->getSubExpr()->isGLValue()) return std::nullopt;
    if (cast->getCastKind() == clang::CK_NoOp) return locate(cast->getSubExpr());
    if (cast->getCastKind() != clang::CK_DerivedToBase &&
        cast->getCastKind() != clang::CK_UncheckedDerivedToBase)
      return std::nullopt;
    const std::optional<host_cell> result = locate(cast->getSubExpr());
    return result ? base_of(*result, cast) : std::nullopt;
  }
  if (const auto* const call = llvm::dyn_cast<clang::CallExpr>(of);
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

host_value host_run::evaluate(const clang::Expr* of) {
  of = without_wrappers(of);
  if (of->isValueDependent() || of->isTypeDependent() || of->containsErrors()) {
    forget_written(of);
    return {};
  }
  if (const auto* const integer = llvm::dyn_cast<clang::IntegerLiteral>(of))
    return converted(host_value::of(static_cast<long long>(integer->getValue().getZExtValue())),
                     of->getType(), context_);
  if (const auto* const cast = llvm::dyn_cast<clang::CastExpr>(of)) return evaluate_cast(cast);
  if (const auto* const binary = llvm::dyn_cast<clang::BinaryOperator>(of))
    return evaluate_binary(binary);
  if (const auto* const unary = llvm::dyn_cast<clang::UnaryOperator>(of))
    return evaluate_unary(unary);
  if (const auto* const call = llvm::dyn_cast<clang::CallExpr>(of))
    return evaluate_call(call, temporary());
  if (const auto* const either = llvm::dyn_cast<clang::ConditionalOperator>(of)) {
    const host_value condition = evaluate(either->getCond());
    if (condition.is_known())
      return evaluate(condition.is_true() ? either->getTrueExpr() : either->getFalseExpr());
    forget_written(either->getTrueExpr());
    forget_written(either->getFalseExpr());
    return {};
  }
  if (const auto* const text = llvm::dyn_cast<clang::StringLiteral>(of))
    return text->getCharByteWidth() == 1 ? host_value::of_text(text->getString().str())
                                         : host_value{};
  if (llvm::isa<clang::CXXThisExpr>(of)) return this_ ? host_value::of_place(*this_) : host_value{};
  if (const auto* const list = llvm::dyn_cast<clang::InitListExpr>(of);
      list != nullptr && list->getNumInits() == 1 && !of->getType()->isRecordType())
    return evaluate(list->getInit(0));
  if (of->isGLValue()) {
    const std::optional<host_cell> cell = locate(of);
    return cell ? read(*cell) : host_value{};
  }
  if (of->getType()->isRecordType()) {
    initialize(temporary(), of->getType(), of);
    return {};
  }
  clang::Expr::EvalResult value;
  if (of->getType()->isIntegralOrEnumerationType() && of->EvaluateAsInt(value, context_))
    return host_value::of(value.Val.getInt().getExtValue());
  if (const auto* const real = llvm::dyn_cast<clang::FloatingLiteral>(of))
    return host_value::of_real(real->getValueAsApproximateDouble());
  if (const auto* const named = llvm::dyn_cast<clang::DeclRefExpr>(of)) {
    const auto* const one = llvm::dyn_cast<clang::EnumConstantDecl>(named->getDecl());
    return one == nullptr ? host_value{} : host_value::of(one->getInitVal().getExtValue());
  }
  forget_written(of);
  return llvm::isa<clang::CXXNewExpr>(of) ? host_value::of_heap() : host_value{};
}

host_value host_run::evaluate_cast(const clang::CastExpr* cast) {
  const clang::Expr* const from = cast->getSubExpr();
  switch (cast->getCastKind()) {
    case clang::CK_LValueToRValue: {
      const std::optional<host_cell> cell = locate(from);
      if (cell)
        if (const host_value value = read(*cell); value.is_known()) return value;
      clang::Expr::EvalResult value;
      if (from->getType().isConstQualified() && from->getType()->isIntegralOrEnumerationType() &&
          cast->EvaluateAsInt(value, context_))
        return host_value::of(value.Val.getInt().getExtValue());
      return {};
    }
    case clang::CK_ArrayToPointerDecay:
      if (const std::optional<host_cell> cell = locate(from)) {
        note_addressed(cell);
        return host_value::of_place(cell->part(0));
      }
      return llvm::isa<clang::StringLiteral>(from->IgnoreParens()) ? evaluate(from) : host_value{};
    case clang::CK_NullToPointer: return host_value::of(0);
    case clang::CK_NoOp:
    case clang::CK_BitCast: return evaluate(from);
    case clang::CK_IntegralToFloating:
      return converted(as_real(evaluate(from), from->getType()), cast->getType(), context_);
    case clang::CK_IntegralCast:
    case clang::CK_IntegralToBoolean:
    case clang::CK_FloatingToBoolean:
    case clang::CK_FloatingToIntegral:
    case clang::CK_FloatingCast: return converted(evaluate(from), cast->getType(), context_);
    case clang::CK_DerivedToBase:
    case clang::CK_UncheckedDerivedToBase: {
      const host_value object = evaluate(from);
      if (object.is != host_value::kind::place) return {};
      const std::optional<host_cell> base = base_of(object.place, cast);
      return base ? host_value::of_place(*base) : host_value{};
    }
    case clang::CK_PointerToBoolean: {
      const host_value value = evaluate(from);
      return value.is_known() ? host_value::of(value.is_true()) : value;
    }
    default: (void)evaluate(from); return {};
  }
}

host_value host_run::evaluate_logical(const clang::BinaryOperator* of) {
  const bool decides = of->getOpcode() == clang::BO_LOr;  // the value that decides it
  const host_value left = evaluate(of->getLHS());
  if (left.is_known() && left.is_true() == decides) return host_value::of(decides);
  const host_value right = evaluate(of->getRHS());
  if (!left.is_known()) forget_written(of->getRHS());  // it may not have been evaluated
  if (right.is_known() && right.is_true() == decides) return host_value::of(decides);
  return left.is_known() && right.is_known() ? host_value::of(!decides) : host_value{};
}

host_value host_run::evaluate_binary(const clang::BinaryOperator* of) {
  const clang::BinaryOperatorKind what = of->getOpcode();
  if (of->isLogicalOp()) return evaluate_logical(of);
  if (of->isAssignmentOp()) return evaluate_assignment(of);
  if (what == clang::BO_Comma) {
    (void)evaluate(of->getLHS());
    return evaluate(of->getRHS());
  }
  const host_value left = evaluate(of->getLHS()), right = evaluate(of->getRHS());
  if (of->getType()->isPointerType()) {
    const bool is_first = of->getLHS()->getType()->isPointerType();
    const host_value& by = is_first ? right : left;
    if (by.is != host_value::kind::integer) return {};
    return moved(is_first ? left : right, what == clang::BO_Sub ? -by.integer : by.integer);
  }
  return converted(combined(what, left, right, of->getLHS()->getType(), context_), of->getType(),
                   context_);
}

host_value host_run::evaluate_assignment(const clang::BinaryOperator* of) {
  const clang::QualType type = of->getLHS()->getType();
  const host_value right = evaluate(of->getRHS());
  const std::optional<host_cell> to = locate(of->getLHS());
  host_value value = right;
  if (const auto* const compound = llvm::dyn_cast<clang::CompoundAssignOperator>(of)) {
    const auto what = clang::BinaryOperator::getOpForCompoundAssignment(of->getOpcode());
    const clang::QualType on = compound->getComputationLHSType();
    const host_value before = to ? read(*to) : host_value{};
    if (type->isPointerType())
      value = right.is != host_value::kind::integer
                  ? host_value{}
                  : moved(before, what == clang::BO_Sub ? -right.integer : right.integer);
    else
      value = combined(
          what, converted(on->isRealFloatingType() ? as_real(before, type) : before, on, context_),
          right, on, context_);
  }
  value = converted(value, type, context_);
  if (to)
    write(*to, value);
  else
    forget_written(of);
  return value;
}

host_value host_run::evaluate_unary(const clang::UnaryOperator* of) {
  const clang::Expr* const from = of->getSubExpr();
  if (of->isIncrementDecrementOp()) return evaluate_step(of);
  switch (of->getOpcode()) {
    case clang::UO_AddrOf:
      if (const std::optional<host_cell> cell = locate(from)) {
        note_addressed(cell);
        return host_value::of_place(*cell);
      }
      return {};
    case clang::UO_Deref:
      if (const std::optional<host_cell> cell = locate(of)) return read(*cell);
      return {};
    case clang::UO_LNot: {
      const host_value value = evaluate(from);
      return value.is_known() ? host_value::of(!value.is_true()) : value;
    }
    case clang::UO_Plus: return evaluate(from);
    case clang::UO_Minus:
    case clang::UO_Not: {
      host_value value = evaluate(from);
      if (!value.is_number()) return {};
      if (value.is == host_value::kind::real) return host_value::of_real(-value.real);
      const auto bits = static_cast<unsigned long long>(value.integer);
      value.integer = static_cast<long long>(of->getOpcode() == clang::UO_Minus ? 0 - bits : ~bits);
      return converted(value, of->getType(), context_);
    }
    case clang::UO_Extension: return evaluate(from);
    default: forget_written(of); return {};
  }
}

// ++ and --
host_value host_run::evaluate_step(const clang::UnaryOperator* of) {
  const clang::QualType type = of->getSubExpr()->getType();
  const std::optional<host_cell> cell = locate(of->getSubExpr());
  if (!cell) {
    forget_written(of);
    return {};
  }
  const host_value before = read(*cell);
  const host_value after =
      type->isPointerType()
          ? moved(before, of->isIncrementOp() ? 1 : -1)
          : converted(combined(of->isIncrementOp() ? clang::BO_Add : clang::BO_Sub, before,
                               host_value::of(1), type, context_),
                      type, context_);
  write(*cell, after);
  return of->isPrefix() ? after : before;
}

}  // namespace compiled
