// SPDX-License-Identifier: MIT
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <vector>

#include "excluded_functions.hpp"
#include "front_end.hpp"
#include "launches.hpp"
#include "linkage_names.hpp"

namespace compiled {

// Sets source.defined, and returns the instances of templates that get no code, since the question
// passes over them. Each template keeps an instance, whose code shows what the others use.
linkage_names leave_out_instances(clang::ASTContext& context,
                                  const std::vector<clang::Decl*>& declarations,
                                  const excluded_functions& excluded,
                                  const written_launches& launches, parsed_source& source);

}  // namespace compiled
