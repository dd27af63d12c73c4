// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../answer.hpp"
#include "../terminal.hpp"

namespace command_line {

// What is around the program that asks.
struct surroundings {
  // All of standard input. `is_named`: an argument names it, else there is no other file.
  std::function<std::string(bool is_named)> input;
  std::function<void(const std::string& note)> tell;  // lines, before the answer
  // "files" or "kernels"; may be empty
  std::function<void(std::size_t done, std::size_t total, const char* unit)> progress = {};
  text_shape shape = {};  // of answer::output
};

// Answers what the program is asked by its arguments, without its name and but for `reorganize` and
// --lsp, and writes the files that they name. answer::error is for people.
answer answer_to_words(const std::vector<std::string>& words, const surroundings& context);

}  // namespace command_line
