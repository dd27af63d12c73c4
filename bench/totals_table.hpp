// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_BENCH_TOTALS_TABLE_HPP
#define BANKMODEL_BENCH_TOTALS_TABLE_HPP

#include "least_times.hpp"
#include "plain_counting.hpp"

#include <bankmodel/analyze.hpp>

#include <benchmark/benchmark.h>

#include <cstdio>
#include <deque>
#include <functional>
#include <string>

// A table of totals, each timed beside plain counting of the same nest, and checked against it.
namespace plain {

// Plain counting beyond this is not begun; its time would be minutes.
constexpr unsigned long long most_requests = 1'200'000;

class totals_table {
 public:
  using count = std::function<counts()>;

  // A nest (an access or a list of accesses), and the same nest counted plainly; `by_itself`
  // analyses each iteration for itself, where that is to be compared too.
  template <class Nest>
  void add(const std::string& text, const std::string& size, const bm::machine& machine,
           const bm::block_dim& block, const Nest& nest, const count& plainly,
           const count& by_itself = nullptr) {
    auto analyse = [m = machine, b = block, n = nest]() mutable {
      benchmark::DoNotOptimize(m);
      benchmark::DoNotOptimize(b);
      benchmark::DoNotOptimize(n);
      const bm::cost sum = bm::total(m, b, n);
      return counts{sum.requests, sum.wavefronts};
    };
    row& added = rows_.emplace_back();
    added.text = text;
    added.size = size;
    try {
      bm::for_each_access(nest, [&](const auto& access) {
        added.evaluated += bm::detail::counted(machine, block, access).evaluated;
      });
      added.total = analyse();
    } catch (const bm::error& refused) {
      added.refused = refused.rule();
      return;
    }
    time(added, "total", analyse, added.total);
    if (by_itself) time(added, "by itself", by_itself, added.by_itself);
    if (added.total.requests <= most_requests) time(added, "plain", plainly, added.plain);
  }

  // Runs all, prints the table; false if a total differs from plain counting or was refused.
  bool run() {
    benchmark::RunSpecifiedBenchmarks(&times_);
    std::printf("%-58s %12s %10s %13s %13s %13s %11s %11s\n", "", "iterations", "requests",
                "bankmodel,", "iteration by", "plain", "iteration /", "plain /");
    std::printf("%-58s %12s %10s %13s %13s %13s %11s %11s\n", "nest", "or warps", "evaluated", "ns",
                "iteration, ns", "counting, ns", "bankmodel", "bankmodel");
    bool right = true;
    for (const row& each : rows_) {
      if (!each.refused.empty()) {
        std::printf("%-58s %12s refused: %s\n", each.text.c_str(), each.size.c_str(),
                    each.refused.c_str());
        right = false;
        continue;
      }
      std::printf("%-58s %12s %10llu %13.0f", each.text.c_str(), each.size.c_str(), each.evaluated,
                  ns(each, "total"));
      print_time(each, "by itself", "");
      print_time(each, "plain", "too long");
      print_ratio(each, "by itself");
      print_ratio(each, "plain");
      std::printf("\n");
      right = is_right(each, "by itself", each.by_itself) && is_right(each, "plain", each.plain) &&
              right;
    }
    return right;
  }

  // How much longer one row took than another.
  double ratio(const std::string& text, const std::string& size,
               const std::string& other_size) const {
    return times_.of.at(text + ", " + size + "/total") /
           times_.of.at(text + ", " + other_size + "/total");
  }

 private:
  struct row {
    std::string text, size, refused;
    unsigned long long evaluated = 0;
    counts total, by_itself, plain;
  };

  static std::string name(const row& of, const char* way) {
    return of.text + ", " + of.size + "/" + way;
  }

  void time(const row& of, const char* way, const count& counting, counts& result) {
    benchmark::RegisterBenchmark(name(of, way).c_str(),
                                 [counting, &result](benchmark::State& state) {
                                   for (auto _ : state)
                                     benchmark::DoNotOptimize(result = counting());
                                 })
        ->MinTime(0.01)
        ->Repetitions(std::string(way) == "plain" ? 1 : 5);
  }

  double ns(const row& of, const char* way) const {
    const auto found = times_.of.find(name(of, way));
    return found == times_.of.end() ? 0 : found->second;
  }

  void print_time(const row& of, const char* way, const char* missing) const {
    if (ns(of, way) > 0)
      std::printf(" %13.0f", ns(of, way));
    else
      std::printf(" %13s", missing);
  }

  void print_ratio(const row& of, const char* way) const {
    if (ns(of, way) > 0)
      std::printf(" %11.1f", ns(of, way) / ns(of, "total"));
    else
      std::printf(" %11s", "");
  }

  bool is_right(const row& of, const char* way, const counts& counted) const {
    if (ns(of, way) == 0 ||
        (counted.requests == of.total.requests && counted.wavefronts == of.total.wavefronts))
      return true;
    std::printf("WRONG: total() says %llu requests and %llu wavefronts, counted %s %llu and %llu\n",
                of.total.requests, of.total.wavefronts, way, counted.requests, counted.wavefronts);
    return false;
  }

  std::deque<row> rows_;  // benchmarks keep references to them
  least_times times_;
};

}  // namespace plain

#endif
