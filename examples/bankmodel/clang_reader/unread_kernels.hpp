// SPDX-License-Identifier: MIT
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <vector>

#include "collected_errors.hpp"
#include "source_reader.hpp"

// Kernels that the text of the file has and its syntax tree has not.
namespace compiled {

struct kernels_in_text {
  std::vector<skipped_kernel> skipped;       // behind a condition of the preprocessor
  std::vector<unread_kernel> without_parse;  // with the error that hides them
};

// `skipped`: what the preprocessor left out.
kernels_in_text find_unread_kernels(clang::ASTContext& context,
                                    const std::vector<clang::Decl*>& declarations,
                                    const std::vector<clang::SourceRange>& skipped,
                                    const collected_errors& errors);

}  // namespace compiled
