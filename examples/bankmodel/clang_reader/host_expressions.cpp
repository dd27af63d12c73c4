// SPDX-License-Identifier: MIT
// Expressions of host code that is followed to a launch, and what they write.
#include <algorithm>

#include "host_run.hpp"

namespace compiled {

namespace {

constexpr std::size_t most_calls = 32;  // inside one another
constexpr unsigned most_elements = 256;

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
    if (inner == of) return of;
    of = inner;
  }
}

const clang::FieldDecl* field_of(const clang::MemberExpr* of) {
  return llvm::dyn_cast<clang::FieldDecl>(of->getMemberDecl());
}

}  // namespace

host_value host_run::read(const host_cell& cell) {
  const clang::VarDecl* const variable = cell.variable;
  if (variable != nullptr && variable->hasGlobalStorage() && initialized_.insert(variable).second)
    if (const clang::Expr* const with = variable->getAnyInitializer();
        with != nullptr && !variable->getType()->isReferenceType() && !with->isValueDependent())
      initialize({variable, {}}, variable->getType(), with);
  const auto found = cells_.find(cell);
  if (found != cells_.end()) return found->second;
  const auto required = required_.find(variable);
  return required == required_.end() || !cell.path.empty()
             ? host_value{}
             : converted(required->second, variable->getType(), context_);
}

void host_run::write(const host_cell& cell, const host_value& value) {
  (void)read(cell);  // a variable's other members keep their first values
  const auto required = required_.find(cell.variable);
  if (required != required_.end())
    cells_[cell] = converted(required->second, cell.variable->getType(), context_);
  else if (value.is_known())
    cells_[cell] = value;
  else
    cells_.erase(cell);
}

void host_run::forget(const clang::VarDecl* variable) {
  if (variable == nullptr) return;
  initialized_.insert(variable);
  const auto first = cells_.lower_bound({variable, {}});
  auto last = first;
  while (last != cells_.end() && last->first.variable == variable) ++last;
  cells_.erase(first, last);
}

void host_run::copy(const host_cell& to, const host_cell& from) {
  (void)read(from);
  std::vector<std::pair<host_cell, host_value>> made;
  for (auto at = cells_.lower_bound(from); at != cells_.end(); ++at) {
    const std::vector<long long>& path = at->first.path;
    if (at->first.variable != from.variable || path.size() < from.path.size() ||
        !std::equal(from.path.begin(), from.path.end(), path.begin()))
      break;
    host_cell cell = to;
    cell.path.insert(cell.path.end(), path.begin() + static_cast<long>(from.path.size()),
                     path.end());
    made.emplace_back(std::move(cell), at->second);
  }
  for (auto& [cell, value] : made)
    if (required_.count(cell.variable) == 0) cells_[cell] = std::move(value);
}

void host_run::initialize(const host_cell& cell, clang::QualType type, const clang::Expr* with) {
  with = without_wrappers(with);
  if (with->containsErrors() || with->isValueDependent()) return forget_addressed(with);
  if (const auto* const list = llvm::dyn_cast<clang::InitListExpr>(with);
      list != nullptr && (type->isRecordType() || type->isArrayType())) {
    for (unsigned at = 0; at < list->getNumInits() && at < most_elements; ++at)
      if (list->getInit(at) != nullptr)
        initialize(cell.part(at), list->getInit(at)->getType(), list->getInit(at));
    return;
  }
  if (!type->isRecordType()) {
    if (type->isArrayType()) return;
    write(cell, converted(evaluate(with), type, context_));
    return;
  }
  if (const auto* const cast = llvm::dyn_cast<clang::CastExpr>(with))
    return initialize(cell, type, cast->getSubExpr());
  if (const auto* const made = llvm::dyn_cast<clang::CXXConstructExpr>(with))
    return construct(cell, made);
  if (const auto* const call = llvm::dyn_cast<clang::CallExpr>(with)) {
    (void)evaluate_call(call, cell);
    return;
  }
  if (const std::optional<host_cell> from = locate(with)) copy(cell, *from);
}

