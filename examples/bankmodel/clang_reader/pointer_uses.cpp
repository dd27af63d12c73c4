// SPDX-License-Identifier: MIT
#include "pointer_uses.hpp"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <string>

#include "spelled_names.hpp"
#include "syntax_visitor.hpp"

namespace compiled {

namespace {

// The bytes that an instruction of inline assembly accesses at an address at most, of what a lane
// can access at once; that many if its text does not say them.
int bytes_of_access(llvm::StringRef text) {
  constexpr int most = 16;
  if (text.find("cp.async") != llvm::StringRef::npos ||
      text.find("matrix") != llvm::StringRef::npos)
    return most;
  int vector = 1, widest = 0;
  for (std::size_t dot = text.find('.'); dot != llvm::StringRef::npos;
       dot = text.find('.', dot + 1)) {
    const llvm::StringRef word =
        text.substr(dot + 1).take_while([](char letter) { return llvm::isAlnum(letter); });
    int bits = 0;
    if (word == "v2" || word == "v4" || word == "v8") vector = word[1] - '0';
    if (word.size() > 1 && !word.substr(1).getAsInteger(10, bits) &&
        llvm::StringRef("bsuf").find(word[0]) != llvm::StringRef::npos)
      widest = std::max(widest, bits / 8);
  }
  return widest == 0 ? most : std::min(vector * widest, most);
}

std::size_t times_of(llvm::StringRef text, llvm::StringRef part) {
  std::size_t result = 0;
  for (std::size_t place = text.find(part); place != llvm::StringRef::npos;
       place = text.find(part, place + part.size())) {
    const std::size_t end = place + part.size();  // %1 is no part of %12
    result += end == text.size() || text[end] < '0' || text[end] > '9' ? 1 : 0;
  }
  return result;
}

// What assembly does with the memory that begins where an operand points: nothing if it has the
// operand elsewhere than as an address of its own, "[%0]", or may copy more than a piece.
std::optional<piece_access> access_of_operand(const clang::GCCAsmStmt& assembly,
                                              const clang::Expr* value) {
  const llvm::StringRef text = assembly.getAsmString()->getString();
  for (const llvm::StringRef other : {"bulk", "wmma."})
    if (text.find(other) != llvm::StringRef::npos) return {};
  for (unsigned input = 0; input < assembly.getNumInputs(); ++input) {
    if (assembly.getInputExpr(input)->IgnoreParenCasts() != value->IgnoreParenCasts()) continue;
    const std::string number = "%" + std::to_string(assembly.getNumOutputs() + input);
    const std::size_t uses = times_of(text, number);
    if (!assembly.getInputName(input).empty() || uses == 0 ||
        uses != times_of(text, "[" + number + "]"))
      return {};
    return piece_access{bytes_of_access(text)};
  }
  return {};
}

// The only variable of the declaration at this level, if its value is the one below; else null.
const clang::VarDecl* variable_defined_by(const open_statements& open, std::size_t levels) {
  const auto* const value = llvm::dyn_cast_or_null<clang::Expr>(open.outer(levels - 1));
  const auto* const declared = llvm::dyn_cast_or_null<clang::DeclStmt>(open.outer(levels));
  const auto* const variable = declared == nullptr || !declared->isSingleDecl()
                                   ? nullptr
                                   : llvm::dyn_cast<clang::VarDecl>(declared->getSingleDecl());
  const bool is_value = variable != nullptr && variable->getInit() != nullptr && value != nullptr &&
                        variable->getInit()->IgnoreParenCasts() == value->IgnoreParenCasts();
  return is_value ? variable : nullptr;
}

// Casts and parentheses around the level, and what is around them.
std::size_t outside_of_casts(const open_statements& open, std::size_t level) {
  while (llvm::isa_and_nonnull<clang::CastExpr>(open.outer(level)) ||
         llvm::isa_and_nonnull<clang::ParenExpr>(open.outer(level)))
    ++level;
  return level;
}

// What an operand of assembly is there whose value is below the level.
std::optional<piece_access> access_by_assembly(const open_statements& open, std::size_t level) {
  const auto* const assembly = llvm::dyn_cast_or_null<clang::GCCAsmStmt>(open.outer(level));
  return assembly == nullptr
             ? std::nullopt
             : access_of_operand(*assembly, llvm::cast<clang::Expr>(open.outer(level - 1)));
}

// The access that all uses of a variable are together, if each is one; `access_of_use(open)`
// returns that of the use that is visited.
template <class AccessOfUse>
class uses_of_variable : public syntax_visitor {
 public:
  uses_of_variable(const clang::ASTContext& context, const clang::VarDecl& variable,
                   const AccessOfUse& access_of_use)
      : variable_(variable), names_(context), access_of_use_(access_of_use) {
    names_.add(variable.getLocation());
  }
  // `text`: of the statement, or of the function whose parameter the variable is.
  std::optional<piece_access> all_in(const clang::Stmt& statement, clang::SourceRange text) {
    visit_all(&statement);
    return names_.are_all_in(text, variable_.getNameAsString()) ? access_ : std::nullopt;
  }

