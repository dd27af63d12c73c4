// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_BENCH_EXHAUSTIVE_HPP
#define BANKMODEL_BENCH_EXHAUSTIVE_HPP

#include "plain_requests.hpp"

#include <bankmodel/count/total.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

// Tries out the layouts among which optimize() chooses over padding: each array's paddings below a
// layer of all banks, at each base that differs in cost, with each bank width. Requires: arrays of
// two dimensions, elements of at most one bank's word.
namespace bench {

namespace bm = bankmodel;

// One layout of one array of a kernel, with one bank width, at one base.
struct candidate {
  int bank_width;
  std::size_t array;
  bm::layout layout;
  long long base_bytes;
};

template <class Kernel>
class exhaustive_search {
 public:
  exhaustive_search(const bm::machine& machine, const Kernel& kernel)
      : machine_(machine), kernel_(kernel), arrays_(plain::recorded(machine, kernel)) {
    for (const int width : {machine.bank_width, machine.other_bank_width})
      for (std::size_t a = 0; width != 0 && a < arrays_.size(); ++a) add_candidates(width, a);
  }

  std::size_t candidates() const { return candidates_.size(); }

  // total() of a candidate's accesses.
  unsigned long long total(std::size_t index) const {
    const candidate& c = candidates_[index];
    const bm::machine m = machine_.with_bank_width(c.bank_width);
    unsigned long long sum = 0;
    bm::for_each_access(kernel_, [&](auto access) {
      if (access.array.name != arrays_[c.array].declared.name) return;
      access.array = access.array.with(c.layout).at(c.base_bytes);
      sum += bm::total(m, kernel_.block, access).wavefronts;
    });
    return sum;
  }

  // The same, counted with sets; the requests' subscripts have been recorded.
  unsigned long long count(std::size_t index) const {
    const candidate& c = candidates_[index];
    const int bytes = arrays_[c.array].declared.element_bytes;
    const bm::geometry g =
        machine_.with_bank_width(c.bank_width).banks(bytes, bm::access_kind::load);
    return arrays_[c.array].wavefronts(g, c.layout, c.base_bytes / bytes);
  }

  // Requests of all candidates together.
  std::size_t requests() const {
    std::size_t sum = 0;
    for (const candidate& c : candidates_) sum += arrays_[c.array].requests.size();
    return sum;
  }

  // The fewest wavefronts of a kernel, from those of each candidate.
  unsigned long long best(const std::vector<unsigned long long>& wavefronts) const {
    constexpr auto none = std::numeric_limits<unsigned long long>::max();
    unsigned long long best = none;
    for (const int width : {machine_.bank_width, machine_.other_bank_width}) {
      std::vector<unsigned long long> minima(arrays_.size(), none);
      for (std::size_t index = 0; index < candidates_.size(); ++index) {
        unsigned long long& of_array = minima[candidates_[index].array];
        if (candidates_[index].bank_width == width)
          of_array = std::min(of_array, wavefronts[index]);
      }
      unsigned long long sum = 0;
      for (const auto minimum : minima) sum = minimum == none || sum == none ? none : sum + minimum;
      best = std::min(best, sum);
    }
    return best;
  }

 private:
  void add_candidates(int width, std::size_t a) {
    const bm::array_description& array = arrays_[a].declared;
    const bm::geometry g =
        machine_.with_bank_width(width).banks(array.element_bytes, bm::access_kind::load);
    const long long layer = g.bank_num * g.W, bases = g.W == g.N ? g.N : layer;
    for (long long padding = 0; padding < layer / array.element_bytes; ++padding)
      for (long long base = 0; base < bases; base += array.element_bytes)
        candidates_.push_back(
            {width, a, array.layout.padded(array.layout.padding() + padding), base});
  }

  bm::machine machine_;
  Kernel kernel_;
  std::vector<plain::recorded_array> arrays_;
  std::vector<candidate> candidates_;
};

}  // namespace bench

#endif
