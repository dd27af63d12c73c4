// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_GUARD_HPP
#define BANKMODEL_COUNT_GUARD_HPP

#include <bankmodel/count/total.hpp>

namespace bankmodel {

// Fails to compile where an access has more bank conflicts than allowed, with both numbers in the
// message of every compiler. It is the ::value that is checked: a mere alias of this type checks
// nothing. Anywhere in a file:
//   static_assert(expect_conflicts<total(nvidia::sm_90, block, read).conflicts(), 0>::value);
template <std::uint64_t Actual, std::uint64_t Allowed>
struct expect_conflicts {
  static_assert(Actual <= Allowed,
                "bankmodel: more bank conflicts than allowed, see expect_conflicts<actual, "
                "allowed>; pad the rows of the array, "
                "permute its columns, or allow them");
  static constexpr bool value = true;  // whoever reads it has passed the line above
};

// Whether an access or a kernel has no conflict at all: conflict_free<machine, block, access> or
// conflict_free<machine, kernel>; false for arguments that are neither. As a constraint it keeps a
// template from being used, but prints no numbers.
template <auto... Arguments>
concept conflict_free = total(Arguments...).conflicts() == 0;

}  // namespace bankmodel

#endif
