// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_COMMAND_LINE_ONE_THREAD_HPP
#define BANKMODEL_TESTS_COMMAND_LINE_ONE_THREAD_HPP

// The accesses of one thread of a kernel file, with its programs computed plainly.
#include <algorithm>
#include <array>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "examples/bankmodel/notation/kernel_file.hpp"

// Kernels are compiled as they are, and operators are applied to all pairs of types.
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wfloat-conversion"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wunused-value"
#ifdef __clang__
#pragma clang diagnostic ignored "-Wconstant-conversion"
#pragma clang diagnostic ignored "-Wtautological-compare"
#endif

namespace one_thread {

namespace cl = command_line;
namespace bm = bankmodel;

// "load" or "store" of an element.
using event = std::pair<char, long long>;
using events = std::vector<event>;
struct three {
  unsigned x, y, z;
};
struct thread {
  three threadIdx, blockIdx;
};
// As CUDA has them.
template <class A, class B>
using common = std::common_type_t<decltype(+A()), decltype(+B())>;
template <class A, class B>
common<A, B> min(A a, B b) {
  const auto x = static_cast<common<A, B>>(a), y = static_cast<common<A, B>>(b);
  return x < y ? x : y;
}
template <class A, class B>
common<A, B> max(A a, B b) {
  const auto x = static_cast<common<A, B>>(a), y = static_cast<common<A, B>>(b);
  return x > y ? x : y;
}
using values = std::array<long long, bm::variables>;

// The library refuses to compute it.
struct not_computed {};

inline long long evaluated(bm::operation op, long long a, long long b) {
  long long result = 0;
  const auto is_shift = op == bm::operation::shift_left || op == bm::operation::shift_right;
  const auto is_quotient = op == bm::operation::divide || op == bm::operation::remainder;
  if ((is_shift && (b < 0 || b > 62)) || (is_quotient && (a < 0 || b <= 0))) throw not_computed{};
  switch (op) {
    case bm::operation::add:
      if (__builtin_add_overflow(a, b, &result)) throw not_computed{};
      return result;
    case bm::operation::subtract:
      if (__builtin_sub_overflow(a, b, &result)) throw not_computed{};
      return result;
    case bm::operation::shift_left: b = 1ll << b; [[fallthrough]];
    case bm::operation::multiply:
      if (__builtin_mul_overflow(a, b, &result)) throw not_computed{};
      return result;
    case bm::operation::divide: return a / b;
    case bm::operation::remainder: return a % b;
    case bm::operation::shift_right: return a >> b;
    case bm::operation::bit_and: return a & b;
    case bm::operation::bit_or: return a | b;
    case bm::operation::bit_xor: return a ^ b;
    case bm::operation::minimum: return std::min(a, b);
    case bm::operation::maximum: return std::max(a, b);
    case bm::operation::less: return a < b;
    case bm::operation::less_equal: return a <= b;
    case bm::operation::equal: return a == b;
    case bm::operation::not_equal: return a != b;
    default: FAIL("an operation that the notation does not have");
  }
  return 0;
}

inline long long evaluate(const bm::node* nodes, int size, const values& variables) {
  std::vector<long long> stack;
  for (int k = 0; k < size; ++k) {
    const bm::node& current = nodes[k];
    if (current.op == bm::operation::constant || current.op == bm::operation::variable) {
      stack.push_back(current.op == bm::operation::constant
                          ? current.value
                          : variables[static_cast<std::size_t>(current.value)]);
      continue;
    }
    long long& last = stack.back();
    if (current.op == bm::operation::negate || current.op == bm::operation::logical_not) {
      last = current.op == bm::operation::negate ? evaluated(bm::operation::subtract, 0, last)
                                                 : last == 0;
      continue;
    }
    if (current.op == bm::operation::skip_if_false || current.op == bm::operation::skip_if_true) {
      if ((last != 0) == (current.op == bm::operation::skip_if_true))
        k += static_cast<int>(current.value);
      else
        stack.pop_back();
      continue;
    }
    const long long b = last;
    stack.pop_back();
    stack.back() = evaluated(current.op, stack.back(), b);
  }
  return stack.back();
}

inline void run(const cl::access_expression& access, int depth, values& variables, events& list) {
  const auto worth = [&](const bm::slice& program) {
    return evaluate(access.nodes + program.first, program.size, variables);
  };
  if (depth == access.depth) {
    const long long element = worth(access.subscript[0]);
    if (list.size() > 100'000) FAIL("a loop that runs longer than it should");
    list.push_back({access.kind == bm::access_kind::load ? 'l' : 's', element});
    return;
  }
  const bm::wrapper& w = access.wrappers[depth];
  if (w.kind == bm::wrapper_kind::filter) {
    if (worth(w.first) != 0) run(access, depth + 1, variables, list);
    return;
  }
  const long long last = worth(w.last), step = worth(w.step);
  if (w.kind == bm::wrapper_kind::range && step == 0) throw not_computed{};
  const bool is_rising =
      w.kind == bm::wrapper_kind::powers_up || (w.kind == bm::wrapper_kind::range && step > 0);
  long long& v = variables[static_cast<std::size_t>(w.variable)];
  for (v = worth(w.first); is_rising ? v < last : v > last;) {
    const long long current = v;
    run(access, depth + 1, variables, list);
    v = w.kind == bm::wrapper_kind::range       ? current + step
        : w.kind == bm::wrapper_kind::powers_up ? current * step
                                                : current / step;
  }
}

inline events of_notation(const cl::kernel_file& file, const thread& position) {
  const long long tx = position.threadIdx.x, ty = position.threadIdx.y, tid = tx + 16 * ty;
  events result;
  for (const cl::kernel_access& access : file.accesses) {
    values variables{tx, ty, 0, 0, 0, 0, tid, tid % 32, tid / 32};
    run(access.expression, 0, variables, result);
  }
  std::sort(result.begin(), result.end());
  return result;
}

// Arrays of the kernels here, and their threads.
inline const std::string head = "block 16 4\nshared int a[65536]\n";

inline std::string text_of(const events& list) {
  std::string result;
  for (const auto& [operation, element] : list) result += operation + std::to_string(element) + " ";
  return result;
}

}  // namespace one_thread

#endif
