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

// The launches in these declarations' functions, in their order. `linkage`: the mangled names of
// kernels, by canonical declaration.
std::vector<found_launch> find_launches(clang::ASTContext& context,
                                        const std::vector<clang::Decl*>& declarations,
                                        const std::map<const clang::Decl*, std::string>& linkage);

}  // namespace compiled

#endif
