// SPDX-License-Identifier: MIT
#include "token_reader.hpp"

#include <algorithm>

namespace command_line {

namespace {

constexpr int deepest = 200;

}  // namespace

const token& token_reader::peek(std::size_t further) const {
  if (one_line_)
    for (std::size_t at = at_; at <= at_ + further && at < tokens_.size(); ++at)
      if (tokens_[at].first_of_line) return tokens_.back();
  return tokens_[std::min(at_ + further, tokens_.size() - 1)];
}

token token_reader::take() {
  const token result = here();
  if (at_ + 1 < tokens_.size()) ++at_;
  return result;
}

bool token_reader::take_if(std::string_view symbol) {
  if (!here().is(symbol)) return false;
  (void)take();
  return true;
}

place token_reader::expect(std::string_view symbol, std::string_view what_for) {
  if (!here().is(symbol)) unexpected(joined("`", symbol, "` ", what_for));
  return take().where;
}

void token_reader::unexpected(std::string_view instead) const {
  const token& found = here();
  if (found.kind != token_kind::end)
    throw refusal{found.where, joined("`", found.text.substr(0, 40), "` is not expected here"),
                  joined("write ", instead)};
  // After the last token, where one is missing.
  const place last = at_ == 0 ? place{0, 0} : tokens_[at_ - 1].where;
  throw refusal{{last.first + last.size, 1},
                one_line_ ? "the line ends too early" : "the text ends too early",
                joined("write ", instead)};
}

place token_reader::from(std::size_t first) const {
  const place begin = tokens_[first].where, end = tokens_[at_ > first ? at_ - 1 : first].where;
  return {begin.first, end.first + end.size - begin.first};
}

std::string token_reader::words(std::size_t first) const {
  std::string result;
  for (std::size_t at = first; at < at_; ++at) {
    const bool gap = at > first && tokens_[at].where.first >
                                       tokens_[at - 1].where.first + tokens_[at - 1].where.size;
    const token& one = tokens_[at];
    if (!one.is_replaced) {
      result += joined(gap ? " " : "", one.text);
      continue;
    }
    // As written, once, on one line.
    if (at > first && tokens_[at - 1].where.first == one.where.first) continue;
    result += gap ? " " : "";
    for (const char letter : source_.text.substr(one.where.first, one.where.size)) {
      const bool is_blank = letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r';
      if (!is_blank || (!result.empty() && result.back() != ' ')) result += is_blank ? ' ' : letter;
    }
  }
  return result;
}

token_reader::deeper::deeper(token_reader& of) : reader(of) {
  if (of.depth_ == deepest)
    throw refusal{of.here().where, joined("this nests more than ", deepest, " deep"),
                  "use fewer parentheses and braces"};
  ++of.depth_;
}

}  // namespace command_line
