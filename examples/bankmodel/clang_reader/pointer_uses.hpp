// SPDX-License-Identifier: MIT
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>

#include <optional>
#include <vector>

// What is done with a pointer's value where a syntax tree has it.
namespace compiled {

// The statements around the one that is visited, which is the last of them.
class open_statements {
 public:
  void enter(const clang::Stmt* statement) { statements_.push_back(statement); }
  void leave() { statements_.pop_back(); }
  // Returns the statement so many levels around the visited one; null if there are not so many.
  const clang::Stmt* outer(std::size_t levels) const {
    return levels < statements_.size() ? statements_[statements_.size() - 1 - levels] : nullptr;
  }
  const clang::Stmt* outermost() const { return statements_.front(); }

 private:
  std::vector<const clang::Stmt*> statements_;
};

// The parameter, by its number, that gets the statement as its argument; nothing if none does.
std::optional<unsigned> parameter_given(const clang::CallExpr& call, const clang::Stmt* statement);
// What a parameter gets; null if that is its default.
const clang::Expr* argument_of(const clang::CallExpr& call, unsigned parameter);

// The bytes of what a pointer or a reference is to, if it is aligned to as many; else 0.
int bytes_pointed_to(const clang::ASTContext& context, clang::QualType type);

// CUDA's and HIP's own, which the prelude declares.
bool is_of_library(const clang::FunctionDecl& function);

// True for __cvta_generic_to_shared() and for a function that returns what it returns for the same
// pointer: unsigned smem_u32(const void* p) { return __cvta_generic_to_shared(p); }.
bool converts_to_shared(const clang::FunctionDecl& function);

// True if a lane can access so many bytes at once.
bool is_piece(int bytes);

// An access of one piece of memory, of at most so many bytes.
struct piece_access {
  int bytes = 0;
};

// Returns what is done with the lvalue below this level: its value, or that of a part of it, is
// read or assigned, there or through references. `bytes`: of the widest type that it is cast to; 0
// if it is not cast. Nothing: its address is taken, or nobody knows.
std::optional<piece_access> access_of_lvalue(const clang::ASTContext& context,
                                             const open_statements& open, std::size_t level);

// The same of what the pointer whose value is around the level points to, if it is used as *p, p[0]
// or p->x; `bytes` are those of its type at least.
std::optional<piece_access> access_at_once(const clang::ASTContext& context,
                                           const open_statements& open, std::size_t level);

// Returns what inline assembly does there with the value of the call at this level, which is an
// operand of it or initializes a variable that is nothing else; nothing if that is more than one
// access.
std::optional<piece_access> access_in_assembly(const clang::ASTContext& context,
                                               const open_statements& open, std::size_t levels);

// Returns what a call does with the memory that begins where the parameter points, if that is an
// access of one piece and nothing else: copy(&s[i], &a[i]) of a function that copies a float4.
std::optional<piece_access> access_by_call(const clang::ASTContext& context,
                                           const clang::CallExpr& call, unsigned parameter);

// The same of a pointer that the statement at this level defines with the value below it, of the
// parameter or variable of a function: const float4* p = (const float4*)&s[i]; v = *p;.
std::optional<piece_access> access_by_variable(const clang::ASTContext& context,
                                               const open_statements& open, std::size_t levels);

}  // namespace compiled
