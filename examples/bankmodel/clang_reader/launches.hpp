// SPDX-License-Identifier: MIT
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <string>
#include <vector>

#include "host_run.hpp"

namespace compiled {

// As it is written, with template arguments: sgemm<64, 64>.
std::string kernel_name(const clang::FunctionDecl& kernel);

// A launch as it is written, and the calls of host code that lead to it.
struct written_launch {
  const clang::CallExpr* call = nullptr;
  const clang::FunctionDecl* kernel = nullptr;
  std::vector<host_step> way;
};

// A kernel that host code names, as in a table of functions.
struct kernel_mention {
  const clang::FunctionDecl* kernel = nullptr;
  clang::SourceLocation place;
};

// A call that limits the dynamic bytes of a kernel: null where a pointer says which.
struct limiting_call {
  const clang::CallExpr* call = nullptr;
  const clang::FunctionDecl* kernel = nullptr;
};

struct written_launches {
  std::vector<written_launch> launches;
  // Names that are neither in one of these nor in a call that says something of the kernel: what
  // has them may launch it. Those too of launches in text that is not compiled, by `#ifdef` or in a
  // template without an instance, and of C's names in strings.
  std::vector<kernel_mention> other_names;
  std::vector<limiting_call> limits;
  // An attribute of a kernel, cudaFuncAttributeRequiredClusterWidth, says the blocks of a cluster:
  // the launches do not.
  bool sets_clusters = false;
};

// The launches in these declarations' functions, in their order.
written_launches find_launches(clang::ASTContext& context,
                               const std::vector<clang::Decl*>& declarations);

}  // namespace compiled
