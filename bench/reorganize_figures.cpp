// SPDX-License-Identifier: MIT
// The figures 7 to 11 of the paper on irregular references, as far as they can be counted.
#include "../examples/reorganize/inputs.hpp"
#include "page.hpp"
#include "sections.hpp"

#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/reorganize.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace bench {
namespace {

namespace bm = bankmodel;
namespace re = bm::reorganize;

// A GTX480's weights in picoseconds: 128 bytes at 177 GB/s, a wavefront in each of 15
// multiprocessors at 1.4 GHz (NVIDIA's specification of the card), and a byte that is copied and
// moved at 4 GB/s (an assumption, which the page states).
constexpr re::cost_model weights{
    .runs = 1, .per_transaction = 723, .per_wavefront = 48, .per_byte = 250};

constexpr int line_bytes = 128;

std::uint64_t loads_of(const inputs::input& source) {
  std::uint64_t result = 0;
  for (const auto& indices : source.indices)
    result +=
        indices.size() - static_cast<std::uint64_t>(std::ranges::count(indices, re::no_element));
  return result;
}

std::string name_of(re::algorithm kind) {
  static const char* const names[] = {"none",    "duplication",   "padding",
                                      "sharing", "repositioning", "swapping"};
  return names[static_cast<std::size_t>(kind)];
}

std::string best_of(const re::irregular_references& kernel, std::uint64_t runs) {
  re::cost_model repeated = weights;
  repeated.runs = runs;
  return name_of(re::select(bm::nvidia::sm_20, kernel, repeated).best.kind);
}

std::string ratio(std::uint64_t part, std::uint64_t whole) {
  return number_text(static_cast<double>(part) / static_cast<double>(whole));
}

struct tables {
  std::vector<page::row> efficiency, space, choice;
  double least_gain = 1e9, most_space = 0;

  // `published`: what table 1 has for the GTX480.
  void add(const inputs::input& source, const std::string& published) {
    re::irregular_references kernel = source.references(256);
    kernel.segment_bytes = kernel.line_bytes = line_bytes;
    const re::selection all = re::select(bm::nvidia::sm_20, kernel, weights);
    const auto priced = [&](re::algorithm kind) { return all.all[static_cast<std::size_t>(kind)]; };
    const auto none = priced(re::algorithm::none), copied = priced(re::algorithm::duplication),
               padded = priced(re::algorithm::padding), shared = priced(re::algorithm::sharing);
    const auto element_bytes = static_cast<std::uint64_t>(source.element_bytes);
    const std::uint64_t bytes = loads_of(source) * element_bytes;
    const auto efficiency_of = [](std::uint64_t requested, const re::priced_algorithm& result) {
      return 100 * static_cast<double>(requested) /
             static_cast<double>(line_bytes * result.transactions);
    };
    const auto percent = [](double value) { return number_text(value) + " %"; };
    const auto if_allowed = [&](const std::string& cell) { return padded.is_allowed ? cell : ""; };
    // Threads load each element of a tile once.
    const double tiles = efficiency_of(shared.data_bytes, shared),
                 original = efficiency_of(bytes, none);
    least_gain = std::min(least_gain, tiles / original);
    efficiency.push_back({source.name, percent(original), percent(efficiency_of(bytes, copied)),
                          if_allowed(percent(efficiency_of(bytes, padded))), percent(tiles)});
    most_space = std::max(most_space, static_cast<double>(shared.data_bytes) /
                                          static_cast<double>(copied.data_bytes));
    space.push_back({source.name, ratio(copied.data_bytes, source.elements * element_bytes),
                     ratio(shared.data_bytes, copied.data_bytes),
                     if_allowed(ratio(padded.data_bytes, copied.data_bytes))});
    const std::uint64_t run = none.transactions * weights.per_transaction;
    const auto hidden_share = [&](const re::priced_algorithm& result) {
      return ratio(run, run + result.data_bytes * weights.per_byte);
    };
    choice.push_back({source.name, ratio(none.transactions, copied.transactions),
                      if_allowed(ratio(none.transactions, padded.transactions)),
                      ratio(none.transactions, shared.transactions), hidden_share(copied),
                      hidden_share(shared), published, name_of(re::select(kernel).use),
                      best_of(kernel, 1), best_of(kernel, 100)});
  }
};

}  // namespace

void reorganize_figures(page& output) {
  const char* const published[] = {"sharing", "sharing",      "sharing",     "sharing",
                                   "sharing", "not runnable", "duplication", "padding"};
  const std::vector<inputs::input> sources = inputs::benchmarks_of_paper(16, 1);
  tables result;
  for (std::size_t number = 0; number < sources.size(); ++number)
    result.add(sources[number], published[number]);
  const auto [fewest, most] = std::ranges::minmax(
      sources, {}, [](const inputs::input& source) { return source.indices[0].size(); });
  output.text(
      "The eight benchmarks of B. Wu et al., PPoPP 2013, table 1, as inputs of the same structure, "
      "made by `examples/reorganize/inputs.cpp` with " +
      count_text(fewest.indices[0].size()) + " to " + count_text(most.indices[0].size()) +
      " threads in blocks of 256; a transaction is a line of 128 bytes, as in a GTX480's first "
      "cache. Figures 7 and 8 are times "
      "on GPUs and have no counterpart; what is counted in place of figure 10 are the "
      "transactions that each algorithm saves.");
  output.text("Result: after sharing, loads are " + number_text(result.least_gain) +
              " times as efficient as before or more, in at most " +
              number_text(result.most_space) + " of duplication's bytes.");
  output.text(
      "**Figure 9**, efficiency of loads: the bytes that threads ask for, of those that are "
      "moved. Padding is for references of one pattern.");
  output.table({"benchmark", "as it is", "duplication", "padding", "sharing"}, result.efficiency);
  output.text(
      "**Figure 11**, space: the new data of duplication, of the data as they are; and "
      "those of the others, of duplication's.");
  output.table({"benchmark", "duplication", "sharing", "padding"}, result.space);
  output.text(
      "**In place of figure 10, and tables 1 and 2**: transactions before to after; the share of "
      "the blocks that can be put in order while the others run as they are, so that a kernel "
      "that is cut in two hides the work: K / (K + O), where K is the time of its transactions "
      "and O that of its new data (723 ps for a transaction, 250 ps for a byte: assumptions of "
      "this table, as 177 and 4 GB/s are); what the paper has chosen, what "
      "its guideline (figure 6) chooses, and the least cost where a reorganization serves one run, "
      "or a hundred.");
  output.table({"benchmark", "duplication", "padding", "sharing", "share, dup.", "share, sharing",
                "paper", "guideline", "for 1 run", "for 100 runs"},
               result.choice);
}

}  // namespace bench
