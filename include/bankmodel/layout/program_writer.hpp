// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_PROGRAM_WRITER_HPP
#define BANKMODEL_LAYOUT_PROGRAM_WRITER_HPP

#include <bankmodel/layout/index_program.hpp>
#include <bankmodel/layout/triangular_root.hpp>

// Writes the program of an index function, and simplifies it on the way by what is known of its
// values.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void index_functions_must_have_at_most_160_steps(long long limit) {
  detail::fail(__func__,
               "the index function of a layout needs more than % steps; use a simpler one", limit);
}
}  // namespace rule

namespace detail {

class program_writer;

// A value of an index function: a number, or the number of a step of the program that is being
// written. An aggregate, since compilers count each call in a constant expression.
struct term {
  program_writer* in;  // null for a number
  long long value;

  BANKMODEL_FN int step() const { return static_cast<int>(value); }
};

// The program is written for subscripts, where no value may be negative, or for kernels: in 31
// bits, where values may be negative before a remainder by a power of two, and in as few
// instructions as nvcc needs (instruction_count.hpp).
class program_writer {
 public:
  BANKMODEL_FN program_writer(const layout& of, index_program& to, bool for_kernels)
      : of_(of), to_(to), for_kernels_(for_kernels) {
    to_.steps = 0;
    to_.results = of.rank;
    for (int d = 0; d < of.rank; ++d) to_.result[d] = coordinate(d).step();
  }

  BANKMODEL_FN term coordinate(int d) {
    return write(step_kind::coordinate, -1, -1, d, 0, of_.extent[d] - 1);
  }
  BANKMODEL_FN term number() {
    if (of_.rank == 1) return coordinate(0);
    long long last = 0;
    for (int d = 0; d < of_.rank; ++d)
      last = sum_of(last, product_of(of_.extent[d] - 1, of_.stride[d]));
    return write(step_kind::number, -1, -1, 0, 0, last);
  }
  BANKMODEL_FN void set_coordinate(int d, const term& to) { to_.result[d] = to.step(); }
  BANKMODEL_FN void set_number(const term& to) {
    to_.result[0] = to.step();
    to_.results = 1;
  }

  // ---- what terms are made of ----

  BANKMODEL_FN term constant(long long value) {
    return write(step_kind::constant, -1, -1, value, value, value);
  }

  BANKMODEL_FN term add(const term& a, const term& b) {
    if (is_zero(a)) return b;
    if (is_zero(b)) return a;
    return write(step_kind::add, a.step(), b.step(), 0,
                 sum_of(step_of(a).lowest, step_of(b).lowest),
                 sum_of(step_of(a).highest, step_of(b).highest));
  }
  BANKMODEL_FN term multiply(const term& a, long long by) {
    if (by == 1) return a;
    if (by == 0 || is_zero(a)) return constant(0);
    if (step_of(a).kind == step_kind::multiply)
      return multiply({this, step_of(a).left}, step_of(a).value * by);
    const long long one = product_of(step_of(a).lowest, by),
                    other = product_of(step_of(a).highest, by);
    return write(step_kind::multiply, a.step(), -1, by, by > 0 ? one : other, by > 0 ? other : one);
  }
  BANKMODEL_FN term divide(const term& a, long long by) {
    if (by == 1) return a;
    if (step_of(a).highest < by) return constant(0);
    return write(step_kind::divide, a.step(), -1, by, step_of(a).lowest / by,
                 step_of(a).highest / by);
  }

