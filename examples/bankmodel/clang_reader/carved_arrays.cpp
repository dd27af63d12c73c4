// SPDX-License-Identifier: MIT
#include "carved_arrays.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/Expr.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>

#include "array_uses.hpp"
#include "source_places.hpp"
#include "source_text.hpp"

namespace compiled {

namespace {

void add_product(const size_form& left, const size_form& right, long long sign, size_form& to) {
  for (const auto& [names, times] : left)
    for (const auto& [more, often] : right) {
      std::vector<std::string> both = names;
      both.insert(both.end(), more.begin(), more.end());
      std::sort(both.begin(), both.end());
      long long& sum = to[both];
      sum += sign * times * often;
      if (sum == 0) to.erase(both);
    }
}

const size_form unit_size = {{{}, 1}};

// Finds the variables whose value is used in another way than by reading it.
class changed_variables : public syntax_visitor {
 public:
  std::set<const clang::VarDecl*> found;

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
    if (variable != nullptr && !is_read) found.insert(variable);
    return true;
  }

 private:
  std::vector<const clang::Stmt*> open_;
};

// True if what is around an element reads or assigns it, and does not keep its address.
bool is_value_use(const clang::Stmt* around, const clang::Expr* element) {
  if (const auto* const cast = llvm::dyn_cast_or_null<clang::ImplicitCastExpr>(around))
    return cast->getCastKind() == clang::CK_LValueToRValue;
  if (const auto* const both = llvm::dyn_cast_or_null<clang::BinaryOperator>(around))
    return both->isAssignmentOp() && both->getLHS()->IgnoreParens() == element;
  const auto* const changed = llvm::dyn_cast_or_null<clang::UnaryOperator>(around);
  return changed != nullptr && changed->isIncrementDecrementOp();
}

// The parentheses of (ld) in #define AT(r, c, ld) ((r) * (ld) + (c)) are the macro's.
std::optional<source_piece> piece_of_factor(const clang::ASTContext& context,
                                            const clang::Expr* of) {
  const auto piece = piece_of_tokens(context, of->getSourceRange());
  return piece ? piece : piece_of_tokens(context, of->IgnoreParenImpCasts()->getSourceRange());
}

// threadIdx.x, and the like.
bool is_special_number(const clang::Expr* of) {
  const auto* const property = llvm::dyn_cast<clang::PseudoObjectExpr>(of);
  if (property != nullptr) of = property->getSyntacticForm()->IgnoreParenImpCasts();
  const clang::Expr* base = nullptr;
  if (const auto* const member = llvm::dyn_cast<clang::MSPropertyRefExpr>(of))
    base = member->getBaseExpr();
  else if (const auto* const field = llvm::dyn_cast<clang::MemberExpr>(of))
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
    changed_ = std::move(changed.found);
  }
  return true;
}

bool carved_arrays::read_size(const clang::Expr* of, size_form& to) const {
  of = of->IgnoreParenCasts();
  if (of->isValueDependent() || !of->getType()->isIntegerType()) return false;
  clang::Expr::EvalResult known;
  if (of->EvaluateAsInt(known, context_)) {
    to = {};
    const long long value = known.Val.getInt().getExtValue();
    if (value != 0) to[{}] = value;
    return true;
  }
  if (const auto* const use = llvm::dyn_cast<clang::DeclRefExpr>(of)) {
    const auto* const variable = llvm::dyn_cast<clang::VarDecl>(use->getDecl());
    if (variable == nullptr) return false;
    if (changed_.count(variable) != 0 && !variable->getType().isConstQualified()) return false;
    if (llvm::isa<clang::ParmVarDecl>(variable)) {
      to = {{{variable->getNameAsString()}, 1}};
      return variable->getParentFunctionOrMethod() == function_;
    }
    const bool stays = variable->isLocalVarDecl() || variable->getType().isConstQualified();
    return stays && variable->hasInit() && read_size(variable->getInit(), to);
  }
  const auto* const both = llvm::dyn_cast<clang::BinaryOperator>(of);
  if (both == nullptr) return false;
  size_form left, right;
  if (!read_size(both->getLHS(), left) || !read_size(both->getRHS(), right)) return false;
  to = {};
  switch (both->getOpcode()) {
    case clang::BO_Add:
    case clang::BO_Sub:
      to = left;
      add_product(right, unit_size, both->getOpcode() == clang::BO_Add ? 1 : -1, to);
      return true;
    case clang::BO_Mul: add_product(left, right, 1, to); return true;
    default: return false;
  }
}

