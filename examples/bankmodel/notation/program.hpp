// SPDX-License-Identifier: MIT
#pragma once

#include <bankmodel/kernel/index.hpp>
#include <limits>
#include <optional>
#include <vector>

#include "../source.hpp"

// Expressions as they are read: the library's nodes in postfix order, with constants computed
// as far as possible, and with the type that C computes them in.
namespace command_line {

namespace bm = bankmodel;

inline constexpr int most_nodes = 256;  // in an access, including its loops and conditions
// in an expression; the library has room for 32, padding needs two
inline constexpr int most_intermediate_values = 30;

// A type that C computes in. Narrower integers become int when they are read.
struct number_type {
  int bits = 32;
  bool is_unsigned = false;
  bool operator==(const number_type&) const = default;
};
inline constexpr number_type int_type{32, false}, unsigned_type{32, true},
    long_long_type{64, false}, size_type{64, true};

// The least and the largest possible value: double, because they may be outside of 64 bits;
// infinite if they are not known.
struct bounds {
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  bool fits(double lowest, double highest) const { return minimum >= lowest && maximum <= highest; }
  bool is_known() const {
    return minimum > -std::numeric_limits<double>::infinity() &&
           maximum < std::numeric_limits<double>::infinity();
  }
};
inline constexpr double two_to_31 = 2147483648.0, two_to_32 = 4294967296.0,
                        two_to_62 = 4611686018427387904.0, two_to_63 = 9223372036854775808.0;

// An unsigned value is kept as a number that is congruent to it modulo 2^32 or 2^64, so that
// `threadIdx.x - 1 + 1` stays affine; exact() gives the value itself.
struct program {
  std::vector<bm::node> nodes;
  place location;
  bool is_condition = false;
  // It reads memory, is a real number, or has a name that is not known: it may be stored, but not
  // be a subscript. The error message is for the place where a number is required.
  bool is_unknown = false;
  number_type type = int_type;
  bounds range = {};                  // of the nodes' value
  std::vector<bm::node> number = {};  // of a condition: 1 if it holds, else 0; may be empty
  refusal reason = {};                // why it is unknown

  std::optional<long long> constant() const;  // as C has it
  bool is(bm::variable variable) const {
    return nodes.size() == 1 && nodes[0].op == bm::operation::variable &&
           nodes[0].value == static_cast<long long>(variable);
  }
  bool reads(bm::variable variable) const;
};

// int if the value fits, else long long.
program constant_program(long long value, const place& position);
program variable_program(bm::variable variable, const place& position, const bounds& range = {});
program unknown_program(const place& position, const std::string& reason,
                        const std::string& instead);

// Returns `left symbol right` for + - * / % << >> & | ^ < > <= >= == != && ||, min and max, with
// C's conversions of both sides.
// Error (at the symbol): a result that may exceed int, as far as ranges are known; overflow of 64
// bits; division by zero, or with a negative constant; a shift by a constant that C does not
// define.
program combined(std::string_view symbol, const place& position, const program& left,
                 const program& right);
program negative(const program& operand);
program complement(const program& operand);    // the operator ~
program opposite(const program& operand);      // the operator !
program as_condition(const program& operand);  // a number is true if it is not 0
program as_number(const program& operand);     // a condition is 1 or 0
// condition ? left : right
program selected(const program& condition, const place& position, const program& left,
                 const program& right);

// Throws the reason if the value is unknown.
void require_known(const program& expression);

}  // namespace command_line
