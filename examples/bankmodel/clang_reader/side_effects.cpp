// SPDX-License-Identifier: MIT
#include "side_effects.hpp"

#include <algorithm>

#include "pointer_uses.hpp"
#include "syntax_visitor.hpp"

namespace compiled {

namespace {

class effect_finder : public syntax_visitor {
 public:
  bool has_effects = false;
  bool VisitCallExpr(clang::CallExpr* call) override {
    const clang::FunctionDecl* const called = call->getDirectCallee();
    const bool is_of_cuda =
        called != nullptr && compiled::is_of_library(*called) &&
        std::none_of(called->param_begin(), called->param_end(), [](const auto* parameter) {
          const clang::QualType pointee = parameter->getType()->getPointeeType();
          return !pointee.isNull() && !pointee.isConstQualified();
        });
    return note(!is_of_cuda);
  }
  bool VisitUnaryOperator(clang::UnaryOperator* operation) override {
    return note(operation->isIncrementDecrementOp());
  }
  bool VisitBinaryOperator(clang::BinaryOperator* operation) override {
    return note(operation->isAssignmentOp());
  }
  bool VisitCastExpr(clang::CastExpr* cast) override {
    return note(cast->getCastKind() == clang::CK_LValueToRValue &&
                cast->getSubExpr()->getType().isVolatileQualified());
  }

 private:
  bool note(bool is_effect) {
    has_effects = has_effects || is_effect;
    return !has_effects;
  }
};

}  // namespace

bool has_effects(const clang::ASTContext& context, const clang::Expr& expression) {
  if (expression.HasSideEffects(context, false)) return true;
  effect_finder finder;
  finder.visit_all(&expression);
  return finder.has_effects;
}

}  // namespace compiled
