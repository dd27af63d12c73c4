// SPDX-License-Identifier: MIT
#include "pointer_uses.hpp"

#include <clang/AST/Stmt.h>

#include <algorithm>
#include <string>

#include "syntax_visitor.hpp"

namespace compiled {

namespace {

// Without a distance from an operand: [%0], not [%0 + 16], nor an address that is computed; and no
// instruction that copies more than a piece.
bool accesses_one_piece(const clang::GCCAsmStmt& assembly) {
  const llvm::StringRef text = assembly.getAsmString()->getString();
  constexpr llvm::StringLiteral others[] = {"+",   "add.", "sub.", "mad.", "xor.",
                                            "or.", "shl.", "bulk", "wmma."};
  return std::none_of(std::begin(others), std::end(others), [&](llvm::StringRef other) {
    return text.find(other) != llvm::StringRef::npos;
  });
}

// Whether a variable is nothing but an operand of inline assembly that accesses one piece there.
class uses_in_assembly : public syntax_visitor {
 public:
  explicit uses_in_assembly(const clang::VarDecl& variable) : variable_(variable) {}
  bool are_all = true;

  bool enter(clang::Stmt* statement) override {
    open_.enter(statement);
    return true;
  }
  void leave(clang::Stmt*) override { open_.leave(); }
  bool VisitDeclRefExpr(clang::DeclRefExpr* use) override {
    if (use->getDecl() != &variable_) return true;
    std::size_t level = 1;
    while (llvm::isa_and_nonnull<clang::CastExpr>(open_.outer(level)) ||
           llvm::isa_and_nonnull<clang::ParenExpr>(open_.outer(level)))
      ++level;
    const auto* const assembly = llvm::dyn_cast_or_null<clang::GCCAsmStmt>(open_.outer(level));
    are_all = are_all && assembly != nullptr && accesses_one_piece(*assembly);
    return true;
  }

