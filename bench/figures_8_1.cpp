// SPDX-License-Identifier: MIT
// The experiments of S. Gao's dissertation (2014), section 8.1, on its machine, a Tesla K20c.
#include "elements.hpp"
#include "growth.hpp"
#include "sections.hpp"

#include <bankmodel/machines/nvidia.hpp>

#include <algorithm>

namespace bench {
namespace {

using namespace bm::index;
using plain::iterations;
using plain::thread;

constexpr bm::machine kepler = bm::nvidia::sm_35;
constexpr auto a = bm::shared_array<float>("Array", 16384);
// In the figures' loops; section 8.1 leaves both open, except that strides are powers of two.
constexpr long long stride = 4, c1 = 1;

auto trips(long long times) {
  return [=](int, const iterations&) { return times; };
}

count combined(const count& load, const count& store) {
  return [=] { return load() + store(); };
}

// 8.1 (a): one warp, by its stride.
void figure_8_1_a(page& output) {
  struct {
    const char* name;
    double sum = 0, minimum = 1e300, maximum = 0;
  } ways[] = {{"counting"}, {"the warp, degree()"}, {"total()"}};
  constexpr int strides = 32;
  const bm::block_dim block{32};
  for (int s = 1; s <= strides; ++s) {
    growth sample;
    const times ns = sample.add(
        1, "figure 8.1 (a), stride " + std::to_string(s), total_of(kepler, block, a[s * tx]),
        each_iteration(kepler, 32, 1, [=](long long, int) { return bm::access_1d{s, 0, 32}; }),
        counted(kepler, block, 0, trips(1),
                [=](thread t, const iterations&) { return static_cast<long long>(s) * t.x; }));
    const double values[] = {ns.counted, ns.each_iteration, ns.total};
    for (std::size_t way = 0; way < 3; ++way) {
      ways[way].sum += values[way];
      ways[way].minimum = std::min(ways[way].minimum, values[way]);
      ways[way].maximum = std::max(ways[way].maximum, values[way]);
    }
  }
  std::vector<page::row> rows;
  for (const auto& way : ways)
    rows.push_back({way.name, number_text(ways[0].sum / way.sum),
                    number_text(way.maximum / way.minimum), time_text(way.sum / strides),
                    time_text(way.minimum), time_text(way.maximum)});
  output.text("**Figure 8.1 (a)**: one warp, `a[s * tx]`, for all strides s from 1 to 32.");
  output.table({"way", "counting / this", "slowest / fastest stride", "mean", "fastest", "slowest"},
               rows);
}

// 8.1 (b): warps of 16 x 2 threads with the stride <1, 16, 24, 16>, by threads.
void figure_8_1_b(page& output) {
  growth rows;
  for (int warps = 1; warps <= 8; ++warps) {
    const bm::block_dim block{16, 2 * warps};
    rows.add(32 * warps, std::to_string(32 * warps), total_of(kepler, block, a[tx + 24 * ty]),
             each_iteration(kepler, 32 * warps, 1,
                            [](long long, int first) {
                              return bm::access_2d{1, 16, 24, 2, 24ll * (first / 16)};
                            }),
             counted(kepler, block, 0, trips(1),
                     [](thread t, const iterations&) { return t.x + 24ll * t.y; }));
  }
  output.text(
      "**Figure 8.1 (b)**: `a[tx + 24 * ty]` in blocks of 16 x 2 threads and more, n threads.");
  rows.write(output, "threads");
}

// The loops of figure 8.2: an iteration loads one element and stores another.
template <class Array>
void add_loop(growth& rows, const Array& array, bool moves, long long n, bool by_iteration,
              bool by_counting) {
  const bm::block_dim block{256};
  const auto element = [=](long long offset) {
    return [=](thread t, const iterations& counters) {
      return stride * t.x + (moves ? counters[0] : 0) + offset;
    };
  };
  const auto warp = [=](long long offset) {
    return [=](long long iteration, int first) {
      return bm::access_1d{stride, stride * first + (moves ? iteration : 0) + offset, 32};
    };
  };
  const auto loop = [&](const auto& index) {
    return total_of(
        kepler, block,
        bm::for_loop(i, bm::range(0, n), bm::load(array[index + c1]), bm::store(array[index])));
  };
  count one_by_one, plainly;
  if (by_iteration)
    one_by_one =
        combined(each_iteration(kepler, 256, n, warp(c1)), each_iteration(kepler, 256, n, warp(0)));
  if (by_counting)
    plainly = combined(counted(kepler, block, 1, trips(n), element(c1)),
                       counted(kepler, block, 1, trips(n), element(0)));
  rows.add(static_cast<double>(n), count_text(static_cast<unsigned long long>(n)),
           moves ? loop(stride * tx + i) : loop(stride * tx), one_by_one, plainly);
}

// Returns how the loop that moves its address grows.
std::string figures_8_4_to_8_6(page& output) {
  std::string grows;
  for (const bool moves : {false, true}) {
    growth rows;
    for (long long n = 100; n <= 1000; n += 300) add_loop(rows, a, moves, n, true, true);
    output.text(moves ? "**Figures 8.4 to 8.6, loop (b) of 8.2**: the same loop over "
                        "`a[4 * tx + i] = a[4 * tx + i + 1] * c2`."
                      : "**Figures 8.4 to 8.6, loop (a) of 8.2**: n iterations of `a[4 * tx] = "
                        "a[4 * tx + 1] * c2` by 256 threads.");
    rows.write(output, "iterations");
    grows = rows.total_grows_as();
  }
  growth curve;
  const auto large = bm::shared_array<float>("Array", 4'000'000'000'000);
  long long n = 10;
  for (int power = 1; power <= 12; ++power, n *= 10)
    add_loop(curve, large, true, n, power <= 6, power <= 4);
  output.picture(
      "iterations.svg",
      log_log("Loop (b) of figure 8.2, 256 threads, sm_35: time of one answer",
              "iterations of the loop", curve.lines()),
      "Time of one answer by iterations of loop (b), both axes logarithmic: counting and the "
      "analysis of each iteration grow in proportion, total() does not grow");
  return grows;
}

// The loop of figure 8.7 by n threads and n iterations. Returns how it grows.
std::string figure_8_8(page& output) {
  growth rows;
  for (int n = 32; n <= 512; n *= 2) {
    const bm::block_dim block{n};
    const auto element = [=](long long offset) {
      return [=](thread t, const iterations& counters) {
        return t.x < counters[0] + 1 ? stride * t.x + offset : plain::inactive;
      };
    };
    const auto warp = [=](long long offset) {
      return [=](long long iteration, int first) {
        const int lanes = static_cast<int>(std::clamp(iteration + 1 - first, 0ll, 32ll));
        return bm::access_1d{stride, stride * first + offset, lanes};
      };
    };
    const auto loop = bm::for_loop(
        i, bm::range(1, n + 1),
        bm::if_threads(tx < i, bm::load(a[stride * tx + c1]), bm::store(a[stride * tx])));
    rows.add(
        n, std::to_string(n), total_of(kepler, block, loop),
        combined(each_iteration(kepler, n, n, warp(c1)), each_iteration(kepler, n, n, warp(0))),
        combined(counted(kepler, block, 1, trips(n), element(c1)),
                 counted(kepler, block, 1, trips(n), element(0))));
  }
  output.text(
      "**Figure 8.8 (b) to (d)**: n iterations of `if (tx < i) a[4 * tx] = a[4 * tx + 1] * c2` "
      "(figure 8.7) by n threads.");
  rows.write(output, "threads and iterations");
  return rows.total_grows_as();
}

}  // namespace

void figures_8_1(page& output) {
  output.text(
      "Compared, on the dissertation's machine (sm_35, banks of two rows of 4 bytes): counting "
      "each access with sets, as its figures 8.4 and 8.8 (b) do; `degree()` for each iteration "
      "and warp, as 8.5 and 8.8 (c); and the library's `total()`, as 8.6 and 8.8 (d). Figures "
      "8.3 and 8.8 (a) are times of the kernels on the GPU and have no counterpart here.");
  page figures;
  figure_8_1_a(figures);
  figure_8_1_b(figures);
  const std::string loop = figures_8_4_to_8_6(figures), for_if = figure_8_8(figures);
  output.text(
      "Result: counting and the analysis of each iteration grow with iterations and threads; "
      "`total()` grows as " +
      loop + " with the iterations of loop (b), and as " + for_if +
      " in figure 8.8, where n is the number of threads too. For one warp, or a few iterations, "
      "`degree()` is faster.");
  output.markdown += figures.markdown;
  output.pictures.merge(figures.pictures);
}

}  // namespace bench
