// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "../engine/run.hpp"
#include "../machine_code/machine_code.hpp"

// The requests of the code that a compiler makes, beside those of the code as it was written: an
// access that does not depend on a loop is made once, and one whose value is known never.
namespace compiled {

// How the instructions as issued are found.
enum class issued_source : std::uint8_t {
  rules,     // accesses of the code that was read, joined by the rules of issued.hpp: NVIDIA's
  passes,    // the same of what LLVM's passes leave of the code
  back_end,  // of what LLVM's passes and its back end for AMD make of the code
  none,      // a kernel file describes accesses: nothing issues them
};

struct issued_recording {
  recording recorded;  // places are those of the code as it was written
  issued_source source = issued_source::rules;
  std::string why_not = {};  // why it is by rules, for people
  std::string code = {};     // machine code by the back end: its name, for people
};

// Records `optimized`, which is `kernel` as compilers leave it, with the same launch, joins its
// accesses, and compares them with its instructions, if it has any. What cannot be recorded, or is
// known in part only where `written` is known, is `written` with a reason.
// `record`: of the kernel of `optimized`, with this launch.
using record_function = std::function<recording(const launch& options)>;
issued_recording record_as_issued(const optimized_code& optimized, const kernel_code& kernel,
                                  const launch& options, const recording& written,
                                  const record_function& record);

// Takes over which accesses are joined, into a recording of the same code.
void take_joins(const recording& source, recording& target);

}  // namespace compiled
