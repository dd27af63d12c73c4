// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

namespace compiled {

// Calls `action`. Returns false if a signal ended it, a full stack included: Clang and LLVM may
// crash on code after an error, which is an error of the file and not the end of the program. What
// the action held is lost then, its memory too. Of several threads one runs its action at a time.
// Requires: the action does not call it.
bool ends_without_crash(const std::function<void()>& action);

}  // namespace compiled
