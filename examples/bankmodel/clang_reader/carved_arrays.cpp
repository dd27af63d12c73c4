// SPDX-License-Identifier: MIT
#include "carved_arrays.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/Expr.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>

#include "array_uses.hpp"
#include "side_effects.hpp"
#include "source_places.hpp"
#include "source_text.hpp"

namespace compiled {

namespace {

void add_product(const size_form& left, const size_form& right, long long sign, size_form& result) {
  for (const auto& [names, times] : left)
    for (const auto& [right_names, often] : right) {
      std::vector<std::string> factors = names;
      factors.insert(factors.end(), right_names.begin(), right_names.end());
      std::sort(factors.begin(), factors.end());
      long long& sum = result[factors];
      sum += sign * times * often;
      if (sum == 0) result.erase(factors);
    }
}

const size_form unit_size = {{{}, 1}};

// Finds the variables whose value is used in another way than by reading it.
class changed_variables : public syntax_visitor {
 public:
  std::set<const clang::VarDecl*> variables;

  bool enter(clang::Stmt* statement) override {
    open_.push_back(statement);
    return true;
  }
  void leave(clang::Stmt*) override { open_.pop_back(); }
  bool VisitDeclRefExpr(clang::DeclRefExpr* use) override {
    const auto* const variable = llvm::dyn_cast<clang::VarDecl>(use->getDecl());
    std::size_t level = open_.size() - 1;  // of the use itself
    while (level > 0 && llvm::isa<clang::ParenExpr>(open_[level - 1])) --level;
    const auto* const cast =
        level == 0 ? nullptr : llvm::dyn_cast<clang::ImplicitCastExpr>(open_[level - 1]);
    const bool is_read = cast != nullptr && cast->getCastKind() == clang::CK_LValueToRValue;
    if (variable != nullptr && !is_read) variables.insert(variable);
    return true;
  }

