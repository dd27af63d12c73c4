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
  explicit doubter(kernel_code& kernel) : kernel_(kernel) {}

  void run() {
    find_products();
    if (products_.empty()) return;
    for (code_block& block : kernel_.blocks) {
      std::vector<instruction> instructions;
      instructions.swap(block.instructions);
      for (instruction& item : instructions) add(item, block.instructions);
    }
  }

 private:
  // What a product was computed from, in registers that nothing else writes.
  struct factors {
    operand first, second;
    bool are_known = true;  // false: several instructions write the product's register
  };

  static bool is_product(const instruction& item) {
    return item.operation == opcode::floating && item.floating == floating_operation::multiply &&
           item.may_fuse;
  }
  static bool is_sum(const instruction& item) {
    return item.operation == opcode::floating && item.may_fuse &&
           (item.floating == floating_operation::add ||
            item.floating == floating_operation::subtract);
  }
  const factors* product_in(const operand& source) const {
    if (source.is != operand::kind::reg) return nullptr;
    const auto product = products_.find(static_cast<int>(source.value));
    return product == products_.end() ? nullptr : &product->second;
  }

  void find_products() {
    std::map<int, int> writers;
    for (const code_block& block : kernel_.blocks)
      for (const instruction& item : block.instructions)
        for (const int target : item.results) ++writers[target];
    for (const code_block& block : kernel_.blocks)
      for (const instruction& item : block.instructions)
        if (is_product(item)) {
          factors& product = products_[item.results[0]];
          product = {in_register(kernel_.registers), in_register(kernel_.registers + 1),
                     writers[item.results[0]] == 1};
          kernel_.registers += 2;
        }
    // Compilers look through moves and signs.
    for (bool changed = true; changed;) {
      changed = false;
      for (const code_block& block : kernel_.blocks)
        for (const instruction& item : block.instructions) {
          const bool passes =
              item.operation == opcode::move || item.operation == opcode::select ||
              (item.operation == opcode::floating && item.floating == floating_operation::negative);
          if (!passes || products_.count(item.results[0]) > 0) continue;
          if (std::ranges::none_of(item.operands, [&](const operand& source) {
                return product_in(source) != nullptr;
              }))
            continue;
          products_[item.results[0]] = {{}, {}, false};
          changed = true;
        }
    }
  }

  void add(const instruction& item, std::vector<instruction>& list) {
    if (is_product(item)) {
      const factors& kept = products_.at(item.results[0]);
      list.push_back(like(item, opcode::move, kept.first, {item.operands[0]}));
      list.push_back(like(item, opcode::move, kept.second, {item.operands[1]}));
    }
    const bool is_doubtful =
        is_sum(item) && (product_in(item.operands[0]) || product_in(item.operands[1]));
    if (!is_doubtful) return list.push_back(item);
    instruction sum = item;
    const operand rounded_twice = new_register();
    sum.results = {static_cast<int>(rounded_twice.value)};
    list.push_back(sum);
    operand result = rounded_twice;
    for (std::size_t side = 0; side < 2; ++side)
      if (const factors* const product = product_in(item.operands[side]))
        result = known_if_fused_is_same(item, side, *product, rounded_twice, result, list);
    list.push_back(like(item, opcode::move, in_register(item.results[0]), {result}));
  }

  operand known_if_fused_is_same(const instruction& item, std::size_t side, const factors& product,
                                 const operand& sum, const operand& otherwise,
                                 std::vector<instruction>& list) {
    const operand either = new_register();
    operand first = product.first, other = item.operands[1 - side];
    list.push_back(like(item, opcode::unknown, either, {item.operands[side], other}));
    list.back().description = "a product and a sum, which the compiler may fuse";
    if (!product.are_known) return either;
    if (item.floating == floating_operation::subtract) {
      operand& negated = side == 1 ? first : other;
      const operand minus = new_register();
      list.push_back(like(item, opcode::floating, minus, {negated}));
      list.back().floating = floating_operation::negative;
      negated = minus;
    }
    const operand fused = new_register(), is_same = new_register(), result = new_register();
    list.push_back(like(item, opcode::floating, fused, {first, product.second, other}));
    list.back().floating = floating_operation::fused;
    list.back().is_doubt = true;
    list.back().flushes_subnormals = item.flushes_subnormals;
    list.push_back(like(item, opcode::equal, is_same, {fused, sum}));
    list.push_back(like(item, opcode::select, result, {is_same, otherwise, either}));
    return result;
  }

  operand new_register() { return in_register(kernel_.registers++); }

  // With the width, the guard and the place of `item`.
  static instruction like(const instruction& item, opcode code, const operand& target,
                          std::vector<operand> sources) {
    instruction result;
    result.operation = code;
    result.bits = result.from_bits = item.bits;
    result.results = {static_cast<int>(target.value)};
    result.operands = std::move(sources);
    result.guard = item.guard;
    result.guard_is_negated = item.guard_is_negated;
    result.location = item.location;
    return result;
  }

  kernel_code& kernel_;
  std::map<int, factors> products_;  // by register
};

}  // namespace

void doubt_fused_products(kernel_code& kernel) { doubter(kernel).run(); }

}  // namespace compiled
