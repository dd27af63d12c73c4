// SPDX-License-Identifier: MIT
// The last section: compares the measurements of the other sections with the project's aims.
#include "heap.hpp"
#include "page.hpp"
#include "sections.hpp"
#include "timing.hpp"

#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include <string>

namespace bench {
namespace {

// Why an aim is not reached, where the reason is known: for aims whose name begins so.
struct reason {
  const char* begin;
  const char* cause;
};
constexpr reason reasons[] = {
    {"one warp", "in two dimensions: rows are compared in pairs; in one dimension it is reached"},
    {"`degree()`", "in two dimensions: rows are compared in pairs"},
    {"`total()` of `tile",
     "no line takes more than 2 % of it: the nest, the lanes and the price "
     "are each read once"},
    {"the same in a loop",
     "besides the total itself: a third is the histogram of the loop's residues"},
    {"plan over padding",
     "two thirds are the collection of the requests of moving filters, each "
     "once; on sm_35 both bank widths are priced at all bases"},
    {"plan over every family",
     "XOR swizzles of rows that are no power of two are tried one by one, "
     "some thousand of them"},
    {"a tuner's questions",
     "half of the time are a few plans over every family for which some ten thousand "
     "rotations and XOR swizzles of padded rows are ruled out one by one"},
    {"one more request", "clang interprets each step of the count"},
    {"`analyze.hpp` and", "most of it is parsing; precompiled headers are not parsed again"},
    {"`optimize.hpp`", "most of it is parsing; precompiled headers are not parsed again"},
};

std::string why_not(const aim& goal) {
  if (goal.reached) return "";
  for (const reason& known : reasons)
    if (goal.subject.starts_with(known.begin)) return known.cause;
  return "";
}

// Analysis allocates nothing.
aim no_allocation() {
  namespace bm = bankmodel;
  using namespace bm::index;
  const auto tile = bm::shared_array<float>("tile", 32, 32);
  const auto nest = bm::for_loop(j, bm::range(0, 32, 8), bm::if_threads(tx < j, tile[tx][j ^ ty]));
  const auto one_string = [] { benchmark::DoNotOptimize(std::string(100, 'x')); };
  require_same("heap allocations of a string",
               static_cast<unsigned long long>(allocations_of(one_string)), 1);
  const long allocated = allocations_of([&] {
    benchmark::DoNotOptimize(bm::total(bm::nvidia::sm_35, bm::block_dim{32, 8}, nest));
    benchmark::DoNotOptimize(bm::degree(bm::geometry{32, 4, 4, 4}, bm::access_1d{6}));
  });
  return {"heap allocations of `degree()` and `total()`", "none", std::to_string(allocated),
          allocated == 0};
}

}  // namespace

void aims(page& output) {
  output.aims.push_back(no_allocation());
  std::vector<page::row> rows;
  std::size_t reached = 0;
  for (const aim& goal : output.aims) {
    rows.push_back(
        {goal.subject, goal.reached ? "yes" : "**no**", goal.measured, goal.wanted, why_not(goal)});
    reached += goal.reached ? 1 : 0;
  }
  output.text(
      "Compared: what the sections above measured, and what this project aims at on two quiet "
      "cores. (Alone this section shows only what it measures itself.)");
  output.text("Result: " + std::to_string(reached) + " of " + std::to_string(rows.size()) +
              " aims are reached.");
  output.table({"what", "reached", "measured", "aim", "why not"}, rows);
}

}  // namespace bench
