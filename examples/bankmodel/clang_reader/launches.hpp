// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_LAUNCHES_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_LAUNCHES_HPP

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <map>
#include <string>
#include <vector>

#include "source_reader.hpp"

namespace compiled {

// As it is written, with template arguments: sgemm<64, 64>.
std::string kernel_name(const clang::FunctionDecl& kernel);

// A launch and what it calls; its linkage name is known only after code generation.
struct launch_of {
  found_launch launch;
  const clang::FunctionDecl* kernel = nullptr;  // the canonical declaration
};

// The launches in these declarations' functions, in their order, as of a program that is started
// with these arguments, where the kernels' arguments of these names have these values.
std::vector<launch_of> find_launches(clang::ASTContext& context,
                                     const std::vector<clang::Decl*>& declarations,
                                     const std::vector<std::string>& arguments,
                                     const std::map<std::string, long long>& given);

}  // namespace compiled

#endif
