// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "page.hpp"

namespace compiled {

// The worst request of an access as SVG: in the banks of its array, or in the lines of global
// memory. Of a large array the part is drawn that the request touches. Empty if no request of it is
// known.
// Error: the errors of draw_svg().
std::string picture_of(const page& kernel_page, const priced_access& entry);

// The same as text.
std::string text_picture_of(const page& kernel_page, const priced_access& entry);

// The same request of an access to the plan's array where the plan has its elements, in the planned
// array. Empty if no request of it is known, or if the plan has no place for some of its bytes.
// Error: as above.
std::string picture_of_plan(const page& kernel_page, const priced_access& entry,
                            const array_plan& plan);

}  // namespace compiled
