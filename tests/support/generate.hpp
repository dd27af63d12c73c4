// SPDX-License-Identifier: MIT
// Random accesses with loops and filters, from a seed: as trees of their own, and as the
// library's expressions. All is constexpr, so that the same case can be evaluated in a constant
// expression. No two random draws may be arguments of one call, because compilers choose the
// order.
#ifndef BANKMODEL_TESTS_GENERATE_HPP
#define BANKMODEL_TESTS_GENERATE_HPP

#include <bankmodel/kernel/access.hpp>
#include <bankmodel/kernel/kernel.hpp>

#include <algorithm>
#include <bit>
#include <iterator>

#include "byte_source.hpp"

namespace generated {

namespace bm = bankmodel;

// The range of an expression's values.
struct span {
  long long lowest = 0, highest = 0;
  constexpr long long width() const { return highest - lowest; }
};

// A tree of operators; `op` is the C operator's character, 'A' is &&, 'O' is ||, 'L' <<, 'R'
// >>, 'm' min, 'M' max, 'l' <=, 'g' >=, '=' ==, 'n' !=, '~' a minus sign, 'c' a constant, 'v' a
// variable (numbered as bm::variable).
struct tree_node {
  char op = 'c';
  int left = 0, right = 0;
  long long value = 0;
  span values;
};

struct loop_or_filter {
  char kind = 'i';  // 'r'ange, 'p'owers, 'u'p or 'd'own powers, 'v'alues, 'i'f
  int variable = 0;
  // Trees; for values: the first constant, and in `last` their number.
  int first = 0, last = 0, step = 0;
};

// A user-defined machine for accesses of one width: banks, and the phases: bit b of a lane's
// phase is the parity of lane & parity[b].
struct own_machine {
  int lanes = 32;
  short bank_num = 1, W = 1, N = 1;
  unsigned char parity[3] = {};
  char serves = 'w';  // by 'w'ords and layers, by 'l'anes or by 'b'roadcasts; only those that
  int piece = 0;      // change its cases set this and the following
  bool overlap = false;
  bool pairs = false;  // phases merge in pairs
};

constexpr int most_wrappers = 6, most_nodes = 360,
              first_loop = static_cast<int>(bm::variable::loop_0);
constexpr int real_machines = 4;

struct one_case {
  tree_node nodes[most_nodes];
  int count = 0;
  int machine = 0;  // a real machine, or real_machines: its own
  own_machine own;  // its lanes are also those of the real machine
  int block[3] = {1, 1, 1};
  int block_index = 0;  // along x
  int element_bytes = 4, vector = 1;
  long long base = 0;
  bool store = false;
  int depth = 0;
  loop_or_filter wrappers[most_wrappers];
  int rank = 1;
  long long extent[3] = {1, 1, 1};
  int subscript[3] = {};
  // If set, the extent is the reached maximum plus this many elements, instead of the possible
  // maximum; and the constant that moves the subscript (or -1) makes the reached minimum this
  // large.
  struct fitting {
    bool wanted = false;
    int moved_by = -1;
    long long minimum = 0, padding = 0;
  } fit[3];
};

// Cases of a constant expression are of the same kinds, but small: one or two warps, few
// iterations.
enum class size { full, small };

// All bits of the numbers from 0 to `highest`.
constexpr long long bits_below(long long highest) {
  long long bits = 1;
  while (bits < highest) bits = 2 * bits + 1;
  return bits;
}

// The range of an operator's result for operands in these ranges; may be larger than necessary.
constexpr span values_of(char op, const span& a, const span& b) {
  switch (op) {
    case '+': return {a.lowest + b.lowest, a.highest + b.highest};
    case '-': return {a.lowest - b.highest, a.highest - b.lowest};
    case '~': return {-a.highest, -a.lowest};
    case '*': {
      const long long ends[] = {a.lowest * b.lowest, a.lowest * b.highest, a.highest * b.lowest,
                                a.highest * b.highest};
      span result{ends[0], ends[0]};
      for (const long long end : ends)
        result = {std::min(result.lowest, end), std::max(result.highest, end)};
      return result;
    }
    case 'L': return values_of('*', a, {1ll << b.lowest, 1ll << b.highest});
    case 'R':
      return {std::min(a.lowest >> b.lowest, a.lowest >> b.highest),
              std::max(a.highest >> b.lowest, a.highest >> b.highest)};
    case '/': return {0, std::max(a.highest, 0ll)};
    case '%': return {0, std::max(std::min(a.highest, b.highest - 1), 0ll)};
    case '&':
      if (a.lowest >= 0 && b.lowest >= 0) return {0, std::min(a.highest, b.highest)};
      if (a.lowest >= 0 || b.lowest >= 0) return {0, a.lowest >= 0 ? a.highest : b.highest};
      [[fallthrough]];
    case '|':
    case '^': {
      const long long bits =
          bits_below(std::max(std::max(a.highest, -a.lowest), std::max(b.highest, -b.lowest)));
      return {a.lowest >= 0 && b.lowest >= 0 ? 0 : -bits - 1, bits};
    }
    case 'm': return {std::min(a.lowest, b.lowest), std::min(a.highest, b.highest)};
    case 'M': return {std::max(a.lowest, b.lowest), std::max(a.highest, b.highest)};
    default: return {0, 1};
  }
}

// The values of all variables in one thread at one iteration.
struct environment {
  long long value[bm::variables] = {};
  const char* undefined = nullptr;  // why an expression has no value: an error in the library too
};

constexpr long long worth(const one_case& c, int root, environment& e) {
  const tree_node& n = c.nodes[root];
  if (n.op == 'c') return n.value;
  if (n.op == 'v') return e.value[n.value];
  const long long a = worth(c, n.left, e);
  if (n.op == '!') return !a;
  if (n.op == '~') return -a;
  if (n.op == 'A') return a && worth(c, n.right, e);
  if (n.op == 'O') return a || worth(c, n.right, e);
  const long long b = worth(c, n.right, e);
  switch (n.op) {
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b;
    case '/':
    case '%':
      if (a < 0 || b <= 0) {
        e.undefined = b == 0 ? "a division by zero" : "a division of negative values";
        return 0;
      }
      return n.op == '/' ? a / b : a % b;
    case 'L': return a * (1ll << b);
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

// Before its first loop.
constexpr environment thread_of(const one_case& c, int tid) {
  const int x = c.block[0], y = c.block[1], lanes = c.own.lanes;
  return {{tid % x, tid / x % y, tid / x / y, c.block_index, 0, 0, tid, tid % lanes, tid / lanes},
          nullptr};
}

// It tracks the range of each expression, so that divisions are of values that are not negative
// and arrays are large enough. And it follows one thread through one iteration of every loop,
// the witness: most filters let it pass.
class generator {
 public:
  constexpr explicit generator(unsigned long long seed, size case_size = size::full)
      : state_(seed * 0x9e3779b97f4a7c15ull + 0x1234567), small_(case_size == size::small) {
    (void)draw(2), (void)draw(2);
  }

  // Draws from these bytes while there are any.
  constexpr generator(const byte_source& bytes, size case_size) : generator(1, case_size) {
    bytes_ = bytes;
  }

  constexpr one_case make() {
    nature_ = static_cast<nature>(draw(4));
    may_be_negative_ = one_in(6);
    choose_access();
    choose_machine();
    choose_block();
    const int depth = small_ ? draw(4) : one_in(14) ? 0 : 1 + draw(most_wrappers);
    for (int level = 0; level < depth; ++level) {
      const bool filter = level == 0 ? one_in(12) : one_in(3);
      case_.wrappers[case_.depth++] =
          filter ? loop_or_filter{'i', 0, condition(draw(3), true), 0, 0} : loop();
    }
    case_.rank = one_in(2) ? 1 : 1 + draw(3);
    for (int d = 0; d < case_.rank; ++d) choose_subscript(d);
    return case_;
  }

 private:
  // ---- random numbers ----

  constexpr int draw(int limit) {
    if (int drawn = 0; bytes_.draw(limit, drawn)) return drawn;
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<int>((state_ * 0x2545f4914f6cdd1dull >> 33) %
                            static_cast<unsigned long long>(limit));
  }
  constexpr bool one_in(int chances) { return draw(chances) == 0; }
  // For cases that may be errors: not in a constant expression.
  constexpr bool rarely(int chances) { return one_in(chances) && !small_; }
  constexpr long long uniform(long long low, long long high) {
    return high <= low ? low
                       : low + draw(static_cast<int>(std::min(high - low, 1'000'000'000ll)) + 1);
  }
  template <class T, std::size_t Count>
  constexpr T one_of(const T (&list)[Count]) {
    return list[draw(static_cast<int>(Count))];
  }

  // ---- machine, block, array ----

  constexpr void choose_access() {
    constexpr int sizes[] = {4, 4, 4, 4, 1, 2, 8, 16}, widths[] = {2, 4, 8, 16};
    case_.element_bytes = one_of(sizes);
    if (one_in(4)) case_.vector = one_of(widths);
    if (case_.element_bytes * case_.vector > 16) case_.vector = 1;
    case_.store = one_in(3);
    if (!one_in(3)) return;
    case_.base = static_cast<long long>(draw(80)) * case_.element_bytes;
    if (!rarely(20)) case_.base *= case_.vector;  // or else it may not be aligned
  }

  constexpr void choose_machine() {
    case_.machine = one_in(4) ? real_machines : draw(real_machines);
    if (case_.machine < real_machines) return;
    constexpr int lanes[] = {1, 2, 3, 4, 4, 5, 8, 8, 12, 16, 32, 64, 64};
    own_machine& own = case_.own;
    own.lanes = one_of(lanes);
    if (small_) own.lanes = std::max(own.lanes, 4);
    own.bank_num = static_cast<short>(1 << draw(one_in(8) ? 8 : 5));
    own.N = static_cast<short>(1 << draw(4));
    own.W = static_cast<short>(own.N << draw(one_in(8) ? 7 : 3));
    const int bits = draw(4);
    for (int bit = 0; bit < bits; ++bit) own.parity[bit] = static_cast<unsigned char>(1 + draw(63));
    own.pairs = one_in(3);
    if (case_.element_bytes == 4 && one_in(8)) case_.vector = 3;
  }

  constexpr void choose_block() {
    constexpr int shapes[][3] = {
        {32, 1, 1},  {32, 1, 1},  {64, 1, 1}, {16, 2, 1},  {8, 4, 2},  {33, 1, 1},  {1, 40, 1},
        {5, 7, 1},   {8, 8, 1},   {4, 4, 4},  {20, 1, 1},  {4, 4, 3},  {2, 2, 9},   {8, 2, 4},
        {24, 2, 1},  {5, 1, 1},   {1, 1, 1},  {48, 1, 1},  {31, 2, 1}, {12, 4, 1},  {16, 3, 1},
        {2, 16, 3},  {4, 8, 5},   {33, 5, 1}, {33, 31, 1}, {36, 4, 1}, {64, 2, 2},  {128, 1, 1},
        {256, 1, 1}, {48, 16, 1}, {7, 5, 3},  {16, 16, 1}, {32, 4, 1}, {100, 1, 1}, {31, 3, 1},
        {40, 4, 1},  {96, 1, 2},  {8, 8, 4},  {32, 2, 3},  {2, 2, 40}};
    constexpr int small_ones = 20;
    const auto& shape = shapes[draw(small_ ? small_ones : static_cast<int>(std::size(shapes)))];
    for (int d = 0; d < 3; ++d) case_.block[d] = shape[d];
    if (one_in(8))
      for (int d = 0; d < 3; ++d)
        case_.block[d] = 1 + draw(d == 0 ? small_ ? 15 : 40 : small_ ? 2 : 5);
    case_.block_index = one_in(2) ? 5 : draw(40);

    const int threads = case_.block[0] * case_.block[1] * case_.block[2],
              warps = (threads - 1) / case_.own.lanes + 1;
    const span values[first_loop] = {{0, case_.block[0] - 1},
                                     {0, case_.block[1] - 1},
                                     {0, case_.block[2] - 1},
                                     {case_.block_index, case_.block_index},
                                     {0, 0},
                                     {0, 0},
                                     {0, threads - 1},
                                     {0, std::min(case_.own.lanes, threads) - 1},
                                     {0, warps - 1}};
    for (int number = 0; number < first_loop; ++number) variables_[number] = values[number];
    witness_ = thread_of(case_, draw(threads));
    left_ = small_ ? 8 / warps + 1 : (one_in(12) ? 24000 : 3000) / (threads + 32) + 4;
  }

  constexpr void choose_subscript(int d) {
    const bool last = d == case_.rank - 1;
    auto& fit = case_.fit[d];
    int program = 0;
    bool may_be_moved = true;
    if (last && case_.vector == 1 && one_in(6)) {  // a swizzle
      program = swizzle();
      may_be_moved = case_.nodes[program].values.lowest < 0;
    } else if (draw(10) < (nature_ == nature::curved ? 3 : 6)) {
      const int terms = 1 + draw(3);
      program = sum(terms, 6);
    } else {
      program = curved(1 + draw(small_ ? 2 : 3), 6);
    }
    const span values = case_.nodes[program].values;
    if (std::max(values.width(), values.highest) > 1 << (case_.rank == 1 ? 26 : 17)) {
      const int rows = 1 + draw(70);
      program = binary('%', program, constant(rows));
    }
    if (last && case_.vector > 1) program = binary('*', program, constant(case_.vector));

    const long long unit = last ? case_.vector : 1;
    const bool outside = rarely(60);
    fit.wanted = !small_ && one_in(2);
    fit.minimum = one_in(2) ? 0 : unit * draw(40);
    fit.padding = one_in(2) ? 0 : unit * (one_in(2) ? draw(40) : 40000);
    if (outside) (one_in(2) ? fit.minimum : fit.padding) = -1;
    if (may_be_moved && (one_in(2) || case_.nodes[program].values.lowest < 0)) {
      const long long lowest = case_.nodes[program].values.lowest;
      fit.moved_by = constant(fit.minimum - (lowest - (lowest % unit + unit) % unit));
      program = binary('+', program, fit.moved_by);
    }
    case_.subscript[d] = program;
    case_.extent[d] = std::max(case_.nodes[program].values.highest + unit + fit.padding, 1ll);
    // whole rows of a swizzle
    if (!may_be_moved && one_in(2)) case_.extent[d] = bits_below(case_.extent[d] - 1) + 1;
  }

  // ---- trees ----

  constexpr int add(const tree_node& n) {
    if (case_.count == most_nodes) throw "a case needs more nodes";
    case_.nodes[case_.count] = n;
    return case_.count++;
  }
  constexpr int constant(long long value) { return add({'c', 0, 0, value, {value, value}}); }
  constexpr int read(int number) { return add({'v', 0, 0, number, variables_[number]}); }
  constexpr int unary(char op, int operand) {
    return add({op, operand, operand, 0, values_of(op, case_.nodes[operand].values, {})});
  }
  constexpr int binary(char op, int left, int right) {
    if (op == '/' || op == '%') {
      left = not_negative(left);
      right = not_negative(right);
    }
    const span values = values_of(op, case_.nodes[left].values, case_.nodes[right].values);
    // and no product overflows
    if (std::max(-values.lowest, values.highest) >> 31 != 0) return binary('&', left, constant(63));
    return add({op, left, right, 0, values});
  }

  constexpr bool is_zero(int tree) const {
    return case_.nodes[tree].op == 'c' && case_.nodes[tree].value == 0;
  }
  constexpr int plus(int left, int right) {
    return is_zero(left) ? right : is_zero(right) ? left : binary('+', left, right);
  }
  constexpr int plus_number(int tree, long long number) {
    if (number == 0) return tree;
    if (case_.nodes[tree].op == 'c') return constant(case_.nodes[tree].value + number);
    return number < 0 ? binary('-', tree, constant(-number)) : binary('+', tree, constant(number));
  }
  // The dividend must not be negative; occasionally it is.
  constexpr int not_negative(int tree) {
    const long long lowest = case_.nodes[tree].values.lowest;
    return lowest >= 0 || rarely(60) ? tree : binary('+', constant(-lowest), tree);
  }
  // Keeps room for the parts added at the end.
  constexpr bool crowded() const { return case_.count > most_nodes / 2; }

  // A variable that is set at this place; the variable of a loop, if there is one, in `of_ten`
  // of ten cases.
  constexpr int variable(int of_ten) {
    if (loops_ != 0 && draw(10) < of_ten) return read(loop_[draw(loops_)]);
    constexpr int common[] = {0, 0, 0, 0, 1, 1, 1, 2, 6, 7, 8, 3};  // tx ty tz tid lane warp bx
    int number = one_of(common);
    // Preferably one that differs between threads.
    if (variables_[number].width() == 0) number = one_of(common);
    return read(number);
  }

  constexpr int multiple(int of_ten) {
    constexpr int factors[] = {1, 1, 1, 1, 2, 2, 3, 4, 5, 8, 16, 17, 32, 33};
    const int value = variable(of_ten);
    if (one_in(nature_ == nature::lockstep ? 8 : 16)) {
      const int other = variable(of_ten);
      return binary('*', value, other);
    }
    const int factor = factors[draw(one_in(2) ? 14 : 8)];
    if (factor == 1) return value;
    if ((factor & (factor - 1)) == 0 && one_in(4))
      return binary('L', value, constant(std::countr_zero(static_cast<unsigned>(factor))));
    return one_in(2) ? binary('*', constant(factor), value) : binary('*', value, constant(factor));
  }

  // A sum of multiples of variables, some of them subtracted.
  constexpr int sum(int terms, int of_ten) {
    const bool signs = one_in(2);
    if (crowded()) terms = 1;
    int result = constant(0);
    for (int term = 0; term < terms; ++term) {
      const int next = multiple(of_ten);
      if (!signs || one_in(2))
        result = plus(result, next);
      else
        result = is_zero(result) && one_in(2) ? unary('~', next) : binary('-', result, next);
    }
    return one_in(4) ? plus_number(result, uniform(-20, 20)) : result;
  }

  // Any expression.
  constexpr int curved(int depth, int of_ten) {
    if (depth == 0 || crowded()) return sum(1 + draw(2), of_ten);
    constexpr int numbers[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 31, 32, 33, 64};
    const int left = curved(depth - 1, of_ten);
    const int number = one_of(numbers), bits = 1 + draw(6), kind = draw(16);
    if (kind < 5) {
      switch (kind) {
        case 0: return binary('/', left, constant(number));
        case 1: return binary('%', left, constant(number));
        case 2: return binary('R', left, constant(bits - 1));
        case 3: return binary('&', left, constant((1 << bits) - 1));
        default: return binary('%', left, constant(1 << bits));
      }
    }
    if (kind == 5) {  // row and column of what one variable counts
      const int counted = variable(of_ten), row = binary('/', counted, constant(number)),
                column = binary('%', counted, constant(number));
      return binary('+', binary('*', row, left), column);
    }
    const int right = one_in(3) ? constant(draw(60)) : curved(draw(depth), of_ten);
    constexpr char plain[] = {'+', '*', '^', '&', '|', 'm', 'M'};
    switch (kind) {
      case 6: return binary('/', left, plus_number(not_negative(right), 1));
      case 7: return binary('%', left, plus_number(not_negative(right), 1));
      case 8: return binary('&', binary('^', left, right), constant((1 << bits) - 1));
      case 9: return binary('L', left, binary('&', right, constant(3)));
      default: return binary(one_of(plain), left, right);
    }
  }

  // The lanes' part below a power of two, XORed with an expression that is often the same in
  // all lanes.
  constexpr int swizzle() {
    const int bits = draw(7), inner = variable(0);
    const int lanes = one_in(2) ? inner : binary('%', curved(1, 2), constant(1ll << bits));
    const int other = one_in(2) ? variable(8) : one_in(3) ? constant(draw(64)) : curved(1, 9);
    return one_in(2) ? binary('^', lanes, other) : binary('^', other, lanes);
  }

  // ---- conditions ----

  constexpr long long at_witness(int tree) {
    witness_.undefined = nullptr;
    return worth(case_, tree, witness_);
  }

  // `left op right + number`, or with sides exchanged; the witness usually passes it, or does
  // not.
  constexpr int comparison(bool holds) {
    constexpr char operators[] = {'<', '>', 'l', 'g', '<', 'l', '=', 'n'},
                   denied[] = {'g', 'l', '>', '<', 'g', '>', 'n', '='},
                   turned[] = {'>', '<', 'g', 'l', '>', 'g', '=', 'n'};
    const int pick = draw(8), kind = draw(10), terms = draw(3);
    const int left = kind < 5 ? variable(6) : kind < 8 ? sum(1 + terms, 6) : curved(1, 6);
    int right = constant(0);
    if (kind == 3 || kind == 4)
      right = sum(1 + terms / 2, 7);
    else if (kind >= 5 && one_in(2))
      right = kind == 9 ? curved(1, 6) : sum(1 + terms / 2, 6);
    const span differences = values_of('-', case_.nodes[left].values, case_.nodes[right].values);
    const long long actual = at_witness(left) - at_witness(right), far_off = one_in(2) ? 0 : 20;
    long long number = uniform(differences.lowest, differences.highest);
    if (!one_in(6)) switch (holds ? operators[pick] : denied[pick]) {
        case '<': number = actual + uniform(1, 1 + far_off); break;
        case '>': number = actual - uniform(1, 1 + far_off); break;
        case 'l': number = actual + uniform(0, far_off); break;
        case 'g': number = actual - uniform(0, far_off); break;
        case '=': number = actual; break;
        default: break;
      }
    if (is_zero(right) || !one_in(4)) right = plus_number(right, number);
    return one_in(4) ? binary(turned[pick], right, left) : binary(operators[pick], left, right);
  }

  constexpr int condition(int depth, bool holds) {
    if (one_in(15) && !crowded()) {  // the right side is undefined where the left one is false
      const int divisor = variable(6), dividend = curved(1, 6),
                repeat = read(static_cast<int>(case_.nodes[divisor].value));
      const char nonzero = case_.nodes[divisor].values.lowest < 0 ? '>' : 'n';
      const int quotient = binary(one_in(3) ? '%' : '/', dividend, repeat);
      const long long actual = at_witness(quotient);
      const int limit = constant(actual + draw(4));
      return binary('A', binary(nonzero, divisor, constant(0)),
                    binary(one_in(3) ? '=' : 'l', quotient, limit));
    }
    if (depth == 0 || crowded()) return comparison(holds);
    const int kind = draw(5);
    const int left = condition(depth - 1, (kind == 0) != holds);
    if (kind == 0) return unary('!', left);
    const int right = condition(draw(depth), holds);
    return binary(kind < 3 ? 'O' : 'A', left, right);
  }

  // ---- loops ----

  // The usual bounds of a case's loops.
  enum class nature : unsigned char { numbers, triangular, lockstep, curved };

  constexpr loop_or_filter loop() {
    int variable = first_loop + draw(bm::loop_variables);
    while ((set_ >> variable & 1) != 0)
      variable = first_loop + (variable - first_loop + 1) % bm::loop_variables;
    const loop_or_filter result = one_in(8) ? few_values(variable) : range(variable);
    loop_[loops_++] = variable;
    set_ |= 1u << variable;
    place_witness(result);
    return result;
  }

  constexpr void set_values(int variable, long long lowest, long long highest, long long trips) {
    variables_[variable] = {lowest, std::max(lowest, highest)};
    left_ = std::max(left_ / std::max(trips, 1ll), 1ll);
  }

  // An iteration of the loop, if it has one at the witness.
  constexpr void place_witness(const loop_or_filter& w) {
    long long& value = witness_.value[w.variable];
    if (w.kind == 'v') {
      value = case_.nodes[w.first + draw(w.last)].value;
      return;
    }
    value = at_witness(w.first);
    if (w.kind != 'r') return;
    const long long last = at_witness(w.last), step = at_witness(w.step);
    if (step > 0 && value < last) value += uniform(0, (last - 1 - value) / step) * step;
    if (step < 0 && value > last) value += uniform(0, (value - last - 1) / -step) * step;
  }

  // powers and values
  constexpr loop_or_filter few_values(int variable) {
    const int kind = draw(4), factor = constant(2 + draw(2)),
              limit = draw(static_cast<int>(left_) > 8 ? 300 : 12);
    const bool moved = one_in(2);
    if (kind == 0) {  // up
      const int first = plus_number(moved ? not_negative(sum(1, 5)) : constant(draw(3)), 1);
      const int last = one_in(2) ? sum(1, 5) : constant(limit);
      set_values(variable, 1, case_.nodes[last].values.highest - 1, 5);
      return {'u', variable, first, last, factor};
    }
    if (kind == 1) {  // down
      const int first = moved ? sum(1, 5) : constant(limit);
      const int last = one_in(4) ? not_negative(sum(1, 5)) : constant(draw(3));
      set_values(variable, 0, case_.nodes[first].values.highest, 5);
      return {'d', variable, first, last, factor};
    }
    if (kind == 2) {
      const int first = constant(1 + draw(2)), last = constant(case_.nodes[first].value + limit);
      set_values(variable, 1, case_.nodes[last].value - 1, 5);
      return {'p', variable, first, last, factor};
    }
    const int numbers = 1 + draw(4), start = case_.count;
    for (int number = 0; number < numbers; ++number)
      (void)constant(uniform(may_be_negative_ ? -9 : 0, 60));
    set_values(variable, may_be_negative_ ? -9 : 0, 60, numbers);
    return {'v', variable, start, numbers, factor};
  }

  // Its bounds are `common + near` and `common + far` and numbers: near and far make its trips
  // differ between lanes or between iterations of outer loops, `common` shifts it. Upwards it
  // begins at near.
  constexpr loop_or_filter range(int variable) {
    const nature style = one_in(3) ? static_cast<nature>(draw(4)) : nature_;
    const bool descends = one_in(3);
    int common = constant(0), near_node = common, far = common;
    if (style == nature::lockstep || (style == nature::triangular && loops_ != 0)) {
      const int kind = draw(6), of_ten = style == nature::lockstep ? 3 : 10,
                terms = 1 + draw(5) / 4;
      if (kind == 0 || kind == 1) near_node = sum(terms, of_ten);
      if (kind == 2 || kind == 3) far = sum(terms, of_ten);
      if (kind == 4) near_node = sum(1, of_ten);
      if (kind == 4) far = sum(terms, of_ten);
      if (kind == 5 || one_in(6)) common = sum(terms, of_ten);
    } else if (style == nature::curved) {
      int& bent = one_in(2) ? near_node : far;
      bent = curved(1, 6);
      if (one_in(4)) common = sum(1, 6);
    }

    long long pace = chosen_pace(style);
    const int step = chosen_step(style, descends, pace);
    const long long limit = std::min(left_, 200ll), longest = 2 * limit * pace;
    span gap = values_of('-', case_.nodes[far].values, case_.nodes[near_node].values);
    if (gap.width() > 2 * longest) {  // with so few trips it would almost never begin
      common = plus(common, is_zero(near_node) ? far : near_node);
      near_node = far = constant(0);
      gap = {};
    }
    long long trips = one_in(3) ? draw(5) : one_in(2) ? 1 + draw(20) : 1 + draw(200);
    if (trips == 0 && !one_in(4)) trips = 1;
    trips = std::min(trips, pace > 16 ? 1 + trips % 6 : limit);
    // The largest distance of the bounds.
    long long reach = trips == 0 ? 0 : trips * pace - draw(static_cast<int>(pace));
    reach += uniform(0, std::min(gap.width(), limit * pace));
    if (one_in(2) && gap.highest > 0 && gap.highest <= longest) reach = gap.highest;
    long long distance = reach - gap.highest;
    // The witness enters the loop, unless it is outside an enclosing loop, where values are
    // arbitrary.
    const long long actual = at_witness(far) - at_witness(near_node);
    if (actual >= gap.lowest && actual + distance <= 0 && gap.width() > 0 && !one_in(6)) {
      distance = 1 - actual;
      reach = distance + gap.highest;
    }
    const span origin = values_of('+', case_.nodes[common].values, case_.nodes[near_node].values);
    const long long lowest = origin.lowest + (descends ? 1 : 0);
    const long long start =
        may_be_negative_ ? uniform(-20, 20) : std::max(-lowest, 0ll) + (one_in(2) ? 0 : draw(20));

    const int begin = plus_number(plus(common, near_node), start),
              end = plus_number(plus(common, far), start + distance);
    const long long average =
        reach <= gap.width() ? reach * reach / (2 * gap.width() + 1) : reach - gap.width() / 2;
    set_values(variable, lowest + start, case_.nodes[end].values.highest - (descends ? 0 : 1),
               average / pace + 1);
    return descends ? loop_or_filter{'r', variable, end, begin, step}
                    : loop_or_filter{'r', variable, begin, end, step};
  }

  constexpr long long chosen_pace(nature style) {
    constexpr int paces[] = {1, 1, 1, 2, 2, 3, 4, 5, 7, 8, 16};
    const int pace = one_of(paces), kind = draw(9);
    if (style != nature::lockstep || kind > 2) return pace;
    return kind == 0   ? case_.block[0]
           : kind == 1 ? case_.own.lanes
                       : case_.block[0] * case_.block[1] * case_.block[2];
  }

  // Usually a number; a step that differs is at least 1.
  constexpr int chosen_step(nature style, bool descends, long long& pace) {
    if ((style != nature::lockstep && style != nature::triangular) || !one_in(10))
      return constant(descends ? -pace : pace);
    pace = 1;
    const int dividend = one_in(2) ? variable(style == nature::lockstep ? 2 : 10) : curved(1, 5);
    const int rest = binary('%', dividend, constant(2 + draw(3)));
    const int step = rarely(40) ? rest : plus_number(rest, 1);
    return descends ? unary('~', step) : step;
  }

  unsigned long long state_;
  byte_source bytes_;
  bool small_;
  one_case case_;
  nature nature_ = nature::numbers;
  bool may_be_negative_ = false;
  long long left_ = 1;  // approximate number of iterations left to a thread
  span variables_[bm::variables];
  environment witness_;
  unsigned set_ = 0;  // the loops around the expression being made, also as a list
  int loop_[most_wrappers] = {}, loops_ = 0;
};

// ---- for the library ----

using expression = bm::access_expression<most_wrappers, most_nodes>;

constexpr void emit(const one_case& c, int root, expression& result, int& count) {
  const tree_node& n = c.nodes[root];
  const auto put = [&](bm::operation op, long long value) { result.nodes[count++] = {op, value}; };
  switch (n.op) {
    case 'c': put(bm::operation::constant, n.value); return;
    case 'v': put(bm::operation::variable, n.value); return;
    case '!':
    case '~':
      emit(c, n.left, result, count);
      put(n.op == '!' ? bm::operation::logical_not : bm::operation::negate, 0);
      return;
    case 'A':
    case 'O': {
      emit(c, n.left, result, count);
      const int skip = count++;
      emit(c, n.right, result, count);
      result.nodes[skip] = {
          n.op == 'A' ? bm::operation::skip_if_false : bm::operation::skip_if_true,
          count - skip - 1};
      return;
    }
    default: break;
  }
  const bool swapped = n.op == '>' || n.op == 'g';  // a > b is b < a
  emit(c, swapped ? n.right : n.left, result, count);
  emit(c, swapped ? n.left : n.right, result, count);
  constexpr char letters[] = "+-*/%LR&|^mM<l=n>g";
  constexpr bm::operation operations[] = {
      bm::operation::add,         bm::operation::subtract,   bm::operation::multiply,
      bm::operation::divide,      bm::operation::remainder,  bm::operation::shift_left,
      bm::operation::shift_right, bm::operation::bit_and,    bm::operation::bit_or,
      bm::operation::bit_xor,     bm::operation::minimum,    bm::operation::maximum,
      bm::operation::less,        bm::operation::less_equal, bm::operation::equal,
      bm::operation::not_equal,   bm::operation::less,       bm::operation::less_equal};
  for (int index = 0; letters[index] != '\0'; ++index)
    if (letters[index] == n.op) put(operations[index], 0);
}

constexpr bm::slice emitted(const one_case& c, int root, expression& result, int& count) {
  const int first = count;
  emit(c, root, result, count);
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
  result.kind = c.store ? bm::access_kind::store : bm::access_kind::load;
  result.depth = c.depth;
  int count = 0;
  for (int d = 0; d < c.rank; ++d) result.subscript[d] = emitted(c, c.subscript[d], result, count);
  for (int level = 0; level < c.depth; ++level) {
    const loop_or_filter& source = c.wrappers[level];
    bm::wrapper& target = result.wrappers[level];
    target.kind = source.kind == 'i'   ? bm::wrapper_kind::filter
                  : source.kind == 'p' ? bm::wrapper_kind::powers
                  : source.kind == 'u' ? bm::wrapper_kind::powers_up
                  : source.kind == 'd' ? bm::wrapper_kind::powers_down
                  : source.kind == 'v' ? bm::wrapper_kind::values
                                       : bm::wrapper_kind::range;
    if (source.kind != 'i') target.variable = static_cast<bm::variable>(source.variable);
    target.first = emitted(c, source.first, result, count);
    if (source.kind == 'i') continue;
    if (source.kind == 'v') {
      for (int number = 1; number < source.last; ++number)
        emit(c, source.first + number, result, count);
      target.first.size = source.last;
      continue;
    }
    target.last = emitted(c, source.last, result, count);
    target.step = emitted(c, source.step, result, count);
  }
  return result;
}

constexpr bm::block_dim block_of(const one_case& c) { return {c.block[0], c.block[1], c.block[2]}; }

// The user-defined machine, for accesses of this case's width and kind.
constexpr bm::machine own_machine_of(const one_case& c) {
  const own_machine& own = c.own;
  bm::service rules{.bank_num = own.bank_num,
                    .W = own.W,
                    .N = own.N,
                    .phases = {own.parity[0], own.parity[1], own.parity[2]}};
  rules.serves = own.serves == 'w'   ? bm::serving::by_layer
                 : own.serves == 'l' ? bm::serving::by_lane
                                     : bm::serving::by_broadcast;
  rules.piece_bytes = static_cast<unsigned char>(own.piece);
  rules.phases_overlap = own.overlap;
  bm::machine m;
  m.lanes = own.lanes;
  (c.store ? m.stores : m.loads) = {rules, rules, rules, rules};
  (c.store ? m.merges_stores : m.merges_loads) = own.pairs ? bm::merging::pairs : bm::merging::none;
  return m;
}

}  // namespace generated

#endif
