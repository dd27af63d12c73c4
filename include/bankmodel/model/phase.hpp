// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MODEL_PHASE_HPP
#define BANKMODEL_MODEL_PHASE_HPP

#include <bankmodel/model/request.hpp>

#include <bankmodel/core/hide_macros.hpp>

// Counts the passes of one phase, by each rule of `serving` in a machine's record.
namespace bankmodel {

namespace detail {

constexpr int max_banks = 256;

// Counts the distinct layers that `count` lanes touch in each bank of `g`: lane k touches
// `bytes` bytes from address[k]. Fills layers[0 .. g.bank_num) and returns the largest count,
// which is the degree of the phase. g.M is not read.
// Example:
//
//   constexpr long long address[] = {0, 128, 256};
//   int layers[32];
//   assert(detail::count_layers({32, 4, 4, 4}, address, 3, 4, layers) == 3 && layers[0] == 3);
BANKMODEL_FN int count_layers(const geometry& g, const long long* address, int count, int bytes,
                              int* layers) {
  const int bank_num = g.bank_num;  // not read again after each layer that is written
  const int word_bits = twos(g.N), layer_bits = twos(bank_num * g.W);
  long long lowest[max_banks], highest[max_banks];  // the range of layers seen in each bank
  for (int bank = 0; bank < bank_num; ++bank) layers[bank] = 0;
  int degree = 0;
  for (int lane = 0; lane < count; ++lane) {
    const long long last_word = (address[lane] + (bytes - 1)) >> word_bits;
    for (long long word = address[lane] >> word_bits; word <= last_word; ++word) {
      const auto bank = static_cast<unsigned>(word) & static_cast<unsigned>(bank_num - 1);
      const long long layer = word >> (layer_bits - word_bits);
      if (layers[bank] == 0) {
        lowest[bank] = highest[bank] = layer;
      } else if (layer > highest[bank]) {
        highest[bank] = layer;
      } else if (layer < lowest[bank]) {
        lowest[bank] = layer;
      } else {
        // The layer is within the range seen. It is new only if no earlier word is in this bank
        // and layer.
        bool seen = layer == lowest[bank] || layer == highest[bank];
        for (int earlier = 0; earlier <= lane && !seen; ++earlier) {
          const long long end =
              earlier == lane ? word : ((address[earlier] + (bytes - 1)) >> word_bits) + 1;
          for (long long other = address[earlier] >> word_bits; other < end; ++other)
            if (((other ^ word) & (bank_num - 1)) == 0 &&
                other >> (layer_bits - word_bits) == layer)
              seen = true;
        }
        if (seen) continue;
      }
      if (++layers[bank] > degree) degree = layers[bank];
    }
  }
  return degree;
}

// Counts the lanes that touch each bank, whether or not they share a word. Fills lanes[0 ..
// g.bank_num) and returns the largest count.
// Example:
//
//   constexpr long long address[] = {0, 0, 128};
//   int lanes[32];
//   assert(detail::count_lanes({32, 4, 4, 4}, address, 3, 4, lanes) == 3 && lanes[0] == 3);
BANKMODEL_FN int count_lanes(const geometry& g, const long long* address, int count, int bytes,
                             int* lanes) {
  for (int bank = 0; bank < g.bank_num; ++bank) lanes[bank] = 0;
  const int word_bits = twos(g.N);
  int degree = 0;
  for (int lane = 0; lane < count; ++lane) {
    const long long first = address[lane] >> word_bits,
                    last = (address[lane] + (bytes - 1)) >> word_bits;
    // An access of bank_num words or more touches every bank, and is counted once in each.
    for (long long word = first; word <= last && word < first + g.bank_num; ++word) {
      const int lane_count = ++lanes[word & (g.bank_num - 1)];
      if (lane_count > degree) degree = lane_count;
    }
  }
  return degree;
}

// The sum, over the remainders of addresses modulo 16, of the degrees of the lanes with this
// remainder. Fills layers as count_layers() does.
// Example: two lanes of different alignment take a step each, whether or not they share a bank:
//
//   constexpr long long apart[] = {0, 132}, alike[] = {0, 128};
//   int layers[32];
//   assert(detail::count_layers_by_alignment({32, 4, 4, 4}, apart, 2, 12, layers) == 2);
//   assert(detail::count_layers_by_alignment({32, 4, 4, 4}, alike, 2, 12, layers) == 2);
BANKMODEL_FN int count_layers_by_alignment(const geometry& g, const long long* address, int count,
                                           int bytes, int* layers) {
  int sum = 0;
  for (int remainder = 0; remainder < 16; ++remainder) {
    long long alike[max_lanes];
    int number = 0;
    for (int lane = 0; lane < count; ++lane)
      if ((address[lane] & 15) == remainder) alike[number++] = address[lane];
    sum += count_layers(g, alike, number, bytes, layers);
  }
  count_layers(g, address, count, bytes, layers);
  return sum;
}

// A set of at most max_lanes values, each with the number of times it was added.
struct multiplicities {
  int count = 0;
  long long value[max_lanes] = {};
  int times[max_lanes] = {};

