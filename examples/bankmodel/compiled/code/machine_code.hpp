// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_CODE_MACHINE_CODE_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_CODE_MACHINE_CODE_HPP

#include <optional>
#include <string>
#include <vector>

#include "code.hpp"

// The loads and stores in a kernel's machine code. Their addresses are not known, and neither is
// how often those in loops are executed.
namespace compiled {

struct machine_access {
  std::string file;  // its name, without folders
  int line = 0;
  access_does does = access_does::load;       // or a store
  bool is_shared = false, is_global = false;  // both: the address says which
  int bytes = 4;
  // A warp may execute it more than once: it is in a loop, or that is not known.
  bool is_repeated = true;
};

struct machine_code {
  int model = 0;  // of a cubin: 90 for sm_90
  std::vector<machine_access> accesses = {};
  std::string name = "cubin";  // for people: "the cubin has .."
};

// A kernel as a compiler leaves it: of the same arrays and files as it was written.
struct optimized_code {
  kernel_code kernel;
  std::optional<machine_code> instructions = {};  // if the compiler is known, which is LLVM for AMD
  std::string why_not = {};  // of a kernel for AMD: why it has no instructions, for people
};

}  // namespace compiled

#endif
