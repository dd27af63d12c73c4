// SPDX-License-Identifier: MIT
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceLocation.h>

#include <optional>

#include "../compiled/code/array_source.hpp"

namespace compiled {

// The text between two places; nothing if one of them is in a macro.
std::optional<source_piece> piece_of_characters(const clang::ASTContext& context,
                                                clang::SourceLocation first,
                                                clang::SourceLocation last);

// The text of these tokens as the file has it; nothing if a part of them, but not all that it
// expands to, comes from a macro.
std::optional<source_piece> piece_of_tokens(const clang::ASTContext& context,
                                            clang::SourceRange range);

// The text in the macro, of the file that is read, whose body has the first and the last of these
// tokens; nothing if they are of none, or on several lines.
std::optional<source_piece> piece_of_macro(const clang::ASTContext& context,
                                           clang::SourceRange range);

// Where these tokens are, with a text of our own: for what comes from a macro, the macro's use.
source_piece place_of_tokens(const clang::ASTContext& context, clang::SourceRange range,
                             const std::string& text);

// A number of elements as the file has it, and how it is written with more of them; nothing if a
// part of it comes from a macro.
std::optional<spelled_extent> spelled_sum(const clang::ASTContext& context,
                                          const clang::Expr* extent);

}  // namespace compiled
