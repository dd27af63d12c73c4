// SPDX-License-Identifier: MIT
#include "excluded_functions.hpp"

#include <clang/Basic/SourceManager.h>

#include <algorithm>

#include "syntax_visitor.hpp"

namespace compiled {

namespace {

// The errors by their places, so that those within a piece of a file are found without the others.
class placed_errors {
 public:
  placed_errors(const clang::SourceManager& files, const collected_errors& errors) : files_(files) {
    for (const collected_errors::error& error : errors.errors()) {
      if (error.location.isInvalid()) continue;
      const auto [file, offset] = files.getDecomposedExpansionLoc(error.location);
      by_file_[file].emplace(offset, &error);
    }
  }

  // Returns the errors from the begin of the range to its end, in this order. Requires: both are in
  // one file.
  std::vector<const collected_errors::error*> errors_in(clang::SourceRange range) const {
    if (range.isInvalid()) return {};
    const auto [file, first] = files_.getDecomposedExpansionLoc(range.getBegin());
    const auto errors = by_file_.find(file);
    if (errors == by_file_.end()) return {};
    const unsigned last = files_.getDecomposedExpansionLoc(range.getEnd()).second;
    std::vector<const collected_errors::error*> result;
    for (auto error = errors->second.lower_bound(first);
         error != errors->second.end() && error->first <= last; ++error)
      result.push_back(error->second);
    return result;
  }

 private:
  const clang::SourceManager& files_;
  std::map<clang::FileID, std::multimap<unsigned, const collected_errors::error*>> by_file_;
};

// The errors that change the layout of a class: those in it, in its base classes and in the classes
// of its members, but not in its functions.
class layout_errors {
 public:
  layout_errors(const clang::SourceManager& files, const placed_errors& errors)
      : files_(files), errors_(errors) {}

  std::string text_of(clang::QualType type) {
    if (type.isNull()) return {};
    const clang::Type* const element = type->getPointeeOrArrayElementType();
    const clang::CXXRecordDecl* const record = element->getAsCXXRecordDecl();
    return record == nullptr ? std::string() : text_of(record->getDefinition());
  }

 private:
  const std::string& text_of(const clang::CXXRecordDecl* record) {
    static const std::string none;
    if (record == nullptr || files_.isInSystemHeader(record->getLocation())) return none;
    const auto [entry, is_new] = known_.emplace(record, "");
    if (!is_new) return entry->second;
    std::string text;
    for (const collected_errors::error* const error : errors_.errors_in(record->getSourceRange()))
      if (!is_in_function(*error, record)) text += error->text;
    for (const clang::CXXBaseSpecifier& base : record->bases())
      if (text.empty()) text = text_of(base.getType());
    for (const clang::FieldDecl* const field : record->fields())
      if (text.empty() && !field->getType()->isPointerType() &&
          !field->getType()->isReferenceType())
        text = text_of(field->getType());
    return known_[record] = text;
  }
  bool is_in_function(const collected_errors::error& error,
                      const clang::CXXRecordDecl* record) const {
    for (const clang::Decl* const member : record->decls()) {
      if ((!llvm::isa<clang::FunctionDecl>(member) &&
           !llvm::isa<clang::FunctionTemplateDecl>(member)) ||
          member->isImplicit())
        continue;
      const auto in_member = errors_.errors_in(member->getSourceRange());
      if (includes(in_member, &error)) return true;
    }
    return false;
  }
  const clang::SourceManager& files_;
  const placed_errors& errors_;
  std::map<const clang::CXXRecordDecl*, std::string> known_;
};

bool has_invalid_type(clang::QualType type) {
  if (type.isNull()) return true;
  const clang::Type* const element = type->getPointeeOrArrayElementType();
  const clang::CXXRecordDecl* const record = element->getAsCXXRecordDecl();
  return record != nullptr && record->isInvalidDecl();
}

// Whether a function takes or returns a class that has an error or no definition: code generation
// asks for its layout.
bool has_type_without_layout(const clang::FunctionDecl& function) {
  const auto has_none = [](clang::QualType type) {
    return has_invalid_type(type) || (!type->isVoidType() && type->isIncompleteType());
  };
  return has_none(function.getReturnType()) ||
         std::any_of(
             function.param_begin(), function.param_end(),
             [&](const clang::ParmVarDecl* parameter) { return has_none(parameter->getType()); });
}

// Whether a body has an expression that Clang could not build, or a type with an error.
class error_finder : public syntax_visitor {
 public:
  explicit error_finder(layout_errors& layouts) : layouts_(layouts) {}

  bool is_found = false;
  std::string reason;  // the errors in a type, if these are why

  bool VisitExpr(clang::Expr* expression) override {
    // The text of a static_assert: from Clang 17 on it has no type.
    if (llvm::isa<clang::StringLiteral>(expression)) return true;
    if (expression->containsErrors()) is_found = true;
    return check(expression->getType());
  }
  bool VisitVarDecl(clang::VarDecl* variable) override {
    if (variable->isInvalidDecl()) is_found = true;
    return check(variable->getType());
  }

