// SPDX-License-Identifier: MIT
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <vector>

#include "../compiled/code/code.hpp"

namespace compiled {

// The lines of each whole expression that has several, for machine code that has another one of
// them. An expression with a lambda in it is none: the lambda's body has statements of its own.
std::vector<statement_lines> find_long_statements(clang::ASTContext& context,
                                                  const std::vector<clang::Decl*>& declarations);

}  // namespace compiled
