// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_STRUCTURE_HPP
#define BANKMODEL_COUNT_DETAIL_STRUCTURE_HPP

#include <bankmodel/count/detail/evaluate.hpp>

// What can be said of a program by reading it, without a value.
namespace bankmodel::detail {

// The variables in which a program is written.
BANKMODEL_FN unsigned variables_in(const node* program, int size) {
  unsigned used = 0;
  for (int at = 0; at < size; ++at)
    if (program[at].op == operation::variable) used |= 1u << program[at].value;
  return used;
}

// The part that each variable plays, as bits. A program is a sum of multiples of the variables
// that are not bent.
struct structure {
  unsigned used = 0;
  // they stand in operations that are not linear, with loops and warps only,
  unsigned bent = 0;
  unsigned bent_in_lanes = 0;  // and with variables that differ from lane to lane
  // variables of loops and warps on which the differences between lanes depend
  unsigned shaping = 0;

  // Reads one program more; of a condition, the sides of its comparisons. `lanes` are the
  // variables that differ from lane to lane; `fixed` count as constants.
  BANKMODEL_FN void read(const node* program, int size, unsigned lanes, unsigned fixed) {
    unsigned stack[max_index_depth];  // the variables that a value depends on
    int top = -1;
    for (int at = 0; at < size; ++at) {
      const operation op = program[at].op;
      if (op <= operation::variable) {
        if (++top >= max_index_depth) rule::index_must_nest_at_most_32_deep();
        stack[top] = op == operation::constant ? 0 : 1u << program[at].value;
        used |= stack[top];
        continue;
      }
      const unsigned right = stack[top];
      if (op < operation::negate || op >= operation::skip_if_false) --top;
      if (op >= operation::skip_if_false) continue;
      const unsigned left = stack[top], both = left | right;
      stack[top] = both;
      const bool adds_or_compares =
          op <= operation::subtract || (op >= operation::less && op <= operation::logical_not);
      if (adds_or_compares || (both & ~fixed) == 0) continue;
      if (op == operation::shift_left
              ? (right & ~fixed) == 0
              : op == operation::multiply && ((left & ~fixed) == 0 || (right & ~fixed) == 0)) {
        if ((both & lanes) != 0) shaping |= (left & lanes) == 0 ? left : right;
        continue;
      }
      ((both & lanes) != 0 ? bent_in_lanes : bent) |= both & ~fixed;
      if ((both & lanes) != 0) shaping |= both & ~lanes;
    }
  }
};

}  // namespace bankmodel::detail

#endif
