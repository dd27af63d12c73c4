// SPDX-License-Identifier: MIT
#include <bankmodel/report.hpp>

#include "answer.hpp"

namespace command_line {

reason why(const kernel_file& kernel, const kernel_access& access, const bm::machine& on) {
  try {
    const bm::explanation found = bm::explain(on, kernel.block, access.expression);
    return {found, bm::text(found, access.loop_names)};
  } catch (const bm::error& refused) {
    return {{}, refused.what()};
  }
}

}  // namespace command_line
