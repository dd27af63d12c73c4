// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_PAGE_REQUEST_PICTURE_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_PAGE_REQUEST_PICTURE_HPP

#include <string>

#include "page.hpp"

namespace compiled {

// The worst request of an access as SVG: in the banks of its array, or in the lines of global
// memory. Of a large array the part is drawn that the request touches. Empty if no request of it is
// known.
// Error: the errors of draw_svg().
std::string picture_of(const page& of, const priced_access& one);

}  // namespace compiled

#endif
