// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../notation/counts.hpp"
#include "counted_kernel.hpp"

// Kernel files: their accesses are expressions, which the library counts.
namespace compiled {

// A kernel with its pages, and what they were made of: on each machine that can run it.
struct counted_expressions {
  std::unique_ptr<counted_kernel> counted;
  std::vector<command_line::counted_file> on_machines;
};

// Returns the kernel of question::text with this name; empty: the only one. In the notation it has
// the name of its file.
// Error (command_line::refusal): it cannot be read, or counted on any machine.
counted_expressions counted_expressions_of(const question& asked, const std::string& kernel);

// Returns all kernels that are asked about, as counted_kernels() does.
// Error (command_line::refusal): as above, if there is one; the file has none of these names.
std::vector<kernel_result> counted_kernels_of_file(const question& asked);

// The error as text, with its place in question::text if it has one.
std::string text_of_error(const question& asked, const command_line::refusal& reason);

}  // namespace compiled
