// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_STATEMENT_SCAN_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_STATEMENT_SCAN_HPP

#include <vector>

#include "token.hpp"

// What a statement does, by its tokens alone: it is not read yet, or cannot be read.
namespace command_line {

// The token after the statement that begins at `at`; of all tokens, the last one is the end.
std::size_t end_of_statement(const std::vector<token>& all, std::size_t at);

// True if the statement before `end` is finished as in C, by a semicolon or a brace.
bool is_finished(const std::vector<token>& all, std::size_t begin, std::size_t end);

// Names before = += ++ and so on, after ++ and --, and those that a function may change. Some may
// be names of inner variables.
std::vector<token> assigned_names(const std::vector<token>& all, std::size_t begin,
                                  std::size_t end);

// The first `break` of the loop that begins at `begin`, or `return` anywhere in it; the end if
// there is none.
std::size_t exit_of_loop(const std::vector<token>& all, std::size_t begin, std::size_t end);

}  // namespace command_line

#endif
