// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MODEL_DEGREE_HPP
#define BANKMODEL_MODEL_DEGREE_HPP

#include <bankmodel/model/line_degree.hpp>
#include <bankmodel/model/pattern.hpp>
#include <bankmodel/model/phase.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The degree of one warp's strided access: in closed form, or the banks of each layer are counted
// at once. Equal to counting for every valid input.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void lanes_must_be_1_to_256(long long lanes) {
  detail::fail(__func__,
               "the access has % lanes; use 1 to 256, or leave .lanes out for one lane per bank",
               lanes);
}
[[noreturn]] BANKMODEL_FN void strides_and_offsets_must_lie_within_2_to_the_40(long long stride,
                                                                               long long offset) {
  detail::fail(__func__,
               "a stride of % or an offset of % elements exceeds 2^40; shared memory is far "
               "smaller, use the offset modulo a layer of all banks",
               stride, offset);
}
}  // namespace rule

namespace detail {

BANKMODEL_FN void require_small(long long stride, long long offset) {
  constexpr std::uint64_t limit = 1ull << 40;
  if (static_cast<std::uint64_t>(stride) + limit > 2 * limit ||
      static_cast<std::uint64_t>(offset) + limit > 2 * limit)
    rule::strides_and_offsets_must_lie_within_2_to_the_40(stride, offset);
}

}  // namespace detail

// Returns the degree of one phase, by counting: the most distinct layers that `count` lanes
// touch in one bank, if lane k touches `bytes` bytes from byte address[k]. 0 for no lanes. g.M
// is not read.
// Error: `g` is not a valid geometry.
// Example:
//
//   constexpr long long address[] = {0, 128, 256};
//   static_assert(phase_degree({32, 4, 4, 4}, address, 3, 4) == 3);
BANKMODEL_FN int phase_degree(const geometry& g, const long long* address, int count, int bytes) {
  g.require_valid();
  int layers[256];
  return detail::count_layers(g, address, count, bytes, layers);
}

namespace detail {

// The degree by counting. If there are at most 64 banks, and the accesses are near each other, the
// banks in which a layer is touched are one word of 64 bits, and the layers of all banks are added
// at once: bit b of planes[p] is bit p of the number of bank b.
[[gnu::noinline]] BANKMODEL_FN int counted_degree(const geometry& g, const lane_rows& a) {
  long long address[256];
  int count = 0;
  for (int row = 0; row < a.rows; ++row)
    for (int lane = 0; lane < a.lanes; ++lane)
      address[count++] = a.first + a.pitch * row + a.stride * lane;
  const int row_bytes = g.bank_num * g.N, word = twos(g.M > g.N ? g.M : g.N),
            layer_bits = twos(g.bank_num * g.W);
  const long long lowest = address[0] >> layer_bits,
                  highest = (address[count - 1] >> layer_bits) - lowest;
  if (row_bytes >> word > 64 || highest > 255) return phase_degree(g, address, count, g.M);
  std::uint64_t touched[256], planes[9] = {}, worst_banks = ~std::uint64_t{0};
  for (int layer = 0; layer <= highest; ++layer) touched[layer] = 0;
  for (int access = 0; access < count; ++access)
    touched[(address[access] >> layer_bits) - lowest] |=
        std::uint64_t{1} << ((address[access] & (row_bytes - 1)) >> word);
  for (int layer = 0; layer <= highest; ++layer)
    for (int plane = 0; touched[layer] != 0; ++plane) {
      planes[plane] ^= touched[layer];
      touched[layer] &= ~planes[plane];
    }
  int degree = 0;
  for (int plane = 8; plane >= 0; --plane)
    if ((worst_banks & planes[plane]) != 0) {
      worst_banks &= planes[plane];
      degree += 1 << plane;
    }
  return degree;
}

// The degree of lanes `stride` bytes apart. (A function of its own saves no registers for a rare
// case.)
[[gnu::noinline]] BANKMODEL_FN int degree_of_row(const geometry& g, long long first,
                                                 long long stride, int lanes) {
  const int degree = degree_of_line(g, first, stride, lanes);
  return degree != 0 ? degree : counted_degree(g, {first, stride, 0, lanes, 1, 0});
}

// The number of lanes of a pattern on that geometry.
BANKMODEL_FN int lanes_of(const geometry& g, const access_1d& a) {
  require_small(a.stride, a.offset);
  if (a.lanes == 0) return g.bank_num;
  if (a.lanes < 1 || a.lanes > 256) rule::lanes_must_be_1_to_256(a.lanes);
  return a.lanes;
}

// The degree of rows of lanes. Requires: 0 < stride <= pitch.
BANKMODEL_FN int degree_of_rows(const geometry& g, const lane_rows& a) {
  // Rows that continue or overlap each other are one.
  if (a.pitch <= a.stride * a.lanes && a.pitch % a.stride == 0)
    return degree_of_row(g, a.first, a.stride,
                         a.lanes + static_cast<int>(a.pitch / a.stride) * (a.rows - 1));
  // Rows in layers of their own, which begin at the same depth.
  const long long deepest = g.bank_num * g.W - 1, reach = a.stride * (a.lanes - 1);
  if ((a.pitch & deepest) == 0 && (a.first & deepest) + reach < a.pitch)
    return a.rows * degree_of_row(g, a.first, a.stride, a.lanes);
  // Unless each lane has a word and a layer of its own, the banks that a layer misses depend on
  // the offset.
  const long long stride = a.lanes < a.rows ? a.pitch : a.stride;
  if (g.N != g.W || (stride & (g.N - 1)) != 0 || a.stride < g.N || a.pitch - reach < g.N)
    return counted_degree(g, a);
  return a.lanes < a.rows ? most_in_one_bank(g, {a.first, a.pitch, a.stride, a.rows, a.lanes, 0})
                          : most_in_one_bank(g, a);
}

}  // namespace detail

