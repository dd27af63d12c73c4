// SPDX-License-Identifier: MIT
// Runs the program of an index function step by step.
#ifndef TESTS_SUPPORT_INDEX_PROGRAMS_HPP
#define TESTS_SUPPORT_INDEX_PROGRAMS_HPP

#include <bankmodel/layout/index_program.hpp>

#include "permutations.hpp"

#include <vector>

namespace programs {

struct run {
  long long place;  // the number in storage
  int wrong;        // results outside of their stated ranges
};

inline run execute(const bankmodel::detail::index_program& program,
                   const bankmodel::layout& array_layout, bool for_kernels,
                   const bankmodel::detail::four& position) {
  using bankmodel::detail::step_kind;
  std::vector<long long> value;
  int wrong = 0;
  for (int number = 0; number < program.steps; ++number) {
    const bankmodel::detail::program_step& s = program.step[number];
    const long long left = s.left < 0 ? 0 : value[static_cast<std::size_t>(s.left)],
                    right = s.right < 0 ? 0 : value[static_cast<std::size_t>(s.right)];
    long long result = 0;
    switch (s.kind) {
      case step_kind::coordinate: result = position[static_cast<int>(s.value)]; break;
      case step_kind::number:
        for (int d = 0; d < array_layout.rank; ++d) result += position[d] * array_layout.stride[d];
        break;
      case step_kind::constant: result = s.value; break;
      case step_kind::add: result = left + right; break;
      case step_kind::bit_xor: result = left ^ right; break;
      case step_kind::multiply: result = left * s.value; break;
      case step_kind::divide: result = left / s.value; break;
      case step_kind::remainder:
        wrong += left < 0 && (s.value & (s.value - 1)) != 0;
        result = permuted::modulo(left, s.value);
        break;
      case step_kind::bit_and: result = left & s.value; break;
      case step_kind::shift_left: result = left << s.value; break;
      case step_kind::shift_right: result = left >> s.value; break;
      case step_kind::triangle: result = left * (left + 1) / 2; break;
      case step_kind::triangular_root:
        while (permuted::modulo(result * (result + 1) / 2 - (for_kernels ? -left : left),
                                s.value) != 0)
          ++result;
        break;
      case step_kind::in_group: result = left * s.value + right % s.value; break;
    }
    wrong += result < s.lowest || result > s.highest || (!for_kernels && result < 0);
    value.push_back(result);
  }
  long long place = 0;
  for (int d = 0; d < program.results; ++d)
    place += value[static_cast<std::size_t>(program.result[d])] *
             (program.results == 1 ? 1 : array_layout.stride[d]);
  return {place, wrong};
}

}  // namespace programs

#endif