 private:
  std::vector<const clang::Stmt*> open_;
};

// True if what is around an element reads or assigns it, and does not keep its address.
bool is_value_use(const clang::Stmt* parent, const clang::Expr* element) {
  if (const auto* const cast = llvm::dyn_cast_or_null<clang::ImplicitCastExpr>(parent))
    return cast->getCastKind() == clang::CK_LValueToRValue;
  if (const auto* const operation = llvm::dyn_cast_or_null<clang::BinaryOperator>(parent))
    return operation->isAssignmentOp() && operation->getLHS()->IgnoreParens() == element;
  const auto* const changed = llvm::dyn_cast_or_null<clang::UnaryOperator>(parent);
  return changed != nullptr && changed->isIncrementDecrementOp();
}

// The parentheses of (ld) in #define AT(r, c, ld) ((r) * (ld) + (c)) are the macro's.
std::optional<source_piece> piece_of_factor(const clang::ASTContext& context,
                                            const clang::Expr* factor) {
  const auto piece = piece_of_tokens(context, factor->getSourceRange());
  return piece ? piece : piece_of_tokens(context, factor->IgnoreParenImpCasts()->getSourceRange());
}

// threadIdx.x, and the like.
bool is_special_number(const clang::Expr* expression) {
  const auto* const property = llvm::dyn_cast<clang::PseudoObjectExpr>(expression);
  if (property != nullptr) expression = property->getSyntacticForm()->IgnoreParenImpCasts();
  const clang::Expr* base = nullptr;
  if (const auto* const member = llvm::dyn_cast<clang::MSPropertyRefExpr>(expression))
    base = member->getBaseExpr();
  else if (const auto* const field = llvm::dyn_cast<clang::MemberExpr>(expression))
    base = field->getBase();
  const auto* const object =
      base == nullptr ? nullptr : llvm::dyn_cast<clang::DeclRefExpr>(base->IgnoreParenImpCasts());
  if (object == nullptr) return false;
  const std::string name = object->getDecl()->getNameAsString();
  return name == "threadIdx" || name == "blockIdx" || name == "blockDim" || name == "gridDim";
}

// The extent of float t[BM * BK]; null of other variables.
const clang::Expr* only_extent(const clang::ASTContext& context, const clang::VarDecl& variable) {
  const clang::ConstantArrayType* const array =
      variable.hasAttr<clang::CUDASharedAttr>() ? context.getAsConstantArrayType(variable.getType())
                                                : nullptr;
  if (array == nullptr || array->getElementType()->isArrayType() ||
      variable.getTypeSourceInfo() == nullptr)
    return nullptr;
  const auto type =
      variable.getTypeSourceInfo()->getTypeLoc().IgnoreParens().getAs<clang::ArrayTypeLoc>();
  return type.isNull() ? nullptr : type.getSizeExpr();
}

bool is_dynamic_array(const clang::ASTContext& context, const clang::VarDecl& variable) {
  return variable.hasAttr<clang::CUDASharedAttr>() &&
         context.getAsIncompleteArrayType(variable.getType()) != nullptr;
}

}  // namespace

bool carved_arrays::VisitFunctionDecl(clang::FunctionDecl* function) {
  const bool is_kernel = function->hasAttr<clang::CUDAGlobalAttr>() &&
                         function->doesThisDeclarationHaveABody() &&
                         !function->isDependentContext();
  function_ = is_kernel ? function : nullptr;
  changed_.clear();
  if (is_kernel) {
    changed_variables changed;
    changed.visit_all(function->getBody());
    changed_ = std::move(changed.variables);
  }
  return true;
}

bool carved_arrays::read_size(const clang::Expr* expression, size_form& size) const {
  expression = expression->IgnoreParenCasts();
  if (expression->isValueDependent() || !expression->getType()->isIntegerType()) return false;
  clang::Expr::EvalResult known;
  if (expression->EvaluateAsInt(known, context_)) {
    size = {};
    const long long value = known.Val.getInt().getExtValue();
    if (value != 0) size[{}] = value;
    return true;
  }
  if (const auto* const use = llvm::dyn_cast<clang::DeclRefExpr>(expression)) {
    const auto* const variable = llvm::dyn_cast<clang::VarDecl>(use->getDecl());
    if (variable == nullptr) return false;
    if (changed_.count(variable) != 0 && !variable->getType().isConstQualified()) return false;
    if (llvm::isa<clang::ParmVarDecl>(variable)) {
      size = {{{variable->getNameAsString()}, 1}};
      return variable->getParentFunctionOrMethod() == function_;
    }
    const bool stays = variable->isLocalVarDecl() || variable->getType().isConstQualified();
    return stays && variable->hasInit() && read_size(variable->getInit(), size);
  }
  const auto* const operation = llvm::dyn_cast<clang::BinaryOperator>(expression);
  if (operation == nullptr) return false;
  size_form left, right;
  if (!read_size(operation->getLHS(), left) || !read_size(operation->getRHS(), right)) return false;
  size = {};
  switch (operation->getOpcode()) {
    case clang::BO_Add:
    case clang::BO_Sub:
      size = left;
      add_product(right, unit_size, operation->getOpcode() == clang::BO_Add ? 1 : -1, size);
      return true;
    case clang::BO_Mul: add_product(left, right, 1, size); return true;
    default: return false;
  }
}

// Each factor of a product that is a size.
void carved_arrays::add_factors(const clang::Expr* expression,
                                std::vector<spelled_size>& factors) const {
  const auto* const operation =
      llvm::dyn_cast<clang::BinaryOperator>(expression->IgnoreParenCasts());
  if (operation == nullptr) return;
  for (const clang::Expr* const side : {operation->getLHS(), operation->getRHS()}) {
    spelled_size size;
    const auto piece = piece_of_tokens(context_, side->getSourceRange());
    if (operation->getOpcode() == clang::BO_Mul && piece && read_size(side, size.value)) {
      size.piece = *piece;
      factors.push_back(size);
    }
    add_factors(side, factors);
  }
}

void carved_arrays::add_rows(const clang::Expr* index, carved_use& use) const {
  const auto* const operation = llvm::dyn_cast<clang::BinaryOperator>(index->IgnoreParenCasts());
  if (operation == nullptr) return;
  if (operation->isAdditiveOp()) {
    add_rows(operation->getLHS(), use);
    add_rows(operation->getRHS(), use);
    return;
  }
  if (operation->getOpcode() != clang::BO_Mul) return;
  spelled_size left, right;
  const bool is_left = read_size(operation->getLHS(), left.value),
             is_right = read_size(operation->getRHS(), right.value);
  const std::size_t first_row = use.rows.size();
  const auto add = [&](const clang::Expr* side, const size_form& value) {
    if (const auto piece = piece_of_factor(context_, side))
      use.rows.push_back({*piece, value, use.rows.size() > first_row});
  };
  if (is_right) add(operation->getRHS(), right.value);
  if (is_left) add(operation->getLHS(), left.value);
}

bool carved_arrays::is_not_negative(const clang::Expr* expression) const {
  expression = expression->IgnoreParenImpCasts();
  if (is_special_number(expression)) return true;
  if (const auto* const number = llvm::dyn_cast<clang::IntegerLiteral>(expression))
    return !number->getValue().isNegative();
  if (const auto* const use = llvm::dyn_cast<clang::DeclRefExpr>(expression)) {
    const auto* const variable = llvm::dyn_cast<clang::VarDecl>(use->getDecl());
    if (variable == nullptr || !variable->isLocalVarDecl() || !variable->hasInit()) return false;
    return changed_.count(variable) == 0 ? is_not_negative(variable->getInit())
                                         : end_of_loop(*variable).has_value();
  }
  const auto* const operation = llvm::dyn_cast<clang::BinaryOperator>(expression);
  return operation != nullptr && operation->getOpcode() != clang::BO_Sub &&
         (operation->isAdditiveOp() || operation->isMultiplicativeOp()) &&
         is_not_negative(operation->getLHS()) && is_not_negative(operation->getRHS());
}

// The d of `for (int i = 0; i < d; ++i)` around, if nothing else changes i.
std::optional<size_form> carved_arrays::end_of_loop(const clang::VarDecl& variable) const {
  const auto names_it = [&](const clang::Expr* expression) {
    const auto* const use = llvm::dyn_cast<clang::DeclRefExpr>(expression->IgnoreParenImpCasts());
    return use != nullptr && use->getDecl() == &variable;
  };
  for (const clang::Stmt* const statement : open_) {
    const auto* const loop = llvm::dyn_cast<clang::ForStmt>(statement);
    const auto* const first =
        loop == nullptr ? nullptr : llvm::dyn_cast_or_null<clang::DeclStmt>(loop->getInit());
    if (first == nullptr || !first->isSingleDecl() || first->getSingleDecl() != &variable) continue;
    const auto* const test = llvm::dyn_cast_or_null<clang::BinaryOperator>(loop->getCond());
    const auto* const increment = llvm::dyn_cast_or_null<clang::UnaryOperator>(loop->getInc());
    const auto* const addition =
        llvm::dyn_cast_or_null<clang::CompoundAssignOperator>(loop->getInc());
    const bool goes_up =
        (increment != nullptr && increment->isIncrementOp() && names_it(increment->getSubExpr())) ||
        (addition != nullptr && addition->getOpcode() == clang::BO_AddAssign &&
         names_it(addition->getLHS()) && is_not_negative(addition->getRHS()));
    size_form end;
    if (!goes_up || test == nullptr || test->getOpcode() != clang::BO_LT ||
        !names_it(test->getLHS()) || !read_size(test->getRHS(), end) || !variable.hasInit())
      return std::nullopt;
    if (!variable.getType()->isUnsignedIntegerType() && !is_not_negative(variable.getInit()))
      return std::nullopt;
    changed_variables changed;
    changed.visit_all(loop->getBody());
    return changed.variables.count(&variable) == 0 ? std::optional(end) : std::nullopt;
  }
  return std::nullopt;
}

// As add_rows() finds it.
bool carved_arrays::has_spelled_size(const clang::BinaryOperator& product) const {
  size_form size;
  return std::any_of(product.child_begin(), product.child_end(), [&](const clang::Stmt* child) {
    const auto* const side = llvm::cast<clang::Expr>(child);
    return read_size(side, size) && piece_of_factor(context_, side);
  });
}

// Of what is added to the terms that add_rows() finds.
std::optional<size_form> carved_arrays::column_end(const clang::Expr* index) const {
  std::vector<const clang::Expr*> terms = {index}, rest;
  while (!terms.empty()) {
    const clang::Expr* const term = terms.back()->IgnoreParenImpCasts();
    terms.pop_back();
    const auto* const operation = llvm::dyn_cast<clang::BinaryOperator>(term);
    if (operation != nullptr && operation->getOpcode() == clang::BO_Add) {
      terms.push_back(operation->getLHS());
      terms.push_back(operation->getRHS());
    } else if (operation == nullptr || operation->getOpcode() != clang::BO_Mul ||
               !has_spelled_size(*operation)) {
      rest.push_back(term);
    }
  }
  if (rest.empty()) return size_form();
  const auto* const remainder =
      rest.size() == 1 ? llvm::dyn_cast<clang::BinaryOperator>(rest[0]) : nullptr;
  size_form divisor;
  if (remainder != nullptr && remainder->getOpcode() == clang::BO_Rem &&
      (remainder->getType()->isUnsignedIntegerType() || is_not_negative(remainder->getLHS())) &&
      read_size(remainder->getRHS(), divisor))
    return divisor;
  const auto* const use = rest.size() == 1 ? llvm::dyn_cast<clang::DeclRefExpr>(rest[0]) : nullptr;
  const auto* const variable =
      use == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(use->getDecl());
  return variable == nullptr ? std::nullopt : end_of_loop(*variable);
}

bool carved_arrays::add_offset(const clang::Expr* pointer, const clang::Expr* offset,
                               pointer_value& value) {
  if (!read(pointer, value)) return false;
  const clang::QualType type = pointer->getType();
  const clang::QualType element = type->isPointerType()
                                      ? type->getPointeeType()
                                      : clang::QualType(type->getPointeeOrArrayElementType(), 0);
  size_form size;
  if (element->isIncompleteType() || !read_size(offset, size)) return false;
  const auto piece = piece_of_tokens(context_, offset->getSourceRange());
  if (!piece) return false;
  const long long bytes = context_.getTypeSizeInChars(element).getQuantity();
  add_product(size, {{{}, bytes}}, 1, value.array.first);
  value.array.origin_bytes = static_cast<int>(bytes);
  value.array.offset = *piece;
  add_factors(offset, value.array.factors);
  return true;
}

bool carved_arrays::read(const clang::Expr* pointer, pointer_value& value) {
  pointer = pointer->IgnoreParenCasts();
  if (const auto* const use = llvm::dyn_cast<clang::DeclRefExpr>(pointer)) {
    const auto* const variable = llvm::dyn_cast<clang::VarDecl>(use->getDecl());
    if (variable == nullptr) return false;
    if (is_dynamic_array(context_, *variable)) {
      value.dynamic = declaration_of(*variable);
      value.array.dynamic =
          place_of_tokens(context_, use->getSourceRange(), variable->getNameAsString());
      return true;
    }
    const auto carved = pointers_.find(variable);
    if (carved == pointers_.end() || !variable->getType()->isPointerType()) return false;
    origins_.insert(use);
    value.dynamic = carved->second.first;
    value.array.origin = static_cast<int>(carved->second.second);
    value.array.first = parts[value.dynamic][carved->second.second].first;
    return true;
  }
  if (const auto* const operation = llvm::dyn_cast<clang::BinaryOperator>(pointer);
      operation != nullptr && operation->getOpcode() == clang::BO_Add)
    return operation->getLHS()->getType()->isPointerType()
               ? add_offset(operation->getLHS(), operation->getRHS(), value)
               : add_offset(operation->getRHS(), operation->getLHS(), value);
  const auto* const unary = llvm::dyn_cast<clang::UnaryOperator>(pointer);
  if (unary == nullptr || unary->getOpcode() != clang::UO_AddrOf) return false;
  const auto* const element =
      llvm::dyn_cast<clang::ArraySubscriptExpr>(unary->getSubExpr()->IgnoreParens());
  return element != nullptr && add_offset(element->getBase(), element->getIdx(), value);
}

void carved_arrays::add_declared(const clang::VarDecl& variable) {
  carved_array array;
  array.name = variable.getNameAsString();
  array.function = function_->getNameAsString();
  array.element_bytes = static_cast<int>(
      context_.getTypeSizeInChars(context_.getBaseElementType(variable.getType())).getQuantity());
  add_factors(only_extent(context_, variable), array.factors);
  pointers_[&variable] = {declaration_of(variable), 0};
  parts[declaration_of(variable)] = {array};
}

bool carved_arrays::VisitVarDecl(clang::VarDecl* variable) {
  const clang::QualType type = variable->getType();
  if (function_ == nullptr || !variable->isLocalVarDecl() ||
      pointers_.count(variable) != 0)  // an instance may be visited more than once
    return true;
  if (only_extent(context_, *variable) != nullptr) {
    add_declared(*variable);
    return true;
  }
  if (!type->isPointerType() || !variable->hasInit() || type->getPointeeType()->isIncompleteType())
    return true;
  pointer_value value;
  if (!read(variable->getInit(), value) || value.dynamic == nullptr) return true;
  value.array.name = variable->getNameAsString();
  value.array.function = function_->getNameAsString();
  value.array.element_bytes =
      static_cast<int>(context_.getTypeSizeInChars(type->getPointeeType()).getQuantity());
  if (variable->getLocation().isMacroID()) value.array.refusal = "it is defined in a macro";
  std::vector<carved_array>& arrays = parts[value.dynamic];
  pointers_[variable] = {value.dynamic, arrays.size()};
  arrays.push_back(value.array);
  return true;
}

void carved_arrays::note_use(const clang::DeclRefExpr& use, carved_array& array) const {
  const clang::Stmt* statement = &use;
  for (std::size_t level = 1; level < open_.size(); ++level) {
    const clang::Stmt* const parent = open_[open_.size() - 1 - level];
    if (const auto* const element = llvm::dyn_cast<clang::ArraySubscriptExpr>(parent);
        element != nullptr && element->getBase() == statement) {
      carved_use noted_use;
      const auto piece = piece_of_tokens(context_, element->getSourceRange());
      const auto index = piece_of_tokens(context_, element->getIdx()->getSourceRange());
      // A macro may have the subscript: #define A(i) sk[i]
      if (!piece || !index || (element->getBeginLoc().isMacroID() && !piece->text.ends_with(']')))
        break;
      noted_use.piece = *piece;
      noted_use.index = *index;
      noted_use.has_effects = compiled::has_effects(context_, *element->getIdx());
      if (has_place(array.uses, noted_use.piece)) return;
      std::size_t outer = level + 1;
      while (outer < open_.size() && llvm::isa<clang::ParenExpr>(open_[open_.size() - 1 - outer]))
        ++outer;
      noted_use.is_value =
          outer < open_.size() && is_value_use(open_[open_.size() - 1 - outer], element);
      add_rows(element->getIdx(), noted_use);
      noted_use.column_end = column_end(element->getIdx());
      array.uses.push_back(noted_use);
      return;
    }
    if (!llvm::isa<clang::ImplicitCastExpr>(parent) && !llvm::isa<clang::ParenExpr>(parent)) break;
    statement = parent;
  }
  const source_piece place = place_of_tokens(context_, use.getSourceRange(), array.name);
  if (array.refusal.empty())
    array.refusal =
        array.name + " is used without a subscript at line " + std::to_string(place.line);
}

bool carved_arrays::VisitDeclRefExpr(clang::DeclRefExpr* use) {
  const auto* const variable = llvm::dyn_cast<clang::VarDecl>(use->getDecl());
  if (variable != nullptr && variable->isLocalVarDecl())
    (function_ == nullptr ? uses_in_templates_ : uses_in_kernels_)[variable->getLocation()].insert(
        use->getLocation());
  const auto carved = variable == nullptr ? pointers_.end() : pointers_.find(variable);
  if (carved == pointers_.end() || origins_.count(use) != 0) return true;
  const auto& [dynamic, number] = carved->second;
  note_use(*use, parts[dynamic][number]);
  return true;
}

void carved_arrays::join_instances() {
  std::map<clang::SourceLocation, std::vector<carved_array*>> instances;
  for (const auto& [variable, carved] : pointers_)
    instances[variable->getLocation()].push_back(&parts[carved.first][carved.second]);
  for (const auto& [location, arrays] : instances) {
    const std::set<clang::SourceLocation>& seen = uses_in_kernels_[location];
    std::vector<carved_use> uses;
    std::string refusal;
    for (const carved_array* const instance : arrays) {
      add_missing(instance->uses, uses);
      if (refusal.empty()) refusal = instance->refusal;
    }
    for (const clang::SourceLocation use : uses_in_templates_[location])
      if (seen.count(use) == 0 && refusal.empty())
        refusal = arrays.front()->name + " is used in line " +
                  std::to_string(context_.getSourceManager().getExpansionLineNumber(use)) +
                  ", which no instance of the template here has";
    for (carved_array* const instance : arrays) {
      add_missing(uses, instance->uses);  // the sizes of its own are those of the instance
      instance->refusal = refusal;
    }
  }
}

}  // namespace compiled
