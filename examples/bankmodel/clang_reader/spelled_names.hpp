// SPDX-License-Identifier: MIT
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceLocation.h>

#include <set>
#include <string>

// Names as the text has them: also in macros, in what the preprocessor leaves out, and in code that
// does not compile, of which the syntax tree says nothing.
namespace compiled {

// The places of a name's uses that the syntax tree has.
class known_names {
 public:
  explicit known_names(const clang::ASTContext& context) : context_(context) {}

  // A use that comes from a macro's own text is none of the file's code.
  void add(clang::SourceLocation use);

  // True if the text of this range has the name at these places alone; comments and strings do not
  // count. False if the range is not in one file.
  bool are_all_in(clang::SourceRange range, const std::string& name) const;
  // The same of the whole file that is read.
  bool are_all_in_file(const std::string& name) const;

 private:
  bool are_all(clang::FileID file, unsigned first, unsigned last, const std::string& name) const;

  const clang::ASTContext& context_;
  std::set<clang::SourceLocation> places_;
};

}  // namespace compiled
