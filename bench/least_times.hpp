// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_BENCH_LEAST_TIMES_HPP
#define BANKMODEL_BENCH_LEAST_TIMES_HPP

#include <benchmark/benchmark.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace plain {

// Keeps the least time of each benchmark for a table, in nanoseconds, and prints nothing.
struct least_times : benchmark::BenchmarkReporter {
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const auto& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      double& least =
          of.try_emplace(run.run_name.function_name, run.GetAdjustedCPUTime()).first->second;
      least = std::min(least, run.GetAdjustedCPUTime());
    }
  }
  std::map<std::string, double> of;
};

}  // namespace plain

#endif
