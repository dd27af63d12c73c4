// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_INDEX_PROGRAM_HPP
#define BANKMODEL_LAYOUT_INDEX_PROGRAM_HPP

#include <bankmodel/layout/layout.hpp>

// The program of a layout's index function, from coordinates to the place in storage.
namespace bankmodel::detail {

enum class step_kind : unsigned char {
  coordinate,       // number `value`
  number,           // of the element: the sum of coordinates times strides
  constant,         // `value`
  add,              // left + right
  bit_xor,          // left ^ right
  multiply,         // left * value
  divide,           // left / value
  remainder,        // left % value
  bit_and,          // left & value
  shift_left,       // left << value
  shift_right,      // left >> value
  triangle,         // left * (left + 1) / 2
  triangular_root,  // the number below `value` whose triangle is left (for kernels: -left), modulo
                    // `value`
  in_group          // left * value + right % value; `value` is a power of two
};

struct program_step {
  step_kind kind;
  int left, right;  // numbers of earlier steps
  long long value;
  long long lowest, highest;  // of the result, for all coordinates within the extents
};

// Steps that read the results of earlier steps; no two are equal. The results are the coordinates
// in storage, or, if rows do not stay rows, a single one: the number in storage.
struct index_program {
  static constexpr int most_steps = 160;
  program_step step[most_steps];
  int steps = 0;
  int result[max_rank] = {};
  int results = 0;
};

}  // namespace bankmodel::detail

#endif
