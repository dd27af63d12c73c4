// SPDX-License-Identifier: MIT
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>

namespace compiled {

// True unless the expression may be evaluated twice, or not at all: it changes something, reads
// what is volatile, or calls other functions than CUDA's own without memory. Also where a macro has
// that, which Clang's own HasSideEffects() leaves out.
bool has_effects(const clang::ASTContext& context, const clang::Expr& expression);

}  // namespace compiled
