// SPDX-License-Identifier: MIT
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <vector>

namespace compiled {

// nvcc takes `%clusterid.x` in inline assembly for the register that `%%clusterid.x` is; Clang
// refuses it (err_asm_invalid_escape). Doubles each such % in the declarations' code.
void double_percent_signs(clang::ASTContext& context,
                          const std::vector<clang::Decl*>& declarations);

}  // namespace compiled
