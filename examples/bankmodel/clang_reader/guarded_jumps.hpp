// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_GUARDED_JUMPS_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_GUARDED_JUMPS_HPP

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../compiled/code/code.hpp"

namespace compiled {

// The name of a file without its folders, and a line.
using source_line = std::pair<std::string, int>;

// The lines of the conditions in `if (..) return;`, `continue;` and `break;`: LLVM IR has no code
// after such a branch that could tell which arm is the guarded one.
std::set<source_line> find_guarded_jumps(clang::ASTContext& context,
                                         const std::vector<clang::Decl*>& declarations);

// The first and the last place of what is behind `else`, by the lines of the conditions: passes may
// leave code of one arm alone. Without lines of several conditions. The places' file is not set.
std::map<source_line, std::pair<place, place>> find_else_branches(
    clang::ASTContext& context, const std::vector<clang::Decl*>& declarations);

}  // namespace compiled

#endif
