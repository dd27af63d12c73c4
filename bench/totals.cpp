// SPDX-License-Identifier: MIT
// Compares totals of loops with counting: by iterations, by loops in each other, and by warps.
#include "growth.hpp"
#include "machines.hpp"
#include "sections.hpp"

#include <algorithm>
#include <cmath>

namespace bench {
namespace {

using namespace bm::index;
using plain::iterations;
using plain::thread;

constexpr long long million = 1'000'000, trillion = million * million;

auto trips(long long times) {
  return [=](int, const iterations&) { return times; };
}
int active(long long lanes) { return static_cast<int>(std::clamp(lanes, 0ll, 32ll)); }

// ---- iterations ----

// A loop of one warp, counted at 10^6 iterations and analysed at 10^3 to 10^12.
class table_of_loops {
 public:
  template <class Nest, class Warp, class Plain>
  void add(const std::string& text, const named_machine& target, const Nest& nest, const Warp& warp,
           const Plain& plain_nest) {
    const bm::block_dim block{32};
    growth curve;
    const auto total = [&](long long n) { return total_of(target.machine, block, nest(n)); };
    const std::string name = text + ", " + target.name;
    const times thousand = curve.add(1e3, name, total(1000));
    const times m = curve.add(1e6, name, total(million), warp(target.machine, million),
                              [it = plain_nest(million), machine = target.machine,
                               block]() mutable { return it.count(machine, block); });
    const times billion = curve.add(1e9, name, total(1000 * million));
    const times t = curve.add(1e12, name, total(trillion));
    rows_.push_back({"`" + text + "`, " + target.name, number_text(m.counted / m.total),
                     number_text(m.each_iteration / m.total), number_text(t.total / thousand.total),
                     time_text(m.counted), time_text(thousand.total), time_text(m.total),
                     time_text(billion.total), time_text(t.total)});
    least_ratio_ = std::min(least_ratio_, m.counted / m.total);
    least_growth_ = std::min(least_growth_, t.total / m.total);
    most_growth_ = std::max(most_growth_, t.total / m.total);
    if (rows_.size() == 1) first_ = m;
  }

  // The ratio of total() of 10^12 iterations to that of 10^6.
  double least_growth() const { return least_growth_; }
  double most_growth() const { return most_growth_; }

  void write(page& output) const {
    output.text(
        "**By iterations**: one warp, n iterations. The ratios are of 10^6 iterations; counting "
        "10^12 would take days.");
    output.table({"nest", "counting / total()", "each iteration / total()", "total(): 10^12 / 10^3",
                  "counting 10^6", "total() of 10^3", "10^6", "10^9", "10^12"},
                 rows_);
    output.aims.push_back({"a total of 10^6 iterations, counting / `total()`, the least of these",
                           "100,000 at least", number_text(least_ratio_), least_ratio_ >= 1e5});
    output.figures["counting / total()"] = first_.counted / first_.total;
    output.figures["total()"] = first_.total;
  }

