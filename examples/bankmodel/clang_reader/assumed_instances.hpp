// SPDX-License-Identifier: MIT
#pragma once

#include <clang/AST/Decl.h>
#include <clang/Sema/Sema.h>

#include <string>
#include <utility>
#include <vector>

namespace compiled {

// An instance of a kernel that nothing in the file instantiates, and the template arguments that
// are assumed for it: {"T", "float"}.
struct assumed_instance {
  const clang::FunctionDecl* kernel = nullptr;
  std::vector<std::pair<std::string, std::string>> arguments;
};

// Defines one instance of each of these templates: a type without a default argument is float, an
// integer is 32, a bool is true, a list of arguments is empty. A template that has another
// parameter has none, nor one whose constraints reject these. Errors in the instance are Clang's.
std::vector<assumed_instance> define_assumed_instances(
    clang::Sema& sema, const std::vector<clang::FunctionTemplateDecl*>& templates);

}  // namespace compiled
