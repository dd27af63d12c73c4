// SPDX-License-Identifier: MIT
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <map>
#include <vector>

#include "array_uses.hpp"
#include "linkage_names.hpp"

namespace compiled {

// The declarations of arrays in shared memory and all their uses, by declaration_of().
// Uses in the instances of a template belong to the array of that instance. `skipped`: what the
// preprocessor leaves out; `left_out`: functions without code, whose arrays are not wanted.
std::map<const clang::VarDecl*, declared_source> find_shared_arrays(
    clang::ASTContext& context, const std::vector<clang::Decl*>& declarations,
    const std::vector<clang::SourceRange>& skipped, const linkage_names& left_out);

}  // namespace compiled
