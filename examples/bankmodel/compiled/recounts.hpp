// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "changed_files.hpp"
#include "counted_kernel.hpp"

// Kernels with a changed text of their file, read and counted again.
namespace compiled {

// A kernel of a file, or one arm of it, with the question that it answers.
// Requires: question::text is the source.
struct planned_kernel {
  const question* asked = nullptr;
  counted_kernel* counted = nullptr;
};

// A change of a file, and the kernels that are counted with it.
struct source_change {
  std::vector<planned_kernel> kernels;
  std::vector<text_edit> edits;     // do not overlap
  std::uint64_t dynamic_bytes = 0;  // of the launches; 0: as before
  // The declarations are in the body of the kernels, and no other one can name them or their type.
  bool is_local = true;
};

struct recount {
  std::vector<std::unique_ptr<counted_kernel>> kernels;  // as source_change::kernels
  std::string error;                                     // there are none; empty if there are
};

// Returns the numbers of the changes that are read in one compilation: they are of one file, and
// the kernels of each have no line that another changes.
//   100 kernels, each with a change of its array: {{0, 1, .. 99}}
//   two changes of one kernel's array: {{0}, {1}}
std::vector<std::vector<std::size_t>> read_together(const std::vector<source_change>& changes);

using recount_taker = std::function<void(std::size_t number, const recount&)>;

// Calls take(number, recount) once for each change, for several at the same time. Changes that are
// read together and do not compile are halved until they do.
void count_changes(const std::vector<source_change>& changes, const recount_taker& take);

// Returns the kernels with other texts of their files, in their order, without plans. The texts are
// read once.
// Error (command_line::refusal): one does not compile, or does not run.
std::vector<std::unique_ptr<counted_kernel>> counted_again(
    const std::vector<planned_kernel>& kernels, const changed_texts& changed);

}  // namespace compiled