void host_run::construct(const host_cell& cell, const clang::CXXConstructExpr* made) {
  const clang::CXXConstructorDecl* how = made->getConstructor();
  if (how->isCopyOrMoveConstructor() && made->getNumArgs() >= 1) {
    const clang::Expr* const from = made->getArg(0);
    if (const std::optional<host_cell> found = locate(from))
      copy(cell, *found);
    else
      initialize(cell, made->getType(), from);
    return;
  }
  const clang::FunctionDecl* body = nullptr;
  if (!how->hasBody(body) || running_.count(body) != 0) return;
  how = llvm::cast<clang::CXXConstructorDecl>(body);
  bind_all(how, {made->getArgs(), made->getNumArgs()});
  running_.insert(body);
  for (const clang::CXXCtorInitializer* const each : how->inits())
    if (const clang::FieldDecl* const field = each->getMember())
      initialize(cell.part(field->getFieldIndex()), field->getType(), each->getInit());
  running_.erase(body);
}

std::optional<host_cell> host_run::locate_element(const clang::ArraySubscriptExpr* of) {
  const host_value number = evaluate(of->getIdx());
  const host_value base = evaluate(of->getBase());
  if (number.is != host_value::kind::integer || base.is != host_value::kind::place ||
      base.place.path.empty())
    return std::nullopt;
  host_cell result = base.place;
  result.path.back() += number.integer;
  return result;
}

std::optional<host_cell> host_run::locate(const clang::Expr* of) {
  of = without_wrappers(of);
  if (const auto* const named = llvm::dyn_cast<clang::DeclRefExpr>(of)) {
    const auto* const variable = llvm::dyn_cast<clang::VarDecl>(named->getDecl());
    if (variable == nullptr) return std::nullopt;
    if (!variable->getType()->isReferenceType()) return host_cell{variable, {}};
    const auto found = references_.find(variable);
    return found == references_.end() ? std::nullopt : std::optional(found->second);
  }
  if (const auto* const member = llvm::dyn_cast<clang::MemberExpr>(of)) {
    if (const auto* const variable = llvm::dyn_cast<clang::VarDecl>(member->getMemberDecl()))
      return host_cell{variable, {}};
    const clang::FieldDecl* const field = field_of(member);
    if (field == nullptr) return std::nullopt;
    std::optional<host_cell> base;
    if (!member->isArrow()) {
      base = locate(member->getBase());
      if (!base && member->getBase()->getType()->isRecordType()) {
        base = temporary();
        initialize(*base, member->getBase()->getType(), member->getBase());
      }
    } else if (const host_value to = evaluate(member->getBase());
               to.is == host_value::kind::place) {
      base = to.place;
      // A pointer to a variable points to the first element of one.
      if (!base->path.empty() && base->path.back() == 0) base->path.pop_back();
    }
    if (!base) return std::nullopt;
    return base->part(field->getFieldIndex());
  }
  if (const auto* const element = llvm::dyn_cast<clang::ArraySubscriptExpr>(of))
    return locate_element(element);
  if (const auto* const unary = llvm::dyn_cast<clang::UnaryOperator>(of)) {
    if (unary->getOpcode() == clang::UO_Deref)
      if (const host_value to = evaluate(unary->getSubExpr()); to.is == host_value::kind::place)
        return to.place;
    if (unary->isPrefix() && unary->isIncrementDecrementOp()) {
      (void)evaluate(unary);
      return locate(unary->getSubExpr());
    }
    return std::nullopt;
  }
  if (const auto* const cast = llvm::dyn_cast<clang::CastExpr>(of))
    return cast->getCastKind() == clang::CK_NoOp || cast->getCastKind() == clang::CK_DerivedToBase
               ? locate(cast->getSubExpr())
               : std::nullopt;
  if (const auto* const binary = llvm::dyn_cast<clang::BinaryOperator>(of)) {
    // if ((n = atoi(argv[1])) < 1)
    host_value written;
    if (binary->isAssignmentOp()) return assign(binary, written);
    if (binary->getOpcode() != clang::BO_Comma) return std::nullopt;
    (void)evaluate(binary->getLHS());
    return locate(binary->getRHS());
  }
  if (const auto* const either = llvm::dyn_cast<clang::ConditionalOperator>(of)) {
    const host_value condition = evaluate(either->getCond());
    if (condition.is_known())
      return locate(condition.is_true() ? either->getTrueExpr() : either->getFalseExpr());
    forget_written(either);
    return std::nullopt;
  }
  if (const auto* const call = llvm::dyn_cast<clang::CallExpr>(of);
      call != nullptr && call->isLValue()) {
    returned_.reset();
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
    forget_addressed(of);
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
  if (const auto* const call = llvm::dyn_cast<clang::CallExpr>(of)) {
    const host_cell result = temporary();
    return evaluate_call(call, result);
  }
  if (const auto* const either = llvm::dyn_cast<clang::ConditionalOperator>(of)) {
    const host_value condition = evaluate(either->getCond());
    if (condition.is_known())
      return evaluate(condition.is_true() ? either->getTrueExpr() : either->getFalseExpr());
    forget_written(either);
    return {};
  }
  if (const auto* const text = llvm::dyn_cast<clang::StringLiteral>(of))
    return text->getCharByteWidth() == 1 ? host_value::of_text(text->getString().str())
                                         : host_value{};
  if (of->isGLValue()) {
    const std::optional<host_cell> cell = locate(of);
    if (cell)
      if (const host_value value = read(*cell); value.is_known()) return value;
  }
  if (of->getType()->isRecordType()) {
    initialize(temporary(), of->getType(), of);
    return {};
  }
  clang::Expr::EvalResult value;
  if (of->isPRValue() && of->getType()->isIntegralOrEnumerationType() &&
      of->EvaluateAsInt(value, context_))
    return host_value::of(value.Val.getInt().getExtValue());
  if (const auto* const real = llvm::dyn_cast<clang::FloatingLiteral>(of))
    return host_value::of_real(real->getValueAsApproximateDouble());
  if (const auto* const named = llvm::dyn_cast<clang::DeclRefExpr>(of))
    if (const auto* const one = llvm::dyn_cast<clang::EnumConstantDecl>(named->getDecl()))
      return host_value::of(one->getInitVal().getExtValue());
  return {};
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
      if (const std::optional<host_cell> cell = locate(from))
        return host_value::of_place(cell->part(0));
      return llvm::isa<clang::StringLiteral>(from->IgnoreParens()) ? evaluate(from) : host_value{};
    case clang::CK_NullToPointer: return host_value::of(0);
    case clang::CK_NoOp:
    case clang::CK_BitCast: return evaluate(from);
    case clang::CK_IntegralCast:
    case clang::CK_IntegralToBoolean:
    case clang::CK_FloatingToBoolean:
    case clang::CK_IntegralToFloating:
    case clang::CK_FloatingToIntegral:
    case clang::CK_FloatingCast: return converted(evaluate(from), cast->getType(), context_);
    case clang::CK_PointerToBoolean: {
      const host_value value = evaluate(from);
      return value.is_known() ? host_value::of(value.is_true()) : value;
    }
    default: (void)evaluate(from); return {};
  }
}

