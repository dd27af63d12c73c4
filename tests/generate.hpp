// SPDX-License-Identifier: MIT
// Random accesses with loops and filters, from a seed: as trees of their own, as the library's expressions, and run
// thread by thread for the oracle. constexpr, so that the same case can be asked in a constant expression; so no two
// random draws may stand among the arguments of one call, whose order compilers choose.
#ifndef BANKMODEL_TESTS_GENERATE_HPP
#define BANKMODEL_TESTS_GENERATE_HPP

#include <bankmodel/expression.hpp>

#include <functional>
#include <string>
#include <vector>

namespace generated {

namespace bm = bankmodel;

// A tree of operators; `op` is the C operator's character, 'A' is &&, 'O' is ||, 'L' <<, 'R' >>, 'm' min, 'M' max, 'l' <=,
// '=' ==, 'n' !=, 'c' a constant, 'v' a variable (numbered as bm::variable).
struct tree_node {
  char op;
  int left, right;
  long long value;
};

struct loop_or_filter {
  char kind;  // 'r'ange, 'u'p or 'd'own powers, 'v'alues, 'i'f
  int variable;
  int first, last, step;  // trees
};

struct one_case {
  tree_node nodes[120] = {};
  int count = 0;
  int block[3] = {1, 1, 1};
  int rank = 1;
  long long extent[3] = {1, 1, 1};
  int subscript[3] = {};
  int element_bytes = 4, vector = 1;
  long long base = 0;
  bool store = false;
  int machine = 0;
  int depth = 0;
  loop_or_filter wrappers[3] = {};
};

class generator {
 public:
  constexpr explicit generator(unsigned long long seed) : state_(seed * 0x9e3779b97f4a7c15ull + 0x1234567) {}

  constexpr one_case make() {
    one_case result;
    case_ = &result;
    result.machine = below(4);
    choose_block(result);
    constexpr int sizes[] = {4, 4, 4, 4, 1, 2, 8, 16};
    result.element_bytes = sizes[below(8)];
    if (below(4) == 0) result.vector = 1 << below(result.element_bytes >= 8 ? 2 : 3);
    if (result.element_bytes * result.vector > 16) result.vector = 1;
    result.store = below(3) == 0;
    result.depth = below(4);
    for (int level = 0; level < result.depth; ++level) result.wrappers[level] = wrapper(level);
    result.rank = 1 + below(3);
    for (int d = 0; d < result.rank; ++d) {
      const bool last = d == result.rank - 1;
      int program = 0;
      if (below(3) != 0) {  // affine: large extents take it
        program = affine();
        result.extent[d] = 200000;
      } else {
        result.extent[d] = 1 + below(70);
        program = binary('%', any(1 + below(3)), constant(result.extent[d]));
      }
      if (last && result.vector > 1) {
        program = binary('*', program, constant(result.vector));
        result.extent[d] *= result.vector;
      }
      result.subscript[d] = program;
    }
    if (below(4) == 0) result.base = static_cast<long long>(below(80)) * result.element_bytes * result.vector;
    return result;
  }

  constexpr int below(int limit) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<int>((state_ >> 11) % static_cast<unsigned long long>(limit));
  }

 private:
  constexpr void choose_block(one_case& c) {
    constexpr int shapes[][3] = {{32, 1, 1}, {64, 1, 1}, {16, 2, 1}, {16, 4, 1}, {8, 4, 2}, {33, 1, 1}, {7, 5, 3},  {48, 2, 1}, {24, 2, 1}, {1, 40, 1},
                                 {5, 7, 1},  {32, 2, 1}, {8, 8, 1},  {4, 4, 4},  {20, 1, 1}, {96, 1, 1}, {2, 2, 16}, {64, 2, 1}, {31, 3, 1}, {16, 16, 1},
                                 {4, 4, 3},  {8, 6, 2},  {16, 3, 2}, {2, 2, 9}};
    const auto& shape = shapes[below(24)];
    for (int d = 0; d < 3; ++d) c.block[d] = shape[d];
  }

  constexpr int add(const tree_node& n) {
    case_->nodes[case_->count] = n;
    return case_->count++;
  }
  constexpr int constant(long long value) { return add({'c', 0, 0, value}); }
  constexpr int binary(char op, int left, int right) { return add({op, left, right, 0}); }

  // A variable that is set where the expression stands: of the thread mostly, or of a loop around it.
  constexpr int variable() {
    if (set_ != 0 && below(2) == 0) {
      int level = below(3);
      while ((set_ >> level & 1) == 0) level = (level + 1) % 3;
      return add({'v', 0, 0, 9 + level});
    }
    constexpr int common[] = {0, 0, 0, 1, 1, 2, 6, 7, 8, 3};  // tx tx tx ty ty tz tid lane warp bx
    return add({'v', 0, 0, common[below(10)]});
  }

