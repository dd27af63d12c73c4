// SPDX-License-Identifier: MIT
#include "launch_edits.hpp"

#include <algorithm>
#include <optional>

#include "../source.hpp"
#include "plan/plan_edits.hpp"
#include "plan/size_text.hpp"

namespace compiled {

using command_line::joined;

namespace {

// What is added to a launch's bytes; nothing if the launch has no text for an argument.
std::optional<std::string> added_bytes(const found_launch& launch, const kernel_code& kernel,
                                       const more_launch_bytes& growth, const std::string& bytes) {
  bool is_known = true;
  const auto text_of = [&](const std::string& name) {
    for (std::size_t number = 0; number < kernel.parameters.size(); ++number)
      if (kernel.parameters[number].name == name && number < launch.arguments_written.size() &&
          !launch.arguments_written[number].empty())
        return as_operand(launch.arguments_written[number]);
    is_known = false;
    return std::string();
  };
  std::string result;
  if (!growth.fixed.empty()) result = joined(" + ", text_of_size(growth.fixed, text_of));
  if (growth.added > 0) {
    const std::string rest =
        growth.first.empty()
            ? bytes
            : joined("(", bytes, " - ", as_operand(text_of_size(growth.first, text_of)), ")");
    result += joined(" + ", rest, " / ", as_operand(text_of_size(growth.row, text_of)), " * ",
                     growth.added);
  }
  return is_known ? std::optional(result) : std::nullopt;
}

// True if a limit is the bytes of a launch: another one may be all that a block may have.
bool is_of_launch(const code_of_file& code, const kernel_code& kernel, const source_piece& limit) {
  return std::any_of(code.launches.begin(), code.launches.end(), [&](const found_launch& launch) {
    return launch.linkage == kernel.linkage && !launch.bytes_written.empty() &&
           launch.bytes_written.front().text == limit.text;
  });
}

// Adds the changes of one kernel's launches; false: one cannot be changed so, or there is none.
bool add_launches(const code_of_file& code, const kernel_code& kernel, const array_plan& plan,
                  std::vector<text_edit>& edits) {
  bool is_launched = false;
  for (const found_launch& launch : code.launches) {
    if (launch.linkage != kernel.linkage) continue;
    is_launched = true;
    if (launch.bytes_written.empty()) return false;
    for (const source_piece& piece : launch.bytes_written) {
      if (!is_of_launch(code, kernel, piece)) return false;
      const std::string bytes = as_operand(piece.text);
      const auto added = added_bytes(launch, kernel, plan.launch_bytes, bytes);
      if (!added) return false;
      const text_edit change{piece, bytes + *added};
      const auto same = std::find_if(edits.begin(), edits.end(), [&](const text_edit& other) {
        return other.piece.file == piece.file && other.piece.offset == piece.offset;
      });
      if (same == edits.end())
        edits.push_back(change);
      else if (same->replacement != change.replacement)
        return false;
    }
  }
  return is_launched;
}

}  // namespace

std::vector<text_edit> launch_edits(const code_of_file& code,
                                    const std::vector<const kernel_code*>& kernels,
                                    const array_plan& plan) {
  std::vector<text_edit> result;
  const bool is_known =
      plan.launch_bytes.is_known && code.unread_launches.empty() &&
      std::all_of(kernels.begin(), kernels.end(), [&](const kernel_code* kernel) {
        return kernel->named_at.empty() && add_launches(code, *kernel, plan, result);
      });
  return is_known ? result : std::vector<text_edit>();
}

}  // namespace compiled
