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

  // Removes steps that no result depends on.
  BANKMODEL_FN void drop_unread() {
    int number_of[most_steps] = {};
    for (int d = 0; d < results; ++d) number_of[result[d]] = 1;
    for (int number = steps - 1; number >= 0; --number) {
      if (number_of[number] == 0) continue;
      if (step[number].left >= 0) number_of[step[number].left] = 1;
      if (step[number].right >= 0) number_of[step[number].right] = 1;
    }
    int left = 0;
    for (int number = 0; number < steps; ++number) {
      if (number_of[number] == 0) continue;
      program_step s = step[number];
      if (s.left >= 0) s.left = number_of[s.left];
      if (s.right >= 0) s.right = number_of[s.right];
      number_of[number] = left;
      step[left++] = s;
    }
    steps = left;
    for (int d = 0; d < results; ++d) result[d] = number_of[result[d]];
  }
};

}  // namespace bankmodel::detail

#endif
