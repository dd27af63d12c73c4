// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/IR/Function.h>

// Calls through pointers: which functions they call.
namespace compiled {

bool has_pointer_calls(const llvm::Function& function);

// Calls of functions in place of calls through pointers that are known: the address of a function,
// one of several (`p = n > 3 ? f : g`), the content of a constant table, and virtual functions of
// an object whose constructor is seen. True if there is such a call.
bool call_known_functions(llvm::Function& function);

}  // namespace compiled