  BANKMODEL_FN void add(long long item) {
    for (int entry = 0; entry < count; ++entry)
      if (value[entry] == item) {
        ++times[entry];
        return;
      }
    value[count] = item;
    times[count++] = 1;
  }
  // Sorts by frequency, the most frequent value first.
  BANKMODEL_FN void sort() {
    for (int end = 1; end < count; ++end)
      for (int entry = end; entry > 0 && times[entry] > times[entry - 1]; --entry) {
        const int often = times[entry];
        times[entry] = times[entry - 1];
        times[entry - 1] = often;
        const long long item = value[entry];
        value[entry] = value[entry - 1];
        value[entry - 1] = item;
      }
  }
};

// Returns the fewest steps that serve lanes of at most one word each, if each step serves all
// lanes of one word of its choice and one lane of each other bank (CUDA C Programming Guide
// 4.2, F.3.3.1; hardware may choose other words and take more). Fills lanes[0 .. g.bank_num)
// with the number of lanes that touch each bank.
//
// In `steps` steps, a bank that spends k of them on words of its own can serve steps - k other
// lanes. So each bank spends as few as it can, on its most frequent words first, and all banks
// together may spend at most `steps`.
// Example: 16 lanes of 1 byte touch four words, four lanes each:
//
//   long long address[16];
//   for (int lane = 0; lane < 16; ++lane) address[lane] = lane;
//   int lanes[16];
//   assert(detail::count_steps({16, 4, 4, 4}, address, 16, lanes) == 4 && lanes[0] == 4);
BANKMODEL_FN int count_steps(const geometry& g, const long long* address, int count, int* lanes) {
  const int word_bits = twos(g.N);
  for (int bank = 0; bank < g.bank_num; ++bank) lanes[bank] = 0;
  multiplicities words;
  for (int lane = 0; lane < count; ++lane) {
    words.add(address[lane] >> word_bits);
    ++lanes[(address[lane] >> word_bits) & (g.bank_num - 1)];
  }
  words.sort();
  for (int steps = 1;; ++steps) {
    int spent = 0;
    for (int bank = 0; bank < g.bank_num && spent <= steps; ++bank) {
      int bank_steps = 0, left = lanes[bank];
      for (int word = 0; word < words.count && left > steps - bank_steps; ++word) {
        if ((words.value[word] & (g.bank_num - 1)) != bank) continue;
        left -= words.times[word];
        ++bank_steps;
      }
      spent += bank_steps;
    }
    if (spent <= steps) return steps;
  }
}

// Counts the passes of one phase by the rule `policy`; arguments and result as for count_layers().
// Requires: bytes <= g.N if `policy` is serving::by_broadcast.
BANKMODEL_FN int count_passes_of_phase(serving policy, const geometry& g, const long long* address,
                                       int count, int bytes, int* in_bank) {
  switch (policy) {
    case serving::by_layer: return count_layers(g, address, count, bytes, in_bank);
    case serving::by_broadcast: return count_steps(g, address, count, in_bank);
    case serving::by_alignment: return count_layers_by_alignment(g, address, count, bytes, in_bank);
    case serving::at_once: return count_lanes(g, address, 1, bytes, in_bank);  // as of any lane
    default: return count_lanes(g, address, count, bytes, in_bank);
  }
}

// The fewest passes that any layout could give this phase: lanes that share an address share it
// in every layout. `bytes` is the width of the whole access, of which the phase may serve a
// piece. Of copies it is 1, as the counter of their conflicts has it: lanes that share a
// destination are conflicts.
BANKMODEL_FN int fewest_passes_of_phase(serving policy, const geometry& g, const long long* address,
                                        int count, int bytes) {
  const bool by_alignment = same(policy, serving::by_alignment);
  if (!by_alignment && !same(policy, serving::by_lane) && !same(policy, serving::by_broadcast))
    return 1;
  multiplicities addresses;
  for (int lane = 0; lane < count; ++lane)
    addresses.add(by_alignment ? address[lane] & 15 : address[lane]);
  if (by_alignment) return addresses.count;
  addresses.sort();
  if (same(policy, serving::by_lane)) return addresses.times[0];

  // Each step may serve one word for all its lanes, and a word may hold several addresses: the
  // most frequent ones. The others are in words of their own, in banks that serve one lane per
  // step. An access of several words can begin in some of the banks only.
  const int in_a_word = bytes < g.N ? g.N / bytes : 1, row = g.bank_num * g.N;
  const int banks = bytes <= g.N ? g.bank_num : row > bytes ? row / bytes : 1;
  for (int steps = 1;; ++steps) {
    const int all_at_once =
        addresses.count < steps * in_a_word ? addresses.count : steps * in_a_word;
    int served = (all_at_once + in_a_word - 1) / in_a_word;
    for (int entry = all_at_once; entry < addresses.count; ++entry)
      served += addresses.times[entry];
    const bool one_by_one = all_at_once == addresses.count || addresses.times[all_at_once] <= steps;
    if (one_by_one && served <= steps * banks) return steps;
  }
}

}  // namespace detail
}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
