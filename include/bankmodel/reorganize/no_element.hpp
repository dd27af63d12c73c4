// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REORGANIZE_NO_ELEMENT_HPP
#define BANKMODEL_REORGANIZE_NO_ELEMENT_HPP

#include <cstdint>

namespace bankmodel::reorganize {

// Marks an empty place of a data order, and, if the references may skip, a thread that makes no
// access. As an int it is -1.
inline constexpr std::uint32_t no_element = 0xffffffff;

}  // namespace bankmodel::reorganize

#endif
