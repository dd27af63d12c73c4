// SPDX-License-Identifier: MIT
#include "as_in_c.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <vector>

namespace command_line {

namespace {

using bm::operation;

// The least and the largest possible value of an expression; double, because they may be far
// outside of 64 bits.
struct bounds {
  double least, most;
};

bounds hull(std::initializer_list<double> values) { return {std::min(values), std::max(values)}; }

// Nothing if the range is not known.
std::optional<bounds> bounds_of(const program& one, const bm::block_dim& block) {
  const bool known = block.x != 0;
  const double x = known ? block.x : 1024, y = known ? block.y : 1024, z = known ? block.z : 64,
               all = known ? x * y * z : 1024;
  const double end_of[] = {x, y, z, 0, 0, 0, all, 32, (all + 31) / 32};  // blocks: not known
  std::vector<bounds> stack;
  for (const bm::node& node : one.nodes) {
    if (node.op == operation::constant) {
      stack.push_back({static_cast<double>(node.value), static_cast<double>(node.value)});
      continue;
    }
    if (node.op == operation::variable) {
      if (node.value >= static_cast<long long>(bm::variable::loop_0) || end_of[node.value] == 0)
        return {};
      stack.push_back({0, end_of[node.value] - 1});
      continue;
    }
    if (node.op == operation::negate) {
      stack.back() = {-stack.back().most, -stack.back().least};
      continue;
    }
    if (node.op >= operation::less) return {};
    const bounds b = stack.back();
    stack.pop_back();
    bounds& a = stack.back();
    const double reach =
        std::max({std::abs(a.least), std::abs(a.most), std::abs(b.least), std::abs(b.most)});
    switch (node.op) {
      case operation::add: a = {a.least + b.least, a.most + b.most}; break;
      case operation::subtract: a = {a.least - b.most, a.most - b.least}; break;
      case operation::multiply:
        a = hull({a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most});
        break;
      case operation::shift_left: {
        const double low = std::exp2(std::max(b.least, 0.0)),
                     high = std::exp2(std::min(b.most, 64.0));
        a = hull({a.least * low, a.least * high, a.most * low, a.most * high});
        break;
      }
      case operation::divide:
      // its operands are never negative
      case operation::remainder: a = {0, std::max(a.most, 0.0)}; break;
      case operation::shift_right: a = {std::min(a.least, 0.0), std::max(a.most, 0.0)}; break;
      case operation::minimum: a = {std::min(a.least, b.least), std::min(a.most, b.most)}; break;
      case operation::maximum: a = {std::max(a.least, b.least), std::max(a.most, b.most)}; break;
      default: {  // & | ^: within the bits of both sides
        const double all_bits = std::exp2(std::ceil(std::log2(reach + 1)));
        a = {a.least < 0 || b.least < 0 ? -all_bits : 0, all_bits - 1};
      }
    }
  }
  return stack.back();
}

// long long in C, and computed as here.
bool has_64_bits(const program& one) {
  return std::any_of(one.nodes.begin(), one.nodes.end(), [](const bm::node& node) {
    return node.op == operation::constant && (node.value > most_int || node.value < -most_int - 1);
  });
}

}  // namespace

void require_as_in_c(std::string_view symbol, const place& at, const program& left,
                     const program& right, unsigned loops, const bm::block_dim& block) {
  if (left.is_unknown || right.is_unknown || left.is_condition || right.is_condition) return;
  const bool is_unsigned = left.is_unsigned || right.is_unsigned;
  for (const std::string_view one : {"<", "<=", ">", ">=", "min", "max", ">>"})
    if (symbol == one && is_unsigned &&
        !(never_negative(left, loops) && never_negative(right, loops)))
      throw refusal{
          at,
          joined("`", symbol,
                 "` of unsigned values of which one may be below 0, where C has a large number"),
          "compute with int: int x = threadIdx.x, or tx"};
  const bool grows = symbol == "+" || symbol == "-" || symbol == "*" || symbol == "<<";
  if (!grows || (left.constant() && right.constant()) || has_64_bits(left) || has_64_bits(right))
    return;
  const auto result = bounds_of(combined(symbol, at, left, right), block);
  const auto most = static_cast<double>(most_int);
  if (result && (result->least < -most - 1 || result->most > (is_unsigned ? 2 * most + 1 : most)))
    throw refusal{at, joined("`", symbol, "` may give more than the 32 bits of C's int"),
                  "use smaller numbers"};
}

}  // namespace command_line
