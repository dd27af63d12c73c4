// SPDX-License-Identifier: MIT
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Sema/Sema.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "collected_errors.hpp"
#include "source_reader.hpp"

// An error in host code takes a launch out of the syntax tree, and the kernel's instance with it.
namespace compiled {

// The name in a text with mended launches that has the place of each argument with an error, and
// its declaration.
std::string declaration_of_unknown(const std::string& name);

struct unread_launches {
  std::vector<unread_launch> launches;
  // The file with each argument replaced that has an error, by a name which converts to any type.
  // It has the same bytes but those, so that all places remain. Absent if there is none to replace.
  std::optional<std::string> mended;
};

// Places in the text.
struct launches_in_text {
  std::set<clang::SourceLocation> marks;    // all `<<<` that the parser saw
  std::set<clang::SourceLocation> defined;  // names whose instance define_launched_kernels() made
  std::vector<clang::SourceRange> skipped;  // by the preprocessor: `#if 0`
};

// Launches, and calls of templates that launch kernels, which an error hides. `unknown`: the name
// for arguments; empty: one that the file does not use is chosen and returned in it.
unread_launches find_unread_launches(clang::ASTContext& context,
                                     const std::vector<clang::Decl*>& declarations,
                                     const launches_in_text& text, const collected_errors& errors,
                                     std::string& unknown);

// Defines the kernels' instances that launches name, and those of host templates that launch
// kernels: Clang leaves out those that only code with an error names, or the body of a generic
// lambda that nobody calls. Returns the places of names with an error whose instance is known from
// their template arguments alone.
std::set<clang::SourceLocation> define_launched_kernels(
    clang::Sema& sema, const std::vector<clang::Decl*>& declarations);

// The kernels that are templates of this file and have no instance.
std::vector<clang::FunctionTemplateDecl*> kernels_without_instance(
    clang::ASTContext& context, const std::vector<clang::Decl*>& declarations);

}  // namespace compiled
