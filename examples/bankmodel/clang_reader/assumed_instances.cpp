// SPDX-License-Identifier: MIT
#include "assumed_instances.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Sema/Template.h>

#include <optional>

#include "file_scope.hpp"

namespace compiled {

namespace {

constexpr unsigned assumed_integer = 32;  // the lanes of a warp, and what most sizes divide

bool has_default(const clang::NamedDecl* parameter) {
  if (const auto* const type = llvm::dyn_cast<clang::TemplateTypeParmDecl>(parameter))
    return type->hasDefaultArgument();
  const auto* const value = llvm::dyn_cast<clang::NonTypeTemplateParmDecl>(parameter);
  return value != nullptr && value->hasDefaultArgument();
}

// The argument with its text; absent for a parameter that nothing can be assumed for.
std::optional<std::pair<clang::TemplateArgumentLoc, std::string>> assumed_argument(
    clang::ASTContext& context, const clang::NamedDecl* parameter) {
  const clang::SourceLocation place = parameter->getLocation();
  if (llvm::isa<clang::TemplateTypeParmDecl>(parameter)) {
    clang::TypeSourceInfo* const type = context.getTrivialTypeSourceInfo(context.FloatTy, place);
    return std::pair(clang::TemplateArgumentLoc(clang::TemplateArgument(context.FloatTy), type),
                     std::string("float"));
  }
  const auto* const value = llvm::dyn_cast<clang::NonTypeTemplateParmDecl>(parameter);
  if (value == nullptr) return std::nullopt;
  const clang::QualType type = value->getType();
  clang::Expr* assumed = nullptr;
  std::string text = "true";
  if (type->isBooleanType()) {
#if LLVM_VERSION_MAJOR >= 15
    assumed = clang::CXXBoolLiteralExpr::Create(context, true, context.BoolTy, place);
#else
    assumed = new (context) clang::CXXBoolLiteralExpr(true, context.BoolTy, place);
#endif
  } else if (type->isIntegerType() || type->isDependentType()) {
    if (type->isEnumeralType()) return std::nullopt;
    text = std::to_string(assumed_integer);
    assumed = clang::IntegerLiteral::Create(context, llvm::APInt(32, assumed_integer),
                                            context.IntTy, place);
  } else {
    return std::nullopt;
  }
  return std::pair(clang::TemplateArgumentLoc(clang::TemplateArgument(assumed), assumed), text);
}

std::optional<assumed_instance> defined_instance(clang::Sema& sema,
                                                 clang::FunctionTemplateDecl* declaration) {
  clang::ASTContext& context = sema.getASTContext();
  const clang::SourceLocation place = declaration->getLocation();
  const clang::TemplateParameterList& parameters = *declaration->getTemplateParameters();
  unsigned count = 0;  // up to the last one that needs an argument
  for (unsigned number = 0; number < parameters.size(); ++number)
    if (!has_default(parameters.getParam(number)) &&
        !parameters.getParam(number)->isTemplateParameterPack())
      count = number + 1;
  assumed_instance result;
  clang::TemplateArgumentListInfo arguments(place, place);
  for (unsigned number = 0; number < count; ++number) {
    const clang::NamedDecl* const parameter = parameters.getParam(number);
    if (parameter->isTemplateParameterPack()) return std::nullopt;
    auto argument = assumed_argument(context, parameter);
    if (!argument) return std::nullopt;
    arguments.addArgument(argument->first);
    result.arguments.emplace_back(parameter->getNameAsString(), argument->second);
  }
#if LLVM_VERSION_MAJOR >= 20
  clang::Sema::CheckTemplateArgumentInfo checked;
  if (sema.CheckTemplateArgumentList(declaration, place, arguments, {}, false, checked))
    return std::nullopt;
  const llvm::ArrayRef<clang::TemplateArgument> canonical = checked.CanonicalConverted;
#else
  llvm::SmallVector<clang::TemplateArgument, 4> canonical;
#if LLVM_VERSION_MAJOR >= 16
  llvm::SmallVector<clang::TemplateArgument, 4> as_written;
  if (sema.CheckTemplateArgumentList(declaration, place, arguments, false, as_written, canonical))
    return std::nullopt;
#else
  if (sema.CheckTemplateArgumentList(declaration, place, arguments, false, canonical))
    return std::nullopt;
#endif
#endif
  clang::FunctionDecl* const instance = sema.InstantiateFunctionDeclaration(
      declaration, clang::TemplateArgumentList::CreateCopy(context, canonical), place);
  if (instance == nullptr || instance->isInvalidDecl()) return std::nullopt;
  sema.InstantiateFunctionDefinition(place, instance, true, true);
  result.kernel = instance->getCanonicalDecl();
  return result;
}

}  // namespace

std::vector<assumed_instance> define_assumed_instances(
    clang::Sema& sema, const std::vector<clang::FunctionTemplateDecl*>& templates) {
  std::vector<assumed_instance> result;
  const file_scope scope(sema);
  for (clang::FunctionTemplateDecl* const declaration : templates)
    if (std::optional<assumed_instance> instance = defined_instance(sema, declaration))
      result.push_back(std::move(*instance));
  sema.PerformPendingInstantiations();
  return result;
}

}  // namespace compiled
