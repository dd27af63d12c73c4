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
  for (const auto& one : times) result.push_back(one.second);
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
      int least = 1 << 20;
      for (int k = 0; k <= static_cast<int>(most_first.size()); ++k) {
        int left = 0;
        for (std::size_t at = static_cast<std::size_t>(k); at < most_first.size(); ++at)
          left += most_first[at];
        if (left <= T - k) least = std::min(least, k);
      }
      broadcasts += least;
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
    const std::size_t together =
        std::min(most_first.size(), static_cast<std::size_t>(T) * in_a_word);
    long long all = static_cast<long long>((together + in_a_word - 1) / in_a_word);
    bool fits = true;
    for (std::size_t at = together; at < most_first.size(); ++at)
      all += most_first[at], fits = fits && most_first[at] <= T;
    if (fits && all <= places * T) return T;
  }
}

inline int lanes_in_a_bank(const banks& b, const std::vector<long long>& addresses, int bytes) {
  std::map<long long, int> lanes;
  int most = 0;
  for (const long long address : addresses) {
    std::set<long long> touched;
    for (long long word = floor_divided(address, b.N);
         word <= floor_divided(address + bytes - 1, b.N); ++word)
      touched.insert(word - floor_divided(word, b.bank_num) * b.bank_num);
    for (const long long bank : touched) most = std::max(most, ++lanes[bank]);
  }
  return most;
}

inline counts request(const policy& how, const banks& b, const std::vector<int>& phase_of,
                      bool pairs, const std::map<int, long long>& address, int bytes) {
  if (how.serves == 'w' && how.piece == 0 && !how.overlap)
    return request(b, phase_of, pairs, address, bytes);
  counts result;
  const int piece = how.piece != 0 && how.piece < bytes ? how.piece : bytes;
  for (const auto& [phase, addresses] : phases(phase_of, pairs, address))
    for (int offset = 0; offset < bytes; offset += piece) {
      std::vector<long long> at = addresses;
      for (long long& one : at) one += offset;
      const int n = how.serves == 'w'   ? degree(b, at, piece)
                    : how.serves == 'l' ? lanes_in_a_bank(b, at, piece)
                                        : steps(b, at);
      std::map<long long, int> times;
      for (const long long one : at) ++times[one];
      const int ideal = how.serves == 'w'   ? 1
                        : how.serves == 'l' ? sorted_down(times).front()
                                            : fewest_steps(b, at, bytes);
      result.requests = 1;
      result.wavefronts += static_cast<unsigned>(n);
      result.ideal += static_cast<unsigned>(ideal);
      result.degree = std::max(result.degree, n);
    }
  if (how.overlap && result.requests != 0)
    result = {1, static_cast<unsigned>(result.degree + 1), 2, result.degree + 1};
  return result;
}

}  // namespace oracle

#endif
