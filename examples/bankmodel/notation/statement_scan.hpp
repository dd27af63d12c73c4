// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "token.hpp"

// What a statement does, by its tokens alone: it is not read yet, or cannot be read.
namespace command_line {

// The token after the statement that begins at `position`; of all tokens, the last one is the end.
std::size_t end_of_statement(const std::vector<token>& stream, std::size_t position);

// The token after the parentheses of the `for` at `position`.
std::size_t end_of_head(const std::vector<token>& stream, std::size_t position);

// True if the name follows a type between the two tokens.
bool is_declared_in(const std::vector<token>& stream, std::size_t begin, std::size_t end,
                    std::string_view name);

// True if the statement before `end` is finished as in C, by a semicolon or a brace.
bool is_finished(const std::vector<token>& stream, std::size_t begin, std::size_t end);

// The first `break` of the loop that begins at `begin`, or `return` anywhere in it; the end if
// there is none.
std::size_t exit_of_loop(const std::vector<token>& stream, std::size_t begin, std::size_t end);

// The first `continue` of a loop around the statement; the end if there is none.
std::size_t continue_of_loop(const std::vector<token>& stream, std::size_t begin, std::size_t end);

// The token after the bracket that closes the one at `position`.
std::size_t after_bracket(const std::vector<token>& stream, std::size_t position);

// True if the token begins a line `block 32 8` of the notation: `block.sync();` of C++ is none. The
// same of machine, grid and define.
bool is_directive_at(const std::vector<token>& stream, std::size_t position);

// A function that is defined or declared at `position`: `__global__ void f(int n) {`
struct function_head {
  std::size_t name = 0;  // 0: there is none
  std::size_t body = 0;  // its brace; 0: it is declared only
  std::size_t end = 0;   // after its brace or semicolon
};
function_head function_at(const std::vector<token>& stream, std::size_t position);

}  // namespace command_line
