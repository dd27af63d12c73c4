// SPDX-License-Identifier: MIT
// The degree of one warp's access: compares degree() with two programs that count.
#include "elements.hpp"
#include "page.hpp"
#include "plain_counting.hpp"
#include "sections.hpp"
#include "timing.hpp"

#include <bankmodel/analyze.hpp>

#include <algorithm>
#include <limits>

namespace bench {
namespace {

struct mapping {
  const char* name;
  bm::geometry geometry;
};
constexpr mapping mappings[] = {{"row-major", {32, 8, 4, 4}},
                                {"conventional", {32, 4, 4, 4}},
                                {"wide", {32, 8, 4, 8}},
                                {"column-major", {32, 8, 8, 4}}};

class table_of_warps {
 public:
  template <class Access>
  void add(const std::string& name, const mapping& banks, Access access) {
    bm::geometry g = banks.geometry;
    const auto elements = elements_of(g, access);
    const int lanes = static_cast<int>(elements.size());
    const auto by_sets = [&] { return plain::count_with_sets(g, hidden(elements)); };
    const auto by_masks = [&] {
      return plain::count_with_masks(g, hidden(elements).data(), lanes);
    };
    const auto ours = [&] { return bm::degree(hidden(g), hidden(access)); };
    const auto degree = static_cast<unsigned long long>(ours());
    require_same(name, degree, static_cast<unsigned long long>(by_sets()));
    require_same(name, degree, static_cast<unsigned long long>(by_masks()));

    const auto [sets, masks, library] = least_ns([&] { benchmark::DoNotOptimize(by_sets()); },
                                                 [&] { benchmark::DoNotOptimize(by_masks()); },
                                                 [&] { benchmark::DoNotOptimize(ours()); });
    rows_.push_back({name + ", " + banks.name, number_text(sets / library),
                     number_text(masks / library), time_text(library), time_text(sets),
                     time_text(masks), std::to_string(degree) + "-way"});
    over_sets_ = {std::min(over_sets_.minimum, sets / library),
                  std::max(over_sets_.maximum, sets / library)};
    over_masks_ = {std::min(over_masks_.minimum, masks / library),
                   std::max(over_masks_.maximum, masks / library)};
    slowest_ = std::max(slowest_, library);
  }

  void write(page& output) const {
    output.text(
        "Compared: `degree()`, a counter that keeps the layers of each bank in a `std::set`, and "
        "a counter that handles all banks at once with 64-bit masks. The counters are given the "
        "elements as an array, which is not timed.");
    output.text("Result: `degree()` is " + number_text(over_sets_.minimum) + " to " +
                number_text(over_sets_.maximum) + " times as fast as the sets and " +
                number_text(over_masks_.minimum) + " to " + number_text(over_masks_.maximum) +
                " times as fast as the masks; it takes " + time_text(slowest_) + " at most.");
    output.table({"one warp of floats (wide: doubles)", "sets / degree()", "masks / degree()",
                  "degree()", "sets", "masks", "conflict"},
                 rows_);
    output.aims.push_back({"one warp, sets / `degree()`", "100 at least",
                           number_text(over_sets_.minimum), over_sets_.minimum >= 100});
    output.aims.push_back({"one warp, masks / `degree()`", "20 at least",
                           number_text(over_masks_.minimum), over_masks_.minimum >= 20});
    output.aims.push_back(
        {"`degree()`, the slowest of these", "3 ns at most", time_text(slowest_), slowest_ <= 3});
  }

 private:
  struct range {
    double minimum = std::numeric_limits<double>::infinity(), maximum = 0;
  };
  std::vector<page::row> rows_;
  range over_sets_, over_masks_;
  double slowest_ = 0;
};

}  // namespace

void one_warp(page& output) {
  table_of_warps table;
  for (const mapping& banks : mappings) table.add("1D, stride 6", banks, bm::access_1d{6, 5});
  for (const mapping& banks : mappings)
    table.add("2D, rows of 16, stride 24", banks, bm::access_2d{1, 16, 24, 2, 3});
  table.write(output);
}

}  // namespace bench
