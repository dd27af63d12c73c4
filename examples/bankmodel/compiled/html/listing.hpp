// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>

#include "../../html.hpp"
#include "../page/page.hpp"
#include "drawn_requests.hpp"

namespace compiled {

// The source of a page as HTML.
struct html_listing {
  std::string text;
  // The lines that are in it, by line_id(), so that others can lead there.
  std::set<std::string> lines;
  // The plans that are at their lines, by their number in page::plans. What is not here has no line
  // in the listing.
  std::set<std::size_t> plans;
};

// The functions that have accesses, line by line, with the costs in the margin. A line with
// accesses unfolds to the cost of each and its reason. A line that a plan changes is followed by
// its new text, and the first of them by the plan, with the worst request of its array before and
// after. `section`: of the page, for identifiers. `pictures`: those of the whole page.
// `requests`: the worst ones of the whole document.
html_listing listing_of(const page& shown_page, source_lines& lines, int section,
                        const drawn_requests& requests, command_line::page_pictures& pictures);

}  // namespace compiled