 private:
  std::vector<page::row> rows_;
  double least_ratio_ = 1e300, least_growth_ = 1e300, most_growth_ = 0;
  times first_;
};

// each_iteration() of one warp whose access at an iteration is `access`.
template <class Access>
auto one_warp_each(const Access& access) {
  return [=](const bm::machine& machine, long long n) {
    return each_iteration(machine, 32, n,
                          [=](long long iteration, int) { return access(iteration, n); });
  };
}

void add_loops(table_of_loops& table, const named_machine& target) {
  const auto a = bm::shared_array<float>("a", 4 * trillion);
  const auto element = [](thread t, const iterations& counters) { return 2 * t.x + counters[0]; };
  table.add(
      "for (i < n) a[2 * tx + i]", target,
      [&](long long n) { return bm::for_loop(i, bm::range(0, n), a[2 * tx + i]); },
      one_warp_each([](long long iteration, long long) { return bm::access_1d{2, iteration, 32}; }),
      [=](long long n) { return plain::nest(1, trips(n), element); });
  table.add(
      "for (i < n) if (tx < i) a[2 * tx + i]", target,
      [&](long long n) {
        return bm::for_loop(i, bm::range(0, n), bm::if_threads(tx < i, a[2 * tx + i]));
      },
      one_warp_each([](long long iteration, long long) {
        return bm::access_1d{2, iteration, active(iteration)};
      }),
      [=](long long n) {
        return plain::nest(1, trips(n), [=](thread t, const iterations& counters) {
          return t.x < counters[0] ? element(t, counters) : plain::inactive;
        });
      });
  table.add(
      "for (i = tx; i < n; ++i) a[2 * tx + i]", target,
      [&](long long n) { return bm::for_loop(i, bm::range(tx, n), a[2 * tx + i]); },
      one_warp_each([](long long iteration, long long n) {
        return bm::access_1d{3, iteration, active(n - iteration)};
      }),
      [](long long n) {
        return plain::nest(1, trips(n), [=](thread t, const iterations& counters) {
          const long long own = t.x + counters[0];
          return own < n ? 2 * t.x + own : plain::inactive;
        });
      });
}

// Two loops, the inner one up to the outer one, of n iterations together.
void add_triangle(table_of_loops& table, const named_machine& target) {
  const auto a = bm::shared_array<float>("a", 4 * trillion);
  const auto side = [](long long n) {
    return std::llround(std::sqrt(2.0 * static_cast<double>(n)));
  };
  table.add(
      "for (i < sqrt(2n)) for (j < i) a[2 * tx + 3 * i + j]", target,
      [&](long long n) {
        return bm::for_loop(i, bm::range(0, side(n)),
                            bm::for_loop(j, bm::range(0, i), a[2 * tx + 3 * i + j]));
      },
      [=](const bm::machine& machine, long long n) {
        return count([=, last = side(n)] {
          const bm::geometry g = machine.banks(4, bm::access_kind::load);
          plain::counts sum;
          for (long long outer = 0; outer < last; ++outer)
            for (long long inner = 0; inner < outer; ++inner)
              sum = sum + plain::counts{1, static_cast<unsigned long long>(bm::degree(
                                               g, bm::access_1d{2, 3 * outer + inner, 32}))};
          return sum;
        });
      },
      [=](long long n) {
        return plain::nest(
            2,
            [last = side(n)](int loop, const iterations& counters) {
              return loop == 0 ? last : counters[0];
            },
            [](thread t, const iterations& counters) {
              return 2 * t.x + 3 * counters[0] + counters[1];
            });
      });
}

// ---- loops in loops ----

template <int Depth>
auto moved_by() {
  if constexpr (Depth == 0)
    return 2 * tx;
  else
    return moved_by<Depth - 1>() + (2 * Depth + 1) * bm::loop_variable(Depth - 1);
}

template <int Depth, class Body>
auto inside_loops(const Body& body) {
  if constexpr (Depth == 0)
    return body;
  else
    return inside_loops<Depth - 1>(
        bm::for_loop(bm::loop_variable(Depth - 1), bm::range(0, 8), body));
}

template <int Depth>
void add_depth(growth& rows, const named_machine& target) {
  const bm::block_dim block{32};
  const auto a = bm::shared_array<float>("a", 4096);
  const auto offset = [](long long iteration) {  // of an iteration of all loops together
    long long sum = 0;
    for (int loop = 0; loop < Depth; ++loop, iteration /= 8)
      sum += (2 * loop + 3) * (iteration % 8);
    return sum;
  };
  const long long total = 1ll << (3 * Depth);
  rows.add(
      static_cast<double>(total), std::to_string(Depth) + ", 8^" + std::to_string(Depth),
      total_of(target.machine, block, inside_loops<Depth>(a[moved_by<Depth>()])),
      each_iteration(
          target.machine, 32, total,
          [=](long long iteration, int) { return bm::access_1d{2, offset(iteration), 32}; }),
      counted(target.machine, block, Depth, trips(8), [](thread t, const iterations& counters) {
        long long element = 2 * t.x;
        for (int loop = 0; loop < Depth; ++loop)
          element += (2 * loop + 3) * counters[static_cast<std::size_t>(loop)];
        return element;
      }));
}

void write_depths(page& output, const named_machine& target) {
  growth rows;
  add_depth<1>(rows, target);
  add_depth<2>(rows, target);
  add_depth<3>(rows, target);
  add_depth<4>(rows, target);
  add_depth<5>(rows, target);
  add_depth<6>(rows, target);
  output.text(std::string("**By loops in each other**, ") + target.name +
              ": one warp, each loop of 8 iterations moves the address.");
  rows.write(output, "loops, iterations");
}

// ---- warps ----

void write_warps(page& output, const named_machine& target) {
  constexpr long long n = 1000;
  const auto a = bm::shared_array<float>("a", 4096);
  growth rows;
  for (int warps = 1; warps <= 32; warps *= 2) {
    const bm::block_dim block{16, 2 * warps};
    rows.add(warps, std::to_string(warps),
             total_of(target.machine, block, bm::for_loop(i, bm::range(0, n), a[tx + 24 * ty + i])),
             each_iteration(target.machine, 32 * warps, n,
                            [](long long iteration, int first) {
                              return bm::access_2d{1, 16, 24, 2, 24ll * (first / 16) + iteration};
                            }),
             counted(target.machine, block, 1, trips(n), [](thread t, const iterations& counters) {
               return t.x + 24ll * t.y + counters[0];
             }));
  }
  output.text(std::string("**By warps**, ") + target.name +
              ": `for (i < 1000) a[tx + 24 * ty + i]` in blocks of 16 x 2 threads and more.");
  rows.write(output, "warps");
}

// ---- one call, for the aims ----

void add_guards(page& output) {
  const auto tile = bm::shared_array<float>("tile", 32, 32);
  const bm::block_dim block{32, 8};
  const auto aim = [&](const std::string& subject, const count& total) {
    const double ns = least_ns([&] { benchmark::DoNotOptimize(total()); })[0];
    output.aims.push_back({subject, "100 ns at most", time_text(ns), ns <= 100});
  };
  aim("`total()` of `tile[tx][ty]`, 32 x 8 threads, sm_90",
      total_of(bm::nvidia::sm_90, block, tile[tx][ty]));
  aim("the same in a loop, `tile[tx][ty + j]`, the README's guard",
      total_of(bm::nvidia::sm_90, block, bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j])));
}

}  // namespace

void totals(page& output) {
  output.text(
      "Compared: counting with sets, `degree()` for each iteration and warp, and `total()`, on "
      "conventional banks (sm_90) and on banks of two rows (sm_35).");
  table_of_loops table;
  for (const auto& target : two_machines) {
    add_loops(table, target);
    add_triangle(table, target);
  }
  output.text(
      "Result: the time of `total()` does not grow with the iterations: 10^12 take " +
      number_text(table.least_growth()) + " to " + number_text(table.most_growth()) +
      " times as long as 10^6. It grows with the number of loops that move the address, not with "
      "the product of their iterations.");
  table.write(output);
  for (const auto& target : two_machines) write_depths(output, target);
  for (const auto& target : two_machines) write_warps(output, target);
  add_guards(output);
}

}  // namespace bench