 private:
  const clang::VarDecl& variable_;
  open_statements open_;
};

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

bool is_subscript_zero(const clang::ArraySubscriptExpr& element, const clang::Stmt* base) {
  const auto* const number =
      llvm::dyn_cast<clang::IntegerLiteral>(element.getIdx()->IgnoreParenImpCasts());
  return number != nullptr && number->getValue() == 0 && element.getBase() == base;
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

bool converts_to_shared(const clang::FunctionDecl& function, int depth) {
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
         converts_to_shared(*call->getDirectCallee(), depth + 1);
}

std::optional<piece_access> access_by(const clang::ASTContext& context, const clang::CallExpr& call,
                                      unsigned argument, int depth);
std::optional<piece_access> access_by(const clang::ASTContext& context, const open_statements& open,
                                      std::size_t levels, int depth);

// What a function does with a pointer of its own, if each use is an access of one piece.
class uses_of_pointer : public syntax_visitor {
 public:
  uses_of_pointer(const clang::ASTContext& context, const clang::VarDecl& pointer, int depth)
      : context_(context), pointer_(pointer), depth_(depth) {}
  std::optional<piece_access> access = piece_access();

  bool enter(clang::Stmt* statement) override {
    open_.enter(statement);
    return true;
  }
  void leave(clang::Stmt*) override { open_.leave(); }
  bool VisitDeclRefExpr(clang::DeclRefExpr* use) override {
    if (use->getDecl() != &pointer_) return true;
    const auto found = access_of_use();
    if (!found)
      access.reset();
    else if (access)
      access->bytes = std::max(access->bytes, found->bytes);
    return access.has_value();
  }

 private:
  std::optional<piece_access> access_of_use() const {
    std::size_t level = 1;
    while (llvm::isa_and_nonnull<clang::CastExpr>(open_.outer(level)) ||
           llvm::isa_and_nonnull<clang::ParenExpr>(open_.outer(level)))
      ++level;
    const clang::Stmt* const parent = open_.outer(level);
    if (parent == nullptr) return {};
    if (is_accessed_at_once(open_, level))
      return piece_access{
          bytes_pointed_to(context_, llvm::cast<clang::Expr>(open_.outer(level - 1))->getType())};
    if (const auto* const assembly = llvm::dyn_cast<clang::GCCAsmStmt>(parent))
      return accesses_one_piece(*assembly) ? std::optional(piece_access()) : std::nullopt;
    if (llvm::isa<clang::DeclStmt>(parent)) return access_by(context_, open_, level, depth_ + 1);
    const auto* const call = llvm::dyn_cast<clang::CallExpr>(parent);
    const auto argument =
        call == nullptr ? std::nullopt : argument_that_is(*call, open_.outer(level - 1));
    if (!argument) return {};
    if (const clang::FunctionDecl* const called = call->getDirectCallee();
        called != nullptr && compiled::converts_to_shared(*called))
      return is_operand_of_assembly(open_, level) ? std::optional(piece_access()) : std::nullopt;
    return access_by(context_, *call, *argument, depth_ + 1);
  }

  const clang::ASTContext& context_;
  const clang::VarDecl& pointer_;
  int depth_;
  open_statements open_;
};

std::optional<piece_access> access_by(const clang::ASTContext& context, const clang::CallExpr& call,
                                      unsigned argument, int depth) {
  const clang::FunctionDecl* const called = call.getDirectCallee();
  if (called == nullptr || depth > deepest_call) return {};
  // CUDA C++ Programming Guide, "Pipeline Interface": 4, 8 or 16 bytes, aligned to as many.
  if (called->getNameAsString() == "__pipeline_memcpy_async" && argument < 2 &&
      call.getNumArgs() > 2) {
    clang::Expr::EvalResult size;
    const clang::Expr* const bytes = call.getArg(2);
    if (bytes->isValueDependent() || !bytes->EvaluateAsInt(size, context)) return {};
    return piece_access{static_cast<int>(size.Val.getInt().getExtValue())};
  }
  const clang::FunctionDecl* definition = nullptr;
  if (called->getBody(definition) == nullptr || argument >= definition->getNumParams()) return {};
  uses_of_pointer uses(context, *definition->getParamDecl(argument), depth);
  uses.visit_all(definition->getBody());
  return uses.access;
}

std::optional<piece_access> access_by(const clang::ASTContext& context, const open_statements& open,
                                      std::size_t levels, int depth) {
  const clang::VarDecl* const pointer = variable_defined_by(open, levels);
  if (pointer == nullptr || !pointer->getType()->isPointerType() || depth > deepest_call) return {};
  uses_of_pointer uses(context, *pointer, depth);
  uses.visit_all(open.outermost());
  return uses.access;
}

}  // namespace

std::optional<unsigned> argument_that_is(const clang::CallExpr& call,
                                         const clang::Stmt* statement) {
  for (unsigned number = 0; number < call.getNumArgs(); ++number)
    if (call.getArg(number) == statement) return number;
  return {};
}

int bytes_pointed_to(const clang::ASTContext& context, clang::QualType type) {
  const clang::QualType pointee = type->getPointeeType();
  const bool is_known = !pointee.isNull() && !pointee->isDependentType() &&
                        !pointee->isIncompleteType() && !pointee->isFunctionType() &&
                        !pointee->isVoidType();
  return is_known ? static_cast<int>(context.getTypeSizeInChars(pointee).getQuantity()) : 0;
}

bool is_accessed_at_once(const open_statements& open, std::size_t levels) {
  for (; open.outer(levels) != nullptr; ++levels) {
    const clang::Stmt* const parent = open.outer(levels);
    if (const auto* const element = llvm::dyn_cast<clang::ArraySubscriptExpr>(parent))
      return is_subscript_zero(*element, open.outer(levels - 1));
    if (const auto* const unary = llvm::dyn_cast<clang::UnaryOperator>(parent))
      return unary->getOpcode() == clang::UO_Deref;
    if (!llvm::isa<clang::ParenExpr>(parent) && !llvm::isa<clang::ImplicitCastExpr>(parent))
      return false;
  }
  return false;
}

bool is_operand_of_assembly(const open_statements& open, std::size_t levels) {
  std::size_t level = levels + 1;
  while (llvm::isa_and_nonnull<clang::CastExpr>(open.outer(level)) ||
         llvm::isa_and_nonnull<clang::ParenExpr>(open.outer(level)))
    ++level;
  if (const auto* const assembly = llvm::dyn_cast_or_null<clang::GCCAsmStmt>(open.outer(level)))
    return accesses_one_piece(*assembly);
  const clang::VarDecl* const variable = variable_defined_by(open, level);
  if (variable == nullptr) return false;
  uses_in_assembly uses(*variable);
  uses.visit_all(open.outermost());
  return uses.are_all;
}

bool converts_to_shared(const clang::FunctionDecl& function) {
  return converts_to_shared(function, 0);
}

std::optional<piece_access> access_by_call(const clang::ASTContext& context,
                                           const clang::CallExpr& call, unsigned argument) {
  return access_by(context, call, argument, 0);
}

std::optional<piece_access> access_by_variable(const clang::ASTContext& context,
                                               const open_statements& open, std::size_t levels) {
  return access_by(context, open, levels, 0);
}

}  // namespace compiled
