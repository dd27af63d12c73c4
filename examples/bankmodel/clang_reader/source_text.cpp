// SPDX-License-Identifier: MIT
#include "source_text.hpp"

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

namespace compiled {

namespace {

// Places are those of the file's bytes: a #line directive does not move them.
source_piece placed(const clang::SourceManager& files, clang::SourceLocation first,
                    clang::SourceLocation last) {
  source_piece result;
  result.file = files.getFilename(first).str();
  result.line = static_cast<int>(files.getSpellingLineNumber(first));
  result.column = static_cast<int>(files.getSpellingColumnNumber(first));
  result.end_line = static_cast<int>(files.getSpellingLineNumber(last));
  result.end_column = static_cast<int>(files.getSpellingColumnNumber(last));
  result.offset = files.getFileOffset(first);
  return result;
}

}  // namespace

std::optional<source_piece> piece_of_characters(const clang::ASTContext& context,
                                                clang::SourceLocation first,
                                                clang::SourceLocation last) {
  const clang::SourceManager& files = context.getSourceManager();
  if (first.isInvalid() || last.isInvalid() || first.isMacroID() || last.isMacroID() ||
      files.getFileID(first) != files.getFileID(last))
    return std::nullopt;
  source_piece result = placed(files, first, last);
  result.text = clang::Lexer::getSourceText(clang::CharSourceRange::getCharRange(first, last),
                                            files, context.getLangOpts())
                    .str();
  return result;
}

std::optional<source_piece> piece_of_tokens(const clang::ASTContext& context,
                                            clang::SourceRange range) {
  const clang::CharSourceRange whole =
      clang::Lexer::makeFileCharRange(clang::CharSourceRange::getTokenRange(range),
                                      context.getSourceManager(), context.getLangOpts());
  if (whole.isInvalid()) return std::nullopt;
  return piece_of_characters(context, whole.getBegin(), whole.getEnd());
}

source_piece place_of_tokens(const clang::ASTContext& context, clang::SourceRange range,
                             const std::string& text) {
  const clang::SourceManager& files = context.getSourceManager();
  const clang::SourceLocation first = files.getExpansionLoc(range.getBegin()),
                              last = files.getExpansionLoc(range.getEnd());
  source_piece result = placed(
      files, first, clang::Lexer::getLocForEndOfToken(last, 0, files, context.getLangOpts()));
  result.text = text;
  return result;
}

}  // namespace compiled
