// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_SCOPE_OF_FILE_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_SCOPE_OF_FILE_HPP

#include <clang/AST/ASTContext.h>
#include <clang/Sema/Scope.h>
#include <clang/Sema/Sema.h>

namespace compiled {

// Clang closes the scope of a file at its end, and crashes when an instance of a template that is
// made later declares a builtin function in it, such as the memcpy() of a copy assignment. While an
// object lives, the file has a scope again.
class scope_of_file {
 public:
  explicit scope_of_file(clang::Sema& sema)
      : sema_(sema),
        before_(sema.TUScope),
        scope_(nullptr, clang::Scope::DeclScope, sema.getDiagnostics()) {
    if (before_ != nullptr) return;
    scope_.setEntity(sema.getASTContext().getTranslationUnitDecl());
    sema.TUScope = &scope_;
  }
  ~scope_of_file() { sema_.TUScope = before_; }
  scope_of_file(const scope_of_file&) = delete;
  scope_of_file& operator=(const scope_of_file&) = delete;

 private:
  clang::Sema& sema_;
  clang::Scope* before_;
  clang::Scope scope_;
};

}  // namespace compiled

#endif
