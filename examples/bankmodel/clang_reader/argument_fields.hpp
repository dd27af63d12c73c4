// SPDX-License-Identifier: MIT
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Type.h>

#include <string>
#include <vector>

#include "../compiled/code/code.hpp"

namespace compiled {

// The numbers and pointers in a structure that is an argument: "n.rows" at 0, "n.step[1]" at 12.
// A union of integers, or of pointers, has the first name. Those in other unions and in bit-fields
// are left out, and what is beyond 1,024 of them: first of all in long arrays.
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
