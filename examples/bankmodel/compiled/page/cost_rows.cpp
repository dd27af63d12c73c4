// SPDX-License-Identifier: MIT
#include "cost_rows.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>

#include "issued_column.hpp"
#include "placed_arrays.hpp"

namespace compiled {

using command_line::cells;
using command_line::row;

namespace {

// load tile, 16 bytes
std::string what_of(const page& kernel_page, const priced_access& item) {
  const std::string name = seen_name(kernel_page, item);
  const memory_access& access = item.first->memory;
  std::string result = joined(verb_of(access.operation), name.empty() ? "" : " ", name);
  if (access.elements > 1) result += joined(", ", access.bytes * access.elements, " bytes");
  result += text_of_copy(kernel_page, item);
  if (item.maximum > 0 && !item.is_unbounded) return joined(result, " (data decide)");
  return item.is_partial ? joined(result, " (in part)") : result;
}

// Requests that data decide about are in the row, with the fewest and the most that they take.
void add_bounds(row& target, const bm::memory_traffic& counted, std::uint64_t requests,
                std::uint64_t minimum, std::uint64_t maximum) {
  if (maximum == 0) return;
  target.cell[0] = bm::grouped(counted.requests + requests);
  target.cell[1] = range_text(counted.transactions + minimum, counted.transactions + maximum);
  target.cell[2] = bm::grouped(counted.ideal + minimum);
}
template <class Bounded>
void add_bounds(row& target, const Bounded& counts) {
  if (counts.maximum == 0) return;
  target.cell[0] = bm::grouped(counts.cost.requests + counts.bounded_requests);
  target.cell[1] =
      range_text(counts.cost.wavefronts + counts.minimum, counts.cost.wavefronts + counts.maximum);
  target.cell[2] = bm::grouped(counts.cost.ideal + counts.minimum);
  target.cell[3] = range_text(counts.cost.conflicts(),
                              counts.cost.conflicts() + counts.maximum - counts.minimum);
}

// What differs between the memories.
struct shared_memory {
  static const auto& accesses(const priced& costs) { return costs.shared; }
  static const bm::cost& written(const priced_access& access) { return access.cost; }
  static const bm::cost& issued(const priced_access& access) { return access.issued.cost; }
  static const bm::cost& written(const priced& costs) { return costs.cost; }
  static const bm::cost& written(const grid_cost& grid) { return grid.cost; }
  static const bm::cost& issued(const priced& costs) { return costs.issued_cost; }
  static std::uint64_t units(const bm::cost& sum) { return sum.wavefronts; }
  static row head() { return {"line", "shared memory", command_line::shared_head}; }
  template <class Counted>
  static void add_range(row& target, const Counted& counts) {
    add_bounds(target, counts);
  }
  static bounded_cost issued_range(const priced_access& access) { return access.issued.bounded; }
  static bounded_cost issued_range(const priced& costs) { return costs.issued_bounded; }
  static bool is_range(const page& kernel_page) {
    return kernel_page.costs.maximum > 0 && !kernel_page.costs.is_unbounded;
  }
  static constexpr const char* unit = "wavefronts";
};
struct global_memory {
  static const auto& accesses(const priced& costs) { return costs.global; }
  static const bm::memory_traffic& written(const priced_access& access) { return access.traffic; }
  static const bm::memory_traffic& issued(const priced_access& access) {
    return access.issued.traffic;
  }
  static const bm::memory_traffic& written(const priced& costs) { return costs.traffic; }
  static const bm::memory_traffic& written(const grid_cost& grid) { return grid.traffic; }
  static const bm::memory_traffic& issued(const priced& costs) { return costs.issued_traffic; }
  static std::uint64_t units(const bm::memory_traffic& traffic) { return traffic.transactions; }
  static row head() { return {"line", "global memory", command_line::global_head}; }
  template <class Counted>
  static bounded_cost issued_range(const Counted&) {
    return {};
  }
  static void add_range(row& target, const priced_access& counts) {
    add_bounds(target, counts.traffic, counts.bounded_requests, counts.minimum, counts.maximum);
  }
  static void add_range(row& target, const priced& counts) {
    add_bounds(target, counts.traffic, counts.bounded_traffic.bounded_requests,
               counts.bounded_traffic.minimum, counts.bounded_traffic.maximum);
  }
  static bool is_range(const page& kernel_page) {
    return kernel_page.costs.bounded_traffic.maximum > 0 && !kernel_page.costs.is_unbounded_traffic;
  }
  static constexpr const char* unit = "transactions";
};

template <class Memory, class Counted>
void add_issued(row& target, const std::set<int>& bytes, const Counted& counts) {
  const auto& issued = Memory::issued(counts);
  const bounded_cost range = Memory::issued_range(counts);
  const std::uint64_t units = Memory::units(issued);
  target.cell.push_back(joined(bm::grouped(issued.requests + range.bounded_requests),
                               bytes.empty() ? "" : joined(" of ", text_of(bytes, ", "), " B")));
  target.cell.push_back(range_text(units + range.minimum, units + range.maximum));
}

template <class Memory>
std::vector<row> rows_of(const page& kernel_page, const char* what_is_counted) {
  const std::vector<priced_access>& accesses = Memory::accesses(kernel_page.costs);
  if (accesses.empty()) return {};
  const bool is_issued = has_issued_column(kernel_page, accesses);
  std::vector<row> result = {Memory::head()};
  if (is_issued) result[0].cell.insert(result[0].cell.end(), {"as issued", Memory::unit});
  for (const priced_access& access : accesses) {
    const int line = access.first->location.line;
    result.push_back(command_line::row_of(line == 0 ? "" : std::to_string(line),
                                          what_of(kernel_page, access), Memory::written(access)));
    Memory::add_range(result.back(), access);
    if (is_issued) add_issued<Memory>(result.back(), access.issued.bytes, access);
  }
  result.push_back(command_line::row_of("", joined("the whole kernel", what_is_counted),
                                        Memory::written(kernel_page.costs)));
  Memory::add_range(result.back(), kernel_page.costs);
  if (is_issued) add_issued<Memory>(result.back(), {}, kernel_page.costs);
  if (const auto& grid = kernel_page.costs.of_grid)
    result.push_back(command_line::row_of("", joined("all ", bm::grouped(grid->blocks), " blocks"),
                                          Memory::written(*grid)));
  return result;
}

}  // namespace

std::vector<row> shared_rows(const page& kernel_page) {
  return rows_of<shared_memory>(kernel_page, !kernel_page.costs.is_partial_shared ? ""
                                             : shared_memory::is_range(kernel_page)
                                                 ? " (data decide)"
                                                 : " (in part)");
}

std::vector<row> global_rows(const page& kernel_page) {
  const bool is_range = global_memory::is_range(kernel_page);
  const bool has_all_but_textures =
      kernel_page.recorded->leaves_out_textures_alone &&
      std::ranges::none_of(kernel_page.costs.global, &priced_access::is_partial);
  return rows_of<global_memory>(kernel_page, !kernel_page.costs.is_partial_global ? ""
                                             : is_range                           ? " (data decide)"
                                             : has_all_but_textures ? " (without textures)"
                                                                    : " (in part)");
}

}  // namespace compiled
