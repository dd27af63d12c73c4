// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MODEL_LINE_DEGREE_HPP
#define BANKMODEL_MODEL_LINE_DEGREE_HPP

#include <bankmodel/model/geometry.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The degree of lanes whose addresses are in arithmetic progression, in closed form (dissertation,
// 4.3, 4.4 and appendix A). Everything is in bytes. An access of M bytes is aligned to them, and M
// is at most W or at most bank_num * N; the functions do not read g.M.
namespace bankmodel::detail {

// Lanes 2^n apart share a bank: bank_num * N / gcd(stride, bank_num * N) is 2^n.
// Requires: N divides `stride`.
BANKMODEL_FN int period_bits(const geometry& g, long long stride) {
  const int row = g.bank_num * g.N;
  return twos(row) - twos(stride | row);
}

// The degree wherever the first lane is. 0 if it depends on that.
// Requires: N divides `stride` (>= 0).
//
// If the lanes of a bank are a layer or more apart, each of them is in a layer of its own. If they
// are less apart, they touch every layer from their first to their last: always as many if the last
// is as deep in its layer as the first.
BANKMODEL_FN int degree_everywhere(const geometry& g, long long stride, int lanes) {
  const int period = period_bits(g, stride), extra_lanes = (lanes - 1) >> period,
            layer = g.bank_num * g.W;
  const long long step = stride << period;
  if (extra_lanes == 0 || step >= layer) return extra_lanes + 1;
  const int reach = extra_lanes * static_cast<int>(step);
  return (reach & (layer - 1)) == 0 ? 1 + (reach >> twos(layer)) : 0;
}

// The degree of lanes `stride` (> 0) bytes apart, the first of them at `first`.
// Requires: N divides `stride`.
//
// The worst bank is among those with the most lanes: the one whose first lane is deepest in its
// layer. The first lanes are less than `step` apart, so that is the last of them before they pass
// the end of a layer. A bank with one lane fewer ends before that one does, even if it begins
// deeper.
BANKMODEL_FN int degree_of_words(const geometry& g, long long first, long long stride, int lanes) {
  if (const int known = degree_everywhere(g, stride, lanes); known != 0) return known;
  const int period = period_bits(g, stride), layer = g.bank_num * g.W;
  const long long depth = first & (layer - 1);
  long long last = depth + stride * ((lanes - 1) & ((1 << period) - 1));
  // For a stride of at most a row the exact depth does not matter: only whole rows are added to it.
  if (last >= layer)
    last = stride <= g.bank_num * g.N ? layer - 1 : depth + (layer - 1 - depth) / stride * stride;
  return 1 + static_cast<int>((last + (((lanes - 1) >> period) * stride << period)) >> twos(layer));
}

// Rows of lanes: `stride` bytes apart in a row, and `pitch` bytes from row to row. The first
// `longer` rows have one lane more.
struct lane_rows {
  long long first, stride, pitch;
  int lanes, rows, longer;
};

// The degree if each lane has a word and a layer of its own. Requires: N divides `stride`; at most
// 16 rows.
//
// In units of `stride` each row is an interval of banks. A bank that most rows cover is the first
// one of some row. Other rows cover it if it is in their interval, once more for each turn.
[[gnu::noinline]] BANKMODEL_FN int most_in_one_bank(const geometry& g, const lane_rows& a) {
  const int word = twos(g.N), period = period_bits(g, a.stride), common = twos(g.bank_num) - period;
  // Modulo a power of two each step doubles the correct bits, from the 3 of an odd number itself.
  // (Any odd number will do for whole rows of banks.)
  const auto odd = static_cast<unsigned>(a.stride >> word >> common) | 1;
  const unsigned half = odd * (2 - odd * odd), inverse = half * (2 - odd * half);
  unsigned begin[16] = {};
  for (int row = 0; row < a.rows; ++row)
    begin[row] = static_cast<unsigned>((a.first + a.pitch * row) >> word) * inverse;
  int worst = 0;
  for (int row = 0; row < a.rows; ++row) {
    int covering = 0;
    for (int other = 0; other < a.rows; ++other) {
      const int distance = static_cast<int>(begin[row] - begin[other]) & (g.bank_num - 1);
      if ((distance & ((1 << common) - 1)) != 0) continue;
      covering +=
          (a.lanes - (other < a.longer ? 0 : 1) - (distance >> common) + (1 << period)) >> period;
    }
    if (covering > worst) worst = covering;
  }
  return worst;
}

// The degree of lanes `stride` (> 0) bytes apart, the first of them at `first`. 0 if there is no
// closed form: if accesses share words, the stride is more than a word and no multiple of it, and a
// layer holds several words of a bank, unless the stride is a layer or more. 0 too for more than 16
// rows, which take longer than counting.
BANKMODEL_FN int degree_of_line(const geometry& g, long long first, long long stride, int lanes) {
  if ((stride & (g.N - 1)) == 0) return degree_of_words(g, first, stride, lanes);
  const int word = twos(g.N);
  if (stride < g.N) {  // no word is skipped
    const long long words = ((first + stride * (lanes - 1)) >> word) - (first >> word);
    return degree_of_words(g, first, g.N, static_cast<int>(words) + 1);
  }
  // Lanes 2^shift apart move by a multiple of a word.
  const int shift = word - twos(stride), rows = 1 << shift;
  if ((g.N != g.W && stride < g.bank_num * g.W) || rows > 16) return 0;
  return most_in_one_bank(
      g, {first, stride << shift, stride, lanes >> shift, rows, lanes & (rows - 1)});
}

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
