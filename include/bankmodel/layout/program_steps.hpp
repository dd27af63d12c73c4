// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_PROGRAM_STEPS_HPP
#define BANKMODEL_LAYOUT_PROGRAM_STEPS_HPP

#include <bankmodel/layout/index_program.hpp>

// The program of an index function while it is being written: its steps, each once, with the range
// of their values. On top of it are program_sums.hpp and program_writer.hpp.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void index_functions_must_have_at_most_160_steps(long long limit) {
  detail::fail(__func__,
               "the index function of a layout needs more than % steps; use a simpler one", limit);
}
}  // namespace rule

namespace detail {

class program_steps;

// A value of an index function: a number, or the number of a step of the program that is being
// written. An aggregate, since compilers count each call in a constant expression.
struct term {
  program_steps* steps;  // null for a number
  long long value;

  BANKMODEL_FN int step() const { return static_cast<int>(value); }
};

// The program is written for subscripts, where no value may be negative, or for kernels: in 31
// bits, where values may be negative before a remainder by a power of two, and in as few
// instructions as nvcc needs (instruction_count.hpp).
class program_steps {
 public:
  BANKMODEL_FN term coordinate(int d) {
    return write(step_kind::coordinate, -1, -1, d, 0, layout_.extent[d] - 1);
  }
  BANKMODEL_FN term number() {
    if (layout_.rank == 1) return coordinate(0);
    long long last = 0;
    for (int d = 0; d < layout_.rank; ++d)
      last = sum_of(last, product_of(layout_.extent[d] - 1, layout_.stride[d]));
    return write(step_kind::number, -1, -1, 0, 0, last);
  }
  BANKMODEL_FN void set_coordinate(int d, const term& result) {
    program_.result[d] = result.step();
  }
  BANKMODEL_FN void set_number(const term& result) {
    program_.result[0] = result.step();
    program_.results = 1;
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
  BANKMODEL_FN term multiply(const term& a, long long factor) {
    if (factor == 1) return a;
    if (factor == 0 || is_zero(a)) return constant(0);
    if (step_of(a).kind == step_kind::multiply)
      return multiply({this, step_of(a).left}, step_of(a).value * factor);
    const long long first = product_of(step_of(a).lowest, factor),
                    other = product_of(step_of(a).highest, factor);
    return write(step_kind::multiply, a.step(), -1, factor, factor > 0 ? first : other,
                 factor > 0 ? other : first);
  }
  BANKMODEL_FN term triangle_of(const term& a) {
    if (step_of(a).lowest >= 0 && step_of(a).highest <= 1) return a;
    const auto value_at = [](long long n) { return n >= 1ll << 30 ? far : n * (n + 1) / 2; };
    return write(step_kind::triangle, a.step(), -1, 0, value_at(step_of(a).lowest),
                 value_at(step_of(a).highest));
  }

 protected:
  // Only a program_writer may be made: the operators of terms take `steps` for one.
  BANKMODEL_FN program_steps(const layout& array_layout, index_program& program, bool for_kernels)
      : layout_(array_layout), program_(program), for_kernels_(for_kernels) {
    program_.steps = 0;
    program_.results = array_layout.rank;
    for (int d = 0; d < array_layout.rank; ++d) program_.result[d] = coordinate(d).step();
  }

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

  BANKMODEL_FN const program_step& step_of(const term& a) const { return program_.step[a.step()]; }
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
    for (int step = 0; step < program_.steps; ++step) {
      const program_step& other = program_.step[step];
      if (other.kind == kind && other.left == left && other.right == right && other.value == value)
        return {this, step};
    }
    if (program_.steps == index_program::most_steps)
      rule::index_functions_must_have_at_most_160_steps(index_program::most_steps);
    program_.step[program_.steps] = {kind, left, right, value, lowest, highest};
    return {this, program_.steps++};
  }

  const layout& layout_;
  index_program& program_;
  bool for_kernels_;
};

}  // namespace detail
}  // namespace bankmodel

#endif
