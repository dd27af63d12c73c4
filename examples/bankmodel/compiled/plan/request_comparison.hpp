// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "../page/page.hpp"

namespace compiled {

// Compares the requests of a kernel before and after some of its arrays got the layouts of these
// plans: each request must be the same one, with its elements at their new places.
// Returns a place whose requests are others; nothing if there is none.
// Requires: both pages are of the same kernel, launch and machine.
std::optional<place> first_other_request(const page& previous, const page& current,
                                         const std::vector<array_plan>& changed);

}  // namespace compiled