// Returns the degree of one warp's strided access: the n of its n-way conflict, 1 without a
// conflict.
//
//   g         the geometry; a.stride and a.offset are in elements of g.M bytes
//   a.lanes   1 to 256; 0 means g.bank_num
//   a.stride, a.offset   at most 2^40 in absolute value
//
// Error: `g` is not a valid geometry; a.lanes, a.stride or a.offset is out of range.
// Complexity: constant. Counted in O(lanes): elements that share words (M < N), with a stride of
// more than a word that is no multiple of one, if a layer holds several words of a bank (N < W) and
// the stride is less than a layer, or if more than 16 elements share a word.
// Source: dissertation, 4.3, 4.4 and appendix A.
// Example: gcd(12, 32):
//
//   static_assert(degree(bank_geometry<32, 4, 4, 4>{}, access_1d{.stride = 12}) == 4);
BANKMODEL_FN int degree(const geometry& g, const access_1d& a) {
  // The conventional mapping: lanes that share a bank never share a layer.
  if (g.N == g.W && g.M == g.W && a.stride != 0 && g.is_valid())
    return ((detail::lanes_of(g, a) - 1) >>
            (detail::twos(g.bank_num) - detail::twos(a.stride | g.bank_num))) +
           1;
  g.require_valid();
  const int lanes = detail::lanes_of(g, a);
  const long long stride = (a.stride < 0 ? -a.stride : a.stride) * g.M;
  if ((stride & (g.N - 1)) == 0)
    if (const int known = detail::degree_everywhere(g, stride, lanes); known != 0) return known;
  // The same elements in reverse order have the same degree.
  const long long reach = a.stride * (lanes - 1);
  return detail::degree_of_row(g, (reach < 0 ? a.offset + reach : a.offset) * g.M, stride, lanes);
}

// Returns the degree of a two-dimensional warp of repeat_x * repeat_y lanes.
// Error: `g` is not a valid geometry; the lanes are not 1 to 256; a stride or the offset
// exceeds 2^40.
// Complexity: that of access_1d if the lanes form one progression (a row, a column, rows that
// continue or overlap each other) or rows are a multiple of a layer apart; the square of the
// smaller of repeat_x and repeat_y if N = W, no two lanes share a word, rows do not interleave, and
// the stride of the larger one is a multiple of a word. In all other cases counted in O(lanes).
// Example:
//
//   constexpr access_2d two_rows{.stride_x = 1, .repeat_x = 16, .stride_y = 24, .repeat_y = 2};
//   static_assert(degree(bank_geometry<32, 4, 4, 4>{}, two_rows) == 2);
BANKMODEL_FN int degree(const geometry& g, const access_2d& a) {
  g.require_valid();
  detail::require_small(a.stride_x, a.offset);
  detail::require_small(a.stride_y, a.offset);
  const long long lanes = 1ll * a.repeat_x * a.repeat_y;
  if (a.repeat_x < 1 || lanes < 1 || lanes > 256)
    rule::lanes_must_be_1_to_256(a.repeat_x < 1 ? a.repeat_x : lanes);
  // The same elements in another order have the same degree: from the lowest upwards, with the
  // smaller stride inside. One row or column is a row of lanes that continue each other.
  long long first = a.offset, x = a.stride_x, y = a.stride_y;
  if (x < 0) first += x * (a.repeat_x - 1), x = -x;
  if (y < 0) first += y * (a.repeat_y - 1), y = -y;
  const int in_x = x == 0 ? 1 : a.repeat_x, in_y = y == 0 ? 1 : a.repeat_y;
  if (in_x == 1) x = y;
  if (in_y == 1) y = x;
  if (x == 0) return 1;
  first *= g.M, x *= g.M, y *= g.M;
  return y < x ? detail::degree_of_rows(g, {first, y, x, in_y, in_x, 0})
               : detail::degree_of_rows(g, {first, x, y, in_x, in_y, 0});
}

}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
