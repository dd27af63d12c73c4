// SPDX-License-Identifier: MIT
// Runs any access of the library thread by thread for the oracle, every iteration, with an
// evaluator of its own. Lanes at the same trips of all loops make one request.
#ifndef BANKMODEL_TESTS_RUN_PLAINLY_HPP
#define BANKMODEL_TESTS_RUN_PLAINLY_HPP

#include <bankmodel/kernel/access.hpp>
#include <bankmodel/kernel/kernel.hpp>

#include "machines.hpp"

#include <array>
#include <stdexcept>

namespace plainly {

namespace bm = bankmodel;

using variables = std::array<long long, bm::variables>;

// C's meaning of a program, && and || lazily.
inline long long worth(const bm::node* nodes, int size, const variables& v) {
  using bm::operation;
  std::vector<long long> stack;
  for (int at = 0; at < size; ++at) {
    const auto& [op, value] = nodes[at];
    if (op == operation::constant || op == operation::variable) {
      stack.push_back(op == operation::constant ? value : v[static_cast<std::size_t>(value)]);
      continue;
    }
    if (op == operation::skip_if_false || op == operation::skip_if_true) {
      if ((stack.back() != 0) == (op == operation::skip_if_true))
        at += static_cast<int>(value);
      else
        stack.pop_back();
      continue;
    }
    const long long b = stack.back();
    if (op == operation::negate || op == operation::logical_not) {
      stack.back() = op == operation::negate ? -b : !b;
      continue;
    }
    stack.pop_back();
    long long& a = stack.back();
    switch (op) {
      case operation::add: a = a + b; break;
      case operation::subtract: a = a - b; break;
      case operation::multiply: a = a * b; break;
      case operation::divide: a = a / b; break;
      case operation::remainder: a = a % b; break;
      case operation::shift_left: a = a << b; break;
      case operation::shift_right: a = a >> b; break;
      case operation::bit_and: a = a & b; break;
      case operation::bit_or: a = a | b; break;
      case operation::bit_xor: a = a ^ b; break;
      case operation::minimum: a = std::min(a, b); break;
      case operation::maximum: a = std::max(a, b); break;
      case operation::less: a = a < b; break;
      case operation::less_equal: a = a <= b; break;
      case operation::equal: a = a == b; break;
      default: a = a != b;
    }
  }
  return stack.back();
}

using trips = std::vector<long long>;
using requests = std::map<trips, std::map<int, long long>>;  // address by lane

// One thread from the wrapper at `level` on.
inline void run(const auto& access, int level, int lane, trips& at, variables& v, requests& to) {
  const auto value = [&](const bm::slice& program) {
    return worth(access.nodes + program.first, program.size, v);
  };
  if (level == access.depth) {
    long long address = access.array.base_bytes;
    for (int d = 0; d < access.subscripts; ++d) {
      const long long subscript = value(access.subscript[d]);
      if (subscript < 0 || subscript >= access.array.layout.extent[d])
        throw std::out_of_range("a subscript outside its extent");
      address += subscript * access.array.layout.stride[d] * access.array.element_bytes;
    }
    to[at][lane] = address;
    return;
  }
  const bm::wrapper& w = access.wrappers[level];
  if (w.kind == bm::wrapper_kind::filter) {
    if (value(w.first) != 0) run(access, level + 1, lane, at, v, to);
    return;
  }
  long long& variable = v[static_cast<std::size_t>(w.variable)];
  at.push_back(0);
  const auto body = [&](long long now) {
    variable = now;
    run(access, level + 1, lane, at, v, to);
    ++at.back();
  };
  if (w.kind == bm::wrapper_kind::values) {
    for (int number = 0; number < w.first.size; ++number)
      body(access.nodes[w.first.first + number].value);
  } else {
    const long long first = value(w.first), last = value(w.last), step = value(w.step);
    const bool down =
        w.kind == bm::wrapper_kind::powers_down || (w.kind == bm::wrapper_kind::range && step < 0);
    for (long long now = first; down ? now > last : now < last;) {
      body(now);
      now = w.kind == bm::wrapper_kind::range ? now + step : down ? now / step : now * step;
    }
  }
  at.pop_back();
}

inline oracle::counts total(const tested_machine& m, const bm::block_dim& block,
                            const auto& access) {
  oracle::counts sum;
  const int threads = block.x * block.y * block.z;
  for (int warp = 0; warp * m.lanes < threads; ++warp) {
    requests of_warp;
    for (int lane = 0; lane < m.lanes && warp * m.lanes + lane < threads; ++lane) {
      const int tid = warp * m.lanes + lane;
      variables v{
          tid % block.x, tid / block.x % block.y, tid / block.x / block.y, 0, 0, 0, tid, lane,
          warp};
      trips at;
      run(access, 0, lane, at, v, of_warp);
    }
    for (const auto& one : of_warp) {
      const auto costs = counted(m, one.second, access.array.element_bytes * access.vector,
                                 access.kind == bm::access_kind::load);
      sum.requests += costs.requests;
      sum.wavefronts += costs.wavefronts;
      sum.ideal += costs.ideal;
      sum.degree = std::max(sum.degree, costs.degree);
    }
  }
  return sum;
}

}  // namespace plainly

#endif
