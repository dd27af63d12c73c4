// SPDX-License-Identifier: MIT
// Rules that are broken at run time, and their texts.
#ifndef BANKMODEL_TESTS_BREAKS_HPP
#define BANKMODEL_TESTS_BREAKS_HPP

#include <bankmodel/core/error.hpp>

#include "catch.hpp"

#include <functional>
#include <initializer_list>
#include <string>

// The rule that the call breaks; "none" if it breaks none.
inline std::string rule_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const bankmodel::error& failure) {
    return failure.rule();
  }
  return "none";
}

// Calls `call`, which must break `rule`, and searches for each of `words` in the text.
inline void breaks(const char* rule, std::initializer_list<const char*> words,
                   const std::function<void()>& call) {
  INFO("rule " << rule);
  try {
    call();
  } catch (const bankmodel::error& e) {
    const std::string text = e.what();
    INFO(text);
    CHECK(std::string(e.rule()) == rule);
    CHECK(text.rfind(std::string("bankmodel: ") + rule + ": ", 0) == 0);
    CHECK(text.find('%') == std::string::npos);
    CHECK(text.size() < 395);  // error keeps 399 characters
    for (const char* word : words) {
      INFO("must contain: " << word);
      CHECK(text.find(word) != std::string::npos);
    }
    return;
  }
  FAIL_CHECK("the call breaks no rule");
}

#endif
