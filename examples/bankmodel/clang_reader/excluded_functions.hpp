// SPDX-License-Identifier: MIT
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <map>
#include <string>
#include <vector>

#include "collected_errors.hpp"

namespace compiled {

// Functions with an error, by their canonical declaration, and the text of the errors.
using excluded_functions = std::map<const clang::FunctionDecl*, std::string>;

excluded_functions find_functions_with_errors(clang::ASTContext& context,
                                              const std::vector<clang::Decl*>& declarations,
                                              const collected_errors& errors);

// Empties their bodies, and takes them away where a class that the function takes or returns has an
// error: code generation would fail on it.
void exclude(const excluded_functions& functions, clang::ASTContext& context);

}  // namespace compiled
