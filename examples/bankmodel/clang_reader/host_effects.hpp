// SPDX-License-Identifier: MIT
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/DenseMap.h>

#include <map>
#include <set>
#include <vector>

// What host code may write, found without executing it: for code that host_run passes over.
namespace compiled {

// Of a statement that is executed any number of times, and of the functions that it calls.
struct host_effects {
  std::set<const clang::VarDecl*> written;    // named other than to read their values
  std::set<const clang::VarDecl*> pointers;   // written is what these variables point to
  std::set<const clang::VarDecl*> addressed;  // pointers and references to them are made
  bool writes_anywhere = false;  // through a pointer or a reference that may be to any variable
  bool calls_unknown = false;    // it calls user functions whose text is not in the file
};

// How control may leave a statement other than by its end.
struct host_jumps {
  bool breaks = false, continues = false;  // of a loop or a switch around the statement
  bool returns = false;                    // a return or a throw
  std::vector<const clang::LabelDecl*> labels;
  bool has_computed_goto = false;
};
host_jumps jumps_in(const clang::Stmt* statement);

// Functions of the language's and the toolkit's headers. They write what their arguments point to,
// and keep no pointer.
bool is_library(const clang::FunctionDecl& function);

// The effects of statements and where they are, each found once.
class effects_of_file {
 public:
  const host_effects& lookup(const clang::Stmt* statement);
  // The statements around a part of a function and the part itself, outermost first; empty if the
  // function does not have it.
  std::vector<const clang::Stmt*> way_to(const clang::Stmt* part,
                                         const clang::FunctionDecl* function);

 private:
  using parents = llvm::DenseMap<const clang::Stmt*, const clang::Stmt*>;
  std::map<const clang::Stmt*, host_effects> effects_;
  std::map<const clang::FunctionDecl*, parents> parents_;
};

}  // namespace compiled
