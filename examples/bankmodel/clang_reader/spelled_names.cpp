// SPDX-License-Identifier: MIT
#include "spelled_names.hpp"

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

namespace compiled {

void known_names::add(clang::SourceLocation use) {
  const clang::SourceManager& files = context_.getSourceManager();
  if (use.isMacroID() && !files.isMacroArgExpansion(use)) return;
  places_.insert(files.getSpellingLoc(use));
}

bool known_names::are_all_in(clang::SourceRange range, const std::string& name) const {
  const clang::SourceManager& files = context_.getSourceManager();
  // `__device__` is a macro.
  const clang::SourceLocation begin = files.getExpansionLoc(range.getBegin()),
                              last = files.getExpansionLoc(range.getEnd());
  if (range.isInvalid() || files.getFileID(begin) != files.getFileID(last)) return false;
  const clang::SourceLocation end =
      clang::Lexer::getLocForEndOfToken(last, 0, files, context_.getLangOpts());
  return are_all(files.getFileID(begin), files.getFileOffset(begin), files.getFileOffset(end),
                 name);
}

bool known_names::are_all_in_file(const std::string& name) const {
  const clang::SourceManager& files = context_.getSourceManager();
  const clang::FileID file = files.getMainFileID();
  return are_all(file, 0, static_cast<unsigned>(files.getBufferData(file).size()), name);
}

bool known_names::are_all(clang::FileID file, unsigned first, unsigned last,
                          const std::string& name) const {
  const clang::SourceManager& files = context_.getSourceManager();
  const llvm::StringRef text = files.getBufferData(file);
  clang::Lexer lexer(files.getLocForStartOfFile(file), context_.getLangOpts(), text.begin(),
                     text.begin() + first, text.end());
  clang::Token token;
  do {
    lexer.LexFromRawLexer(token);
    const bool is_name = token.is(clang::tok::raw_identifier) && token.getRawIdentifier() == name;
    if (files.getFileOffset(token.getLocation()) >= last) return true;
    if (is_name && places_.count(token.getLocation()) == 0) return false;
  } while (token.isNot(clang::tok::eof));
  return true;
}

}  // namespace compiled
