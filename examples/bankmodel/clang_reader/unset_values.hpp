// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/IR/Function.h>

namespace compiled {

// The function whose result is the value of a variable that has none: `int m = n + m;`.
inline constexpr char unset_value[] = "__bankmodel_unset.";

// LLVM takes such a value for the one that suits it best, often 0, and an address that depends on
// it would be counted like any other. Integers that are computed from one call unset_value instead.
// What a variable is that has a value on one path alone stays as it is: that value.
void name_unset_values(llvm::Function& function);

}  // namespace compiled
