// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "planned_requests.hpp"

namespace compiled {

// The plan in which arrays that the kernel carves out of dynamic array `number` have longer rows,
// with its edits: of subscripts, of the pointers behind, and the bytes of the launch. Of a declared
// array of one dimension: with edits of subscripts and of the extent. None if the source has no
// such arrays, or if no rows take fewer wavefronts within `byte_limit`. A plan that cannot be
// written has a refusal.
std::vector<array_plan> carved_plans(const page& kernel_page, std::size_t number, long long start,
                                     long long byte_limit, widths wanted);

// The rows of a plan of a declared array as another instance of its template has them; nothing if
// its source names none.
std::optional<longer_rows> rows_of_instance(const page& kernel_page, std::size_t number,
                                            const longer_rows& planned);

}  // namespace compiled
