// SPDX-License-Identifier: MIT
#include "token_reader.hpp"

#include <algorithm>

namespace command_line {

namespace {

constexpr int deepest = 200;

}  // namespace

const token& token_reader::peek(std::size_t offset) const {
  if (one_line_)
    for (std::size_t position = cursor_; position <= cursor_ + offset && position < tokens_.size();
         ++position)
      if (tokens_[position].first_of_line) return tokens_.back();
  return tokens_[std::min(cursor_ + offset, tokens_.size() - 1)];
}

token token_reader::take() {
  const token result = front();
  if (cursor_ + 1 < tokens_.size()) ++cursor_;
  return result;
}

bool token_reader::take_if(std::string_view symbol) {
  if (!front().is(symbol)) return false;
  (void)take();
  return true;
}

place token_reader::expect(std::string_view symbol, std::string_view what_for) {
  if (!front().is(symbol)) unexpected(joined("`", symbol, "` ", what_for));
  return take().location;
}

void token_reader::unexpected(std::string_view instead) const {
  const token& word = front();
  if (word.kind != token_kind::end)
    throw refusal{word.location, joined("`", word.text.substr(0, 40), "` is not expected here"),
                  joined("write ", instead)};
  // After the last token, where one is missing.
  const place last = cursor_ == 0 ? place{0, 0} : tokens_[cursor_ - 1].location;
  throw refusal{{last.first + last.size, 1},
                one_line_ ? "the line ends too early" : "the text ends too early",
                joined("write ", instead)};
}

place token_reader::span(std::size_t first) const {
  const place begin = tokens_[first].location,
              end = tokens_[cursor_ > first ? cursor_ - 1 : first].location;
  return {begin.first, end.first + end.size - begin.first};
}

std::string token_reader::words(std::size_t first) const {
  std::string result;
  for (std::size_t position = first; position < cursor_; ++position) {
    const bool gap = position > first &&
                     tokens_[position].location.first >
                         tokens_[position - 1].location.first + tokens_[position - 1].location.size;
    const token& word = tokens_[position];
    if (!word.is_replaced) {
      result += joined(gap ? " " : "", word.text);
      continue;
    }
    // As written, once, on one line.
    if (position > first && tokens_[position - 1].location.first == word.location.first) continue;
    result += gap ? " " : "";
    for (const char letter : source_.text.substr(word.location.first, word.location.size)) {
      const bool is_blank = letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r';
      if (!is_blank || (!result.empty() && result.back() != ' ')) result += is_blank ? ' ' : letter;
    }
  }
  return result;
}

token_reader::deeper::deeper(token_reader& owner) : reader(owner) {
  if (owner.depth_ == deepest)
    throw refusal{owner.front().location, joined("this nests more than ", deepest, " deep"),
                  "use fewer parentheses and braces"};
  ++owner.depth_;
}

}  // namespace command_line
