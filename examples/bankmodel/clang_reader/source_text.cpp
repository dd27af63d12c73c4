// SPDX-License-Identifier: MIT
#include "source_text.hpp"

#include <clang/AST/Expr.h>
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
  const clang::CharSourceRange characters =
      clang::Lexer::makeFileCharRange(clang::CharSourceRange::getTokenRange(range),
                                      context.getSourceManager(), context.getLangOpts());
  if (characters.isInvalid()) return std::nullopt;
  return piece_of_characters(context, characters.getBegin(), characters.getEnd());
}

std::optional<source_piece> piece_of_macro(const clang::ASTContext& context,
                                           clang::SourceRange range) {
  const clang::SourceManager& files = context.getSourceManager();
  const auto is_of_body = [&](clang::SourceLocation token) {
    return token.isMacroID() && !files.isMacroArgExpansion(token);
  };
  const clang::SourceLocation first = range.getBegin(), last = range.getEnd();
  if (!is_of_body(first) || !is_of_body(last) ||
      files.getImmediateExpansionRange(first).getBegin() !=
          files.getImmediateExpansionRange(last).getBegin())
    return std::nullopt;
  const clang::SourceLocation begin = files.getSpellingLoc(first);
  const clang::SourceLocation end = clang::Lexer::getLocForEndOfToken(files.getSpellingLoc(last), 0,
                                                                      files, context.getLangOpts());
  if (!files.isInMainFile(begin)) return std::nullopt;
  auto result = piece_of_characters(context, begin, end);
  return result && result->line == result->end_line ? result : std::nullopt;
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

namespace {

// True if `expression + 1` adds to all of the expression.
bool binds_as_a_sum(const clang::Expr* expression) {
  if (llvm::isa<clang::ConditionalOperator>(expression)) return false;
  const auto* const operation = llvm::dyn_cast<clang::BinaryOperator>(expression);
  return operation == nullptr || operation->isAdditiveOp() || operation->isMultiplicativeOp();
}

const clang::IntegerLiteral* number_in_the_file(const clang::Expr* expression) {
  const auto* const number =
      llvm::dyn_cast<clang::IntegerLiteral>(expression->IgnoreParenImpCasts());
  return number == nullptr || number->getLocation().isMacroID() ? nullptr : number;
}

}  // namespace

std::optional<spelled_extent> spelled_sum(const clang::ASTContext& context,
                                          const clang::Expr* extent) {
  extent = extent->IgnoreImplicit();
  const auto piece = piece_of_tokens(context, extent->getSourceRange());
  // Of `TILE + 1` the number, if the sum itself is in the file.
  const auto* const sum = llvm::dyn_cast<clang::BinaryOperator>(extent);
  const bool is_sum =
      sum != nullptr && sum->getOpcode() == clang::BO_Add && !sum->getOperatorLoc().isMacroID();
  if (const auto* const number = number_in_the_file(is_sum ? sum->getRHS() : extent)) {
    const auto digits = piece_of_tokens(context, number->getSourceRange());
    const llvm::APInt value = number->getValue();
    // In an instance a parameter of its template is a number too.
    const bool is_digits = digits && digits->text[0] >= '0' && digits->text[0] <= '9';
    if (is_digits && value.getActiveBits() < 32)
      return spelled_extent{*digits, "", static_cast<long long>(value.getZExtValue()),
                            piece.value_or(source_piece())};
  }
  if (!piece) return std::nullopt;
  const bool is_clear = binds_as_a_sum(extent);
  return spelled_extent{*piece, (is_clear ? piece->text : "(" + piece->text + ")") + " + ", 0,
                        *piece};
}

}  // namespace compiled