// Each factor of a product that is a size.
void carved_arrays::add_factors(const clang::Expr* of, std::vector<spelled_size>& to) const {
  const auto* const both = llvm::dyn_cast<clang::BinaryOperator>(of->IgnoreParenCasts());
  if (both == nullptr) return;
  for (const clang::Expr* const side : {both->getLHS(), both->getRHS()}) {
    spelled_size size;
    const auto piece = piece_of_tokens(context_, side->getSourceRange());
    if (both->getOpcode() == clang::BO_Mul && piece && read_size(side, size.value)) {
      size.where = *piece;
      to.push_back(size);
    }
    add_factors(side, to);
  }
}

void carved_arrays::add_rows(const clang::Expr* index, carved_use& to) const {
  const auto* const both = llvm::dyn_cast<clang::BinaryOperator>(index->IgnoreParenCasts());
  if (both == nullptr) return;
  if (both->isAdditiveOp()) {
    add_rows(both->getLHS(), to);
    add_rows(both->getRHS(), to);
    return;
  }
  if (both->getOpcode() != clang::BO_Mul) return;
  spelled_size left, right;
  const bool is_left = read_size(both->getLHS(), left.value),
             is_right = read_size(both->getRHS(), right.value);
  const std::size_t before = to.rows.size();
  const auto add = [&](const clang::Expr* side, const size_form& value) {
    if (const auto piece = piece_of_factor(context_, side))
      to.rows.push_back({*piece, value, to.rows.size() > before});
  };
  if (is_right) add(both->getRHS(), right.value);
  if (is_left) add(both->getLHS(), left.value);
}

bool carved_arrays::is_not_negative(const clang::Expr* of) const {
  of = of->IgnoreParenImpCasts();
  if (is_special_number(of)) return true;
  if (const auto* const number = llvm::dyn_cast<clang::IntegerLiteral>(of))
    return !number->getValue().isNegative();
  if (const auto* const use = llvm::dyn_cast<clang::DeclRefExpr>(of)) {
    const auto* const variable = llvm::dyn_cast<clang::VarDecl>(use->getDecl());
    if (variable == nullptr || !variable->isLocalVarDecl() || !variable->hasInit()) return false;
    return changed_.count(variable) == 0 ? is_not_negative(variable->getInit())
                                         : end_of_loop(*variable).has_value();
  }
  const auto* const both = llvm::dyn_cast<clang::BinaryOperator>(of);
  return both != nullptr && both->getOpcode() != clang::BO_Sub &&
         (both->isAdditiveOp() || both->isMultiplicativeOp()) && is_not_negative(both->getLHS()) &&
         is_not_negative(both->getRHS());
}

