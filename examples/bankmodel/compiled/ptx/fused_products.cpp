// SPDX-License-Identifier: MIT
#include "fused_products.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace compiled {

namespace {

operand in_register(int number) { return {operand::kind::reg, static_cast<std::uint64_t>(number)}; }

class doubter {
 public:
  explicit doubter(kernel_code& of) : of_(of) {}

  void run() {
    find_products();
    if (products_.empty()) return;
    for (code_block& block : of_.blocks) {
      std::vector<instruction> all;
      all.swap(block.instructions);
      for (instruction& one : all) add(one, block.instructions);
    }
  }

 private:
  // What a product was computed from, in registers that nothing else writes.
  struct factors {
    operand first, second;
    bool are_known = true;  // false: several instructions write the product's register
  };

  static bool is_product(const instruction& one) {
    return one.does == opcode::floating && one.floating == floating_operation::multiply &&
           one.may_fuse;
  }
  static bool is_sum(const instruction& one) {
    return one.does == opcode::floating && one.may_fuse &&
           (one.floating == floating_operation::add ||
            one.floating == floating_operation::subtract);
  }
  const factors* product_in(const operand& from) const {
    if (from.is != operand::kind::reg) return nullptr;
    const auto found = products_.find(static_cast<int>(from.value));
    return found == products_.end() ? nullptr : &found->second;
  }

  void find_products() {
    std::map<int, int> writers;
    for (const code_block& block : of_.blocks)
      for (const instruction& one : block.instructions)
        for (const int to : one.to) ++writers[to];
    for (const code_block& block : of_.blocks)
      for (const instruction& one : block.instructions)
        if (is_product(one)) {
          factors& of = products_[one.to[0]];
          of = {in_register(of_.registers), in_register(of_.registers + 1),
                writers[one.to[0]] == 1};
          of_.registers += 2;
        }
    // Compilers look through moves and signs.
    for (bool changed = true; changed;) {
      changed = false;
      for (const code_block& block : of_.blocks)
        for (const instruction& one : block.instructions) {
          const bool passes =
              one.does == opcode::move || one.does == opcode::select ||
              (one.does == opcode::floating && one.floating == floating_operation::negative);
          if (!passes || products_.count(one.to[0]) > 0) continue;
          if (std::none_of(one.from.begin(), one.from.end(),
                           [&](const operand& each) { return product_in(each) != nullptr; }))
            continue;
          products_[one.to[0]] = {{}, {}, false};
          changed = true;
        }
    }
  }

  void add(const instruction& one, std::vector<instruction>& to) {
    if (is_product(one)) {
      const factors& kept = products_.at(one.to[0]);
      to.push_back(like(one, opcode::move, kept.first, {one.from[0]}));
      to.push_back(like(one, opcode::move, kept.second, {one.from[1]}));
    }
    const bool is_doubtful = is_sum(one) && (product_in(one.from[0]) || product_in(one.from[1]));
    if (!is_doubtful) return to.push_back(one);
    instruction sum = one;
    const operand rounded_twice = new_register();
    sum.to = {static_cast<int>(rounded_twice.value)};
    to.push_back(sum);
    operand result = rounded_twice;
    for (std::size_t side = 0; side < 2; ++side)
      if (const factors* const of = product_in(one.from[side]))
        result = known_if_fused_is_same(one, side, *of, rounded_twice, result, to);
    to.push_back(like(one, opcode::move, in_register(one.to[0]), {result}));
  }

  operand known_if_fused_is_same(const instruction& one, std::size_t side, const factors& of,
                                 const operand& sum, const operand& otherwise,
                                 std::vector<instruction>& to) {
    const operand either = new_register();
    to.push_back(like(one, opcode::unknown, either, {}));
    to.back().what = "a product and a sum, which the compiler may fuse";
    if (!of.are_known) return either;
    operand first = of.first, other = one.from[1 - side];
    if (one.floating == floating_operation::subtract) {
      operand& negated = side == 1 ? first : other;
      const operand minus = new_register();
      to.push_back(like(one, opcode::floating, minus, {negated}));
      to.back().floating = floating_operation::negative;
      negated = minus;
    }
    const operand fused = new_register(), is_same = new_register(), result = new_register();
    to.push_back(like(one, opcode::floating, fused, {first, of.second, other}));
    to.back().floating = floating_operation::fused;
    to.back().flushes_subnormals = one.flushes_subnormals;
    to.push_back(like(one, opcode::equal, is_same, {fused, sum}));
    to.push_back(like(one, opcode::select, result, {is_same, otherwise, either}));
    return result;
  }

  operand new_register() { return in_register(of_.registers++); }

  // With the width, the guard and the place of `one`.
  static instruction like(const instruction& one, opcode does, const operand& to,
                          std::vector<operand> from) {
    instruction result;
    result.does = does;
    result.bits = result.from_bits = one.bits;
    result.to = {static_cast<int>(to.value)};
    result.from = std::move(from);
    result.guard = one.guard;
    result.guard_is_negated = one.guard_is_negated;
    result.where = one.where;
    return result;
  }

  kernel_code& of_;
  std::map<int, factors> products_;  // by register
};

}  // namespace

void doubt_fused_products(kernel_code& of) { doubter(of).run(); }

}  // namespace compiled
