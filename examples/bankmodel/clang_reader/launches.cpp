// SPDX-License-Identifier: MIT
#include "launches.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/Support/raw_ostream.h>

#include <map>

namespace compiled {

namespace {

using dimensions = std::array<unsigned, 3>;

const clang::Expr* without_conversions(const clang::Expr* of) {
  for (;;) {
    const clang::Expr* inner = of->IgnoreParenCasts()->IgnoreImplicit();
    if (inner == of) return of;
    of = inner;
  }
}

const clang::VarDecl* variable_of(const clang::Expr* of) {
  const auto* const named = llvm::dyn_cast<clang::DeclRefExpr>(without_conversions(of));
  return named == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(named->getDecl());
}

class launch_finder : public clang::RecursiveASTVisitor<launch_finder> {
 public:
  explicit launch_finder(clang::ASTContext& context) : context_(context) {}

  std::vector<const clang::CUDAKernelCallExpr*> calls;

  // NOLINTBEGIN(readability-identifier-naming): Clang calls these by name.
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr* call) {
    if (call->getDirectCallee() != nullptr && !call->isTypeDependent()) calls.push_back(call);
    return true;
  }
  // A variable keeps its first value if it is only read: all its uses are among these.
  bool VisitDeclRefExpr(clang::DeclRefExpr* use) {
    if (const auto* const variable = llvm::dyn_cast<clang::VarDecl>(use->getDecl()))
      ++uses_[variable];
    return true;
  }
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr* cast) {
    if (cast->getCastKind() != clang::CK_LValueToRValue) return true;
    const clang::Expr* from = cast->getSubExpr()->IgnoreParens();
    if (const auto* const member = llvm::dyn_cast<clang::MemberExpr>(from))
      from = member->getBase()->IgnoreParens();
    count_read(from);
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* made) {
    if (made->getConstructor()->isCopyOrMoveConstructor() && made->getNumArgs() == 1)
      count_read(made->getArg(0)->IgnoreParenImpCasts());
    return true;
  }
  // NOLINTEND(readability-identifier-naming)

  std::optional<long long> number(const clang::Expr* of) const {
    clang::Expr::EvalResult value;
    if (of->isValueDependent()) return std::nullopt;
    if (!of->containsErrors() && of->EvaluateAsInt(value, context_))
      return value.Val.getInt().getExtValue();
    of = without_conversions(of);
    if (const clang::VarDecl* const variable = variable_of(of)) {
      const clang::Expr* const first = first_value(variable);
      return first == nullptr ? std::nullopt : number(first);
    }
    if (const auto* const member = llvm::dyn_cast<clang::MemberExpr>(of)) {
      const auto all = dims(member->getBase());
      const auto name = member->getMemberDecl()->getName();
      if (all && name.size() == 1 && name[0] >= 'x' && name[0] <= 'z')
        return (*all)[static_cast<std::size_t>(name[0] - 'x')];
    }
    if (const auto* const both = llvm::dyn_cast<clang::BinaryOperator>(of)) {
      const auto left = number(both->getLHS()), right = number(both->getRHS());
      if (left && right) return combined(both->getOpcode(), *left, *right);
    }
    return std::nullopt;
  }

  std::optional<dimensions> dims(const clang::Expr* of) const {
    of = without_conversions(of);
    if (of->containsErrors()) return std::nullopt;
    if (const auto* const cast = llvm::dyn_cast<clang::CXXConstructExpr>(of)) {
      if (cast->getNumArgs() == 1 && !cast->getArg(0)->getType()->isIntegralOrEnumerationType() &&
          !cast->getArg(0)->getType()->isFloatingType())
        return dims(cast->getArg(0));
      dimensions result = {1, 1, 1};
      if (cast->getNumArgs() > 3) return std::nullopt;
      for (unsigned at = 0; at < cast->getNumArgs(); ++at) {
        const auto value = number(cast->getArg(at));
        if (!value || *value < 0) return std::nullopt;
        result[at] = static_cast<unsigned>(*value);
      }
      return result;
    }
    if (const clang::VarDecl* const variable = variable_of(of);
        variable != nullptr && variable->getType()->isRecordType()) {
      const clang::Expr* const first = first_value(variable);
      return first == nullptr ? std::nullopt : dims(first);
    }
    if (!of->getType()->isIntegralOrEnumerationType()) return std::nullopt;
    const auto value = number(of);
    if (!value || *value < 0) return std::nullopt;
    return dimensions{static_cast<unsigned>(*value), 1, 1};
  }

 private:
  void count_read(const clang::Expr* from) {
    if (const auto* const named = llvm::dyn_cast<clang::DeclRefExpr>(from))
      if (const auto* const variable = llvm::dyn_cast<clang::VarDecl>(named->getDecl()))
        ++reads_[variable];
  }
  const clang::Expr* first_value(const clang::VarDecl* variable) const {
    const auto used = uses_.find(variable), read = reads_.find(variable);
    if (used == uses_.end() || read == reads_.end() || used->second != read->second) return nullptr;
    return variable->getInit();
  }
  static std::optional<long long> combined(clang::BinaryOperatorKind what, long long left,
                                           long long right) {
    switch (what) {
      case clang::BO_Add: return left + right;
      case clang::BO_Sub: return left - right;
      case clang::BO_Mul: return left * right;
      case clang::BO_Div: return right > 0 ? std::optional(left / right) : std::nullopt;
      case clang::BO_Rem: return right > 0 ? std::optional(left % right) : std::nullopt;
      case clang::BO_Shl:
        return right >= 0 && right < 32 ? std::optional(left << right) : std::nullopt;
      case clang::BO_Shr:
        return right >= 0 && right < 32 ? std::optional(left >> right) : std::nullopt;
      default: return std::nullopt;
    }
  }

  clang::ASTContext& context_;
  std::map<const clang::VarDecl*, int> uses_, reads_;
};

}  // namespace

std::string kernel_name(const clang::FunctionDecl& kernel) {
  std::string result;
  llvm::raw_string_ostream out(result);
  const clang::PrintingPolicy policy(kernel.getASTContext().getLangOpts());
  kernel.getNameForDiagnostic(out, policy, true);
  return out.str();
}

std::vector<launch_of> find_launches(clang::ASTContext& context,
                                     const std::vector<clang::Decl*>& declarations) {
  launch_finder finder(context);
  const clang::SourceManager& files = context.getSourceManager();
  for (clang::Decl* const each : declarations)
    if (!files.isInSystemHeader(each->getLocation())) finder.TraverseDecl(each);

  std::vector<launch_of> result;
  for (const clang::CUDAKernelCallExpr* const call : finder.calls) {
    const clang::FunctionDecl* const kernel = call->getDirectCallee();
    const clang::CallExpr* const how = call->getConfig();
    found_launch one;
    one.kernel = kernel_name(*kernel);
    if (how != nullptr && how->getNumArgs() >= 2) {
      one.grid = finder.dims(how->getArg(0));
      one.block = finder.dims(how->getArg(1));
      one.dynamic_shared_bytes = 0;
      if (how->getNumArgs() >= 3) one.dynamic_shared_bytes = finder.number(how->getArg(2));
    }
    const clang::PresumedLoc where =
        files.getPresumedLoc(files.getExpansionLoc(call->getBeginLoc()));
    if (where.isValid()) {
      one.file = where.getFilename();
      one.line = static_cast<int>(where.getLine());
      one.column = static_cast<int>(where.getColumn());
    }
    result.push_back({std::move(one), kernel->getCanonicalDecl()});
  }
  return result;
}

}  // namespace compiled
