// SPDX-License-Identifier: MIT
#include "assumed_fact.hpp"

#include "../../source.hpp"

namespace compiled {

using command_line::joined;

std::string text_of(const assumed_fact& one) {
  return joined("assumed: ", one.subject, one.subject.rfind("line ", 0) == 0 ? " " : " = ",
                one.value, ", since ", one.reason, "; give ", one.option);
}

}  // namespace compiled
