// SPDX-License-Identifier: MIT
#include "assumed_fact.hpp"

#include "../../source.hpp"

namespace compiled {

using command_line::joined;

std::string text_of(const assumed_fact& fact) {
  return joined("assumed: ", fact.subject, fact.subject.rfind("line ", 0) == 0 ? " " : " = ",
                fact.value, ", since ", fact.reason, "; give ", fact.option);
}

}  // namespace compiled
