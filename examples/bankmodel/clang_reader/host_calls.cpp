// SPDX-License-Identifier: MIT
// Calls of functions and constructors in host code that is followed to a launch.
#include <algorithm>

#include "host_run.hpp"

namespace compiled {

namespace {

constexpr std::size_t most_calls = 32;  // inside one another

bool begins_with(llvm::StringRef name, const char* prefix) { return name.find(prefix) == 0; }

bool is_empty(const clang::Stmt* body) {
  const auto* const block = llvm::dyn_cast_or_null<clang::CompoundStmt>(body);
  return block != nullptr && block->body_empty();
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
  std::vector<std::pair<const clang::ParmVarDecl*, std::optional<host_cell>>> bindings;
  for (unsigned position = 0; position < arguments.size(); ++position) {
    const clang::Expr* const argument = arguments[position];
    if (position >= function->getNumParams()) {  // of `...`
      (void)evaluate(argument);
      continue;
    }
    const clang::ParmVarDecl* const parameter = function->getParamDecl(position);
    std::optional<host_cell> cell;
    const bool is_reference = parameter->getType()->isReferenceType();
    if (is_reference) cell = locate(argument);
    if (!cell && (!is_reference || makes_an_object(argument))) {
      cell = temporary();
      initialize(*cell, parameter->getType().getNonReferenceType(), argument);
    }
    bindings.emplace_back(parameter, cell);
  }
  for (const auto& [parameter, cell] : bindings) {
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
host_value host_run::text_of(const clang::Expr* expression) {
  expression = without_wrappers(expression);
  if (const auto* const cast = llvm::dyn_cast<clang::CastExpr>(expression);
      cast != nullptr && is_string(cast->getSubExpr()->getType()))
    return text_of(cast->getSubExpr());
  if (const auto* const construction = llvm::dyn_cast<clang::CXXConstructExpr>(expression)) {
    const clang::Expr* const argument =
        construction->getNumArgs() == 0 ? nullptr : construction->getArg(0);
    if (argument == nullptr) return host_value::of_text("");
    if (is_string(argument->getType())) return text_of(argument);
    const bool is_whole =  // the second argument is an allocator, and no number of characters
        construction->getNumArgs() < 2 ||
        llvm::isa<clang::CXXDefaultArgExpr>(construction->getArg(1));
    return is_whole && argument->getType()->isPointerType() ? evaluate(argument) : host_value{};
  }
  if (!expression->isGLValue()) return {};
  const std::optional<host_cell> cell = locate(expression);
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
  const flow outcome = run(body->getBody());
  --calls_;
  returns_to_ = outer_result;
  this_ = outer_object;
  running_.erase(body);
  if (outcome == flow::next || outcome == flow::returns) return true;
  forget_written(body->getBody());
  if (result) forget(*result);
  if (object) forget(*object);
  returned_.reset();
  return false;
}

void host_run::construct(const host_cell& cell, const clang::CXXConstructExpr* construction) {
  const clang::CXXConstructorDecl* constructor = construction->getConstructor();
  if (is_string(construction->getType())) {
    const host_value text = text_of(construction);
    forget_written(construction);
    return write(cell, text);
  }
  if (constructor->isCopyOrMoveConstructor() && !constructor->isUserProvided() &&
      construction->getNumArgs() >= 1) {
    const clang::Expr* const source = construction->getArg(0);
    if (const std::optional<host_cell> source_cell = locate(source))
      copy(cell, *source_cell);
    else if (makes_an_object(source))
      initialize(cell, construction->getType(), source);
    return;
  }
  const clang::FunctionDecl* body = nullptr;
  if (!constructor->hasBody(body) || running_.count(body) != 0 || running_.size() > most_calls ||
      (is_library(*constructor) && !is_empty(body->getBody())))
    return forget_written(construction);
  constructor = llvm::cast<clang::CXXConstructorDecl>(body);
  bind_all(constructor, {construction->getArgs(), construction->getNumArgs()});
  const std::optional<host_cell> outer = this_;
  this_ = cell;
  running_.insert(body);
  for (const clang::CXXCtorInitializer* const initializer : constructor->inits()) {
    if (initializer->isDelegatingInitializer()) {
      initialize(cell, construction->getType(), initializer->getInit());
    } else if (const clang::FieldDecl* const field = initializer->getMember()) {
      if (field->getType()->isReferenceType())
        note_addressed(locate(initializer->getInit()));
      else if (!field->getParent()->isUnion() && !field->isBitField())
        initialize(cell.part(field->getFieldIndex()), field->getType(), initializer->getInit());
      else
        forget_written(initializer->getInit());
    } else if (initializer->isBaseInitializer() && !initializer->isBaseVirtual()) {
      unsigned number = 0;
      for (const clang::CXXBaseSpecifier& base : constructor->getParent()->bases()) {
        const clang::QualType type = base.getType();
        if (context_.hasSameUnqualifiedType(type, clang::QualType(initializer->getBaseClass(), 0)))
          initialize(cell.part(host_cell::number_of_base(number)), type, initializer->getInit());
        ++number;
      }
    } else {
      forget_written(initializer->getInit());
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
  const clang::Expr* const source = call->getArg(1);
  const host_cell buffer = temporary();
  if (const std::optional<host_cell> source_cell = locate(source))
    copy(buffer, *source_cell);
  else if (makes_an_object(source))
    initialize(buffer, source->getType(), source);
  const std::optional<host_cell> target = locate(call->getArg(0));
  if (!target) return false;
  (void)read(*target);
  auto last = cells_.lower_bound(*target);
  while (last != cells_.end() && last->first.variable == target->variable &&
         last->first.path.size() >= target->path.size() &&
         std::equal(target->path.begin(), target->path.end(), last->first.path.begin()))
    last = cells_.erase(last);
  copy(*target, buffer);
  returned_ = target;
  return true;
}

// Functions of the language's and the toolkit's headers.
host_value host_run::call_library(const clang::CallExpr* call,
                                  const clang::FunctionDecl& function) {
  clang::Expr::EvalResult constant;  // std::numeric_limits<int>::max()
  if (call->getType()->isIntegralOrEnumerationType() && call->isPRValue() &&
      call->EvaluateAsInt(constant, context_))
    return host_value::of_integer(constant.Val.getInt().getExtValue());
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
  std::vector<host_value> values;
  bool are_values = true;
  for (const clang::Expr* const argument : call->arguments())
    are_values =
        are_values && (argument->getType()->isArithmeticType() ||
                       argument->getType()->isPointerType() || is_string(argument->getType()));
  // What they write is forgotten; arguments that write themselves are evaluated once.
  if (are_values && call->getNumArgs() <= 3)
    for (const clang::Expr* const argument : call->arguments())
      values.push_back(is_string(argument->getType()) ? text_of(argument) : evaluate(argument));
  const clang::QualType first = values.empty() ? clang::QualType() : call->getArg(0)->getType();
  host_value value;
  const bool is_integer_pair = values.size() == 2 && first->isIntegralOrEnumerationType() &&
                               values[0].is == host_value::kind::integer &&
                               values[1].is == host_value::kind::integer;
  if (is_integer_pair && (name == "min" || name == "max")) {
    const host_value comparison = combined(clang::BO_LT, values[0], values[1], first, context_);
    value = values[comparison.is_true() == (name == "min") ? 0 : 1];
  } else if (!values.empty()) {
    value = called(name, values);
  }
  for (unsigned position = 0; position < values.size(); ++position) {
    const bool is_constant =
        position < function.getNumParams() &&
        function.getParamDecl(position)->getType()->isPointerType() &&
        function.getParamDecl(position)->getType()->getPointeeType().isConstQualified();
    if (values[position].is == host_value::kind::place && !is_constant)
      forget(values[position].place);
  }
  if (!value.is_known()) forget_written(call);
  if (value.is_known()) return converted(value, call->getType().getNonReferenceType(), context_);
  if (allocates(name)) return host_value::of_heap();
  const bool gives_memory = begins_with(name, "cudaMalloc") || begins_with(name, "hipMalloc") ||
                            begins_with(name, "hipHostMalloc") ||
                            begins_with(name, "cudaHostAlloc");
  if (gives_memory && !values.empty() && values[0].is == host_value::kind::place)
    write(values[0].place, host_value::of_heap());
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
    const clang::Expr* const receiver = of_object->getImplicitObjectArgument();
    object = receiver->getType()->isPointerType()
                 ? pointee(evaluate(receiver), receiver->getType()->getPointeeType())
                 : locate(receiver);
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
