// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_BENCH_TIMING_HPP
#define BANKMODEL_BENCH_TIMING_HPP

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <vector>

// Times of calls that are compared with each other, measured by Google Benchmark.
namespace bench {

// Keeps the CPU time of one run and prints nothing.
struct quiet_reporter : benchmark::BenchmarkReporter {
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override { ns = runs.front().GetAdjustedCPUTime(); }
  double ns = 0;
};

template <class Work>
double ns_of_one_run(const Work& work) {
  benchmark::ClearRegisteredBenchmarks();
  benchmark::RegisterBenchmark("work", [&](benchmark::State& state) {
    for (auto _ : state) work();
  })->MinTime(0.01);
  quiet_reporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return reporter.ns;
}

// Returns the least CPU time of each call in nanoseconds. The calls take turns, five times, so that
// all of them see the same load of the machine; a call of more than 20 ms is made in the first
// round only.
template <class... Works>
std::array<double, sizeof...(Works)> least_ns(const Works&... works) {
  constexpr int rounds = 5;
  constexpr double long_ns = 20e6;
  std::array<double, sizeof...(Works)> minima;
  minima.fill(std::numeric_limits<double>::infinity());
  for (int round = 0; round < rounds; ++round) {
    std::size_t index = 0;
    const auto measure = [&](const auto& work) {
      double& ns = minima[index++];
      if (round == 0 || ns < long_ns) ns = std::min(ns, ns_of_one_run(work));
    };
    (measure(works), ...);
  }
  return minima;
}

// A value that the compiler must take as unknown.
template <class T>
T& hidden(T& value) {
  asm volatile("" : : "r"(&value) : "memory");
  return value;
}

}  // namespace bench

#endif
