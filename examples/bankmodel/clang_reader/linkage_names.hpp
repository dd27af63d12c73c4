// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_LINKAGE_NAMES_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_LINKAGE_NAMES_HPP

#include <clang/AST/Decl.h>

#include <map>
#include <string>

namespace compiled {

// By the functions' canonical declarations.
using linkage_names = std::map<const clang::FunctionDecl*, std::string>;

inline bool is_any_of(const linkage_names& names, const clang::FunctionDecl& function) {
  return !names.empty() && names.count(function.getCanonicalDecl()) != 0;
}

}  // namespace compiled

#endif
