// SPDX-License-Identifier: MIT
#include "array_uses.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>

#include "../compiled/code/identifier.hpp"
#include "shared_members.hpp"
#include "source_places.hpp"
#include "source_text.hpp"
#include "syntax_visitor.hpp"

namespace compiled {

namespace {

std::size_t dimensions(const clang::ASTContext& context, clang::QualType type) {
  std::size_t result = 0;
  while (const clang::ArrayType* const array = context.getAsArrayType(type)) {
    type = array->getElementType();
    ++result;
  }
  return result;
}

// That of an object, of an array of them, or of what is pointed to; null if it is none.
const clang::RecordDecl* structure_of(const clang::ASTContext& context, clang::QualType type) {
  for (;;) {
    if (const clang::ArrayType* const array = context.getAsArrayType(type))
      type = array->getElementType();
    else if (!type->getPointeeType().isNull())
      type = type->getPointeeType();
    else
      return type->getAsRecordDecl();
  }
}

bool is_decay(const clang::Stmt* of) {
  const auto* const cast = llvm::dyn_cast<clang::ImplicitCastExpr>(of);
  return cast != nullptr && cast->getCastKind() == clang::CK_ArrayToPointerDecay;
}

// Finds calls that may change something: all but those of CUDA's own functions without memory.
class calls_with_effects : public syntax_visitor {
 public:
  bool found = false;
  bool VisitCallExpr(clang::CallExpr* call) override {
    const clang::FunctionDecl* const called = call->getDirectCallee();
    const clang::FunctionDecl* const pattern =
        called == nullptr ? nullptr : called->getTemplateInstantiationPattern();
    const bool is_of_cuda =
        called != nullptr &&
        ((pattern != nullptr ? pattern : called)->isFromASTFile() || called->getBuiltinID() != 0) &&
        std::none_of(called->param_begin(), called->param_end(), [](const auto* parameter) {
          const clang::QualType to = parameter->getType()->getPointeeType();
          return !to.isNull() && !to.isConstQualified();
        });
    found = found || !is_of_cuda;
    return !found;
  }
};

bool has_effects(const clang::ASTContext& context, const clang::Expr& of) {
  if (of.HasSideEffects(context, false)) return true;
  calls_with_effects calls;
  calls.visit_all(&of);
  return calls.found;
}

// Without a distance from an operand: [%0], not [%0 + 16].
bool accesses_one_piece(const clang::GCCAsmStmt& assembly) {
  return assembly.getAsmString()->getString().find('+') == llvm::StringRef::npos;
}

// Whether a variable is nothing but an operand of inline assembly that accesses one piece there.
class uses_in_assembly : public syntax_visitor {
 public:
  explicit uses_in_assembly(const clang::VarDecl& variable) : variable_(variable) {}
  bool are_all = true;

  bool enter(clang::Stmt* statement) override {
    open_.push_back(statement);
    return true;
  }
  void leave(clang::Stmt*) override { open_.pop_back(); }
  bool VisitDeclRefExpr(clang::DeclRefExpr* use) override {
    if (use->getDecl() != &variable_) return true;
    std::size_t level = open_.size() - 1;  // of the use itself
    while (level > 0 && (llvm::isa<clang::CastExpr>(open_[level - 1]) ||
                         llvm::isa<clang::ParenExpr>(open_[level - 1])))
      --level;
    const auto* const assembly =
        level == 0 ? nullptr : llvm::dyn_cast<clang::GCCAsmStmt>(open_[level - 1]);
    are_all = are_all && assembly != nullptr && accesses_one_piece(*assembly);
    return true;
  }