// The d of `for (int i = 0; i < d; ++i)` around, if nothing else changes i.
std::optional<size_form> carved_arrays::end_of_loop(const clang::VarDecl& variable) const {
  const auto names_it = [&](const clang::Expr* of) {
    const auto* const use = llvm::dyn_cast<clang::DeclRefExpr>(of->IgnoreParenImpCasts());
    return use != nullptr && use->getDecl() == &variable;
  };
  for (const clang::Stmt* const around : open_) {
    const auto* const loop = llvm::dyn_cast<clang::ForStmt>(around);
    const auto* const first =
        loop == nullptr ? nullptr : llvm::dyn_cast_or_null<clang::DeclStmt>(loop->getInit());
    if (first == nullptr || !first->isSingleDecl() || first->getSingleDecl() != &variable) continue;
    const auto* const test = llvm::dyn_cast_or_null<clang::BinaryOperator>(loop->getCond());
    const auto* const up = llvm::dyn_cast_or_null<clang::UnaryOperator>(loop->getInc());
    const auto* const more = llvm::dyn_cast_or_null<clang::CompoundAssignOperator>(loop->getInc());
    const bool goes_up = (up != nullptr && up->isIncrementOp() && names_it(up->getSubExpr())) ||
                         (more != nullptr && more->getOpcode() == clang::BO_AddAssign &&
                          names_it(more->getLHS()) && is_not_negative(more->getRHS()));
    size_form end;
    if (!goes_up || test == nullptr || test->getOpcode() != clang::BO_LT ||
        !names_it(test->getLHS()) || !read_size(test->getRHS(), end) || !variable.hasInit())
      return std::nullopt;
    if (!variable.getType()->isUnsignedIntegerType() && !is_not_negative(variable.getInit()))
      return std::nullopt;
    changed_variables changed;
    changed.visit_all(loop->getBody());
    return changed.found.count(&variable) == 0 ? std::optional(end) : std::nullopt;
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
    const auto* const both = llvm::dyn_cast<clang::BinaryOperator>(term);
    if (both != nullptr && both->getOpcode() == clang::BO_Add) {
      terms.push_back(both->getLHS());
      terms.push_back(both->getRHS());
    } else if (both == nullptr || both->getOpcode() != clang::BO_Mul || !has_spelled_size(*both)) {
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
                               pointer_value& to) {
  if (!read(pointer, to)) return false;
  const clang::QualType type = pointer->getType();
  const clang::QualType element = type->isPointerType()
                                      ? type->getPointeeType()
                                      : clang::QualType(type->getPointeeOrArrayElementType(), 0);
  size_form size;
  if (element->isIncompleteType() || !read_size(offset, size)) return false;
  const auto piece = piece_of_tokens(context_, offset->getSourceRange());
  if (!piece) return false;
  const long long bytes = context_.getTypeSizeInChars(element).getQuantity();
  add_product(size, {{{}, bytes}}, 1, to.made.first);
  to.made.origin_bytes = static_cast<int>(bytes);
  to.made.offset = *piece;
  add_factors(offset, to.made.factors);
  return true;
}

bool carved_arrays::read(const clang::Expr* pointer, pointer_value& to) {
  pointer = pointer->IgnoreParenCasts();
  if (const auto* const use = llvm::dyn_cast<clang::DeclRefExpr>(pointer)) {
    const auto* const variable = llvm::dyn_cast<clang::VarDecl>(use->getDecl());
    if (variable == nullptr) return false;
    if (is_dynamic_array(context_, *variable)) {
      to.dynamic = declaration_of(*variable);
      to.made.dynamic =
          place_of_tokens(context_, use->getSourceRange(), variable->getNameAsString());
      return true;
    }
    const auto carved = pointers_.find(variable);
    if (carved == pointers_.end() || !variable->getType()->isPointerType()) return false;
    origins_.insert(use);
    to.dynamic = carved->second.first;
    to.made.origin = static_cast<int>(carved->second.second);
    to.made.first = found[to.dynamic][carved->second.second].first;
    return true;
  }
  if (const auto* const both = llvm::dyn_cast<clang::BinaryOperator>(pointer);
      both != nullptr && both->getOpcode() == clang::BO_Add)
    return both->getLHS()->getType()->isPointerType()
               ? add_offset(both->getLHS(), both->getRHS(), to)
               : add_offset(both->getRHS(), both->getLHS(), to);
  const auto* const taken = llvm::dyn_cast<clang::UnaryOperator>(pointer);
  if (taken == nullptr || taken->getOpcode() != clang::UO_AddrOf) return false;
  const auto* const element =
      llvm::dyn_cast<clang::ArraySubscriptExpr>(taken->getSubExpr()->IgnoreParens());
  return element != nullptr && add_offset(element->getBase(), element->getIdx(), to);
}

void carved_arrays::add_declared(const clang::VarDecl& variable) {
  carved_array made;
  made.name = variable.getNameAsString();
  made.function = function_->getNameAsString();
  made.element_bytes = static_cast<int>(
      context_.getTypeSizeInChars(context_.getBaseElementType(variable.getType())).getQuantity());
  add_factors(only_extent(context_, variable), made.factors);
  pointers_[&variable] = {declaration_of(variable), 0};
  found[declaration_of(variable)] = {made};
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
  value.made.name = variable->getNameAsString();
  value.made.function = function_->getNameAsString();
  value.made.element_bytes =
      static_cast<int>(context_.getTypeSizeInChars(type->getPointeeType()).getQuantity());
  if (variable->getLocation().isMacroID()) value.made.refusal = "it is defined in a macro";
  std::vector<carved_array>& all = found[value.dynamic];
  pointers_[variable] = {value.dynamic, all.size()};
  all.push_back(value.made);
  return true;
}

void carved_arrays::note_use(const clang::DeclRefExpr& use, carved_array& to) const {
  const clang::Stmt* whole = &use;
  for (std::size_t level = 1; level < open_.size(); ++level) {
    const clang::Stmt* const around = open_[open_.size() - 1 - level];
    if (const auto* const element = llvm::dyn_cast<clang::ArraySubscriptExpr>(around);
        element != nullptr && element->getBase() == whole) {
      carved_use one;
      const auto all = piece_of_tokens(context_, element->getSourceRange());
      const auto index = piece_of_tokens(context_, element->getIdx()->getSourceRange());
      // A macro may have the subscript: #define A(i) sk[i]
      if (!all || !index || (element->getBeginLoc().isMacroID() && !all->text.ends_with(']')))
        break;
      one.where = *all;
      one.index = *index;
      one.has_effects = element->getIdx()->HasSideEffects(context_, false);
      if (has_place(to.uses, one.where)) return;
      std::size_t outer = level + 1;
      while (outer < open_.size() && llvm::isa<clang::ParenExpr>(open_[open_.size() - 1 - outer]))
        ++outer;
      one.is_value = outer < open_.size() && is_value_use(open_[open_.size() - 1 - outer], element);
      add_rows(element->getIdx(), one);
      one.column_end = column_end(element->getIdx());
      to.uses.push_back(one);
      return;
    }
    if (!llvm::isa<clang::ImplicitCastExpr>(around) && !llvm::isa<clang::ParenExpr>(around)) break;
    whole = around;
  }
  const source_piece place = place_of_tokens(context_, use.getSourceRange(), to.name);
  if (to.refusal.empty())
    to.refusal = to.name + " is used without a subscript at line " + std::to_string(place.line);
}

bool carved_arrays::VisitDeclRefExpr(clang::DeclRefExpr* use) {
  const auto* const variable = llvm::dyn_cast<clang::VarDecl>(use->getDecl());
  if (variable != nullptr && variable->isLocalVarDecl())
    (function_ == nullptr ? uses_in_templates_ : uses_in_kernels_)[variable->getLocation()].insert(
        use->getLocation());
  const auto carved = variable == nullptr ? pointers_.end() : pointers_.find(variable);
  if (carved == pointers_.end() || origins_.count(use) != 0) return true;
  const auto& [dynamic, number] = carved->second;
  note_use(*use, found[dynamic][number]);
  return true;
}

void carved_arrays::join_instances() {
  std::map<clang::SourceLocation, std::vector<carved_array*>> instances;
  for (const auto& [variable, carved] : pointers_)
    instances[variable->getLocation()].push_back(&found[carved.first][carved.second]);
  for (const auto& [where, all] : instances) {
    const std::set<clang::SourceLocation>& seen = uses_in_kernels_[where];
    std::vector<carved_use> uses;
    std::string refusal;
    for (const carved_array* const one : all) {
      add_missing(one->uses, uses);
      if (refusal.empty()) refusal = one->refusal;
    }
    for (const clang::SourceLocation use : uses_in_templates_[where])
      if (seen.count(use) == 0 && refusal.empty())
        refusal = all.front()->name + " is used in line " +
                  std::to_string(context_.getSourceManager().getExpansionLineNumber(use)) +
                  ", which no instance of the template here has";
    for (carved_array* const one : all) {
      add_missing(uses, one->uses);  // the sizes of its own are those of the instance
      one->refusal = refusal;
    }
  }
}

}  // namespace compiled
