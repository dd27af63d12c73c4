// SPDX-License-Identifier: MIT
// Compares the reorganization of 10^7 irregular references with sorting and copying their indices.
#include "page.hpp"
#include "sections.hpp"
#include "timing.hpp"

#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/reorganize.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace bench {
namespace {

namespace bm = bankmodel;
namespace re = bm::reorganize;

constexpr std::uint32_t references = 10'000'000;

using indices = std::vector<std::uint32_t>;

re::irregular_references make_references(const indices& source, std::uint64_t elements) {
  return {.references = {std::span<const std::uint32_t>(source)}, .elements = elements, .cores = 1};
}

struct one_table {
  std::vector<page::row> rows;
  double most_sorts = 0, most_copies = 0;

  void add(const std::string& name, const indices& source, std::uint64_t elements) {
    const re::irregular_references kernel = make_references(source, elements);
    indices sorted, copied;
    re::duplication duplicated;
    re::reorganization padded, repositioned, swapped;
    re::shared_blocks shared, clustered;
    const auto [sort_ns, copy_ns, duplicate_ns, pad_ns, share_ns, cluster_ns, reposition_ns,
                swap_ns] =
        least_ns([&] { sorted = source, std::sort(sorted.begin(), sorted.end()); },
                 [&] { copied = indices(source); }, [&] { duplicated = re::duplicate(kernel); },
                 [&] { padded = re::pad(kernel); },
                 [&] { shared = re::share(kernel, {.clusters = re::clustering::none}); },
                 [&] { clustered = re::share(kernel); },
                 [&] { repositioned = re::reposition(kernel); },
                 [&] { swapped = re::swap_threads(kernel); });
    require_same(name + ", duplication", duplicated.data_order == source, 1);
    const std::uint64_t previous = re::traffic(kernel).transactions;
    const auto row = [&](const std::string& subject, double ns, const auto& result) {
      const double sorts = ns / sort_ns, copies = ns / copy_ns;
      if (subject == "duplication")
        most_copies = std::max(most_copies, copies);
      else
        most_sorts = std::max(most_sorts, sorts);
      const auto changed = re::traffic_after(kernel, result).transactions;
      rows.push_back({name + ": " + subject, number_text(sorts), number_text(copies), time_text(ns),
                      number_text(static_cast<double>(previous) / static_cast<double>(changed)),
                      number_text(static_cast<double>(re::data_bytes(kernel, result)) /
                                  static_cast<double>(4 * elements))});
    };
    row("duplication", duplicate_ns, duplicated);
    row("padding", pad_ns, padded);
    row("sharing, no clustering", share_ns, shared);
    row("sharing, first come", cluster_ns, clustered);
    row("repositioning", reposition_ns, repositioned);
    row("swapping threads", swap_ns, swapped);
  }
};

}  // namespace

void reorganize(page& output) {
  std::mt19937_64 dice(1);
  indices scattered(references), neighbours(references);
  for (std::uint32_t& entry : scattered) entry = static_cast<std::uint32_t>(dice() % references);
  constexpr std::uint32_t elements = references / 10;
  for (std::uint32_t index = 0; index < references; ++index)
    neighbours[index] =
        std::min<std::uint32_t>(elements - 1, index / 10 + static_cast<std::uint32_t>(dice() % 64));
  one_table table;
  table.add("scattered", scattered, references);
  table.add("near", neighbours, elements);
  output.text(
      "Compared: the functions of `<bankmodel/reorganize.hpp>` at 10^7 references on one core, "
      "`std::sort` of the same indices (with their copy), and a copy of them. Scattered: random "
      "elements of 10^7; near: random neighbours among 64 of 10^6 elements. The last two columns "
      "are what they are for: transactions before to after, and bytes of the new data to the old.");
  output.text("Result: duplication takes " + number_text(table.most_copies) +
              " times a copy at most (aim: 2), the others at most " +
              number_text(table.most_sorts) + " times a sort (aim: 10).");
  output.table(
      {"indices: algorithm", "time / sort", "time / copy", "time", "transactions saved", "bytes"},
      table.rows);
}

}  // namespace bench
