// SPDX-License-Identifier: MIT
#include <bankmodel/report.hpp>

#include "answer.hpp"

namespace command_line {

reason why(const kernel_file& kernel, const kernel_access& access, const bm::machine& on,
           bool with_remedy) {
  try {
    if (access.expression.array.memory == bm::memory_space::global) {
      const auto found = bm::explain_traffic(on, kernel.block, access.expression);
      return {bm::text(found, access.loop_names), {}, {}, found};
    }
    if (!with_remedy) {
      const bm::explanation found = bm::detail::worst_of(on, kernel.block, access.expression);
      return {bm::detail::text_of_reason(found, access.loop_names), {}, found};
    }
    const bm::explanation found = bm::explain(on, kernel.block, access.expression);
    return {bm::detail::text_of_reason(found, access.loop_names),
            found.all.conflicts() == 0 ? "" : bm::detail::text_of_remedy(found), found};
  } catch (const bm::error& refused) {
    return {refused.what()};
  }
}

}  // namespace command_line