host_value host_run::evaluate_binary(const clang::BinaryOperator* of) {
  const clang::BinaryOperatorKind what = of->getOpcode();
  if (what == clang::BO_LAnd || what == clang::BO_LOr) {
    const host_value left = evaluate(of->getLHS());
    if (left.is_known() && left.is_true() == (what == clang::BO_LOr))
      return host_value::of(what == clang::BO_LOr);
    const host_value right = evaluate(of->getRHS());
    if (right.is_known() && right.is_true() == (what == clang::BO_LOr))
      return host_value::of(what == clang::BO_LOr);
    return left.is_known() && right.is_known() ? host_value::of(what == clang::BO_LAnd)
                                               : host_value{};
  }
  if (what == clang::BO_Comma) {
    (void)evaluate(of->getLHS());
    return evaluate(of->getRHS());
  }
  if (of->isAssignmentOp()) {
    host_value value;
    (void)assign(of, value);
    return value;
  }
  const host_value right = evaluate(of->getRHS());
  return converted(combined(what, evaluate(of->getLHS()), right, of->getLHS()->getType(), context_),
                   of->getType(), context_);
}

// `value` becomes what is written. Returns where; nothing if that is unknown.
std::optional<host_cell> host_run::assign(const clang::BinaryOperator* of, host_value& value) {
  const clang::BinaryOperatorKind what = of->getOpcode();
  const std::optional<host_cell> to = locate(of->getLHS());
  const host_value right = evaluate(of->getRHS());
  value = right;
  if (const auto* const compound = llvm::dyn_cast<clang::CompoundAssignOperator>(of)) {
    const clang::QualType on = compound->getComputationLHSType();
    const host_value left = to ? converted(read(*to), on, context_) : host_value{};
    value = combined(clang::BinaryOperator::getOpForCompoundAssignment(what), left, right, on,
                     context_);
  }
  value = converted(value, of->getLHS()->getType(), context_);
  if (to)
    write(*to, value);
  else
    forget_written(of);
  return to;
}

