// SPDX-License-Identifier: MIT
// The rules of machines that oracle.hpp does not describe, copied from the hardware facts:
// lanes one by one, steps that broadcast, accesses in pieces, phases that overlap.
#ifndef BANKMODEL_TESTS_SERVED_OTHERWISE_HPP
#define BANKMODEL_TESTS_SERVED_OTHERWISE_HPP

#include "oracle.hpp"

#include <functional>
#include <set>

namespace oracle {

struct policy {
  char serves = 'w';  // by 'w'ords and layers, by 'l'anes, or by 'b'roadcasts
  int piece = 0;      // bytes; 0: all at once
  bool overlap = false;
};

inline std::vector<int> sorted_down(const std::map<long long, int>& times) {
  std::vector<int> result;
  for (const auto& entry : times) result.push_back(entry.second);
  std::sort(result.begin(), result.end(), std::greater<>());
  return result;
}

// The least T with broadcasts k_b of each bank b, at most T in all, if the remaining lanes of
// each bank fit into the other steps.
inline int steps(const banks& b, const std::vector<long long>& addresses) {
  std::map<long long, std::map<long long, int>> words;  // by bank
  for (const long long address : addresses) {
    const long long word = floor_divided(address, b.N);
    ++words[word - floor_divided(word, b.bank_num) * b.bank_num][word];
  }
  for (int T = 1;; ++T) {
    int broadcasts = 0;
    for (const auto& [bank, times] : words) {
      const auto most_first = sorted_down(times);
      int minimum = 1 << 20;
      for (int k = 0; k <= static_cast<int>(most_first.size()); ++k) {
        int left = 0;
        for (std::size_t index = static_cast<std::size_t>(k); index < most_first.size(); ++index)
          left += most_first[index];
        if (left <= T - k) minimum = std::min(minimum, k);
      }
      broadcasts += minimum;
    }
    if (broadcasts <= T) return T;
  }
}

// The steps that the lanes need in any layout, by a bound: see phase.hpp.
inline int fewest_steps(const banks& b, const std::vector<long long>& addresses, int bytes) {
  std::map<long long, int> times;
  for (const long long address : addresses) ++times[address];
  const auto most_first = sorted_down(times);
  const std::size_t in_a_word = bytes < b.N ? static_cast<std::size_t>(b.N / bytes) : 1;
  const long long places = bytes > b.N ? std::max(b.bank_num * b.N / bytes, 1ll) : b.bank_num;
  for (int T = 1;; ++T) {
    const std::size_t joined = std::min(most_first.size(), static_cast<std::size_t>(T) * in_a_word);
    long long total = static_cast<long long>((joined + in_a_word - 1) / in_a_word);
    bool fits = true;
    for (std::size_t index = joined; index < most_first.size(); ++index)
      total += most_first[index], fits = fits && most_first[index] <= T;
    if (fits && total <= places * T) return T;
  }
}

inline int lanes_in_a_bank(const banks& b, const std::vector<long long>& addresses, int bytes) {
  std::map<long long, int> lanes;
  int maximum = 0;
  for (const long long address : addresses) {
    std::set<long long> touched;
    for (long long word = floor_divided(address, b.N);
         word <= floor_divided(address + bytes - 1, b.N); ++word)
      touched.insert(word - floor_divided(word, b.bank_num) * b.bank_num);
    for (const long long bank : touched) maximum = std::max(maximum, ++lanes[bank]);
  }
  return maximum;
}

inline counts request(const policy& rules, const banks& b, const std::vector<int>& phase_of,
                      bool pairs, const std::map<int, long long>& address, int bytes) {
  if (rules.serves == 'w' && rules.piece == 0 && !rules.overlap)
    return request(b, phase_of, pairs, address, bytes);
  counts result;
  const int piece = rules.piece != 0 && rules.piece < bytes ? rules.piece : bytes;
  for (const auto& [phase, addresses] : phases(phase_of, pairs, address))
    for (int offset = 0; offset < bytes; offset += piece) {
      std::vector<long long> piece_addresses = addresses;
      for (long long& place : piece_addresses) place += offset;
      const int n = rules.serves == 'w'   ? degree(b, piece_addresses, piece)
                    : rules.serves == 'l' ? lanes_in_a_bank(b, piece_addresses, piece)
                                          : steps(b, piece_addresses);
      std::map<long long, int> times;
      for (const long long place : piece_addresses) ++times[place];
      const int ideal = rules.serves == 'w'   ? 1
                        : rules.serves == 'l' ? sorted_down(times).front()
                                              : fewest_steps(b, piece_addresses, bytes);
      result.requests = 1;
      result.wavefronts += static_cast<unsigned>(n);
      result.ideal += static_cast<unsigned>(ideal);
      result.degree = std::max(result.degree, n);
    }
  if (rules.overlap && result.requests != 0)
    result = {1, static_cast<unsigned>(result.degree + 1), 2, result.degree + 1};
  return result;
}

}  // namespace oracle

#endif