 private:
  const clang::VarDecl& variable_;
  std::vector<const clang::Stmt*> open_;
};

// True unless a part of an array is used as a pointer to elements, maybe after a cast: the type of
// what is used, or a size that is read, has an extent.
bool has_extents(const clang::ASTContext& context, const clang::Expr& part,
                 const clang::Stmt* around) {
  const auto* const cast = llvm::dyn_cast_or_null<clang::ExplicitCastExpr>(around);
  const clang::QualType pointed_to = (cast != nullptr ? cast : &part)->getType()->getPointeeType();
  return pointed_to.isNull() || context.getAsArrayType(pointed_to) != nullptr;
}

// The text of an operand, in parentheses if it is the name of a macro that may have operators.
std::string text_of_operand(const clang::Expr& of, const std::string& text) {
  const clang::Expr* const bare = of.IgnoreImplicit();
  const bool is_whole = llvm::isa<clang::IntegerLiteral>(bare) ||
                        llvm::isa<clang::DeclRefExpr>(bare) || llvm::isa<clang::ParenExpr>(bare);
  return is_identifier(text) && of.getBeginLoc().isMacroID() && !is_whole ? "(" + text + ")" : text;
}

// Of what a pointer or a reference is to; 0: nobody knows.
int bytes_pointed_to(const clang::ASTContext& context, clang::QualType type) {
  const clang::QualType to = type->getPointeeType();
  const bool is_known = !to.isNull() && !to->isDependentType() && !to->isIncompleteType() &&
                        !to->isFunctionType() && !to->isVoidType();
  return is_known ? static_cast<int>(context.getTypeSizeInChars(to).getQuantity()) : 0;
}

// Not to an array, whose elements are accessed one by one.
bool is_reference_to_piece(clang::QualType type) {
  return type->isReferenceType() && !type->getPointeeType()->isArrayType();
}

// What is subscripted in "n::tile[0][1]": the name without it if it is written otherwise.
std::string base_in(const std::string& text, const std::string& name) {
  std::string base = text.substr(0, text.find('['));
  while (!base.empty() && base.back() == ' ') base.pop_back();
  return base.size() >= name.size() &&
                 base.compare(base.size() - name.size(), name.size(), name) == 0
             ? base
             : std::string();
}

}  // namespace

// The context of an `extern` one is that of the file.
const clang::FunctionDecl* function_of(const clang::DeclaratorDecl& variable) {
  return llvm::dyn_cast<clang::FunctionDecl>(variable.getLexicalDeclContext());
}

bool is_local_extern(const clang::VarDecl& variable) {
  return variable.hasExternalStorage() && function_of(variable) != nullptr;
}

const clang::VarDecl* declaration_of(const clang::VarDecl& variable) {
  return is_local_extern(variable) ? &variable : variable.getCanonicalDecl();
}

bool array_uses::VisitDeclStmt(clang::DeclStmt* statement) {
  for (const clang::Decl* const each : statement->decls()) {
    const auto* const variable = llvm::dyn_cast<clang::VarDecl>(each);
    if (variable == nullptr || !variable->hasAttr<clang::CUDASharedAttr>()) continue;
    auto end = piece_of_tokens(context_, {statement->getEndLoc(), statement->getEndLoc()});
    if (!end || end->text != ";") continue;
    end->offset += 1;
    end->line = end->end_line;
    end->column = end->end_column;
    end->text.clear();
    found[declaration_of(*variable)].whole.behind = *end;
  }
  return true;
}

bool array_uses::VisitVarDecl(clang::VarDecl* variable) {
  if (variable->hasAttr<clang::CUDASharedAttr>() && dimensions(context_, variable->getType()) > 0)
    (void)found[declaration_of(*variable)];
  for (const shared_member& member : members_of(context_, *variable))
    (void)found[declaration_of(*variable)].members[member.name];
  const auto* const function =
      llvm::isa<clang::ParmVarDecl>(variable)
          ? llvm::dyn_cast_or_null<clang::FunctionDecl>(variable->getParentFunctionOrMethod())
          : nullptr;
  // What a device function gets is an object that is found elsewhere.
  const bool is_given = function != nullptr && function->hasAttr<clang::CUDADeviceAttr>() &&
                        !variable->getType()->getPointeeType().isNull();
  const clang::RecordDecl* const record = structure_of(context_, variable->getType());
  if (record != nullptr && !is_given) add_variable(*record, *variable->getCanonicalDecl());
  return true;
}

// The structure's, and those of its members and bases.
void array_uses::add_variable(const clang::RecordDecl& record, const clang::VarDecl& variable) {
  if (!variables[&record].insert(&variable).second || !record.isCompleteDefinition()) return;
  for (const clang::FieldDecl* const field : record.fields())
    if (const clang::RecordDecl* const inner = structure_of(context_, field->getType()))
      add_variable(*inner, variable);
  if (const auto* const with_bases = llvm::dyn_cast<clang::CXXRecordDecl>(&record))
    for (const clang::CXXBaseSpecifier& base : with_bases->bases())
      if (const clang::RecordDecl* const inner = base.getType()->getAsRecordDecl())
        add_variable(*inner, variable);
}

bool array_uses::VisitCastExpr(clang::CastExpr* cast) {
  const clang::RecordDecl* const record =
      llvm::isa<clang::ExplicitCastExpr>(cast) ? structure_of(context_, cast->getType()) : nullptr;
  if (record != nullptr) casts.emplace(record, cast->getBeginLoc());
  return true;
}

bool array_uses::VisitDeclRefExpr(clang::DeclRefExpr* use) {
  const auto* const variable = llvm::dyn_cast<clang::VarDecl>(use->getDecl());
  if (variable == nullptr || !variable->hasAttr<clang::CUDASharedAttr>()) return true;
  const std::size_t rank = dimensions(context_, variable->getType());
  if (rank > 0)
    note_subscripts(*use, use, 1, rank, found[declaration_of(*variable)].whole);
  else
    note_member(*use, *variable);
  return true;
}

// s.inner.a, or the structure as a whole.
void array_uses::note_member(const clang::DeclRefExpr& use, const clang::VarDecl& variable) {
  const std::vector<shared_member> members = members_of(context_, variable);
  if (members.empty()) return;
  std::string name;
  const clang::Expr* whole = &use;
  for (std::size_t levels = 1; outer(levels) != nullptr; ++levels) {
    const auto* const around = llvm::dyn_cast<clang::Expr>(outer(levels));
    const auto* const member = llvm::dyn_cast_or_null<clang::MemberExpr>(around);
    if (member == nullptr && (around == nullptr || !llvm::isa<clang::ParenExpr>(around))) break;
    whole = around;
    if (member == nullptr) continue;
    name += (name.empty() ? "" : ".") + member->getMemberDecl()->getNameAsString();
    const auto found_member = std::find_if(
        members.begin(), members.end(),
        [&](const shared_member& one) { return one.name == name && !one.fields.empty(); });
    if (found_member == members.end()) continue;
    note_subscripts(use, whole, levels + 1, dimensions(context_, found_member->type),
                    found[declaration_of(variable)].members[name]);
    return;
  }
  for (const shared_member& one : members)
    if (name.empty() || one.name.rfind(name + ".", 0) == 0)
      note(found[declaration_of(variable)].members[one.name], use, *whole, {},
           {{}, "its structure is used as a whole", false});
}

// `levels`: from the use to what is around `whole`.
void array_uses::note_subscripts(const clang::DeclRefExpr& use, const clang::Expr* whole,
                                 std::size_t levels, std::size_t rank, array_source& to) {
  std::vector<const clang::Expr*> subscripts;
  for (; outer(levels) != nullptr && subscripts.size() < rank; ++levels) {
    const clang::Stmt* const around = outer(levels);
    if (const auto* const element = llvm::dyn_cast<clang::ArraySubscriptExpr>(around)) {
      if (element->getBase() != whole) break;
      subscripts.push_back(element->getIdx());
    } else if (!llvm::isa<clang::ParenExpr>(around) && !is_decay(around)) {
      break;
    }
    whole = llvm::cast<clang::Expr>(around);
  }
  const bool is_complete = subscripts.size() == rank;
  if (!is_complete) subscripts.clear();
  other_use other = other_than_subscripts(levels, is_complete);
  if (rank > 1 && note_pitch(*llvm::cast<clang::VarDecl>(use.getDecl()), levels, to))
    other.is_access = true;
  other.has_extents |= !is_complete && has_extents(context_, *whole, outer(levels));
  note(to, use, *whole, subscripts, other);
}

// Of an array that is given to a function of wmma, as &tile[r][c] or tile[r]. Returns true if the
// function accesses rows of the array.
bool array_uses::note_pitch(const clang::VarDecl& variable, std::size_t levels,
                            array_source& to) const {
  const auto is_around_pointer = [](const clang::Stmt* of) {
    const auto* const taken = llvm::dyn_cast<clang::UnaryOperator>(of);
    return llvm::isa<clang::ImplicitCastExpr>(of) || llvm::isa<clang::ParenExpr>(of) ||
           (taken != nullptr && taken->getOpcode() == clang::UO_AddrOf);
  };
  while (outer(levels) != nullptr && is_around_pointer(outer(levels))) ++levels;
  const auto* const call = llvm::dyn_cast_or_null<clang::CallExpr>(outer(levels));
  if (call == nullptr || call->getDirectCallee() == nullptr || call->getNumArgs() < 3) return false;
  const std::string name = call->getDirectCallee()->getNameAsString();
  if (name != "load_matrix_sync" && name != "store_matrix_sync") return false;
  const clang::Expr* const elements = call->getArg(2);
  clang::QualType row = variable.getType();
  while (const clang::ArrayType* const array = context_.getAsArrayType(row)) {
    if (context_.getAsArrayType(array->getElementType()) == nullptr) break;
    row = array->getElementType();
  }
  const clang::ConstantArrayType* const columns = context_.getAsConstantArrayType(row);
  clang::Expr::EvalResult value;
  if (columns == nullptr || elements->isValueDependent() ||
      !elements->EvaluateAsInt(value, context_) ||
      value.Val.getInt().getExtValue() !=
          static_cast<std::int64_t>(columns->getSize().getZExtValue()))
    return false;
  const auto text = spelled_sum(context_, elements);
  if (!text) return false;
  if (!has_place(to.pitches, text->where)) to.pitches.push_back(*text);
  return true;
}

// How the array, or an element of it, is used other than by its value; empty if it is not.
// `levels`: from the array's name to what is around.
other_use array_uses::other_than_subscripts(std::size_t levels, bool is_complete) const {
  bool is_address = !is_complete;
  for (; outer(levels) != nullptr; ++levels) {
    const clang::Stmt* const around = outer(levels);
    if (const auto* const cast = llvm::dyn_cast<clang::ExplicitCastExpr>(around)) {
      const clang::QualType type = cast->getTypeAsWritten();
      return {{},
              "it is cast to `" + type.getAsString(context_.getLangOpts()) + "`",
              is_address && type->isIntegerType(),
              is_complete && (is_reference_to_piece(type) || is_accessed_at_once(levels + 1)),
              bytes_pointed_to(context_, type)};
    }
    if (const auto* const both = llvm::dyn_cast<clang::BinaryOperator>(around);
        both != nullptr && is_address &&
        (both->isComparisonOp() ||
         (both->getOpcode() == clang::BO_Sub && both->getType()->isIntegerType())))
      return {{}, "its address is compared or subtracted", true};
    const auto* const taken = llvm::dyn_cast<clang::UnaryOperator>(around);
    if (taken != nullptr && taken->getOpcode() == clang::UO_AddrOf) {
      is_address = true;
    } else if (taken != nullptr && taken->getOpcode() == clang::UO_Deref && is_complete) {
      is_address = false;
    } else if (const auto* const call = llvm::dyn_cast<clang::CallExpr>(around)) {
      return is_address ? given_to(*call, levels, is_complete) : other_use();
    } else if (llvm::isa<clang::UnaryExprOrTypeTraitExpr>(around)) {
      return is_complete ? other_use() : other_use{{}, "`sizeof` reads its size"};
    } else if (is_decay(around) && is_complete) {
      is_address = true;  // an array in a structure
    } else if (const auto* const cast_to_value = llvm::dyn_cast<clang::ImplicitCastExpr>(around)) {
      if (cast_to_value->getCastKind() == clang::CK_LValueToRValue && !is_address) return {};
    } else if (!llvm::isa<clang::ParenExpr>(around) && !llvm::isa<clang::MemberExpr>(around)) {
      break;
    }
  }
  if (!is_address) return {};
  return {
      {},
      is_complete ? "the address of an element is taken" : "it is used without all its subscripts"};
}

// True if the pointer whose value is around the levels is used as *p or p[0].
bool array_uses::is_accessed_at_once(std::size_t levels) const {
  for (; outer(levels) != nullptr; ++levels) {
    const clang::Stmt* const around = outer(levels);
    if (const auto* const element = llvm::dyn_cast<clang::ArraySubscriptExpr>(around)) {
      const auto* const number =
          llvm::dyn_cast<clang::IntegerLiteral>(element->getIdx()->IgnoreParenImpCasts());
      return number != nullptr && number->getValue() == 0 &&
             element->getBase() == outer(levels - 1);
    }
    if (const auto* const taken = llvm::dyn_cast<clang::UnaryOperator>(around))
      return taken->getOpcode() == clang::UO_Deref;
    if (!llvm::isa<clang::ParenExpr>(around) && !llvm::isa<clang::ImplicitCastExpr>(around))
      return false;
  }
  return false;
}

// The atomics of CUDA and HIP access the element whose address they are given, and no other.
// True if the value of the call at this level is an operand of inline assembly that accesses one
// piece there, or initializes a variable that is nothing else.
bool array_uses::is_operand_of_assembly(std::size_t levels) const {
  const auto* const value = llvm::dyn_cast<clang::Expr>(outer(levels));
  const clang::Stmt* around = nullptr;
  for (std::size_t level = levels + 1; (around = outer(level)) != nullptr; ++level)
    if (!llvm::isa<clang::CastExpr>(around) && !llvm::isa<clang::ParenExpr>(around)) break;
  if (around == nullptr) return false;
  if (const auto* const assembly = llvm::dyn_cast<clang::GCCAsmStmt>(around))
    return accesses_one_piece(*assembly);
  const auto* const declared = llvm::dyn_cast<clang::DeclStmt>(around);
  const auto* const variable = declared == nullptr || !declared->isSingleDecl()
                                   ? nullptr
                                   : llvm::dyn_cast<clang::VarDecl>(declared->getSingleDecl());
  if (variable == nullptr || variable->getInit() == nullptr ||
      variable->getInit()->IgnoreParenCasts() != value->IgnoreParenCasts())
    return false;
  uses_in_assembly uses(*variable);
  uses.visit_all(open_.front());
  return uses.are_all;
}

other_use array_uses::given_to(const clang::CallExpr& call, std::size_t levels,
                               bool is_element) const {
  const clang::FunctionDecl* const called = call.getDirectCallee();
  if (called == nullptr) return {{}, "it is passed to a function"};
  const std::string name = called->getNameAsString();
  const bool is_of_user = context_.getSourceManager().isInMainFile(called->getLocation());
  if (is_element && name.rfind("atomic", 0) == 0 && !is_of_user) return {};
  const bool is_address = name == "__cvta_generic_to_shared" && !is_of_user;
  return {{},
          "it is passed to `" + name + "`",
          false,
          is_element && is_address && is_operand_of_assembly(levels),
          0};
}

void array_uses::note(array_source& to, const clang::DeclRefExpr& use, const clang::Expr& whole,
                      const std::vector<const clang::Expr*>& subscripts, other_use unsubscripted) {
  const clang::SourceRange range = whole.getSourceRange();
  const source_piece place = place_of_tokens(context_, range, use.getDecl()->getNameAsString());
  unsubscripted.where = place;
  if (!unsubscripted.what.empty() && !has_place(to.others, place))
    to.others.push_back(unsubscripted);
  if (subscripts.empty()) return;
  subscripted_use one;
  if (const auto text = piece_of_tokens(context_, range)) one.where = *text;
  one.base = base_in(one.where.text, use.getDecl()->getNameAsString());
  for (const clang::Expr* const each : subscripts) {
    if (const auto text = piece_of_tokens(context_, each->getSourceRange()))
      one.subscripts.push_back(text_of_operand(*each, text->text));
    one.has_effects = one.has_effects || has_effects(context_, *each);
  }
  if (one.where.line == 0 || one.subscripts.size() != subscripts.size()) {
    one.where = place;  // a macro has the subscripts
    one.subscripts.clear();
  }
  if (!has_place(to.uses, one.where)) to.uses.push_back(one);
}

}  // namespace compiled
