// SPDX-License-Identifier: MIT
// How much faster the answers are than plain counting with sets, each pair in the same run.
#include "plain_counting.hpp"

#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include <benchmark/benchmark.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace bm = bankmodel;
using namespace bm::index;

namespace {

std::vector<long long> elements_of(const bm::geometry& g, const bm::access_1d& a) {
  std::vector<long long> result;
  for (int lane = 0; lane < g.bank_num; ++lane) result.push_back(a.offset + a.stride * lane);
  return result;
}

std::vector<long long> elements_of(const bm::geometry&, const bm::access_2d& a) {
  std::vector<long long> result;
  for (int y = 0; y < a.repeat_y; ++y)
    for (int x = 0; x < a.repeat_x; ++x)
      result.push_back(a.offset + a.stride_x * x + a.stride_y * y);
  return result;
}

template <class Access>
void add_pair(const std::string& name, const bm::geometry& geometry, const Access& access) {
  benchmark::RegisterBenchmark((name + "/bankmodel").c_str(), [=](benchmark::State& state) {
    auto g = geometry;
    auto a = access;
    for (auto _ : state) {
      benchmark::DoNotOptimize(g);
      benchmark::DoNotOptimize(a);
      benchmark::DoNotOptimize(bm::degree(g, a));
    }
  });
  benchmark::RegisterBenchmark((name + "/sets").c_str(), [=](benchmark::State& state) {
    for (auto _ : state)
      benchmark::DoNotOptimize(plain::count_with_sets(geometry, elements_of(geometry, access)));
  });
  benchmark::RegisterBenchmark((name + "/masks").c_str(), [=](benchmark::State& state) {
    auto elements = elements_of(geometry, access);
    for (auto _ : state) {
      benchmark::DoNotOptimize(elements.data());
      benchmark::ClobberMemory();
      benchmark::DoNotOptimize(
          plain::count_with_masks(geometry, elements.data(), static_cast<int>(elements.size())));
    }
  });
}

// The tiled transpose's column, float tile[rows * 8][32] read by 32 x 8 threads: all requests of
// the block.
void add_total(const std::string& name, const bm::machine& machine, int rows) {
  const auto tile = bm::shared_array<float>("tile", 32, 8 * rows);
  const auto column = bm::load(bm::for_loop(j, bm::range(0, 8 * rows, 8), tile[tx][ty + j]));
  benchmark::RegisterBenchmark((name + "/bankmodel").c_str(), [=](benchmark::State& state) {
    auto m = machine;
    for (auto _ : state) {
      benchmark::DoNotOptimize(m);
      benchmark::DoNotOptimize(bm::total(m, bm::block_dim{32, 8}, column));
    }
  });
  benchmark::RegisterBenchmark((name + "/sets").c_str(), [=](benchmark::State& state) {
    const auto g = machine.banks(4, bm::access_kind::load);
    for (auto _ : state) {
      long long wavefronts = 0;
      for (int y = 0; y < 8; ++y)
        for (int loop = 0; loop < 8 * rows; loop += 8) {
          std::vector<long long> elements;
          for (int x = 0; x < 32; ++x) elements.push_back(x * 8 * rows + y + loop);
          wavefronts += plain::count_with_sets(g, elements);
        }
      benchmark::DoNotOptimize(wavefronts);
    }
  });
}

// Prints what Google Benchmark prints, and keeps the times for the table of ratios.
class reporter : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const auto& run : runs) times[run.benchmark_name()] = run.GetAdjustedCPUTime();
    ConsoleReporter::ReportRuns(runs);
  }
  std::map<std::string, double> times;
};

}  // namespace

int main(int argc, char** argv) {
  const std::pair<const char*, bm::geometry> mappings[] = {{"row-major", {32, 8, 4, 4}},
                                                           {"conventional", {32, 4, 4, 4}},
                                                           {"wide", {32, 8, 4, 8}},
                                                           {"column-major", {32, 8, 8, 4}}};
  for (const auto& [name, g] : mappings)
    add_pair(std::string("1D, stride 6, ") + name, g, bm::access_1d{6, 5});
  for (const auto& [name, g] : mappings)
    add_pair(std::string("2D, 16 x 2, ") + name, g, bm::access_2d{1, 16, 24, 2, 3});
  add_total("total of 32 requests, sm_90", bm::nvidia::sm_90, 4);
  add_total("total of 8 000 requests, sm_90", bm::nvidia::sm_90, 1000);
  add_total("total of 8 000 requests, sm_35", bm::nvidia::sm_35, 1000);

  benchmark::Initialize(&argc, argv);
  reporter all;
  benchmark::RunSpecifiedBenchmarks(&all);
  std::printf("\n%-34s %14s %14s %10s %14s %10s\n", "one answer", "bankmodel, ns", "sets, ns",
              "ratio", "masks, ns", "ratio");
  for (const auto& [name, time] : all.times) {
    const auto end = name.rfind("/bankmodel");
    if (end == std::string::npos) continue;
    const double sets = all.times[name.substr(0, end) + "/sets"];
    std::printf("%-34s %14.1f %14.1f %10.0f", name.substr(0, end).c_str(), time, sets, sets / time);
    const auto masks = all.times.find(name.substr(0, end) + "/masks");
    if (masks != all.times.end())
      std::printf(" %14.1f %10.1f", masks->second, masks->second / time);
    std::printf("\n");
  }
}
