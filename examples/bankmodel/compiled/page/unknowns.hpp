// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "page.hpp"

// Everything that a count would need and nobody gave.
namespace compiled {

struct unknown_fact {
  std::string subject;                // "n", "block", "line 17, load s"
  std::string assumed;                // "1024", "goes on once"; empty: it is not counted
  std::string reason;                 // "the end of the loop at gemm.cu:6:3 depends on it"
  std::vector<std::string> sharpens;  // "line 7, load a", "the whole kernel"
  std::string option;                 // "--arg n=.."
};

// What was assumed, and accesses that are counted in part, each once.
std::vector<unknown_fact> unknowns_of(const page& kernel_page);

// The arguments that have no value and that no count depends on, but for pointers.
std::vector<std::string> arguments_without_use(const page& kernel_page);

// One page for each kernel; `failures` have none.
std::string text_of_unknowns(const std::vector<page>& kernels,
                             const command_line::text_shape& shape);
std::string json_of_unknowns(const std::vector<page>& kernels, const std::string& file,
                             const std::vector<uncounted_kernel>& failures);

}  // namespace compiled