 private:
  bool check(clang::QualType type) {
    if (is_found) return false;
    reason = layouts_.text_of(type);
    is_found = !reason.empty() || has_invalid_type(type);
    return !is_found;
  }

  layout_errors& layouts_;
};

class function_finder : public syntax_visitor {
 public:
  function_finder(clang::ASTContext& context, const collected_errors& errors)
      : context_(context),
        errors_(errors),
        placed_(context.getSourceManager(), errors),
        layouts_(context.getSourceManager(), placed_) {}

  std::vector<std::pair<clang::FunctionDecl*, std::string>> functions;

  bool has_errors_within(const clang::Decl& declaration) const {
    return !placed_.errors_in(declaration.getSourceRange()).empty();
  }

  bool visits_instantiations() const override { return true; }
  bool visits_implicit_code() const override { return true; }
  bool VisitFunctionDecl(clang::FunctionDecl* function) override {
    if (!function->doesThisDeclarationHaveABody() && !function->isInvalidDecl()) return true;
    std::string text = errors_within(*function);
    if (text.empty() && !function->isDependentContext()) {
      error_finder in_it(layouts_);
      in_it.visit_all(function);
      if (in_it.is_found || function->isInvalidDecl() || has_type_without_layout(*function))
        text = in_it.reason.empty() ? errors_for(function->getSourceRange()) : in_it.reason;
    }
    if (!text.empty()) functions.emplace_back(function, text);
    return true;
  }

 private:
  // Those of templates that the function instantiates; all if none says so.
  std::string errors_for(clang::SourceRange range) const {
    const clang::SourceManager& files = context_.getSourceManager();
    std::string text;
    for (const collected_errors::error& error : errors_.errors())
      if (std::ranges::any_of(error.notes, [&](clang::SourceLocation note) {
            return note.isValid() && range.isValid() &&
                   !files.isBeforeInTranslationUnit(note, range.getBegin()) &&
                   !files.isBeforeInTranslationUnit(range.getEnd(), note);
          }))
        text += error.text;
    if (!text.empty()) return text;
    // Those of the program's own files first.
    std::string in_libraries;
    for (const collected_errors::error& error : errors_.errors())
      (error.location.isValid() && files.isInSystemHeader(error.location) ? in_libraries : text) +=
          error.text;
    return text + in_libraries;
  }
  std::string errors_within(const clang::FunctionDecl& function) const {
    std::string text;
    for (const collected_errors::error* const error : placed_.errors_in(function.getSourceRange()))
      if (error->instances.empty() || is_within_any(function, error->instances))
        text += error->text;
    return text;
  }
  // All instances of a template have its place in the text; what is wrong in one of them alone is
  // none of the others'. A lambda is in the function around it.
  static bool is_within_any(const clang::FunctionDecl& function,
                            const std::vector<const clang::FunctionDecl*>& instances) {
    for (const clang::DeclContext* scope = &function; scope != nullptr; scope = scope->getParent())
      if (const auto* const enclosing = llvm::dyn_cast<clang::FunctionDecl>(scope))
        if (includes(instances, enclosing->getCanonicalDecl())) return true;
    return false;
  }

  clang::ASTContext& context_;
  const collected_errors& errors_;
  placed_errors placed_;
  layout_errors layouts_;
};

}  // namespace

excluded_functions find_functions_with_errors(clang::ASTContext& context,
                                              const std::vector<clang::Decl*>& declarations,
                                              const collected_errors& errors) {
  if (errors.errors().empty()) return {};
  function_finder finder(context, errors);
  for (clang::Decl* const declaration : declarations)
    if (!context.getSourceManager().isInSystemHeader(declaration->getLocation()) ||
        finder.has_errors_within(*declaration))
      finder.visit_all(declaration);
  // Functions of libraries whose instances the program's code asks for, and that have an error.
  for (const collected_errors::error& error : errors.errors())
    for (const clang::FunctionDecl* const instance : error.instances)
      if (context.getSourceManager().isInSystemHeader(instance->getLocation()))
        if (const clang::FunctionDecl* const body = instance->getDefinition())
          finder.visit_all(const_cast<clang::FunctionDecl*>(body));

  excluded_functions result;
  for (const auto& [function, text] : finder.functions) result[function->getCanonicalDecl()] = text;
  return result;
}

namespace {

void exclude(clang::FunctionDecl& function, clang::ASTContext& context) {
  if (has_type_without_layout(function)) return function.setBody(nullptr);
  const clang::SourceLocation location = function.getLocation();
  function.setBody(clang::CompoundStmt::Create(context, {},
#if LLVM_VERSION_MAJOR >= 15
                                               clang::FPOptionsOverride(),
#endif
                                               location, location));
  if (auto* const constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(&function))
    constructor->setNumCtorInitializers(0);
}

}  // namespace

void exclude(const excluded_functions& functions, clang::ASTContext& context) {
  for (const auto& [function, text] : functions)
    for (clang::FunctionDecl* const declaration :
         const_cast<clang::FunctionDecl*>(function)->redecls())
      if (!declaration->isDependentContext() &&
          (declaration->doesThisDeclarationHaveABody() || declaration->isInvalidDecl()))
        exclude(*declaration, context);
}

}  // namespace compiled
