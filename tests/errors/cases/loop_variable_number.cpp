// SPDX-License-Identifier: MIT
// expect: loop_variable_must_be_one_of_six
#include <bankmodel/kernel/variables.hpp>

#ifdef BROKEN
constexpr auto row = bankmodel::loop_variable(6);
#else
constexpr auto row = bankmodel::loop_variable(5);
#endif
static_assert(row.nodes[0].op == bankmodel::operation::variable);
