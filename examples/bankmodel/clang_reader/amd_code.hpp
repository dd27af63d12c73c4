// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "../compiled/machine_code/machine_code.hpp"
#include "front_end.hpp"

namespace compiled {

// The kernel as clang -O3 compiles it for the module's GPU of AMD, and its loads and stores.
// `source.unlowered` has it. Without the back end in LLVM's library, or after an error in it,
// there are no instructions, with a reason.
optimized_code amd_code(const parsed_source& source, const std::string& linkage,
                        const std::string& path);

}  // namespace compiled
