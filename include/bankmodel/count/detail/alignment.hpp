// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_ALIGNMENT_HPP
#define BANKMODEL_COUNT_DETAIL_ALIGNMENT_HPP

#include <bankmodel/count/detail/access_view.hpp>
#include <bankmodel/count/detail/program.hpp>

// The low bits of subscripts that are always zero, to prove that wide accesses are aligned.
namespace bankmodel::detail {

// The number of low bits that are 0, 63 for 0 itself.
BANKMODEL_FN int low_zeros(long long value) {
  return value == 0 ? 63 : trailing_zeros(static_cast<std::uint64_t>(value));
}

// At least this number of low bits is 0 in every value of the program.
BANKMODEL_FN int low_zeros(const node* program, int size) {
  constexpr unsigned keeping = additive_operations | set_of(operation::bit_or) |
                               set_of(operation::bit_xor) | set_of(operation::minimum) |
                               set_of(operation::maximum);
  int stack[max_index_depth];
  int top = -1;
  for (int at = 0; at < size; ++at) {
    const operation op = program[at].op;
    if (is_in(leaf_operations, op)) {
      stack[++top] = op == operation::constant ? low_zeros(program[at].value) : 0;
      continue;
    }
    if (op == operation::negate) continue;
    const int right = stack[top--], left = stack[top], least = left < right ? left : right;
    const bool by_a_constant = program[at - 1].op == operation::constant;
    stack[top] = is_in(keeping, op)          ? least
                 : op == operation::multiply ? left + right
                 : op == operation::bit_and  ? left + right - least
                 : op == operation::shift_left && by_a_constant
                     ? left + static_cast<int>(program[at - 1].value & 63)
                     : 0;
    if (stack[top] > 63) stack[top] = 63;
  }
  return stack[0];
}

// True if each subscript alone keeps a wide access aligned, at all values of its variables.
BANKMODEL_FN bool keeps_alignment(const access_view& access) {
  if (access.vector == 1) return true;
  const int bytes = access.bytes(), needed = low_zeros(bytes == 12 ? 4 : bytes);
  if (low_zeros(access.array.base_bytes) < needed) return false;
  for (int d = 0; d < access.subscripts; ++d) {
    const slice& program = access.subscript[d];
    if (low_zeros(access.nodes + program.first, program.size) +
            low_zeros(access.array.layout.stride[d] * access.array.element_bytes) <
        needed)
      return false;
  }
  return true;
}

}  // namespace bankmodel::detail

#endif
