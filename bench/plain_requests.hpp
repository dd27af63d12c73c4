// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_BENCH_PLAIN_REQUESTS_HPP
#define BANKMODEL_BENCH_PLAIN_REQUESTS_HPP

#include "plain_counting.hpp"

#include <bankmodel/count/detail/evaluate.hpp>

#include <utility>

// A kernel's requests written down once, so that plain counting of one layout after another has to
// do no more than computing addresses and counting them.
namespace plain {

// The coordinates that the active lanes of one warp touch with one load or store.
using request = std::vector<std::array<long long, bm::max_rank>>;

struct recorded_array {
  bm::array_description declared;
  std::vector<request> requests;

  // Wavefronts of all requests if the array were laid out so and began at that element.
  unsigned long long wavefronts(const bm::geometry& g, const bm::layout& layout,
                                long long base) const {
    unsigned long long sum = 0;
    std::vector<long long> elements;
    for (const request& lanes : requests) {
      elements.clear();
      for (const auto& at : lanes) {
        long long element = base;
        for (int d = 0; d < layout.rank; ++d)
          element += at[static_cast<std::size_t>(d)] * layout.stride[d];
        elements.push_back(element);
      }
      sum += static_cast<unsigned>(count_with_sets(g, elements));
    }
    return sum;
  }
};

// Runs a kernel whose loops have the same bounds in all threads, and step by a constant.
class recorder {
 public:
  recorder(const bm::machine& machine, const bm::block_dim& block)
      : block_(block), lanes_(machine.lanes) {}

  template <int Wrappers, int Nodes>
  void operator()(const bm::access_expression<Wrappers, Nodes>& access) {
    std::size_t at = 0;
    while (at < arrays.size() && arrays[at].declared.name != access.array.name) ++at;
    if (at == arrays.size()) arrays.push_back({access.array, {}});
    for (int first = 0; first < block_.x * block_.y; first += lanes_) {
      warp threads;
      for (int tid = first; tid < first + lanes_ && tid < block_.x * block_.y; ++tid)
        threads.push_back(
            {tid % block_.x, tid / block_.x, 0, 0, 0, 0, tid, tid % lanes_, tid / lanes_});
      run(access, 0, threads, arrays[at].requests);
    }
  }

  std::vector<recorded_array> arrays;

 private:
  using warp = std::vector<std::array<long long, bm::variables>>;

  template <class Access>
  static void run(const Access& access, int level, warp& threads, std::vector<request>& to) {
    const auto value = [&](const bm::slice& program, const auto& thread) {
      return bm::detail::evaluate(access.nodes + program.first, program.size, thread.data());
    };
    if (threads.empty()) return;
    if (level == access.depth) {
      request& lanes = to.emplace_back(threads.size());
      for (std::size_t lane = 0; lane < threads.size(); ++lane)
        for (int d = 0; d < access.subscripts; ++d)
          lanes[lane][static_cast<std::size_t>(d)] = value(access.subscript[d], threads[lane]);
      return;
    }
    const bm::wrapper& how = access.wrappers[level];
    if (how.kind == bm::wrapper_kind::filter) {
      warp active;
      for (const auto& thread : threads)
        if (value(how.first, thread) != 0) active.push_back(thread);
      run(access, level + 1, active, to);
      return;
    }
    const long long last = value(how.last, threads[0]), step = value(how.step, threads[0]);
    for (long long now = value(how.first, threads[0]); step > 0 ? now < last : now > last;
         now += step) {
      for (auto& thread : threads) thread[static_cast<std::size_t>(how.variable)] = now;
      run(access, level + 1, threads, to);
    }
  }

  bm::block_dim block_;
  int lanes_;
};

// The arrays of a kernel in the order of their first use, each with all its requests.
template <class Kernel>
std::vector<recorded_array> recorded(const bm::machine& machine, const Kernel& kernel) {
  recorder result(machine, kernel.block);
  bm::for_each_access(kernel, [&](const auto& access) { result(access); });
  return std::move(result.arrays);
}

}  // namespace plain

#endif
