// SPDX-License-Identifier: MIT
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <string>
#include <vector>

namespace compiled {

// A member of a structure in shared memory, or of a structure within it.
struct shared_member {
  std::string name;  // as behind the variable: "a", "inner.a"
  // From the outermost one; the last is the member. Empty: bytes that fill a structure.
  std::vector<const clang::FieldDecl*> fields;
  clang::QualType type;
  long long offset = 0, bytes = 0;
  int alignment = 1;
};

// The members of a structure that is declared in shared memory, in their order, if they are arrays
// of their own: each begins where C's rule puts it behind the one before, and so does the rest
// where one of them becomes longer. Empty if the variable is no structure, if none of its members
// is an array, if it is one of a library, or if it has bases or bit fields.
std::vector<shared_member> members_of(const clang::ASTContext& context,
                                      const clang::VarDecl& variable);

}  // namespace compiled
