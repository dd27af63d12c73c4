// SPDX-License-Identifier: MIT
#pragma once

#include "ask.hpp"
#include "build/project_headers.hpp"

namespace compiled {

// The PTX with line information that nvcc makes of a source file, for the first machine that is
// asked about, or else sm_90.
// Error (command_line::refusal): there is no nvcc, or it ends with an error, whose text it has;
// the machine is not NVIDIA's; the file is not CUDA source.
std::string ptx_by_nvcc(const question& asked);

// The machine code, with line information, that ptxas makes of nvcc's PTX; empty if there is no
// ptxas on the path, or if it does not compile the text.
std::string cubin_by_ptxas(const std::string& ptx, const std::string& machine);

// nvcc: the program that BANKMODEL_NVCC of the environment names, or else the one on the path, or
// in the toolkit of CUDA_HOME, of CUDA_PATH or of /usr/local/cuda. Empty: there is none, or the
// variable is none.
std::string nvcc_program();

// The program of this name in the folders of `path`, which are separated by colons; empty if there
// is none.
std::string program_in(const std::string& path, const std::string& name);

// Returns the headers among the names that a CUDA toolkit on this machine has, such as cub's, and
// the folders that -I would name: the toolkit is that of CUDA_HOME, of CUDA_PATH, of nvcc on the
// path, or /usr/local/cuda.
std::vector<found_header> headers_in_toolkit(const std::vector<std::string>& names);

}  // namespace compiled
