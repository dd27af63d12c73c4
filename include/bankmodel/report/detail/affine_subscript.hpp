// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REPORT_DETAIL_AFFINE_SUBSCRIPT_HPP
#define BANKMODEL_REPORT_DETAIL_AFFINE_SUBSCRIPT_HPP

#include <bankmodel/kernel/kernel.hpp>

#include <bankmodel/core/hide_macros.hpp>

// Subscripts as sums of multiples of variables, and the values that they take in a block.
namespace bankmodel::detail {

// constant + factor[0] * tx + factor[1] * ty + ..
struct affine_subscript {
  bool is_affine = false;  // and no number in it is far from 0
  long long constant = 0;
  long long factor[variables] = {};

  BANKMODEL_FN bool is_constant() const {
    for (const long long each : factor)
      if (each != 0) return false;
    return true;
  }
  BANKMODEL_FN void add(const affine_subscript& other, long long times) {
    constexpr long long far = 1ll << 30;
    const auto is_far = [&](long long value) { return value > far || value < -far; };
    constant += other.constant * times;
    is_affine = is_affine && other.is_affine && !is_far(constant);
    for (int at = 0; at < variables; ++at) {
      factor[at] += other.factor[at] * times;
      is_affine = is_affine && !is_far(factor[at]);
    }
  }
};

BANKMODEL_FN affine_subscript affine_of(const node* nodes, const slice& program) {
  constexpr int most = 8;
  affine_subscript stack[most];
  int height = 0;
  for (int at = program.first; at < program.first + program.size; ++at) {
    const node& one = nodes[at];
    if (one.op == operation::constant || one.op == operation::variable) {
      if (height == most) return {};
      affine_subscript& top = stack[height++];
      top = {};
      affine_subscript value{.is_affine = true};
      if (one.op == operation::variable)
        value.factor[one.value] = 1;
      else if (one.value < 1ll << 30 && one.value > -(1ll << 30))
        value.constant = one.value;
      else
        return {};
      top = value;
      continue;
    }
    if (one.op == operation::negate) {
      affine_subscript minus{.is_affine = true};
      minus.add(stack[height - 1], -1);
      stack[height - 1] = minus;
      continue;
    }
    if (height < 2) return {};
    const affine_subscript right = stack[--height];
    affine_subscript& left = stack[height - 1];
    if (one.op == operation::add) {
      left.add(right, 1);
    } else if (one.op == operation::subtract) {
      left.add(right, -1);
    } else if (one.op == operation::multiply && (left.is_constant() || right.is_constant())) {
      affine_subscript product{.is_affine = true};
      if (left.is_constant())
        product.add(right, left.constant);
      else
        product.add(left, right.constant);
      left = product;
    } else {
      return {};
    }
    if (!left.is_affine) return {};
  }
  return height == 1 ? stack[0] : affine_subscript{};
}

// The least and the greatest of some values.
struct values_between {
  bool known = false;
  long long low = 0, high = 0;
};

// The values of a variable in a block, filters ignored; unknown for loops whose bounds are not
// constants, and for lane and warp.
template <int Wrappers, int Nodes>
BANKMODEL_FN values_between values_of(const access_expression<Wrappers, Nodes>& access,
                                      const block_dim& block, const block_index& at, int which) {
  const long long index[] = {at.x, at.y, at.z}, extent[] = {block.x, block.y, block.z};
  for (int axis = 0; axis < 3; ++axis) {
    if (which == static_cast<int>(variable::tx) + axis) return {true, 0, extent[axis] - 1};
    if (which == static_cast<int>(variable::bx) + axis) return {true, index[axis], index[axis]};
  }
  if (which == static_cast<int>(variable::tid))
    return {true, 0, static_cast<long long>(block.x) * block.y * block.z - 1};
  for (int level = 0; level < access.depth; ++level) {
    const wrapper& w = access.wrappers[level];
    if (w.kind != wrapper_kind::range || static_cast<int>(w.variable) != which) continue;
    const affine_subscript first = affine_of(access.nodes, w.first),
                           last = affine_of(access.nodes, w.last),
                           step = affine_of(access.nodes, w.step);
    if (!first.is_affine || !last.is_affine || !step.is_affine || !first.is_constant() ||
        !last.is_constant() || !step.is_constant() || step.constant == 0)
      return {};
    const long long by = step.constant, far = last.constant - first.constant,
                    trips = by > 0 ? (far + by - 1) / by : (-far - by - 1) / -by;
    if (trips < 1) return {};
    const long long end = first.constant + (trips - 1) * by;
    return by > 0 ? values_between{true, first.constant, end}
                  : values_between{true, end, first.constant};
  }
  return {};
}

// The values of one of the access's subscripts, at most those within its extent.
template <int Wrappers, int Nodes>
BANKMODEL_FN values_between values_of_subscript(const access_expression<Wrappers, Nodes>& access,
                                                const block_dim& block, const block_index& at,
                                                int dimension) {
  const affine_subscript of = affine_of(access.nodes, access.subscript[dimension]);
  if (!of.is_affine) return {};
  values_between sum{true, of.constant, of.constant};
  for (int which = 0; which < variables; ++which) {
    if (of.factor[which] == 0) continue;
    const values_between one = values_of(access, block, at, which);
    constexpr long long far = 1ll << 31;
    if (!one.known || one.high > far || one.low < -far) return {};
    const long long low = of.factor[which] * one.low, high = of.factor[which] * one.high;
    sum.low += low < high ? low : high;
    sum.high += low < high ? high : low;
  }
  const layout& l = access.array.layout;
  if (dimension == l.rank - 1) sum.high += access.vector - 1;
  if (sum.low < 0) sum.low = 0;
  if (sum.high >= l.extent[dimension]) sum.high = l.extent[dimension] - 1;
  return sum.low <= sum.high ? sum : values_between{};
}

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
