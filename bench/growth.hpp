// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_BENCH_GROWTH_HPP
#define BANKMODEL_BENCH_GROWTH_HPP

#include "page.hpp"
#include "picture.hpp"
#include "plain_counting.hpp"
#include "timing.hpp"

#include <bankmodel/analyze.hpp>

#include <functional>
#include <limits>
#include <string>
#include <vector>

// One nest at growing sizes, answered in three ways: every access counted, each iteration and warp
// analysed by itself with degree(), and total(). All must give the same numbers.
namespace bench {

namespace bm = bankmodel;

using count = std::function<plain::counts()>;
constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

struct times {
  double counted = not_measured, each_iteration = not_measured, total = not_measured;
};

class growth {
 public:
  // Measures one size. `counted`, and then `each_iteration`, are empty where they would take too
  // long.
  times add(double size, const std::string& text, const count& total,
            const count& each_iteration = {}, const count& counted = {});

  // The measurements as a table, with the power of n by which each of the three grows: between the
  // last measurement and the first one of at least a sixteenth of its n.
  void write(page& output, const std::string& sizes) const;
  std::string total_grows_as() const;  // n^0.01
  const std::vector<series>& lines() const { return lines_; }

 private:
  std::vector<page::row> rows_;
  std::vector<series> lines_{{"counting", {}}, {"each iteration", {}}, {"total()", {}}};
};

constexpr bool is_empty(const bm::access_1d& warp) { return warp.lanes <= 0; }
constexpr bool is_empty(const bm::access_2d& warp) { return warp.repeat_x <= 0; }

// total() of a nest, its arguments unknown to the compiler.
template <class Nest>
count total_of(const bm::machine& machine, const bm::block_dim& block, const Nest& nest) {
  return [m = machine, b = block, n = nest]() mutable {
    const bm::cost sum = bm::total(hidden(m), hidden(b), hidden(n));
    return plain::counts{sum.requests, sum.wavefronts};
  };
}

// Every access of a nest, as plain_counting.hpp counts it.
template <class Trips, class Element>
count counted(const bm::machine& machine, const bm::block_dim& block, int depth, const Trips& trips,
              const Element& element) {
  return [=] { return plain::nest(depth, trips, element).count(machine, block); };
}

// Each iteration and each warp of a block on its own: access(iteration, first thread) is the warp's
// access, without lanes where the warp makes no request.
template <class Access>
count each_iteration(const bm::machine& machine, int threads, long long trips,
                     const Access& access) {
  return [=] {
    const bm::geometry g = machine.banks(4, bm::access_kind::load);
    plain::counts sum;
    for (long long iteration = 0; iteration < trips; ++iteration)
      for (int first = 0; first < threads; first += machine.lanes) {
        const auto warp = access(iteration, first);
        if (is_empty(warp)) continue;
        sum = sum + plain::counts{1, static_cast<unsigned long long>(bm::degree(g, warp))};
      }
    return sum;
  };
}

}  // namespace bench

#endif
