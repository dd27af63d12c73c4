// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../code/code.hpp"

// The accesses in a kernel's machine code. Their addresses are not known, and neither is how often
// those in loops are executed.
namespace compiled {

// An error, and what to do.
struct machine_code_error : std::runtime_error {
  std::string right;
  machine_code_error(const std::string& wrong, std::string what_to_do)
      : std::runtime_error(wrong), right(std::move(what_to_do)) {}
};

struct machine_access {
  std::string file;  // its name, without folders; empty, and line 0: it is not known
  int line = 0;
  access_does operation = access_does::load;
  // Both: the address says which, or it is a copy from global memory to shared memory.
  bool is_shared = false, is_global = false;
  int bytes = 4;  // of a lane; 0: not known
  // A warp may execute it more than once: it is in a loop, or that is not known.
  bool is_repeated = true;
};

struct machine_code {
  int model = 0;  // of a cubin: 90 for sm_90
  std::vector<machine_access> accesses = {};
  std::string name = "cubin";  // for people: "the cubin has .."
};

struct machine_kernel {
  std::string name, linkage;  // as kernel_code's
  machine_code code;
};

// The kernels of a file, and the machine that it is for: sm_90, gfx942; empty: the file has none.
struct machine_file {
  std::string machine;
  std::vector<machine_kernel> kernels = {};
};

// A kernel as a compiler leaves it: of the same arrays and files as it was written.
struct optimized_code {
  kernel_code kernel;
  std::optional<machine_code> instructions = {};  // if the compiler is known, which is LLVM for AMD
  std::string why_not = {};  // of a kernel for AMD: why it has no instructions, for people
};

}  // namespace compiled
