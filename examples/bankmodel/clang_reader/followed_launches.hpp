// SPDX-License-Identifier: MIT
#pragma once

#include <clang/AST/ASTContext.h>

#include <map>
#include <string>
#include <vector>

#include "launches.hpp"
#include "linkage_names.hpp"
#include "source_reader.hpp"

namespace compiled {

// The numbers of launches, as of a program that is started with these arguments, where the kernels'
// arguments of these names have these values; of the kernels that are left out, their places alone.
// Linkage names are known only after code generation.
std::vector<found_launch> follow_launches(const written_launches& launches,
                                          const linkage_names& left_out,
                                          const clang::ASTContext& context,
                                          const std::vector<std::string>& arguments,
                                          const std::map<std::string, long long>& assumed);

}  // namespace compiled
