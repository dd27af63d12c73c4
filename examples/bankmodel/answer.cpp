// SPDX-License-Identifier: MIT
#include "answer.hpp"

namespace command_line {

std::string text_of_skipped(const std::vector<skipped_machine>& machines) {
  std::vector<named_text> reasons;
  for (const skipped_machine& machine : machines)
    reasons.push_back(
        {machine.name, machine.reason.wrong.substr(0, machine.reason.wrong.find('\n'))});
  std::string result;
  for (const named_text& reason : by_text(reasons))
    result += joined("bankmodel: note: not counted on ", reason.names, ": ", reason.text, "\n");
  return result;
}

}  // namespace command_line
