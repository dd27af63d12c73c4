// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_PROGRAM_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_PROGRAM_HPP

#include <bankmodel/kernel/index.hpp>
#include <optional>
#include <vector>

#include "source.hpp"

// Expressions as they are read: the library's nodes in postfix order, constants computed as far as
// possible.
namespace command_line {

namespace bm = bankmodel;

// of an access, its loops and conditions included
inline constexpr int most_nodes = 256;
// of an expression; the library has room for 32, padding needs two
inline constexpr int most_intermediate_values = 30;

struct program {
  std::vector<bm::node> nodes;
  place where;
  bool is_condition = false;
  // it reads memory, or is a real number: it may be stored, and stand in no subscript
  bool is_unknown = false;
  bool is_unsigned = false;  // in C: where it may be negative, C compares and shifts something else

  std::optional<long long> constant() const {
    if (is_unknown || nodes.size() != 1 || nodes[0].op != bm::operation::constant) return {};
    return nodes[0].value;
  }
  bool is(bm::variable which) const {
    return nodes.size() == 1 && nodes[0].op == bm::operation::variable &&
           nodes[0].value == static_cast<long long>(which);
  }
  bool reads(bm::variable which) const;
};

program constant_program(long long value, const place& where);
program variable_program(bm::variable which, const place& where);

// What `symbol` (+ - * / % << >> & | ^ < > <= >= == != && ||, min, max) makes of both. Refused, at
// the symbol: what overflows, divides by zero or by or of a negative constant, and comparisons as
// numbers.
program combined(std::string_view symbol, const place& at, const program& left,
                 const program& right);
program negative(const program& of);
program opposite(const program& of);      // !
program as_condition(const program& of);  // a number holds where it is not 0
void require_number(const program& one);

inline constexpr long long most_int = 0x7fffffff;  // of C's int on a GPU

// Whether the value is 0 or more for all threads; `loops`: of the loop variables, those that never
// are negative.
bool never_negative(const program& one, unsigned loops);

}  // namespace command_line

#endif
