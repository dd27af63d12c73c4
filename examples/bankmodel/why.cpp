// SPDX-License-Identifier: MIT
#include <bankmodel/report.hpp>

#include "answer.hpp"

namespace command_line {

reason why(const kernel_file& kernel, const kernel_access& access, const bm::machine& on,
           bool with_remedy) {
  try {
    if (access.expression.array.memory == bm::memory_space::global)
      return {{}, bm::explained(on, kernel.block, access.expression, {}, access.loop_names)};
    if (!with_remedy) {
      const bm::explanation found = bm::detail::worst_of(on, kernel.block, access.expression);
      return {found, bm::detail::text_of_reason(found, access.loop_names)};
    }
    const bm::explanation found = bm::explain(on, kernel.block, access.expression);
    return {found, bm::text(found, access.loop_names)};
  } catch (const bm::error& refused) {
    return {{}, refused.what()};
  }
}

}  // namespace command_line
