// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_PROCESSORS_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_PROCESSORS_HPP

#include <cstddef>
#include <functional>

namespace command_line {

// Calls do_part(0), do_part(1), .. do_part(parts - 1), as many at once as there are processors, on
// threads of their own. Returns when all have ended.
// Error: the first that a part throws; parts that had not begun are left out then.
void do_parts(std::size_t parts, const std::function<void(std::size_t part)>& do_part);

}  // namespace command_line

#endif
