// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_PROGRAM_WRITER_HPP
#define BANKMODEL_LAYOUT_PROGRAM_WRITER_HPP

#include <bankmodel/layout/program_sums.hpp>

// Writes the program of an index function, and simplifies it on the way by what is known of its
// values.
namespace bankmodel::detail {

// The operations that an index function is made of.
class program_writer : public program_sums {
 public:
  BANKMODEL_FN program_writer(const layout& array_layout, index_program& program, bool for_kernels)
      : program_sums(array_layout, program, for_kernels) {}

  BANKMODEL_FN term divide(const term& a, long long divisor) {
    if (divisor == 1) return a;
    if (step_of(a).highest < divisor) return constant(0);
    return write(step_kind::divide, a.step(), -1, divisor, step_of(a).lowest / divisor,
                 step_of(a).highest / divisor);
  }

  // Only what counts of a sum modulo `modulus` is left of it.
  BANKMODEL_FN term remainder(const term& a, long long modulus) {
    const term sum = modulo(a, modulus);
    if (step_of(sum).lowest >= 0 && step_of(sum).highest < modulus) return sum;
    return write(step_kind::remainder, sum.step(), -1, modulus, 0, modulus - 1);
  }
  BANKMODEL_FN term root(const term& a, long long width) {
    if (width <= 2) return remainder(a, width);
    const term remainder = modulo(for_kernels_ ? multiply(a, width - 1) : a, width);
    return write(step_kind::triangular_root, remainder.step(), -1, width, 0, width - 1);
  }

  BANKMODEL_FN term bit_xor(const term& a, const term& b) {
    if (is_zero(a)) return b;
    if (is_zero(b)) return a;
    return write(step_kind::bit_xor, a.step(), b.step(), 0, 0, bits_of(a) | bits_of(b));
  }
  BANKMODEL_FN term bit_and(const term& a, long long mask) {
    const long long left = bits_of(a) & mask;
    if (left == 0) return constant(0);
    return left == bits_of(a) ? a : write(step_kind::bit_and, a.step(), -1, mask, 0, left);
  }
  BANKMODEL_FN term shift_right(const term& a, int bits) {
    if (bits == 0) return a;
    if (step_of(a).highest >> bits == 0) return constant(0);
    return write(step_kind::shift_right, a.step(), -1, bits, step_of(a).lowest >> bits,
                 step_of(a).highest >> bits);
  }
  BANKMODEL_FN term shift_left(const term& a, int bits) {
    if (bits == 0 || is_zero(a)) return a;
    const bool is_masked = step_of(a).kind == step_kind::bit_and;
    const term inside = is_masked ? term{this, step_of(a).left} : a;
    const long long mask = is_masked ? step_of(a).value : bits_of(a);
    const program_step& shifted = step_of(inside);
    const auto back = static_cast<int>(shifted.value);
    if (shifted.kind == step_kind::shift_right && (for_kernels_ || is_masked || bits == back)) {
      const term unshifted{this, shifted.left};  // of two shifts one is left
      return bits < back ? bit_and(shift_right(unshifted, back - bits), mask << bits)
                         : shift_left(bit_and(unshifted, mask << back), bits - back);
    }
    const long long lowest = product_of(step_of(a).lowest, 1ll << bits),
                    highest = product_of(step_of(a).highest, 1ll << bits);
    // nvcc masks last, so that two masks before two shifts would not be one.
    if (for_kernels_ && is_masked && product_of(shifted.highest, 1ll << bits) <= 0x7fffffff)
      return bit_and(shift_left(inside, bits), mask << bits);
    return write(step_kind::shift_left, a.step(), -1, bits, lowest, highest);
  }

