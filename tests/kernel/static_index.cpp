// SPDX-License-Identifier: MIT
#include <bankmodel/kernel/variables.hpp>

#include <type_traits>

namespace bm = bankmodel;
using namespace bm::index;

// True if the left side is this program: its nodes one by one.
template <int Nodes>
constexpr bool is(const bm::node (&program)[Nodes], const bm::node (&expected)[Nodes]) {
  for (int index = 0; index < Nodes; ++index)
    if (program[index].op != expected[index].op || program[index].value != expected[index].value)
      return false;
  return true;
}
using enum bm::operation;

// A variable and a constant are one node each, postfix. 2 * tx + 1 is [2] [tx] [*] [1] [+].
static_assert(is(tx.nodes, {{variable, 0}}));
static_assert(is((2 * tx + 1).nodes,
                 {{constant, 2}, {variable, 0}, {multiply, 0}, {constant, 1}, {add, 0}}));
static_assert(std::is_same_v<std::remove_const_t<decltype(2 * tx + 1)>, bm::index_expression<5>>);
static_assert(sizeof(bm::index_expression<5>) == 5 * sizeof(bm::node));

// Every operator, with a number on either side or none.
static_assert((tx + 1).nodes[2].op == add && (1 + tx).nodes[2].op == add &&
              (tx + ty).nodes[2].op == add);
static_assert((tx - 1).nodes[2].op == subtract && (1 - tx).nodes[2].op == subtract);
static_assert((tx * 2).nodes[2].op == multiply && (2 * tx).nodes[2].op == multiply);
static_assert((tx / 2).nodes[2].op == divide && (2 / tx).nodes[2].op == divide);
static_assert((tx % 2).nodes[2].op == remainder && (2 % tx).nodes[2].op == remainder);
static_assert((tx << 2).nodes[2].op == shift_left && (2 << tx).nodes[2].op == shift_left);
static_assert((tx >> 2).nodes[2].op == shift_right && (2 >> tx).nodes[2].op == shift_right);
static_assert((tx & 2).nodes[2].op == bit_and && (2 & tx).nodes[2].op == bit_and);
static_assert((tx | 2).nodes[2].op == bit_or && (2 | tx).nodes[2].op == bit_or);
static_assert((tx ^ 2).nodes[2].op == bit_xor && (2 ^ tx).nodes[2].op == bit_xor);
static_assert(is((-tx).nodes, {{variable, 0}, {negate, 0}}) && is((+tx).nodes, {{variable, 0}}));
static_assert(min(tx, 3).nodes[2].op == minimum && max(3, tx).nodes[2].op == maximum);

// The order of operands is kept, and C's precedence holds automatically.
static_assert(is((5 - tx).nodes, {{constant, 5}, {variable, 0}, {subtract, 0}}));
static_assert(is((tx + ty * tz).nodes,
                 {{variable, 0}, {variable, 1}, {variable, 2}, {multiply, 0}, {add, 0}}));

// Conditions: > and >= are exchanged, && and || skip the side that is decided.
static_assert(is((tx < 5).nodes, {{variable, 0}, {constant, 5}, {less, 0}}));
static_assert(is((tx > 5).nodes, {{constant, 5}, {variable, 0}, {less, 0}}));
static_assert(is((tx <= 5).nodes, {{variable, 0}, {constant, 5}, {less_equal, 0}}));
static_assert(is((tx >= 5).nodes, {{constant, 5}, {variable, 0}, {less_equal, 0}}));
static_assert((tx == 5).nodes[2].op == equal && (tx != 5).nodes[2].op == not_equal);
static_assert((5 < tx).nodes[2].op == less && (5 > tx).nodes[2].op == less &&
              (5 == tx).nodes[2].op == equal);
static_assert(is((tx < 5 && ty < 6).nodes, {{variable, 0},
                                            {constant, 5},
                                            {less, 0},
                                            {skip_if_false, 3},
                                            {variable, 1},
                                            {constant, 6},
                                            {less, 0}}));
static_assert((tx < 5 || ty < 6).nodes[3].op == skip_if_true &&
              (tx < 5 || ty < 6).nodes[3].value == 3);
static_assert((!(tx < 5)).nodes[3].op == logical_not);

// Integers of every type and enumerators are constants.
enum sizes { tile_width = 32 };
enum class scoped : unsigned char { height = 8 };
static_assert((tx + tile_width).nodes[1].value == 32 &&
              (tx + static_cast<int>(scoped::height)).nodes[1].value == 8);
static_assert((tx + 'a').nodes[1].value == 'a' && (tx + true).nodes[1].value == 1);
static_assert((tx + 7u).nodes[1].value == 7 && (tx + static_cast<short>(-7)).nodes[1].value == -7);
static_assert((tx + 0x7fffffffffffffffull).nodes[1].value == 0x7fffffffffffffff);
static_assert((tx + (-0x7fffffffffffffff - 1)).nodes[1].value == -0x7fffffffffffffff - 1);

// A value that is not an integer is not a subscript; a value that is not a condition is not a
// filter. A condition is not a subscript.
template <class L, class R>
concept addable = requires(L a, R b) { a + b; };
template <class L, class R>
concept joinable = requires(L a, R b) { a&& b; };
static_assert(addable<decltype(tx), int> && !addable<decltype(tx), double> &&
              !addable<decltype(tx), const char*>);
static_assert(!addable<decltype(tx), decltype(tx < 1)> && !joinable<decltype(tx), decltype(tx)> &&
              !joinable<decltype(tx < 1), bool>);

// Loop variables: i .. n are the six, and all variables differ.
static_assert(bm::loop_variables == 6 && bm::variables == 15);
static_assert(i.nodes[0].value == bm::loop_variable(0).nodes[0].value &&
              n.nodes[0].value == bm::loop_variable(5).nodes[0].value);
constexpr bool all_differ() {
  const long long numbers[] = {tx.nodes[0].value,  ty.nodes[0].value,   tz.nodes[0].value,
                               bx.nodes[0].value,  by.nodes[0].value,   bz.nodes[0].value,
                               tid.nodes[0].value, lane.nodes[0].value, warp.nodes[0].value,
                               i.nodes[0].value,   j.nodes[0].value,    k.nodes[0].value,
                               l.nodes[0].value,   m.nodes[0].value,    n.nodes[0].value};
  for (int index = 0; index < bm::variables; ++index)
    if (numbers[index] != index) return false;
  return true;
}
static_assert(all_differ());

// min and max of numbers compute.
static_assert(bm::min(12, 7) == 7 && bm::max(12, 7) == 12 && bm::min(7u, 7) == 7u);

// An index function called with numbers computes; called with variables it returns a subscript.
template <class Row, class Column>
constexpr auto swizzled(Row row, Column column) {
  return column ^ (row % 8);
}
static_assert(swizzled(9, 5) == 4);
static_assert(swizzled(ty, tx).nodes[4].op == bit_xor);

// Operands next to a subscript: integers and unscoped enumerators, and nothing that would have
// to be rounded.
static_assert(bankmodel::detail::number<decltype(tile_width)> && bankmodel::detail::number<bool> &&
              bankmodel::detail::number<unsigned long long>);
static_assert(!bankmodel::detail::number<float> && !bankmodel::detail::number<double> &&
              !bankmodel::detail::number<int*> && !bankmodel::detail::number<scoped> &&
              !bankmodel::detail::number<bankmodel::index_expression<1>>);
