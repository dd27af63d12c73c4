// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_EXCLUDED_FUNCTIONS_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_EXCLUDED_FUNCTIONS_HPP

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <map>
#include <string>
#include <vector>

#include "collected_errors.hpp"

namespace compiled {

// Functions with an error, by their canonical declaration, and the text of the errors.
using excluded_functions = std::map<const clang::FunctionDecl*, std::string>;

// Empties the body of each function that has an error, and takes it away where a class that the
// function takes or returns has one: code generation would fail on it.
excluded_functions exclude_functions_with_errors(clang::ASTContext& context,
                                                 const std::vector<clang::Decl*>& declarations,
                                                 const collected_errors& errors);

}  // namespace compiled

#endif
