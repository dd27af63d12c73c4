// SPDX-License-Identifier: MIT
#pragma once

#include <clang/AST/Decl.h>

#include <map>
#include <string>

#include "syntax_visitor.hpp"

namespace compiled {

// By the functions' canonical declarations.
using linkage_names = std::map<const clang::FunctionDecl*, std::string>;

inline bool contains(const linkage_names& names, const clang::FunctionDecl& function) {
  return !names.empty() && names.count(function.getCanonicalDecl()) != 0;
}

// Visits instances too, and no function that is left out, since it gets no code.
class code_visitor : public syntax_visitor {
 public:
  explicit code_visitor(const linkage_names& left_out) : left_out_(left_out) {}

  bool visits_instantiations() const override { return true; }
  bool enters(const clang::FunctionDecl& function) const override {
    return !contains(left_out_, function);
  }

 private:
  const linkage_names& left_out_;
};

}  // namespace compiled
