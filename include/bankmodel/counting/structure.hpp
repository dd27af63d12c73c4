// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNTING_STRUCTURE_HPP
#define BANKMODEL_COUNTING_STRUCTURE_HPP

#include <bankmodel/counting/evaluate.hpp>

// What can be said of a subscript by reading it, without a value.
namespace bankmodel::detail {

// The variables in which a program is written.
BANKMODEL_FN constexpr unsigned variables_in(const node* program, int size) {
  unsigned used = 0;
  for (int at = 0; at < size; ++at)
    if (program[at].op == operation::variable) used |= 1u << program[at].value;
  return used;
}

// Which variables differ from lane to lane, in the same way in every full warp, and which a warp as a whole moves. A
// variable can do both: tid is the lane plus 32 times the warp. If the warps share no such pattern, `alike` is false.
struct warp_pattern {
  bool alike;
  unsigned in_lanes, in_warps;
};

BANKMODEL_FN constexpr warp_pattern pattern_of_warps(const block_dim& block, int lanes) {
  constexpr unsigned x = variable_bit(variable::tx), y = variable_bit(variable::ty), z = variable_bit(variable::tz);
  constexpr unsigned in_lanes = variable_bit(variable::lane) | variable_bit(variable::tid);
  constexpr unsigned in_warps = variable_bit(variable::warp) | variable_bit(variable::tid);
  if (block.x % lanes == 0) return {true, in_lanes | x, in_warps | x | y | z};
  if (lanes % block.x == 0) {
    const int rows = lanes / block.x;
    if (block.y % rows == 0) return {true, in_lanes | x | y, in_warps | y | z};
    if (rows % block.y == 0) return {true, in_lanes | x | y | z, in_warps | z};
  }
  return {false, in_lanes | x | y | z, in_warps | x | y | z};
}

struct subscript_structure {
  unsigned used = 0;
  unsigned not_affine = 0;  // the variables that it is not a constant multiple of
  // Whether it is a sum of a part that only the lane moves and a part that loops (and, in the first, warps) move: then
  // these move all lanes alike.
  bool apart_in_block = true, apart_in_warp = true;

  // Reads one program more. `loops` are the loop variables that it may read.
  BANKMODEL_FN constexpr void read(const node* program, int size, const warp_pattern& warps, unsigned loops) {
    constexpr unsigned constants = variable_bit(variable::bx) | variable_bit(variable::by) | variable_bit(variable::bz);
    unsigned stack[max_index_depth];  // the variables that a value depends on
    int top = -1;
    for (int at = 0; at < size; ++at) {
      const operation op = program[at].op;
      if (op <= operation::variable) {
        if (++top >= max_index_depth) rule::index_must_nest_at_most_32_deep();
        stack[top] = op == operation::constant ? 0 : 1u << program[at].value & ~constants;
        continue;
      }
      const unsigned right = stack[top];
      if (op < operation::negate) --top;
      const unsigned left = stack[top];
      const unsigned both = left | right;
      stack[top] = both;
      if (op == operation::add || op == operation::subtract || op == operation::negate ||
          (op == operation::multiply && (left == 0 || right == 0)) || (op == operation::shift_left && right == 0))
        continue;
      not_affine |= both;
      if ((both & warps.in_lanes) == 0) continue;
      if ((both & loops) != 0) apart_in_warp = apart_in_block = false;
      if ((both & warps.in_warps) != 0) apart_in_block = false;
    }
    used |= variables_in(program, size);
  }
};

}  // namespace bankmodel::detail

#endif
