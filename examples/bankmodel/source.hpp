// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

// The text of a kernel, places in it, and errors.
namespace command_line {

struct source {
  std::string name;  // the file's, for messages
  std::string text;
};

struct place {
  std::size_t first = 0, size = 0;  // in bytes
};

// The exception for bad input: its place, the error, and what to do.
struct refusal {
  place location;
  std::string wrong, right;
};

// The error of input that has no place.
inline refusal input_error(std::string wrong, std::string right) {
  return {{}, std::move(wrong), std::move(right)};
}

// Line and column, from 1; a column is a character, however many bytes it has.
int line_number(const source& input, std::size_t offset);
int column_number(const source& input, std::size_t offset);

// transpose.kernel:4:10: error: there is no shared array tole; did you mean tile?
//   store tole[ty][tx]
//         ^~~~
std::string text(const source& input, const refusal& reason);

// bankmodel: error: cannot read nowhere.kernel: no such file; name a kernel file, or give its lines
// with -e
std::string text_without_place(const refusal& reason);

// Concatenates texts and numbers.
template <class... Parts>
std::string joined(const Parts&... parts) {
  std::string result;
  const auto append = [&](const auto& part) {
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(part)>>)
      result += std::to_string(part);
    else
      result += std::string_view(part);
  };
  (append(parts), ...);
  return result;
}

// "did you mean tile?" with the most similar word; `otherwise` if there is none.
class nearest_word {
 public:
  explicit nearest_word(std::string_view target) : word_(target) {}
  void offer(std::string_view word);
  std::string question(std::string_view otherwise) const;

 private:
  std::string word_, nearest_;
  std::size_t distance_ = 0;
};

}  // namespace command_line
