// SPDX-License-Identifier: MIT
#pragma once

#include "../engine/run.hpp"
#include "../machine_code/machine_code.hpp"

namespace compiled {

// Compares the instructions as issued with those of machine code, line by line, and sets the label
// and the difference of each load and store. Compilers unroll differently: it is the sets of widths
// that are compared, and whether there are any; the lines of a statement are one. Where they
// differ, accesses are joined to the code's widths if one rule gives these, and are removed if it
// has none. Instructions in no loop say how many requests `warps` warps make at most (0: not
// compared). `written`: an access of a place that `issued` has none of gets one without requests.
void confirm_with(const machine_code& code, const kernel_code& kernel, const recording& written,
                  recording& issued, int warps = 0);

}  // namespace compiled
