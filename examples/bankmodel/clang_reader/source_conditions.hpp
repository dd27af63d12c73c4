// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../compiled/code/code.hpp"

namespace clang {
class ASTContext;
class Decl;
}  // namespace clang

namespace compiled {

// The name of a file without its folders, and a line.
using source_line = std::pair<std::string, int>;

// What LLVM IR does not show of branches, by the lines of their conditions.
struct source_conditions {
  // Of `if (..) return;`, `continue;` and `break;`: no code after such a branch could tell which
  // arm is the guarded one.
  std::set<source_line> guarded_jumps;
  // The first and the last place of what is behind `else`, since passes may leave code of one arm
  // alone. Without lines of several conditions. The places' file is not set.
  std::map<source_line, std::pair<place, place>> else_branches;
};

source_conditions find_conditions(clang::ASTContext& context,
                                  const std::vector<clang::Decl*>& declarations);

}  // namespace compiled
