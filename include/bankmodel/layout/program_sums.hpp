// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_PROGRAM_SUMS_HPP
#define BANKMODEL_LAYOUT_PROGRAM_SUMS_HPP

#include <bankmodel/analysis/triangular_root.hpp>
#include <bankmodel/layout/program_steps.hpp>

// Sums of products in a program, taken apart and joined again: of a sum modulo a number only the
// parts that matter are kept.
namespace bankmodel::detail {

class program_sums : public program_steps {
 protected:
  BANKMODEL_FN program_sums(const layout& array_layout, index_program& program, bool for_kernels)
      : program_steps(array_layout, program, for_kernels) {}

  struct sum_of_products {
    static constexpr int capacity = 12;
    int count = 0;
    int step[capacity] = {};
    long long factor[capacity] = {};
    long long constant = 0;
  };

  // With the same remainder. In kernels a factor that is no power of two does not become one: with
  // it, a sum takes a shift more.
  BANKMODEL_FN long long reduced(long long factor, long long modulus) const {
    if (modulus == 0) return factor;
    const long long residue = least_remainder(factor, modulus);
    const bool becomes_a_shift =
        residue > 1 && is_power_of_two(residue) && factor < 1 << 16 && !is_power_of_two(factor);
    return for_kernels_ && becomes_a_shift ? factor : residue;
  }
  // Takes sums and products by constants apart, and adds them, times `factor`. `modulus`: only the
  // remainder counts; 0 for none.
  BANKMODEL_FN void flatten(int step, long long factor, long long modulus, sum_of_products& sum) {
    const program_step s = program_.step[step];
    factor = reduced(factor, modulus);
    if (factor == 0 || (s.lowest == 0 && s.highest == 0)) return;
    const bool fits =
        modulus < 1ll << 31 && factor < 1ll << 31 && sum.count < sum_of_products::capacity - 4;
    const long long value = modulus == 0 ? s.value : least_remainder(s.value, modulus);
    if (s.kind == step_kind::constant) {
      sum.constant += factor * value;
      return;
    }
    if (fits && s.kind == step_kind::add) {
      flatten(s.left, factor, modulus, sum);
      flatten(s.right, factor, modulus, sum);
      return;
    }
    if (fits && s.kind == step_kind::multiply && s.value < 1ll << 31) {
      factor *= s.value;
      if (!for_kernels_) return flatten(s.left, factor, modulus, sum);
      const term inside = without_multiples(s.left, factor, modulus);
      if (step_of(inside).kind != step_kind::add)
        return flatten(inside.step(), factor, modulus, sum);
      step = inside.step();  // as a product of a sum it takes fewer instructions than as a sum of
                             // products
      factor = reduced(factor, modulus);
    }
    if (modulus != 0 && fits && s.kind == step_kind::remainder && factor * value % modulus == 0 &&
        product_of(program_.step[s.left].highest, factor) < 1ll << 40)
      return flatten(s.left, factor, modulus, sum);
    if (modulus != 0 && fits && s.kind == step_kind::triangle) {
      const long long period = modulus / greatest_common_divisor(factor, modulus);
      sum_of_products inside;
      flatten(s.left, 1, period % 2 == 0 ? 2 * period : period, inside);
      step = triangle_of(joined(inside)).step();
    }
    for (int addend = 0; addend < sum.count; ++addend)
      if (sum.step[addend] == step) {
        sum.factor[addend] += factor;
        return;
      }
    sum.step[sum.count] = step;
    sum.factor[sum.count++] = factor;
  }
  // A sum without those of its parts that, times `factor`, are multiples of the modulus.
  BANKMODEL_FN term without_multiples(int step, long long factor, long long modulus) {
    const program_step s = program_.step[step];
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
    for (int addend = 0; addend < sum.count; ++addend)
      if (sum.factor[addend] != -1)
        result = add(result, multiply({this, sum.step[addend]}, sum.factor[addend]));
    for (int addend = 0; addend < sum.count;
         ++addend)  // a difference with a sum is one instruction, a sum with a negative two
      if (sum.factor[addend] == -1) result = add(result, multiply({this, sum.step[addend]}, -1));
    return sum.constant == 0 ? result : add(result, constant(sum.constant));
  }

  // With the same remainder.
  BANKMODEL_FN term modulo(const term& a, long long modulus) {
    if (modulus == 1) return constant(0);
    sum_of_products sum;
    flatten(a.step(), 1, modulus, sum);
    sum.constant %= modulus;
    for (int addend = 0; addend < sum.count; ++addend)
      sum.factor[addend] = reduced(sum.factor[addend], modulus);
    if (!for_kernels_) return joined(sum);
    if (is_power_of_two(modulus))
      for (int addend = 0; addend < sum.count; ++addend) {
        const step_kind kind = program_.step[sum.step[addend]]
                                   .kind;  // -1 times a sum would be distributed, and take more
        const long long factor = least_remainder(sum.factor[addend], modulus);
        if ((modulus > 2 && factor == modulus - 1 && kind != step_kind::add) ||
            (kind == step_kind::triangle && 2 * factor > modulus))
          sum.factor[addend] = factor - modulus;
      }
    const term plain = joined(sum);
    if (step_of(plain).highest <= 0x7fffffff) return plain;
    // Of what would leave 31 bits nothing is more than half the modulus, to either side.
    long long lowest = 0;
    for (int addend = 0; addend < sum.count; ++addend) {
      sum.factor[addend] = least_remainder(sum.factor[addend], modulus);
      if (2 * sum.factor[addend] <= modulus) continue;
      sum.factor[addend] -= modulus;
      lowest =
          sum_of(lowest, product_of(program_.step[sum.step[addend]].highest, sum.factor[addend]));
    }
    if (!is_power_of_two(modulus)) sum.constant += (modulus - 1 - lowest) / modulus * modulus;
    return joined(sum);
  }
};

}  // namespace bankmodel::detail

#endif
