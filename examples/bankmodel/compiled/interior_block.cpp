// SPDX-License-Identifier: MIT
#include "interior_block.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "assumptions.hpp"
#include "code/special_reads.hpp"
#include "engine/grid_axes.hpp"
#include "engine/prepared_kernel.hpp"

namespace compiled {

namespace {

// Sets the block, and the grid where nobody gives it. Returns false if all blocks are at the
// border.
bool take_interior_block(const kernel_code& kernel, launch& settings) {
  // The block begins at element 64 of an axis, twice as far from the first one as the widest filter
  // that is tried reaches, and as many blocks follow as --block-strides compares.
  constexpr long long first_place = 64, assumed_places = 1024, fewest_behind = 4;
  const bm::block_dim& block = settings.block;
  const long long threads[] = {block.x, block.y, block.z};
  bool result = false;
  for (const grid_axis& axis : grid_axes) {
    if (!reads_special(kernel, {axis.index_register})) continue;
    const long long of_block = threads[static_cast<int>(axis.name)];
    const long long index = std::max(1ll, first_place / of_block);
    long long& extent = settings.grid.*axis.blocks;
    // With more blocks each may have less of the work.
    if (!settings.is_grid_known && extent == 1 && !reads_special(kernel, {axis.extent_register}))
      extent = std::max(assumed_places / of_block, index + fewest_behind);
    settings.grid_index.*axis.index = std::min(index, extent / 2);
    result = result || extent > 2;
  }
  return result;
}

std::string index_text(const launch& settings) {
  const auto& [x, y, z] = settings.grid_index;
  const auto& [columns, rows, layers] = settings.grid;
  std::string index = std::to_string(x), extent = std::to_string(columns);
  if (rows > 1 || layers > 1) {
    index += joined("x", y);
    extent += joined("x", rows);
  }
  if (layers > 1) {
    index += joined("x", z);
    extent += joined("x", layers);
  }
  return joined(index, " of ", extent);
}

std::set<int> numbers_of_accesses(const counted_kernel& counted) {
  std::set<int> result;
  for (const recorded_access& access : counted.recorded.accesses)
    if (access.requests > 0) result.insert(access.number);
  return result;
}

}  // namespace

std::vector<std::shared_ptr<const earlier_run>> interior_runs(const counted_kernel& counted) {
  if (counted.pages.empty()) return {};
  const page_formulas& formulas = counted.pages.front().formulas;
  if (formulas.contradicted.empty()) return {};
  const earlier_run first = *run_of(counted);
  earlier_run interior = first;
  if (!take_interior_block(*counted.kernel, interior.settings)) return {};
  interior.assumed.insert(
      interior.assumed.begin(),
      {std::string(subject_of_block_index), index_text(interior.settings),
       interior.settings.is_grid_known ? "--at .." : "--grid .. --at ..",
       joined("threads at the border leave out accesses of ", formulas.contradicted.front())});
  std::vector<std::shared_ptr<const earlier_run>> result = {
      std::make_shared<const earlier_run>(interior)};
  // What moves addresses is a multiple of 128 bytes in the formulas. Of floats 8 are a sector, and
  // sectors are all that is compared.
  for (const long long size : {32, 8}) {
    earlier_run smaller = interior;
    bool is_smaller = false;
    for (assumed_fact& fact : smaller.assumed) {
      const auto bits = smaller.settings.arguments.find(fact.subject);
      if (formulas.contradicting.count(fact.subject) == 0 || fact.is_flag ||
          bits == smaller.settings.arguments.end() ||
          bits->second <= static_cast<std::uint64_t>(size))
        continue;
      bits->second = static_cast<std::uint64_t>(size);
      fact.value = std::to_string(size);
      fact.reason =
          joined(fact.reason, ", and is small so that a block inside of the grid has all accesses");
      is_smaller = true;
    }
    if (is_smaller) result.push_back(std::make_shared<const earlier_run>(std::move(smaller)));
  }
  return result;
}

bool agrees_with_more_formulas(const counted_kernel& other, const counted_kernel& counted) {
  if (other.pages.empty() || other.recorded.leaves_arrays > counted.recorded.leaves_arrays)
    return false;
  const std::set<int> numbers = numbers_of_accesses(other), previous = numbers_of_accesses(counted);
  return other.pages.front().formulas.contradicted.size() <
             counted.pages.front().formulas.contradicted.size() &&
         std::ranges::includes(numbers, previous);
}

}  // namespace compiled
