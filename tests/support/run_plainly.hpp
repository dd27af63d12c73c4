// SPDX-License-Identifier: MIT
// Runs any access of the library thread by thread, every iteration, with an evaluator of its own:
// the one runner of the tests and the benchmarks. It takes from the library only the description of
// the access. Lanes at the same trips of all loops make one request.
#ifndef BANKMODEL_TESTS_RUN_PLAINLY_HPP
#define BANKMODEL_TESTS_RUN_PLAINLY_HPP

#include <bankmodel/kernel/access.hpp>
#include <bankmodel/kernel/kernel.hpp>

#include "machines.hpp"

#include <array>
#include <span>
#include <stdexcept>
#include <tuple>

namespace plainly {

namespace bm = bankmodel;

using variables = std::array<long long, bm::variables>;

// An error, which the library must report too.
struct refused : std::out_of_range {
  using std::out_of_range::out_of_range;
};

// C's meaning of a program, && and || lazily.
inline long long worth(const bm::node* nodes, int size, const variables& v) {
  using bm::operation;
  long long stack[64];  // deeper nesting than 32 is an error in the library
  int top = -1;
  for (int index = 0; index < size; ++index) {
    const auto& [op, value] = nodes[index];
    if (op == operation::constant || op == operation::variable) {
      if (++top == 64) throw std::logic_error("a program that nests too deep");
      stack[top] = op == operation::constant ? value : v[static_cast<std::size_t>(value)];
      continue;
    }
    if (op == operation::skip_if_false || op == operation::skip_if_true) {
      if ((stack[top] != 0) == (op == operation::skip_if_true))
        index += static_cast<int>(value);
      else
        --top;
      continue;
    }
    const long long b = stack[top];
    if (op == operation::negate || op == operation::logical_not) {
      stack[top] = op == operation::negate ? -b : !b;
      continue;
    }
    long long& a = stack[--top];
    switch (op) {
      case operation::add: a = a + b; break;
      case operation::subtract: a = a - b; break;
      case operation::multiply: a = a * b; break;
      case operation::divide:
      case operation::remainder:
        if (b == 0) throw refused("a division by zero");
        if (a < 0 || b < 0) throw refused("a division of negative values");
        a = op == operation::divide ? a / b : a % b;
        break;
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
  return stack[0];
}

// One lane's part of a request.
struct touch {
  std::array<int, bm::loop_variables> trip{};         // of each loop around it, outermost first
  std::array<long long, bm::loop_variables> value{};  // of its variable
  int lane = 0;
  std::array<long long, bm::max_rank> subscripts{};  // the subscripts
};
using request = std::span<const touch>;  // its active lanes

// One thread from the wrapper at `level` on, inside `loops` loops.
template <class Access>
void run(const Access& access, int level, int loops, touch& current, variables& v,
         std::vector<touch>& result) {
  const auto value = [&](const bm::slice& program) {
    return worth(access.nodes + program.first, program.size, v);
  };
  if (level == access.depth) {
    for (int d = 0; d < access.subscripts; ++d)
      current.subscripts[static_cast<std::size_t>(d)] = value(access.subscript[d]);
    result.push_back(current);
    return;
  }
  const bm::wrapper& w = access.wrappers[level];
  if (w.kind == bm::wrapper_kind::filter) {
    if (value(w.first) != 0) run(access, level + 1, loops, current, v, result);
    return;
  }
  int& trip = current.trip[static_cast<std::size_t>(loops)];
  const auto body = [&](long long point) {
    v[static_cast<std::size_t>(w.variable)] = current.value[static_cast<std::size_t>(loops)] =
        point;
    run(access, level + 1, loops + 1, current, v, result);
    ++trip;
  };
  if (w.kind == bm::wrapper_kind::values) {
    for (int number = 0; number < w.first.size; ++number)
      body(access.nodes[w.first.first + number].value);
  } else {
    const long long first = value(w.first), last = value(w.last), step = value(w.step);
    const bool range = w.kind == bm::wrapper_kind::range;
    const bool descends = w.kind == bm::wrapper_kind::powers_down || (range && step < 0);
    if (range && step == 0) throw refused("a step of zero");
    if (!range && (descends ? first > last && last < 0 : first < last && first < 1))
      throw refused("powers that do not end");
    const auto next = [&](long long previous) {
      if (range) return previous + step;
      if (descends) return previous / step;
      return previous > (last - 1) / step ? last : previous * step;  // which need not fit
    };
    for (long long position = first; descends ? position > last : position < last;
         position = next(position))
      body(position);
  }
  trip = 0;
}

// All elements that the threads of a warp touch, request by request.
template <class Access>
std::vector<touch> run_warp(int lanes, const bm::block_dim& block, const Access& access, int warp,
                            const bm::block_index& grid_index = {}) {
  std::vector<touch> result;
  const int threads = block.x * block.y * block.z;
  for (int tid = warp * lanes; tid < (warp + 1) * lanes && tid < threads; ++tid) {
    variables v{tid % block.x,
                tid / block.x % block.y,
                tid / block.x / block.y,
                grid_index.x,
                grid_index.y,
                grid_index.z,
                tid,
                tid - warp * lanes,
                warp};
    touch current{{}, {}, tid - warp * lanes, {}};
    run(access, 0, 0, current, v, result);
  }
  std::sort(result.begin(), result.end(), [](const touch& a, const touch& b) {
    return std::tie(a.trip, a.lane) < std::tie(b.trip, b.lane);
  });
  return result;
}

// Calls visit(request) for each request that run_warp() returned.
template <class Visit>
void each_request(const std::vector<touch>& of_warp, const Visit& visit) {
  for (auto begin = of_warp.begin(); begin != of_warp.end();) {
    const auto end = std::find_if(begin, of_warp.end(),
                                  [&](const touch& other) { return other.trip != begin->trip; });
    visit(request(begin, end));
    begin = end;
  }
}

// visit(request) for each request of a block.
template <class Access, class Visit>
void each_request(int lanes, const bm::block_dim& block, const Access& access, const Visit& visit) {
  const int threads = block.x * block.y * block.z;
  for (int warp = 0; warp * lanes < threads; ++warp)
    each_request(run_warp(lanes, block, access, warp), visit);
}

// The element that a lane touches, by each dimension's stride.
template <class Access>
long long element_of(const Access& access, const touch& lane) {
  long long element = 0;
  for (int d = 0; d < access.subscripts; ++d) {
    const long long subscript = lane.subscripts[static_cast<std::size_t>(d)];
    if (subscript < 0 || subscript >= access.array.layout.extent[d])
      throw refused("a subscript outside its extent");
    element += subscript * access.array.layout.stride[d];
  }
  return element;
}

// By lane: where(element) for each element that a request touches.
template <class Access, class Where>
std::map<int, long long> by_lane(const Access& access, const request& lanes, const Where& locate) {
  std::map<int, long long> result;
  for (const touch& lane : lanes) result[lane.lane] = locate(element_of(access, lane));
  return result;
}

inline oracle::counts total(const tested_machine& m, const bm::block_dim& block,
                            const auto& access) {
  oracle::counts sum;
  each_request(m.lanes, block, access, [&](const request& lanes) {
    const auto address = [&](long long element) {
      return access.array.base_bytes + element * access.array.element_bytes;
    };
    add_to(sum,
           counted(m, by_lane(access, lanes, address), access.array.element_bytes * access.vector,
                   access.kind == bm::access_kind::load));
  });
  return sum;
}

}  // namespace plainly

#endif
