// SPDX-License-Identifier: MIT
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <utility>
#include <vector>

#include "linkage_names.hpp"

namespace compiled {

// nvcc accesses `reinterpret_cast<float4*>(&s[i])[0]` by 16 bytes, whatever s is. Clang knows that
// s is a float[] and accesses it by 4. While an object lives, the casts to a more aligned type in
// the declarations' code do not show Clang what they are casts of; code is generated meanwhile, and
// whoever reads the syntax afterwards sees what was written.
class cast_alignment {
 public:
  // `left_out`: the functions that get no code.
  cast_alignment(clang::ASTContext& context, const std::vector<clang::Decl*>& declarations,
                 const linkage_names& left_out);
  ~cast_alignment();
  cast_alignment(const cast_alignment&) = delete;
  cast_alignment& operator=(const cast_alignment&) = delete;

 private:
  struct hidden_operand {
    clang::CastExpr* cast;
    clang::CastKind kind;
    clang::Expr* operand;
  };
  std::vector<hidden_operand> hidden_;
};

}  // namespace compiled
