// SPDX-License-Identifier: MIT
#pragma once

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace compiled {

// The main file as tokens, without the preprocessor.
class raw_file {
 public:
  raw_file(const clang::SourceManager& files, const clang::LangOptions& language)
      : files_(files), text_(files.getBufferData(files.getMainFileID()).str()) {
    clang::Lexer lexer(files.getLocForStartOfFile(files.getMainFileID()), language, text_.data(),
                       text_.data(), text_.data() + text_.size());
    for (clang::Token token; !lexer.LexFromRawLexer(token);) tokens_.push_back(token);
  }

  const std::string& text() const { return text_; }
  std::size_t count() const { return tokens_.size(); }
  bool is(std::size_t index, clang::tok::TokenKind kind) const {
    return index < tokens_.size() && tokens_[index].is(kind);
  }
  bool begins_line(std::size_t index) const { return tokens_[index].isAtStartOfLine(); }
  std::size_t begin(std::size_t index) const {
    return files_.getFileOffset(tokens_[index].getLocation());
  }
  std::size_t end(std::size_t index) const { return begin(index) + tokens_[index].getLength(); }
  std::string spelling(std::size_t index) const {
    return text_.substr(begin(index), tokens_[index].getLength());
  }
  clang::SourceLocation location(std::size_t index) const { return tokens_[index].getLocation(); }
  // The token that begins at this byte; count() if none does.
  std::size_t token_beginning(std::size_t byte) const {
    const auto position = std::ranges::lower_bound(tokens_, byte, {}, [&](const auto& token) {
      return files_.getFileOffset(token.getLocation());
    });
    const auto index = static_cast<std::size_t>(position - tokens_.begin());
    return index < tokens_.size() && begin(index) == byte ? index : tokens_.size();
  }

 private:
  const clang::SourceManager& files_;
  std::string text_;
  std::vector<clang::Token> tokens_;
};

}  // namespace compiled
