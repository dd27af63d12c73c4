// SPDX-License-Identifier: MIT
#pragma once

#include <set>

#include "page.hpp"

// The page's columns of accesses as issued, beside those as written.
namespace compiled {

// False: what is issued is not known, and accesses are as written. The rules of issued.hpp are
// nvcc's.
inline bool knows_issued(const page& kernel_page) {
  if (kernel_page.issued_by == issued_source::none) return false;
  return kernel_page.machine.made_by == bm::vendor::nvidia ||
         kernel_page.issued_by == issued_source::back_end;
}

// True if one of them is not issued as it is written, or was compared with machine code.
bool has_issued_column(const page& kernel_page, const std::vector<priced_access>& accesses);
// True if that is so of the accesses to either memory.
bool has_issued_column(const page& kernel_page);

// 4, 16
std::string text_of(const std::set<int>& bytes, const char* separator);

// Below the tables: a sentence that says what the columns are, and where machine code differs from
// the estimate, each with its place. Nothing if there is no access.
std::vector<std::string> issued_notes(const page& kernel_page);

// estimate, widths-confirmed, widths-corrected, differs. Machine code says nothing about counts.
const char* name_of(issued_label label);

// ", "least_more": 4, "most_more": 128": what bounded requests add to the wavefronts, if there are.
std::string bounds_json(const bounded_cost& bounds);

// ", "issued": {"bytes": [16], "requests": 128, .., "status": "estimate"}"
std::string issued_json(const page& kernel_page, const priced_access& entry);
// ",16,128,128,,estimate" below issued_csv_head
std::string issued_csv(const page& kernel_page, const priced_access& entry);
inline constexpr const char* issued_csv_head =
    ",issued_bytes,issued_requests,issued_wavefronts,issued_transactions,issued_status";

}  // namespace compiled
