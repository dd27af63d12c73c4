// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_GUARDED_JUMPS_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_GUARDED_JUMPS_HPP

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace compiled {

// The name of a file without its folders, and a line.
using source_line = std::pair<std::string, int>;

// The lines of the conditions in `if (..) return;`, `continue;` and `break;`: LLVM IR has no code
// after such a branch that could tell which arm is the guarded one.
std::set<source_line> find_guarded_jumps(clang::ASTContext& context,
                                         const std::vector<clang::Decl*>& declarations);

}  // namespace compiled

#endif
