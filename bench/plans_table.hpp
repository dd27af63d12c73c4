// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_BENCH_PLANS_TABLE_HPP
#define BANKMODEL_BENCH_PLANS_TABLE_HPP

#include "least_times.hpp"
#include "plain_requests.hpp"

#include <bankmodel/optimize.hpp>
#include <bankmodel/report.hpp>

#include <cstdio>
#include <deque>
#include <functional>
#include <limits>
#include <string>

// A table of plans, each timed beside exhaustive counting of the same space, and checked against
// it.
namespace plain {

// Plain counting of more than so many requests is done for every so many candidates only, and its
// time multiplied.
constexpr std::size_t most_counted_requests = 40'000;

// One layout of one array of a kernel, with one bank width, at one base.
struct candidate {
  int bank_width;
  std::size_t array;
  bm::layout layout;
  long long base_bytes;
};

// What optimize() chooses among: each array's paddings below a layer of all banks, at each base
// that differs in cost. Arrays of two dimensions, and elements of one bank's word at most.
inline std::vector<candidate> candidates_of(const bm::machine& machine,
                                            const std::vector<recorded_array>& arrays) {
  std::vector<candidate> result;
  for (const int width : {machine.bank_width, machine.other_bank_width}) {
    if (width == 0) continue;
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      const bm::array_description& array = arrays[a].declared;
      const bm::geometry g =
          machine.with_bank_width(width).banks(array.element_bytes, bm::access_kind::load);
      const long long layer = g.bank_num * g.W, bases = g.W == g.N ? g.N : layer;
      for (long long more = 0; more < layer / array.element_bytes; ++more)
        for (long long base = 0; base < bases; base += array.element_bytes)
          result.push_back({width, a, array.layout.padded(array.layout.padding() + more), base});
    }
  }
  return result;
}

class plans_table {
 public:
  template <class Kernel>
  void add(const std::string& name, const bm::machine& machine, const Kernel& kernel) {
    row& added = rows_.emplace_back();
    added.name = name;
    added.machine = "sm_" + std::to_string(machine.model);
    const auto arrays = recorded(machine, kernel);
    const auto candidates = candidates_of(machine, arrays);
    added.candidates = candidates.size();
    added.totals.resize(candidates.size());
    added.counted.resize(candidates.size());

    static constexpr bm::search over_padding{.layouts = bm::layouts::padding};
    const auto plan = bm::optimize(machine, kernel, over_padding);
    added.before = plan.before().wavefronts;
    added.after = plan.after().wavefronts;
    added.bytes = plan.bytes();
    added.optimal = plan.is_optimal();
    time(added, "plan", 5, [m = machine, k = kernel]() mutable {
      benchmark::DoNotOptimize(m);
      benchmark::DoNotOptimize(k);
      benchmark::DoNotOptimize(bm::optimize(m, k, over_padding));
    });
    const auto of_every_family = bm::optimize(machine, kernel);
    added.after_every_family = of_every_family.after().wavefronts;
    added.every_family_optimal = of_every_family.is_optimal();
    time(added, "every family", 5, [m = machine, k = kernel]() mutable {
      benchmark::DoNotOptimize(m);
      benchmark::DoNotOptimize(k);
      benchmark::DoNotOptimize(bm::optimize(m, k));
    });

    time(added, "totals", 1, [=, &added] {
      for (std::size_t at = 0; at < candidates.size(); ++at) {
        const candidate& c = candidates[at];
        const bm::machine m = machine.with_bank_width(c.bank_width);
        added.totals[at] = 0;
        bm::for_each_access(kernel, [&](auto access) {
          if (access.array.name != arrays[c.array].declared.name) return;
          access.array = access.array.with(c.layout).at(c.base_bytes);
          added.totals[at] += bm::total(m, kernel.block, access).wavefronts;
        });
      }
    });

    std::size_t requests = 0;
    for (const candidate& c : candidates) requests += arrays[c.array].requests.size();
    added.pace = requests / most_counted_requests + 1;
    added.pace += added.pace % 2 == 0 ? 1 : 0;  // candidates of even and of odd padding alike
    time(added, "plain", 1, [=, &added] {
      for (std::size_t at = 0; at < candidates.size(); at += added.pace) {
        const candidate& c = candidates[at];
        const bm::array_description& array = arrays[c.array].declared;
        const bm::geometry g =
            machine.with_bank_width(c.bank_width).banks(array.element_bytes, bm::access_kind::load);
        added.counted[at] =
            arrays[c.array].wavefronts(g, c.layout, c.base_bytes / array.element_bytes);
      }
    });
    added.best = [=, &added] {
      unsigned long long best = none;
      for (const int width : {machine.bank_width, machine.other_bank_width}) {
        std::vector<unsigned long long> least(arrays.size(), none);
        for (std::size_t at = 0; at < candidates.size(); ++at)
          if (candidates[at].bank_width == width)
            least[candidates[at].array] = std::min(least[candidates[at].array], added.totals[at]);
        unsigned long long sum = 0;
        for (const auto one : least) sum = one == none ? none : sum + one;
        best = std::min(best, sum);
      }
      return best;
    };
  }

