// SPDX-License-Identifier: MIT
// Plans of the dissertation's 13 kernels: compares optimize() with trying out all paddings.
#include "../examples/kernels.hpp"
#include "exhaustive.hpp"
#include "heap.hpp"
#include "machines.hpp"
#include "page.hpp"
#include "sections.hpp"
#include "timing.hpp"

#include <bankmodel/optimize.hpp>

#include <algorithm>
#include <string>

namespace bench {
namespace {

constexpr bm::search over_padding{.layouts = bm::layouts::padding};
// Counting of more requests is done for some candidates only, and its time multiplied.
constexpr std::size_t most_counted_requests = 40'000;

class table_of_plans {
 public:
  explicit table_of_plans(const named_machine& target) : machine_(target) {}

  template <class Kernel>
  void add(const std::string& name, const Kernel& kernel) {
    const auto plan = bm::optimize(machine_.machine, kernel, over_padding);
    const auto best = bm::optimize(machine_.machine, kernel);
    auto m = machine_.machine;
    auto k = kernel;
    const auto [ns, ns_of_all] = least_ns(
        [&] { benchmark::DoNotOptimize(bm::optimize(hidden(m), hidden(k), over_padding)); },
        [&] { benchmark::DoNotOptimize(bm::optimize(hidden(m), hidden(k))); });
    padding_.add(name, ns, 20e3);
    every_family_.add(name, ns_of_all, 60e3);
    allocations_ = std::max(
        {allocations_, allocations_of([&] {
           benchmark::DoNotOptimize(bm::optimize(hidden(m), hidden(k), over_padding));
         }),
         allocations_of([&] { benchmark::DoNotOptimize(bm::optimize(hidden(m), hidden(k))); })});

    const exhaustive_search<Kernel> space(machine_.machine, kernel);
    const tried t = try_all(name, space);
    if (plan.is_optimal())
      require_same(name + ", best of all paddings and the plan", t.best, plan.after().wavefronts);
    const auto proven = [](const auto& item) { return item.is_optimal() ? "" : "*"; };
    rows_.push_back({"`" + name + "`", number_text(t.counted_ns / ns), number_text(t.total_ns / ns),
                     time_text(ns), time_text(ns_of_all), count_text(space.candidates()),
                     count_text(plan.before().wavefronts),
                     count_text(plan.after().wavefronts) + proven(plan),
                     count_text(best.after().wavefronts) + proven(best)});
  }

  void write(page& output) const {
    output.text(std::string("On ") + machine_.name + ":");
    output.table(
        {"kernel", "counting / plan", "`total()` of each / plan", "plan over padding",
         "over every family", "candidates", "wavefronts as declared", "padded", "best family"},
        rows_);
    const std::string suffix = std::string(", the slowest of 13 kernels, ") + machine_.name;
    padding_.report(output, "plan over padding" + suffix, "20 µs");
    every_family_.report(output, "plan over every family" + suffix, "60 µs");
    output.aims.push_back({std::string("heap allocations of a plan, ") + machine_.name, "1 at most",
                           std::to_string(allocations_), allocations_ <= 1});
  }

 private:
  // The slowest kernel, and how many keep to the aim.
  struct slowest {
    std::string name;
    double ns = 0;
    int passed = 0, total = 0;
    void add(const std::string& kernel, double time, double aim) {
      if (time > ns) ns = time, name = kernel;
      passed += time <= aim ? 1 : 0;
      ++total;
    }
    void report(page& output, const std::string& subject, const std::string& limit) const {
      output.aims.push_back({subject, limit + " at most",
                             time_text(ns) + " (`" + name + "`); " + std::to_string(passed) +
                                 " of " + std::to_string(total) + " within",
                             passed == total});
    }
  };

  struct tried {
    double total_ns, counted_ns;
    unsigned long long best;
  };
  // All candidates by total(), and all or each `pace`-th of them counted.
  template <class Search>
  static tried try_all(const std::string& name, const Search& space) {
    std::vector<unsigned long long> totals(space.candidates()), counted(space.candidates());
    std::size_t pace = space.requests() / most_counted_requests + 1;
    pace += pace % 2 == 0 ? 1 : 0;  // candidates of even and of odd padding alike
    const auto [total_ns, counted_ns] = least_ns(
        [&] {
          for (std::size_t index = 0; index < totals.size(); ++index)
            totals[index] = space.total(index);
        },
        [&] {
          for (std::size_t index = 0; index < counted.size(); index += pace)
            counted[index] = space.count(index);
        });
    for (std::size_t index = 0; index < counted.size(); index += pace)
      require_same(name + ", a candidate counted and by total()", counted[index], totals[index]);
    return {total_ns, counted_ns * static_cast<double>(pace), space.best(totals)};
  }

  named_machine machine_;
  std::vector<page::row> rows_;
  slowest padding_, every_family_;
  long allocations_ = 0;
};

}  // namespace

void plans(page& output) {
  output.text(
      "Compared: `optimize()` over padding; the same space tried out, each padding of each array "
      "below a layer of all banks, at each base that differs in cost, with each bank width, "
      "once with `total()` and once counted with sets (the requests' subscripts were recorded "
      "before; above 40,000 requests some candidates are counted and the time is multiplied). "
      "Not compared with anything: `optimize()` over every family of layouts.");
  output.text(
      "Result: a plan takes microseconds, and it is the best of the candidates wherever it is "
      "proven to be (* not proven).");
  for (const auto& target : two_machines) {
    table_of_plans table(target);
    kernels::for_each_kernel(
        [&](const char* name, const auto& kernel) { table.add(name, kernel); });
    table.write(output);
  }
}

}  // namespace bench