  // A sum of multiples of variables, never negative.
  constexpr int affine() {
    constexpr long long factors[] = {1, 1, 1, 2, 3, 4, 8, 16, 17, 32, 33, 24};
    int sum = below(3) == 0 ? constant(below(40)) : variable();
    for (int terms = below(4); terms > 0; --terms) {
      const int value = variable();
      const long long factor = factors[below(12)];
      if (below(12) == 0) {  // not affine after all: a product of two variables
        const int other = variable();
        sum = binary('+', sum, binary('*', value, other));
        continue;
      }
      const int term = factor == 1 ? value : below(4) == 0 && (factor & (factor - 1)) == 0
                                                 ? binary('L', value, constant(factor == 2 ? 1 : factor == 4 ? 2 : factor == 8 ? 3 : factor == 16 ? 4 : 5))
                                                 : binary('*', constant(factor), value);
      sum = binary('+', sum, term);
    }
    return sum;
  }

  // Any expression that is not negative.
  constexpr int any(int depth) {
    if (depth == 0) return below(3) == 0 ? constant(below(20)) : variable();
    const int left = any(depth - 1);
    const int right = any(below(depth));
    constexpr char plain[] = {'+', '*', '&', '|', '^', 'm', 'M', '+'};
    switch (below(8)) {
      case 0: return binary('/', left, binary('+', constant(1), binary('%', right, constant(7))));
      case 1: return binary('%', left, binary('+', constant(1), binary('&', right, constant(15))));
      case 2: return binary('L', left, constant(below(4)));
      case 3: return binary('R', left, constant(below(5)));
      case 4: return below(2) == 0 ? binary('M', binary('-', left, right), constant(0)) : binary('&', binary('-', left, right), constant(63));
      default: return binary(plain[below(8)], left, right);
    }
  }

  constexpr int comparison() {
    constexpr char all[] = {'<', '>', 'l', 'g', '=', 'n'};
    const char op = all[below(6)];
    const int left = below(2) == 0 ? variable() : any(below(2));
    const int right = below(2) == 0 ? constant(below(40)) : any(below(2));
    return binary(op, left, right);
  }

  constexpr int filter() {
    const int kind = below(6);
    if (kind == 3) {  // the right side is undefined where the left one is false
      const int divisor = variable();
      const int dividend = any(1);
      const int limit = constant(below(9));
      return binary('A', binary('n', divisor, constant(0)), binary('<', binary('/', dividend, divisor), limit));
    }
    const int left = comparison();
    if (kind == 2) return add({'!', left, 0, 0});
    if (kind > 1) return left;
    const int right = comparison();
    return binary(kind == 0 ? 'A' : 'O', left, right);
  }

  constexpr loop_or_filter wrapper(int level) {
    if (below(3) == 0) return {'i', 0, filter(), 0, 0};
    loop_or_filter result{'r', 9 + level, 0, 0, 0};
    switch (below(8)) {
      case 0:  // bounds of the thread or of outer loops
        result.first = binary('%', any(1), constant(4));
        result.last = binary('%', any(1), constant(7));
        result.step = below(3) == 0 ? binary('+', constant(1), binary('%', any(0), constant(3))) : constant(1 + below(2));
        break;
      case 1:  // triangular, down
        result.first = binary('%', variable(), constant(6));
        result.last = constant(-1);
        result.step = constant(-1 - below(2));
        break;
      case 2: {
        const bool up = below(2) == 0;
        result.kind = up ? 'u' : 'd';
        result.first = up ? constant(1 + below(3)) : binary('&', any(1), constant(31));
        result.last = up ? binary('%', any(1), constant(30)) : constant(below(3));
        result.step = constant(2 + below(2));
        break;
      }
      case 3:
        result.kind = 'v';
        result.first = constant(below(50));
        result.last = constant(below(50));
        result.step = constant(below(50));
        break;
      default: {
        const int first = below(20), trips = below(8), step = 1 + below(9);
        const bool down = below(4) == 0;
        result.first = constant(down ? first + trips * step : first);
        result.last = constant(down ? first : first + trips * step - (trips > 0 ? below(step) : 0));
        result.step = constant(down ? -step : step);
      }
    }
    set_ |= 1u << level;
    return result;
  }

  unsigned long long state_;
  one_case* case_ = nullptr;
  unsigned set_ = 0;  // the loops around the expression that is made
};

// ---- for the library ----

using expression = bm::access_expression<3, 160>;

constexpr void emit(const one_case& c, int root, expression& to, int& count) {
  const tree_node& n = c.nodes[root];
  const auto put = [&](bm::operation op, long long value) { to.nodes[count++] = {op, value}; };
  switch (n.op) {
    case 'c': put(bm::operation::constant, n.value); return;
    case 'v': put(bm::operation::variable, n.value); return;
    case '!':
      emit(c, n.left, to, count);
      put(bm::operation::logical_not, 0);
      return;
    case 'A': case 'O': {
      emit(c, n.left, to, count);
      const int skip = count++;
      emit(c, n.right, to, count);
      to.nodes[skip] = {n.op == 'A' ? bm::operation::skip_if_false : bm::operation::skip_if_true, count - skip - 1};
      return;
    }
    default: break;
  }
  const bool swapped = n.op == '>' || n.op == 'g';  // a > b is b < a
  emit(c, swapped ? n.right : n.left, to, count);
  emit(c, swapped ? n.left : n.right, to, count);
  constexpr char from[] = "+-*/%LR&|^mM<l=n>g";
  constexpr bm::operation into[] = {bm::operation::add,       bm::operation::subtract,   bm::operation::multiply,    bm::operation::divide,
                                    bm::operation::remainder, bm::operation::shift_left, bm::operation::shift_right, bm::operation::bit_and,
                                    bm::operation::bit_or,    bm::operation::bit_xor,    bm::operation::minimum,     bm::operation::maximum,
                                    bm::operation::less,      bm::operation::less_equal, bm::operation::equal,       bm::operation::not_equal,
                                    bm::operation::less,      bm::operation::less_equal};
  for (int at = 0; from[at] != '\0'; ++at)
    if (from[at] == n.op) put(into[at], 0);
}

