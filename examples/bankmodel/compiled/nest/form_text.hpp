// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

#include "../description/symbolic_run.hpp"
#include "formula.hpp"

// Forms of a symbolic run as formulas, and as text.
namespace compiled {

// Numbers below which arguments are not, by the numbers of their atoms.
using least_numbers = std::map<int, long long>;

// Error (inexpressible): the form has a thread, a trip, or an operation that formulas do not have.
formula formula_of(const symbolic_run& run, const form& value, const least_numbers& bounds = {});
// "ty < M", "32 * trip_6 + tx < K": threads have the names of the index language, trips those of
// their loops' lines.
std::string text_of(const symbolic_run& run, const condition_pointer& test);
// The name of the first argument in it; empty if there is none.
std::string argument_in(const symbolic_run& run, const form& value);

}  // namespace compiled
