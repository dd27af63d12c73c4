// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_COMMAND_LINE_ANSWER_ABOUT_HPP
#define BANKMODEL_TESTS_COMMAND_LINE_ANSWER_ABOUT_HPP

#include <string>

#include "examples/bankmodel/compiled/ask.hpp"

// The answer about a text that is in no file.
inline command_line::answer answer_about(const std::string& name, const std::string& text,
                                         compiled::question asked = {}) {
  asked.file = name;
  asked.text = text;
  return compiled::answer_to(asked);
}

#endif