constexpr bm::slice emit(const one_case& c, int root, expression& to, int& count, int) {
  const int first = count;
  emit(c, root, to, count);
  return {first, count - first};
}

constexpr expression for_library(const one_case& c) {
  expression result{};
  result.array.layout = c.rank == 1   ? bm::row_major(c.extent[0])
                        : c.rank == 2 ? bm::row_major(c.extent[0], c.extent[1])
                                      : bm::row_major(c.extent[0], c.extent[1], c.extent[2]);
  result.array.element_bytes = c.element_bytes;
  result.array.base_bytes = c.base;
  result.subscripts = c.rank;
  result.vector = c.vector;
  result.way = c.store ? bm::direction::store : bm::direction::load;
  result.depth = c.depth;
  int count = 0;
  for (int d = 0; d < c.rank; ++d) result.subscript[d] = emit(c, c.subscript[d], result, count, 0);
  for (int level = 0; level < c.depth; ++level) {
    const loop_or_filter& from = c.wrappers[level];
    bm::wrapper& to = result.wrappers[level];
    to.variable = static_cast<bm::variable>(from.variable);
    to.kind = from.kind == 'i'   ? bm::wrapper_kind::filter
              : from.kind == 'u' ? bm::wrapper_kind::powers_up
              : from.kind == 'd' ? bm::wrapper_kind::powers_down
              : from.kind == 'v' ? bm::wrapper_kind::values
                                 : bm::wrapper_kind::range;
    to.first = emit(c, from.first, result, count, 0);
    if (from.kind == 'i') continue;
    to.last = emit(c, from.last, result, count, 0);
    to.step = emit(c, from.step, result, count, 0);
    if (from.kind == 'v') to.first.size = 3;
  }
  return result;
}

// ---- for the oracle: each thread by itself ----

struct environment {
  long long value[12];
};

inline long long worth(const one_case& c, int root, const environment& e) {
  const tree_node& n = c.nodes[root];
  if (n.op == 'c') return n.value;
  if (n.op == 'v') return e.value[n.value];
  const long long a = worth(c, n.left, e);
  if (n.op == '!') return !a;
  if (n.op == 'A') return a && worth(c, n.right, e);
  if (n.op == 'O') return a || worth(c, n.right, e);
  const long long b = worth(c, n.right, e);
  switch (n.op) {
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b;
    case '/': return a / b;
    case '%': return a % b;
    case 'L': return a << b;
    case 'R': return a >> b;
    case '&': return a & b;
    case '|': return a | b;
    case '^': return a ^ b;
    case 'm': return a < b ? a : b;
    case 'M': return a < b ? b : a;
    case '<': return a < b;
    case '>': return a > b;
    case 'l': return a <= b;
    case 'g': return a >= b;
    case '=': return a == b;
    default: return a != b;
  }
}

// What one thread does: at which trips of its loops it touches which address. Lanes of a warp that are at the same
// trips make one request.
struct touch {
  long long trips, address;
};

inline void run(const one_case& c, int level, long long trips, environment& e, std::vector<touch>& to) {
  if (level == c.depth) {
    long long element = 0;
    for (int d = 0; d < c.rank; ++d) element = element * c.extent[d] + worth(c, c.subscript[d], e);
    to.push_back({trips, c.base + element * c.element_bytes});
    return;
  }
  const loop_or_filter& w = c.wrappers[level];
  if (w.kind == 'i') {
    if (worth(c, w.first, e)) run(c, level + 1, trips * 1000, e, to);
    return;
  }
  long long& v = e.value[w.variable];
  int trip = 0;
  const auto body = [&](long long value) {
    v = value;
    run(c, level + 1, trips * 1000 + trip++, e, to);
  };
  if (w.kind == 'v') {
    for (const int tree : {w.first, w.last, w.step}) body(c.nodes[tree].value);
    return;
  }
  const long long first = worth(c, w.first, e), last = worth(c, w.last, e), step = worth(c, w.step, e);
  if (w.kind == 'u')
    for (long long value = first; value < last; value *= step) body(value);
  else if (w.kind == 'd')
    for (long long value = first; value > last; value /= step) body(value);
  else if (step > 0)
    for (long long value = first; value < last; value += step) body(value);
  else
    for (long long value = first; value > last; value += step) body(value);
}

}  // namespace generated

#endif
