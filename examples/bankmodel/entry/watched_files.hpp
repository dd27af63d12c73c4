// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace command_line {

// When each file was written last.
using file_times = std::map<std::string, std::filesystem::file_time_type>;

// Of the files among these words, of source and headers beside each of them, and of those in
// folders and below. Hidden ones are left out, and those that the program writes.
file_times times_of_files(const std::vector<std::string>& words);

// Returns when a file is written, made or removed.
void wait_for_change(const std::vector<std::string>& words, const file_times& previous);

}  // namespace command_line
