// SPDX-License-Identifier: MIT
// The model, written a second time from its definition alone; it includes nothing of the
// library.
#ifndef BANKMODEL_TESTS_ORACLE_HPP
#define BANKMODEL_TESTS_ORACLE_HPP
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace oracle {

inline long long floor_divided(long long a, long long b) { return a / b - (a % b < 0 ? 1 : 0); }

struct banks {
  long long bank_num, W, N;
};

// The most distinct layers that accesses of `bytes` bytes at these addresses touch in one bank.
inline int degree(const banks& b, const std::vector<long long>& addresses, int bytes) {
  std::vector<std::pair<long long, long long>> touched;  // bank, layer
  for (const long long address : addresses) {
    const long long last = floor_divided(address + bytes - 1, b.N);
    for (long long word = floor_divided(address, b.N); word <= last; ++word)
      touched.push_back({word - floor_divided(word, b.bank_num) * b.bank_num,
                         floor_divided(word * b.N, b.bank_num * b.W)});
  }
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  int maximum = 0, run = 0;
  for (std::size_t index = 0; index < touched.size(); ++index) {
    run = index > 0 && touched[index].first == touched[index - 1].first ? run + 1 : 1;
    maximum = std::max(maximum, run);
  }
  return maximum;
}

using by_lane = std::map<int, long long>;  // the addresses of the active lanes

// The addresses of each phase; `phase_of[lane]` is a lane's phase. Phases p and p ^ 1 are served
// together if `pairs` and each active lane's neighbour, at distance 1 for all or at distance 2 for
// all, is inactive or agrees.
inline auto phases(const std::vector<int>& phase_of, bool pairs, const by_lane& address) {
  const auto all_agree = [&](int distance) {
    return std::all_of(address.begin(), address.end(), [&](const auto& lane) {
      const auto other = address.find(lane.first ^ distance);
      return other == address.end() || other->second == lane.second;
    });
  };
  const bool merged = pairs && (all_agree(1) || all_agree(2));
  std::map<int, std::vector<long long>> result;
  for (const auto& [lane, lane_address] : address)
    result[phase_of[static_cast<std::size_t>(lane)] / (merged ? 2 : 1)].push_back(lane_address);
  return result;
}

struct counts {
  unsigned long long requests = 0, wavefronts = 0, ideal = 0;
  int degree = 0;
};

// One request.
inline counts request(const banks& b, const std::vector<int>& phase_of, bool pairs,
                      const by_lane& address, int bytes) {
  counts result{address.empty() ? 0u : 1u, 0, 0, 0};
  for (const auto& [phase, addresses] : phases(phase_of, pairs, address)) {
    const int n = degree(b, addresses, bytes);
    result.wavefronts += static_cast<unsigned>(n);
    result.ideal += 1;
    result.degree = std::max(result.degree, n);
  }
  return result;
}

}  // namespace oracle

#endif
