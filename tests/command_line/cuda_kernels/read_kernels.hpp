// SPDX-License-Identifier: MIT
// The files of examples/cuda as the command line reads them.
#ifndef BANKMODEL_TESTS_CUDA_KERNELS_READ_KERNELS_HPP
#define BANKMODEL_TESTS_CUDA_KERNELS_READ_KERNELS_HPP

#include <array>
#include <set>
#include <string>

#include "examples/bankmodel/compiled/code_of_file.hpp"
#include "warp_requests.hpp"

// The command of a file's comment, `// bankmodel examples/cuda/NAME.cu --arg n=1024`.
compiled::question question_of(const std::string& name);

// The file's one kernel and its launch. Each file is read once.
const compiled::code_of_file& code_of(const compiled::question& asked);

// The first block of the launch in the file, and the last if its grid is constant.
std::set<std::array<unsigned, 3>> blocks_of(const compiled::found_launch& launch);

// The known requests, as those of the CPU.
cuda_on_cpu::requests requests_of(const compiled::recording& recorded);

std::string text(const cuda_on_cpu::request& subject);

#endif
