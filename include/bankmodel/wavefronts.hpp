// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_WAVEFRONTS_HPP
#define BANKMODEL_WAVEFRONTS_HPP

#include <bankmodel/cost.hpp>
#include <bankmodel/request.hpp>

// The model, by counting. Everything else in the library is a faster way to these numbers.
//   bank(a) = (a / N) mod bank_num      layer(a) = a / (bank_num * W)
//   degree of a phase = the most distinct layers that its active lanes touch in one bank
//   wavefronts        = the sum of the degrees of the phases
namespace bankmodel {

namespace detail {

// Counts, for `count` lanes that touch `bytes` bytes each from address[0 .. count) on, the distinct layers that they
// touch in each bank of `g` (M is not read): layers[0 .. g.bank_num). Returns the most, the degree of that phase.
// Addresses 0, 128 and 256 in {.bank_num = 32, .W = 4, .N = 4}: layers {3, 0, 0, ..}, 3.
BANKMODEL_FN constexpr int count_layers(const geometry& g, const long long* address, int count, int bytes, int* layers) {
  const int word_bits = detail::trailing_zeros(static_cast<std::uint64_t>(g.N));
  const int layer_bits = detail::trailing_zeros(static_cast<std::uint64_t>(g.bank_num) * static_cast<std::uint64_t>(g.W));
  long long lowest[256], highest[256];  // of the layers seen so far in each bank
  for (int bank = 0; bank < g.bank_num; ++bank) layers[bank] = 0;
  int degree = 0;
  for (int lane = 0; lane < count; ++lane) {
    const long long last_word = (address[lane] + (bytes - 1)) >> word_bits;
    for (long long word = address[lane] >> word_bits; word <= last_word; ++word) {
      const int bank = static_cast<int>(word & (g.bank_num - 1));
      const long long layer = word >> (layer_bits - word_bits);
      if (layers[bank] == 0) {
        lowest[bank] = highest[bank] = layer;
      } else if (layer > highest[bank]) {
        highest[bank] = layer;
      } else if (layer < lowest[bank]) {
        lowest[bank] = layer;
      } else {
        // Between layers seen before: new only if no word so far lies in this bank and this layer.
        bool seen = layer == lowest[bank] || layer == highest[bank];
        for (int earlier = 0; earlier <= lane && !seen; ++earlier) {
          const long long end = earlier == lane ? word : ((address[earlier] + (bytes - 1)) >> word_bits) + 1;
          for (long long other = address[earlier] >> word_bits; other < end; ++other)
            if ((other & (g.bank_num - 1)) == bank && other >> (layer_bits - word_bits) == layer) seen = true;
        }
        if (seen) continue;
      }
      if (++layers[bank] > degree) degree = layers[bank];
    }
  }
  return degree;
}

// The cost of a request whose addresses are aligned, in the banks `g` that the machine has for it.
BANKMODEL_FN constexpr cost count_passes(const machine& m, const geometry& g, const request& r) {
  const lane_groups phases = phases_of(m, r);
  cost sum{};
  sum.method = method::each_request;
  for (int phase = 0; phase < 1 << phases.bits(); ++phase) {
    const std::uint64_t lanes = r.active & phases.lanes_of(phase);
    long long address[max_lanes];
    int count = 0;
    for (int lane = 0; lane < m.lanes; ++lane)
      if ((lanes >> lane & 1) != 0) address[count++] = r.address[lane];
    if (count == 0) continue;
    int layers[256];
    const int degree = count_layers(g, address, count, r.bytes, layers);
    sum.requests = 1;
    sum.wavefronts += static_cast<std::uint64_t>(degree);
    sum.ideal += 1;
    if (degree > sum.degree) sum.degree = degree;
  }
  return sum;
}

}  // namespace detail

// What one request costs on `m`; all zero if no lane is active. Refused: a width that the machine has not, an
// address that is not aligned to it. Lanes beyond the machine's are ignored.
BANKMODEL_FN constexpr cost total(const machine& m, const request& r) {
  m.require_valid();
  const geometry g = m.banks(r.bytes, r.way);
  const long long alignment = r.bytes == 12 ? 4 : r.bytes;
  for (int lane = 0; lane < m.lanes; ++lane) {
    if ((r.active >> lane & 1) == 0) continue;
    if ((r.address[lane] & (alignment - 1)) != 0) rule::accesses_must_be_aligned_to_their_width(r.address[lane], r.bytes);
    (void)detail::checked_add(r.address[lane], r.bytes);
  }
  return detail::count_passes(m, g, r);
}

// The passes that one request takes on `m`: total(m, r).wavefronts.
BANKMODEL_FN constexpr int wavefronts(const machine& m, const request& r) { return static_cast<int>(total(m, r).wavefronts); }

}  // namespace bankmodel

#endif
