// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_BENCH_PLAIN_COUNTING_HPP
#define BANKMODEL_BENCH_PLAIN_COUNTING_HPP

#include <bankmodel/kernel/kernel.hpp>
#include <bankmodel/model/machine.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

// The program that everybody writes first, with which the benchmarks compare: every thread, every
// iteration, the layers of each bank in a set.
namespace plain {

namespace bm = bankmodel;

inline int count_with_sets(const bm::geometry& g, const std::vector<long long>& elements) {
  std::vector<std::set<long long>> layers(static_cast<std::size_t>(g.bank_num));
  for (const long long element : elements)
    for (long long byte = element * g.M; byte < (element + 1) * g.M; byte += g.N < g.M ? g.N : g.M)
      layers[static_cast<std::size_t>(byte / g.N % g.bank_num)].insert(byte / (g.bank_num * g.W));
  std::size_t maximum = 0;
  for (const auto& bank : layers) maximum = bank.size() > maximum ? bank.size() : maximum;
  return static_cast<int>(maximum);
}

// Counting for all banks at once: the banks that a layer is touched in are the bits of a word, and
// the words of all layers are added bit by bit. Requires: at most 64 banks, at most 64 layers.
inline int count_with_masks(const bm::geometry& g, const long long* elements, int count) {
  const auto bits = [](int power) { return __builtin_ctz(static_cast<unsigned>(power)); };
  const int element = bits(g.M), word = bits(g.N), layer = bits(g.bank_num) + bits(g.W);
  std::uint64_t touched[64] = {}, planes[7] = {};
  long long lowest = elements[0];
  for (int index = 1; index < count; ++index)
    lowest = elements[index] < lowest ? elements[index] : lowest;
  lowest = lowest << element >> layer;
  for (int index = 0; index < count; ++index) {
    const long long byte = elements[index] << element;
    for (long long address = byte; address < byte + g.M; address += g.N)
      touched[(address >> layer) - lowest] |= std::uint64_t{1}
                                              << (address >> word & (g.bank_num - 1));
  }
  for (std::uint64_t carry : touched)
    for (int plane = 0; carry != 0; ++plane) {
      planes[plane] ^= carry;
      carry &= ~planes[plane];
    }
  int maximum = 0;
  std::uint64_t with_most = ~std::uint64_t{0};
  for (int plane = 6; plane >= 0; --plane)
    if ((with_most & planes[plane]) != 0) {
      with_most &= planes[plane];
      maximum += 1 << plane;
    }
  return maximum;
}

struct counts {
  unsigned long long requests = 0, wavefronts = 0;
  counts operator+(const counts& other) const {
    return {requests + other.requests, wavefronts + other.wavefronts};
  }
};

// The iteration of each loop, from 0 on, outermost first; and the thread.
using iterations = std::array<long long, bm::loop_variables>;
struct thread {
  int x, y;
};
constexpr long long inactive = -1;

// A nest written down as C++: trips(loop, at) is how often that loop runs, element(thread, at) the
// float that the thread touches, or inactive.
template <class Trips, class Element>
class nest {
 public:
  nest(int depth, const Trips& trips, const Element& element)
      : depth_(depth), trips_(trips), element_(element) {}

  // All requests of a block on a machine that serves 4 bytes a lane in one phase.
  counts count(const bm::machine& machine, const bm::block_dim& block) {
    geometry_ = machine.banks(4, bm::access_kind::load);
    sum_ = {};
    for (int first = 0; first < block.x * block.y; first += machine.lanes) {
      threads_.clear();
      for (int tid = first; tid < first + machine.lanes && tid < block.x * block.y; ++tid)
        threads_.push_back({tid % block.x, tid / block.x});
      run(0);
    }
    return sum_;
  }

 private:
  void run(int loop) {
    if (loop < depth_) {
      long long& counter = iterations_[static_cast<std::size_t>(loop)];
      const long long trips = trips_(loop, iterations_);
      for (counter = 0; counter < trips; ++counter) run(loop + 1);
      return;
    }
    elements_.clear();
    for (const thread& lane : threads_) {
      const long long element = element_(lane, iterations_);
      if (element != inactive) elements_.push_back(element);
    }
    if (elements_.empty()) return;
    sum_.requests += 1;
    sum_.wavefronts += static_cast<unsigned>(count_with_sets(geometry_, elements_));
  }

  int depth_;
  Trips trips_;
  Element element_;
  bm::geometry geometry_{};
  std::vector<thread> threads_;
  std::vector<long long> elements_;
  iterations iterations_{};
  counts sum_;
};

}  // namespace plain

#endif
