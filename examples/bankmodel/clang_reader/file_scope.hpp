// SPDX-License-Identifier: MIT
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/Sema/Scope.h>
#include <clang/Sema/Sema.h>

namespace compiled {

// Clang closes the scope of a file at its end, and crashes when an instance of a template that is
// made later declares a builtin function in it, such as the memcpy() of a copy assignment. While an
// object lives, the file has a scope again.
class file_scope {
 public:
  explicit file_scope(clang::Sema& sema)
      : sema_(sema),
        previous_(sema.TUScope),
        scope_(nullptr, clang::Scope::DeclScope, sema.getDiagnostics()) {
    if (previous_ != nullptr) return;
    scope_.setEntity(sema.getASTContext().getTranslationUnitDecl());
    sema.TUScope = &scope_;
  }
  ~file_scope() { sema_.TUScope = previous_; }
  file_scope(const file_scope&) = delete;
  file_scope& operator=(const file_scope&) = delete;

 private:
  clang::Sema& sema_;
  clang::Scope* previous_;
  clang::Scope scope_;
};

}  // namespace compiled
