// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_ISSUED_CUBIN_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_ISSUED_CUBIN_HPP

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "../code/machine_code.hpp"
#include "../engine/run.hpp"

// The widths of the loads and stores in machine code, line by line of the source: what nvcc -cubin
// -lineinfo writes. Addresses are not decoded, and neither is how often a loop is executed.
namespace compiled {

// An error, and what to do.
struct cubin_error : std::runtime_error {
  std::string right;
  cubin_error(const std::string& wrong, std::string what_to_do)
      : std::runtime_error(wrong), right(std::move(what_to_do)) {}
};

// Reads one kernel, by its mangled name as nvcc or as Clang writes it, of sm_75 to sm_121.
// Error (cubin_error): the text is not a cubin, or is cut off; it is for another kind of machine;
// it has no such kernel, or no line information of it.
machine_code read_cubin(std::string_view text, const std::string& linkage);

// Compares the instructions as issued with those of machine code, line by line, and sets the label
// and the difference of each load and store. Compilers unroll differently: it is the sets of widths
// that are compared, and whether there are any; the lines of a statement are one. Where they
// differ, accesses are joined to the code's widths if one rule gives these, and are removed if it
// has none. Instructions in no loop say how many requests `warps` warps make at most (0: not
// compared). `written`: an access of a place that `issued`
// has none of gets one without requests.
void confirm_with(const machine_code& code, const kernel_code& kernel, const recording& written,
                  recording& issued, int warps = 0);

}  // namespace compiled

#endif
