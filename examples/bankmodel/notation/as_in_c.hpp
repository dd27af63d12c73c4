// SPDX-License-Identifier: MIT
#pragma once

#include "program.hpp"

// The library computes with integers of 64 bits, C with int, unsigned and 64 bits with and without
// a sign. These functions add what makes the results the same.
namespace command_line {

// The type of both operands of an operator after C's conversions.
number_type common_type(const number_type& left, const number_type& right);

// The value as C has it, between 0 and 2^32 - 1 for unsigned: `& 0xffffffff` is added if it is
// needed.
// Error: an unsigned value of 64 bits that may be below 0 or above 2^63 - 1.
program exact(const program& operand);

// C's conversion, modulo 2^bits. The result of a conversion to fewer bits than int is int.
program converted(const program& operand, const number_type& target);

// A subscript: as exact(), but a value below 0 that C takes as a large one stays below 0. Both are
// outside of every array.
program as_subscript(const program& operand);

// The possible values of `a op b`.
bounds range_of(bm::operation op, const bounds& a, const bounds& b);

// Without a result: an error if `a op b` may exceed the bits of its signed type, as far as the
// range is known.
void require_no_overflow(std::string_view symbol, const place& position, const number_type& type,
                         const bounds& range);

}  // namespace command_line
