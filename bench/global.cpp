// SPDX-License-Identifier: MIT
// Compares the traffic of accesses to global memory with counting the sectors of each request in a
// set: by iterations of a loop, and by blocks of a grid.
#include "page.hpp"
#include "sections.hpp"
#include "timing.hpp"

#include <bankmodel/global.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include <set>
#include <string>
#include <vector>

namespace bench {
namespace {

namespace bm = bankmodel;
using namespace bm::index;

constexpr long long million = 1'000'000, trillion = million * million;
constexpr bm::machine machine = bm::nvidia::sm_90;
constexpr long long inactive = -1;

// The sectors of one warp in n iterations; element(lane, iteration) is a float or inactive.
template <class Element>
unsigned long long counted(long long n, const Element& element) {
  unsigned long long sum = 0;
  for (long long iteration = 0; iteration < n; ++iteration) {
    std::set<long long> sectors;
    for (int lane = 0; lane < 32; ++lane)
      if (const long long position = element(lane, iteration); position != inactive)
        sectors.insert(position * 4 / 32);
    sum += sectors.size();
  }
  return sum;
}

struct one_table {
  std::vector<page::row> rows;
  double least_growth = 1e300, most_growth = 0;

  // traffic(n) is the library's answer for n iterations.
  template <class Traffic, class Element>
  void add(const std::string& text, const Traffic& traffic, const Element& element) {
    unsigned long long sum = 0;
    bm::memory_traffic thousand, m, billion, t;
    const auto ask = [&](bm::memory_traffic& result, long long n) {
      return [&result, &traffic, n] {
        long long times = n;
        result = traffic(hidden(times));
      };
    };
    const auto [counting_ns, thousand_ns, million_ns, billion_ns, trillion_ns] = least_ns(
        [&] { benchmark::DoNotOptimize(sum = counted(million, element)); }, ask(thousand, 1000),
        ask(m, million), ask(billion, 1000 * million), ask(t, trillion));
    require_same(text + ", sectors", sum, m.transactions);
    const double growth = trillion_ns / thousand_ns;
    least_growth = growth < least_growth ? growth : least_growth;
    most_growth = growth > most_growth ? growth : most_growth;
    rows.push_back({"`" + text + "`", number_text(counting_ns / million_ns), number_text(growth),
                    time_text(counting_ns), time_text(thousand_ns), time_text(million_ns),
                    time_text(billion_ns), time_text(trillion_ns)});
  }
};

}  // namespace

void global(page& output) {
  const auto p = bm::global_array<float>("p", 64 * trillion);
  constexpr bm::block_dim block{32};
  one_table table;
  table.add(
      "for (i < n) p[tx + 33 * i]",
      [&](long long n) {
        return bm::traffic(machine, block,
                           bm::load(bm::for_loop(i, bm::range(0, n), p[tx + 33 * i])));
      },
      [](int lane, long long iteration) { return lane + 33 * iteration; });
  table.add(
      "for (i < n) if (tx < i) p[3 * tx + i]",
      [&](long long n) {
        return bm::traffic(
            machine, block,
            bm::load(bm::for_loop(i, bm::range(0, n), bm::if_threads(tx < i, p[3 * tx + i]))));
      },
      [](int lane, long long iteration) {
        return lane < iteration ? 3 * lane + iteration : inactive;
      });
  table.add(
      "p[33 * bx + tx], n blocks",
      [&](long long n) {
        return bm::traffic(machine, block, bm::load(p[33 * bx + tx]), bm::grid_dim{n});
      },
      [](int lane, long long block_number) { return lane + 33 * block_number; });
  output.text(
      "Compared: `traffic()` of one warp's access to global memory on sm_90, and counting the "
      "sectors of each request with a set. n is the number of iterations or of blocks; the ratios "
      "are of 10^6.");
  output.text("Result: the time of `traffic()` grows with neither: 10^12 take " +
              number_text(table.least_growth) + " to " + number_text(table.most_growth) +
              " times as long as 10^3.");
  output.table({"access", "counting / traffic()", "traffic(): 10^12 / 10^3", "counting 10^6",
                "traffic() of 10^3", "10^6", "10^9", "10^12"},
               table.rows);
}

}  // namespace bench
