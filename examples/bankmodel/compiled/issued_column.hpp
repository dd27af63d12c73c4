// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_ISSUED_COLUMN_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_ISSUED_COLUMN_HPP

#include <set>

#include "../table.hpp"
#include "page.hpp"

// The page's columns of accesses as issued, beside those as written.
namespace compiled {

// The rules of issued.hpp are nvcc's.
inline bool has_issued_column(const bm::machine& m) { return m.made_by == bm::vendor::nvidia; }

// True if one of them is not issued as it is written, or was compared with a cubin.
bool has_issued_column(const page& of, const std::vector<priced_access>& accesses);

void add_issued_head(command_line::cells& to, const bm::cost& kind);
void add_issued_head(command_line::cells& to, const bm::memory_traffic& kind);

// "128 of 16 B" and the wavefronts, or the transactions.
void add_issued(command_line::cells& to, const std::set<int>& bytes, const bm::cost& cost);
void add_issued(command_line::cells& to, const std::set<int>& bytes, const bm::memory_traffic& all);

inline const bm::cost& issued_of(const priced_access& one, const bm::cost&) {
  return one.issued.cost;
}
inline const bm::memory_traffic& issued_of(const priced_access& one, const bm::memory_traffic&) {
  return one.issued.traffic;
}
inline const bm::cost& issued_of(const priced& all, const bm::cost&) { return all.issued_cost; }
inline const bm::memory_traffic& issued_of(const priced& all, const bm::memory_traffic&) {
  return all.issued_traffic;
}

// Below the tables: whether the columns are an estimate, and where a cubin differs from it.
std::string issued_note(const page& of, std::size_t width);

// estimate, confirmed, corrected, differs.
const char* name_of(issued_label label);

// ", "issued": {"bytes": [16], "requests": 128, .., "status": "estimate"}"
std::string issued_json(const page& of, const priced_access& one);
// ",16,128,128,,estimate" below issued_csv_head
std::string issued_csv(const page& of, const priced_access& one);
inline constexpr const char* issued_csv_head =
    ",issued_bytes,issued_requests,issued_wavefronts,issued_transactions,issued_status";

}  // namespace compiled

#endif
