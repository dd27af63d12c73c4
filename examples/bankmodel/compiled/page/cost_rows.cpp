// SPDX-License-Identifier: MIT
#include "cost_rows.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>

#include "../../source.hpp"
#include "issued_column.hpp"
#include "placed_arrays.hpp"

namespace compiled {

using command_line::cells;
using command_line::joined;
using command_line::row;

namespace {

// load tile, 16 bytes
std::string what_of(const page& of, const priced_access& one) {
  const std::string name = seen_name(of, one);
  const memory_access& access = one.first->memory;
  std::string result = joined(verb_of(access.does), name.empty() ? "" : " ", name);
  if (access.elements > 1) result += joined(", ", access.bytes * access.elements, " bytes");
  result += text_of_copy(of, one);
  if (one.most > 0 && !one.is_unbounded) return joined(result, " (data decide)");
  return one.is_partial ? joined(result, " (in part)") : result;
}

// Requests that data decide about are in the row, with the fewest and the most that they take.
void add_bounds(row& to, const bm::memory_traffic& counted, std::uint64_t requests,
                std::uint64_t least, std::uint64_t most) {
  if (most == 0) return;
  to.cell[0] = bm::grouped(counted.requests + requests);
  to.cell[1] = range_text(counted.transactions + least, counted.transactions + most);
  to.cell[2] = bm::grouped(counted.ideal + least);
}
template <class Bounded>
void add_bounds(row& to, const Bounded& of) {
  if (of.most == 0) return;
  to.cell[0] = bm::grouped(of.cost.requests + of.bounded_requests);
  to.cell[1] = range_text(of.cost.wavefronts + of.least, of.cost.wavefronts + of.most);
  to.cell[2] = bm::grouped(of.cost.ideal + of.least);
  to.cell[3] = range_text(of.cost.conflicts(), of.cost.conflicts() + of.most - of.least);
}

// What differs between the memories.
struct shared_memory {
  static const auto& accesses(const priced& all) { return all.shared; }
  static const bm::cost& written(const priced_access& one) { return one.cost; }
  static const bm::cost& issued(const priced_access& one) { return one.issued.cost; }
  static const bm::cost& written(const priced& all) { return all.cost; }
  static const bm::cost& written(const grid_cost& all) { return all.cost; }
  static const bm::cost& issued(const priced& all) { return all.issued_cost; }
  static std::uint64_t units(const bm::cost& of) { return of.wavefronts; }
  static row head() { return {"line", "shared memory", command_line::shared_head}; }
  template <class Counted>
  static void add_range(row& to, const Counted& of) {
    add_bounds(to, of);
  }
  static bounded_cost issued_range(const priced_access& one) { return one.issued.bounded; }
  static bounded_cost issued_range(const priced& all) { return all.issued_bounded; }
  static bool is_range(const page& of) { return of.costs.most > 0 && !of.costs.is_unbounded; }
  static constexpr const char* unit = "wavefronts";
};
struct global_memory {
  static const auto& accesses(const priced& all) { return all.global; }
  static const bm::memory_traffic& written(const priced_access& one) { return one.traffic; }
  static const bm::memory_traffic& issued(const priced_access& one) { return one.issued.traffic; }
  static const bm::memory_traffic& written(const priced& all) { return all.traffic; }
  static const bm::memory_traffic& written(const grid_cost& all) { return all.traffic; }
  static const bm::memory_traffic& issued(const priced& all) { return all.issued_traffic; }
  static std::uint64_t units(const bm::memory_traffic& of) { return of.transactions; }
  static row head() { return {"line", "global memory", command_line::global_head}; }
  template <class Counted>
  static bounded_cost issued_range(const Counted&) {
    return {};
  }
  static void add_range(row& to, const priced_access& of) {
    add_bounds(to, of.traffic, of.bounded_requests, of.least, of.most);
  }
  static void add_range(row& to, const priced& of) {
    add_bounds(to, of.traffic, of.bounded_traffic.bounded_requests, of.bounded_traffic.least,
               of.bounded_traffic.most);
  }
  static bool is_range(const page& of) {
    return of.costs.bounded_traffic.most > 0 && !of.costs.is_unbounded_traffic;
  }
  static constexpr const char* unit = "transactions";
};

template <class Memory, class Counted>
void add_issued(row& to, const std::set<int>& bytes, const Counted& of) {
  const auto& issued = Memory::issued(of);
  const bounded_cost range = Memory::issued_range(of);
  const std::uint64_t units = Memory::units(issued);
  to.cell.push_back(joined(bm::grouped(issued.requests + range.bounded_requests),
                           bytes.empty() ? "" : joined(" of ", text_of(bytes, ", "), " B")));
  to.cell.push_back(range_text(units + range.least, units + range.most));
}

template <class Memory>
std::vector<row> rows_of(const page& of, const char* what_is_counted) {
  const std::vector<priced_access>& accesses = Memory::accesses(of.costs);
  if (accesses.empty()) return {};
  const bool is_issued = has_issued_column(of, accesses);
  std::vector<row> result = {Memory::head()};
  if (is_issued) result[0].cell.insert(result[0].cell.end(), {"as issued", Memory::unit});
  for (const priced_access& one : accesses) {
    const int line = one.first->where.line;
    result.push_back(command_line::row_of(line == 0 ? "" : std::to_string(line), what_of(of, one),
                                          Memory::written(one)));
    Memory::add_range(result.back(), one);
    if (is_issued) add_issued<Memory>(result.back(), one.issued.bytes, one);
  }
  result.push_back(command_line::row_of("", joined("the whole kernel", what_is_counted),
                                        Memory::written(of.costs)));
  Memory::add_range(result.back(), of.costs);
  if (is_issued) add_issued<Memory>(result.back(), {}, of.costs);
  if (const auto& grid = of.costs.of_grid)
    result.push_back(command_line::row_of("", joined("all ", bm::grouped(grid->blocks), " blocks"),
                                          Memory::written(*grid)));
  return result;
}

}  // namespace

std::vector<row> shared_rows(const page& of) {
  return rows_of<shared_memory>(of, !of.costs.is_partial_shared   ? ""
                                    : shared_memory::is_range(of) ? " (data decide)"
                                                                  : " (in part)");
}

std::vector<row> global_rows(const page& of) {
  const bool is_range = global_memory::is_range(of);
  const bool has_all_but_textures =
      of.recorded->leaves_out_textures_alone &&
      std::none_of(of.costs.global.begin(), of.costs.global.end(),
                   [](const priced_access& one) { return one.is_partial; });
  return rows_of<global_memory>(of, !of.costs.is_partial_global ? ""
                                    : is_range                  ? " (data decide)"
                                    : has_all_but_textures      ? " (without textures)"
                                                                : " (in part)");
}

}  // namespace compiled
