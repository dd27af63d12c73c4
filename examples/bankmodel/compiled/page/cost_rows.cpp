// SPDX-License-Identifier: MIT
#include "cost_rows.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>

#include "../../source.hpp"
#include "issued_column.hpp"

namespace compiled {

using command_line::cells;
using command_line::joined;
using command_line::row;

namespace {

// load tile, 16 bytes
std::string what_of(const page& of, const priced_access& one) {
  const std::string name = array_name(*of.kernel, *one.first);
  const memory_access& access = one.first->memory;
  std::string result = joined(verb_of(access), name.empty() ? "" : " ", name);
  if (access.elements > 1) result += joined(", ", access.bytes * access.elements, " bytes");
  result += text_of_copy(of, one);
  return one.is_partial ? joined(result, " (in part)") : result;
}

// What differs between the memories.
struct shared_memory {
  static const auto& accesses(const priced& all) { return all.shared; }
  static const bm::cost& written(const priced_access& one) { return one.cost; }
  static const bm::cost& issued(const priced_access& one) { return one.issued.cost; }
  static const bm::cost& written(const priced& all) { return all.cost; }
  static const bm::cost& issued(const priced& all) { return all.issued_cost; }
  static std::uint64_t units(const bm::cost& of) { return of.wavefronts; }
  static row head() { return {"line", "shared memory", command_line::shared_head}; }
  static constexpr const char* unit = "wavefronts";
};
struct global_memory {
  static const auto& accesses(const priced& all) { return all.global; }
  static const bm::memory_traffic& written(const priced_access& one) { return one.traffic; }
  static const bm::memory_traffic& issued(const priced_access& one) { return one.issued.traffic; }
  static const bm::memory_traffic& written(const priced& all) { return all.traffic; }
  static const bm::memory_traffic& issued(const priced& all) { return all.issued_traffic; }
  static std::uint64_t units(const bm::memory_traffic& of) { return of.transactions; }
  static row head() { return {"line", "global memory", command_line::global_head}; }
  static constexpr const char* unit = "transactions";
};

template <class Memory, class Counted>
void add_issued(row& to, const std::set<int>& bytes, const Counted& of) {
  const auto& issued = Memory::issued(of);
  to.cell.push_back(joined(bm::grouped(issued.requests),
                           bytes.empty() ? "" : joined(" of ", text_of(bytes, ", "), " B")));
  to.cell.push_back(bm::grouped(Memory::units(issued)));
}

template <class Memory>
std::vector<row> rows_of(const page& of, bool in_part) {
  const std::vector<priced_access>& accesses = Memory::accesses(of.costs);
  if (accesses.empty()) return {};
  const bool is_issued = has_issued_column(of, accesses);
  std::vector<row> result = {Memory::head()};
  if (is_issued) result[0].cell.insert(result[0].cell.end(), {"as issued", Memory::unit});
  for (const priced_access& one : accesses) {
    const int line = one.first->where.line;
    result.push_back(command_line::row_of(line == 0 ? "" : std::to_string(line), what_of(of, one),
                                          Memory::written(one)));
    if (is_issued) add_issued<Memory>(result.back(), one.issued.bytes, one);
  }
  result.push_back(command_line::row_of("", joined("the whole kernel", in_part ? " (in part)" : ""),
                                        Memory::written(of.costs)));
  if (is_issued) add_issued<Memory>(result.back(), {}, of.costs);
  return result;
}

}  // namespace

std::vector<row> shared_rows(const page& of) {
  return rows_of<shared_memory>(of, of.costs.is_partial_shared);
}

std::vector<row> global_rows(const page& of) {
  return rows_of<global_memory>(of, of.costs.is_partial_global);
}

}  // namespace compiled