host_value host_run::evaluate_unary(const clang::UnaryOperator* of) {
  const clang::Expr* const from = of->getSubExpr();
  switch (of->getOpcode()) {
    case clang::UO_AddrOf:
      if (const std::optional<host_cell> cell = locate(from)) return host_value::of_place(*cell);
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
    default: break;
  }
  if (!of->isIncrementDecrementOp()) return {};
  const std::optional<host_cell> cell = locate(from);
  if (!cell) {
    forget_written(of);
    return {};
  }
  const host_value before = read(*cell);
  const host_value after = converted(combined(of->isIncrementOp() ? clang::BO_Add : clang::BO_Sub,
                                              before, host_value::of(1), from->getType(), context_),
                                     from->getType(), context_);
  write(*cell, after);
  return of->isPrefix() ? after : before;
}

// `result` gets what the function returns.
host_value host_run::evaluate_call(const clang::CallExpr* call, const host_cell& result) {
  const clang::FunctionDecl* const function = call->getDirectCallee();
  const clang::FunctionDecl* body = nullptr;
  if (const auto* const member = llvm::dyn_cast<clang::CXXOperatorCallExpr>(call);
      member != nullptr && call->getNumArgs() == 2 && member->getOperator() == clang::OO_Equal &&
      call->getArg(0)->getType()->isRecordType()) {
    if (const std::optional<host_cell> to = locate(call->getArg(0))) {
      const host_cell made = temporary();
      initialize(made, call->getArg(1)->getType(), call->getArg(1));
      for (long long at = 0; at < 8; ++at) write(to->part(at), {});
      copy(*to, made);
      returned_ = to;
    }
    return {};
  }
  const bool is_plain = function != nullptr && !llvm::isa<clang::CXXMethodDecl>(function);
  // One of the program's own is run: its arguments are evaluated once.
  const bool is_known = is_plain && function->getIdentifier() != nullptr &&
                        (!function->hasBody() ||
                         context_.getSourceManager().isInSystemHeader(function->getLocation()));
  if (is_known) {
    std::vector<host_value> given;
    if (call->getNumArgs() <= 3)
      for (const clang::Expr* const each : call->arguments())
        if (each->getType()->isArithmeticType() || each->getType()->isPointerType())
          given.push_back(evaluate(each));
    if (!given.empty() && given.size() == call->getNumArgs()) {
      const host_value value = called(function->getName(), given);
      if (value.is_known()) return converted(value, call->getType(), context_);
      const auto changes = [&](const clang::Expr* one) { return one->HasSideEffects(context_); };
      if (std::any_of(call->arg_begin(), call->arg_end(), changes)) {
        forget_written(call);
        return {};
      }
    }
  }
  if (!is_plain || !function->hasBody(body) || running_.count(body) != 0 ||
      running_.size() > most_calls) {
    forget_written(call);
    return {};
  }
  bind_all(body, {call->getArgs(), call->getNumArgs()});
  running_.insert(body);
  const std::optional<host_cell> outer = returns_to_;
  returns_to_ = result;
  returned_.reset();
  (void)run(body->getBody());
  returns_to_ = outer;
  running_.erase(body);
  if (call->getType()->isVoidType() || call->isLValue())
    return returned_ && call->isLValue() ? read(*returned_) : host_value{};
  return read(result);
}

std::vector<host_value> host_run::members(const clang::Expr* of, unsigned count) {
  const host_cell made = temporary();
  initialize(made, of->getType(), of);
  std::vector<host_value> result;
  for (unsigned at = 0; at < count; ++at) result.push_back(read(made.part(at)));
  return result;
}

host_value host_run::element(const host_value& pointer, long long number) {
  if (pointer.is != host_value::kind::place) return {};
  host_cell cell = pointer.place;
  if (cell.path.empty()) return number == 0 ? read(cell) : host_value{};
  cell.path.back() += number;
  return read(cell);
}

}  // namespace compiled
