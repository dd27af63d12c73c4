// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "answer.hpp"

// Several files and folders: each file is answered in a process of its own, as many at once as
// there are processors, so that a file that ends the compiler hides no other.
namespace command_line {

// Writes all of it. False: that cannot be done.
bool write_all(int descriptor, const std::string& text);

// The files, and those in the folders and below that have kernels: .cu, .hip and .ptx, and other
// source with a __global__ function; in the order of their names. Hidden folders are left out.
// Error (refusal): there is no such file; no file has a kernel.
std::vector<std::string> expanded_files(const std::vector<std::string>& named);

// True for source that neither has a kernel nor launches one of its headers.
bool is_without_kernel(const std::string& file);

// Returns the answer about each file. `tell`: how many are done, from time to time; may be empty.
std::vector<answer> answers_of(const std::vector<std::string>& files,
                               const std::function<answer(const std::string& file)>& answer_about,
                               const std::function<void(std::size_t done)>& tell);

// Returns the notes about files as lines of at most `width` characters, each note once and behind
// the first three files that it is about: "note: a.cu, b.cu, c.cu and 9 more: ..". answers[i] is
// about files[i].
std::string text_of_notes(const std::vector<std::string>& files, const std::vector<answer>& answers,
                          std::size_t width);

}  // namespace command_line
