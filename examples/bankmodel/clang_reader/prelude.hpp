// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

// Our own declarations of CUDA's and HIP's names: they are read before the user's file, so that no
// toolkit is needed.
namespace compiled {

// The text, for CUDA and for HIP (__HIP__ tells them apart).
std::string prelude();
// The parts of it for numbers of 16 bits, and for integers that are several in a word.
std::string halves_prelude();
std::string words_prelude();
// The part of it for AMD's builtins and HIP's vector classes, which uses that for 16 bits.
std::string amd_prelude();
// The part of it for textures and random numbers.
std::string library_prelude();
// The part of it for the host library's types, which follows that for textures.
std::string runtime_prelude();
// The part of it for the host library's enumerations, which follows that for its types.
std::string enumerations_prelude();
// The part of it for functions that only host code calls, which follows that.
std::string host_functions_prelude();

// Headers of a toolkit whose declarations the prelude has: they are read as empty files.
std::vector<std::string_view> headers_in_prelude();
// Headers of a toolkit that we have ourselves, with their texts, which use the prelude.
std::map<std::string, std::string> own_headers();
// Adds PyTorch's to them.
void add_torch_headers(std::map<std::string, std::string>& files);
// Adds libcu++'s to them, and thrust's that have the same.
void add_cuda_headers(std::map<std::string, std::string>& files);
// Adds cuda.h to them, and what else declares the driver's functions.
void add_driver_headers(std::map<std::string, std::string>& files);

}  // namespace compiled
