// SPDX-License-Identifier: MIT
#pragma once

#include <clang/AST/Decl.h>
#include <clang/Sema/Sema.h>

#include <vector>

namespace compiled {

// `template class run<float>;` makes those members that are defined before it. nvcc and its host's
// compiler make those that are defined further below too, and with them the kernels that they
// launch. To be called at the end of the file.
void define_later_members(clang::Sema& sema, const std::vector<clang::Decl*>& declarations);

}  // namespace compiled
