// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_PROGRAM_SUMS_HPP
#define BANKMODEL_LAYOUT_PROGRAM_SUMS_HPP

#include <bankmodel/layout/program_steps.hpp>
#include <bankmodel/layout/triangular_root.hpp>

// Sums of products in a program, taken apart and joined again: of a sum modulo a number only the
// parts that matter are kept.
namespace bankmodel::detail {

class program_sums : public program_steps {
 protected:
  BANKMODEL_FN program_sums(const layout& of, index_program& to, bool for_kernels)
      : program_steps(of, to, for_kernels) {}

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
};

}  // namespace bankmodel::detail

#endif