  // Runs all, prints the table; false if a plan is not the best of its space, or a total differs
  // from plain counting.
  bool run() {
    benchmark::RunSpecifiedBenchmarks(&times_);
    std::printf(
        "optimize() over padding (to take at most 100 us), beside exhaustive counting of the same "
        "space: each padding\n"
        "of each array below a layer of all banks, at each base that differs in cost, with each "
        "bank width, array by array.\n"
        "By total(): the library's total of each candidate. Plainly: the addresses of all "
        "requests, which are written down\n"
        "before, and sets; ~: counted for some candidates only, and multiplied. Last, optimize() "
        "over every family of layouts (to\n"
        "take at most 200 us), and what that leaves; *: not proven.\n\n");
    constexpr auto line = "%-30s %15s %7s %8s %8s %10s %13s %13s %9s %9s %17s\n";
    std::printf(line, "", "wavefronts", "", "", "plan,", "", "all by", "all plainly,", "total() /",
                "plainly /", "every family,");
    std::printf(line, "kernel", "before    after", "bytes", "optimal", "us", "candidates",
                "total(), us", "us", "plan", "plan", "us    after");
    bool right = true;
    for (const row& each : rows_) {
      if (!is_timed(each)) continue;
      const double plan = us(each, "plan"), totals = us(each, "totals"),
                   plainly = us(each, "plain") * static_cast<double>(each.pace);
      std::printf("%-24s %-5s %6llu %8llu %7lld %8s %8.1f %10zu ", each.name.c_str(),
                  each.machine.c_str(), each.before, each.after, each.bytes,
                  each.optimal ? "yes" : "no", plan, each.candidates);
      std::printf("%13.0f %s%12.0f %9.1f %9.0f %8.1f %7llu%s\n", totals, each.pace > 1 ? "~" : " ",
                  plainly, totals / plan, plainly / plan, us(each, "every family"),
                  each.after_every_family, each.every_family_optimal ? "" : "*");
      if (each.best() != each.after) {
        std::printf("%s: the best candidates have %llu wavefronts\n",
                    each.optimal ? "WRONG" : "spent its effort", each.best());
        right = right && !each.optimal;
      }
      for (std::size_t at = 0; at < each.candidates; at += each.pace) {
        if (each.counted[at] == each.totals[at]) continue;
        std::printf("WRONG: total() says %llu wavefronts for candidate %zu, counted %llu\n",
                    each.totals[at], at, each.counted[at]);
        right = false;
        break;
      }
    }
    return right;
  }

 private:
  static constexpr unsigned long long none = std::numeric_limits<unsigned long long>::max();

  struct row {
    std::string name, machine;
    unsigned long long before = 0, after = 0, after_every_family = 0;
    long long bytes = 0;
    bool optimal = false, every_family_optimal = false;
    std::size_t candidates = 0, pace = 1;
    std::vector<unsigned long long> totals, counted;
    std::function<unsigned long long()> best;  // of the candidates, once they are counted
  };

  static std::string name(const row& of, const char* kind) {
    return of.name + ", " + of.machine + "/" + kind;
  }

  static void time(const row& of, const char* kind, int repetitions,
                   const std::function<void()>& work) {
    benchmark::RegisterBenchmark(name(of, kind).c_str(),
                                 [work](benchmark::State& state) {
                                   for (auto _ : state) work();
                                 })
        ->MinTime(0.01)
        ->Repetitions(repetitions);
  }

  // Not where --benchmark_filter has left it out.
  bool is_timed(const row& of) const {
    return times_.of.count(name(of, "plan")) + times_.of.count(name(of, "totals")) +
               times_.of.count(name(of, "plain")) + times_.of.count(name(of, "every family")) ==
           4;
  }
  double us(const row& of, const char* kind) const { return times_.of.at(name(of, kind)) / 1000; }

  std::deque<row> rows_;  // benchmarks keep references to them
  least_times times_;
};

}  // namespace plain

#endif
