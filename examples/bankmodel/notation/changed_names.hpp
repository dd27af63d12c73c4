// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "token.hpp"

// Which variables a piece of C++ may change, by its tokens alone: for statements that are not
// read, and for functions and references, whose effects are not known.
namespace command_line {

enum class change_kind : unsigned char {
  assigned,  // x = 1, ++x
  passed,    // f(x): the function may take it by reference
  aliased    // &x, int& r = x, [&] { x = 1; }: from here on it may change at any time
};
struct possible_change {
  token name;
  change_kind kind;
};

// Of all names, also of those that are declared between the two tokens.
std::vector<possible_change> possible_changes(const std::vector<token>& stream, std::size_t begin,
                                              std::size_t end);

// The variables and elements of which an expression is one, not a value computed from them:
// x, (x), a[1], and x and y of `c ? x : y`. A reference to the expression is one to them.
std::vector<token> bare_names(const std::vector<token>& stream, std::size_t begin, std::size_t end);

// True for `float& r = ..`
bool declares_reference(const std::vector<token>& stream, std::size_t begin, std::size_t end);

// True for = += ++ and so on.
bool is_assigning(const token& symbol);

// Functions that take values: those of the compiler, of CUDA's <cmath>, and `make_float4`.
bool is_by_value(std::string_view function);

}  // namespace command_line
