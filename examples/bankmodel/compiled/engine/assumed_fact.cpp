// SPDX-License-Identifier: MIT
#include "assumed_fact.hpp"

#include "../../common_names.hpp"

namespace compiled {

std::string text_of(const assumed_fact& fact) {
  return joined("assumed: ", fact.subject, fact.subject.starts_with("line ") ? " " : " = ",
                fact.value, ", since ", fact.reason, "; give ", fact.option);
}

}  // namespace compiled