  bool enter(clang::Stmt* statement) override {
    open_.enter(statement);
    return true;
  }
  void leave(clang::Stmt*) override { open_.leave(); }
  bool VisitDeclRefExpr(clang::DeclRefExpr* use) override {
    if (use->getDecl() != &variable_) return true;
    names_.add(use->getLocation());
    const std::optional<piece_access> access = access_of_use_(open_);
    if (!access)
      access_.reset();
    else if (access_)
      access_->bytes = std::max(access_->bytes, access->bytes);
    return access_.has_value();
  }

 private:
  const clang::VarDecl& variable_;
  known_names names_;
  const AccessOfUse& access_of_use_;
  std::optional<piece_access> access_ = piece_access();
  open_statements open_;
};

// Of a variable of the function whose body is the outermost statement.
template <class AccessOfUse>
std::optional<piece_access> access_of_variable(const clang::ASTContext& context,
                                               const clang::VarDecl& variable,
                                               const open_statements& open,
                                               const AccessOfUse& access_of_use) {
  return uses_of_variable(context, variable, access_of_use)
      .all_in(*open.outermost(), open.outermost()->getSourceRange());
}
// Of a parameter of a function that has a body.
template <class AccessOfUse>
std::optional<piece_access> access_of_parameter(const clang::ASTContext& context,
                                                const clang::FunctionDecl& definition,
                                                unsigned parameter,
                                                const AccessOfUse& access_of_use) {
  if (parameter >= definition.getNumParams()) return {};
  return uses_of_variable(context, *definition.getParamDecl(parameter), access_of_use)
      .all_in(*definition.getBody(), definition.getSourceRange());
}

bool is_subscript_zero(const clang::ArraySubscriptExpr& element, const clang::Stmt* base) {
  const auto* const number =
      llvm::dyn_cast<clang::IntegerLiteral>(element.getIdx()->IgnoreParenImpCasts());
  return number != nullptr && number->getValue() == 0 && element.getBase() == base;
}

// The bytes of a type whose objects are aligned to as many; 0 of others.
int bytes_if_aligned(const clang::ASTContext& context, clang::QualType type) {
  if (type->isDependentType() || type->isIncompleteType() || type->isFunctionType() ||
      type->isVoidType())
    return 0;
  const auto bytes = context.getTypeSizeInChars(type),
             alignment = context.getTypeAlignInChars(type);
  return alignment < bytes ? 0 : static_cast<int>(bytes.getQuantity());
}

// More functions in each other than anybody writes; a function may call itself.
constexpr int deepest_call = 4;

// The value that the body returns, if it does nothing else: return f(p); or x = f(p); return x;.
const clang::Expr* returned_value(const clang::FunctionDecl& definition) {
  const auto* const body = llvm::dyn_cast_or_null<clang::CompoundStmt>(definition.getBody());
  if (body == nullptr || body->size() == 0 || body->size() > 2) return nullptr;
  const auto* const last = llvm::dyn_cast<clang::ReturnStmt>(body->body_back());
  const clang::Expr* const value = last == nullptr || last->getRetValue() == nullptr
                                       ? nullptr
                                       : last->getRetValue()->IgnoreParenCasts();
  if (value == nullptr || body->size() == 1) return value;
  const auto* const name = llvm::dyn_cast<clang::DeclRefExpr>(value);
  const auto* const declared = llvm::dyn_cast<clang::DeclStmt>(body->body_front());
  if (name == nullptr || declared == nullptr || !declared->isSingleDecl() ||
      declared->getSingleDecl() != name->getDecl())
    return nullptr;
  const clang::Expr* const first = llvm::cast<clang::VarDecl>(name->getDecl())->getInit();
  return first == nullptr ? nullptr : first->IgnoreParenCasts();
}

bool converts_within(const clang::FunctionDecl& function, int depth) {
  if (function.getNameAsString() == "__cvta_generic_to_shared") return true;
  const clang::FunctionDecl* definition = nullptr;
  if (depth > deepest_call || function.getBody(definition) == nullptr ||
      definition->getNumParams() != 1)
    return false;
  const auto* const call = llvm::dyn_cast_or_null<clang::CallExpr>(returned_value(*definition));
  if (call == nullptr || call->getDirectCallee() == nullptr || call->getNumArgs() != 1)
    return false;
  const auto* const given = llvm::dyn_cast<clang::DeclRefExpr>(call->getArg(0)->IgnoreParenCasts());
  return given != nullptr && given->getDecl() == definition->getParamDecl(0) &&
         converts_within(*call->getDirectCallee(), depth + 1);
}

std::optional<piece_access> access_by(const clang::ASTContext& context, const clang::CallExpr& call,
                                      unsigned parameter, int depth);
std::optional<piece_access> access_by(const clang::ASTContext& context, const open_statements& open,
                                      std::size_t levels, int depth);
std::optional<piece_access> at_once(const clang::ASTContext& context, const open_statements& open,
                                    std::size_t level, int depth);

// Of a use of a pointer.
std::optional<piece_access> access_by_pointer(const clang::ASTContext& context,
                                              const open_statements& open, int depth) {
  const std::size_t level = outside_of_casts(open, 1);
  const clang::Stmt* const parent = open.outer(level);
  if (parent == nullptr) return {};
  if (const auto found = at_once(context, open, level, depth + 1)) return found;
  if (llvm::isa<clang::GCCAsmStmt>(parent)) return access_by_assembly(open, level);
  if (llvm::isa<clang::DeclStmt>(parent)) return access_by(context, open, level, depth + 1);
  const auto* const call = llvm::dyn_cast<clang::CallExpr>(parent);
  const auto parameter =
      call == nullptr ? std::nullopt : parameter_given(*call, open.outer(level - 1));
  if (!parameter) return {};
  if (const clang::FunctionDecl* const called = call->getDirectCallee();
      called != nullptr && converts_to_shared(*called))
    return access_in_assembly(context, open, level);
  return access_by(context, *call, *parameter, depth + 1);
}

std::optional<piece_access> access_by(const clang::ASTContext& context, const clang::CallExpr& call,
                                      unsigned parameter, int depth) {
  const clang::FunctionDecl* const called = call.getDirectCallee();
  if (called == nullptr || depth > deepest_call) return {};
  // CUDA C++ Programming Guide, "Pipeline Interface": 4, 8 or 16 bytes, aligned to as many.
  if (called->getNameAsString() == "__pipeline_memcpy_async" && parameter < 2 &&
      call.getNumArgs() > 2) {
    clang::Expr::EvalResult size;
    const clang::Expr* const bytes = call.getArg(2);
    if (bytes->isValueDependent() || !bytes->EvaluateAsInt(size, context)) return {};
    return piece_access{static_cast<int>(size.Val.getInt().getExtValue())};
  }
  const clang::FunctionDecl* definition = nullptr;
  if (called->getBody(definition) == nullptr) return {};
  return access_of_parameter(context, *definition, parameter, [&](const open_statements& open) {
    return access_by_pointer(context, open, depth);
  });
}

std::optional<piece_access> access_by(const clang::ASTContext& context, const open_statements& open,
                                      std::size_t levels, int depth) {
  const clang::VarDecl* const pointer = variable_defined_by(open, levels);
  if (pointer == nullptr || !pointer->getType()->isPointerType() || depth > deepest_call) return {};
  return access_of_variable(context, *pointer, open, [&](const open_statements& around) {
    return access_by_pointer(context, around, depth);
  });
}

}  // namespace

namespace {

// The first argument of f(x), where that is a call of an object's operator(), is the object.
unsigned objects_among(const clang::CallExpr& call) {
  const auto* const method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(call.getDirectCallee());
  return llvm::isa<clang::CXXOperatorCallExpr>(call) && method != nullptr && !method->isStatic()
             ? 1
             : 0;
}

std::optional<piece_access> of_lvalue(const clang::ASTContext& context, const open_statements& open,
                                      std::size_t level, int depth);

// Of the lvalue that is an argument of the call at this level.
std::optional<piece_access> of_argument(const clang::ASTContext& context,
                                        const open_statements& open, const clang::CallExpr& call,
                                        std::size_t level, int depth) {
  const clang::FunctionDecl* const called = call.getDirectCallee();
  if (called == nullptr) return {};
  const auto* const method = llvm::dyn_cast<clang::CXXMethodDecl>(called);
  const bool is_copy = method != nullptr && method->isTrivial() &&
                       (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator());
  // std::addressof()
  const bool returns_address = method == nullptr && called->getReturnType()->isPointerType();
  if (is_copy || is_of_library(*called))
    return returns_address ? std::nullopt : std::optional(piece_access());
  const clang::FunctionDecl* definition = nullptr;
  const auto parameter = parameter_given(call, open.outer(level - 1));
  if (!parameter || called->getBody(definition) == nullptr) return {};
  return access_of_parameter(context, *definition, *parameter, [&](const open_statements& around) {
    return of_lvalue(context, around, 1, depth + 1);
  });
}

std::optional<piece_access> of_lvalue(const clang::ASTContext& context, const open_statements& open,
                                      std::size_t level, int depth) {
  piece_access result;
  if (depth > deepest_call) return {};
  for (;; ++level) {
    const clang::Stmt* const parent = open.outer(level);
    const clang::Stmt* const child = open.outer(level - 1);
    if (parent == nullptr) return result;
    if (llvm::isa<clang::ParenExpr>(parent)) continue;
    if (const auto* const member = llvm::dyn_cast<clang::MemberExpr>(parent)) {
      const auto* const method = llvm::dyn_cast<clang::CXXMethodDecl>(member->getMemberDecl());
      if (method != nullptr) return is_of_library(*method) ? std::optional(result) : std::nullopt;
      if (member->isArrow()) return {};
      continue;
    }
    if (const auto* const cast = llvm::dyn_cast<clang::CastExpr>(parent)) {
      switch (cast->getCastKind()) {
        case clang::CK_LValueToRValue:
        case clang::CK_ToVoid: return result;
        case clang::CK_NoOp:
        case clang::CK_DerivedToBase:
        case clang::CK_UncheckedDerivedToBase: continue;
        case clang::CK_LValueBitCast: {
          const clang::QualType type = cast->getType();
          const int bytes = bytes_if_aligned(context, type);
          if (bytes == 0) return {};
          result.bytes = std::max(result.bytes, bytes);
          continue;
        }
        case clang::CK_ArrayToPointerDecay: {
          const auto* const element =
              llvm::dyn_cast_or_null<clang::ArraySubscriptExpr>(open.outer(level + 1));
          if (element == nullptr || element->getBase() != parent) return {};
          ++level;
          continue;
        }
        default: return {};
      }
    }
    if (const auto* const chosen = llvm::dyn_cast<clang::ConditionalOperator>(parent)) {
      if (chosen->getCond() == child) return result;
      continue;
    }
    if (const auto* const operation = llvm::dyn_cast<clang::BinaryOperator>(parent))
      return operation->isAssignmentOp() || (operation->isCommaOp() && operation->getLHS() == child)
                 ? std::optional(result)
                 : std::nullopt;
    if (const auto* const unary = llvm::dyn_cast<clang::UnaryOperator>(parent))
      return unary->isIncrementDecrementOp() ? std::optional(result) : std::nullopt;
    if (llvm::isa<clang::UnaryExprOrTypeTraitExpr>(parent)) return result;
    if (const auto* const construction = llvm::dyn_cast<clang::CXXConstructExpr>(parent)) {
      const clang::CXXConstructorDecl& constructor = *construction->getConstructor();
      const bool is_copy = constructor.isCopyOrMoveConstructor() && constructor.isTrivial();
      return is_copy || is_of_library(constructor) ? std::optional(result) : std::nullopt;
    }
    std::optional<piece_access> further;
    const auto* const call = llvm::dyn_cast<clang::CallExpr>(parent);
    const clang::FunctionDecl* const called = call == nullptr ? nullptr : call->getDirectCallee();
    // std::max() returns what it is given.
    if (called != nullptr && is_of_library(*called) && !llvm::isa<clang::CXXMethodDecl>(called) &&
        called->getReturnType()->isReferenceType())
      continue;
    if (call != nullptr)
      further = of_argument(context, open, *call, level, depth);
    else if (const clang::VarDecl* const variable = variable_defined_by(open, level);
             variable != nullptr && variable->getType()->isReferenceType())
      further = access_of_variable(context, *variable, open, [&](const open_statements& around) {
        return of_lvalue(context, around, 1, depth + 1);
      });
    else if (!llvm::isa<clang::Expr>(parent) && !llvm::isa<clang::DeclStmt>(parent) &&
             !llvm::isa<clang::ReturnStmt>(parent))
      further = piece_access();
    if (further) further->bytes = std::max(further->bytes, result.bytes);
    return further;
  }
}

std::optional<piece_access> at_once(const clang::ASTContext& context, const open_statements& open,
                                    std::size_t level, int depth) {
  while (llvm::isa_and_nonnull<clang::ParenExpr>(open.outer(level)) ||
         llvm::isa_and_nonnull<clang::ImplicitCastExpr>(open.outer(level)))
    ++level;
  const clang::Stmt* const parent = open.outer(level);
  const clang::Stmt* const pointer = open.outer(level - 1);
  const auto* const element = llvm::dyn_cast_or_null<clang::ArraySubscriptExpr>(parent);
  const auto* const unary = llvm::dyn_cast_or_null<clang::UnaryOperator>(parent);
  const auto* const member = llvm::dyn_cast_or_null<clang::MemberExpr>(parent);
  const bool is_access = (element != nullptr && is_subscript_zero(*element, pointer)) ||
                         (unary != nullptr && unary->getOpcode() == clang::UO_Deref) ||
                         (member != nullptr && member->isArrow() &&
                          llvm::isa<clang::FieldDecl>(member->getMemberDecl()));
  if (!is_access) return {};
  const int bytes = bytes_pointed_to(context, llvm::cast<clang::Expr>(pointer)->getType());
  std::optional<piece_access> result = of_lvalue(context, open, level + 1, depth);
  if (bytes == 0 || !result) return {};
  result->bytes = std::max(result->bytes, bytes);
  return result;
}

}  // namespace

std::optional<unsigned> parameter_given(const clang::CallExpr& call, const clang::Stmt* statement) {
  const unsigned objects = objects_among(call);
  for (unsigned number = objects; number < call.getNumArgs(); ++number)
    if (call.getArg(number) == statement) return number - objects;
  return {};
}

const clang::Expr* argument_of(const clang::CallExpr& call, unsigned parameter) {
  const unsigned number = parameter + objects_among(call);
  return number < call.getNumArgs() ? call.getArg(number) : nullptr;
}

bool is_piece(int bytes) { return bytes > 0 && bytes <= 16 && (bytes & (bytes - 1)) == 0; }

int bytes_pointed_to(const clang::ASTContext& context, clang::QualType type) {
  const clang::QualType pointee = type->getPointeeType();
  return pointee.isNull() ? 0 : bytes_if_aligned(context, pointee);
}

bool is_of_library(const clang::FunctionDecl& function) {
  const clang::FunctionDecl* const pattern = function.getTemplateInstantiationPattern();
  return (pattern != nullptr ? pattern : &function)->isFromASTFile() ||
         function.getBuiltinID() != 0;
}

std::optional<piece_access> access_in_assembly(const clang::ASTContext& context,
                                               const open_statements& open, std::size_t levels) {
  const std::size_t level = outside_of_casts(open, levels + 1);
  if (llvm::isa_and_nonnull<clang::GCCAsmStmt>(open.outer(level)))
    return access_by_assembly(open, level);
  const clang::VarDecl* const variable = variable_defined_by(open, level);
  if (variable == nullptr) return {};
  return access_of_variable(context, *variable, open, [](const open_statements& around) {
    return access_by_assembly(around, outside_of_casts(around, 1));
  });
}

bool converts_to_shared(const clang::FunctionDecl& function) {
  return converts_within(function, 0);
}

namespace {

std::optional<piece_access> of_piece(const std::optional<piece_access>& access) {
  return access && is_piece(access->bytes) ? access : std::nullopt;
}

}  // namespace

std::optional<piece_access> access_by_call(const clang::ASTContext& context,
                                           const clang::CallExpr& call, unsigned parameter) {
  return of_piece(access_by(context, call, parameter, 0));
}

std::optional<piece_access> access_of_lvalue(const clang::ASTContext& context,
                                             const open_statements& open, std::size_t level) {
  return of_lvalue(context, open, level, 0);
}

std::optional<piece_access> access_at_once(const clang::ASTContext& context,
                                           const open_statements& open, std::size_t level) {
  return at_once(context, open, level, 0);
}

std::optional<piece_access> access_by_variable(const clang::ASTContext& context,
                                               const open_statements& open, std::size_t levels) {
  return of_piece(access_by(context, open, levels, 0));
}

}  // namespace compiled
