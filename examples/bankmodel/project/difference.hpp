// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "../terminal.hpp"
#include "report.hpp"

// Two reports compared: two versions of the same kernels.
namespace project {

// Both sides are of one access, or one side is missing.
struct access_change {
  const reported_access *previous = nullptr, *current = nullptr;
};

struct kernel_change {
  const reported_kernel *previous = nullptr, *current = nullptr;
  std::vector<access_change> accesses = {};  // those whose numbers differ

  // A missing side takes nothing.
  std::uint64_t excessive_before(bool is_global) const;
  std::uint64_t excessive_after(bool is_global) const;
  // It takes more beyond the ideal than before, in shared or in global memory; without a version
  // before: anything.
  bool is_worse() const;
  bool is_better() const;  // and not worse
  bool is_same() const;    // no access differs
};

// Whether a file and its only kernel may be called otherwise in the other report.
enum class renaming : unsigned char { excluded, possible };

// Returns the kernels of both reports, those of `current` first, in its order. A kernel is known by
// its file, machine and symbol, or, if no other has it, by its name, by that without arguments and
// parameters, or by that without namespaces; and each arm of a flag separately. Where each report
// is of one file and may be renamed, the file's name does not matter, nor that of a kernel without
// another. An access is known by its line's text, or else by its order among those of the same
// array.
// Requires: the reports outlive the result.
std::vector<kernel_change> differences_of(const report& previous, const report& current,
                                          renaming files = renaming::possible);

// A table of the kernels that are not the same, and of their accesses that differ; what was not
// counted on either side is named below.
// `before_name`, `after_name`: of the reports, for people.
std::string text_of_difference(const report& previous, const report& current,
                               const std::string& before_name, const std::string& after_name,
                               const command_line::text_shape& shape);
// The same as a table of Markdown, for a comment on a pull request.
std::string markdown_of_difference(const report& previous, const report& current,
                                   const std::string& before_name, const std::string& after_name);
// {"kernels": [{"kernel": .., "verdict": "worse", "worse": true, "before": {..}, "after": {..}}]}
std::string json_of_difference(const report& previous, const report& current);

// What is worse than the baseline, or cannot be compared with it.
struct complaints {
  bool is_worse = false;  // a kernel takes more beyond the ideal
  // Something is not counted, or counted in part, and the baseline does not have it so.
  bool is_incomplete = false;
  std::string text;  // for people, lines; empty: nothing is worse
};
// Kernels of the baseline whose file is not in `current` are passed over.
complaints compared_with_baseline(const report& baseline, const report& current,
                                  const std::string& baseline_name);

}  // namespace project