  // The column in group number `a`, at the place in its group that `column` has in its own.
  BANKMODEL_FN term in_group(const term& a, const term& column, int group) {
    if (group == 1) return a;
    const bool wraps = step_of(a).kind == step_kind::remainder;
    const long long width = wraps ? step_of(a).value * group : 0;
    sum_of_products sum;
    flatten(wraps ? step_of(a).left : a.step(), 1, 0, sum);
    for (int addend = 0; addend < sum.count; ++addend) {
      const program_step& part = program_.step[sum.step[addend]];
      // (column / group + rest) in groups is column + rest in groups.
      if (part.kind == step_kind::divide && part.left == column.step() && part.value == group &&
          sum.factor[addend] == 1) {
        sum.factor[addend] = 0;
        const term moved = add(column, multiply(joined(sum), group));
        return wraps ? remainder(moved, width) : moved;
      }
      // (rest + a triangle) in groups has its mask last in a kernel.
      if (for_kernels_ && is_power_of_two(width) && part.kind == step_kind::triangle) {
        const term added = multiply({this, sum.step[addend]}, sum.factor[addend] * group);
        sum.factor[addend] = 0;
        return remainder(add(in_group(joined(sum), column, group), added), width);
      }
    }
    if (is_zero(a)) return remainder(column, group);
    const long long lowest = product_of(step_of(a).lowest, group),
                    highest = product_of(step_of(a).highest, group);
    return write(step_kind::in_group, a.step(), column.step(), group, lowest,
                 sum_of(highest, group - 1));
  }
};

BANKMODEL_FN program_writer& writer_of(const term& a) {
  return static_cast<program_writer&>(*a.steps);
}

BANKMODEL_FN term operator+(const term& a, const term& b) {
  return a.steps != nullptr ? a.steps->add(a, b) : term{nullptr, a.value + b.value};
}
BANKMODEL_FN term operator*(const term& a, long long factor) {
  return a.steps != nullptr ? a.steps->multiply(a, factor) : term{nullptr, a.value * factor};
}
BANKMODEL_FN term operator/(const term& a, long long divisor) {
  return a.steps != nullptr ? writer_of(a).divide(a, divisor) : term{nullptr, a.value / divisor};
}
BANKMODEL_FN term operator%(const term& a, long long modulus) {
  return a.steps != nullptr ? writer_of(a).remainder(a, modulus) : term{nullptr, a.value % modulus};
}
BANKMODEL_FN term operator^(const term& a, const term& b) {
  return a.steps != nullptr ? writer_of(a).bit_xor(a, b) : term{nullptr, a.value ^ b.value};
}
BANKMODEL_FN term operator&(const term& a, long long mask) {
  return a.steps != nullptr ? writer_of(a).bit_and(a, mask) : term{nullptr, a.value & mask};
}
BANKMODEL_FN term operator>>(const term& a, int bits) {
  return a.steps != nullptr ? writer_of(a).shift_right(a, bits) : term{nullptr, a.value >> bits};
}
BANKMODEL_FN term operator<<(const term& a, int bits) {
  return a.steps != nullptr ? writer_of(a).shift_left(a, bits) : term{nullptr, a.value << bits};
}
BANKMODEL_FN term triangle_of(const term& a) {
  return a.steps != nullptr ? a.steps->triangle_of(a) : term{nullptr, a.value * (a.value + 1) / 2};
}
BANKMODEL_FN term triangular_root(const term& a, long long width) {
  return a.steps != nullptr ? writer_of(a).root(a, width)
                            : term{nullptr, triangular_root(a.value, width)};
}
BANKMODEL_FN term in_group(const term& a, const term& column, int group) {
  return a.steps != nullptr ? writer_of(a).in_group(a, column, group)
                            : term{nullptr, a.value * group + column.value % group};
}

// Removes steps that no result depends on.
BANKMODEL_FN void drop_unread(index_program& program) {
  int number_of[index_program::most_steps] = {};
  for (int d = 0; d < program.results; ++d) number_of[program.result[d]] = 1;
  for (int number = program.steps - 1; number >= 0; --number) {
    const program_step& s = program.step[number];
    if (number_of[number] == 0) continue;
    if (s.left >= 0) number_of[s.left] = 1;
    if (s.right >= 0) number_of[s.right] = 1;
  }
  int left = 0;
  for (int number = 0; number < program.steps; ++number) {
    if (number_of[number] == 0) continue;
    program_step s = program.step[number];
    if (s.left >= 0) s.left = number_of[s.left];
    if (s.right >= 0) s.right = number_of[s.right];
    number_of[number] = left;
    program.step[left++] = s;
  }
  program.steps = left;
  for (int d = 0; d < program.results; ++d) program.result[d] = number_of[program.result[d]];
}

// The program of any layout's index function.
BANKMODEL_FN void write_program(const layout& array_layout, index_program& program,
                                bool for_kernels) {
  if (array_layout.permutation.family != layout_family::rows) {
    functions_of(array_layout.permutation).write(array_layout, program, for_kernels);
  } else {
    program_writer writer(array_layout, program, for_kernels);
    if (array_layout.interval != 0)
      writer.set_coordinate(0, array_layout.with_intervals(writer.coordinate(0)));
    drop_unread(program);
  }
}

}  // namespace bankmodel::detail

#endif
