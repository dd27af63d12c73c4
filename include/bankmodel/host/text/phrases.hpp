// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_TEXT_PHRASES_HPP
#define BANKMODEL_HOST_TEXT_PHRASES_HPP

#include <bankmodel/kernel/index.hpp>

#include <cstddef>
#include <string>

// Builds the text of expressions in C from the texts of their parts.
namespace bankmodel::detail {

// C's symbol of an operation, and its precedence (12 binds tightest: operands and function
// calls).
struct spelling {
  const char* symbol;
  int binding;
};
inline const spelling& spelling_of(operation op) {
  // constant, variable
  static constexpr spelling in_order[] = {{"", 12},
                                          {"", 12},
                                          // arithmetic
                                          {" + ", 9},
                                          {" - ", 9},
                                          {" * ", 10},
                                          {" / ", 10},
                                          {" % ", 10},
                                          // shifts, bits
                                          {" << ", 8},
                                          {" >> ", 8},
                                          {" & ", 5},
                                          {" | ", 3},
                                          {" ^ ", 4},
                                          // as functions
                                          {"min", 12},
                                          {"max", 12},
                                          {"triangular_root", 12},
                                          // two operands
                                          {" < ", 7},
                                          {" <= ", 7},
                                          {" == ", 6},
                                          {" != ", 6},
                                          {"-", 11},
                                          {"!", 11},
                                          {" && ", 2},
                                          {" || ", 1}};
  static_assert(sizeof in_order / sizeof in_order[0] ==
                static_cast<std::size_t>(operation::skip_if_true) + 1);
  return in_order[static_cast<int>(op)];
}
inline int binding(operation op) { return spelling_of(op).binding; }

// Concatenates the parts. (g++ 12 warns falsely about `"text" + string` in optimized code.)
template <class... Parts>
std::string line_of(const Parts&... parts) {
  std::string result;
  ((result += parts), ...);
  return result;
}

// The text of a part of an expression, and its outermost operation.
struct phrase {
  std::string words;
  operation outermost = operation::constant;
  bool of_thread = false;  // true if it differs between the threads of a block

  std::string in_parentheses_if(bool needed) const {
    return needed ? line_of("(", words, ")") : words;
  }
};

// Joins two phrases. Adds parentheses if C would read the text differently without them, and if
// compilers warn without them: around other operators in a bitwise operation or a shift, and
// around && in ||.
inline phrase joined_phrases(operation op, const char* symbol, const phrase& left,
                             const phrase& right) {
  const bool of_thread = left.of_thread || right.of_thread;
  const int outer = binding(op);
  if (outer == 12) return {line_of(symbol, "(", left.words, ", ", right.words, ")"), op, of_thread};
  const bool bitwise =
      (outer >= binding(operation::bit_or) && outer <= binding(operation::bit_and)) ||
      outer == binding(operation::shift_left);
  const auto mixed = [&](operation inner) {
    return inner != op && ((bitwise && binding(inner) < 11) ||
                           (op == operation::skip_if_true && inner == operation::skip_if_false));
  };
  return {
      line_of(left.in_parentheses_if(binding(left.outermost) < outer || mixed(left.outermost)),
              symbol,
              right.in_parentheses_if(binding(right.outermost) <= outer || mixed(right.outermost))),
      op, of_thread};
}

}  // namespace bankmodel::detail

#endif
