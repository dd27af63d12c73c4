// SPDX-License-Identifier: MIT
// The loop of figure 8.7 with more and more iterations, in a block that stays as it is.
#include "growth.hpp"
#include "machines.hpp"
#include "sections.hpp"

#include <algorithm>

namespace bench {
namespace {

using namespace bm::index;
using plain::iterations;
using plain::thread;

growth measured(const named_machine& target) {
  const bm::block_dim block{256};
  const auto a = bm::shared_array<float>("a", 4096);
  growth rows;
  for (int exponent = 6; exponent <= 20; exponent += 2) {
    const long long n = 1ll << exponent;
    count plainly;
    if (exponent <= 14)
      plainly = counted(
          target.machine, block, 1, [=](int, const iterations&) { return n; },
          [](thread t, const iterations& counters) {
            return t.x < counters[0] + 1 ? 2ll * t.x : plain::inactive;
          });
    rows.add(static_cast<double>(n), count_text(static_cast<unsigned long long>(n)),
             total_of(target.machine, block,
                      bm::for_loop(i, bm::range(1, n + 1), bm::if_threads(tx < i, a[2 * tx]))),
             each_iteration(target.machine, 256, n,
                            [](long long iteration, int first) {
                              const long long lanes = std::clamp(iteration + 1 - first, 0ll, 32ll);
                              return bm::access_1d{2, 2 * first, static_cast<int>(lanes)};
                            }),
             plainly);
  }
  return rows;
}

}  // namespace

void for_if(page& output) {
  output.text(
      "Compared: the three ways of the section before, for `for (i = 1; i <= n; ++i) if (tx < i) "
      "a[2 * tx]` by 256 threads: each iteration has one active thread more, until all are.");
  output.text(
      "Result: `total()` counts each set of active lanes once, so its time stops growing when all "
      "threads are active.");
  for (const auto& target : two_machines) {
    const growth rows = measured(target);
    output.text(std::string("On ") + target.name + ":");
    rows.write(output, "iterations");
    output.picture(
        std::string("for_if_") + target.name + ".svg",
        log_log(std::string("A loop with a moving filter, 256 threads, ") + target.name +
                    ": time of one answer",
                "iterations of the loop", rows.lines()),
        std::string("Time of one answer by iterations on ") + target.name +
            ", both axes logarithmic: counting and the analysis of each iteration grow in "
            "proportion, total() does not grow");
  }
}

}  // namespace bench
