// SPDX-License-Identifier: MIT
#include "cast_alignment.hpp"

#include <llvm/ADT/SetVector.h>

#include "syntax_visitor.hpp"

namespace compiled {

namespace {

class cast_visitor : public code_visitor {
 public:
  cast_visitor(clang::ASTContext& context, const linkage_names& left_out)
      : code_visitor(left_out), context_(context) {}

  bool VisitCastExpr(clang::CastExpr* cast) override {
    if (!llvm::isa<clang::ExplicitCastExpr>(cast) || cast->isTypeDependent() ||
        cast->getSubExpr()->isTypeDependent())
      return true;
    const clang::QualType type = cast->getType(), source_type = cast->getSubExpr()->getType();
    if (cast->getCastKind() == clang::CK_LValueBitCast
            ? is_more_aligned(type, source_type)
            : cast->getCastKind() == clang::CK_BitCast && type->isPointerType() &&
                  source_type->isPointerType() &&
                  is_more_aligned(type->getPointeeType(), source_type->getPointeeType()))
      casts.insert(cast);
    return true;
  }

  llvm::SetVector<clang::CastExpr*> casts;  // an instance is visited with its template too

 private:
  bool is_more_aligned(clang::QualType type, clang::QualType source_type) const {
    // Clang itself does not look through a cast of a void*.
    const auto has_alignment = [](clang::QualType pointee) {
      return !pointee->isIncompleteType() && !pointee->isFunctionType();
    };
    if (!has_alignment(type) || !has_alignment(source_type)) return false;
    return context_.getTypeAlignInChars(type) > context_.getTypeAlignInChars(source_type);
  }

  clang::ASTContext& context_;
};

// Clang looks through casts and & for a declaration, and not through a unary +.
clang::Expr* hidden_pointer(const clang::ASTContext& context, clang::Expr* pointer) {
  return clang::UnaryOperator::Create(context, pointer, clang::UO_Plus, pointer->getType(),
                                      clang::VK_PRValue, clang::OK_Ordinary, pointer->getBeginLoc(),
                                      false, clang::FPOptionsOverride());
}

// *(T*)+&object
clang::Expr* hidden_object(const clang::ASTContext& context, clang::Expr* object,
                           clang::QualType type) {
  const clang::SourceLocation place = object->getBeginLoc();
  const clang::FPOptionsOverride no_options;
  clang::Expr* const address = clang::UnaryOperator::Create(
      context, object, clang::UO_AddrOf, context.getPointerType(object->getType()),
      clang::VK_PRValue, clang::OK_Ordinary, place, false, no_options);
  const clang::QualType pointer = context.getPointerType(type);
  clang::Expr* const cast = clang::CStyleCastExpr::Create(
      context, pointer, clang::VK_PRValue, clang::CK_BitCast, hidden_pointer(context, address),
      nullptr, no_options, context.getTrivialTypeSourceInfo(pointer), place, place);
  return clang::UnaryOperator::Create(context, cast, clang::UO_Deref, type, clang::VK_LValue,
                                      clang::OK_Ordinary, place, false, no_options);
}

}  // namespace

cast_alignment::cast_alignment(clang::ASTContext& context,
                               const std::vector<clang::Decl*>& declarations,
                               const linkage_names& left_out) {
  cast_visitor visitor(context, left_out);
  for (clang::Decl* const declaration : declarations) visitor.visit_all(declaration);
  for (clang::CastExpr* const cast : visitor.casts) {
    clang::Expr* const operand = cast->getSubExpr();
    hidden_.push_back({cast, cast->getCastKind(), operand});
    if (cast->getCastKind() == clang::CK_BitCast) {
      cast->setSubExpr(hidden_pointer(context, operand));
      continue;
    }
    cast->setSubExpr(hidden_object(context, operand, cast->getType()));
    cast->setCastKind(clang::CK_NoOp);
  }
}

cast_alignment::~cast_alignment() {
  for (const hidden_operand& hidden : hidden_) {
    hidden.cast->setSubExpr(hidden.operand);
    hidden.cast->setCastKind(hidden.kind);
  }
}

}  // namespace compiled
