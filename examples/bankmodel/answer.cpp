// SPDX-License-Identifier: MIT
#include "answer.hpp"

namespace command_line {

std::string text_of_skipped(const std::vector<skipped_machine>& machines) {
  std::vector<named_text> reasons;
  for (const skipped_machine& one : machines)
    reasons.push_back({one.name, one.why.wrong.substr(0, one.why.wrong.find('\n'))});
  std::string result;
  for (const named_text& one : by_text(reasons))
    result += joined("bankmodel: note: not counted on ", one.names, ": ", one.text, "\n");
  return result;
}

}  // namespace command_line
