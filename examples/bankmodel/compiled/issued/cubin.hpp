// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_ISSUED_CUBIN_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_ISSUED_CUBIN_HPP

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "../engine/run.hpp"

// The widths of the loads and stores in machine code, line by line of the source: what nvcc -cubin
// -lineinfo writes. Addresses are not decoded, and neither is how often an instruction is executed.
namespace compiled {

// An instruction of the machine code.
struct cubin_access {
  std::string file;  // its name, without folders
  int line = 0;
  access_does does = access_does::load;       // or a store
  bool is_shared = false, is_global = false;  // both: the address says which
  int bytes = 4;
};

struct cubin_code {
  int model = 0;  // 90 for sm_90
  std::vector<cubin_access> accesses;
};

// An error, and what to do.
struct cubin_error : std::runtime_error {
  std::string right;
  cubin_error(const std::string& wrong, std::string what_to_do)
      : std::runtime_error(wrong), right(std::move(what_to_do)) {}
};

// Reads one kernel, by its mangled name as nvcc or as Clang writes it, of sm_75 to sm_121.
// Error (cubin_error): the text is not a cubin, or is cut off; it is for another kind of machine;
// it has no such kernel, or no line information of it.
cubin_code read_cubin(std::string_view text, const std::string& linkage);

// Compares the instructions as issued with those of a cubin, line by line, and sets the label and
// the difference of each load and store. Compilers unroll differently: it is the sets of widths
// that are compared, and whether there are any; the lines of a statement are one. Where they
// differ, accesses are joined to the cubin's widths if one rule gives these, and are removed if it
// has none. `written`: an access of a place that `issued` has none of gets one without requests.
void confirm_with(const cubin_code& code, const kernel_code& kernel, const recording& written,
                  recording& issued);

}  // namespace compiled

#endif
