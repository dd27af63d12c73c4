// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <string_view>
#include <vector>

namespace command_line {

// True if an element, or its member `part`, is the value.
template <class Range, class Value, class Part = std::identity>
bool includes(const Range& range, const Value& value, Part part = {}) {
  return std::ranges::find(range, value, part) != std::ranges::end(range);
}

// Adds the elements of `more` to the end.
template <class Container, class Range>
void append(Container& container, const Range& more) {
  container.insert(container.end(), std::ranges::begin(more), std::ranges::end(more));
}

// The index in a vector of a loop, a block, a register and the like. Requires: `number` is not -1,
// which stands for none.
inline std::size_t slot(int number) { return static_cast<std::size_t>(number); }

// The words between blanks.
inline std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    result.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}
inline bool has_word(std::string_view text, std::string_view word) {
  return includes(words_in(text), word);
}

}  // namespace command_line
