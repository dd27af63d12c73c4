// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "macros.hpp"
#include "token.hpp"

namespace command_line {

// The tokens of a text, taken one after the other.
class token_reader {
 public:
  explicit token_reader(const source& input)
      : source_(input), tokens_(with_macros_replaced(input, tokens_of(input))) {}
  virtual ~token_reader() = default;
  token_reader(const token_reader&) = delete;

 protected:
  const token& front() const { return peek(0); }
  // also the end, if one line is read and it is over
  const token& peek(std::size_t offset) const;
  token take();  // a copy: it stays valid
  bool take_if(std::string_view symbol);
  place expect(std::string_view symbol, std::string_view what_for);
  [[noreturn]] void unexpected(
      std::string_view instead) const;  // "expected `instead` in place of front()"
  place span(std::size_t first) const;  // from token number `first` to the last one taken
  // the same as written, on one line and without comments
  std::string words(std::size_t first) const;
  std::size_t cursor() const { return cursor_; }
  void read_one_line(bool wanted) { one_line_ = wanted; }

  // Input that nests deeper than this is an error, so that no input exhausts the stack.
  struct deeper {
    explicit deeper(token_reader& owner);
    ~deeper() { --reader.depth_; }
    deeper(const deeper&) = delete;
    token_reader& reader;
  };

  const source& source_;
  std::vector<token> tokens_;
  std::size_t cursor_ = 0;

 private:
  int depth_ = 0;
  bool one_line_ = false;
};

}  // namespace command_line
