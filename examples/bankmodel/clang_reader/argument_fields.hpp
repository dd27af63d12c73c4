// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_ARGUMENT_FIELDS_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_ARGUMENT_FIELDS_HPP

#include <clang/AST/ASTContext.h>
#include <clang/AST/Type.h>

#include <string>
#include <vector>

#include "../compiled/code/code.hpp"

namespace compiled {

// The numbers and pointers in a structure that is an argument: "n.rows" at 0, "n.step[1]" at 12.
// Those in unions, bit-fields and large arrays are left out.
std::vector<code_parameter> fields_of(const clang::ASTContext& context, clang::QualType type,
                                      const std::string& name);

struct located_field {
  code_parameter declared;
  clang::QualType type;
  std::vector<long long> path;  // from the structure, as host_cell::path
};
// The same, and where the host has them.
std::vector<located_field> located_fields_of(const clang::ASTContext& context, clang::QualType type,
                                             const std::string& name);

}  // namespace compiled

#endif
