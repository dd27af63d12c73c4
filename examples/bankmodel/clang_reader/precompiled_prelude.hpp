// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "invocation.hpp"

// Most of the time to read a small file is the time to parse the prelude and the C++ headers that
// it includes. Clang keeps what it has parsed as a precompiled header: it is made once for each
// list of options, and kept in memory and in a folder between runs.
namespace compiled {

// The bytes of the prelude as a precompiled header for `arguments`: Clang's program, its options,
// and the prelude's file, which is read through `files`. Null: Clang cannot make it, and the
// prelude is to be read as text. Requires: one thread calls it.
std::shared_ptr<const std::string> precompiled_prelude(const std::vector<std::string>& arguments,
                                                       const file_system_pointer& files);

}  // namespace compiled
