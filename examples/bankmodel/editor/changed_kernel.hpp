// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "../compiled/page/source_functions.hpp"

// A kernel that somebody types is counted before the others of its document.
namespace editor {

// The one kernel in which two texts differ, and its lines in both.
struct changed_kernel {
  std::string name;
  compiled::line_range old_lines, new_lines;
};

// Nothing if they differ elsewhere too, or in a line of the preprocessor, if it is no kernel, or if
// there is no other kernel to leave for later.
std::optional<changed_kernel> changed_kernel_of(const std::string& old_text,
                                                const std::string& new_text);

// The notes of the text before, where they are now, with those of the kernel in its lines. There
// are no actions.
nlohmann::json with_notes_of_kernel(const nlohmann::json& previous, const nlohmann::json& of_kernel,
                                    const changed_kernel& changed);

}  // namespace editor
