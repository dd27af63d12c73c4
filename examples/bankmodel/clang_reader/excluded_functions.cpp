// SPDX-License-Identifier: MIT
#include "excluded_functions.hpp"

#include <clang/Basic/SourceManager.h>

#include <algorithm>

#include "syntax_visitor.hpp"

namespace compiled {

namespace {

bool has_invalid_type(clang::QualType type) {
  if (type.isNull()) return true;
  const clang::Type* const element = type->getPointeeOrArrayElementType();
  const clang::CXXRecordDecl* const record = element->getAsCXXRecordDecl();
  return record != nullptr && record->isInvalidDecl();
}

// Whether a body has an expression that Clang could not build, or a type with an error.
class error_finder : public syntax_visitor {
 public:
  bool is_found = false;
  bool VisitExpr(clang::Expr* expression) override {
    // The text of a static_assert: from Clang 17 on it has no type.
    if (llvm::isa<clang::StringLiteral>(expression)) return true;
    is_found = is_found || expression->containsErrors() || has_invalid_type(expression->getType());
    return !is_found;
  }
  bool VisitVarDecl(clang::VarDecl* variable) override {
    is_found = is_found || variable->isInvalidDecl() || has_invalid_type(variable->getType());
    return !is_found;
  }
};

class function_finder : public syntax_visitor {
 public:
  function_finder(clang::ASTContext& context, const collected_errors& errors)
      : context_(context), errors_(errors) {}

  std::vector<std::pair<clang::FunctionDecl*, std::string>> found;

  bool visits_instantiations() const override { return true; }
  bool visits_implicit_code() const override { return true; }
  bool VisitFunctionDecl(clang::FunctionDecl* function) override {
    if (!function->doesThisDeclarationHaveABody() && !function->isInvalidDecl()) return true;
    std::string text = errors_within(function->getSourceRange());
    if (text.empty() && !function->isDependentContext()) {
      error_finder in_it;
      in_it.visit_all(function);
      if (in_it.is_found || function->isInvalidDecl())
        text = errors_for(function->getSourceRange());
    }
    if (!text.empty()) found.emplace_back(function, text);
    return true;
  }

 private:
  // Those of templates that the function instantiates; all if none says so.
  std::string errors_for(clang::SourceRange range) const {
    const clang::SourceManager& files = context_.getSourceManager();
    std::string text;
    for (const collected_errors::error& each : errors_.errors())
      if (std::any_of(each.notes.begin(), each.notes.end(), [&](clang::SourceLocation where) {
            return where.isValid() && range.isValid() &&
                   !files.isBeforeInTranslationUnit(where, range.getBegin()) &&
                   !files.isBeforeInTranslationUnit(range.getEnd(), where);
          }))
        text += each.text;
    return text.empty() ? errors_.text() : text;
  }
  std::string errors_within(clang::SourceRange range) const {
    const clang::SourceManager& files = context_.getSourceManager();
    if (range.isInvalid()) return "";
    const auto first = files.getDecomposedExpansionLoc(range.getBegin());
    const auto last = files.getDecomposedExpansionLoc(range.getEnd());
    std::string text;
    const auto is_within = [&](clang::SourceLocation where) {
      if (where.isInvalid()) return false;
      const auto place = files.getDecomposedExpansionLoc(where);
      return place.first == first.first && place.second >= first.second &&
             place.second <= last.second;
    };
    for (const collected_errors::error& each : errors_.errors())
      if (is_within(each.where)) text += each.text;
    return text;
  }

  clang::ASTContext& context_;
  const collected_errors& errors_;
};

}  // namespace

excluded_functions exclude_functions_with_errors(clang::ASTContext& context,
                                                 const std::vector<clang::Decl*>& declarations,
                                                 const collected_errors& errors) {
  if (errors.errors().empty()) return {};
  function_finder finder(context, errors);
  for (clang::Decl* const each : declarations)
    if (!context.getSourceManager().isInSystemHeader(each->getLocation())) finder.visit_all(each);

  excluded_functions result;
  for (auto& [function, text] : finder.found) {
    result[function->getCanonicalDecl()] = text;
    if (function->isDependentContext()) continue;
    const clang::SourceLocation at = function->getLocation();
    function->setBody(clang::CompoundStmt::Create(context, {},
#if LLVM_VERSION_MAJOR >= 15
                                                  clang::FPOptionsOverride(),
#endif
                                                  at, at));
    if (auto* const constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(function))
      constructor->setNumCtorInitializers(0);
  }
  return result;
}

}  // namespace compiled
