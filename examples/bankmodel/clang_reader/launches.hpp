// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_LAUNCHES_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_LAUNCHES_HPP

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <map>
#include <string>
#include <vector>

#include "host_run.hpp"
#include "linkage_names.hpp"
#include "source_reader.hpp"

namespace compiled {

// As it is written, with template arguments: sgemm<64, 64>.
std::string kernel_name(const clang::FunctionDecl& kernel);

// A launch as it is written, and the calls of host code that lead to it.
struct written_launch {
  const clang::CallExpr* call = nullptr;
  const clang::FunctionDecl* kernel = nullptr;
  std::vector<host_step> way;
};

struct written_launches {
  std::vector<written_launch> launches;
  std::vector<const clang::CallExpr*> limits;  // calls that limit a kernel's dynamic bytes
  // An attribute of a kernel, cudaFuncAttributeRequiredClusterWidth, says the blocks of a cluster:
  // the launches do not.
  bool sets_clusters = false;
};

// The launches in these declarations' functions, in their order.
written_launches find_launches(clang::ASTContext& context,
                               const std::vector<clang::Decl*>& declarations);

// Their numbers, as of a program that is started with these arguments, where the kernels' arguments
// of these names have these values; of the kernels that are left out, their places alone. Linkage
// names are known only after code generation.
std::vector<found_launch> follow_launches(const written_launches& launches,
                                          const linkage_names& left_out,
                                          const clang::ASTContext& context,
                                          const std::vector<std::string>& arguments,
                                          const std::map<std::string, long long>& assumed);

}  // namespace compiled

#endif
