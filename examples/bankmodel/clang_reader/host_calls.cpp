// SPDX-License-Identifier: MIT
// Calls of functions and constructors in host code that is followed to a launch.
#include <algorithm>

#include "host_run.hpp"

namespace compiled {

namespace {

constexpr std::size_t most_calls = 32;  // inside one another

bool begins_with(llvm::StringRef name, const char* with) { return name.find(with) == 0; }

bool is_empty(const clang::Stmt* body) {
  const auto* const all = llvm::dyn_cast_or_null<clang::CompoundStmt>(body);
  return all != nullptr && all->body_empty();
}

// std::string, whose value is its text.
bool is_string(clang::QualType type) {
  const auto* const record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record != nullptr && record->isInStdNamespace() && record->getName() == "basic_string";
}

bool allocates(llvm::StringRef name) {
  return name == "malloc" || name == "calloc" || name == "realloc" || name == "aligned_alloc";
}

}  // namespace

void host_run::bind_all(const clang::FunctionDecl* function,
                        llvm::ArrayRef<const clang::Expr*> arguments) {
  // All arguments are evaluated before a parameter gets its value.
  std::vector<std::pair<const clang::ParmVarDecl*, std::optional<host_cell>>> made;
  for (unsigned at = 0; at < arguments.size(); ++at) {
    const clang::Expr* const argument = arguments[at];
    if (at >= function->getNumParams()) {  // of `...`
      (void)evaluate(argument);
      continue;
    }
    const clang::ParmVarDecl* const parameter = function->getParamDecl(at);
    std::optional<host_cell> cell;
    const bool is_reference = parameter->getType()->isReferenceType();
    if (is_reference) cell = locate(argument);
    if (!cell && (!is_reference || makes_an_object(argument))) {
      cell = temporary();
      initialize(*cell, parameter->getType().getNonReferenceType(), argument);
    }
    made.emplace_back(parameter, cell);
  }
  for (const auto& [parameter, cell] : made) {
    forget({parameter, {}});
    references_.erase(parameter);
    if (!cell) continue;
    if (parameter->getType()->isReferenceType())
      references_[parameter] = *cell;
    else
      copy({parameter, {}}, *cell);
  }
}

// Of an expression that is a std::string.
host_value host_run::text_of(const clang::Expr* of) {
  of = without_wrappers(of);
  if (const auto* const cast = llvm::dyn_cast<clang::CastExpr>(of);
      cast != nullptr && is_string(cast->getSubExpr()->getType()))
    return text_of(cast->getSubExpr());
  if (const auto* const made = llvm::dyn_cast<clang::CXXConstructExpr>(of)) {
    const clang::Expr* const with = made->getNumArgs() == 0 ? nullptr : made->getArg(0);
    if (with == nullptr) return host_value::of_text("");
    if (is_string(with->getType())) return text_of(with);
    const bool is_whole =  // the second argument is an allocator, and no number of characters
        made->getNumArgs() < 2 || llvm::isa<clang::CXXDefaultArgExpr>(made->getArg(1));
    return is_whole && with->getType()->isPointerType() ? evaluate(with) : host_value{};
  }
  if (!of->isGLValue()) return {};
  const std::optional<host_cell> cell = locate(of);
  return cell ? read(*cell) : host_value{};
}

// Returns whether the function came to its end.
bool host_run::run_body(const clang::FunctionDecl* body, const std::optional<host_cell>& object,
                        const std::optional<host_cell>& result) {
  running_.insert(body);
  const std::optional<host_cell> outer_result = returns_to_, outer_object = this_;
  returns_to_ = result;
  this_ = object;
  returned_.reset();
  ++calls_;
  const flow how = run(body->getBody());
  --calls_;
  returns_to_ = outer_result;
  this_ = outer_object;
  running_.erase(body);
  if (how == flow::next || how == flow::returns) return true;
  forget_written(body->getBody());
  if (result) forget(*result);
  if (object) forget(*object);
  returned_.reset();
  return false;
}

void host_run::construct(const host_cell& cell, const clang::CXXConstructExpr* made) {
  const clang::CXXConstructorDecl* how = made->getConstructor();
  if (is_string(made->getType())) {
    const host_value text = text_of(made);
    forget_written(made);
    return write(cell, text);
  }
  if (how->isCopyOrMoveConstructor() && !how->isUserProvided() && made->getNumArgs() >= 1) {
    const clang::Expr* const from = made->getArg(0);
    if (const std::optional<host_cell> found = locate(from))
      copy(cell, *found);
    else if (makes_an_object(from))
      initialize(cell, made->getType(), from);
    return;
  }
  const clang::FunctionDecl* body = nullptr;
  if (!how->hasBody(body) || running_.count(body) != 0 || running_.size() > most_calls ||
      (is_library(*how) && !is_empty(body->getBody())))
    return forget_written(made);
  how = llvm::cast<clang::CXXConstructorDecl>(body);
  bind_all(how, {made->getArgs(), made->getNumArgs()});
  const std::optional<host_cell> outer = this_;
  this_ = cell;
  running_.insert(body);
  for (const clang::CXXCtorInitializer* const each : how->inits()) {
    if (each->isDelegatingInitializer()) {
      initialize(cell, made->getType(), each->getInit());
    } else if (const clang::FieldDecl* const field = each->getMember()) {
      if (field->getType()->isReferenceType())
        note_addressed(locate(each->getInit()));
      else if (!field->getParent()->isUnion() && !field->isBitField())
        initialize(cell.part(field->getFieldIndex()), field->getType(), each->getInit());
      else
        forget_written(each->getInit());
    } else if (each->isBaseInitializer() && !each->isBaseVirtual()) {
      unsigned at = 0;
      for (const clang::CXXBaseSpecifier& base : how->getParent()->bases()) {
        const clang::QualType type = base.getType();
        if (context_.hasSameUnqualifiedType(type, clang::QualType(each->getBaseClass(), 0)))
          initialize(cell.part(host_cell::number_of_base(at)), type, each->getInit());
        ++at;
      }
    } else {
      forget_written(each->getInit());
    }
  }
  running_.erase(body);
  this_ = outer;
  (void)run_body(body, cell, std::nullopt);
}

// `=` of a structure as the compiler makes it.
bool host_run::assign_record(const clang::CXXOperatorCallExpr* call) {
  const auto* const method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(call->getDirectCallee());
  if (call->getOperator() != clang::OO_Equal || call->getNumArgs() != 2 || method == nullptr ||
      method->isUserProvided() ||
      (!method->isCopyAssignmentOperator() && !method->isMoveAssignmentOperator()))
    return false;
  const clang::Expr* const from = call->getArg(1);
  const host_cell made = temporary();
  if (const std::optional<host_cell> found = locate(from))
    copy(made, *found);
  else if (makes_an_object(from))
    initialize(made, from->getType(), from);
  const std::optional<host_cell> to = locate(call->getArg(0));
  if (!to) return false;
  (void)read(*to);
  auto last = cells_.lower_bound(*to);
  while (last != cells_.end() && last->first.variable == to->variable &&
         last->first.path.size() >= to->path.size() &&
         std::equal(to->path.begin(), to->path.end(), last->first.path.begin()))
    last = cells_.erase(last);
  copy(*to, made);
  returned_ = to;
  return true;
}

// Functions of the language's and the toolkit's headers.
host_value host_run::call_library(const clang::CallExpr* call,
                                  const clang::FunctionDecl& function) {
  clang::Expr::EvalResult constant;  // std::numeric_limits<int>::max()
  if (call->getType()->isIntegralOrEnumerationType() && call->isPRValue() &&
      call->EvaluateAsInt(constant, context_))
    return host_value::of(constant.Val.getInt().getExtValue());
  const auto* const of_object = llvm::dyn_cast<clang::CXXMemberCallExpr>(call);
  if (of_object != nullptr && function.getIdentifier() != nullptr &&
      (function.getName() == "c_str" || function.getName() == "data") &&
      is_string(of_object->getImplicitObjectArgument()->getType()))
    return text_of(of_object->getImplicitObjectArgument());
  if (function.getIdentifier() == nullptr || llvm::isa<clang::CXXMethodDecl>(function)) {
    forget_written(call);
    return {};
  }
  const llvm::StringRef name = function.getName();
  std::vector<host_value> given;
  bool are_values = true;
  for (const clang::Expr* const each : call->arguments())
    are_values = are_values && (each->getType()->isArithmeticType() ||
                                each->getType()->isPointerType() || is_string(each->getType()));
  // What they write is forgotten; arguments that write themselves are evaluated once.
  if (are_values && call->getNumArgs() <= 3)
    for (const clang::Expr* const each : call->arguments())
      given.push_back(is_string(each->getType()) ? text_of(each) : evaluate(each));
  const clang::QualType first = given.empty() ? clang::QualType() : call->getArg(0)->getType();
  host_value value;
  const bool is_integer_pair = given.size() == 2 && first->isIntegralOrEnumerationType() &&
                               given[0].is == host_value::kind::integer &&
                               given[1].is == host_value::kind::integer;
  if (is_integer_pair && (name == "min" || name == "max")) {
    const host_value less = combined(clang::BO_LT, given[0], given[1], first, context_);
    value = given[less.is_true() == (name == "min") ? 0 : 1];
  } else if (!given.empty()) {
    value = called(name, given);
  }
  for (unsigned at = 0; at < given.size(); ++at) {
    const bool is_constant =
        at < function.getNumParams() && function.getParamDecl(at)->getType()->isPointerType() &&
        function.getParamDecl(at)->getType()->getPointeeType().isConstQualified();
    if (given[at].is == host_value::kind::place && !is_constant) forget(given[at].place);
  }
  if (!value.is_known()) forget_written(call);
  if (value.is_known()) return converted(value, call->getType().getNonReferenceType(), context_);
  if (allocates(name)) return host_value::of_heap();
  const bool gives_memory = begins_with(name, "cudaMalloc") || begins_with(name, "hipMalloc") ||
                            begins_with(name, "hipHostMalloc") ||
                            begins_with(name, "cudaHostAlloc");
  if (gives_memory && !given.empty() && given[0].is == host_value::kind::place)
    write(given[0].place, host_value::of_heap());
  return {};
}

// `result` gets what the function returns.
host_value host_run::evaluate_call(const clang::CallExpr* call, const host_cell& result) {
  returned_.reset();
  if (llvm::isa<clang::CUDAKernelCallExpr>(call)) return {};
  const clang::FunctionDecl* const function = call->getDirectCallee();
  const auto* const of_operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(call);
  if (of_operator != nullptr && assign_record(of_operator)) return {};
  if (function != nullptr && is_library(*function)) {
    const host_value value = call_library(call, *function);
    returned_.reset();
    return value;
  }
  const auto* const method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(function);
  const auto* const of_object = llvm::dyn_cast<clang::CXXMemberCallExpr>(call);
  std::optional<host_cell> object;
  bool is_known = function != nullptr && (method == nullptr || method->isStatic());
  if (method != nullptr && of_object != nullptr && !method->isVirtual() &&
      !method->getParent()->isLambda() && !method->isStatic()) {
    const clang::Expr* const of = of_object->getImplicitObjectArgument();
    object = of->getType()->isPointerType() ? pointee(evaluate(of), of->getType()->getPointeeType())
                                            : locate(of);
    is_known = object.has_value();
  }
  const clang::FunctionDecl* body = nullptr;
  if (!is_known || !function->hasBody(body) || running_.count(body) != 0 ||
      running_.size() > most_calls) {
    forget_written(call);
    returned_.reset();
    return {};
  }
  bind_all(body, {call->getArgs(), call->getNumArgs()});
  if (!run_body(body, object, result)) return {};
  if (call->isGLValue()) return returned_ ? read(*returned_) : host_value{};
  returned_.reset();
  return call->getType()->isVoidType() ? host_value{} : read(result);
}

}  // namespace compiled
