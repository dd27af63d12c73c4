// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_PROGRAM_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_PROGRAM_HPP

#include <bankmodel/kernel/index.hpp>
#include <optional>
#include <vector>

#include "source.hpp"

// Expressions as they are read: the library's nodes in postfix order, with constants computed
// as far as possible.
namespace command_line {

namespace bm = bankmodel;

inline constexpr int most_nodes = 256;  // in an access, including its loops and conditions
// in an expression; the library has room for 32, padding needs two
inline constexpr int most_intermediate_values = 30;

struct program {
  std::vector<bm::node> nodes;
  place where;
  bool is_condition = false;
  // it reads memory, or is a real number: it may be stored, but not be a subscript
  bool is_unknown = false;
  bool is_unsigned = false;  // unsigned in C: negative values compare and shift differently

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

// Returns `left symbol right` for + - * / % << >> & | ^ < > <= >= == != && ||, min and max.
// Error (at the symbol): overflow; division by zero, or with a negative constant; comparisons
// used as numbers.
program combined(std::string_view symbol, const place& at, const program& left,
                 const program& right);
program negative(const program& of);
program opposite(const program& of);      // the operator !
program as_condition(const program& of);  // a number is true if it is not 0
void require_number(const program& one);

inline constexpr long long most_int = 0x7fffffff;  // of C's int on a GPU

// True if the value is 0 or more in all threads; `loops`: the loop variables that are never
// negative.
bool never_negative(const program& one, unsigned loops);

}  // namespace command_line

#endif