  // Only what counts of a sum modulo `by` is left of it.
  BANKMODEL_FN term remainder(const term& a, long long by) {
    const term sum = modulo(a, by);
    if (step_of(sum).lowest >= 0 && step_of(sum).highest < by) return sum;
    return write(step_kind::remainder, sum.step(), -1, by, 0, by - 1);
  }
  BANKMODEL_FN term triangle_of(const term& a) {
    if (is_zero(a)) return a;
    const auto value_at = [](long long n) { return n >= 1ll << 30 ? far : n * (n + 1) / 2; };
    return write(step_kind::triangle, a.step(), -1, 0, value_at(step_of(a).lowest),
                 value_at(step_of(a).highest));
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
  BANKMODEL_FN term shift_right(const term& a, int by) {
    if (by == 0) return a;
    if (step_of(a).highest >> by == 0) return constant(0);
    if (step_of(a).kind == step_kind::bit_and) {  // no mask where all bits that are left pass it
      const term inside{this, step_of(a).left};
      if ((bits_of(inside) & ~step_of(a).value) >> by == 0) return shift_right(inside, by);
    }
    return write(step_kind::shift_right, a.step(), -1, by, step_of(a).lowest >> by,
                 step_of(a).highest >> by);
  }
  BANKMODEL_FN term shift_left(const term& a, int by) {
    if (by == 0 || is_zero(a)) return a;
    if (for_kernels_) {  // of two shifts one is left
      const bool masked = step_of(a).kind == step_kind::bit_and;
      const program_step& shifted = masked ? to_.step[step_of(a).left] : step_of(a);
      if (shifted.kind == step_kind::shift_right) {
        const int back = static_cast<int>(shifted.value);
        const term inside{this, shifted.left};
        const term bits =
            bit_and(inside, (masked ? step_of(a).value : step_of(a).highest | bits_of(a)) << back);
        return by < back ? shift_right(bits, back - by) : shift_left(bits, by - back);
      }
    }
    return write(step_kind::shift_left, a.step(), -1, by, product_of(step_of(a).lowest, 1ll << by),
                 product_of(step_of(a).highest, 1ll << by));
  }

  // The column in group number `a`, at the place in its group that `column` has in its own.
  BANKMODEL_FN term in_group(const term& a, const term& column, int group) {
    if (group == 1) return a;
    const bool wraps = step_of(a).kind == step_kind::remainder;
    const long long width = wraps ? step_of(a).value * group : 0;
    sum_of_products sum;
    flatten(wraps ? step_of(a).left : a.step(), 1, 0, sum);
    for (int at = 0; at < sum.count; ++at) {
      const program_step& part = to_.step[sum.step[at]];
      // (column / group + rest) in groups is column + rest in groups.
      if (part.kind == step_kind::divide && part.left == column.step() && part.value == group &&
          sum.factor[at] == 1) {
        sum.factor[at] = 0;
        const term moved = add(column, multiply(joined(sum), group));
        return wraps ? remainder(moved, width) : moved;
      }
      // (rest + a triangle) in groups has its mask last in a kernel.
      if (for_kernels_ && is_power_of_two(width) && part.kind == step_kind::triangle) {
        const term added = multiply({this, sum.step[at]}, sum.factor[at] * group);
        sum.factor[at] = 0;
        return remainder(add(in_group(joined(sum), column, group), added), width);
      }
    }
    if (is_zero(a)) return remainder(column, group);
    const long long lowest = product_of(step_of(a).lowest, group),
                    highest = product_of(step_of(a).highest, group);
    return write(step_kind::in_group, a.step(), column.step(), group, lowest,
                 sum_of(highest, group - 1));
  }

 private:
  static constexpr long long far = 1ll << 61;  // values further away from 0 are not told apart

  BANKMODEL_FN static long long sum_of(long long a, long long b) {
    const long long sum = a + b;
    return sum > far ? far : sum < -far ? -far : sum;
  }
  BANKMODEL_FN static long long product_of(long long a, long long b) {
    const long long size = b < 0 ? -b : b;
    if (size != 0 && (a > far / size || a < -far / size)) return (a < 0) == (b < 0) ? far : -far;
    return a * b;
  }

  BANKMODEL_FN const program_step& step_of(const term& a) const { return to_.step[a.step()]; }
  BANKMODEL_FN bool is_zero(const term& a) const {
    return step_of(a).lowest == 0 && step_of(a).highest == 0;
  }
  // All bits that a value may have.
  BANKMODEL_FN long long bits_of(const term& a) const {
    const long long highest = step_of(a).highest;
    return highest <= 0 ? 0 : (2ll << highest_bit(static_cast<std::uint64_t>(highest))) - 1;
  }

  BANKMODEL_FN term write(step_kind kind, int left, int right, long long value, long long lowest,
                          long long highest) {
    for (int at = 0; at < to_.steps; ++at) {
      const program_step& other = to_.step[at];
      if (other.kind == kind && other.left == left && other.right == right && other.value == value)
        return {this, at};
    }
    if (to_.steps == index_program::most_steps)
      rule::index_functions_must_have_at_most_160_steps(index_program::most_steps);
    to_.step[to_.steps] = {kind, left, right, value, lowest, highest};
    return {this, to_.steps++};
  }

  // ---- sums ----

  struct sum_of_products {
    static constexpr int most = 12;
    int count = 0;
    int step[most] = {};
    long long factor[most] = {};
    long long constant = 0;
  };

  // With the same remainder. In kernels a factor that is no power of two does not become one: with
  // it, a sum takes a shift more.
  BANKMODEL_FN long long reduced(long long factor, long long modulus) const {
    if (modulus == 0) return factor;
    const long long least = least_remainder(factor, modulus);
    const bool becomes_a_shift =
        least > 1 && is_power_of_two(least) && factor < 1 << 16 && !is_power_of_two(factor);
    return for_kernels_ && becomes_a_shift ? factor : least;
  }
  // Takes sums and products by constants apart, and adds them, times `factor`. `modulus`: only the
  // remainder counts; 0 for none.
  BANKMODEL_FN void flatten(int step, long long factor, long long modulus, sum_of_products& to) {
    const program_step s = to_.step[step];
    factor = reduced(factor, modulus);
    if (factor == 0 || (s.lowest == 0 && s.highest == 0)) return;
    const bool fits =
        modulus < 1ll << 31 && factor < 1ll << 31 && to.count < sum_of_products::most - 4;
    const long long value = modulus == 0 ? s.value : least_remainder(s.value, modulus);
    if (s.kind == step_kind::constant) {
      to.constant += factor * value;
      return;
    }
    if (fits && s.kind == step_kind::add) {
      flatten(s.left, factor, modulus, to);
      flatten(s.right, factor, modulus, to);
      return;
    }
    if (fits && s.kind == step_kind::multiply && s.value < 1ll << 31) {
      factor *= s.value;
      if (!for_kernels_) return flatten(s.left, factor, modulus, to);
      const term inside = without_multiples(s.left, factor, modulus);
      if (step_of(inside).kind != step_kind::add)
        return flatten(inside.step(), factor, modulus, to);
      step = inside.step();  // as a product of a sum it takes fewer instructions than as a sum of
                             // products
      factor = reduced(factor, modulus);
    }
    if (modulus != 0 && fits && s.kind == step_kind::remainder && factor * value % modulus == 0 &&
        product_of(to_.step[s.left].highest, factor) < 1ll << 40)
      return flatten(s.left, factor, modulus, to);
    if (modulus != 0 && fits && s.kind == step_kind::triangle) {
      const long long period = modulus / greatest_common_divisor(factor, modulus);
      sum_of_products inside;
      flatten(s.left, 1, period % 2 == 0 ? 2 * period : period, inside);
      step = triangle_of(joined(inside)).step();
    }
    for (int at = 0; at < to.count; ++at)
      if (to.step[at] == step) {
        to.factor[at] += factor;
        return;
      }
    to.step[to.count] = step;
    to.factor[to.count++] = factor;
  }
  // A sum without those of its parts that, times `factor`, are multiples of the modulus.
  BANKMODEL_FN term without_multiples(int step, long long factor, long long modulus) {
    const program_step s = to_.step[step];
    if (modulus == 0) return {this, step};
    factor = least_remainder(factor, modulus);
    if (factor == 0) return constant(0);
    if (s.kind == step_kind::add)
      return add(without_multiples(s.left, factor, modulus),
                 without_multiples(s.right, factor, modulus));
    if (s.kind == step_kind::multiply && s.value < 1ll << 31)
      return multiply(without_multiples(s.left, factor * s.value, modulus), s.value);
    return {this, step};
  }
  BANKMODEL_FN term joined(const sum_of_products& sum) {
    term result = constant(0);
    for (int at = 0; at < sum.count; ++at)
      if (sum.factor[at] != -1)
        result = add(result, multiply({this, sum.step[at]}, sum.factor[at]));
    for (int at = 0; at < sum.count;
         ++at)  // a difference with a sum is one instruction, a sum with a negative two
      if (sum.factor[at] == -1) result = add(result, multiply({this, sum.step[at]}, -1));
    return sum.constant == 0 ? result : add(result, constant(sum.constant));
  }

  // With the same remainder.
  BANKMODEL_FN term modulo(const term& a, long long by) {
    if (by == 1) return constant(0);
    sum_of_products sum;
    flatten(a.step(), 1, by, sum);
    sum.constant %= by;
    for (int at = 0; at < sum.count; ++at) sum.factor[at] = reduced(sum.factor[at], by);
    if (!for_kernels_) return joined(sum);
    if (is_power_of_two(by))
      for (int at = 0; at < sum.count; ++at) {
        const step_kind kind =
            to_.step[sum.step[at]].kind;  // -1 times a sum would be distributed, and take more
        const long long factor = least_remainder(sum.factor[at], by);
        if ((by > 2 && factor == by - 1 && kind != step_kind::add) ||
            (kind == step_kind::triangle && 2 * factor > by))
          sum.factor[at] = factor - by;
      }
    const term plain = joined(sum);
    if (step_of(plain).highest <= 0x7fffffff) return plain;
    // Of what would leave 31 bits nothing is more than half the modulus, to either side.
    long long lowest = 0;
    for (int at = 0; at < sum.count; ++at) {
      sum.factor[at] = least_remainder(sum.factor[at], by);
      if (2 * sum.factor[at] <= by) continue;
      sum.factor[at] -= by;
      lowest = sum_of(lowest, product_of(to_.step[sum.step[at]].highest, sum.factor[at]));
    }
    if (!is_power_of_two(by)) sum.constant += (by - 1 - lowest) / by * by;
    return joined(sum);
  }

  const layout& of_;
  index_program& to_;
  bool for_kernels_;
};

BANKMODEL_FN term operator+(const term& a, const term& b) {
  return a.in != nullptr ? a.in->add(a, b) : term{nullptr, a.value + b.value};
}
BANKMODEL_FN term operator*(const term& a, long long by) {
  return a.in != nullptr ? a.in->multiply(a, by) : term{nullptr, a.value * by};
}
BANKMODEL_FN term operator/(const term& a, long long by) {
  return a.in != nullptr ? a.in->divide(a, by) : term{nullptr, a.value / by};
}
BANKMODEL_FN term operator%(const term& a, long long by) {
  return a.in != nullptr ? a.in->remainder(a, by) : term{nullptr, a.value % by};
}
BANKMODEL_FN term operator^(const term& a, const term& b) {
  return a.in != nullptr ? a.in->bit_xor(a, b) : term{nullptr, a.value ^ b.value};
}
BANKMODEL_FN term operator&(const term& a, long long mask) {
  return a.in != nullptr ? a.in->bit_and(a, mask) : term{nullptr, a.value & mask};
}
BANKMODEL_FN term operator>>(const term& a, int by) {
  return a.in != nullptr ? a.in->shift_right(a, by) : term{nullptr, a.value >> by};
}
BANKMODEL_FN term operator<<(const term& a, int by) {
  return a.in != nullptr ? a.in->shift_left(a, by) : term{nullptr, a.value << by};
}
BANKMODEL_FN term triangle_of(const term& a) {
  return a.in != nullptr ? a.in->triangle_of(a) : term{nullptr, a.value * (a.value + 1) / 2};
}
BANKMODEL_FN term triangular_root(const term& a, long long width) {
  return a.in != nullptr ? a.in->root(a, width) : term{nullptr, triangular_root(a.value, width)};
}
BANKMODEL_FN term in_group(const term& a, const term& column, int group) {
  return a.in != nullptr ? a.in->in_group(a, column, group)
                         : term{nullptr, a.value * group + column.value % group};
}

// The program of any layout's index function.
BANKMODEL_FN void write_program(const layout& of, index_program& to, bool for_kernels) {
  if (of.permutation.family != layout_family::rows) {
    functions_of(of.permutation).write(of, to, for_kernels);
  } else {
    program_writer writer(of, to, for_kernels);
    if (of.interval != 0) writer.set_coordinate(0, of.with_intervals(writer.coordinate(0)));
    to.drop_unread();
  }
}

}  // namespace detail
}  // namespace bankmodel

#endif
