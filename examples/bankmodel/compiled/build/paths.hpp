// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

// Names of files. What the file system refuses to say leaves a name as it is.
namespace compiled {

bool is_file(const std::filesystem::path& name);

// From the root on, without links and `..`.
std::string canonical(const std::string& name);

// A name for people: from the current folder if it is below it.
std::string name_from_here(const std::string& name);

// How many folders from the root on two canonical names of files have in common: 2 for /a/b.cu and
// /a/c/d.h, the root and a.
std::ptrdiff_t common_folders(const std::filesystem::path& left,
                              const std::filesystem::path& right);

// True if `left` is more likely than `right` to belong to the canonical name: it has its name but
// for the ending, or else more folders in common with it.
bool is_nearer(const std::filesystem::path& left, const std::filesystem::path& right,
               const std::filesystem::path& target);

}  // namespace compiled
