// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "ask.hpp"

// Machine code alone: a cubin, SASS as cuobjdump and nvdisasm print it, assembly for AMD. It has
// widths and lines, and no addresses that could be counted.
namespace compiled {

// True for *.cubin, *.sass, *.amdgcn and *.s.
bool is_machine_code(const std::string& file);

// The PTX or the source beside a cubin, of the same name, with which it is joined; empty if there
// is none.
std::string file_beside_cubin(const std::string& cubin);

// sm_90; empty: the file is no cubin that can be read.
std::string machine_of_cubin(const std::string& file);

// The accesses of each kernel, those of one line, kind and width together, as text, JSON or CSV.
// `question::text` is the file's.
// Error (in the answer): the file is no machine code; no kernel has the name that is asked for.
command_line::answer answer_about_machine_code(const question& asked);

}  // namespace compiled
